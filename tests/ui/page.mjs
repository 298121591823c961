// What the browser's tests share: a page of its own for each, its checks, and how to find things.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, afterEach, before, beforeEach } from "node:test";

const require = createRequire(new URL("../../airflow_colgraph/ui/package.json", import.meta.url));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

export const { COLGRAPH_ADDRESS: address, COLGRAPH_CHROMIUM: executablePath, PAGE_SCREENSHOTS: folder } = process.env;
export const launch = (...args) => chromium.launch({ executablePath, args: ["--no-sandbox", ...args] });
export const here = {}; // the test's page

/** A picture that CI keeps. */
export async function screenshot(page, name) {
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: `${folder}/${name.replace(/\W+/g, "-")}.png`, fullPage: true });
}

/** Each test gets a page; afterwards there was no error, nothing against the policy, nothing from elsewhere. */
export function eachWithAPage() {
  let browser, trouble;
  before(async () => {
    browser = await launch();
  });
  after(async () => browser.close());
  beforeEach(async () => {
    trouble = [];
    const context = await browser.newContext({ viewport: { width: 1300, height: 900 }, colorScheme: "light", timezoneId: "UTC" });
    const page = await context.newPage();
    Object.assign(here, { context, page });
    page.setDefaultTimeout(60_000);
    page.on("pageerror", (error) => trouble.push(`error: ${error.message}`));
    page.on("console", (message) => {
      const refused = message.text().startsWith("Failed to load resource");
      if (message.type() === "error" && !refused) trouble.push(`console: ${message.text()}`);
    });
    page.on("request", (request) => {
      const { hostname, protocol } = new URL(request.url());
      if (!/^(data|blob):$/.test(protocol) && hostname !== "127.0.0.1") trouble.push(`request: ${request.url()}`);
    });
  });
  afterEach(async (test) => {
    await screenshot(here.page, test.name);
    await here.context.close();
    assert.deepEqual(trouble, []);
  });
}

export const open = (query, at = address) => here.page.goto(`${at}/?${new URLSearchParams(query)}`);

/** The edges in the table, as `raw.a > mart.t aggregation`. */
export async function edges() {
  await here.page.waitForSelector("table.edges tbody tr");
  const rows = await here.page.$$eval("table.edges tbody tr", (trs) =>
    trs.map((tr) => [...tr.querySelectorAll("td")].map((td) => td.innerText)),
  );
  return rows
    .map((cells) => cells.slice(-8))
    .map(([from, field, to, into, , what]) => `${from}.${field} > ${to}.${into} ${what}`)
    .sort();
}

/** Wait until the table has so many edges. */
export const edgesAre = (count) =>
  here.page.waitForFunction((n) => document.querySelectorAll("table.edges tbody tr").length === n, count);

/** A field in a dataset's box. */
export const row = (dataset, field) =>
  here.page.locator(".box", { has: here.page.locator(`.head[title="${dataset}"]`) }).locator(`.row[title="${field}"]`);

/** What holds at last, within ten seconds. */
export async function eventually(holds) {
  for (let left = 40; left > 0; left -= 1) {
    try {
      return await holds();
    } catch {
      await here.page.waitForTimeout(250);
    }
  }
  return holds();
}

// A level line has no height, so Playwright would call it invisible.
export const drawn = (lines) => here.page.waitForSelector(lines, { state: "attached" });

/** Nothing that axe finds fault with, for WCAG 2.2 AA; in both themes if told so. */
export async function accessible(themes = ["light", "dark"]) {
  for (const colorScheme of themes) {
    await here.page.emulateMedia({ colorScheme });
    await here.page.waitForFunction((theme) => document.documentElement.dataset.theme === theme, colorScheme);
    await here.page.evaluate(axe);
    assert.deepEqual(await here.page.evaluate(faults), [], colorScheme);
  }
}

async function faults() {
  const every = { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"], rules: { "target-size": { enabled: false } } };
  // A picture that is zoomed out has small targets; the table below has the same links in full size.
  const large = { runOnly: { type: "rule", values: ["target-size"] } };
  const answers = [await window.axe.run(document, every), await window.axe.run({ exclude: [[".react-flow"]] }, large)];
  return answers
    .flatMap((answer) => answer.violations)
    .map((one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 160)).slice(0, 3).join(" | ")}`);
}
