import { expect, test } from "vitest";
import { amount, boxId, build, compare, eachOnce, HEAD, isCompared, linkCount, merge, ROW, rowId, rowsShown, short, WIDTH, words } from "../src/graph";
import { curve, lines } from "../src/lines";
import { lit, reach } from "../src/paths";
import { labels, middle } from "../src/names";
import { columns, frameOf, Positions } from "../src/layout";
import { answer, edge, field } from "./answers";

const CHAIN = answer("mart.t", [
  edge("raw.a > mart.t", "upstream", 1),
  edge("raw.b > mart.t AGGREGATION masked", "upstream", 1),
  edge("raw.c > mart FILTER", "upstream", 1),
  edge("csv.x > raw.a", "upstream", 2),
  edge("mart.t > report.u", "downstream", 1),
]);

const SINCE = "2026-11-20T12:00:00Z";

const names = (ids: Iterable<string>): string[] =>
  [...ids].map((id) => (JSON.parse(id) as string[]).slice(1).filter(Boolean).join(".")).sort();

test("a dataset is a box, with its fields in order", () => {
  const { boxes, fields } = build(CHAIN);
  expect(boxes.map((box) => [box.name, box.rows.map((row) => row.field), box.start, box.depth])).toEqual([
    ["mart", ["t"], true, 0],
    ["raw", ["a", "b", "c"], false, -1],
    ["csv", ["x"], false, -2],
    ["report", ["u"], false, 1],
  ]);
  expect(fields).toBe(6);
  expect(boxes.map((box) => box.ends)).toEqual([
    { upstream: false, downstream: false },
    { upstream: false, downstream: false },
    { upstream: true, downstream: false },
    { upstream: false, downstream: true },
  ]);
});

test("links meet the rows of their fields; the whole dataset is the head", () => {
  const found = build(CHAIN).links.map((link) => [names([link.from, link.to]).join(">"), link.fromY, link.toY, link.direct, link.masking]);
  const row = (index: number): number => HEAD + index * ROW + ROW / 2;
  expect(found).toEqual([
    ["mart.t>raw.a", row(0), row(0), true, false],
    ["mart.t>raw.b", row(1), row(0), true, true],
    ["mart>raw.c", row(2), HEAD / 2, false, false],
    ["csv.x>raw.a", row(0), row(0), true, false],
    ["mart.t>report.u", row(0), row(0), true, false],
  ]);
});

test("several transformations between two fields are one link", () => {
  const edges = [edge("a.x > b.y JOIN", "upstream", 1), edge("a.x > b.y", "upstream", 1), edge("a.x > b.y", "downstream", 1)];
  const [link, ...rest] = build(answer("b.y", edges)).links;
  expect(rest).toEqual([]);
  expect([link?.direct, link?.edges.map(words)]).toEqual([true, ["join", "copied"]]);
});

test("a wide box shows a page of its fields, all pages at the same height, and filters", () => {
  const edges = Array.from({ length: 40 }, (_, i) => edge(`raw.f${10 + i} > mart.t`, "upstream", 1));
  const wide = answer("mart.t", edges);
  const raw = boxId(field("raw.f10"));
  const most = rowsShown(2);
  const seen = (options: Parameters<typeof build>[1] = {}) => build(wide, options).boxes.find((box) => box.id === raw);
  const page = (number: number, text = "") => seen({ pages: new Map([[raw, { page: number, text }]]) });
  expect(seen()?.rows.map((row) => row.field).slice(0, 2)).toEqual(["f10", "f11"]);
  expect([seen()?.rows.length, seen()?.hidden, seen()?.paged?.pages]).toEqual([most, 40 - most, 3]);
  expect(page(2)?.rows.map((row) => row.field)).toEqual(["f42", "f43", "f44", "f45", "f46", "f47", "f48", "f49"]);
  expect(page(9)?.paged?.page).toBe(2);
  expect(page(0, "F4")?.rows).toHaveLength(10);
  expect(page(0, "none")?.paged).toMatchObject({ found: 0, all: 40, pages: 1 });
  expect(new Set([seen(), page(2), page(0, "none")].map((box) => box?.height)).size).toBe(1);
  const f38 = rowId(field("raw.f38"));
  expect(seen({ locked: f38 })?.rows.map((row) => row.field)).toContain("f38");
  expect(seen({ kept: new Set([f38]) })?.rows[0]?.field).toBe("f38");
  const height = seen()?.height ?? 0;
  expect(build(wide).links.every((link) => link.fromY < height)).toBe(true);
});

test.each([
  [["/lake/mart/days"], ["days"]],
  [["/lake/x/mart/days", "/lake/y/mart/days", "/lake/raw"], ["…/x/mart/days", "…/y/mart/days", "raw"]],
  [["db.table", "db.other"], ["db.table", "db.other"]],
  [["a", "/a", "x/a"], ["a", "/a", "…/a"]],
])("%j are called %j", (names, expected) => {
  const found = labels(names);
  if (!names.includes("a")) expect(names.map((name) => found.get(name))).toEqual(expected);
  expect(new Set(found.values()).size).toBe(names.length);
});

test("names that differ only late, or only in the middle, differ in short too", () => {
  const long = "a_name_that_is_much_longer_than_a_box";
  for (const names of [[`${long}_1`, `${long}_2`], [`one_${"x".repeat(30)}_${long}`, `one_${"y".repeat(30)}_${long}`]]) {
    const short = [...labels(names).values()];
    expect(new Set(short).size).toBe(2);
    expect(short.every((one) => one.length <= 26)).toBe(true);
  }
  expect(middle("abcdefghij", 6)).toBe("ab…hij");
});

test.each([
  ["mart.t", ["csv.x", "mart.t", "raw.a", "raw.b", "raw.c", "report.u"], 5],
  ["raw.a", ["csv.x", "mart.t", "raw.a", "report.u"], 3],
  ["raw.b", ["mart.t", "raw.b", "report.u"], 2],
  ["csv.x", ["csv.x", "mart.t", "raw.a", "report.u"], 3],
])("what stays when %s is pointed at", (start, rows, links) => {
  const found = reach(build(CHAIN), rowId(field(start)));
  expect(names(found.rows)).toEqual(rows);
  expect(found.links.size).toBe(links);
});

test("pointing at a field ends in a cycle too", () => {
  const cycle = answer("a.x", [edge("b.y > a.x", "upstream", 1), edge("a.x > b.y", "upstream", 2)]);
  expect(names(reach(build(cycle), rowId(field("a.x"))).rows)).toEqual(["a.x", "b.y"]);
});

test("answers are merged; equal edges are one", () => {
  const more = answer("csv.x", [edge("file.y > csv.x", "upstream", 1), edge("csv.x > raw.a", "downstream", 1)], 3);
  const both = merge([CHAIN, more]);
  expect(both.starts).toEqual([field("mart.t")]);
  expect(both.edges).toHaveLength(6);
  expect([both.truncated, both.unexplored]).toEqual([true, 3]);
  expect(merge([])).toMatchObject({ nodes: [], edges: [] });
});

test("what changed between two answers", () => {
  const before = answer("m.t", [edge("r.a > m.t", "upstream", 1), edge("r.b > m.t", "upstream", 1)]);
  const after = answer("m.t", [edge("r.b > m.t", "upstream", 1), edge("r.c > m.t", "upstream", 1)]);
  const { answer: both, change } = compare(before, after, SINCE, "");
  const found = build(both, { change }).links.map((link) => [names([link.from])[0], link.change]);
  expect(found).toEqual([["r.b", "same"], ["r.c", "added"], ["r.a", "removed"]]);
});

test.each([["/lake/x/mart/days", "…/mart/days"], ["/lake/mart", "/lake/mart"], ["db.table", "db.table"]])(
  "%s is %s in short",
  (name, expected) => expect(short(name)).toBe(expected),
);

test("a restricted edge says so", () => {
  expect(words({ type: "DIRECT", subtype: "RESTRICTED", masking: true })).toBe("restricted");
  expect(words({ type: "INDIRECT", subtype: "GROUP_BY", masking: true })).toBe("group by, masked");
});

test("links that would lie on each other are one line; in a large graph from box to box", () => {
  const wide = build(answer("mart.t", Array.from({ length: 40 }, (_, i) => edge(`raw.f${i} > mart.t`, "upstream", 1))));
  expect(lines(wide).map((line) => line.links.length).sort((a, b) => a - b)).toEqual([...Array(16).fill(1), 24]);
  const edges = Array.from({ length: 150 }, (_, i) => [0, 1].map((f) => edge(`d${i}.f${f} > d${i + 1}.f${f}`, "upstream", i + 1)));
  const large = build(answer("d150.f0", edges.flat()));
  expect(lines(large)).toHaveLength(150);
  const lit = reach(large, rowId(field("d3.f0"))).links;
  expect(lit.size).toBe(150);
  expect(lines(large, lit)).toHaveLength(300);
});

test("of very many links between few boxes the lines are from box to box, but for what is pointed at", () => {
  const edges = Array.from({ length: 2001 }, (_, i) => edge(`raw.f${i} > mart.t${i % 3}`, "upstream", 1));
  const graph = build(answer("mart.t0", edges));
  expect(lines(graph).map((line) => line.links.length)).toEqual([2001]);
  const lit = reach(graph, rowId(field("raw.f7"))).links;
  expect(lines(graph, lit).map((line) => line.links.length).sort((a, b) => a - b)).toEqual([1, 2000]);
  expect(lines(build(answer("mart.t0", edges.slice(1)))).length).toBeGreaterThan(10);
});

test("what only came into the picture is not new, and what only left it is not gone", () => {
  const report = (first_seen: string, closed_at: string | null) => [{ job: null, run: null, first_seen, last_seen: first_seen, closed_at }];
  const [early, late] = ["2026-11-19T00:00:00Z", "2026-11-21T00:00:00Z"];
  const one = (text: string, first: string, closed: string | null) => ({ ...edge(text, "upstream", 1), reported_by: report(first, closed) });
  const before = answer("m.t", [one("r.a > m.t", early, late), one("c.x > r.a", early, null)]);
  const after = answer("m.t", [one("r.b > m.t", late, null), one("c.y > r.b", early, null)]);
  const { answer: both, change } = compare(before, after, SINCE, "");
  const graph = build(both, { change });
  expect(Object.fromEntries(graph.links.map((link) => [names([link.from])[0], link.change]))).toEqual({ "r.b": "added", "c.y": "same", "r.a": "removed", "c.x": "same" });
  const rows = graph.boxes.flatMap((box) => box.rows.map((row) => [row.field, row.change]));
  expect(Object.fromEntries(rows)).toEqual({ t: "changed", a: "same", b: "same", x: "same", y: "same" });
});

test("a new or gone column that no value goes into is drawn so, and a link in another way has changed", () => {
  const before = answer("m.t", [edge("r.a > m.t", "upstream", 1), edge("r.c > m.gone FILTER", "upstream", 1)]);
  const after = answer("m.t", [edge("r.a > m.t AGGREGATION", "upstream", 1), edge("r.c > m.new FILTER", "upstream", 1)]);
  const { answer: both, change } = compare(before, after, SINCE, "");
  const columns = new Map([[rowId(field("m.count")), "added" as const]]);
  const graph = build(both, { change, columns, more: [field("m.count")] });
  const [mart] = graph.boxes;
  expect(Object.fromEntries(mart?.rows.map((row) => [row.field, row.change]) ?? [])).toEqual({ count: "added", gone: "removed", new: "added", t: "changed" });
  expect(graph.links.map((link) => link.change)).toEqual(["changed", "added", "removed"]);
  expect(isCompared(graph)).toBe(true);
});

test("columns whose sources are other ones have changed, and their sources have not", () => {
  const before = answer("mart.t", [edge("raw.a > mart.t", "upstream", 1), edge("raw.c > mart.t", "upstream", 1)]);
  const after = answer("mart.t", [edge("raw.b > mart.t", "upstream", 1), edge("raw.c > mart.t", "upstream", 1)]);
  const { answer: both, change } = compare(before, after, SINCE, "");
  const rows = build(both, { change }).boxes.flatMap((box) => box.rows.map((row) => [row.field, row.change]));
  expect(rows).toEqual([["t", "changed"], ["a", "same"], ["b", "same"], ["c", "same"]]);
});

test("a line goes from the right of one box to the left of another, and is one per pair if drawn small", () => {
  const graph = build(CHAIN);
  const positions = columns(graph);
  const [first] = lines(graph);
  const found = first && curve(first, positions);
  const start = positions.get(first?.source ?? "");
  expect(found?.path.startsWith(`M${Math.round((start?.x ?? 0) + WIDTH)} `)).toBe(true);
  expect(first && curve(first, new Positions())).toBeNull();
  expect(lines(graph, null, true).map((line) => line.links.length)).toEqual([3, 1, 1]);
});

test("a box fades unless it, or a field of it, is on the way", () => {
  const graph = build(CHAIN);
  const rows = reach(graph, rowId(field("csv.x"))).rows;
  expect(graph.boxes.filter((box) => lit(box, rows)).map((box) => box.name)).toEqual(["mart", "raw", "csv", "report"]);
  expect(graph.boxes.filter((box) => lit(box, new Set([rowId(field("mart"))]))).map((box) => box.name)).toEqual(["mart"]);
  expect(graph.boxes.every((box) => lit(box, null))).toBe(true);
});

test("the frame holds every box", () => {
  const graph = build(answer("mart.t", []));
  const [box] = graph.boxes;
  const frame = frameOf(graph, new Positions([[boxId(field("mart")), { x: 100, y: -50 }]]));
  expect([frame.x < 100, frame.y < -50, frame.width > WIDTH, frame.height > (box?.height ?? 0)]).toEqual([true, true, true, true]);
});

test.each([[0, "0 links"], [1, "1 link"], [2, "2 links"], [17437, "17,437 links"]])("%d as %s", (count, text) => {
  expect(amount(count, "link")).toBe(text);
});

test("of a dataset that reads itself each edge is listed once, and a link is a pair of ends as in the picture", () => {
  const cycle = answer("a.x", [
    edge("a.x > a.x", "upstream", 1),
    edge("a.x > a.x", "downstream", 1),
    edge("b.x > a.x", "upstream", 1),
    edge("a.x > b.x", "upstream", 2),
    edge("a.x > b.x", "downstream", 1),
    edge("a.x > b.x FILTER", "downstream", 1),
    edge("b.x > a.x", "downstream", 2),
  ]);
  expect(build(cycle).links).toHaveLength(3);
  expect(linkCount(cycle.edges)).toBe(3);
  const rows = eachOnce(cycle.edges);
  expect(rows.map(({ subtype, direction, depth }) => [subtype, direction, depth])).toEqual([
    ["IDENTITY", "upstream", 1], ["IDENTITY", "upstream", 1], ["IDENTITY", "downstream", 1], ["FILTER", "downstream", 1],
  ]);
  expect(linkCount(rows)).toBe(3);
});
