import { expect, test } from "vitest";
import { build, rowId } from "../src/graph";
import { columns } from "../src/layout";
import { svg } from "../src/picture";
import { fileName, titleOf } from "../src/files";
import { ago } from "../src/time";
import { EMPTY } from "../src/url";
import { answer, edge, field } from "./answers";

test("the picture is an SVG of its own, with names that need escaping", () => {
  const graph = build(answer("m<a&b>.t", [edge("raw.a > m<a&b>.t JOIN", "upstream", 1)]));
  const picture = svg(graph, columns(graph), { title: "Lineage of <t>", time: "As of today" });
  expect(picture.startsWith('<svg xmlns="http://www.w3.org/2000/svg"')).toBe(true);
  expect(picture).toContain("m&lt;a&amp;b&gt;");
  expect(picture.match(/<path [^>]*stroke=/g)).toHaveLength(1);
  expect(picture).toContain("stroke-dasharray");
  expect(picture).toMatch(/<title>Lineage of &lt;t&gt;.*As of today.*\? condition.*dashed: conditions/);
  expect(picture).not.toContain("NaN");
});

test("each line ends in an arrowhead of its own colour, which the file itself has", () => {
  const edges = [edge("raw.a > m.t", "upstream", 1), edge("raw.b > m.u AGGREGATION", "upstream", 1), edge("raw.c > m.t JOIN", "upstream", 1)];
  const graph = build(answer("m.t", edges));
  const picture = svg(graph, columns(graph), { title: "t", time: "now" });
  const heads = new Map([...picture.matchAll(/<marker id="([^"]+)".*?fill="([^"]+)"\/><\/marker>/g)].map(([, id, colour]) => [id, colour]));
  const lines = [...picture.matchAll(/stroke="([^"]+)" stroke-width="1(?:\.5)?"[^>]* marker-end="url\(#([^)]+)\)"/g)];
  expect(lines).toHaveLength(3);
  for (const [, colour, id] of lines) expect(heads.get(id)).toBe(colour);
  expect(heads.size).toBe(new Set(lines.map(([, colour]) => colour)).size);
});

test("a gone column is struck out in the picture too, and a new one is in its colour", () => {
  const edges = [edge("raw.a > m.t", "upstream", 1), edge("raw.a > m.old", "upstream", 1)];
  const columns_ = new Map([[rowId(field("m.old")), "removed" as const], [rowId(field("m.t")), "added" as const]]);
  const graph = build(answer("m.t", edges), { columns: columns_ });
  const picture = svg(graph, columns(graph), { title: "t", time: "now" });
  expect(picture).toMatch(/fill="#b91c1c" text-decoration="line-through">old</);
  expect(picture).toMatch(/fill="#15803d">t</);
  const now = svg(build(answer("m.t", edges)), columns(graph), { title: "t", time: "now", gone: (row) => row === rowId(field("m.old")) });
  expect(now).toMatch(/ text-decoration="line-through">old</);
  expect(now).not.toMatch(/ text-decoration="line-through">t</);
});

test.each([
  [-5, "5 seconds ago"], [-3600 * 3, "3 hours ago"], [-86400 * 2 - 5, "2 days ago"], [0, "now"],
])("%i seconds is %s", (seconds, expected) => {
  expect(ago(new Date(1e12 + seconds * 1000).toISOString(), 1e12)).toBe(expected);
});

test.each([
  [{ name: "/lake/mart/days", fields: ["a b", "c"] }, "days.a_b.c-lineage-2026-11-22.csv", "Lineage of a b, c of /lake/mart/days"],
  [{ name: "db.t", at: "2026-01-02T03:04:05Z" }, "db.t-lineage-2026-01-02.csv", "Lineage of db.t"],
  [{ dag: "shop", task: "mart", run: "r1" }, "shop.mart-lineage-2026-11-22.csv", "Lineage of task mart of DAG shop, run r1"],
])("a file of %j is called %s", (view, name, title) => {
  expect(fileName({ ...EMPTY, ...view }, "lineage", "csv", new Date("2026-11-22T20:00:00Z"))).toBe(name);
  expect(titleOf({ ...EMPTY, ...view })).toBe(title);
});

test("a file of the whole store is called by what it is", () => {
  expect(fileName(EMPTY, "unused", "json", new Date("2026-11-22T20:00:00Z"))).toBe("unused-2026-11-22.json");
});

test("a column has its expression beside it, cut to the room there is and whole to be read", () => {
  const graph = build(answer("m.t", [edge("raw.a > m.t", "upstream", 1)]));
  const stated = new Map([[rowId(field("m.t")), "CASE WHEN a < 1 THEN 'none' ELSE concat(a, ' of many') END"]]);
  const picture = svg(graph, columns(graph), { title: "t", time: "now", expression: (row) => stated.get(row) });
  expect(picture).toMatch(/text-anchor="end"[^>]*>CASE WHEN a &lt; 1 T[^<]*…<title>CASE WHEN a &lt; 1 THEN 'none' ELSE concat\(a, ' of many'\) END<\/title><\/text>/);
  expect(picture.match(/text-anchor="end"/g)).toHaveLength(1); // not of raw.a
});
