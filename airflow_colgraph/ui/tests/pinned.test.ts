import { expect, test } from "vitest";
import { pin, pinned, unpin } from "../src/pinned";
import { EMPTY, type FieldKey, type View } from "../src/url";

const A: FieldKey = ["n", "mart", "a"];
const B: FieldKey = ["n", "mart", "b"];
const C: FieldKey = ["n", "raw", "c"];
const one: View = { ...EMPTY, namespace: "n", name: "mart", fields: ["a"] };

test("fields of the page's dataset come first", () => {
  const more = { ...one, ...pin(one, C) };
  expect(pinned({ ...more, ...pin(more, B) })).toEqual([A, B, C]);
});

test("what is shown already, or a whole dataset, takes no pin", () => {
  expect(pin(one, A)).toBeNull();
  expect(pin({ ...one, pins: [C] }, C)).toBeNull();
  expect(pin({ ...one, fields: [] }, C)).toBeNull();
});

test("without the page's own field, another one's dataset is the page's", () => {
  expect(unpin({ ...one, pins: [C] }, A)).toEqual({ namespace: "n", name: "raw", fields: ["c"], pins: [] });
  expect(unpin({ ...one, pins: [C] }, C)).toEqual({ namespace: "n", name: "mart", fields: ["a"], pins: [] });
  expect(unpin(one, A)).toBeNull();
});
