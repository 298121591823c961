// The page after a run that failed and jobs that wrote nothing, over the store of test_page.py.

import assert from "node:assert/strict";
import { test } from "node:test";
import { accessible, address, eachWithAPage, eventually, here, layoutOf, open } from "./page.mjs";

const ENRICH = { dag_id: "flights", task_id: "enrich" };
const notice = () => here.page.locator(".warning:has(.others)");
const told = async (expected) => eventually(async () => assert.match((await notice().innerText({ timeout: 1000 })).replace(/\s+/g, " "), expected));

eachWithAPage();

test("a task whose last run failed is two clicks from home, and its run three", async () => {
  await here.page.goto(`${address}/`);
  await here.page.locator("#dags ~ .results strong.failed").getByRole("link", { name: "enrich" }).click();
  await told(/^Last run late failed, try 2, .+ ago, without lineage\. The picture is of run manual__\S+ success\.$/);
  const links = await notice().getByRole("link").evaluateAll((all) => all.map((link) => new URL(link.href).pathname));
  assert.equal(links[0], "/dags/flights/runs/late/tasks/enrich");
  assert.match(links[1], /^\/dags\/flights\/runs\/manual__[^/]+\/tasks\/enrich$/);
  await here.page.locator(".box .chip .state-sign.failed").waitFor();
  const { share } = await layoutOf();
  assert.ok(share >= 0.7, `${share} of the window is picture`);
  await accessible();
});

test("coverage of all DAGs names the tasks whose last run failed", async () => {
  await open({ view: "coverage" });
  await here.page.waitForSelector("h1:has-text('2 DAGs, none lacks lineage, tasks of 2 DAGs failed in their last run; 1 other DAG ran without lineage')");
  assert.match(await here.page.locator(".silent > li").innerText(), /^nightly\s+last run of a, b, c failed/);
  await here.page.getByText("is known to Airflow only").waitFor();
  assert.match(await here.page.locator(".covered > li").first().innerText(), /^flights\s+last run of enrich failed, columns known of 10 of 10 datasets/);
  await accessible();
  await here.page.locator(".covered > li strong.failed").getByRole("link", { name: "enrich" }).click();
  await told(/^Last run late failed, try 2/);
});

test("a DAG's picture says which tasks it shows by an earlier run", async () => {
  await open({ dag_id: "flights" });
  await told(/^enrich: last run late failed, try 2, .+ without lineage\. Its part of the picture is of run manual__\S+ success\.$/);
  await notice().getByRole("link", { name: "enrich" }).click();
  await here.page.waitForSelector("h1:has-text('What task enrich of DAG flights writes'):focus");
});

test("the tab of a run says which tasks failed in it, and leads to what they wrote before", async () => {
  await open({ dag_id: "flights", run_id: "late" });
  await told(/^enrich: run late failed, try 2, .+ ago, without lineage\.$/);
  await open({ ...ENRICH, run_id: "late" });
  await told(/^Run late failed, try 2, .+ ago, without lineage\.$/);
  await accessible();
  await here.page.getByRole("link", { name: "What its latest runs reported" }).click();
  await told(/The picture is of run manual__/);
  await here.page.locator(".box").first().waitFor();
  const { run_id, ...latest } = { ...ENRICH, run_id: "late" };
  assert.deepEqual(Object.fromEntries(new URL(here.page.url()).searchParams), latest);
});

test("many runs are counted, and listed on a click", async () => {
  await open({ dag_id: "nightly", run_id: "late" });
  const list = here.page.locator("details.warning", { hasText: "Tasks in this run: 3 failed, 1 running" });
  await list.locator("summary").click();
  assert.equal(await list.locator("li").count(), 4);
  await accessible();
});

test("who only drops or alters a dataset is not told as its writer", async () => {
  await here.page.goto(`${address}/`);
  const cells = async (name) => (await here.page.locator("table.datasets tr", { has: here.page.getByRole("link", { name, exact: true }) }).locator("td").allInnerTexts()).map((text) => text.trim());
  await here.page.getByRole("region", { name: "All datasets" }).waitFor();
  const [routes, airlines] = [await cells("report/routes"), await cells("typed/airlines")];
  assert.deepEqual([routes[2], airlines[2]], ["report of flights", "typed.type_reference of flights"]);
  assert.match(routes[4], /gone since$/);
  assert.doesNotMatch(airlines[4], /gone/);
  assert.match(airlines[5], /2 of 2/);
  const changes = (await here.page.locator("section[aria-labelledby=changes] li > span").allInnerTexts()).map((text) => text.split(/\s+/).join(" "));
  assert.deepEqual(changes.slice(0, 2).sort(), ["airlines altered by tidy.up", "routes dropped by tidy.up"]);
  assert.match(await here.page.locator("#dags ~ .results li", { hasText: "tidy" }).innerText(), /it writes no dataset/);
  await here.page.getByRole("link", { name: "report/routes" }).click();
  await here.page.locator(".warning", { hasText: /^Dropped .+ by tidy\.up, run late success\.$/ }).waitFor();
  await here.page.locator("td", { hasText: "tidy.up dropped it" }).waitFor();
  await accessible();
  await open({ dag_id: "tidy" });
  await here.page.getByText("It wrote no dataset.").waitFor();
  await here.page.getByRole("heading", { name: "Written and changed datasets 2" }).waitFor();
});
