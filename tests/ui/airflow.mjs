// The page inside a real Airflow below a path: login, navigation, tabs, links, theme. Run by test_airflow.py.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { address, edgesIn, filled, here, launch, readable, screenshot, shelf, watch, withoutFaults } from "./page.mjs";

const { AIRFLOW_USER: user, AIRFLOW_PASSWORD: password, DEEP_LINK: deepLink, BUTTON_LINK: buttonLink } = process.env;
let browser, page;

before(async () => {
  browser = await launch();
  page = await browser.newPage({ viewport: { width: 1440, height: 900 }, colorScheme: "light" });
  page.setDefaultTimeout(90_000);
  here.page = page;
  await watch();
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: new URL(address).origin });
});
after(async () => browser.close());

const frame = () => page.frameLocator("iframe");

/** Measure what is in the frame from here on, as the standalone page is measured. */
async function inFrame() {
  here.page = await (await page.locator("iframe").elementHandle()).contentFrame();
}

/** The link that "Copy link" puts on the clipboard. */
async function copied() {
  await frame().getByRole("button", { name: "Copy link" }).click();
  await frame().getByText("Copied", { exact: true }).waitFor();
  return page.evaluate(() => navigator.clipboard.readText());
}

/** What the page in the frame says, as `raw.a > mart.t`. */
const edges = async () => (await edgesIn(frame())).map((edge) => edge.replace(/ copied$/, ""));

test("nobody sees lineage without logging in", async () => {
  await page.goto(`${address}/colgraph/`);
  await page.getByText("You are not logged in").first().waitFor();
});

test("log in, and the page is in the navigation", async () => {
  await page.goto(`${address}/plugin/colgraph`);
  await page.locator("input[name=username]").fill(user);
  await page.locator("input[name=password]").fill(password);
  await page.locator("button[type=submit]").click();
  await page.waitForURL((url) => !url.pathname.includes("/auth/"));
  await page.goto(`${address}/plugin/colgraph`);
  await frame().locator(".results a", { hasText: "mart" }).first().waitFor();
});

test("the tabs of a DAG, a DAG run, a task and its instances show what just that wrote", async () => {
  for (const [path, title, expected] of [
    ["dags/cases/plugin/colgraph-dag", "DAG cases writes", ["raw > mart", "raw > part"]],
    ["dags/cases/tasks/totals/plugin/colgraph-task", "Task totals of DAG cases writes", ["raw.new > mart.t"]],
    ["dags/cases/runs/first/plugin/colgraph-dag-run", "DAG cases writes", ["raw > mart", "raw > part"]],
    ["dags/cases/runs/first/tasks/totals/plugin/colgraph-task-instance", "Task totals of DAG cases writes", ["raw.old > mart.t"]],
    ["dags/cases/runs/second/tasks/totals/plugin/colgraph-task-instance", "Task totals of DAG cases writes", ["raw.new > mart.t"]],
  ]) {
    await page.goto(`${address}/${path}`);
    await frame().getByRole("heading", { name: title }).waitFor();
    await frame().locator(".link").first().waitFor({ state: "attached" });
    await inFrame();
    await filled(`in Airflow: ${path}`, 0.6); // of the tab
    assert.deepEqual(await edges(), expected, path);
    await readable(`in Airflow: ${path}`);
    await withoutFaults(path);
    await screenshot(page, path.split("/").at(-1));
  }
});

test("the view is kept in Airflow's address: it can be sent, and a reload shows it again", async () => {
  await page.goto(`${address}/dags/cases/plugin/colgraph-dag`);
  await frame().getByLabel("Level").selectOption("field");
  const fields = ["raw.new > mart.t", "raw.p0 > part.t", "raw.p1 > part.t"];
  await shelf("Table", frame());
  await frame().locator("table.edges td[data-label='To column']").first().waitFor();
  assert.deepEqual(await edges(), fields);
  assert.match(page.url(), /colgraph-dag#colgraph\?.*level=field/);
  await page.reload();
  assert.deepEqual(await edges(), fields);
  await frame().locator(".row[data-field=t]").first().click(); // a field of mart or part
  await page.waitForURL(/lock=/);
  const sent = await copied();
  assert.equal(sent, page.url());
  await page.goto("about:blank");
  await page.goto(sent);
  await frame().locator(".row.locked").waitFor();
  await frame().getByRole("button", { name: "Close" }).click();
  await frame().locator("aside").waitFor({ state: "detached" });
  await page.goBack();
  await frame().locator("aside").waitFor();
  await frame().locator("a.chip").first().click(); // a dataset's task is a task of Airflow
  await page.waitForURL((url) => /\/dags\/cases\/tasks\/(totals|mapped)$/.test(url.pathname) && !url.hash);
});

test("a field's page that is opened by its address asks its owner's questions: each has an address that shows it again", async () => {
  const field = "namespace=n&name=mart&field=t";
  const shown = (title) => frame().locator("h1", { hasText: title }).waitFor();
  for (const place of ["plugin/colgraph", "dags/cases/plugin/colgraph-dag"]) {
    await page.goto("about:blank"); // else only the fragment changes
    await page.goto(`${address}/${place}#colgraph?${field}`);
    await shown("Lineage of t");
    assert.deepEqual(await edges(), ["raw.new > mart.t", "raw.old > mart.t"], place); // one of a job without a DAG
    for (const [question, view, title, query] of [
      ["Copies", "copies", "Copies of t", /field=t&view=copies/],
      ["Why different?", "why", "Why is t different", /before=.+&field=t&view=why/], // than in the run before
    ]) {
      const menu = frame().locator(".bar-of-view .asked summary"); // in the narrower tab
      if (await menu.isVisible()) await menu.click();
      await frame().getByRole("link", { name: question }).filter({ visible: true }).click();
      await shown(title);
      await page.waitForURL(query);
      assert.equal(await copied(), page.url(), place);
      await page.reload();
      await shown(title);
      await screenshot(page, `${view} in Airflow`);
    }
    await page.evaluate(() => (location.hash = "#colgraph?namespace=n&name=part&field=t")); // by hand
    await frame().locator(".crumbs", { hasText: "part" }).waitFor();
    await shown("Lineage of t");
  }
});

test("home, a DAG from there and unused fields: each is kept in Airflow's address, comes back with it and can be sent", async () => {
  const shown = (title) => frame().locator("h1", { hasText: title }).waitFor();
  const kept = async (title, expected) => { // the view is in the address, and a reload shows it again
    await shown(title);
    const { hash, search } = new URL(page.url()); // behind its navigation Airflow keeps the frame's query
    assert.deepEqual(Object.fromEntries(new URLSearchParams(search || hash.slice("#colgraph?".length))), expected);
    await page.reload();
    await shown(title);
    assert.equal(await copied(), page.url());
  };
  await page.goto(`${address}/plugin/colgraph`);
  await frame().locator("section[aria-labelledby=dags]").getByRole("link", { name: "cases" }).click();
  await kept("DAG cases writes", { dag_id: "cases" });
  await frame().getByRole("link", { name: "Column lineage" }).click();
  await shown("Datasets");
  assert.doesNotMatch(page.url(), /[?#]/);
  await frame().getByRole("link", { name: "Unused columns" }).click();
  await shown("Unused columns");
  await frame().getByLabel("Not used in the last").selectOption("365");
  await page.waitForURL(/days=365/);
  await kept("Unused columns", { view: "unused", days: "365" });
  await screenshot(page, "unused fields in Airflow");
});

test("an operator's link leads to its instance's tab, and a run's link to its task in Airflow", async () => {
  await page.goto(deepLink);
  await frame().getByRole("heading", { name: "Task mapped[1] of DAG cases writes" }).waitFor();
  assert.deepEqual(await edges(), ["raw.p1 > part.t"]);
  await shelf("Runs", frame());
  await frame().locator(".run a").first().click();
  const task = new URL(`${address}/dags/cases/runs/first/tasks/mapped/mapped/1`).pathname;
  await page.waitForURL((url) => url.pathname === task);
  await page.locator("iframe").waitFor({ state: "detached" });
});

test("an operator's link is a button in its task's details, and leads to the tab", async () => {
  await page.goto(`${address}/dags/cases/runs/first/tasks/totals/details`);
  const button = page.locator(`a[href="${buttonLink}"]`);
  await button.waitFor();
  assert.equal(await button.innerText(), "Column lineage");
  await button.click();
  await frame().getByRole("heading", { name: "Task totals of DAG cases writes" }).waitFor();
  assert.deepEqual(await edges(), ["raw.old > mart.t"]);
});

test("a drawer, files and a narrow screen are in the tab as on the page alone", async () => {
  await page.goto(`${address}/dags/cases/plugin/colgraph-dag#colgraph?${new URLSearchParams({ dag_id: "cases", level: "field" })}`);
  await page.reload(); // else only the fragment changes
  await frame().locator(".row[data-field=t]").first().click();
  await frame().locator("aside h3", { hasText: "Computed by" }).waitFor();
  await page.reload(); // with the drawer from the beginning
  await frame().locator("aside h3", { hasText: "Computed by" }).waitFor();
  await inFrame();
  await readable("in Airflow: a drawer");
  await shelf("Lineage missing", frame());
  const lacks = frame().locator(".gaps li").first(); // what the lineage lacks, too
  assert.match(await lacks.innerText(), /^(totals|mapped): What 1 column is computed from is not known\.$/);
  await withoutFaults("a drawer in Airflow");
  await screenshot(page, "a drawer in Airflow");
  const taken = async (name) => {
    await frame().locator(".exports summary").click();
    const [download] = await Promise.all([page.waitForEvent("download"), frame().locator(".exports").getByText(name, { exact: true }).click()]);
    assert.match(download.suggestedFilename(), /^cases-lineage-\d{4}-\d\d-\d\d\.\w+$/);
    return readFileSync(await download.path());
  };
  assert.equal((await taken("CSV")).toString().trim().split("\n").length, 4);
  assert.equal(JSON.parse((await taken("JSON")).toString()).edges.length, 3);
  assert.match((await taken("SVG")).toString(), /^<svg .*<marker .*<\/svg>$/s);
  assert.equal((await taken("PNG")).subarray(1, 4).toString(), "PNG");
  await page.goto("about:blank"); // else only the fragment changes
  await page.goto(`${address}/plugin/colgraph#colgraph?dag_id=cases&level=field`);
  await frame().locator(".row[data-field=t]").first().waitFor();
  await page.setViewportSize({ width: 560, height: 800 });
  await frame().getByLabel("Lineage as a list").waitFor();
  assert.equal(await frame().locator(".canvas").count(), 0);
  await inFrame();
  assert.ok(await here.page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
  await withoutFaults("a narrow screen in Airflow");
  await screenshot(page, "a narrow screen in Airflow");
  await page.setViewportSize({ width: 1440, height: 900 });
});

test("times are in the zone that is chosen in Airflow and in its format, at once, and an input is in that zone too", async () => {
  const choose = (zone) => page.evaluate((text) => localStorage.setItem("timezone", text), JSON.stringify(zone)); // as Airflow's menu does
  await page.goto(`${address}/dags/cases/tasks/totals/plugin/colgraph-task`);
  await choose("UTC");
  await page.reload();
  await shelf("Runs", frame());
  const time = frame().locator("#shelf td.time").first();
  await time.waitFor();
  const inUtc = await time.innerText();
  assert.match(inUtc, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  for (const [zone, minutes] of [["Asia/Kolkata", 330], ["America/Phoenix", -420]]) { // both without summer time
    await choose(zone);
    const expected = new Date(Date.parse(`${inUtc.replace(" ", "T")}Z`) + minutes * 60_000).toISOString().slice(0, 19).replace("T", " ");
    await frame().locator("#shelf td.time", { hasText: expected }).first().waitFor();
    await page.reload();
    await frame().locator("#shelf td.time", { hasText: expected }).first().waitFor();
  }
  const at = new Date(`${inUtc.replace(" ", "T")}Z`);
  await page.goto("about:blank"); // else only the fragment changes
  await page.goto(`${address}/plugin/colgraph#colgraph?${new URLSearchParams({ namespace: "n", name: "mart", field: "t", at: at.toISOString() })}`);
  await frame().locator(".times summary").click();
  const input = frame().getByLabel("as of", { exact: true });
  const shown = await input.inputValue();
  assert.equal(Date.parse(`${shown}Z`) - at.getTime(), -420 * 60_000);
  await input.fill(shown.replace(/^\d{4}/, "2030"));
  await page.waitForURL((url) => decodeURIComponent(url.href).includes(`at=${at.toISOString().replace(/^\d{4}/, "2030").slice(0, 19)}`));
  await page.evaluate(() => localStorage.removeItem("timezone"));
});

/** The font and colours of Airflow's own page, and those of the page in its frame. */
const looks = () => page.evaluate(() => {
  const frame = document.querySelector("iframe").contentWindow;
  const of = (style) => [style.fontFamily.replace(/, sans-serif$/, ""), style.color, style.backgroundColor];
  return [of(getComputedStyle(document.documentElement)), of(frame.getComputedStyle(frame.document.body))];
});

test("light and dark, font and colours as Airflow has them, not as the system, and at once", async () => {
  const theme = (wanted) =>
    page.waitForFunction((name) => document.querySelector("iframe")?.contentDocument?.documentElement?.dataset.theme === name, wanted);
  await page.goto(`${address}/plugin/colgraph`);
  await theme("light");
  await page.evaluate(() => localStorage.setItem("theme", "dark"));
  await page.reload();
  await page.waitForSelector("html.dark", { state: "attached" });
  await theme("dark");
  await frame().locator(".results a").first().waitFor();
  const [airflowDark, ownDark] = await looks();
  assert.deepEqual(ownDark, airflowDark);
  await inFrame();
  await withoutFaults("dark in Airflow");
  await screenshot(page, "dark");
  await page.evaluate(() => document.documentElement.classList.replace("dark", "light"));
  await theme("light");
  const [airflowLight, ownLight] = await looks();
  assert.deepEqual(ownLight, airflowLight);
  assert.notDeepEqual(ownLight, ownDark);
  await withoutFaults("light in Airflow");
});
