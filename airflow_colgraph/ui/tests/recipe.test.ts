import { expect, test } from "vitest";
import { recipe } from "../src/recipe";
import { edge, field } from "./answers";

const name = ({ name, field }: { name: string; field: string | null }): string => `${name}.${field}`;

test("a recipe has each column on the way once, its sources before it, and ends in a cycle too", () => {
  const edges = ["m.t > r.u", "a.y > m.t", "a.x > m.t FILTER", "csv.x > a.x", "csv.x > a.y", "other.x > other.y", "m > a.x FILTER", "r.u > a.y"];
  const steps = recipe(edges.map((text) => edge(text, "upstream", 1)), field("r.u"));
  expect(steps.map(({ output, inputs }) => [name(output), inputs.map((one) => name(one.input))])).toEqual([
    ["a.y", ["csv.x", "r.u"]], ["a.x", ["csv.x", "m.null"]], ["m.t", ["a.y", "a.x"]], ["r.u", ["m.t"]],
  ]);
  expect(recipe([], field("r.u"))).toEqual([]);
});
