// The page inside a real Airflow: log in, the navigation's page, a DAG's tab. Run by test_airflow.py.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";

const require = createRequire(new URL("../../airflow_colgraph/ui/package.json", import.meta.url));
const { chromium } = require("playwright-core");

const { COLGRAPH_ADDRESS: address, COLGRAPH_CHROMIUM: executablePath, AIRFLOW_USER: user, AIRFLOW_PASSWORD: password } =
  process.env;
let browser, page;

before(async () => {
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  page.setDefaultTimeout(60_000);
});
after(async () => browser.close());

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
  await page.frameLocator("iframe").locator(".results a", { hasText: "mart" }).first().waitFor();
});

test("a DAG's and a task's tab show what they write", async () => {
  for (const [path, title] of [
    ["dags/cases/plugin/colgraph-dag", "DAG cases writes"],
    ["dags/cases/tasks/totals/plugin/colgraph-task", "Task totals of DAG cases writes"],
  ]) {
    await page.goto(`${address}/${path}`);
    const frame = page.frameLocator("iframe");
    await frame.getByRole("heading", { name: title }).waitFor();
    await frame.locator(".results a", { hasText: "mart" }).first().click();
    await frame.locator("table.edges tbody tr").first().waitFor();
    assert.match(await frame.locator("table.edges").innerText(), /raw/);
    await frame.locator(".link").first().waitFor({ state: "attached" });
    const folder = process.env.PAGE_SCREENSHOTS; // CI keeps them
    if (folder) await page.screenshot({ path: `${folder}/airflow-${path.split("/").at(-1)}.png` });
  }
});
