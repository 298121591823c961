// Keeps what is selected, and a picture that is seen as a whole, in sight when the drawer opens beside it.

import { useReactFlow, useStore } from "@xyflow/react";
import { useEffect, useRef } from "react";
import { type Graph, rowId } from "./graph";
import { fits, frameOf, opening, type Positions, type Viewport } from "./layout";
import { outside, type Size } from "./outside";

/** Move the picture as its window changes: all of it if it fits and was seen, else as little as shows what is locked. */
export function useInSight(graph: Graph, positions: Positions, locked: string | null): void {
  const { getViewport, setViewport } = useReactFlow();
  const width = useStore((state) => state.width); // changes when the drawer opens
  const height = useStore((state) => state.height);
  const last = useRef<Size>({ width, height });
  useEffect(() => {
    const [before, now, view] = [last.current, { width, height }, getViewport()];
    last.current = now;
    if (!width || !locked) return;
    const isWhole = (size: Size): boolean => outside(graph, positions, view, size).size === 0;
    if (isWhole(before) && !isWhole(now) && fits(frameOf(graph, positions), now)) void setViewport(opening(graph, positions, width, height));
    else {
      const by = offset(graph, positions, locked, view, now);
      if (by.x || by.y) void setViewport({ x: view.x + by.x, y: view.y + by.y, zoom: view.zoom });
    }
  }, [locked, width, height]);
}

/** By how much the picture has to move to show the row, or the box, that is locked. */
function offset(graph: Graph, positions: Positions, locked: string, { x, y, zoom }: Viewport, { width, height }: Size): { x: number; y: number } {
  const box = graph.boxes.find((box) => rowId({ ...box, field: null }) === locked || box.rows.some((row) => row.id === locked));
  const at = box && positions.get(box.id);
  if (!at) return { x: 0, y: 0 };
  const link = graph.links.find(({ from, to }) => from === locked || to === locked);
  const row = at.y + (link ? (link.from === locked ? link.fromY : link.toY) : 0);
  return { x: into(at.x * zoom + x, box.width * zoom, width), y: into(row * zoom + y - 20, 40, height) };
}

/** How far something has to move to be within a window, with a margin. */
function into(from: number, length: number, size: number): number {
  const margin = Math.min(20, Math.max(0, (size - length) / 2));
  if (from < margin) return margin - from;
  return Math.min(0, size - margin - length - from);
}
