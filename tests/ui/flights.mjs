// The page in Chromium over what the example DAG reported (flights.jsonl). Run by test_page.py.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { accessible, address, drawn, eachWithAPage, edges, eventually, filled, fills, here, labelsFree, linesSeen, more, open, pictured, readable, report, row, shelf, watch } from "./page.mjs";

const MART = { namespace: "file", name: "/data/mart/plane_days" };
const RUN = "manual__1ed152b4-5927-477b-8860-2dc539988044";

eachWithAPage();

/** Tab to a control whose name or text is this, and press Enter. */
async function tabTo(name) {
  for (let i = 0; i < 200; i += 1) {
    await here.page.keyboard.press("Tab");
    const now = await here.page.evaluate(() => document.activeElement.ariaLabel ?? document.activeElement.textContent);
    if (now === name || now.startsWith(`${name} of `)) return here.page.keyboard.press("Enter");
  }
  return assert.fail(`the Tab key does not come to ${name}`);
}

test("from a search to a column of the mart, its way and its operations, by keyboard alone", async () => {
  await here.page.goto(`${address}/`);
  await here.page.waitForSelector(".results a");
  await here.page.keyboard.press("/");
  await here.page.keyboard.type("plane_days");
  await here.page.locator("[cmdk-item][data-selected=true]", { hasText: "plane_days" }).waitFor();
  await accessible();
  await here.page.keyboard.press("Enter");
  await here.page.waitForSelector("h1:has-text('/data/mart/plane_days')");
  await here.page.waitForSelector("section:has(h2:has-text('Written by')) td");
  await accessible();
  await tabTo("plane_age");
  await here.page.waitForSelector("h1:has-text('Lineage of plane_age')");
  const way = await edges();
  assert.equal(way.length, 8);
  assert.ok(way.includes("planes.csv.year > planes.built computed"), way.join("\n"));
  await drawn(".link");
  await here.page.getByRole("heading", { level: 1 }).focus();
  await tabTo("plane_age");
  await here.page.waitForSelector("aside .expression:has-text('max(plane_age)')");
  await accessible();
  await here.page.keyboard.press("Escape");
  await here.page.waitForSelector("aside", { state: "detached" });
});

test("every picture opens in text that can be read, nothing covers what is clicked, and no box moves", async () => {
  await watch();
  const field = { ...MART, field: "worst_delay" };
  for (const query of [
    { dag_id: "flights" },
    { dag_id: "flights", run_id: RUN, level: "field" },
    { dag_id: "flights", task_id: "mart" },
    field,
    { ...MART, view: "graph", indirect: "true" },
    { ...MART, view: "graph", level: "dataset" },
    { ...field, lock: JSON.stringify(["file", MART.name, "worst_delay"]) },
  ]) {
    await open(query);
    await here.page.locator(".box").first().waitFor();
    await readable(new URLSearchParams(query).toString());
  }
  const box = () => here.page.locator(".box.start").boundingBox(); // what is expanded leaves the rest where it is
  await open({ ...field, direction: "upstream", depth: "1" });
  await here.page.locator(".box.start").waitFor();
  const before = await box();
  await here.page.getByLabel("One hop further upstream of").click();
  await here.page.locator(".box").nth(2).waitFor();
  await readable("one hop more");
  assert.deepEqual(await box(), before);
});

test("a picture fills the window, opens whole, and is the same for the same address", async () => {
  await here.page.setViewportSize({ width: 1440, height: 900 });
  for (const query of [{ dag_id: "flights" }, { ...MART, view: "graph" }, { ...MART, view: "graph", level: "dataset" }, { ...MART, field: "plane_age" }]) {
    await open(query);
    await here.page.locator(".box").first().waitFor();
    await fills(new URLSearchParams(query).toString(), 0.7);
  }
  for (const [width, height, share] of [[1280, 720, 0.7], [1064, 650, 0.6]]) { // the latter is what Airflow leaves of 1440 x 900
    await here.page.setViewportSize({ width, height });
    await open({ dag_id: "flights" });
    await here.page.locator(".box").first().waitFor();
    await filled(`a DAG in ${width} x ${height}`, share);
    await readable(`a DAG in ${width} x ${height}`);
  }
});

/** Heights of the row of controls and of each control in it, and where each one's middle is. */
const barOf = (where) => where.locator(".bar-of-view").evaluate((bar) => {
  const controls = [...bar.querySelectorAll("button, select, summary, a.button")].filter((one) => !one.closest(".menu")).map((one) => one.getBoundingClientRect()).filter((one) => one.width > 1);
  const middles = controls.map((one) => (one.top + one.bottom) / 2);
  const title = bar.querySelector("h1");
  const text = document.createRange();
  text.selectNodeContents(title);
  return {
    height: bar.getBoundingClientRect().height, tallest: Math.max(...controls.map((one) => one.height)), apart: Math.max(...middles) - Math.min(...middles),
    cut: text.getBoundingClientRect().width - title.getBoundingClientRect().width, wider: document.documentElement.scrollWidth - innerWidth,
  };
});

test("the controls of a column are one row of one height, standalone and in a tab of Airflow, and name the column whole", more, async () => {
  const field = new URLSearchParams({ ...MART, field: "plane_age" });
  const inRow = async (where, what) => {
    await where.locator(".link").first().waitFor({ state: "attached" });
    await where.getByLabel("Pin another column").waitFor();
    const { height, tallest, apart, cut, wider } = await barOf(where);
    report(`${what}: the row of controls has ${height} px`);
    assert.ok(height <= 36 && tallest <= 30 && apart <= 2 && cut < 0.1 && wider <= 0, JSON.stringify([what, height, tallest, apart, cut, wider]));
  };
  for (const width of [1440, 1280]) {
    await here.page.setViewportSize({ width, height: 800 });
    await open(field);
    await inRow(here.page, `${width} px`);
  }
  await here.page.setViewportSize({ width: 1440, height: 900 }); // of which Airflow leaves a tab this frame
  const frame = `<iframe style="position: absolute; left: 360px; top: 230px; width: 1064px; height: 650px; border: 0" src="/?${field.toString().replaceAll("&", "&amp;")}"></iframe>`;
  await here.page.route("**/dags/flights", (route) => route.fulfill({ contentType: "text/html", body: `<!doctype html><title>tab</title>${frame}` }));
  await here.page.goto(`${address}/dags/flights`);
  const tab = here.page.frameLocator("iframe");
  await inRow(tab, "a tab of Airflow at 1440 px");
  await tab.locator(".asked summary").click();
  await tab.locator(".asked").getByRole("link", { name: "Copies" }).click();
  await tab.getByRole("heading", { name: "Copies of plane_age" }).waitFor();
});

test("each page offers a thing once: one search at home, no menu of the questions that are links beside it", async () => {
  await here.page.goto(`${address}/`);
  await here.page.locator("#changes").waitFor();
  assert.equal(await here.page.getByRole("button", { name: "Search" }).count(), 0);
  assert.equal(await here.page.getByRole("searchbox", { name: /^Search/ }).count(), 1);
  for (const view of ["why", "copies"]) {
    await open({ ...MART, field: "plane_age", view });
    await here.page.getByRole("button", { name: "Search" }).waitFor();
    await here.page.getByRole("link", { name: "Lineage", exact: true }).waitFor();
    assert.equal(await here.page.locator(".asked:visible").count(), 0, view);
  }
});

test("on a narrow screen a DAG is a list in which each dataset comes after those that it is computed from", more, async () => {
  await here.page.setViewportSize({ width: 390, height: 844 });
  await open({ dag_id: "flights" });
  const list = here.page.getByLabel("Lineage as a list");
  await list.waitFor();
  const items = (await list.locator("> li").allInnerTexts()).map((text) => text.split("\n").map((line) => line.trim()));
  const names = items.map(([name]) => name);
  assert.equal(names.length, 14);
  for (const [name, ...lines] of items) {
    assert.doesNotMatch(lines.join(), /hop|all rows/, name); // there is no dataset to count hops from
    for (const line of lines.filter((text) => text.startsWith("←"))) {
      const source = line.slice(2);
      assert.ok(names.indexOf(source) >= 0 && names.indexOf(source) < names.indexOf(name), `${source} before ${name}`);
    }
  }
  assert.equal(names.at(-1), "plane_days");
  await accessible();
});

test("a column that others only choose has its sources, and the counts say through what", async () => {
  await open({ namespace: "file", name: "/data/report/lateness", field: "share_late" });
  await drawn(".link.indirect");
  await here.page.locator("text=/\\+ 1 through a condition/").waitFor();
  await shelf("History");
  await here.page.locator(".timeline li", { hasText: "through a condition: arr_delay (filter)" }).waitFor();
  await open({ ...MART, field: "on_time_flights" });
  await drawn(".link.indirect");
  assert.ok((await edges()).includes("…/delays/flights.kind > plane_days.on_time_flights conditional"), (await edges()).join());
});

test("the selected field stays in sight when its drawer opens", more, async () => {
  await open({ ...MART, view: "graph" });
  const last = row("file /data/mart/plane_days", "worst_delay");
  await last.locator(".type[data-type='max(arr_delay)']").waitFor();
  await last.locator(".sign.aggregated").waitFor();
  await last.hover(); // what is pointed at tells how it is made
  await here.page.locator(".pointed code", { hasText: "max(arr_delay)" }).waitFor();
  await last.click();
  await here.page.waitForSelector("aside .expression:has-text('max(')");
  const [seen, canvas] = [await last.boundingBox(), await here.page.locator(".canvas").boundingBox()];
  assert.ok(seen.x >= canvas.x && seen.x + seen.width <= canvas.x + canvas.width, JSON.stringify([seen, canvas]));
  await readable("with a drawer");
  const enriched = ["file", "/data/enriched", ""]; // a dataset too, when such a link is opened
  await open({ dag_id: "flights", lock: JSON.stringify(enriched) });
  await here.page.waitForSelector("aside h3:has-text('Columns')");
  await readable("with a dataset's drawer");
  const box = await here.page.locator(".box", { has: here.page.locator('.title.locked') }).boundingBox();
  const room = await here.page.locator(".canvas").boundingBox();
  assert.ok(box.x >= room.x && box.x + box.width <= room.x + room.width, JSON.stringify([box, room]));
});

test("what the drawer pushes out of the picture is counted at its edge, and a click leads there", more, async () => {
  await here.page.setViewportSize({ width: 1440, height: 900 });
  const left = here.page.getByRole("button", { name: /^\d+ more beyond the left edge$/ });
  await open({ ...MART, view: "graph" });
  await row("file /data/mart/plane_days", "worst_delay").waitFor();
  const canvas = here.page.locator(".canvas");
  const boxes = await here.page.locator(".box").count();
  const cut = async () => {
    const room = await canvas.boundingBox();
    const all = await here.page.locator(".box").evaluateAll((found) => found.map((box) => box.getBoundingClientRect().x));
    return all.filter((x) => x < room.x).length;
  };
  assert.equal(await here.page.locator("[aria-label='Beyond the edges of the picture']").count(), 0); // all is seen
  await row("file /data/mart/plane_days", "worst_delay").click();
  await left.waitFor();
  const beyond = Number((await left.innerText()).match(/\d+/)[0]);
  assert.ok(beyond >= (await cut()) && beyond < boxes, `${beyond} of ${boxes}`);
  await accessible(["light"]);
  await left.click();
  await left.waitFor({ state: "detached" });
  assert.equal(await cut(), 0);
  await here.page.getByRole("button", { name: /beyond the right edge$/ }).waitFor();
  await readable("at the left edge");
  await open({ ...MART, field: "plane_age", direction: "upstream", depth: "1" }); // what has room beside the drawer stays whole
  await row("file /data/mart/plane_days", "plane_age").click();
  await here.page.locator("aside.drawer").waitFor();
  await readable("beside a drawer");
  assert.equal(await here.page.locator("[aria-label='Beyond the edges of the picture']").count(), 0);
});

test("the border of a drawer is dragged, and moved by the arrow keys", more, async () => {
  const wide = async (selector) => (await here.page.locator(selector).boundingBox()).width;
  await open({ ...MART, view: "graph", lock: JSON.stringify(["file", MART.name, "plane_age"]) });
  await here.page.locator("aside.drawer").waitFor();
  await here.page.locator(".row.locked").waitFor();
  const border = here.page.getByRole("separator", { name: "Size of the drawer" });
  const [before, canvas, { x, y, width, height }] = [await wide("aside.drawer"), await wide(".canvas"), await border.boundingBox()];
  assert.equal(Math.round(before), 360);
  await here.page.mouse.move(x + width / 2, y + height / 2);
  await here.page.mouse.down();
  await here.page.mouse.move(x + width / 2 - 150, y + height / 2, { steps: 5 });
  await here.page.mouse.up();
  const dragged = await wide("aside.drawer");
  assert.ok(Math.abs(dragged - before - 150) < 4, `${before} to ${dragged}`);
  assert.ok(Math.abs(canvas - (await wide(".canvas")) - 150) < 4);
  await border.focus();
  await here.page.keyboard.press("ArrowRight");
  assert.ok((await wide("aside.drawer")) < dragged);
  await readable("with a drawer that was resized");
  await accessible();
  await here.page.getByRole("button", { name: "Close" }).click();
  await border.waitFor({ state: "detached" });
  assert.ok((await wide(".canvas")) > canvas + 300);
});

test("a tab of Airflow that is 904 px wide has one row of controls and no map", more, async () => {
  await here.page.setViewportSize({ width: 904, height: 620 });
  for (const query of [{ dag_id: "flights", task_id: "mart" }, { dag_id: "flights" }, { ...MART, field: "plane_age" }]) {
    const frame = `<style>body { margin: 0 } iframe { border: 0; width: 100vw; height: 100vh; display: block }</style><iframe title="lineage" src="${address}/?${new URLSearchParams(query)}"></iframe>`;
    await here.page.route("**/dags/**", (route) => route.fulfill({ contentType: "text/html", body: frame }));
    await here.page.goto(`${address}/dags/flights`);
    const tab = here.page.frameLocator("iframe");
    await tab.locator(".box").first().waitFor();
    await tab.locator(".controls").getByRole("button", { name: "Copy link" }).waitFor();
    const { bar, tools, cut } = await tab.locator("html").evaluate((html) => ({
      bar: html.querySelector(".bar-of-view").offsetHeight, tools: html.querySelector(".tools").offsetHeight, cut: html.scrollWidth - window.innerWidth,
    }));
    assert.ok(bar <= 36, `${JSON.stringify(query)}: ${bar} px of controls`);
    assert.ok(tools <= 64, `${JSON.stringify(query)}: ${tools} px of tools`);
    assert.ok(cut <= 0, `${JSON.stringify(query)}: ${cut} px too wide`);
    const last = await tab.locator(".controls > :last-child").boundingBox();
    assert.ok(last.x + last.width <= 904, JSON.stringify(query));
    assert.equal(await tab.locator(".react-flow__minimap").isVisible(), false);
  }
});

test("the map, the zoom and the legend have room of their own, and nothing of them is cut off", more, async () => {
  const rect = (selector) => here.page.locator(selector).boundingBox();
  for (const [width, height, mapped] of [[1440, 900, false], [800, 700, false], [1100, 620, false], [1100, 720, true]]) {
    await here.page.setViewportSize({ width, height });
    await open({ ...MART, view: "graph" });
    await here.page.locator(".box").first().waitFor();
    assert.equal(await here.page.locator(".react-flow__minimap").isVisible(), mapped, `${width}`);
    const [canvas, tools] = [await rect(".canvas"), await rect(".tools")];
    assert.ok(canvas.y + canvas.height <= tools.y + 1, "below the picture, not over it");
    const cut = await here.page.evaluate(() => {
      const room = document.querySelector(".tools").getBoundingClientRect();
      const inside = ({ left, right, top, bottom }) => left >= room.left && right <= room.right && top >= room.top && bottom <= room.bottom;
      return [...document.querySelectorAll(".tools :is(button, .legend > span, .react-flow__minimap)")].filter((one) => one.getClientRects().length > 0 && !inside(one.getBoundingClientRect())).map((one) => one.outerHTML);
    });
    assert.deepEqual(cut, [], `${width}`);
    await readable(`${width} px wide`);
  }
  const place = () => here.page.locator(".react-flow__viewport").evaluate((one) => one.style.transform);
  const before = await place();
  const map = await rect(".react-flow__minimap");
  await here.page.mouse.click(map.x + 20, map.y + 20); // what is clicked on the map, or dragged to, is seen
  await here.page.mouse.move(map.x + map.width / 2, map.y + map.height / 2);
  await here.page.mouse.down();
  await here.page.mouse.move(map.x + map.width / 4, map.y + map.height / 2, { steps: 4 });
  await here.page.mouse.up();
  assert.notEqual(await place(), before);
  const touch = await here.context.browser().newContext({ viewport: { width: 1100, height: 720 }, hasTouch: true });
  const page = await touch.newPage();
  await page.goto(here.page.url());
  await page.locator(".box").first().waitFor();
  const client = await touch.newCDPSession(page);
  const zoom = () => page.locator(".react-flow__viewport").evaluate((one) => new DOMMatrix(getComputedStyle(one).transform).a);
  const was = await zoom();
  await client.send("Input.synthesizePinchGesture", { x: 500, y: 300, scaleFactor: 1.5, gestureSourceType: "touch" });
  await eventually(async () => assert.ok((await zoom()) > was, "two fingers zoom"));
  await touch.close();
});

test("of a selected column the values' way is strong, conditions are faint, the rest recedes, and only the way can be drawn", more, async () => {
  await open({ ...MART, view: "graph", lock: JSON.stringify(["file", MART.name, "worst_delay"]) });
  await here.page.locator(".row.locked").waitFor();
  const boxes = await here.page.locator(".box").count();
  const width = (selector) => here.page.locator(selector).first().evaluate((line) => parseFloat(getComputedStyle(line).strokeWidth));
  await drawn(".link.lit:not(.weak)");
  assert.ok((await width(".link.lit:not(.weak)")) > 2);
  assert.equal(await here.page.locator(".link.faded").first().evaluate((line) => getComputedStyle(line).opacity), "0.2");
  await here.page.getByRole("button", { name: "Only this path" }).click();
  await eventually(async () => assert.equal(await here.page.locator(".link.faded, .box.faded").count(), 0));
  await eventually(async () => {
    const way = await here.page.locator(".box .row").evaluateAll((rows) => rows.map((one) => one.dataset.field).sort());
    assert.deepEqual([...new Set(way)], ["arr_delay", "worst_delay"]);
  });
  assert.ok((await here.page.locator(".box").count()) < boxes);
  assert.equal(new URL(here.page.url()).searchParams.get("only"), "true");
  await here.page.locator(".shelves .note", { hasText: "5 datasets, 5 columns, 4 links" }).waitFor();
  assert.equal((await edges()).length, 4);
  await readable("only a path");
  await accessible();
  await here.page.reload();
  await here.page.locator(".shelves .note", { hasText: "5 datasets, 5 columns, 4 links" }).waitFor();
  await here.page.getByRole("button", { name: "Only this path" }).click();
  await here.page.locator(".shelves .note", { hasText: "11 datasets" }).waitFor();
  await open({ namespace: "file", name: "/data/report/lateness", field: "share_late", lock: JSON.stringify(["file", "/data/report/lateness", "share_late"]) });
  await drawn(".link.lit.weak");
  assert.ok((await width(".link.lit.weak")) < 1.5);
  assert.deepEqual(await here.page.locator(".link.lit:not(.weak)").count(), 1); // into plane_days
  await here.page.keyboard.press("Escape");
  await here.page.getByRole("button", { name: "Only this path" }).waitFor({ state: "detached" });
});

test("a line is clicked 4 px beside it, and its drawer has the kind, the task and the expression", more, async () => {
  await open({ ...MART, field: "plane_age" });
  await here.page.locator(".box").nth(6).waitFor();
  await drawn(".hit");
  const place = await here.page.evaluate((target) => { // beside the line to the column
    const hit = [...document.querySelectorAll(".hit")].find((one) => {
      const end = one.getPointAtLength(one.getTotalLength()).matrixTransform(one.getScreenCTM());
      return Math.abs(end.x - target.x) < 6 && Math.abs(end.y - target.y - target.height / 2) < 6;
    });
    const { x, y } = hit.getPointAtLength(hit.getTotalLength() / 2).matrixTransform(hit.getScreenCTM());
    return { x, y: y + 3.5 };
  }, await row("file /data/mart/plane_days", "plane_age").boundingBox());
  await here.page.mouse.click(place.x, place.y);
  const drawer = here.page.getByLabel("The selected line");
  await drawer.locator("h2", { hasText: "flights.plane_age → plane_days.plane_age" }).waitFor();
  assert.match(await drawer.locator(".conditions").innerText(), /aggregated by task mart of DAG flights, last Nov 23, 2026/);
  await drawer.locator(".expression", { hasText: "max(plane_age)" }).waitFor();
  assert.deepEqual(JSON.parse(new URL(here.page.url()).searchParams.get("link")), ["file", "/data/delays/flights", "plane_age", "file", MART.name, "plane_age"]);
  assert.equal(await here.page.locator(".link.lit").count(), 1);
  await accessible();
  await here.page.reload();
  await drawer.locator(".expression").waitFor();
  await here.page.keyboard.press("Escape");
  await drawer.waitFor({ state: "detached" });
  await open({ dag_id: "flights" }); // between datasets there are as many links as there are columns
  await here.page.locator(".box").first().waitFor();
  await drawn(".hit");
  await here.page.locator(".hit").first().dispatchEvent("click");
  await drawer.locator("h2 a").nth(1).waitFor();
  assert.match(await drawer.locator(".conditions").innerText(), /by task .+ of DAG flights/);
});

test("a box has a stripe in the colour of its layer and its name, as the legend does; a tag comes before the folder", more, async () => {
  const layers = () => here.page.locator(".box").evaluateAll((boxes) => Object.fromEntries(boxes.map((box) => {
    const [name, stripe] = [box.querySelector("small .layer"), box.querySelector(".layer.stripe")];
    const colours = name && [getComputedStyle(name).color, getComputedStyle(stripe).backgroundColor, stripe.offsetHeight];
    return [box.querySelector(".head").title, name && [name.innerText, ...colours]];
  })));
  const named = () => here.page.locator(".legend .layer").evaluateAll((all) => Object.fromEntries(all.map((one) => [one.innerText, getComputedStyle(one).color])));
  await open({ ...MART, view: "graph" });
  await here.page.locator(".box").first().waitFor();
  const [seen, legend] = [await layers(), await named()];
  const [text, colour, stripe, height] = seen["file /data/typed/flights"];
  assert.deepEqual([text, stripe, height], ["typed", colour, 3]);
  assert.deepEqual(seen["file /data/typed/airlines"], seen["file /data/typed/flights"]);
  assert.equal(seen["file /data/mart/plane_days"][0], "mart");
  assert.notEqual(seen["file /data/mart/plane_days"][1], colour);
  assert.equal(seen["file /data/enriched"], null); // nothing says it
  for (const layer of Object.values(seen).filter(Boolean)) assert.equal(legend[layer[0]], layer[1]);
  await accessible();
  await here.page.route("**/api/v1/sizes?*", async (asked) => {
    const response = await asked.fetch();
    const { sizes } = await response.json();
    await asked.fulfill({ response, json: { sizes: sizes.map((one) => (one.name === "/data/enriched" ? { ...one, tags: ["pii", "layer=mart"] } : one)) } });
  });
  await open({ ...MART, view: "graph", level: "dataset" });
  await here.page.locator(".box:has([title='file /data/enriched']) small .layer", { hasText: "mart" }).waitFor();
  const tagged = await layers();
  assert.deepEqual(tagged["file /data/enriched"], tagged["file /data/mart/plane_days"]);
  await accessible();
});

test("a box has the sign of its storage, the expression of what is no copy, and buttons that say how many are beyond", async () => {
  await open({ ...MART, view: "graph" });
  const how = row("file /data/mart/plane_days", "worst_delay").locator(".how[data-type='max(arr_delay)']");
  await how.waitFor();
  assert.match(await row("file /data/mart/plane_days", "worst_delay").getAttribute("title"), /worst_delay · integer · max\(arr_delay\) · aggregated/);
  assert.equal(await row("file /data/enriched", "arr_delay").locator(".how").count(), 0); // copied
  assert.equal(await row("file /data/enriched", "arr_delay").locator(".type").getAttribute("data-type"), "integer");
  assert.equal(await here.page.locator(".box .storage[data-storage=files]").count(), await here.page.locator(".box").count());
  await readable("expressions in rows");
  const typed = here.page.locator('.head[title="file /data/typed/flights"]'); // its own name first, then what tells it from the other one
  assert.equal(await typed.locator(".title").innerText(), "flights");
  assert.match(await typed.locator("small").first().innerText(), /^typed · 5 of 11 columns$/);
  const late = row("file /data/mart/plane_days", "airline_share_late").locator(".name"); // a long name keeps both its ends
  assert.match(await late.getAttribute("data-short"), /^airl.*….*_late$/);
  for (const whole of ["on_time_flights", "carrier_rank", "worst_delay"]) {
    assert.equal(await row("file /data/mart/plane_days", whole).locator(".name").innerText(), whole); // there is room
  }
  const cut = await here.page.locator(".row .name").evaluateAll((all) => all.filter((name) => name.scrollWidth > name.clientWidth).map((name) => name.outerHTML));
  assert.deepEqual(cut, []);
  await row("file /data/mart/plane_days", "on_time").and(here.page.locator(".gone")).waitFor();
  await here.page.locator(".exports summary").click(); // a picture that is taken away has them too
  const [download] = await Promise.all([here.page.waitForEvent("download"), here.page.locator(".exports").getByText("SVG", { exact: true }).click()]);
  const picture = readFileSync(await download.path(), "utf8");
  assert.match(picture, />max\(arr_delay\)<title>max\(arr_delay\)<\/title>/);
  assert.match(picture, / text-decoration="line-through">on_time</);
  await accessible(["dark", "light"]);
  const boxes = await here.page.locator(".box").evaluateAll((all) => all.map((box) => {
    const [name, layer] = [box.querySelector(".title").innerText, box.querySelector("small .layer")];
    const colour = layer ? getComputedStyle(layer).color : "";
    return [name, layer ? layer.innerText : "", colour, colour];
  }));
  await here.page.setContent(picture);
  const taken = await here.page.locator("svg").evaluate((svg) => [...svg.querySelectorAll("text[font-weight]")].slice(1).map((name) => {
    const layer = name.nextElementSibling.querySelector("tspan");
    const stripe = [...svg.querySelectorAll('path[stroke-width="3"]')].find((path) => {
      const [down, right] = [name.getBBox().y - path.getBBox().y, name.getBBox().x - path.getBBox().x];
      return down > 0 && down < 16 && right > 0 && right < 40; // at the top of its box
    });
    return [name.textContent, layer?.textContent ?? "", layer ? getComputedStyle(layer).fill : "", stripe ? getComputedStyle(stripe).stroke : ""];
  }));
  assert.deepEqual(taken.toSorted(), boxes.toSorted()); // the same names, layers and colours
  assert.equal(await here.page.locator("svg title", { hasText: /^files$/ }).count(), boxes.length); // the sign of the storage
  await open({ dag_id: "flights", task_id: "enrich" });
  const more = here.page.getByLabel("One hop further downstream of /data/enriched: 4 datasets");
  await more.waitFor();
  assert.equal(await more.innerText(), "+4");
  const { width, height } = await more.boundingBox();
  assert.ok(width >= 24 && height >= 24, `${width} x ${height}`);
  await readable("buttons to expand");
  await here.page.locator(".shelves .note", { hasText: "5 datasets" }).waitFor();
  await more.click();
  await here.page.locator(".shelves .note", { hasText: "9 datasets" }).waitFor();
  await open({ dag_id: "flights" }); // nothing is beyond the files that nobody writes
  await here.page.locator(".box").nth(13).waitFor();
  await eventually(async () => assert.equal(await here.page.locator(".more").count(), 0));
  const shortened = here.page.locator(".box .chip .name:has(.start)", { hasText: "typed" }).first(); // in its middle
  assert.deepEqual(await shortened.locator("span").evaluateAll((parts) => parts.map((part) => part.scrollWidth > part.clientWidth)), [true, false]);
  assert.match(await shortened.locator("span").last().innerText(), /reference$/);
});

test("the panel below a picture is closed at first, opens to a third, is dragged, and the address remembers it", more, async () => {
  await here.page.setViewportSize({ width: 1440, height: 900 });
  const tall = async (selector) => (await here.page.locator(selector).boundingBox()).height;
  const asked = (key) => new URL(here.page.url()).searchParams.get(key);
  await open({ ...MART, field: "plane_age" });
  await here.page.locator(".box").first().waitFor();
  assert.equal(Math.round(await tall("#below")), 32);
  const [whole, split] = [await tall(".canvas"), await tall(".split")];
  await here.page.getByRole("button", { name: "Impact" }).click();
  await here.page.locator("section[aria-labelledby=impact]").waitFor();
  await eventually(async () => assert.ok(Math.abs((await tall("#below")) / split - 0.33) < 0.01));
  assert.ok((await tall(".canvas")) < whole - 150);
  assert.equal(asked("panel"), "impact");
  await accessible();
  const border = here.page.getByRole("separator", { name: "Size of the panel below" });
  const { x, y, width } = await border.boundingBox();
  await here.page.mouse.move(x + width / 2, y + 3);
  await here.page.mouse.down();
  await here.page.mouse.move(x + width / 2, y - 117, { steps: 5 });
  await here.page.mouse.up();
  await here.page.waitForURL((url) => Number(url.searchParams.get("panel_size")) > 45);
  const dragged = await tall("#below");
  await here.page.reload();
  await here.page.locator("section[aria-labelledby=impact]").waitFor();
  assert.ok(Math.abs((await tall("#below")) - dragged) < split / 100, "a reload shows the same");
  await readable("with a panel below");
  await border.focus(); // and by the keyboard alone
  await here.page.keyboard.press("ArrowDown");
  await eventually(async () => assert.ok((await tall("#below")) < dragged));
  await here.page.getByRole("button", { name: "Hide the panel" }).click();
  await eventually(async () => assert.equal(Math.round(await tall("#below")), 32));
  assert.equal(asked("panel"), null);
  assert.ok(Math.abs((await tall(".canvas")) - whole) < 2);
  for (const title of ["Table", "History", "Runs"]) { // each has its own, and a second click closes it
    await here.page.getByRole("button", { name: title }).click();
    await here.page.locator(`#shelf :is(table, .timeline)`).first().waitFor();
  }
  await here.page.getByRole("button", { name: "Runs" }).click();
  await here.page.locator("#shelf").waitFor({ state: "detached" });
});

test("lines are seen in both themes, and labels on them lie on nothing", more, async () => {
  for (const query of [
    { dag_id: "flights" },
    { dag_id: "flights", level: "task" },
    { ...MART, view: "graph", indirect: "true", depth: "2" },
  ]) {
    await open(query);
    await drawn(".link");
    await linesSeen(new URLSearchParams(query).toString());
  }
  for (const [name, field] of [["/data/enriched", "arr_delay"], ["/data/typed/flights", "dest"], [MART.name, "worst_delay"], [MART.name, "plane_age"]]) {
    await open({ ...MART, view: "graph", indirect: "true", lock: JSON.stringify(["file", name, field]) });
    await here.page.locator(".row.locked").waitFor();
    await labelsFree(`${name}.${field}`);
    await here.page.getByRole("button", { name: "Show all" }).click();
    await labelsFree(`${name}.${field}, all`);
  }
});

test("all fields, with what only decides, and as datasets", more, async () => {
  await open({ ...MART, view: "graph" });
  await drawn(".link.masking");
  await here.page.locator('.row.gone[data-field="on_time"]').waitFor(); // of an earlier run only
  const direct = (await edges()).length;
  await here.page.getByLabel("Rows").check();
  await drawn(".link.indirect");
  assert.ok((await edges()).length > direct);
  await accessible();
  await here.page.getByLabel("Level").selectOption("dataset");
  await here.page.waitForURL(/level=dataset/);
  await here.page.waitForFunction(() => document.querySelector(".box") && !document.querySelector(".row"));
  await here.page.waitForSelector("text=/^13 datasets, 14 links/"); // all but the report on routes
  await accessible();
});

test("what comes from a file's column", async () => {
  await open({ namespace: "file", name: "/data/raw/flights.csv", field: "arr_delay" });
  await shelf("Impact");
  await here.page.waitForSelector("section[aria-labelledby=impact] tbody tr");
  const impact = await here.page.locator("section[aria-labelledby=impact] tbody").innerText();
  assert.match(impact, /plane_days\s+worst_delay\s+flights.mart/);
  const [, direct, through] = (await here.page.locator("h2#impact").innerText()).match(/(\d+) direct \+ (\d+) through filters and conditions/);
  assert.equal((impact.match(/\bdirect$/gm) ?? []).length, Number(direct));
  assert.equal((impact.match(/through a filter or condition$/gm) ?? []).length, Number(through));
  await accessible();
  await open({ ...MART, field: "flights" }); // a count of rows comes from no column
  await here.page.waitForSelector("text=Nothing is known upstream or downstream of flights");
  await here.page.waitForSelector("aside .expression:has-text('count(1)')");
  await accessible();
  await open({ namespace: "file", name: "/data/raw/flights.csv" });
  await here.page.waitForSelector("dt:has-text('format')");
});

test("the DAG's run, and one task of it", async () => {
  await open({ dag_id: "flights", run_id: RUN, level: "field" });
  await here.page.getByRole("button", { name: "Show all" }).click();
  await row("file /data/mart/plane_days", "plane_age").waitFor();
  const written = here.page.locator("section[aria-labelledby=outputs] tbody tr");
  await shelf("Runs");
  await written.first().waitFor();
  assert.equal(await written.count(), 10);
  await accessible();
  await here.page.waitForSelector("text=/columns? from no column/");
  await row("file /data/mart/plane_days", "flights").waitFor(); // a count of rows is drawn too
  await here.page.getByLabel("Find a dataset in the graph").fill("nowhere");
  await here.page.keyboard.press("Enter");
  await here.page.waitForSelector("text=No dataset of this picture is called “nowhere”");
  await here.page.getByLabel("Find a dataset in the graph").fill("routes");
  await here.page.keyboard.press("Enter");
  await here.page.waitForFunction(() => {
    const found = document.querySelector('.head[title="file /data/report/routes"]')?.getBoundingClientRect();
    const canvas = document.querySelector(".canvas").getBoundingClientRect();
    const middle = (one) => one.left + one.width / 2;
    return found && found.width > 200 && Math.abs(middle(found) - middle(canvas)) < 20;
  });
  await open({ dag_id: "flights", run_id: RUN, task_id: "mart" });
  await here.page.waitForSelector("h1:has-text('Task mart of DAG flights writes')");
  assert.ok((await edges()).every((edge) => edge.includes("> plane_days.")));
  await shelf("Runs");
  await written.first().waitFor();
  assert.equal(await written.count(), 1);
  await here.page.getByRole("link", { name: "lineage at that time" }).click();
  await here.page.waitForSelector("h1:has-text('Lineage of all columns')");
});

test("the changed job's run: what changed in the mart, and why a column is different", async () => {
  await here.page.goto(`${address}/`);
  await here.page.getByRole("link", { name: "2 columns new, 1 column gone" }).click();
  await drawn(".link.added");
  await drawn(".link.removed");
  await open({ ...MART, field: "airline_share_late" });
  await shelf("History");
  await here.page.locator(".timeline li").nth(1).waitFor(); // made in two ways
  await here.page.getByRole("link", { name: "Why different?" }).click();
  await here.page.waitForSelector("h1:has-text('1 cause')");
  assert.match(await here.page.locator(".causes li").innerText(), /^transformation changed plane_days.airline_share_late here/);
});

test("a dataset's columns, a recipe and a change say by which expression a column is computed", more, async () => {
  await open(MART);
  const cell = (column) => here.page.getByRole("region", { name: "Columns" }).locator("tbody tr", { has: here.page.getByRole("link", { name: column, exact: true }) }).locator("td").nth(2);
  await cell("worst_delay").locator("code", { hasText: "max(arr_delay)" }).waitFor();
  await cell("worst_delay").locator(".sign.aggregated").waitFor();
  await cell("on_time_flights").locator(".sign.condition").waitFor();
  assert.equal((await cell("on_time_flights").innerText()).trim().split("\n").at(-1), "sum(CASE WHEN kind = 'on time' THEN 1 ELSE 0 END)");
  assert.equal((await cell("flights").innerText()).trim(), "count(1)"); // of rows: no column
  assert.equal(await cell("carrier").locator("code").count(), 0); // copied
  assert.equal((await cell("on_time").innerText()).trim(), ""); // gone
  await accessible();
  await open({ namespace: "file", name: "/data/report/lateness", field: "share_late", lock: JSON.stringify(["file", "/data/report/lateness", "share_late"]) });
  const steps = here.page.locator("aside section", { has: here.page.getByRole("heading", { name: "Recipe" }) }).locator("li");
  await steps.last().locator(".expression", { hasText: "FILTER (WHERE is_late)" }).waitFor();
  await steps.first().locator(".expression", { hasText: "CAST(arr_delay AS int" }).waitFor();
  await accessible();
  await here.page.goto(`${address}/`);
  await here.page.getByRole("link", { name: "2 columns new, 1 column gone" }).click();
  const changes = here.page.locator(".changes li");
  await changes.filter({ hasText: "share_late → round(share_late, 3)" }).waitFor();
  const texts = (await changes.allInnerTexts()).sort();
  assert.match(texts[1], /^column added on_time_flights sum\(CASE WHEN/);
  assert.equal(texts.filter((text) => /nothing|no column|IDENTITY|TRANSFORMATION/.test(text)).length, 0, texts.join("\n"));
  await accessible();
});

test("no choice of the controls is cut off, and times stand on the line of what they are of", more, async () => {
  for (const [width, height] of [[1440, 900], [1024, 700]]) {
    await here.page.setViewportSize({ width, height });
    for (const query of [{ ...MART, field: "plane_age", direction: "downstream" }, { ...MART, view: "graph", level: "task", direction: "upstream" }]) {
      await open(query);
      await here.page.getByLabel("Direction").waitFor();
      const cut = await here.page.locator(".bar-of-view select").evaluateAll((all) => all.filter((select) => select.checkVisibility()).flatMap((select) => {
        const style = getComputedStyle(select);
        const pen = Object.assign(document.createElement("canvas").getContext("2d"), { font: style.font });
        const text = select.selectedOptions[0].text;
        const arrow = 16; // beside the text
        return pen.measureText(text).width + parseFloat(style.paddingLeft) + parseFloat(style.paddingRight) + arrow > select.offsetWidth + 1 ? [text] : [];
      }));
      assert.deepEqual(cut, [], `${width}`);
    }
    for (const query of [{ field: "airline_share_late" }, { field: "airline_share_late", at: "2026-11-23T08:20:00Z", before: "2026-11-23T08:19:40Z" }, { view: "graph", level: "task" }]) {
      await open({ ...MART, ...query });
      await here.page.locator(".box").first().waitFor();
      const controls = await here.page.locator(".bar-of-view :is(h1, button, summary, select, output)").evaluateAll((all) =>
        all.filter((control) => control.checkVisibility() && !control.closest(".menu")).map((control) => control.getBoundingClientRect().toJSON()));
      assert.ok(controls.length > 6);
      const middles = controls.map(({ top, bottom }) => (top + bottom) / 2);
      assert.ok(Math.max(...middles) - Math.min(...middles) < 10, `one row at ${width}: ${middles}`);
      assert.ok(Math.max(...controls.map(({ right }) => right)) <= width, `${width}`);
    }
    await here.page.locator(".times summary").click();
    await here.page.getByLabel("Time").selectOption("compare");
    for (const label of ["from run", "to run"]) {
      const { x, width: wide } = await here.page.getByLabel(label).boundingBox();
      assert.ok(x >= 0 && x + wide <= width && wide >= 260, `${label} at ${width}`);
    }
    await accessible(["light"]);
    await here.page.goto(`${address}/`);
    await here.page.locator("#changes").waitFor();
    const bases = await here.page.locator("section[aria-labelledby=used] li").evaluateAll((all) => all.map((item) => [...item.children].map((child) => {
      const mark = Object.assign(document.createElement("span"), { style: "display: inline-block" });
      child.prepend(mark);
      const { bottom } = mark.getBoundingClientRect();
      mark.remove();
      return Math.round(bottom);
    })));
    assert.ok(bases.length > 0);
    for (const [name, side] of bases) assert.ok(Math.abs(name - side) <= 1, `${name} and ${side}`);
    const [lists, table] = await Promise.all([".home", ".home + section"].map((selector) => here.page.locator(selector).boundingBox()));
    assert.ok(table.y - lists.y - lists.height >= 24);
  }
});

test("each of nine answers is at most two clicks from the home page, with the mouse alone", async () => {
  const link = (name) => here.page.getByRole("link", { name });
  const search = (words, action, column) => [
    () => here.page.getByRole("searchbox", { name: "Search datasets, columns, DAGs and tasks" }).click(),
    () => here.page.keyboard.type(words),
    () => link(`${action}: ${column}`).click(),
  ];
  const late = `airline_share_late ${MART.name}`;
  const answers = [
    ["how a column is computed, from its sources on", search("plane_days.airline_share_late", "Recipe", late), "aside .expression >> text=round(share_late, 3)"],
    ["what depends on a column", search("typed flights arr_delay", "Impact", "arr_delay /data/typed/flights"), "section[aria-labelledby=impact] tr:has-text('worst_delay')"],
    ["how a column was computed before", search("plane_days.airline_share_late", "History", late), ".timeline li >> nth=1"],
    ["where a value is copied to", search("raw flights carrier", "Copies", "carrier /data/raw/flights.csv"), "[aria-label=Copies] tr:has-text('plane_days')"],
    ["why a column is different", search("plane_days.airline_share_late", "Why different?", late), ".causes li:has-text('transformation changed')"],
    ["which columns nothing uses", [() => link("Unused columns").click()], "[aria-label='Unused columns'] tr:has-text('seats')"],
    ["what a DAG writes, and whether its tasks succeeded", [() => here.page.locator("#dags ~ .results").getByRole("link", { name: "flights" }).click()], ".box .chip .state-sign.success"],
    ["what changed lately", [() => link(/2 columns new, 1 column gone/).click()], ".changes li:has-text('column removed')"],
    ["where lineage is missing", [() => link("Coverage of all DAGs").click()], ".covered li:has-text('flights')"],
  ];
  await here.page.addInitScript(() => {
    window.clicks = 0;
    window.addEventListener("click", (event) => { if (event.isTrusted && event.detail) window.clicks += 1; }, true); // by the pointer
  });
  const counts = [];
  for (const [question, steps, answer] of answers) {
    await here.page.goto(`${address}/`);
    await here.page.locator("#changes ~ .results").waitFor();
    for (const step of steps) await step();
    await here.page.locator(answer).first().waitFor();
    counts.push([question, await here.page.evaluate(() => window.clicks)]);
    report(`${question}: clicks from the home page ${counts.at(-1)[1]}`);
  }
  assert.equal(counts.length, 9);
  assert.deepEqual(counts.filter(([, clicks]) => clicks < 1 || clicks > 2), []);
});

test("the search of the home page lists datasets, columns and DAGs with what can be asked of them", more, async () => {
  await here.page.goto(`${address}/`);
  const box = here.page.getByRole("searchbox", { name: "Search datasets, columns, DAGs and tasks" });
  await box.fill("plane days");
  await here.page.getByRole("link", { name: `Table: ${MART.name} file` }).waitFor();
  await here.page.getByRole("link", { name: `Copies: plane_age ${MART.name}` }).waitFor();
  assert.equal(await here.page.locator("#dags").count(), 0);
  await accessible();
  await box.press("ArrowDown"); // through the hits by the keyboard
  await here.page.locator(".hits a:focus").waitFor();
  await box.fill("flights");
  await here.page.getByRole("link", { name: "Columns: flights" }).waitFor();
  await box.fill("plane_dyas");
  await here.page.getByText("Nothing is called “plane_dyas”.").waitFor();
  await here.page.locator(".state").getByRole("button", { name: MART.name }).click(); // a similar name
  await here.page.getByRole("link", { name: `Lineage: ${MART.name} file` }).click();
  await here.page.waitForSelector("h1:has-text('Lineage of all columns'):focus");
});

test("pictures of each view for the documentation", more, async () => {
  const field = { ...MART, field: "worst_delay" };
  const lock = JSON.stringify(["file", MART.name, "worst_delay"]);
  const views = {
    home: [{}, "#dags"],
    dag: [{ dag_id: "flights" }, ".link"],
    tasks: [{ dag_id: "flights", level: "task" }, ".box.job"],
    field: [{ ...field, lock }, "aside .expression"],
    indirect: [{ ...MART, view: "graph", indirect: "true", depth: "1", lock }, ".what"],
    dataset: [MART, "dt, h2:has-text('Properties')"],
  };
  await here.page.setViewportSize({ width: 1100, height: 720 });
  for (const [name, [query, shown]] of Object.entries(views)) {
    await open(query);
    await here.page.waitForSelector(shown, { state: "attached" });
    await pictured(name);
  }
  await here.page.setViewportSize({ width: 380, height: 720 });
  await open(field);
  await here.page.getByLabel("Lineage as a list").waitFor();
  await pictured("narrow");
});
