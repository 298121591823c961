// The page while a task that reported lineage before runs again, over the store of test_page.py.

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
