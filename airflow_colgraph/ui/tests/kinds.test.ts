import { expect, test } from "vitest";
import { brief, described, stepsInWords } from "../src/kinds";

const how = (type: string, subtype: string, masking = false) => ({ type, subtype, masking });
const conditions = ["FILTER", "JOIN", "SORT"].map((subtype) => how("INDIRECT", subtype));

test("a label is one short line, whatever is done on the way", () => {
  expect(brief([how("DIRECT", "IDENTITY")])).toBe("");
  expect(brief([how("DIRECT", "AGGREGATION"), how("DIRECT", "IDENTITY")])).toBe("aggregated");
  expect(brief([how("INDIRECT", "JOIN"), how("INDIRECT", "FILTER"), how("INDIRECT", "JOIN")])).toBe("filter, join");
  expect(brief(conditions)).toBe("3 conditions");
  expect(brief([how("DIRECT", "AGGREGATION"), how("DIRECT", "TRANSFORMATION", true), ...conditions])).toBe("Σ ▒ ?");
  expect(brief([how("DATASET", "")])).toBe("");
});

test.each([
  ["max(arr_delay)", "max(arr_delay)", true],
  ["DIRECT IDENTITY", "copied", false],
  ["DIRECT AGGREGATION, INDIRECT GROUP_BY", "aggregated, group by", false],
  ["concat('DIRECT', x)", "concat('DIRECT', x)", true],
])("the step %j is %j", (description, text, expression) => {
  expect(described(description)).toEqual({ text, expression });
});

test.each([
  ["share_late IDENTITY", "share_late (copied)"],
  ["/landing/orders.csv.net (IDENTITY), b TRANSFORMATION", "/landing/orders.csv.net (copied), b (computed)"],
  ["kind GROUP_BY", "kind (group by)"],
  ["IDENTITY IDENTITY", "IDENTITY (copied)"], // a column of that name
  ["concat('JOIN', x)", "concat('JOIN', x)"],
])("of the store's %j the page says %j", (text, words) => {
  expect(stepsInWords(text)).toBe(words);
});
