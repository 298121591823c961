import { expect, test } from "vitest";
import { datasetsIn, without } from "../src/recent";

test.each([
  [null, []],
  ["", []],
  ["{", []],
  ['{"n":"mart"}', []],
  ['[["n","mart"],["n"],["n",1],"n",["n","raw","a"]]', [["n", "mart"]]],
  [JSON.stringify(Array.from({ length: 20 }, (_, i) => ["n", `d${i}`])), Array.from({ length: 8 }, (_, i) => ["n", `d${i}`])],
])("of the stored text %j the datasets are read", (text, datasets) => {
  expect(datasetsIn(text)).toEqual(datasets);
});

test("a dataset is taken off by its namespace and name", () => {
  expect(without([["n", "a"], ["m", "a"], ["n", "b"]], ["n", "a"])).toEqual([["m", "a"], ["n", "b"]]);
});
