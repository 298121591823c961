// The page while a task runs again, and where two jobs write one dataset, over the store of test_page.py.

import assert from "node:assert/strict";
import { test } from "node:test";
import { accessible, address, eachWithAPage, eventually, here, open } from "./page.mjs";

eachWithAPage();

test("a box whose task runs again says so, with the run that its picture is of", async () => {
  await open({ dag_id: "again", task_id: "copy" });
  const notice = here.page.locator(".note:has(.others)");
  await eventually(async () => assert.match((await notice.innerText({ timeout: 1000 })).replace(/\s+/g, " "), /^Last run the next running, try 2, .+; it has reported nothing yet\. The picture is of run early success\.$/));
  const chip = here.page.locator(".box .chip", { hasText: "copy" });
  await chip.locator(".state-sign.running").waitFor();
  assert.equal(await chip.locator(".state-sign").count(), 1);
  const runs = await here.page.evaluate(async (at) => (await fetch(`${at}/api/v1/runs?namespace=demo&job=again.copy`)).json(), address);
  assert.deepEqual(runs.runs.map((run) => run.state), ["START", "COMPLETE"]);
  await accessible();
});

test("missing lineage is marked by one rule now, at a past time and at home: every writer's latest run, and the last write", async () => {
  const late = "2026-11-20T23:00:00Z";
  for (const [name, why] of [["both", /^writers.first: What 1 column is computed from is not known\.$/], ["plain", /^The last write did not report/]]) {
    for (const time of [{}, { at: late }, { end: late }]) {
      await open({ namespace: "n", name, view: "graph", ...time });
      const mark = here.page.locator(".box.lacks").getByRole("img", { name: "Lineage missing" });
      await mark.waitFor();
      assert.match(await mark.getAttribute("title"), why, `${name} ${JSON.stringify(time)}`);
      assert.deepEqual(await here.page.locator(".box.lacks .title").allInnerTexts(), [name]);
    }
  }
  const titles = here.page.locator(".title"); // a table's own name, whole or without its middle, and its database
  assert.deepEqual((await titles.allInnerTexts()).filter((title) => title.includes("…")).map((title) => title.slice(-3)).sort(), ["_v2", "_v3"]);
  assert.deepEqual(await titles.evaluateAll((all) => all.filter((title) => title.scrollWidth > title.clientWidth).map((title) => title.innerText)), []);
  await here.page.locator(".box small", { hasText: /^marts · warehouse · 1 of 1/ }).nth(1).waitFor();
  await here.page.goto(`${address}/?kept=lineage-missing`);
  await eventually(async () => assert.deepEqual(await here.page.locator("table.datasets tbody td:first-child").allInnerTexts(), ["both", "plain"]));
  assert.match(await here.page.locator("table.datasets tr", { hasText: "both" }).innerText(), /1 of 1.*, may be missing/s);
});
