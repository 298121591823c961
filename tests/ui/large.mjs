// Large pictures in Chromium, over the datasets of large_store in test_page.py.

import assert from "node:assert/strict";
import { test } from "node:test";
import { drawn, eachWithAPage, eventually, here, layoutOf, open, report } from "./page.mjs";

const FIRST = { namespace: "n", name: "d0", view: "graph", depth: "100" };
const ALL = { width: 9000, height: 9000 }; // pixels that every box has room in: those outside are not in the document

const MEDIAN = 34; // milliseconds: twice those of 60 frames a second, as the machine has other work

eachWithAPage();

test("of 130 datasets no line runs over a box that it does not touch, and two loads give one picture", async () => {
  for (const level of ["dataset", "field"]) {
    await here.page.setViewportSize(ALL);
    await open({ ...FIRST, level });
    await here.page.locator(".box").nth(129).waitFor();
    const first = await layoutOf();
    const lines = await here.page.locator(".link").count();
    report(`130 datasets, level ${level}: lines ${lines}, lines over boxes ${first.over.length}`);
    assert.equal(first.boxes, 130);
    assert.ok(lines >= 129, `${lines}`);
    assert.deepEqual(first.over, [], level);
    await here.page.reload();
    await here.page.locator(".box").nth(129).waitFor();
    assert.equal((await layoutOf()).picture, first.picture, level);
  }
  await here.page.setViewportSize({ width: 1440, height: 900 });
});

test("each of 130 boxes says why its lineage is missing, now and at a past time, by three questions", async () => {
  const asked = [];
  here.page.on("request", (request) => request.url().includes("/gaps?dataset=") && asked.push(request.url()));
  await here.page.setViewportSize(ALL);
  for (const time of [{}, { at: "2026-11-20T23:00:00Z" }]) {
    asked.length = 0;
    await open({ ...FIRST, level: "dataset", ...time });
    await here.page.locator(".box").nth(129).waitFor();
    const why = here.page.locator(".box.lacks").getByTitle("What 1 column is computed from is not known.");
    await eventually(async () => assert.equal(await why.count(), 129)); // no job is known to write the first
    assert.equal(asked.length, 3);
  }
});

test("each of many buttons to expand says how many are beyond, and a hop that brings nothing is told below the picture", async () => {
  await here.page.setViewportSize(ALL);
  await open({ ...FIRST, depth: "5", level: "dataset" });
  await eventually(async () => {
    const more = await here.page.locator(".more").allInnerTexts();
    assert.ok(more.length > 12 && more.every((text) => /^\+\d+$/.test(text)), more.join(" "));
  });
  await open({ ...FIRST, depth: "5", level: "dataset", expand: JSON.stringify(["downstream", "n", "d47"]) });
  await here.page.locator(".shelves .note", { hasText: /^65 datasets, .+; nothing is known downstream of d47$/ }).waitFor();
});

test("the picture of 130 datasets is panned at 60 frames a second", async () => {
  await here.page.setViewportSize({ width: 1440, height: 900 });
  await open({ ...FIRST, level: "field" });
  await drawn(".link");
  const place = () => here.page.locator(".react-flow__viewport").evaluate((viewport) => new DOMMatrix(getComputedStyle(viewport).transform).e);
  const before = await place();
  await here.page.evaluate(() => {
    window.frames130 = [];
    const look = (time) => {
      window.frames130.push(time);
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await here.page.mouse.move(700, 130);
  await here.page.mouse.down();
  for (let i = 1; i <= 120; i += 1) await here.page.mouse.move(700 - 5 * i, 130 + i);
  await here.page.mouse.up();
  const times = await here.page.evaluate(() => window.frames130.map((time, i, all) => time - all[i - 1]).slice(1).sort((a, b) => a - b));
  assert.ok(times.length > 10, `${times.length} frames`);
  assert.notEqual(await place(), before);
  const at = (share) => times[Math.floor(share * (times.length - 1))].toFixed(1);
  report(`130 datasets, panning: ${times.length} frames, median ${at(0.5)} ms, 95 % below ${at(0.95)} ms`);
  assert.ok(times[Math.floor(times.length / 2)] <= MEDIAN, `median ${at(0.5)} ms`);
});
