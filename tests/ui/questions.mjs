// The owners' questions in Chromium, over the store of test_questions.py, which runs it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { accessible, address, drawn, eachWithAPage, edges, eventually, here, open, pictured, screenshot } from "./page.mjs";

const EMAIL = { namespace: "n", name: "/lake/customers", field: "email" };
const TOTAL = { namespace: "n", name: "/mart/revenue", field: "total" };
const EVER = "36500"; // days: the events have fixed times

eachWithAPage();

const one = (text) => text.trim().split(/\s+/).join(" ");
const rows = async (label) => {
  await here.page.getByRole("region", { name: label }).locator("tbody tr").first().waitFor();
  const cells = here.page.getByRole("region", { name: label }).locator("tbody tr");
  return (await cells.evaluateAll((trs) => trs.map((tr) => [...tr.querySelectorAll("td")].map((td) => td.innerText.trim()).join(" | ")))).map(one);
};
const asked = () => Object.fromEntries(new URL(here.page.url()).searchParams);

test("where a value is copied to: from a field's view, with each way and run, what is perhaps missing, and a link", async () => {
  await open(EMAIL);
  await here.page.getByRole("link", { name: "Copies" }).click();
  await here.page.waitForSelector("h1:has-text('Copies of email'):focus");
  await here.page.waitForSelector("h1:has-text('3 columns in 3 datasets, perhaps more')");
  assert.deepEqual(asked(), { ...EMAIL, view: "copies" });
  assert.deepEqual(await rows("Copies"), [
    "0 | /lake/customers also n crm.customers | email | the column itself |",
    "1 | mailing | address | /lake/customers.email → mailing.address | Nov 20, 2026, 12:05:00 PM by crm.mailing, 0199aaaa-0000-7000-8000-000000000005 success",
    "2 | newsletter | to | /lake/customers.email → mailing.address → newsletter.to | Nov 20, 2026, 12:08:00 PM by crm.export, 0199aaaa-0000-7000-8000-000000000008 success",
  ]);
  const warning = here.page.locator(".warning");
  assert.equal(one(await warning.innerText()), "Perhaps more: which columns this job uses is unknown. crm.backup reads /lake/customers and writes /backup/customers");
  await here.page.setViewportSize({ width: 1100, height: 720 });
  await pictured("copies");
  await accessible();
  await here.page.getByLabel("Follow").selectOption("transformation");
  await here.page.waitForSelector("h1:has-text('4 columns in 3 datasets')"); // never what is masked
  await here.page.getByLabel("From its origins too").check();
  await here.page.waitForSelector("h1:has-text('5 columns in 4 datasets')");
  assert.deepEqual(asked(), { ...EMAIL, view: "copies", through: "transformation", origins: "true" });
  assert.equal((await rows("Copies"))[1], "0 | customers.csv | email | an origin of it |");
  await here.page.reload(); // the address holds the view
  await here.page.waitForSelector("h1:has-text('5 columns in 4 datasets')");
  const download = here.page.waitForEvent("download");
  await here.page.locator(".exports").getByText("Download as JSON").click();
  assert.match((await download).suggestedFilename(), /^customers\.email-copies-.*\.json$/);
  await warning.getByRole("link", { name: "/backup/customers" }).click();
  await here.page.waitForSelector("h1:has-text('/backup/customers')");
  await here.page.goBack();
  await here.page.getByRole("link", { name: "newsletter.to" }).click();
  await here.page.waitForSelector("h1:has-text('Lineage of to'):focus");
  await open({ ...EMAIL, view: "copies", at: "2026-11-20T12:06:00Z" }); // before it was exported
  await here.page.waitForSelector("h1:has-text('2 columns in 2 datasets')");
});

test("copies say where a function ends the trail, and go on", async () => {
  await open({ ...EMAIL, view: "copies" });
  const ends = here.page.locator(".note", { hasText: "Not followed: 1 column computed from these by a cast, a function or an aggregate." });
  assert.equal(one(await ends.locator("li").innerText()), "/lake/customers.email → mailing.domain");
  await accessible();
  await ends.getByRole("button", { name: "Follow also values computed from it" }).click();
  await here.page.waitForSelector("h1:has-text('4 columns in 3 datasets')");
  assert.equal(asked().through, "transformation");
  await ends.waitFor({ state: "detached" });
});

test("copies say where a function ends the trail back to origins, and at a time", async () => {
  const DOMAIN = { namespace: "n", name: "/lake/mailing", field: "domain", view: "copies" };
  await open({ ...DOMAIN, origins: "true" });
  const back = here.page.locator(".note", { hasText: "Not followed back: 2 columns that these are computed from by a cast, a function or an aggregate." });
  await back.waitFor();
  assert.deepEqual((await back.locator("li").allInnerTexts()).map(one), ["customers.email", "customers.csv.email"]);
  await accessible();
  await back.getByRole("button", { name: "Follow also values computed from it" }).click();
  await here.page.waitForSelector("h1:has-text('5 columns in 4 datasets')");
  await back.waitFor({ state: "detached" });
  await open(DOMAIN); // its origins are not asked for
  await here.page.waitForSelector("h1:has-text('1 column in 1 dataset')");
  await here.page.waitForLoadState("networkidle");
  assert.equal(await here.page.getByText("Not followed").count(), 0);
  const ends = here.page.getByText("Not followed: 1 column computed from these");
  await open({ ...EMAIL, view: "copies", at: "2026-11-20T12:06:00Z" });
  await ends.waitFor();
  await open({ ...EMAIL, view: "copies", at: "2026-11-20T12:03:00Z" }); // before the function ran
  await here.page.waitForSelector("h1:has-text('1 column in 1 dataset')");
  await here.page.waitForLoadState("networkidle");
  assert.equal(await ends.count(), 0);
});

test("why a value is different: since the run before the latest, causes with what follows from them", async () => {
  await open(TOTAL);
  await here.page.getByRole("link", { name: "Why different?" }).click();
  await here.page.waitForSelector("h1:has-text('Why is total different?'):focus");
  await here.page.waitForSelector("h1:has-text('1 cause, 2 consequences')");
  assert.deepEqual(asked(), { ...TOTAL, view: "why", before: "2026-11-20T12:15:00.000Z" });
  await here.page.goBack(); // the time was not chosen by the reader
  await here.page.waitForSelector("h1:has-text('Lineage of total')");
  await here.page.goForward();
  const cause = here.page.locator(".causes > li");
  await cause.first().waitFor();
  assert.deepEqual((await cause.allInnerTexts()).map(one), [
    "sources changed orders.amount 1 hop upstream /landing/orders.csv.net (copied) → /landing/orders.csv.gross (copied) " +
      "Nov 20, 2026, 12:30:00 PM by shop.load, manual__2 success 2 consequences " +
      "type changed revenue.total here int → double Nov 20, 2026, 12:35:00 PM by shop.revenue, manual__2 success " +
      "type changed orders.amount 1 hop upstream int → double Nov 20, 2026, 12:30:00 PM by shop.load, manual__2 success",
  ]);
  const run = cause.first().getByRole("link", { name: "manual__2" }).first();
  assert.equal(await run.getAttribute("href"), "http://airflow.test/dags/shop/runs/manual__2/tasks/load");
  await here.page.getByText("the store keeps no whole events").waitFor();
  await here.page.setViewportSize({ width: 1100, height: 720 });
  await pictured("why");
  await accessible();
  await here.page.getByRole("link", { name: "The difference as a graph" }).click();
  await drawn(".link.added");
  assert.ok((await edges()).includes("orders.csv.gross > orders.amount copied"));
  await here.page.goBack();
  await here.page.getByLabel("different in run").selectOption({ index: 2 }); // the same run: nothing to compare
  await here.page.waitForSelector("[role=alert] >> text=is not before");
  await here.page.getByLabel("right in run").selectOption({ index: 0 });
  await here.page.waitForSelector("text=No earlier run is known to have written it");
  await accessible();
  await open({ ...TOTAL, view: "why", before: "2026-11-20T12:36:00Z" });
  await here.page.waitForSelector("text=Nothing is known to have changed.");
  await open({ namespace: "n", name: "/landing/orders.csv", field: "net", view: "why" }); // no job writes it
  await here.page.waitForSelector("text=No earlier run is known to have written it");
  await open({ ...TOTAL, view: "why", before: "0199aaaa-0000-7000-8000-00000000000f" }); // a run's id will do
  await here.page.waitForSelector("h1:has-text('1 cause, 2 consequences')");
});

test("unused fields: of a dataset and of all, and those that are perhaps used", async () => {
  await open({ namespace: "n", name: "/lake/mailing" });
  await here.page.getByRole("link", { name: "Unused columns" }).click();
  await here.page.waitForSelector("h1:has-text('Unused columns'):focus");
  assert.deepEqual(asked(), { namespace: "n", name: "/lake/mailing", view: "unused" });
  await open({ namespace: "n", name: "/lake/mailing", view: "unused", days: EVER });
  await here.page.waitForSelector("h1:has-text('2 of 3 columns')");
  assert.deepEqual(await rows("Unused columns"), ["domain | unused | never | 1", "hash | unused | never | 1"]);
  await here.page.getByLabel("Not used in the last").selectOption("7");
  assert.equal(asked().days, "7");
  await open({ namespace: "n", name: "crm.customers", view: "unused", days: EVER }); // under its other name
  await here.page.waitForSelector("h1:has-text('1 of 4 columns, 1 of them perhaps used')");
  assert.equal(one(await here.page.locator(".warning").innerText()), "Perhaps used: 1 column. Which columns these jobs use is unknown: crm.backup.");
  assert.deepEqual(await rows("Unused columns"), ["phone | perhaps used | never | 3, by unknown columns: crm.backup"]);
  await accessible();
  await open({ namespace: "n", name: "/lake/orders", view: "unused", days: EVER });
  await here.page.waitForSelector("text=Every column was used in the last 36,500 days");
  await here.page.goto(`${address}/`);
  await here.page.getByRole("link", { name: "Unused columns" }).click();
  await here.page.waitForSelector("h1:has-text('Unused columns'):focus");
  await open({ view: "unused", days: EVER });
  await here.page.waitForSelector("h1:has-text('3 columns, 1 of them perhaps used')");
  assert.deepEqual(await rows("Unused columns"), [
    "domain | mailing | unused | never | 1", "hash | mailing | unused | never | 1",
    "phone | customers | perhaps used | never | 3, by unknown columns: crm.backup",
  ]);
  await here.page.getByText("3 columns of datasets that no job has read yet are left out.").waitFor();
  await here.page.setViewportSize({ width: 1100, height: 720 });
  await here.page.emulateMedia({ colorScheme: "light" });
  await pictured("unused");
  await accessible();
  await here.page.getByRole("button", { name: "List them too" }).click();
  await here.page.waitForSelector("h1:has-text('6 columns, 1 of them perhaps used')");
  assert.equal((await rows("Unused columns")).at(-1), "total | revenue | unused | never | 0");
  assert.deepEqual(asked(), { view: "unused", days: EVER, unread: "true" });
  await open({ ...TOTAL, view: "unused" }); // the last dataset of a chain
  await here.page.getByText("No job has read this dataset yet.").waitFor();
  await here.page.getByRole("button", { name: "List them too" }).click();
  await here.page.waitForSelector("h1:has-text('2 of 2 columns')");
  await here.page.goBack();
  await here.page.getByText("No job has read this dataset yet.").waitFor();
  await open({ view: "unused", days: EVER });
  await here.page.getByRole("link", { name: "phone" }).click();
  await here.page.waitForSelector("h1:has-text('Lineage of phone'):focus");
});

test("of many unused fields the first are shown, and all are asked for", async () => {
  const unused = (limit) => Array.from({ length: Math.min(limit, 1500) }, (_, i) => ({
    namespace: "n", name: "/lake/mailing", field: `f${i}`, status: "unused", last_used: null, readers: 1, unknown_readers: [],
  }));
  await here.page.route("**/api/v1/unused*", async (route) => {
    const limit = Number(new URL(route.request().url()).searchParams.get("limit"));
    await route.fulfill({ json: { unused: unused(limit), count: 1500, unread_count: 0, truncated: limit < 1500 } });
  });
  await open({ view: "unused" });
  await here.page.waitForSelector("text=The first 1,000 of 1,500.");
  assert.equal((await rows("Unused columns")).length, 200);
  await here.page.getByRole("button", { name: "Load more" }).click();
  await here.page.getByRole("button", { name: "Show all 1,500 columns" }).click();
  await eventually(async () => assert.equal((await rows("Unused columns")).length, 1500));
});

test("on a narrow screen each answer is a list, and nothing is wider than the page", async () => {
  await here.page.setViewportSize({ width: 400, height: 720 });
  const fits = () => here.page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);
  for (const query of [
    EMAIL, { ...EMAIL, view: "copies", through: "transformation", origins: "true" }, { ...TOTAL, view: "why" },
    { view: "unused", days: EVER }, { namespace: "n", name: "/lake/customers", view: "unused", days: EVER },
  ]) {
    await open(query);
    await here.page.waitForSelector("h1");
    await here.page.waitForLoadState("networkidle");
    await here.page.waitForFunction(() => !document.querySelector(".bar"));
    assert.ok(await fits(), JSON.stringify(query));
    await accessible();
  }
  await open({ ...EMAIL, view: "copies" });
  const last = here.page.getByRole("region", { name: "Copies" }).locator("tbody tr").last().locator("td");
  await last.first().waitFor();
  const labels = await last.evaluateAll((tds) => tds.map((td) => getComputedStyle(td, "::before").content));
  assert.deepEqual(labels, ["Hops", "Dataset", "Column", "Way", "Last written"].map((label) => `"${label}: "`));
  await screenshot(here.page, "copies on a narrow screen");
  for (const [name, field] of [["/lake/customers", "nothing"], ["/lake/nowhere", "email"]]) { // a wrong link says so
    for (const view of ["copies", "why", "unused"].slice(0, field === "email" ? 3 : 2)) {
      await open({ namespace: "n", name, field, view, before: "2026-11-20T12:00:00Z" });
      await here.page.locator("[role=alert]").getByText(field === "nothing" ? "Column 'nothing' is not in" : "is not in").first().waitFor();
      assert.equal(await here.page.locator("[role=alert]").count(), 1, `${name} ${view}`);
    }
  }
});
