import { expect, test } from "vitest";
import { folders } from "../src/tree";

test("datasets are in folders, by namespace", () => {
  const named = (namespace: string, name: string) => ({ namespace, name });
  const found = folders([named("s3", "/lake/mart/days"), named("db", "shop.orders"), named("s3", "/lake/mart/b/"), named("s3", "/top"), named("db", "bare")]);
  expect(found.map((one) => [one.namespace, one.folder, one.datasets.map((dataset) => dataset.last)])).toEqual([
    ["db", "", ["bare"]],
    ["db", "shop", ["orders"]],
    ["s3", "/", ["top"]],
    ["s3", "/lake/mart", ["days", "b"]],
  ]);
});
