import { expect, test } from "vitest";
import { build, type Graph, WIDTH } from "../src/graph";
import { columns, elkGraph, extend, opening, pairs, type Positions } from "../src/layout";
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

test("boxes of one column are in the order in which their lines cross least", () => {
  const graph = build(answer("x.f", ["a.f > x.f", "c.f > x.f", "b.f > y.f", "x.f > z.f", "y.f > z.f"].map((one) => edge(one, "upstream", 1))));
  const positions = columns(graph);
  const ends = pairs(graph).map(([from, to]) => [positions.get(from), positions.get(to)] as const);
  const crossing = ends.flatMap(([a, b], i) => ends.slice(i + 1).filter(([c, d]) => a && b && c && d && a.x === c.x && (a.y - c.y) * (b.y - d.y) < 0));
  expect(crossing).toEqual([]);
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

test("what comes later is put beside what it is linked with, and the others stay", () => {
  const first = build(answer("mart.t", [edge("raw.a > mart.t", "upstream", 1)]));
  const before = columns(first);
  const edges = ["csv.a > raw.a", "log.a > raw.a", "mart.t > report.t"].map((one) => edge(one, "upstream", 1));
  const later = build(answer("mart.t", [edge("raw.a > mart.t", "upstream", 1), ...edges]));
  const after = extend(before, later);
  for (const [id, place] of before) expect(after.get(id)).toEqual(place);
  expect(after.size).toBe(5);
  expect(overlaps(later, after)).toBe(0);
  for (const [from, to] of pairs(later)) expect(after.get(from)?.x).toBeLessThan(after.get(to)?.x ?? 0);
  expect(extend(after, later)).toEqual(after);
});

test("a box that grows pushes down what is below it, and nothing else", () => {
  const one = edge("raw.a > mart.t", "upstream", 1);
  const first = build(answer("mart.t", [one, edge("more.a > mart.t", "upstream", 1)]));
  const before = columns(first);
  const grown = build(answer("mart.t", [one, edge("more.a > mart.t", "upstream", 1), ..."bcdef".split("").map((f) => edge(`more.${f} > mart.t`, "upstream", 1))]));
  const after = extend(before, grown);
  expect(overlaps(grown, after)).toBe(0);
  const moved = [...before].filter(([id, place]) => after.get(id)?.y !== place.y).map(([id]) => JSON.parse(id)[1]);
  expect(moved).toEqual(["raw"]);
});

test("a picture opens in full size, with what was asked for in it", () => {
  const graph = random(300, 600);
  const positions = columns(graph);
  const view = opening(graph, positions, 1200, 500);
  const start = positions.get(graph.boxes.find((box) => box.start)?.id ?? "");
  expect(view.zoom).toBe(1);
  expect([(start?.x ?? 0) + view.x >= 0, (start?.x ?? 0) + view.x + WIDTH <= 1200]).toEqual([true, true]);
  expect([(start?.y ?? 0) + view.y >= 0, (start?.y ?? 0) + view.y < 500]).toEqual([true, true]);
  const small = build(answer("mart.t", []));
  expect(opening(small, columns(small), 1200, 500)).toMatchObject({ x: 600 - WIDTH / 2 });
  const none = { ...graph, boxes: graph.boxes.map((box) => ({ ...box, start: false })) };
  const { x, y } = opening(none, positions, 1200, 500);
  expect(none.boxes.some((box) => {
    const at = positions.get(box.id) ?? { x: 0, y: 0 };
    return at.x + x >= 0 && at.x + x < 100 && at.y + y > 0 && at.y + y < 500;
  })).toBe(true);
});
