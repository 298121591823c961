// The page in Chromium, measured. Run by ui.py.

import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(new URL("../airflow_colgraph/ui/package.json", import.meta.url));
const { chromium } = require("playwright-core");
const { CHROMIUM: executablePath, SIZED, WIDE, FIELD_OF, SIZE } = process.env;
const ROUNDS = 5;
const SECONDS = 3;

const row = (what, ...figures) => console.log(`  ${what.padEnd(46)}${figures.map((one) => one.padStart(20)).join("")}`);
const middle = (some) => [...some].sort((a, b) => a - b)[Math.floor(some.length / 2)];

/** Milliseconds of CPU time that this process's children and theirs have used. */
function cpu() {
  const found = new Map();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      found.set(pid, { parent: fields[1], ms: (Number(fields[11]) + Number(fields[12])) * 10 });
    } catch {
      // it has ended
    }
  }
  const ours = (pid) => found.has(pid) && (found.get(pid).parent === String(process.pid) || ours(found.get(pid).parent));
  return [...found].filter(([pid]) => ours(pid)).reduce((sum, [, one]) => sum + one.ms, 0);
}

/** Drag the mouse over the canvas, and count the frames. */
async function panned(page) {
  const box = await page.locator(".canvas").boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height - 12];
  await page.evaluate(() => {
    window.times = [];
    const frame = (time) => {
      window.times.push(time);
      window.asked = requestAnimationFrame(frame);
    };
    window.asked = requestAnimationFrame(frame);
  });
  const before = cpu();
  await page.mouse.move(x, y);
  await page.mouse.down();
  const until = Date.now() + SECONDS * 1000;
  for (let i = 0; Date.now() < until; i += 1) await page.mouse.move(x + 300 * Math.sin(i / 12), y - 150 * (1 - Math.cos(i / 9)));
  await page.mouse.up();
  const used = cpu() - before;
  const times = await page.evaluate(() => {
    cancelAnimationFrame(window.asked);
    return window.times;
  });
  const gaps = times.slice(1).map((time, i) => time - times[i]).sort((a, b) => a - b);
  return { fps: (1000 * gaps.length) / (times.at(-1) - times[0]), slow: gaps[Math.floor(gaps.length * 0.95)], cpu: used / gaps.length };
}

async function frames(what, page) {
  const rounds = [];
  for (let i = 0; i < ROUNDS; i += 1) rounds.push(await panned(page));
  const of = (name) => middle(rounds.map((one) => one[name]));
  row(what, `${of("fps").toFixed(0)} frames/s`, `95 %: ${of("slow").toFixed(0)} ms`, `${of("cpu").toFixed(1)} ms CPU each`);
}

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const open = () => browser.newPage({ viewport: { width: 1300, height: 900 } });

// From the API's answer to the frame in which boxes and lines are drawn; every time a new browser profile.
const waits = [];
for (let i = 0; i < ROUNDS; i += 1) {
  const page = await open();
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      if (!document.querySelector(".react-flow__viewport .box") || !document.querySelector(".links path, .overview")) return;
      observer.disconnect();
      requestAnimationFrame(() => setTimeout(() => (window.painted = performance.now())));
    }).observe(document, { childList: true, subtree: true });
  });
  const query = new URLSearchParams({ namespace: "s3://lake", name: FIELD_OF, field: `column_00${i}` });
  await page.goto(`${SIZED}/?${query}`);
  await page.waitForFunction(() => window.painted, undefined, { timeout: 60_000 });
  waits.push(await page.evaluate(() => {
    const asked = performance.getEntriesByType("resource").find((one) => one.name.includes("/api/v1/graph"));
    return { answer: window.painted - asked.responseEnd, start: window.painted };
  }));
  await page.context().close();
}
console.log(`first useful paint of a field's graph (store ${SIZE})`);
row("after the API's answer", `${middle(waits.map((one) => one.answer)).toFixed(0)} ms`, `most ${Math.max(...waits.map((one) => one.answer)).toFixed(0)} ms`);
row("after the page was asked for", `${middle(waits.map((one) => one.start)).toFixed(0)} ms`);

const empty = await open();
await empty.setContent("<canvas class=canvas width=1200 height=500></canvas>");
const page = await open();
await page.goto(`${WIDE}/?namespace=s3%3A%2F%2Flake&name=warehouse%2Feverything&view=graph&depth=100&limit=100000`);
await page.locator(".box").first().waitFor({ timeout: 120_000 });
const said = await page.locator("p.note[role=status]").innerText();
await page.waitForLoadState("networkidle");
console.log(`panning a graph of ${said}`);
await empty.bringToFront();
await frames("an empty page (the baseline)", empty);
await page.bringToFront();
await frames("at the opening zoom", page);
await page.getByRole("button", { name: "Show all", exact: true }).click();
await page.locator(".overview").waitFor();
await frames("when all of it is seen", page);
await browser.close();
