// The links of a graph -> the lines that are drawn for them, and their ways between boxes. Pure.

import { type Graph, HEAD, type Link } from "./graph";
import { lane, loop, type Positions, way } from "./lanes";
import type { LinkKey } from "./url";

/** What is drawn for links that would lie on each other. */
export interface Line extends Pick<Link, "id" | "source" | "target" | "fromY" | "toY" | "direct" | "masking" | "change"> {
  links: Link[];
}

const COARSE = { boxes: 120, links: 2000 }; // beyond so many, a line is from box to box

/** The lines to draw: exact for links of `lit`, else one per pair of rows; of boxes if large or `small`. */
export function lines(graph: Graph, lit: ReadonlySet<string> | null = null, small = false): Line[] {
  const coarse = small || graph.boxes.length > COARSE.boxes || graph.links.length > COARSE.links;
  const drawn = new Map<string, Line>();
  for (const link of graph.links) {
    const exact = !coarse || lit?.has(link.id);
    const [fromY, toY] = exact ? [link.fromY, link.toY] : [HEAD / 2, HEAD / 2];
    const key = `${link.source} ${link.target} ${fromY} ${toY} ${link.change}${exact && coarse ? " lit" : ""}`;
    const line = drawn.get(key);
    if (line) {
      line.links.push(link);
      line.direct ||= link.direct;
      line.masking &&= link.masking;
    } else {
      const { source, target, direct, masking, change } = link;
      drawn.set(key, { id: key, source, target, fromY, toY, direct, masking, change, links: [link] });
    }
  }
  return [...drawn.values()];
}

/** The key of what a line stands for. */
export function keyOf({ links }: Line): LinkKey | null {
  const [first] = links;
  const edge = first?.edges[0];
  if (!first || !edge) return null;
  const alone = links.every((link) => link.from === first.from && link.to === first.to);
  const { input, output } = edge;
  return [input.namespace, input.name, alone ? input.field ?? "" : "", output.namespace, output.name, alone ? output.field ?? "" : ""];
}

/** The way of a line between laid out boxes, and its end. */
export function curve(
  line: Pick<Line, "source" | "target" | "fromY" | "toY">, positions: Positions,
): { path: string; x2: number; y2: number } | null {
  const [source, target] = [positions.get(line.source), positions.get(line.target)];
  if (!source || !target) return null;
  const point = (x: number, y: number) => ({ x: Math.round(x), y: Math.round(y) });
  const from = point(source.x + positions.width, source.y + line.fromY);
  if (line.source === line.target) {
    const end = point(target.x + positions.width, target.y + line.toY);
    return { path: loop(from, end), x2: end.x, y2: end.y };
  }
  const to = point(target.x, target.y + line.toY);
  return { path: way(from, to, positions.lanes.get(lane(line.source, line.target))?.points, positions.width), x2: to.x, y2: to.y };
}
