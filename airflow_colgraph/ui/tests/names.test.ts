import { expect, test } from "vitest";
import { nameAndPlace } from "../src/names";

const SERVER = "postgres://db:5432";

test.each([ // label, namespace, name, layer: the own name first, then what distinguishes it beside the layer
  ["orders", SERVER, "lake.public.orders", "public", ["orders", "lake"]],
  ["orders", SERVER, "public.orders", "public", ["orders", SERVER]],
  ["orders", "hive", "mart.orders", "mart", ["orders", ""]],
  ["lake.public.orders", SERVER, "lake.public.orders", "gold", ["orders", "lake.public"]], // a tag
  ["orders.csv", "file", "/lake/raw/orders.csv", "raw", ["orders.csv", ""]],
  ["…/raw/orders.csv", "file", "/lake/raw/orders.csv", "raw", ["orders.csv", ""]],
  ["…/2026/orders", "s3://lake", "raw/2026/orders", "raw", ["orders", "…/2026"]],
  ["orders", "n", "orders", "", ["orders", "n"]],
])("%s of %s %s", (label, namespace, name, layer, expected) => {
  expect(nameAndPlace({ label, namespace, name }, layer)).toEqual(expected);
});
