// The page in Chromium, over the store of conftest.py. Run by test_page.py.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { test } from "node:test";
import { accessible, address, drawn, eachWithAPage, edges, edgesAre, eventually, here, linesSeen, more as rest, open, pictured, readable, row, screenshot, shelf, watch } from "./page.mjs";

const { COLGRAPH_KEY: key } = process.env;
const plain = { skip: Boolean(key) };
const guarded = { skip: !key };
const more = { skip: plain.skip || rest.skip };
const T = { namespace: "n", name: "mart", field: "t" };

eachWithAPage();

test("search by keyboard, and back", plain, async () => {
  await here.page.goto(`${address}/`);
  await here.page.waitForSelector(".results a");
  await here.page.keyboard.press("/");
  await here.page.keyboard.type("tot");
  await here.page.getByRole("option", { name: "All results for “tot”" }).waitFor();
  await here.page.locator("[cmdk-item][data-selected=true]", { hasText: "total" }).waitFor();
  await here.page.keyboard.press("ArrowUp"); // around: the last one is the page of all results
  await here.page.keyboard.press("Enter");
  await here.page.waitForSelector("text=No dataset's name contains “tot”.");
  assert.equal(new URL(here.page.url()).search, "?q=tot");
  await here.page.keyboard.press("Control+k");
  await here.page.locator("[cmdk-item][data-selected=true]", { hasText: "total" }).waitFor();
  await here.page.keyboard.press("Enter");
  await here.page.waitForSelector("h1:has-text('Lineage of total'):focus");
  assert.equal(new URL(here.page.url()).search, "?namespace=n&name=report&field=total");
  await here.page.goBack();
  await here.page.locator(".seek", { hasText: "tot" }).waitFor();
  await here.page.waitForSelector("section[aria-labelledby=columns] .results a");
  await accessible();
});

test("the palette finds words in any order, dataset.column, DAGs, tasks and near spellings, from every page", plain, async () => {
  const found = async (text) => {
    await here.page.locator("[cmdk-input]").fill(text);
    await here.page.getByRole("option", { name: `All results for “${text}”` }).waitFor();
    await here.page.waitForLoadState("networkidle");
    const groups = await here.page.locator("[cmdk-group]").evaluateAll((all) => all.map((group) => [
      group.querySelector("[cmdk-group-heading]").innerText, ...[...group.querySelectorAll("[cmdk-item]")].map((item) => item.innerText),
    ]));
    return Object.fromEntries(groups.map(([kind, ...items]) => [kind, items]));
  };
  for (const query of [{}, T, { namespace: "n", name: "mart" }, { dag_id: "shop" }, { ...T, view: "why" }]) {
    await open(query);
    await here.page.waitForSelector("h1");
    await here.page.waitForLoadState("networkidle");
    await here.page.keyboard.press("Control+k");
    await here.page.getByRole("dialog", { name: "Search" }).waitFor();
    await here.page.getByRole("option", { name: "Unused columns" }).waitFor();
    await here.page.keyboard.press("Escape");
    await here.page.getByRole("dialog", { name: "Search" }).waitFor({ state: "detached" }).catch(() => undefined);
  }
  await here.page.getByRole("button", { name: "Search" }).click();
  await eventually(async () => assert.deepEqual(await found("report tot"), { Columns: ["total report"] }));
  await eventually(async () => assert.deepEqual(await found("tot report"), { Columns: ["total report"] }));
  await eventually(async () => assert.deepEqual(await found("report.total"), { Columns: ["total report"] }));
  assert.deepEqual(await here.page.locator("mark").allInnerTexts(), ["total", "report"]);
  await accessible();
  await eventually(async () => assert.deepEqual(await found("mart"), { Datasets: ["mart n"], Tasks: ["mart shop"] }));
  await eventually(async () => assert.deepEqual(await found("shop"), { DAGs: ["shop"] }));
  await eventually(async () => assert.deepEqual(await found("stagign"), {}));
  await here.page.getByText("Nothing is called “stagign”. Similar names:").waitFor();
  await eventually(async () => assert.deepEqual(await found("reprot.total"), {}));
  await here.page.getByText("Nothing is called “reprot.total”. Similar names:").waitFor();
  await here.page.getByRole("option", { name: "report.total" }).waitFor();
  await eventually(async () => assert.deepEqual(await found("stagign"), {}));
  await accessible();
  await here.page.getByRole("option", { name: "staging" }).click();
  await here.page.locator("[cmdk-item][data-selected=true]", { hasText: "staging" }).waitFor();
  await found("shop");
  await here.page.getByRole("option", { name: "shop", exact: true }).click();
  await here.page.waitForSelector("h1:has-text('DAG shop writes'):focus");
});

test("a search without hits says so, and leads to similar names", plain, async () => {
  await open({ q: "stagign" });
  await here.page.waitForSelector("text=No column's name contains “stagign”.");
  await here.page.getByRole("link", { name: "staging" }).click();
  await here.page.waitForURL((url) => url.searchParams.get("q") === "staging");
  await here.page.locator("section[aria-labelledby=datasets] .results a", { hasText: "staging" }).waitFor();
  await accessible();
});

test("home: counts, what changed lately, what is used most, DAGs with their coverage, datasets by folder", plain, async () => {
  await here.page.goto(`${address}/`);
  const section = (name) => here.page.locator(`section[aria-labelledby=${name}]`);
  await section("changes").locator("li").first().waitFor();
  await here.page.waitForSelector("h1:has-text('7 datasets')");
  const changes = (await section("changes").locator("li > span").allInnerTexts()).map((text) => text.split(/\s+/).join(" "));
  assert.deepEqual(changes, [
    "report new by shop.report", "mart 1 link new, 1 link gone by shop.mart", "staging no longer written by shop.load", "raw new by shop.load",
    "wide new by shop.wide", "staging new by shop.load",
  ]);
  const used = (await section("used").locator("li").allInnerTexts()).map((text) => text.split(/\s+/).join(" "));
  assert.deepEqual(used, ["csv used by 2 datasets", "mart used by 1 dataset", "raw used by 1 dataset", "wide_source used by 1 dataset"]);
  assert.match(await section("dags").innerText(), /shop columns known of 1 of the 1 dataset it writes, lineage of 1 task may be missing/);
  await accessible();
  await section("changes").getByRole("link", { name: "1 link new, 1 link gone" }).click();
  await drawn(".link.added");
  await here.page.goBack();
  await section("dags").getByRole("link", { name: "shop" }).click();
  await here.page.waitForSelector("h1:has-text('DAG shop writes'):focus");
});

test("home asks for its lists and for its table at once", plain, async () => {
  let begin, asked = 0;
  const table = new Promise((resolve) => { begin = resolve; });
  await here.page.route("**/api/v1/dataset-summaries*", async (route) => {
    asked += 1;
    begin();
    await route.continue();
  });
  await here.page.route("**/api/v1/overview*", async (route) => {
    await table;
    await route.continue();
  });
  await here.page.goto(`${address}/`);
  await here.page.locator("table.datasets tbody tr").first().waitFor();
  assert.equal(asked, 1);
});

test("the table of datasets has the last writer, its state, coverage, uses and tags; the address keeps its filter and order", plain, async () => {
  const rows = async () => (await here.page.locator("table.datasets tbody tr").allInnerTexts()).map((text) => text.split(/\s+/).filter(Boolean).join(" "));
  const names = () => here.page.locator("table.datasets tbody td:first-child").allInnerTexts();
  const table = here.page.getByRole("region", { name: "All datasets" });
  await here.page.goto(`${address}/`);
  await table.waitFor();
  assert.deepEqual((await rows()).map((text) => text.replace(/\d+ \w+ ago|last \w+|yesterday/, "then")), [
    "csv n no known job 2 datasets", "mart n mart of shop success then 3 of 3, may be missing 1 dataset", "raw n shop.load success then 8 of 8 1 dataset piitier: gold",
    "report n shop.report success then 2 of 2", "staging n shop.load success then 1 of 1", "wide n shop.wide success then 500 of 500", "wide_source n no known job 1 dataset",
  ]);
  await accessible();
  await table.getByRole("button", { name: "Used by" }).click();
  await eventually(async () => assert.equal((await names())[0], "csv"));
  assert.equal(await table.locator("th[aria-sort=descending]").innerText(), "Used by ▼");
  await here.page.getByRole("combobox", { name: "Which datasets" }).selectOption("Lineage missing");
  await eventually(async () => assert.deepEqual(await names(), ["mart"]));
  await here.page.getByRole("combobox", { name: "Which datasets" }).selectOption("All datasets");
  await here.page.getByRole("searchbox", { name: "Filter the datasets" }).fill("gold");
  await eventually(async () => assert.deepEqual(await names(), ["raw"]));
  await table.getByRole("link", { name: "raw" }).click();
  await here.page.waitForSelector("h1:has-text('raw')");
  await here.page.goBack();
  await eventually(async () => assert.deepEqual(await names(), ["raw"]));
  assert.equal(new URL(here.page.url()).search, "?filter=gold&sort=-used_by");
  await here.page.getByRole("searchbox", { name: "Filter the datasets" }).fill("nothing");
  await here.page.getByText("No dataset matches.").waitFor();
  await accessible();
  await here.page.setViewportSize({ width: 390, height: 844 });
  await here.page.goto(`${address}/?filter=mart`);
  await here.page.getByRole("combobox", { name: "Sort by" }).waitFor();
  await table.waitFor();
  assert.ok(await here.page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
  await accessible();
});

test("a writer whose latest run failed is marked in the table of datasets", plain, async () => {
  await here.page.route("**/api/v1/dataset-summaries*", async (route) => {
    const response = await route.fetch();
    const answer = await response.json();
    const datasets = answer.datasets.map((row) => ({ ...row, columns_known: row.columns && row.columns - 1, write: row.write && { ...row.write, state: "FAIL" } }));
    await route.fulfill({ response, json: { ...answer, datasets } });
  });
  await here.page.goto(`${address}/`);
  const mart = here.page.locator("table.datasets tr", { hasText: "mart" }).first();
  await mart.locator(".state-of.failed", { hasText: "failed" }).waitFor();
  await mart.locator(".lacking", { hasText: "2 of 3" }).waitFor();
  await accessible();
  await mart.getByRole("link", { name: "mart" }).nth(1).click();
  await here.page.waitForSelector("h1:has-text('task mart of DAG shop')");
});

test("home names the tasks of a DAG whose last run failed, and leads to them", more, async () => {
  const shop = here.page.locator("section[aria-labelledby=dags] li", { hasText: "shop" });
  await here.page.goto(`${address}/`);
  await shop.waitFor();
  assert.doesNotMatch(await shop.innerText(), /failed/);
  await here.page.route("**/api/v1/overview*", async (route) => {
    const response = await route.fetch();
    const answer = await response.json();
    await route.fulfill({ response, json: { ...answer, dags: answer.dags.map((dag) => ({ ...dag, failed: ["a", "b", "mart", "x", "y"] })) } });
  });
  await here.page.reload();
  await shop.locator("strong.failed", { hasText: "last run of a, b, mart and 2 other tasks failed" }).waitFor();
  await accessible();
  await shop.getByRole("link", { name: "2 other tasks" }).click();
  await here.page.waitForSelector("h1:has-text('What DAG shop writes')");
  await here.page.goBack();
  await shop.locator("strong").getByRole("link", { name: "mart" }).click();
  await here.page.waitForSelector("h1:has-text('What task mart of DAG shop writes')");
});

test("the datasets that were opened last are on the home page and in the palette, the latest first", more, async () => {
  const listed = async () => here.page.locator("section[aria-labelledby=recent] li strong").allInnerTexts();
  const offered = () => here.page.locator("[cmdk-group]", { hasText: "Recently opened" }).locator("[cmdk-item]").allInnerTexts();
  await here.page.goto(`${address}/`);
  await here.page.locator("#changes").waitFor();
  assert.deepEqual(await listed(), []);
  for (const [query, title] of [[{ namespace: "n", name: "raw" }, "raw"], [T, "Lineage of t"], [{ namespace: "n", name: "wide", view: "unused" }, "Unused columns"], [{ namespace: "n", name: "raw" }, "raw"]]) {
    await open(query);
    await here.page.waitForSelector(`h1:has-text('${title}')`);
    await here.page.waitForLoadState("networkidle");
  }
  await open({ namespace: "n", name: "nowhere" }); // what the store does not have is not kept
  await here.page.waitForSelector("[role=alert] >> text=nowhere");
  await here.page.goto(`${address}/`);
  await here.page.locator("#recent").waitFor();
  assert.deepEqual(await listed(), ["raw", "wide", "mart"]);
  await accessible();
  await here.page.locator("section[aria-labelledby=recent]").getByRole("link", { name: "mart" }).click();
  await here.page.waitForSelector("h1:has-text('mart'):focus");
  await here.page.waitForLoadState("networkidle");
  await here.page.keyboard.press("/");
  await here.page.getByRole("option", { name: "raw n" }).waitFor();
  assert.deepEqual(await offered(), ["raw n", "wide n"]); // but for the page that is open
  await accessible();
  await here.page.getByRole("option", { name: "wide n" }).click();
  await here.page.getByText("1–50 of 500").waitFor(); // it is kept with its answer
  await here.page.evaluate(() => localStorage.setItem(Object.keys(localStorage)[0], '[["n","nowhere"],["n","raw"],3]')); // a dataset that was deleted, and what is none
  await open({ namespace: "n", name: "nowhere" });
  await here.page.waitForSelector("[role=alert] >> text=nowhere");
  await here.page.goto(`${address}/`);
  await here.page.locator("#recent").waitFor();
  assert.deepEqual(await listed(), ["raw"]);
});

test("where the browser blocks its storage the page does without", plain, async () => {
  await here.page.addInitScript(() => Object.defineProperty(window, "localStorage", { get: () => { throw new DOMException("blocked", "SecurityError"); } }));
  await open({ namespace: "n", name: "raw" });
  await here.page.getByRole("region", { name: "Columns" }).waitFor();
  await here.page.keyboard.press("/");
  await here.page.getByRole("option", { name: "Unused columns" }).waitFor();
  assert.equal(await here.page.getByText("Recently opened").count(), 0);
  await here.page.goto(`${address}/`);
  await here.page.locator("#changes").waitFor();
  assert.equal(await here.page.locator("#recent").count(), 0);
});

test("coverage of all DAGs: those that lack lineage first, with their tasks and why", plain, async () => {
  await here.page.route("**/api/v1/overview*", async (route) => {
    const response = await route.fetch();
    const answer = await response.json();
    const whole = { ...answer.dags[0], dag_id: "a_whole", lacking: 0 };
    const half = { ...whole, dag_id: "half", outputs: 4, columns: 2 };
    await route.fulfill({ response, json: { ...answer, dags: [whole, half, ...answer.dags], dag_count: 3 } });
  });
  await here.page.goto(`${address}/`);
  await here.page.getByRole("link", { name: "Coverage of all DAGs" }).click();
  await here.page.waitForSelector("h1:has-text('3 DAGs, lineage of 2 DAGs may be missing'):focus");
  assert.equal(new URL(here.page.url()).search, "?view=coverage");
  const dags = here.page.locator(".covered > li");
  assert.deepEqual(await dags.locator("a strong").allInnerTexts(), ["shop", "half", "a_whole"]);
  assert.match(await dags.nth(1).innerText(), /columns known of 2 of 4 datasets/);
  assert.equal(await here.page.locator(".gaps").count(), 0);
  await dags.first().getByText("lineage of 1 task may be missing").click();
  await dags.first().locator(".gaps li", { hasText: "mart: 2 of 14 writes have no lineage: save at etl.py:7." }).waitFor();
  await accessible();
  await dags.first().getByRole("link", { name: "shop" }).click();
  await here.page.waitForSelector("h1:has-text('DAG shop writes'):focus");
});

test("a DAG, a run and a task are compared with the previous run", plain, async () => {
  const compare = () => here.page.getByRole("button", { name: "Compare with the previous run" });
  for (const query of [{ dag_id: "shop" }, { dag_id: "shop", run_id: "manual__2" }, { dag_id: "shop", run_id: "manual__2", task_id: "mart" }]) {
    await open(query);
    await compare().click();
    await here.page.locator(".shelves .note", { hasText: "Compared with run manual__1: 1 link new, 1 link gone" }).waitFor();
    assert.equal(new URL(here.page.url()).searchParams.get("before"), "manual__1");
    await drawn(".link.added");
    await drawn(".link.removed");
    assert.deepEqual(await edges(), ["raw.a > mart.t aggregated", "raw.b > mart.t aggregated", "raw.c > mart.who computed, masked"]);
    await accessible();
    await compare().click();
    await here.page.locator(".link.removed").waitFor({ state: "detached" });
  }
  await open({ dag_id: "shop", run_id: "manual__1" }); // the first one
  await here.page.locator(".box").first().waitFor();
  await here.page.waitForLoadState("networkidle");
  assert.equal(await compare().count(), 0);
});

test("of many DAGs the latest are listed, with their number, and all can be", more, async () => {
  await here.page.route("**/api/v1/overview*", async (route) => {
    const response = await route.fetch();
    const answer = await response.json();
    const most = Number(new URL(route.request().url()).searchParams.get("dags"));
    const dags = Array.from({ length: Math.min(most, 120) }, (_, i) => ({ ...answer.dags[0], dag_id: `dag_${i}` }));
    await route.fulfill({ response, json: { ...answer, dags, dag_count: 120 } });
  });
  await here.page.goto(`${address}/`);
  const dags = here.page.locator("section[aria-labelledby=dags]");
  await dags.getByText("the latest 12 of 120").waitFor();
  assert.equal(await dags.locator("li").count(), 12);
  await dags.getByRole("button", { name: "Show all 120 DAGs" }).click();
  await eventually(async () => assert.equal(await dags.locator("li").count(), 120));
  assert.equal(await dags.getByText("the latest").count(), 0);
});

test("the datasets of a job that writes to a new path each day are one entry, with their number", plain, async () => {
  await here.page.route("**/api/v1/overview*", async (route) => {
    const response = await route.fetch();
    const answer = await response.json();
    const { changes: [first, ...rest] } = answer;
    const daily = { ...first, name: "out/day_2026-11-20", job: "daily", state: "gone", others: 1028, like: "out/day_*" };
    await route.fulfill({ response, json: { ...answer, changes: [daily, ...rest] } });
  });
  await here.page.goto(`${address}/`);
  const entry = here.page.locator("section[aria-labelledby=changes] li").first();
  await entry.waitFor();
  assert.equal((await entry.locator("> span").innerText()).split(/\s+/).join(" "), "day_2026-11-20 no longer written, and 1,028 others like it by daily");
  await accessible();
  await entry.getByRole("link", { name: "1,028 others" }).click();
  await here.page.waitForURL((url) => url.searchParams.get("q") === "out/day_");
});

test("a wide table pages and filters inside its box, and on its page", more, async () => {
  await open({ namespace: "n", name: "wide", view: "graph" });
  const box = here.page.locator(".box", { has: here.page.locator('.head[title="n wide"]') });
  await box.getByText("1–16 of 500").waitFor();
  await readable("500 columns");
  const height = (await box.boundingBox()).height;
  await box.getByLabel("Next columns of wide").click();
  await box.getByText("17–32 of 500").waitFor();
  await box.getByLabel("Filter the columns of wide").fill("_44");
  await box.getByText("1–10 of 10").waitFor();
  assert.equal((await box.boundingBox()).height, height);
  await row("n wide", "column_444").click();
  await row("n wide_source", "column_444").waitFor(); // what is lit comes first
  await box.getByLabel("Filter the columns of wide").fill("nothing");
  await box.getByText("no such column").waitFor();
  await accessible();
  await open({ namespace: "n", name: "wide" });
  await here.page.getByText("1–50 of 500").waitFor();
  await here.page.getByLabel("Filter: Columns").fill("_49");
  await here.page.getByText("1–10 of 10").waitFor();
});

test("a description, owners and tags are beside the picture too", more, async () => {
  await open({ namespace: "n", name: "raw", field: "h", lock: '["n","raw","h"]' });
  await here.page.waitForSelector("aside .about .description:has-text('When it was paid.')");
  assert.equal(await here.page.locator("aside .about .tag").innerText(), "pii");
  await accessible();
  await open({ namespace: "n", name: "raw", view: "graph", level: "dataset", lock: '["n","raw",""]' });
  await here.page.waitForSelector("aside .about >> text=Owner: team:shop (data owner)");
  assert.deepEqual(await here.page.locator("aside td .tag").allInnerTexts(), ["pii"]);
  await accessible();
});

test("what the lineage lacks is on each page of the job, and in the drawer", more, async () => {
  const mart = { namespace: "n", name: "mart" };
  const lacks = [
    "mart: 2 of 14 writes have no lineage: save at etl.py:7.",
    "mart: What 1 column is computed from is not known.",
    "mart: mart has rows that the program made itself, outside of Spark, perhaps of what it had read: orders.",
    "mart: Taken as computed from all their inputs, so some links may be too many: PythonUDF.",
  ];
  for (const query of [mart, T, { ...mart, view: "graph", level: "dataset" }, { dag_id: "shop" }, { dag_id: "shop", run_id: "manual__2", task_id: "mart" }]) {
    await open(query);
    if (query !== mart) await shelf("Lineage missing 3");
    await here.page.locator("section", { hasText: "Lineage may be missing" }).locator("li").first().waitFor();
    assert.deepEqual(await here.page.locator(".gaps li").allInnerTexts(), lacks, JSON.stringify(query));
    await accessible();
  }
  for (const query of [{ ...mart, view: "graph" }, { ...mart, view: "graph", level: "dataset" }, { dag_id: "shop" }]) { // its box has a mark
    await open(query);
    await here.page.locator(".box.lacks").getByRole("img", { name: "Lineage missing" }).and(here.page.getByTitle("mart: 2 of 14 writes have no lineage")).waitFor();
    await here.page.locator(".legend", { hasText: "lineage missing" }).waitFor();
    assert.deepEqual(await here.page.locator(".box.lacks .title").allInnerTexts(), ["mart"], JSON.stringify(query));
    await accessible();
  }
  await here.page.emulateMedia({ colorScheme: "light" });
  await here.page.setViewportSize({ width: 1100, height: 720 });
  await open({ dag_id: "shop", panel: "missing" });
  await here.page.locator(".gaps li").first().waitFor();
  await pictured("lacks");
  await open({ dag_id: "shop", lock: '["n","mart",""]' });
  await here.page.locator("aside .gaps li").first().waitFor();
  assert.deepEqual(await here.page.locator("aside .gaps li").allInnerTexts(), lacks);
  await accessible();
  const [early, late] = ["2026-11-20T12:20:00Z", "2026-11-20T12:40:00Z"]; // the second run lacks it
  for (const query of [{ ...T, at: late }, { ...T, end: late }, { ...T, before: early }]) {
    await open({ ...query, panel: "missing" });
    await here.page.locator(".gaps li").first().waitFor();
    assert.deepEqual(await here.page.locator(".gaps li").allInnerTexts(), lacks, JSON.stringify(query));
    assert.equal(await here.page.locator(".gaps h2").innerText(), `Lineage may be missing${query.before ? " after" : ""}`);
    await accessible();
  }
  await open({ ...T, before: late, at: early, panel: "missing" });
  await here.page.locator(".gaps h2", { hasText: "Lineage may be missing before" }).waitFor();
  assert.equal(await here.page.locator(".gaps h2").count(), 1);
  for (const query of [{ namespace: "n", name: "raw" }, { dag_id: "shop", run_id: "manual__1" }, { ...T, at: early }]) { // those lack nothing
    await open(query);
    await here.page.waitForLoadState("networkidle");
    assert.equal(await here.page.locator(".gaps, .shelves .warns, .box.lacks").count(), 0);
  }
});

test("lineage that is missing is marked on a run's boxes, tasks and rows, with the task and the reason", plain, async () => {
  const run = { dag_id: "shop", run_id: "manual__2" };
  for (const query of [run, { ...run, task_id: "mart" }, { ...run, level: "task" }]) {
    await open(query);
    const line = here.page.locator("p.warning", { hasText: "Lineage of task mart may be missing: 2 of 14 writes have no lineage: save at etl.py:7." });
    await line.waitFor();
    const marks = here.page.locator(".box.lacks").getByRole("img", { name: "Lineage missing" });
    await eventually(async () => assert.equal(await marks.count(), query.level ? 2 : 1)); // the dataset and, as a box, the task
    assert.match(await marks.first().getAttribute("title"), /^mart: 2 of 14 .*\nmart: What 1 column /);
    await accessible();
    await line.getByRole("button", { name: "All 3 reasons" }).click();
    await here.page.locator("#shelf .gaps li").first().waitFor();
  }
  await open({ ...run, panel: "runs" });
  await here.page.locator("#shelf tbody td", { hasText: "mart ⚠ lineage missing" }).waitFor();
  await here.page.setViewportSize({ width: 400, height: 720 }); // in the list there is nothing to point at
  await here.page.locator(".lineage-list .lacking", { hasText: "mart: What 1 column is computed from is not known." }).waitFor();
  await accessible();
  await here.page.setViewportSize({ width: 1300, height: 900 });
  await here.page.route("**/api/v1/fields?*", async (asked) => { // one that is in the schema only
    const response = await asked.fetch();
    const answer = await response.json();
    await asked.fulfill({ response, json: { ...answer, fields: [...answer.fields, { ...answer.fields[0], name: "lost" }] } });
  });
  await open({ namespace: "n", name: "mart" });
  const columns = here.page.getByRole("region", { name: "Columns" }).locator("tbody tr");
  await columns.filter({ hasText: "lost" }).getByText("⚠ no known source: lineage of mart may be missing").waitFor();
  assert.equal(await columns.locator(".lacking").count(), 1); // n is known to be a constant
  const writes = here.page.getByRole("region", { name: "Written by" }).locator("tbody tr");
  await writes.first().getByText("⚠ lineage missing").waitFor();
  assert.equal(await here.page.getByText("lineage missing").count(), 1); // not of the run before
  await accessible();
  await here.page.unroute("**/api/v1/fields?*");
  await open({ dag_id: "shop", run_id: "manual__1" });
  await here.page.locator(".box").first().waitFor();
  await here.page.waitForLoadState("networkidle");
  assert.equal(await here.page.locator(".lacks, .lacking").count(), 0);
});

test("at a past time and in a comparison boxes and runs are marked by what was reported until then", more, async () => {
  const [early, late] = ["2026-11-20T12:20:00Z", "2026-11-20T12:40:00Z"]; // the second run lacks something
  const marks = here.page.locator(".box.lacks").getByRole("img", { name: "Lineage missing" });
  const run = { dag_id: "shop", level: "field" };
  for (const [query, when] of [
    [{ ...T, at: late }, ""], [{ ...T, end: late }, ""], [{ ...T, before: early }, "After: "], [{ ...T, before: early, at: late }, "After: "], [{ ...T, before: late, at: early }, "Before: "],
    [{ ...run, run_id: "manual__2", before: "manual__1" }, "After: "], [{ ...run, run_id: "manual__1", before: "manual__2" }, "Before: "],
  ]) {
    await open(query);
    await marks.first().waitFor();
    assert.match(await marks.first().getAttribute("title"), new RegExp(`^${when}mart: 2 of 14 .*\n${when}mart: What 1 column `), JSON.stringify(query));
    assert.deepEqual(await here.page.locator(".box.lacks .title").allInnerTexts(), ["mart"], JSON.stringify(query));
    await accessible();
  }
  await open({ ...T, at: early });
  await here.page.locator(".box").first().waitFor();
  await here.page.waitForLoadState("networkidle");
  assert.equal(await marks.count(), 0);
  const written = async (at) => {
    await open({ namespace: "n", name: "mart", view: "graph", level: "dataset", at, panel: "runs" });
    const rows = here.page.locator("#shelf tbody tr");
    await rows.first().waitFor();
    await here.page.waitForLoadState("networkidle");
    return (await rows.allInnerTexts()).map((text) => text.includes("lineage missing"));
  };
  assert.deepEqual(await written(late), [true, false]);
  assert.deepEqual(await written(early), [false, false]);
});

test("a line about missing lineage that comes late moves no box", more, async () => {
  await watch();
  await here.page.route("**/api/v1/gaps*", async (asked) => {
    await here.page.locator(".react-flow__viewport .box").first().waitFor({ timeout: 3000 }).catch(() => null); // a picture that does not wait
    await asked.continue();
  });
  await open({ dag_id: "shop", run_id: "manual__2" });
  await here.page.locator("p.warning.lacks").waitFor();
  await readable("a late line about missing lineage");
});

test("what an answer of 2 MB has no room for is counted where it would be", more, async () => {
  const cut = (route, count) => here.page.route(`**/api/v1/${route}?*`, async (asked) => {
    const response = await asked.fetch();
    await asked.fulfill({ response, json: { ...(await response.json()), truncated: true, left_out: count } });
  });
  const told = async (text, where = here.page) => {
    await where.locator(".warning[role=status]", { hasText: text }).first().waitFor();
    await accessible();
  };
  await cut("fields", 1234);
  await open({ namespace: "n", name: "raw" });
  await told("1,234 columns more than an answer of 2 MB has room for.");
  await here.page.unroute("**/api/v1/fields?*");
  await cut("operations", 1);
  await cut("history", 2);
  await open({ ...T, lock: '["n","mart","t"]' });
  await told("1 job more than an answer of 2 MB has room for.", here.page.locator("aside"));
  await shelf("History");
  await told("2 earlier versions more than an answer of 2 MB has room for.");
  await cut("copies", 3);
  await open({ ...T, view: "copies" });
  await told("3 columns more than an answer of 2 MB has room for.");
  await cut("why", 4);
  await open({ ...T, view: "why", before: "2026-11-20T12:20:00Z" });
  await told("4 changes more than an answer of 2 MB has room for.");
  await here.page.route("**/api/v1/tasks?*", async (asked) => {
    const response = await asked.fetch();
    await asked.fulfill({ response, json: { ...(await response.json()), outputs_left_out: 5 } });
  });
  await open({ dag_id: "shop", panel: "runs" });
  await here.page.getByText("An answer of 2 MB has no room for 5 of them.").waitFor();
  await here.page.getByRole("heading", { name: "Written datasets 6" }).waitFor();
  await accessible();
});

test("a dataset's page", plain, async () => {
  await open({ namespace: "n", name: "raw" });
  await here.page.waitForSelector("section:has(h2:has-text('Columns')) td");
  const fields = await here.page.$$eval("section:has(h2:has-text('Columns')) tbody tr", (trs) =>
    trs.map((tr) => [...tr.querySelectorAll("td")].slice(0, 2).map((td) => td.innerText).join(" ")),
  );
  assert.deepEqual(fields, [...[..."abcdefg"].map((name) => `${name} int`), "h pii\nWhen it was paid. int"]);
  const uses = async (column) => {
    const row = here.page.getByRole("region", { name: "Columns" }).locator("tbody tr", { has: here.page.getByRole("link", { name: column, exact: true }) });
    await row.locator(".sign").waitFor();
    return [await row.locator(".sign").getAttribute("aria-label"), ...(await row.locator("td").evaluateAll((tds) => tds.slice(2, 4).map((td) => td.innerText.trim())))];
  };
  assert.deepEqual(await uses("b"), ["copied", "csv.b", "1 column"]);
  assert.deepEqual(await uses("d"), ["copied", "csv.d", "rows of 1 dataset"]);
  assert.deepEqual(await uses("h"), ["copied", "csv.h", "no known use"]);
  const about = await here.page.locator(".about").innerText(); // as the events had it
  assert.deepEqual(about.split("\n").filter(Boolean), ["Orders as they arrive.", "Owner: team:shop (data owner)", "tier: gold"]);
  const side = async (title) => {
    await here.page.waitForSelector(`section:has(h2:has-text('${title}')) li`);
    return here.page.$$eval(`section:has(h2:has-text('${title}')) li`, (items) => items.map((item) => item.innerText));
  };
  assert.deepEqual(await side("Computed from"), ["csv n"]);
  assert.deepEqual(await side("Used by"), ["mart n"]);
  await here.page.waitForSelector("section:has(h2:has-text('Written by')) >> text=shop.load");
  await accessible();
  await open({ namespace: "n", name: "mart" });
  const runs = here.page.locator("section", { hasText: "Written by" }).locator("tbody tr");
  await runs.first().waitFor();
  assert.deepEqual(await runs.locator("td:last-child").allInnerTexts(), ["what changed", ""]);
  const link = runs.first().getByRole("link", { name: "manual__2" });
  assert.equal(await link.getAttribute("href"), "http://airflow.test/dags/shop/runs/manual__2/tasks/mart");
  await runs.first().getByRole("link", { name: "what changed" }).click();
  await drawn(".link.added");
  assert.match(here.page.url(), /before=.*at=|at=.*before=/);
});

test("the graph and the table say the same", plain, async () => {
  await open(T);
  const direct = ["csv.b > raw.b copied", "mart.t > report.total copied", "raw.b > mart.t aggregated"];
  assert.deepEqual(await edges(), direct);
  await drawn(".link");
  assert.equal(await here.page.locator(".link.direct").count(), 3);
  assert.equal(await here.page.locator(".link.indirect").count(), 0);
  const heads = await here.page.locator(".head small").allInnerTexts();
  assert.deepEqual(heads.sort(), ["n · 1 of 2 columns", "n · 1 of 8 columns", "n · 1 of 8 columns", "⚠ n · 1 of 3 columns"]);
  await here.page.getByLabel("Rows").check();
  await drawn(".link.indirect");
  assert.deepEqual(await edges(), [...direct, "csv.d > raw.d copied", "raw.d > mart.all rows filter"].sort());
  assert.match(here.page.url(), /indirect=true/);
  await accessible();
  await row("n mart", "t").click(); // what is lit is explained
  await here.page.getByText("All rows are filtered by raw.d in shop.mart").waitFor();
  assert.deepEqual((await here.page.locator(".what").allInnerTexts()).sort(), ["aggregated", "filter"]);
  await row("n raw", "d").click();
  await here.page.locator("aside section", { hasText: "Decides on" }).getByText("all rows of mart").waitFor();
});

test("in a cycle each link counts once, in the picture, the table and its title", plain, async () => {
  await here.page.route("**/api/v1/graph?*", async (asked) => { // as of a dataset that reads itself: each edge is met both ways
    const response = await asked.fetch();
    const answer = await response.json();
    const { input, direction } = answer.edges;
    const other = (way) => (way === "upstream" ? "downstream" : "upstream");
    const twice = Object.fromEntries(Object.entries(answer.edges).map(([key, some]) => [key, [...some, ...(key === "direction" ? direction.map(other) : some)]]));
    assert.equal(twice.input.length, 2 * input.length);
    await asked.fulfill({ response, json: { ...answer, edges: twice } });
  });
  await open({ ...T, depth: "1" });
  await drawn(".link");
  await here.page.locator(".shelves .note", { hasText: "2 links" }).waitFor();
  await shelf("Table 2");
  await here.page.getByRole("heading", { name: "As a table 2 of 2 links" }).waitFor();
  assert.equal(await here.page.locator("table.edges tbody tr").count(), 2);
});

test("pointing fades the rest, a click locks, Escape frees", more, async () => {
  await open({ namespace: "n", name: "mart", view: "graph" });
  await eventually(async () => { // a better layout may come and move the box away
    await row("n raw", "c").hover();
    const faded = await here.page.locator(".row.faded").allInnerTexts();
    assert.deepEqual(faded.sort(), ["b", "b", "n", "t", "total"]);
  });
  await row("n raw", "c").click();
  await here.page.waitForSelector("aside h2:has-text('c')");
  assert.equal(new URL(here.page.url()).searchParams.get("lock"), '["n","raw","c"]');
  await here.page.mouse.move(5, 5);
  await here.page.waitForFunction(() => ["b", "n", "t"].every((name) => document.querySelector(`.row.faded[data-field="${name}"]`)));
  await here.page.keyboard.press("Escape");
  await here.page.waitForSelector("aside", { state: "detached" });
  await here.page.waitForSelector(".row.faded", { state: "detached" });
  await here.page.goBack();
  await here.page.waitForSelector("aside h2:has-text('c')");
  await here.page.reload();
  await here.page.waitForSelector(".row.locked");
  assert.equal(await row("n raw", "c").getAttribute("aria-pressed"), "true");
});

test("fields are reached and locked by keyboard", plain, async () => {
  await open(T);
  await row("n mart", "t").focus();
  await here.page.keyboard.press("Enter");
  await here.page.waitForSelector("aside h2:has-text('t')");
  const made = here.page.locator("aside section", { hasText: "Computed by" });
  await made.locator(".steps li").first().waitFor();
  const steps = await made.locator("details").first().locator(".steps li").allInnerTexts();
  assert.deepEqual(steps.map((text) => text.replace(/\s+/g, " ")), ["READ raw b", "TRANSFORM t aggregated", "WRITE mart"]);
  await here.page.waitForSelector("aside >> text=Airflow DAG");
  await accessible();
});

test("the picture is moved by keyboard, and fields are pinned beside each other", more, async () => {
  await open(T);
  await drawn(".link");
  await here.page.waitForLoadState("networkidle");
  const place = () => here.page.locator(".react-flow__viewport").evaluate((one) => one.style.transform);
  await here.page.locator(".canvas").focus();
  const before = await place();
  await here.page.keyboard.press("ArrowRight");
  await here.page.waitForFunction((was) => document.querySelector(".react-flow__viewport").style.transform !== was, before);
  const moved = await place(); // the wheel scrolls a page that is longer than the window, and zooms only with Ctrl
  const zoom = () => here.page.locator(".react-flow__viewport").evaluate((one) => new DOMMatrix(getComputedStyle(one).transform).a);
  await here.page.setViewportSize({ width: 1300, height: 300 });
  await here.page.locator(".canvas").hover({ position: { x: 20, y: 150 } }); // below the header, which stays
  await here.page.mouse.wheel(0, 120);
  await here.page.waitForFunction(() => window.scrollY > 0);
  assert.equal(await place(), moved);
  await here.page.setViewportSize({ width: 1300, height: 900 }); // all is in the window: it moves the picture
  const was = await zoom();
  await here.page.locator(".canvas").hover({ position: { x: 20, y: 20 } });
  await eventually(async () => {
    await here.page.mouse.wheel(0, 60);
    assert.notEqual(await place(), moved);
  });
  assert.deepEqual([await zoom(), await here.page.evaluate(() => window.scrollY)], [was, 0]);
  await here.page.keyboard.down("Control");
  await here.page.mouse.wheel(0, -120);
  await eventually(async () => assert.ok((await zoom()) > was));
  await here.page.keyboard.up("Control");
  await here.page.getByLabel("Pin another column").selectOption("who");
  await edgesAre(6);
  await here.page.waitForSelector("h1:has-text('Lineage of t, who')");
  await here.page.getByRole("button", { name: "Unpin t" }).click();
  await edgesAre(3);
  assert.deepEqual(new URL(here.page.url()).searchParams.getAll("field"), ["who"]);
});

test("fields of different datasets are pinned together", more, async () => {
  await open({ ...T, direction: "upstream", depth: "1" });
  assert.deepEqual(await edges(), ["raw.b > mart.t aggregated"]);
  await row("n raw", "b").click();
  await here.page.getByRole("button", { name: "Pin it too" }).click();
  await here.page.waitForSelector("h1:has-text('Lineage of t, b')");
  await edgesAre(2);
  assert.deepEqual(await edges(), ["csv.b > raw.b copied", "raw.b > mart.t aggregated"]);
  assert.deepEqual(new URL(here.page.url()).searchParams.getAll("pin"), ['["n","raw","b"]']);
  assert.equal(await here.page.getByRole("button", { name: "Pin it too" }).count(), 0);
  await accessible();
  await here.page.getByRole("button", { name: "Unpin t" }).click();
  await here.page.waitForSelector("h1:has-text('Lineage of b')");
  assert.deepEqual(await edges(), ["csv.b > raw.b copied"]);
  await here.page.goBack();
  await edgesAre(2);
});

test("depth, direction and one hop more", plain, async () => {
  await open({ ...T, direction: "upstream", depth: "1" });
  assert.deepEqual(await edges(), ["raw.b > mart.t aggregated"]);
  await here.page.getByLabel("One hop further upstream of raw").click();
  await edgesAre(2);
  assert.deepEqual(await edges(), ["csv.b > raw.b copied", "raw.b > mart.t aggregated"]);
  assert.match(here.page.url(), /expand=/);
  await here.page.goBack();
  await edgesAre(1);
  await here.page.getByLabel("More depth").click();
  await edgesAre(2);
  await here.page.getByLabel("Direction").selectOption("downstream");
  await here.page.waitForFunction(() => document.querySelector("table.edges")?.innerText.includes("report"));
  assert.deepEqual(await edges(), ["mart.t > report.total copied"]);
});

test("another time, and the difference of two runs in three colours", more, async () => {
  await open({ ...T, direction: "upstream", depth: "1", at: "2026-11-20T12:20:00Z" });
  assert.deepEqual(await edges(), ["raw.a > mart.t aggregated"]);
  await open({ namespace: "n", name: "mart", view: "graph", direction: "upstream", depth: "1" });
  await edgesAre(2);
  await here.page.locator(".times summary").click();
  await here.page.getByLabel("Time").selectOption("compare");
  await here.page.getByLabel("from run").locator("option", { hasText: "manual__1" }).waitFor({ state: "attached" });
  const times = await here.page.getByLabel("from run").locator("option").evaluateAll((all) => all.map((one) => one.value));
  await here.page.getByLabel("from run").selectOption(times[2]);
  await here.page.getByLabel("to run").selectOption(times[1]);
  await edgesAre(3);
  assert.deepEqual(await edges(), ["raw.a > mart.t aggregated", "raw.b > mart.t aggregated", "raw.c > mart.who computed, masked"]);
  for (const kind of ["added", "removed", "same"]) {
    await drawn(`.link.${kind}`);
    assert.equal(await here.page.locator(`.link.${kind}`).count(), 1, kind);
  }
  const colours = await here.page.$$eval(".link", (lines) => lines.map((line) => getComputedStyle(line).stroke));
  assert.equal(new Set(colours).size, 3);
  assert.match(await here.page.locator(".legend").innerText(), /new\s+gone\s+changed/);
  await here.page.locator(".shelves .note", { hasText: "1 link new, 1 link gone in mart" }).waitFor();
  await shelf("Changes");
  await here.page.locator(".changes").getByText("1 link new, 1 link gone in mart").waitFor();
  await here.page.locator(".changes .run a").nth(1).waitFor();
  assert.deepEqual(await here.page.locator(".changes .run a").allInnerTexts(), ["manual__1", "manual__2"]);
  await here.page.locator(".changes li", { hasText: "sources changed t raw.a → raw.b" }).waitFor();
  await pictured("difference");
  assert.match(await row("n mart", "t").getAttribute("class"), /changed/);
  for (const name of ["a", "b"]) assert.match(await row("n raw", name).getAttribute("class"), /same/); // both were there before
  await accessible();
});

test("a field's history as a timeline", plain, async () => {
  await open({ ...T, direction: "upstream", depth: "1", panel: "history" });
  const chapters = here.page.locator(".timeline li");
  await chapters.nth(1).waitFor();
  assert.match(await chapters.nth(0).innerText(), /shop.mart, 1 run: a \(aggregated\)/);
  await chapters.nth(0).getByRole("button").first().click();
  await here.page.waitForSelector(".timeline li.chosen");
  assert.deepEqual(await edges(), ["raw.a > mart.t aggregated"]);
  await shelf("History");
  await chapters.nth(1).getByRole("button", { name: "what changed" }).click();
  await edgesAre(2);
  await shelf("History");
  await here.page.getByRole("button", { name: "Back to now" }).click();
  await edgesAre(1);
  assert.deepEqual(await edges(), ["raw.b > mart.t aggregated"]);
});

test("operations of each distinct shape and of a time, with their runs and links to Airflow", plain, async () => {
  const lock = '["n","mart","t"]';
  await open({ ...T, lock });
  const made = here.page.locator("aside section", { hasText: "Computed by" });
  await made.locator("details").nth(1).waitFor();
  assert.deepEqual(await made.locator("summary").allInnerTexts(), ["shop.mart", "shop.mart until Nov 20, 2026, 12:15:00 PM"]);
  const links = await made.locator("a", { hasText: "manual__" }).evaluateAll((all) => all.map((a) => a.getAttribute("href")));
  assert.deepEqual(links, [2, 1].map((n) => `http://airflow.test/dags/shop/runs/manual__${n}/tasks/mart`));
  await open({ ...T, lock, at: "2026-11-20T12:20:00Z" });
  await here.page.waitForSelector("aside >> text=As of");
  await made.locator(".steps li").first().waitFor();
  assert.equal(await made.locator("details").count(), 1);
  assert.match(await made.innerText(), /READ raw a/);
});

test("the impact, and datasets instead of fields", more, async () => {
  await open({ namespace: "n", name: "raw", field: "b", panel: "impact" });
  await here.page.waitForSelector("section[aria-labelledby=impact] tbody tr");
  const rows = await here.page.locator("section[aria-labelledby=impact] tbody tr").allInnerTexts();
  assert.deepEqual(rows.map((text) => text.split(/\s+/).join(" ")), ["1 mart t shop.mart direct", "2 report total shop.report direct"]);
  await here.page.waitForSelector("h2:has-text('2 direct')");
  await open({ namespace: "n", name: "raw", view: "graph", level: "dataset" });
  await drawn(".link");
  assert.equal(await here.page.locator(".box").count(), 4);
  await here.page.waitForSelector("text=/^4 datasets, 3 links$/");
  await here.page.locator(".box .chip", { hasText: "mart" }).locator(".state-sign.success").waitFor();
  await linesSeen("datasets");
  await here.page.getByRole("button", { name: "Dataset mart" }).click(); // a click opens its columns
  const columns = here.page.getByRole("region", { name: "Columns of mart" }).locator("tr");
  await columns.first().waitFor();
  assert.deepEqual(await columns.allInnerTexts(), ["n\t", "t\t", "who\t"]);
  await here.page.keyboard.press("Escape");
  await here.page.getByLabel("Level").selectOption("task"); // tasks are boxes of their own
  await here.page.waitForSelector("text=/^4 datasets, 3 tasks, 3 links$/");
  await readable("tasks");
  await accessible();
  await here.page.getByRole("link", { name: "Written by task mart of DAG shop: success" }).click();
  await here.page.waitForSelector("h1:has-text('Task mart of DAG shop writes')");
});

test("a task's last state is told by sign, colour and name", plain, async () => {
  const states = { "shop.load": "FAIL", "shop.mart": "RUNNING" };
  await here.page.route("**/api/v1/latest-runs*", async (route) => { // the graph has the runs that reported it
    const response = await route.fetch();
    const answer = await response.json();
    for (const run of answer.runs) Object.assign(run, { state: states[run.job] ?? run.state, attempt: run.job === "shop.load" ? 3 : 1 });
    await route.fulfill({ response, json: answer });
  });
  await open({ namespace: "n", name: "raw", view: "graph", level: "dataset" });
  await here.page.getByRole("link", { name: "Written by task mart of DAG shop: running" }).waitFor();
  const signs = await here.page.locator(".box .chip").evaluateAll((chips) =>
    chips.map((chip) => [chip.innerText.trim(), getComputedStyle(chip.firstChild, "::before").content, getComputedStyle(chip.firstChild).color]),
  );
  assert.deepEqual(signs.map((one) => one.slice(0, 2)).sort(), [["mart", '"…"'], ["shop.load", '"✗"'], ["shop.report", '"✓"']]);
  assert.equal(new Set(signs.map((one) => one[2])).size, 3);
  await accessible();
});

test("what is drawn can be taken away", more, async () => {
  await open(T);
  await edges();
  await drawn(".link");
  const taken = async (name) => {
    await here.page.locator(".exports summary").click();
    const [download] = await Promise.all([here.page.waitForEvent("download"), here.page.locator(".exports").getByText(name, { exact: true }).click()]);
    assert.match(download.suggestedFilename(), /^mart\.t-lineage-\d{4}-\d\d-\d\d\.\w+$/);
    return readFileSync(await download.path());
  };
  await here.page.locator(".exports summary").click(); // the menu closes when it is left, and by Escape
  await here.page.locator(".exports").getByText("CSV").waitFor();
  await accessible();
  await here.page.keyboard.press("Escape");
  await here.page.locator(".exports:not([open]) summary:focus").waitFor();
  await here.page.keyboard.press("Enter");
  await here.page.locator(".exports[open]").waitFor();
  await here.page.getByRole("heading", { level: 1 }).click();
  await here.page.locator(".exports:not([open])").waitFor();
  assert.equal((await taken("PNG")).subarray(1, 4).toString(), "PNG");
  const picture = (await taken("SVG")).toString();
  assert.match(picture, /^<svg .*Lineage of t of mart.*As of .*total.*dashed: conditions.*<\/svg>$/s);
  await here.page.setContent(picture); // alone, without the page's own markers
  await screenshot(here.page, "a picture that was taken away");
  const heads = await here.page.evaluate(() => [...document.querySelectorAll("path[marker-end]")].map((line) => document.querySelector(line.getAttribute("marker-end").slice(4, -1)) !== null));
  assert.deepEqual(heads, [true, true, true]);
  await open(T);
  await drawn(".link");
  assert.match((await taken("Mermaid")).toString(), /^(flowchart|graph) /m);
  assert.equal((await taken("CSV")).toString().trim().split("\n").length, 4);
  assert.equal(JSON.parse((await taken("JSON")).toString()).edges.length, 3);
});

test("what a DAG, a DAG run and a task of it wrote", plain, async () => {
  const was = "raw.a > mart.t aggregated";
  const masked = "raw.c > mart.who computed, masked";
  for (const [query, title, expected] of [
    [{ dag_id: "shop", task_id: "{TASK_ID}" }, "DAG shop writes", ["raw > mart"]],
    [{ dag_id: "shop", level: "field" }, "DAG shop writes", ["raw.b > mart.t aggregated", masked]],
    [{ dag_id: "shop", run_id: "manual__1", level: "field" }, "DAG shop writes", [was, masked]],
    [{ dag_id: "shop", run_id: "manual__1", task_id: "mart", map_index: "{MAP_INDEX}" }, "Task mart of DAG shop writes", [was, masked]],
  ]) {
    await open(query);
    await here.page.waitForSelector(`h1:has-text('${title}')`);
    assert.deepEqual(await edges(), expected);
  }
  await here.page.getByLabel("One hop further upstream of raw").click();
  await edgesAre(4);
  assert.deepEqual(await edges(), ["csv.a > raw.a copied", "csv.c > raw.c copied", was, masked]);
  assert.match(here.page.url(), /expand=/);
  await here.page.goBack();
  await edgesAre(2);
  await row("n mart", "t").click();
  await here.page.waitForSelector("aside >> text=As of");
  await here.page.getByRole("link", { name: "manual__1" }).first().waitFor();
  await accessible();
  await open({ dag_id: "none" });
  await here.page.waitForSelector("text=No lineage is known of DAG none: DAG 'none' is not in the store. DAGs: shop.");
});

test("a graph that is too large to read is one picture, and a dataset of it is come nearer to", more, async () => {
  await open({ namespace: "n", name: "mart", view: "graph" });
  await drawn(".link");
  const out = here.page.getByRole("button", { name: "Zoom Out" });
  while (!(await here.page.locator(".overview").count())) await out.click();
  assert.equal(await here.page.locator(".box, .link").count(), 0);
  const painted = await here.page.locator(".overview").evaluate((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return data.some((value) => value > 0);
  });
  assert.ok(painted);
  await screenshot(here.page, "overview");
  await accessible();
  const near = here.page.getByRole("button", { name: "Come nearer to raw" });
  const zoom = () => here.page.locator(".react-flow__viewport").evaluate((one) => new DOMMatrix(getComputedStyle(one).transform).a);
  const { x, y, width, height } = await near.boundingBox();
  const before = await zoom();
  await here.page.mouse.move(x + width / 2, y + height / 2); // what is dragged along is no click
  await here.page.mouse.down();
  for (let i = 1; i <= 10; i += 1) await here.page.mouse.move(x + width / 2 + 6 * i, y + height / 2 + 2 * i);
  await here.page.mouse.up();
  await near.evaluate((one, at) => { // nor is one that the browser sends late
    one.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true, clientX: at, clientY: 0 }));
    one.dispatchEvent(new MouseEvent("click", { bubbles: true, detail: 1, clientX: at + 60, clientY: 20 }));
  }, x);
  await here.page.waitForTimeout(400);
  assert.equal(await zoom(), before);
  assert.equal(await here.page.locator(".overview").count(), 1);
  await here.page.setViewportSize({ width: 500, height: 900 }); // as when it is printed: a list, and then the picture as it was
  await here.page.getByLabel("Lineage as a list").waitFor();
  await here.page.setViewportSize({ width: 1300, height: 900 });
  await here.page.locator(".overview").waitFor();
  assert.equal(await zoom(), before);
  await near.focus();
  await here.page.keyboard.press("Enter");
  await row("n raw", "b").waitFor();
});

test("on a narrow screen the start can be read, and nothing is wider than the page", more, async () => {
  await here.page.setViewportSize({ width: 340, height: 700 });
  for (const query of [{}, { q: "a" }, { namespace: "n", name: "mart" }, T, { ...T, lock: '["n","mart","t"]' }, { ...T, before: "2026-11-20T12:20:00Z" }, { dag_id: "shop" }]) {
    await open(query);
    await here.page.waitForSelector("h1");
    await here.page.waitForFunction(() => !document.querySelector(".bar"));
    assert.ok(await here.page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), JSON.stringify(query));
  }
  await open(T); // a list instead of the picture, and each row of a table below its own heading
  const list = here.page.getByLabel("Lineage as a list");
  await list.getByText("Lineage missing").waitFor(); // the reasons come after the list
  const items = (await list.locator("> li").allInnerTexts()).map((text) => text.split(/\s+/).join(" ").replace(/(Lineage missing)\..* (?=t ←)/, "$1 "));
  assert.deepEqual(items, [
    "csv 2 hops upstream b", "raw 1 hop upstream shop.load b ← csv.b (= copied)", "mart mart ⚠ Lineage missing t ← raw.b (Σ aggregated)",
    "report 1 hop downstream shop.report total ← mart.t (= copied)",
  ]);
  assert.equal(await here.page.locator(".canvas").count(), 0);
  await accessible();
  await list.getByRole("button", { name: "t", exact: true }).click();
  await here.page.waitForSelector("aside >> text=Computed by");
  assert.ok(await here.page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
});

test("below a path, behind a proxy", plain, async () => {
  const proxy = createServer((asked, answer) => {
    if (!asked.url.startsWith("/team/lineage/")) return answer.writeHead(404).end();
    const on = request(`${address}${asked.url.slice("/team/lineage".length)}`, { method: asked.method, headers: asked.headers }, (given) => {
      answer.writeHead(given.statusCode, given.headers);
      given.pipe(answer);
    });
    return asked.pipe(on);
  });
  await new Promise((ready) => proxy.listen(0, "127.0.0.1", ready));
  try {
    await open(T, `http://127.0.0.1:${proxy.address().port}/team/lineage`);
    assert.equal((await edges()).length, 3);
    await drawn(".link");
    await here.page.locator(".crumbs a").click();
    await here.page.waitForSelector("h1:has-text('mart')");
    assert.equal(new URL(here.page.url()).pathname, "/team/lineage/");
    await here.page.reload();
    await here.page.waitForSelector("h1:has-text('mart')");
  } finally {
    proxy.closeAllConnections();
    proxy.close();
  }
});

test("waiting, nothing, an unknown dataset, a server that fails", plain, async () => {
  let release;
  const held = new Promise((resolve) => (release = resolve));
  await here.page.route("**/api/v1/graph*", async (route) => {
    await held;
    await route.continue();
  });
  await open(T);
  await here.page.waitForSelector(".canvas >> text=Loading the lineage");
  await screenshot(here.page, "waiting");
  await accessible();
  release();
  assert.equal((await edges()).length, 3);
  await here.page.unroute("**/api/v1/graph*");
  await open({ namespace: "n", name: "mart", field: "n" });
  await here.page.waitForSelector("text=Nothing is known upstream or downstream of n");
  await screenshot(here.page, "nothing");
  await accessible();
  await open({ namespace: "n", name: "nowhere" });
  await here.page.waitForSelector("[role=alert] >> text=nowhere");
  assert.equal(await here.page.getByRole("alert").count(), 1);
  await screenshot(here.page, "unknown");
  await accessible();
  await here.page.getByRole("link", { name: "Search for it" }).click();
  await here.page.waitForSelector("text=No dataset's name contains “nowhere”");
  await here.page.route("**/api/v1/graph*", (route) => route.fulfill({ status: 500, json: { error: "The server failed; its log says why." } }));
  await open(T);
  await here.page.waitForSelector("[role=alert] >> text=The server failed");
  assert.equal(await here.page.getByRole("alert").count(), 1);
  await screenshot(here.page, "failed");
  await accessible();
  await here.page.unroute("**/api/v1/graph*");
  await here.page.getByRole("button", { name: "Try again" }).click();
  assert.equal((await edges()).length, 3);
});

test("an answer that was cut says so", more, async () => {
  let missing = { unexplored: 7 };
  await here.page.route("**/api/v1/graph*", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), truncated: true, ...missing } });
  });
  await open(T);
  await here.page.waitForSelector("text=Truncated: 7 further columns were not followed");
  await accessible();
  await here.page.getByRole("button", { name: "Show up to 100,000 links" }).click();
  await here.page.waitForURL(/limit=100000/);
  await edges();
  missing = { left_out: 1234 };
  await open({ ...T, depth: "3" });
  await here.page.waitForSelector("text=Truncated: 1,234 links more than an answer of 2 MB has room for. Ask with less depth, one direction, or for datasets; the CSV file has all.");
  assert.equal(await here.page.getByRole("button", { name: /Show up to/ }).count(), 0);
});

test("what others' DAGs did is named as restricted", plain, async () => {
  await here.page.route("**/api/v1/graph*", async (route) => {
    const response = await route.fetch();
    const answer = await response.json();
    const how = answer.transformations[answer.edges.transformation[0]];
    answer.edges.transformation[0] = answer.transformations.push({ ...how, subtype: "RESTRICTED" }) - 1;
    answer.edges.reported_by[0] = [];
    await route.fulfill({ response, json: answer });
  });
  await open(T);
  await here.page.waitForSelector("text=Restricted: 1 link is by DAGs that you may not read");
  await drawn(".link.unknown");
  assert.match((await edges()).join(), /restricted/);
  await accessible();
});

test("dark as the system wants it, and readable", more, async () => {
  await here.page.emulateMedia({ colorScheme: "dark" });
  await open({ ...T, lock: '["n","mart","t"]', indirect: "true" });
  await edges();
  await here.page.waitForSelector("aside .steps");
  assert.equal(await here.page.evaluate(() => document.documentElement.dataset.theme), "dark");
  await accessible(["dark"]);
});

test("a key is asked for, and used, for files too", guarded, async () => {
  await open(T);
  await here.page.getByLabel("API key").first().waitFor();
  await accessible();
  await here.page.getByLabel("API key").first().fill(key);
  await here.page.getByRole("button", { name: "Use it" }).first().click();
  assert.equal((await edges()).length, 3);
  const file = here.page.waitForEvent("download");
  await here.page.locator(".exports summary").click();
  await here.page.locator(".exports").getByText("CSV").click();
  assert.match(readFileSync(await (await file).path(), "utf8"), /total/);
});
