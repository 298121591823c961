// What the browser's tests share: a page of its own for each, its checks, and how to find things.

import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
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

/** A picture for the documentation, which is written where PAGE_PICTURES says. */
export async function pictured(name) {
  const { PAGE_PICTURES: docs = folder } = process.env;
  mkdirSync(docs, { recursive: true });
  await here.page.waitForLoadState("networkidle");
  await here.page.mouse.move(0, 0);
  await here.page.screenshot({ path: `${docs}/${name}.png`, animations: "disabled", caret: "hide" });
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
    page.setDefaultTimeout(Number(process.env.PAGE_PATIENCE ?? 60_000));
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

/** Open one of the tables in the panel below the picture; on a narrow screen they are all open. */
export async function shelf(title, where = here.page) {
  const button = where.locator(".shelves > button", { hasText: title });
  await button.or(where.locator(".split.list")).first().waitFor();
  if ((await button.count()) && (await button.getAttribute("aria-expanded")) === "false") await button.click();
}

/** The edges in a page's table, as `raw.a > mart.t aggregated`; between datasets as `raw > mart`. */
export async function edgesIn(where) {
  await shelf("Table", where);
  await where.locator("table.edges tbody tr").first().waitFor();
  const rows = await where.locator("table.edges tbody tr").evaluateAll((trs) =>
    trs.map((tr) => Object.fromEntries([...tr.querySelectorAll("td")].map((td) => [td.dataset.label, td.innerText]))),
  );
  const end = (dataset, field) => (field === undefined ? dataset : `${dataset}.${field}`);
  return rows
    .map((row) => `${end(row["From dataset"], row.Column)} > ${end(row["To dataset"], row["To column"])} ${row.Transformation ?? ""}`.trim())
    .sort();
}

export const edges = () => edgesIn(here.page);

/** Wait until the table has so many edges. */
export async function edgesAre(count) {
  await shelf("Table");
  await here.page.waitForFunction((n) => document.querySelectorAll("table.edges tbody tr").length === n, count);
}

/** A field in a dataset's box. */
export const row = (dataset, field) =>
  here.page.locator(".box", { has: here.page.locator(`.head[title="${dataset}"]`) }).locator(`.row[data-field="${field}"]`);

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

const ALL = process.env.EXAMPLES === "all";
let turn = 0;

/** For a test that `make test` leaves out as more of the same; `make long` runs it. */
export const more = { skip: ALL ? false : "make long runs it" };

/**
 * Nothing that axe finds fault with, for WCAG 2.2 AA, in both themes if told so. `make test` takes a sample: of two
 * themes one, in turn; `make long` takes both.
 */
export async function accessible(themes = ["light", "dark"]) {
  const checked = ALL ? themes : [themes[turn++ % themes.length]];
  for (const colorScheme of themes) {
    await here.page.emulateMedia({ colorScheme });
    await here.page.waitForFunction((theme) => document.documentElement.dataset.theme === theme, colorScheme);
    if (checked.includes(colorScheme)) await withoutFaults(colorScheme);
  }
}

/** WCAG's rules hold for what is shown, in the theme that it has. */
export async function withoutFaults(what) {
  if (!(await here.page.evaluate(() => "axe" in window))) await here.page.evaluate(axe);
  assert.deepEqual(await here.page.evaluate(faults), [], what);
}

async function faults() {
  const pictured = document.querySelector(".react-flow") !== null;
  const every = { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"], rules: { "target-size": { enabled: !pictured } } };
  // A picture that is zoomed out has small targets; the table below has the same links in full size.
  const large = { runOnly: { type: "rule", values: ["target-size"] } };
  const answers = [await window.axe.run(document, every), ...(pictured ? [await window.axe.run({ exclude: [[".react-flow"]] }, large)] : [])];
  return answers
    .flatMap((answer) => answer.violations)
    .map((one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 160)).slice(0, 3).join(" | ")}`);
}

/** What a reader meets at the opening of a picture: call before it is opened, and `measured` after. */
export const watch = () => here.page.addInitScript(() => {
  const at = new Map();
  const seen = { jumps: [], still: 0 };
  window.seen = seen;
  const look = () => {
    let moved = false;
    for (const node of document.querySelectorAll(".react-flow__node")) {
      const { left, top } = node.getBoundingClientRect();
      const now = `${Math.round(left + scrollX)} ${Math.round(top + scrollY)}`;
      const before = at.get(node.dataset.id);
      if (before !== now) moved = true;
      if (before !== undefined && before !== now) seen.jumps.push(`${node.dataset.id}: ${before} to ${now}`);
      at.set(node.dataset.id, now);
    }
    seen.still = moved || at.size === 0 ? 0 : seen.still + 1;
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
});

/** The smallest text in the picture (px as they are seen), the clickable elements that something covers, the jumps of boxes. */
export async function measured() {
  await here.page.waitForLoadState("networkidle");
  await here.page.locator(".react-flow__viewport .box").first().waitFor();
  await here.page.waitForFunction(() => !window.seen || window.seen.still > 20);
  return here.page.evaluate(() => {
    const canvas = document.querySelector(".canvas").getBoundingClientRect();
    const within = ({ left, top, right, bottom }, limit) => ({
      left: Math.max(left, limit.left), top: Math.max(top, limit.top), right: Math.min(right, limit.right), bottom: Math.min(bottom, limit.bottom),
    });
    const screen = { left: 0, top: document.querySelector("header")?.getBoundingClientRect().bottom ?? 0, right: innerWidth, bottom: innerHeight };
    const scale = new DOMMatrix(getComputedStyle(document.querySelector(".react-flow__viewport")).transform).a;
    const sizes = [];
    for (const one of document.querySelectorAll(".canvas .react-flow__viewport *")) {
      const text = [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
      if (text) sizes.push(parseFloat(getComputedStyle(one).fontSize) * scale);
    }
    const covered = [];
    for (const one of document.querySelectorAll("main :is(a, button, input, select, summary)")) {
      if (!one.checkVisibility()) continue; // in a closed menu
      let seen = within(one.getBoundingClientRect(), screen);
      if (one.closest(".canvas")) seen = within(seen, canvas);
      for (let up = one.parentElement; up; up = up.parentElement) {
        if (/auto|scroll|hidden/.test(getComputedStyle(up).overflow)) seen = within(seen, up.getBoundingClientRect());
      }
      if (seen.right - seen.left < 4 || seen.bottom - seen.top < 4) continue;
      const hit = document.elementFromPoint((seen.left + seen.right) / 2, (seen.top + seen.bottom) / 2);
      if (hit !== one && !one.contains(hit) && !hit?.contains(one)) covered.push(`${one.outerHTML.slice(0, 90)} by ${hit?.outerHTML.slice(0, 90)}`);
    }
    return { smallest: Math.min(...sizes), covered, jumps: window.seen?.jumps ?? [] };
  });
}

let begun = false;

/** A line of the tests' own report, which pytest prints at the end and CI keeps beside the pictures. */
export function report(line) {
  mkdirSync(folder, { recursive: true });
  (begun ? appendFileSync : writeFileSync)(`${folder}/measured.txt`, `${line}\n`);
  begun = true;
}

/** What is clicked is never under something else, and it can be read. */
export async function readable(what) {
  const { smallest, covered, jumps } = await measured();
  report(`${what}: smallest text ${smallest.toFixed(1)} px, covered clickable elements ${covered.length}, jumps of boxes after paint ${jumps.length}`);
  assert.ok(smallest >= 12, `${what}: ${smallest} px`);
  assert.deepEqual([covered, jumps], [[], []], what);
}

/** Where boxes and lines are, the picture's share of the window, its whole boxes, and lines over boxes that they do not touch. */
export async function layoutOf() {
  await measured();
  return here.page.evaluate(() => {
    const canvas = document.querySelector(".canvas").getBoundingClientRect();
    const nodes = [...document.querySelectorAll(".react-flow__node")];
    const rects = nodes.map((node) => node.getBoundingClientRect());
    const whole = rects.filter((one) => one.left >= canvas.left && one.right <= canvas.right && one.top >= canvas.top && one.bottom <= canvas.bottom).length;
    const places = nodes.map((node) => {
      const { e, f } = new DOMMatrix(node.style.transform);
      return { id: node.dataset.id, x: e, y: f, right: e + node.firstChild.offsetWidth, bottom: f + node.firstChild.offsetHeight };
    });
    const lines = [...document.querySelectorAll(".link")];
    const over = lines.flatMap((line) => {
      const length = line.getTotalLength();
      const touched = new Set();
      for (let at = 4; at < length - 4; at += 4) {
        const { x, y } = line.getPointAtLength(at);
        for (const box of places) if (x > box.x + 2 && x < box.right - 2 && y > box.y + 2 && y < box.bottom - 2) touched.add(box.id);
      }
      return [...touched];
    });
    const picture = JSON.stringify([places, lines.map((line) => line.getAttribute("d")).sort()]);
    return { share: (canvas.width * canvas.height) / (innerWidth * innerHeight), boxes: nodes.length, whole, over, picture };
  });
}

/** A picture fills its window, or its frame, opens whole, and has no line over a box. */
export async function filled(what, least) {
  const seen = await layoutOf();
  report(`${what}: share of the window ${(100 * seen.share).toFixed(0)} %, whole boxes ${seen.whole} of ${seen.boxes}, lines over boxes ${seen.over.length}`);
  assert.ok(seen.share >= least, `${what}: ${seen.share}`);
  assert.deepEqual([seen.whole, seen.over], [seen.boxes, []], what);
  return seen;
}

/** It is the same when it is opened again, too. */
export async function fills(what, least) {
  const first = await filled(what, least);
  await here.page.reload();
  assert.equal((await layoutOf()).picture, first.picture, what);
}

/** Every line of the picture can be told from its ground in both themes, WCAG's 3:1, and says where it leads. */
export async function linesSeen(what) {
  for (const colorScheme of ["dark", "light"]) {
    await here.page.emulateMedia({ colorScheme });
    await here.page.waitForFunction((theme) => document.documentElement.dataset.theme === theme, colorScheme);
    const found = await eventually(async () => {
      const { least, lines, heads } = await here.page.evaluate(lineContrast);
      assert.ok(lines > 0 && least >= 3, `${what}, ${colorScheme}: ${least.toFixed(2)}:1 of ${lines} lines`);
      return { least, lines, heads };
    });
    report(`${what}, ${colorScheme}: least contrast of ${found.lines} lines ${found.least.toFixed(1)}:1, lines with an arrowhead ${found.heads}`);
    assert.equal(found.heads, found.lines, what);
  }
}

function lineContrast() {
  const rgb = (colour) => colour.match(/[\d.]+/g).map(Number);
  const light = (colour) => {
    const [r, g, b] = colour.map((one) => (one / 255 <= 0.04045 ? one / 255 / 12.92 : ((one / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = rgb(getComputedStyle(document.querySelector(".canvas")).backgroundColor).slice(0, 3);
  const lines = [...document.querySelectorAll(".link")];
  const contrasts = lines.map((line) => {
    const { stroke, opacity, strokeWidth } = getComputedStyle(line);
    const [r, g, b, alpha = 1] = rgb(stroke);
    const seen = [r, g, b].map((one, i) => ground[i] + (one - ground[i]) * alpha * Number(opacity) * Math.min(1, parseFloat(strokeWidth)));
    const [high, low] = [light(seen), light(ground)].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  });
  const heads = lines.filter((line) => document.querySelector(line.getAttribute("marker-end")?.match(/#\w+/)?.[0] ?? "none") !== null);
  return { least: Math.min(...contrasts), lines: lines.length, heads: heads.length };
}

/** No label on a line lies on another one or on a box. */
export async function labelsFree(what) {
  await here.page.locator(".what").first().waitFor();
  const found = await here.page.evaluate(() => {
    const of = (selector) => [...document.querySelectorAll(selector)].map((one) => ({ text: one.innerText.slice(0, 40), ...one.getBoundingClientRect().toJSON() }));
    const over = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 0.5 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.5;
    const labels = of(".what");
    const cut = [...document.querySelectorAll(".what")].filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.innerText);
    const others = [...labels, ...of(".box")];
    return { count: labels.length, cut, overlaps: labels.flatMap((one, i) => others.slice(i + 1).filter((other) => over(one, other)).map((other) => `${one.text} on ${other.text}`)) };
  });
  report(`${what}: labels on lines ${found.count}, overlaps ${found.overlaps.length}, cut ${found.cut.length}`);
  assert.deepEqual([found.overlaps, found.cut], [[], []], what);
}
