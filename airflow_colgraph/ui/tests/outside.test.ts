import { expect, test } from "vitest";
import { build } from "../src/graph";
import { Positions } from "../src/layout";
import { outside } from "../src/outside";
import { answer, edge } from "./answers";

const graph = build(answer("m.t", [edge("a.x > m.t", "upstream", 1)]));
const positions = new Positions(graph.boxes.map((box, i) => [box.id, { x: 400 * i, y: 0 }]));
const counts = (x: number, y: number, zoom: number, width: number, height: number) =>
  Object.fromEntries([...outside(graph, positions, { x, y, zoom }, { width, height })].map(([edge, { count, distance }]) => [edge, [count, Math.round(distance)]]));

test("boxes that an edge cuts or hides are counted, with the way to the furthest", () => {
  expect(graph.boxes.length).toBe(2);
  expect(counts(0, 0, 1, 636, 400)).toEqual({});
  expect(counts(-500, 0, 1, 636, 400)).toEqual({ left: [2, 500] });
  expect(counts(0, 0, 0.5, 300, 400)).toEqual({ right: [1, 18] });
  expect(counts(0, -10, 1, 700, 30).top).toEqual([2, 10]);
  expect(counts(0, 0, 1, 700, 30).bottom?.[0]).toBe(2);
});
