// Which boxes are beyond the edges of what is seen of the picture. Pure.

import type { Graph } from "./graph";
import type { Positions, Viewport } from "./layout";

export type Edge = "left" | "right" | "top" | "bottom";
export interface Size { width: number; height: number }
/** How many boxes an edge cuts or hides, and how far the furthest of them is, in pixels. */
export interface Outside { count: number; distance: number }

const CUT = 1; // pixels that may be missing of a box

/** What is beyond each edge that cuts or hides a box. */
export function outside(graph: Graph, positions: Positions, { x, y, zoom }: Viewport, { width, height }: Size): Map<Edge, Outside> {
  const beyond = new Map<Edge, Outside>();
  for (const box of graph.boxes) {
    const at = positions.get(box.id) ?? { x: 0, y: 0 };
    const [left, top] = [at.x * zoom + x, at.y * zoom + y];
    const distances: [Edge, number][] = [
      ["left", -left], ["right", left + box.width * zoom - width], ["top", -top], ["bottom", top + box.height * zoom - height],
    ];
    for (const [edge, distance] of distances) {
      const { count, distance: furthest } = beyond.get(edge) ?? { count: 0, distance: 0 };
      if (distance > CUT) beyond.set(edge, { count: count + 1, distance: Math.max(furthest, distance) });
    }
  }
  return beyond;
}
