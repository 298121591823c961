import { expect, test } from "vitest";
import { build } from "../src/graph";
import { columns } from "../src/layout";
import { svg } from "../src/picture";
import { ago } from "../src/time";
import { answer, edge } from "./answers";

test("the picture is an SVG of its own, with names that need escaping", () => {
  const graph = build(answer("m<a&b>.t", [edge("raw.a > m<a&b>.t JOIN", "upstream", 1)]));
  const picture = svg(graph, columns(graph));
  expect(picture.startsWith('<svg xmlns="http://www.w3.org/2000/svg"')).toBe(true);
  expect(picture).toContain("m&lt;a&amp;b&gt;");
  expect(picture.match(/<path /g)).toHaveLength(1);
  expect(picture).toContain("stroke-dasharray");
  expect(picture).not.toContain("NaN");
});

test.each([
  [-5, "5 seconds ago"], [-3600 * 3, "3 hours ago"], [-86400 * 2 - 5, "2 days ago"], [0, "now"],
])("%i seconds is %s", (seconds, expected) => {
  expect(ago(new Date(1e12 + seconds * 1000).toISOString(), 1e12)).toBe(expected);
});
