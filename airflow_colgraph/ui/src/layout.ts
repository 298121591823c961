// Where the boxes are drawn, and the lanes of the lines between them: by elk, in a worker. The same graph has the same picture.

import type { ELK, ElkNode } from "elkjs/lib/elk-api";
import { gapOf } from "./boxes";
import type { Graph } from "./graph";
import { type Lane, lane, Positions } from "./lanes";

export { Positions } from "./lanes";

const GAP_Y = 24;
const MARGIN = 20;
const SWEEPS = 3;
const FINE = 60; // boxes up to which the shortest lines count; of more, time does
export const LARGEST = 400; // boxes that elk lays out; of more, lines are not told apart anyway
const LEAST = 0.81; // zoom at which a picture opens, so that its text has 12 px
const MOST = 0.9;

/** Pairs of different boxes that are linked, each once. */
export function pairs(graph: Graph): [string, string][] {
  const found = new Map<string, [string, string]>();
  for (const link of graph.links) {
    if (link.source !== link.target) found.set(`${link.source}>${link.target}`, [link.source, link.target]);
  }
  return [...found.values()];
}

/** Each box in the column before its first consumer, ordered by the neighbours' mean place; without lanes. */
export function columns(graph: Graph): Positions {
  const next = new Map<string, string[]>(graph.boxes.map((box) => [box.id, []]));
  for (const [a, b] of pairs(graph)) next.get(a)?.push(b);
  const order = leftToRight(graph.boxes.map((box) => box.id), next);
  const rank = new Map(order.map((id, index) => [id, index]));
  const column = new Map<string, number>(order.map((id) => [id, 0]));
  const back = new Map<string, string[]>(order.map((id) => [id, []]));
  for (const id of order) {
    for (const to of next.get(id) ?? []) {
      if ((rank.get(to) ?? 0) <= (rank.get(id) ?? 0)) continue; // closes a cycle
      column.set(to, Math.max(column.get(to) ?? 0, (column.get(id) ?? 0) + 1));
      back.get(to)?.push(id);
    }
  }
  for (const id of order.toReversed()) {
    const after = (next.get(id) ?? []).filter((to) => (rank.get(to) ?? 0) > (rank.get(id) ?? 0));
    if (after.length) column.set(id, Math.min(...after.map((to) => column.get(to) ?? 0)) - 1);
  }
  const byColumn: string[][] = [];
  for (const id of order) (byColumn[column.get(id) ?? 0] ??= []).push(id);
  const heights = new Map(graph.boxes.map((box) => [box.id, box.height]));
  const middle = new Map<string, number>();
  const positions = Positions.of(graph);
  const step = positions.width + gapOf(positions.width);
  const place = (x: number, beside: ReadonlyMap<string, string[]>): void => {
    const ids = byColumn[x] ?? [];
    const mean = (id: string): number => {
      const found = (beside.get(id) ?? []).map((one) => middle.get(one)).filter((one) => one !== undefined);
      return found.length ? found.reduce((sum, one) => sum + one, 0) / found.length : middle.get(id) ?? 0;
    };
    const total = ids.reduce((sum, id) => sum + (heights.get(id) ?? 0) + GAP_Y, 0);
    let y = -total / 2;
    for (const id of ids.map((one) => [mean(one), one] as const).sort((a, b) => a[0] - b[0]).map((p) => p[1])) {
      positions.set(id, { x: x * step, y });
      middle.set(id, y + (heights.get(id) ?? 0) / 2);
      y += (heights.get(id) ?? 0) + GAP_Y;
    }
  };
  byColumn.forEach((_, x) => place(x, back));
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) { // each leaves fewer lines that cross
    for (let x = byColumn.length - 2; x >= 0; x -= 1) place(x, next);
    for (let x = 1; x < byColumn.length; x += 1) place(x, back);
  }
  return positions;
}

/** Every box before those it goes to, as far as cycles allow. */
function leftToRight(ids: readonly string[], next: ReadonlyMap<string, string[]>): string[] {
  const done: string[] = [];
  const seen = new Set<string>();
  for (const first of ids) {
    const stack: [string, boolean][] = [[first, false]];
    for (let top = stack.pop(); top; top = stack.pop()) {
      const [id, ready] = top;
      if (ready) done.push(id);
      else if (!seen.has(id)) {
        seen.add(id);
        stack.push([id, true]);
        for (const to of next.get(id) ?? []) if (!seen.has(to)) stack.push([to, false]);
      }
    }
  }
  return done.reverse();
}

/** Places for boxes that came since: beside those that they are linked with; the others stay where they are. */
export function extend(before: Positions, graph: Graph): Positions {
  const heights = new Map(graph.boxes.map((box) => [box.id, box.height]));
  const links = pairs(graph);
  const placed = Positions.of(graph);
  const { width } = placed;
  const step = width + gapOf(width);
  for (const box of graph.boxes) {
    const at = before.get(box.id);
    if (at) placed.set(box.id, at);
  }
  const free = (x: number, wanted: number, height: number): number => {
    const column = [...placed].filter(([, at]) => Math.abs(at.x - x) < width + gapOf(width) / 2);
    const ends = column.flatMap(([id, at]) => [at.y - height - GAP_Y, at.y + (heights.get(id) ?? 0) + GAP_Y]);
    const open = (y: number): boolean => column.every(([id, at]) => y + height <= at.y || y >= at.y + (heights.get(id) ?? 0));
    const fit = [wanted, ...ends].filter(open).sort((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted));
    return fit[0] ?? wanted;
  };
  const waiting = new Set(graph.boxes.map((box) => box.id).filter((id) => !placed.has(id)));
  while (waiting.size) {
    const [any = ""] = waiting;
    const link = links.find(([a, b]) => waiting.has(a) !== waiting.has(b));
    const id = !link ? any : waiting.has(link[0]) ? link[0] : link[1];
    const beside = placed.get(!link ? "" : id === link[0] ? link[1] : link[0]) ?? { x: 0, y: 0 };
    const x = beside.x + (!link ? 0 : id === link[0] ? -step : step);
    placed.set(id, { x, y: free(x, beside.y, heights.get(id) ?? 0) });
    waiting.delete(id);
  }
  return apart(placed, heights).along(before);
}

/** Boxes that have grown push what is below them down. */
function apart(positions: Positions, heights: ReadonlyMap<string, number>): Positions {
  const done = new Positions();
  const width = (done.width = positions.width);
  const strips = new Map<number, { x: number; y: number; end: number }[]>(); // by place from left to right
  for (const [id, { x, y }] of [...positions].sort((a, b) => a[1].y - b[1].y)) {
    const strip = Math.floor(x / width);
    let top = y;
    for (const other of [strip - 1, strip, strip + 1].flatMap((one) => strips.get(one) ?? []).sort((a, b) => a.y - b.y)) {
      if (Math.abs(other.x - x) < width && top < other.end && top + (heights.get(id) ?? 0) > other.y) top = other.end + GAP_Y;
    }
    const placed = { x, y: top, end: top + (heights.get(id) ?? 0) };
    strips.set(strip, [...(strips.get(strip) ?? []), placed]);
    done.set(id, { x, y: top });
  }
  return done;
}

/** The rectangle around all boxes, with a margin. */
export function frameOf(graph: Graph, positions: Positions): { x: number; y: number; width: number; height: number } {
  let [x, y, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const box of graph.boxes) {
    const at = positions.get(box.id) ?? { x: 0, y: 0 };
    [x, y] = [Math.min(x, at.x), Math.min(y, at.y)];
    [right, bottom] = [Math.max(right, at.x + box.width), Math.max(bottom, at.y + box.height)];
  }
  return { x: x - MARGIN, y: y - MARGIN, width: right - x + 2 * MARGIN, height: bottom - y + 2 * MARGIN };
}

export interface Viewport { x: number; y: number; zoom: number }

/** Whether all is seen at once in text that can be read. */
export const fits = (frame: { width: number; height: number }, { width, height }: { width: number; height: number }): boolean =>
  frame.width * LEAST <= width && frame.height * LEAST <= height;

/** What is seen at first, large enough to be read: everything if there is room, else what was asked for in its surroundings. */
export function opening(graph: Graph, positions: Positions, width: number, height: number): Viewport {
  const frame = frameOf(graph, positions);
  const starts = graph.boxes.filter((box) => box.start);
  const focus = starts.length ? { ...graph, boxes: starts } : { ...graph, boxes: firstOf(graph, positions, frame) };
  const around = frameOf(focus, positions);
  const zoom = Math.max(LEAST, Math.min(MOST, width / frame.width, height / frame.height));
  return {
    x: along(width, frame.x * zoom, frame.width * zoom, around.x * zoom, around.width * zoom),
    y: along(height, frame.y * zoom, frame.height * zoom, around.y * zoom, around.height * zoom),
    zoom,
  };
}

/** The box at the left that is nearest to the middle: where reading begins if nothing was asked for. */
function firstOf(graph: Graph, positions: Positions, frame: { x: number; y: number; height: number }) {
  const far = (id: string, height: number): number => {
    const { x, y } = positions.get(id) ?? { x: 0, y: 0 };
    return (x - frame.x) * 1e4 + Math.abs(y + height / 2 - frame.y - frame.height / 2);
  };
  return [...graph.boxes].sort((a, b) => far(a.id, a.height) - far(b.id, b.height)).slice(0, 1);
}

/** The offset, in a window of this size, at which a part of the contents is seen. */
function along(size: number, from: number, length: number, part: number, partLength: number): number {
  if (length <= size) return Math.round((size - length) / 2 - from);
  const wanted = partLength > size ? -part : size / 2 - (part + partLength / 2);
  return Math.round(Math.min(-from, Math.max(size - from - length, wanted)));
}

/** The graph as elk wants it: a line per pair of boxes, between the middles of their rows. */
export function elkGraph(graph: Graph): ElkNode {
  const index = new Map(graph.boxes.map((box, i) => [box.id, `b${i}`]));
  const { width } = Positions.of(graph);
  const ends = new Map<string, { source: string; target: string; from: number[]; to: number[] }>();
  for (const { source, target, fromY, toY } of graph.links) {
    if (source === target) continue;
    const key = lane(source, target);
    const pair = ends.get(key) ?? { source: index.get(source) ?? "", target: index.get(target) ?? "", from: [], to: [] };
    pair.from.push(fromY);
    pair.to.push(toY);
    ends.set(key, pair);
  }
  const ports = new Map<string, { id: string; x: number; y: number }[]>();
  const port = (box: string, side: "i" | "o", rows: readonly number[]): string => {
    const y = Math.round(rows.reduce((sum, one) => sum + one, 0) / rows.length);
    const some = ports.get(box) ?? [];
    const id = `${box}:${side}${some.length}`;
    ports.set(box, [...some, { id, x: side === "o" ? width : 0, y }]);
    return id;
  };
  const edges = [...ends].map(([id, { source, target, from, to }]) => ({ id, sources: [port(source, "o", from)], targets: [port(target, "i", to)] }));
  return {
    id: "root",
    layoutOptions: {
      "elk.algorithm": "layered",
      "elk.direction": "RIGHT",
      "elk.edgeRouting": "ORTHOGONAL",
      "elk.layered.feedbackEdges": "true",
      "elk.layered.spacing.nodeNodeBetweenLayers": String(gapOf(width)),
      "elk.layered.spacing.edgeNodeBetweenLayers": "20",
      "elk.layered.spacing.edgeEdgeBetweenLayers": "3",
      "elk.spacing.nodeNode": String(GAP_Y),
      "elk.spacing.edgeNode": "14",
      "elk.spacing.edgeEdge": "8",
      "elk.layered.nodePlacement.strategy": graph.boxes.length <= FINE ? "NETWORK_SIMPLEX" : "LINEAR_SEGMENTS",
      "elk.layered.thoroughness": graph.boxes.length <= FINE ? "4" : "2",
    },
    children: graph.boxes.map((box, i) => ({
      id: `b${i}`,
      width,
      height: box.height,
      ports: ports.get(`b${i}`) ?? [],
      layoutOptions: { "elk.portConstraints": "FIXED_POS" },
    })),
    edges,
  };
}

let worker: Promise<ELK> | null = null;

function started(): Promise<ELK> {
  worker ??= Promise.all([
    import("elkjs/lib/elk-api"),
    import("elkjs/lib/elk-worker.min.js?url"),
  ]).then(([api, url]) => new api.default({ workerUrl: url.default }));
  return worker;
}

/** Have the worker ready before it is needed. */
export function warm(): void {
  void started().catch(() => undefined);
}

/** Where the boxes are, by elk, off the main thread. */
export async function elk(graph: Graph): Promise<Positions> {
  const engine = await started();
  return placed(graph, await engine.layout(elkGraph(graph)));
}

/** The one layout of a graph. */
export const laidOut = (graph: Graph): Promise<Positions> => (graph.boxes.length > LARGEST ? Promise.resolve(columns(graph)) : elk(graph));

/** What elk answered. */
export function placed(graph: Graph, laid: ElkNode): Positions {
  const positions = Positions.of(graph);
  graph.boxes.forEach((box, i) => positions.set(box.id, { x: laid.children?.[i]?.x ?? 0, y: laid.children?.[i]?.y ?? 0 }));
  const edges = new Map(laid.edges?.map((edge) => [edge.id, edge]));
  positions.lanes = new Map(pairs(graph).flatMap(([source, target]): [string, Lane][] => {
    const [section] = edges.get(lane(source, target))?.sections ?? [];
    return section ? [[lane(source, target), { source, target, points: [section.startPoint, ...(section.bendPoints ?? []), section.endPoint] }]] : [];
  }));
  return positions;
}
