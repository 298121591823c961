import { expect, test } from "vitest";
import { columnUses, usedBy } from "../src/columns";
import { answer, edge } from "./answers";

test("a column has what it is computed from, and each thing that uses it once", () => {
  const edges = ["a.x > m.t", "a.y > m.t FILTER", "a.z > m FILTER", "m.t > r.u", "m.t > r.u FILTER", "m.t > r JOIN", "m.t > m.t", "a.x > b.x"];
  const uses = columnUses(answer("m.t", edges.map((text) => edge(text, "upstream", 1))), { namespace: "n", name: "m" });
  expect([...uses.keys()]).toEqual(["t"]); // what affects the rows is of no single column
  expect(uses.get("t")?.inputs.map(({ input }) => `${input.name}.${input.field}`)).toEqual(["a.x", "a.y", "m.t"]);
  expect(usedBy(uses.get("t")?.outputs ?? [])).toBe("2 columns, rows of 1 dataset");
  expect(usedBy([])).toBe("");
});
