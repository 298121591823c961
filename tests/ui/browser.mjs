// The page in Chromium, over the store of conftest.py. Run by test_page.py.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, afterEach, before, beforeEach, test } from "node:test";

const require = createRequire(new URL("../../airflow_colgraph/ui/package.json", import.meta.url));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const { COLGRAPH_ADDRESS: address, COLGRAPH_CHROMIUM: executablePath, COLGRAPH_KEY: key } = process.env;
const plain = { skip: Boolean(key) };
const guarded = { skip: !key };

let browser, context, page, trouble;

before(async () => {
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
});
after(async () => browser.close());

beforeEach(async () => {
  trouble = [];
  context = await browser.newContext({ viewport: { width: 1300, height: 900 }, colorScheme: "light", timezoneId: "UTC" });
  page = await context.newPage();
  page.setDefaultTimeout(30_000);
  page.on("pageerror", (error) => trouble.push(`error: ${error.message}`));
  page.on("console", (message) => {
    const refused = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !refused) trouble.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(address) && !/^(data|blob):/.test(url)) trouble.push(`request: ${url}`);
  });
});
afterEach(async (test) => {
  const folder = process.env.PAGE_SCREENSHOTS; // CI keeps them
  if (folder) await page.screenshot({ path: `${folder}/${test.name.replace(/\W+/g, "-")}.png`, fullPage: true });
  await context.close();
  assert.deepEqual(trouble, []); // no error, nothing against the policy, nothing from elsewhere
});

const open = (query) => page.goto(`${address}/?${new URLSearchParams(query)}`);
const T = { namespace: "n", name: "mart", field: "t" };

/** The edges in the table, as `raw.a > mart.t aggregation`. */
async function edges() {
  await page.waitForSelector("table.edges tbody tr");
  const rows = await page.$$eval("table.edges tbody tr", (trs) =>
    trs.map((tr) => [...tr.querySelectorAll("td")].map((td) => td.innerText)),
  );
  return rows
    .map((cells) => cells.slice(-9))
    .map(([, from, field, to, into, , what]) => `${from}.${field} > ${to}.${into} ${what}`)
    .sort();
}

const row = (dataset, field) =>
  page.locator(".box", { has: page.locator(`.head[title="n ${dataset}"]`) }).locator(`.row[title="${field}"]`);

// A level line has no height, so Playwright would call it invisible.
const drawn = (lines) => page.waitForSelector(lines, { state: "attached" });

async function accessible() {
  await page.evaluate(axe);
  const found = await page.evaluate(async () => {
    const answer = await window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] });
    // A picture that is zoomed out has small targets; the table below has the same links in full size.
    for (const one of answer.violations) {
      if (one.id === "target-size") one.nodes = one.nodes.filter((node) => !document.querySelector(node.target[0])?.closest(".react-flow"));
    }
    return answer.violations.filter((one) => one.nodes.length).map((one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 160)).slice(0, 3).join(" | ")}`);
  });
  assert.deepEqual(found, []);
}

test("search by keyboard, and back", plain, async () => {
  await page.goto(`${address}/`);
  await page.waitForSelector(".results a");
  await page.keyboard.press("/");
  await page.keyboard.type("tot");
  await page.waitForSelector("text=No dataset's name contains “tot”.");
  await page.waitForSelector("section[aria-labelledby=columns] .results a");
  assert.equal(new URL(page.url()).search, "?q=tot");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForSelector("h1:has-text('Lineage of total')");
  assert.equal(new URL(page.url()).search, "?namespace=n&name=report&field=total");
  await page.goBack();
  assert.equal(await page.inputValue("input[type=search]"), "tot");
  await page.waitForSelector("section[aria-labelledby=columns] .results a");
  await accessible();
});

test("a dataset's page", plain, async () => {
  await open({ namespace: "n", name: "raw" });
  await page.waitForSelector("section:has(h2:has-text('Fields')) td");
  const fields = await page.$$eval("section:has(h2:has-text('Fields')) tbody tr", (trs) =>
    trs.map((tr) => [...tr.querySelectorAll("td")].slice(0, 2).map((td) => td.innerText).join(" ")),
  );
  assert.deepEqual(fields, [..."abcdefgh"].map((name) => `${name} int`));
  const side = async (title) => {
    await page.waitForSelector(`section:has(h2:has-text('${title}')) li`);
    return page.$$eval(`section:has(h2:has-text('${title}')) li`, (items) => items.map((item) => item.innerText));
  };
  assert.deepEqual(await side("Made of"), ["csv n"]);
  assert.deepEqual(await side("Goes into"), ["mart n"]);
  await page.waitForSelector("text=shop.load");
  await accessible();
});

test("the graph and the table say the same", plain, async () => {
  await open(T);
  const direct = ["csv.b > raw.b identity", "mart.t > report.total identity", "raw.b > mart.t aggregation"];
  assert.deepEqual(await edges(), direct);
  await drawn(".link");
  assert.equal(await page.locator(".link.direct").count(), 3);
  assert.equal(await page.locator(".link.indirect").count(), 0);
  const heads = await page.locator(".head small").allInnerTexts();
  assert.deepEqual(heads.sort(), ["n · 1 of 2 fields", "n · 1 of 3 fields", "n · 1 of 8 fields", "n · 1 of 8 fields"]);
  await page.getByLabel("Indirect").check();
  await drawn(".link.indirect");
  assert.deepEqual(await edges(), [...direct, "csv.d > raw.d identity", "raw.d > mart.every row filter"].sort());
  assert.match(page.url(), /indirect=true/);
  await accessible();
});

test("pointing fades the rest, a click locks, Escape frees", plain, async () => {
  await open({ namespace: "n", name: "mart", view: "graph" });
  await row("raw", "c").hover();
  await page.waitForSelector(".row.faded");
  const faded = await page.locator(".row.faded").allInnerTexts();
  assert.deepEqual(faded.sort(), ["b", "b", "n", "t", "total"]);
  await row("raw", "c").click();
  await page.waitForSelector("aside h2:has-text('c')");
  assert.equal(new URL(page.url()).searchParams.get("lock"), '["n","raw","c"]');
  await page.mouse.move(5, 5);
  await page.waitForFunction(() => document.querySelectorAll(".row.faded").length === 5);
  await page.keyboard.press("Escape");
  await page.waitForSelector("aside", { state: "detached" });
  await page.waitForSelector(".row.faded", { state: "detached" });
  await page.goBack();
  await page.waitForSelector("aside h2:has-text('c')");
  await page.reload();
  await page.waitForSelector(".row.locked");
  assert.equal(await row("raw", "c").getAttribute("aria-pressed"), "true");
});

test("fields are reached and locked by keyboard", plain, async () => {
  await open(T);
  await row("mart", "t").focus();
  await page.keyboard.press("Enter");
  await page.waitForSelector("aside h2:has-text('t')");
  const made = page.locator("aside section", { hasText: "Made by" });
  await made.locator(".steps li").first().waitFor();
  const steps = await made.locator("details").first().locator("li").allInnerTexts();
  assert.deepEqual(steps.map((text) => text.replace(/\s+/g, " ")), ["READ raw b", "TRANSFORM t DIRECT AGGREGATION", "WRITE mart"]);
  await page.waitForSelector("aside >> text=Airflow DAG");
  await accessible();
});

test("depth, direction and one hop more", plain, async () => {
  await open({ ...T, direction: "upstream", depth: "1" });
  assert.deepEqual(await edges(), ["raw.b > mart.t aggregation"]);
  await page.getByLabel("One hop further upstream of raw").click();
  await page.waitForFunction(() => document.querySelectorAll("table.edges tbody tr").length > 1);
  assert.deepEqual(await edges(), ["csv.b > raw.b identity", "raw.b > mart.t aggregation"]);
  assert.match(page.url(), /expand=/);
  await page.goBack();
  await page.waitForFunction(() => document.querySelectorAll("table.edges tbody tr").length === 1);
  await page.getByLabel("More depth").click();
  await page.waitForFunction(() => document.querySelectorAll("table.edges tbody tr").length === 2);
  await page.getByLabel("Direction").selectOption("downstream");
  await page.waitForFunction(() => document.querySelector("table.edges")?.innerText.includes("report"));
  assert.deepEqual(await edges(), ["mart.t > report.total identity"]);
});

test("other times, and what has changed since", plain, async () => {
  await open({ ...T, direction: "upstream", depth: "1", at: "2026-11-20T12:20:00Z" });
  assert.deepEqual(await edges(), ["raw.a > mart.t aggregation"]);
  await open({ ...T, direction: "upstream", depth: "1", before: "2026-11-20T12:20:00Z" });
  assert.deepEqual(await edges(), ["raw.a > mart.t aggregation", "raw.b > mart.t aggregation"]);
  await drawn(".link.added");
  assert.match(await page.locator(".legend").innerText(), /new +gone/);
  assert.equal(await page.locator(".link.removed").count(), 1);
  assert.equal(await page.locator(".link.same").count(), 0);
  await page.getByRole("button", { name: "changes since then" }).first().waitFor();
  assert.equal(await page.locator(".timeline li").count(), 2);
});

test("the impact, and datasets instead of fields", plain, async () => {
  await open({ namespace: "n", name: "raw", field: "b" });
  await page.waitForSelector("section[aria-labelledby=impact] tbody tr");
  const rows = await page.locator("section[aria-labelledby=impact] tbody tr").allInnerTexts();
  assert.deepEqual(rows.map((text) => text.split(/\s+/).join(" ")), ["1 mart t shop.mart", "2 report total shop.report"]);
  await open({ namespace: "n", name: "raw", view: "graph", level: "dataset" });
  await drawn(".link");
  assert.equal(await page.locator(".box").count(), 4);
});

test("what is drawn can be taken away", plain, async () => {
  await open(T);
  await edges();
  await drawn(".link");
  const taken = async (name) => {
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator(".exports").getByText(name, { exact: true }).click()]);
    return readFileSync(await download.path());
  };
  assert.equal((await taken("PNG")).subarray(1, 4).toString(), "PNG");
  assert.match((await taken("SVG")).toString(), /^<svg .*total.*<\/svg>$/s);
  assert.match((await taken("Mermaid")).toString(), /^(flowchart|graph) /m);
  assert.equal((await taken("CSV")).toString().trim().split("\n").length, 4);
  assert.equal(JSON.parse((await taken("JSON")).toString()).edges.length, 3);
});

test("what an Airflow task wrote", plain, async () => {
  await open({ dag_id: "shop", task_id: "{TASK_ID}" });
  await page.waitForSelector("h1:has-text('DAG shop writes')");
  await page.waitForSelector(".results a:has-text('mart')");
  await open({ dag_id: "none" });
  await page.waitForSelector("text=No lineage is known of DAG none");
});

test("nothing, an unknown dataset, a server that fails", plain, async () => {
  await open({ namespace: "n", name: "mart", field: "n" });
  await page.waitForSelector("text=Nothing is known of where n comes from");
  await open({ namespace: "n", name: "nowhere" });
  await page.waitForSelector("[role=alert] >> text=nowhere");
  await page.route("**/api/v1/graph*", (route) => route.fulfill({ status: 500, json: { error: "The server failed; its log says why." } }));
  await open(T);
  await page.waitForSelector("[role=alert] >> text=The server failed");
  await page.unroute("**/api/v1/graph*");
  await page.getByRole("button", { name: "Try again" }).click();
  assert.equal((await edges()).length, 3);
});

test("an answer that was cut says so", plain, async () => {
  await page.route("**/api/v1/graph*", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), truncated: true, unexplored: 7 } });
  });
  await open(T);
  await page.waitForSelector("text=Truncated: 7 further fields were not followed");
});

test("dark as the system wants it, and readable", plain, async () => {
  await page.emulateMedia({ colorScheme: "dark" });
  await open({ ...T, lock: '["n","mart","t"]', indirect: "true" });
  await edges();
  await page.waitForSelector("aside .steps");
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  await accessible();
});

test("a key is asked for, and used, for files too", guarded, async () => {
  await open(T);
  await page.getByLabel("API key").first().fill(key);
  await page.getByRole("button", { name: "Use it" }).first().click();
  assert.equal((await edges()).length, 3);
  const file = page.waitForEvent("download");
  await page.locator(".exports").getByText("CSV").click();
  assert.match(readFileSync(await (await file).path(), "utf8"), /total/);
});
