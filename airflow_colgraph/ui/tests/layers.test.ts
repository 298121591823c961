import { expect, test } from "vitest";
import { hueOf, layerOf } from "../src/layers";

test.each([
  ["file", "/data/mart/plane_days", [], "mart"], ["s3://lake", "raw/orders/day=2026-11-01", [], "raw"], ["hdfs://n", "/user/hive/silver.db/t", [], "silver"],
  ["postgres://h:5432", "shop.staging.orders", [], "staging"], ["n", "gold.orders", [], "gold"],
  ["file", "orders.csv", [], ""], ["file", "/data/orders", [], ""], ["n", "orders", [], ""], ["n", "", [], ""],
  ["n", "orders", ["pii", "layer=mart"], "mart"], ["n", "raw.orders", ["layer:mart"], "mart"], ["n", "raw.orders", ["layer", "player=x"], "raw"],
])("%s %s with %j is in layer %s", (namespace, name, tags, layer) => {
  expect(layerOf({ namespace, name }, tags)).toBe(layer);
});

test("a layer's colour follows its name only, and usual names differ", () => {
  const usual = ["raw", "staging", "mart", "bronze", "silver", "gold", "typed", "report", "landing", "curated"];
  expect(usual.map(hueOf)).toEqual(usual.map((name) => hueOf(name.toUpperCase())));
  expect(new Set(usual.map(hueOf)).size).toBe(usual.length);
});

test("every colour can be read in both themes", () => {
  const channels = (hue: number, lightness: number): number[] => [0, 8, 4].map((n) => {
    const k = (n + hue / 30) % 12;
    return lightness - 0.75 * Math.min(lightness, 1 - lightness) * Math.max(-1, Math.min(k - 3, 9 - k, 1));
  });
  const luminance = (rgb: number[]): number => rgb
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, i) => sum + part * ([0.2126, 0.7152, 0.0722][i] ?? 0), 0);
  const contrast = (a: number, b: number): number => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  const paper = luminance([0x17, 0x20, 0x33].map((part) => part / 255)); // of the dark theme, as in style.css
  for (let hue = 0; hue < 360; hue += 1) {
    expect(contrast(luminance(channels(hue, 0.26)), 1)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(luminance(channels(hue, 0.76)), paper)).toBeGreaterThanOrEqual(4.5);
  }
});
