import ELK from "elkjs";
import { expect, test } from "vitest";
import { build, type Graph, HEAD, ROW, WIDTH } from "../src/graph";
import { curve, lines } from "../src/lines";
import { columns, elkGraph, extend, opening, pairs, placed, type Positions } from "../src/layout";
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

const engine = new ELK();
const laid = async (graph: Graph): Promise<Positions> => placed(graph, await engine.layout(elkGraph(graph)));
const NAMES = (box: string): string => JSON.parse(box)[1];

/** Points on a way of level, upright and bent lines, a few pixels apart. */
function along(path: string): { x: number; y: number }[] {
  const points: { x: number; y: number }[] = [];
  let [x, y] = [0, 0];
  for (const [, command = "", numbers = ""] of path.matchAll(/([MLC])([-\d. ]+)/g)) {
    const n = numbers.trim().split(/\s+/).map(Number);
    const [a = 0, b = 0, c = 0, d = 0] = command === "C" ? n : [x, y, ...n];
    const [endX = 0, endY = 0] = n.slice(-2);
    for (let t = 0; command !== "M" && t <= 1; t += 1 / 64) {
      const mix = (p: number, q: number, r: number, s: number): number => p * (1 - t) ** 3 + 3 * q * t * (1 - t) ** 2 + 3 * r * t ** 2 * (1 - t) + s * t ** 3;
      points.push(command === "C" ? { x: mix(x, a, c, endX), y: mix(y, b, d, endY) } : { x: x + (endX - x) * t, y: y + (endY - y) * t });
    }
    [x, y] = [endX, endY];
  }
  return points;
}

/** Lines that run over a box which they do not touch. */
function strays(graph: Graph, positions: Positions): string[] {
  const boxes = graph.boxes.map((box) => ({ box, ...(positions.get(box.id) ?? { x: NaN, y: NaN }) }));
  return lines(graph).flatMap((line) => {
    const points = along(curve(line, positions)?.path ?? "");
    const over = boxes.filter(({ box, x, y }) => box.id !== line.source && box.id !== line.target
      && points.some((at) => at.x > x + 1 && at.x < x + WIDTH - 1 && at.y > y + 1 && at.y < y + box.height - 1));
    return over.map(({ box }) => `${NAMES(line.source)} > ${NAMES(line.target)} over ${box.name}`);
  });
}

test.each([[14, 30], [60, 120], [130, 200]])("of %i boxes and %i links no line runs over a box, and two layouts are the same", async (boxes, links) => {
  const graph = random(boxes, links);
  const positions = await laid(graph);
  expect(strays(graph, positions)).toEqual([]);
  expect(overlaps(graph, positions)).toBe(0);
  expect(await laid(random(boxes, links))).toEqual(positions);
}, 60_000);

test("a source is just before its first consumer, and a long line has a lane", async () => {
  const edges = ["a.x > b.x", "b.x > c.x", "c.x > d.x", "late.x > d.x", "a.y > d.y"].map((text) => edge(text, "upstream", 1));
  const graph = build(answer("d.x", edges));
  for (const positions of [await laid(graph), columns(graph)]) {
    const x = (name: string): number => positions.get(graph.boxes.find((box) => box.name === name)?.id ?? "")?.x ?? NaN;
    expect(x("late")).toBe(x("c"));
  }
  expect(strays(graph, await laid(graph))).toEqual([]);
});

test("each link of a table with itself and of a cycle is a line that is seen", async () => {
  const texts = ["a.x > a.x", "a.x > a.y", "a.x > b.x", "b.x > c.x", "c.x > a.x", "c.x > b.x"];
  const graph = build(answer("a.x", texts.map((text) => edge(text, "upstream", 1))));
  const positions = await laid(graph);
  const seen = lines(graph).map((line) => along(curve(line, positions)?.path ?? ""));
  expect(seen).toHaveLength(6);
  const outside = (points: { x: number; y: number }[]): boolean => points.some(({ x, y }) => graph.boxes.every((box) => {
    const at = positions.get(box.id) ?? { x: 0, y: 0 };
    return x < at.x || x > at.x + WIDTH || y < at.y || y > at.y + box.height;
  }));
  expect(seen.map(outside)).toEqual(Array(6).fill(true));
  expect(strays(graph, positions)).toEqual([]);
});

test("elk gets every box, and each pair of linked boxes once, between the middles of their rows", () => {
  const graph = build(
    answer("mart.t", [
      edge("raw.a > mart.t", "upstream", 1),
      edge("raw.b > mart.t", "upstream", 1),
      edge("mart.t > mart.t", "upstream", 1),
    ]),
  );
  const asked = elkGraph(graph);
  expect(asked.children?.map((child) => [child.id, child.width, child.ports?.map((port) => [port.id, port.y])])).toEqual([
    ["b0", WIDTH, [["b0:i0", HEAD + ROW / 2]]],
    ["b1", WIDTH, [["b1:o0", HEAD + ROW]]],
  ]);
  expect(asked.edges?.map((one) => [one.sources, one.targets])).toEqual([[["b1:o0"], ["b0:i0"]]]);
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

test("a picture opens so that its text can be read, whole if it fits, else with what was asked for in it", () => {
  const graph = random(300, 600);
  const positions = columns(graph);
  const view = opening(graph, positions, 1200, 500);
  const start = positions.get(graph.boxes.find((box) => box.start)?.id ?? "");
  const { zoom } = view;
  expect(15 * zoom).toBeGreaterThanOrEqual(12); // the smallest text
  const [left, top] = [(start?.x ?? 0) * zoom + view.x, (start?.y ?? 0) * zoom + view.y];
  expect([left >= 0, left + WIDTH * zoom <= 1200, top >= 0, top < 500]).toEqual([true, true, true, true]);
  const small = build(answer("mart.t", []));
  expect(opening(small, columns(small), 1200, 500)).toMatchObject({ x: Math.round(600 - (WIDTH * 0.9) / 2), zoom: 0.9 });
  const none = { ...graph, boxes: graph.boxes.map((box) => ({ ...box, start: false })) };
  const { x, y } = opening(none, positions, 1200, 500);
  expect(none.boxes.some((box) => {
    const at = positions.get(box.id) ?? { x: 0, y: 0 };
    return at.x * zoom + x >= 0 && at.x * zoom + x < 100 && at.y * zoom + y > 0 && at.y * zoom + y < 500;
  })).toBe(true);
});
