import { useReactFlow, useStore } from "@xyflow/react";
import type { Graph } from "./graph";
import type { Positions } from "./layout";
import { type Edge, outside } from "./outside";

const PAGE = 0.8; // of what is seen, by which the picture is moved at most
const MARGIN = 20;
const EDGES: [Edge, sign: string, x: number, y: number][] = [["left", "←", 1, 0], ["right", "→", -1, 0], ["top", "↑", 0, 1], ["bottom", "↓", 0, -1]];

/** How many boxes are beyond each edge of the picture: a click moves it there. */
export function Edges({ graph, positions }: { graph: Graph; positions: Positions }) {
  const { getViewport, setViewport } = useReactFlow();
  const [width, height] = [useStore((state) => state.width), useStore((state) => state.height)];
  const counts = useStore(({ transform: [x, y, zoom] }) => {
    const beyond = width ? outside(graph, positions, { x, y, zoom }, { width, height }) : new Map();
    return EDGES.map(([edge]) => beyond.get(edge)?.count ?? 0).join();
  }).split(",").map(Number);
  const move = (edge: Edge, right: number, down: number): void => {
    const { x, y, zoom } = getViewport();
    const { distance = 0 } = outside(graph, positions, { x, y, zoom }, { width, height }).get(edge) ?? {};
    const by = Math.min(distance + MARGIN, PAGE * (right ? width : height));
    void setViewport({ x: x + right * by, y: y + down * by, zoom }, { duration: 150 });
  };
  if (counts.every((count) => count === 0)) return null;
  return (
    <span className="group" role="group" aria-label="Beyond the edges of the picture">
      {EDGES.map(([edge, sign, right, down], i) => Boolean(counts[i]) && (
        <button key={edge} type="button" aria-label={`${counts[i]} more beyond the ${edge} edge`} onClick={() => move(edge, right, down)}><span aria-hidden="true">{sign}</span> {counts[i]} more</button>
      ))}
    </span>
  );
}
