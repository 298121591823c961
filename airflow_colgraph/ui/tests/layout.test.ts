import { expect, test } from "vitest";
import { build, type Graph, WIDTH } from "../src/graph";
import { columns, elkGraph, pairs, type Positions, shift } from "../src/layout";
import { answer, edge } from "./answers";

function random(boxes: number, edges: number): Graph {
  let seed = 7;
  const next = (): number => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
  const made = Array.from({ length: edges }, () => {
    const to = 1 + Math.floor(next() * (boxes - 1));
    return edge(`d${Math.floor(next() * to)}.f${Math.floor(next() * 50)} > d${to}.f${Math.floor(next() * 50)}`, "upstream", 1);
  });
  return build(answer("d0.f0", made));
}

function overlaps(graph: Graph, positions: Positions): number {
  const placed = graph.boxes.map((box) => ({ ...(positions.get(box.id) ?? { x: NaN, y: NaN }), h: box.height }));
  let count = 0;
  placed.forEach((a, i) =>
    placed.slice(i + 1).forEach((b) => {
      if (Math.abs(a.x - b.x) < WIDTH && a.y < b.y + b.h && b.y < a.y + a.h) count += 1;
    }),
  );
  return count;
}

test("lines run from left to right, and no box lies on another", () => {
  const graph = random(300, 600);
  const positions = columns(graph);
  expect(positions.size).toBe(graph.boxes.length);
  expect(overlaps(graph, positions)).toBe(0);
  for (const [from, to] of pairs(graph)) {
    expect(positions.get(from)?.x).toBeLessThan(positions.get(to)?.x ?? 0);
  }
});

test("a cycle is laid out too", () => {
  const cycle = build(answer("a.x", [edge("b.y > a.x", "upstream", 1), edge("a.x > b.y", "upstream", 2)]));
  expect(new Set([...columns(cycle).values()].map((place) => place.x)).size).toBe(2);
});

test("elk gets every box, every line and its ends once", () => {
  const graph = build(
    answer("mart.t", [
      edge("raw.a > mart.t", "upstream", 1),
      edge("raw.b > mart.t", "upstream", 1),
      edge("mart.t > mart.t", "upstream", 1),
    ]),
  );
  const asked = elkGraph(graph);
  expect(asked.children?.map((child) => [child.id, child.width, child.ports?.map((port) => port.id)])).toEqual([
    ["b0", WIDTH, ["b0:i64"]],
    ["b1", WIDTH, ["b1:o64", "b1:o88"]],
  ]);
  expect(asked.edges?.map((one) => [one.sources, one.targets])).toEqual([
    [["b1:o64"], ["b0:i64"]],
    [["b1:o88"], ["b0:i64"]],
  ]);
  const large = elkGraph(random(100, 300));
  expect(large.children?.every((child) => child.ports?.length === 0)).toBe(true);
});

test("how far the box that is looked at has moved", () => {
  const before = new Map([["a", { x: 0, y: 0 }], ["b", { x: 400, y: 100 }], ["gone", { x: 390, y: 100 }]]);
  const after = new Map([["a", { x: 0, y: 50 }], ["b", { x: 400, y: 700 }]]);
  expect(shift(before, after, { x: 380, y: 90 })).toEqual({ x: 0, y: 600 });
  expect(shift(before, after, { x: -90, y: 0 })).toEqual({ x: 0, y: 50 });
  expect(shift(new Map(), after, { x: 0, y: 0 })).toEqual({ x: 0, y: 0 });
});
