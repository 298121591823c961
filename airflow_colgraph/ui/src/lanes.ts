// The ways of lines between laid out boxes: out at a row's right side, along the lane of the two boxes, in at the left. Pure.

import { gapOf, WIDTH } from "./boxes";

export interface Point { x: number; y: number }

/** The name of the lane from one box to another. */
export const lane = (source: string, target: string): string => `${source} ${target}`;

export interface Lane { source: string; target: string; points: readonly Point[] }

/** Where the boxes are, and the lanes between them: each a way of level and upright lines, in turn. */
export class Positions extends Map<string, Point> {
  lanes: ReadonlyMap<string, Lane> = new Map();
  width = WIDTH; // of each box

  /** No places yet, for boxes that are so wide. */
  static of(graph: { boxes: readonly { width: number }[] }): Positions {
    const positions = new Positions();
    positions.width = graph.boxes[0]?.width ?? WIDTH;
    return positions;
  }

  /** The same places with the lanes of others, of boxes that have not moved since. */
  along(before: Positions): Positions {
    const still = (id: string): boolean => this.get(id)?.x === before.get(id)?.x && this.get(id)?.y === before.get(id)?.y;
    this.lanes = new Map([...before.lanes].filter(([, { source, target }]) => still(source) && still(target)));
    return this;
  }
}

const BEND = 17; // of a lane's corners: less than its distance from boxes

/** The way from the right side of a box that is so wide to a box's left side, in SVG's words. */
export function way(from: Point, to: Point, route: readonly Point[] = [], width: number = WIDTH): string {
  const [xs, ys] = corners(from, to, route, width);
  if (xs.length <= 1 && to.x >= from.x) return smooth(from, to);
  if (!xs.length) return back(from, to);
  let path = `M${from.x} ${from.y}`;
  xs.forEach((x, i) => {
    const before = i === 0 ? from.x : ((xs[i - 1] ?? x) + x) / 2;
    const after = i === xs.length - 1 ? to.x : ((xs[i + 1] ?? x) + x) / 2;
    const [a, b] = [bend(x, before), bend(x, after)];
    path += `L${a} ${ys[i]}C${x} ${ys[i]} ${x} ${ys[i + 1]} ${b} ${ys[i + 1]}`;
  });
  return `${path}L${to.x} ${to.y}`;
}

/** Where a corner at `x` begins on the side of `other`. */
const bend = (x: number, other: number): number => x + Math.sign(other - x) * Math.min(BEND, Math.abs(other - x));

/** The places of the upright parts, and the heights of the level ones: the first and last are those of the rows. */
function corners(from: Point, to: Point, route: readonly Point[], width: number): [number[], number[]] {
  const wide = width + gapOf(width) / 2; // from a box to a corner: from here on there is another column between
  const far = width + 1.5 * gapOf(width); // the same between two boxes
  const xs: number[] = [];
  const ys: number[] = route.length ? [route[0]?.y ?? 0] : [];
  for (let i = 1; i + 1 < route.length; i += 2) {
    xs.push(Math.round(route[i]?.x ?? 0));
    ys.push(Math.round(route[i + 1]?.y ?? 0));
  }
  if (!route.length || (xs.length <= 1 && to.x >= from.x && to.x - from.x < far)) return [[], []];
  const [first, last] = [xs[0] ?? to.x, xs.at(-1) ?? from.x];
  if (first - from.x > wide) {
    xs.unshift(from.x + 20);
    ys.unshift(from.y);
  } else ys[0] = from.y;
  if (to.x - last > wide) {
    xs.push(to.x - 20);
    ys.push(to.y);
  } else ys[ys.length - 1] = to.y;
  return [xs, ys];
}

function smooth(from: Point, to: Point): string {
  const half = (to.x - from.x) / 2;
  return `M${from.x} ${from.y}C${from.x + half} ${from.y} ${to.x - half} ${to.y} ${to.x} ${to.y}`;
}

function back(from: Point, to: Point): string {
  const out = 20 + (from.x - to.x) / 4;
  return `M${from.x} ${from.y}C${from.x + out} ${from.y} ${to.x - out} ${to.y} ${to.x} ${to.y}`;
}

const LOOP = 34; // how far a line leaves the box that it returns to

/** From a row to a row of the same box, at its right side. */
export function loop(from: Point, to: Point): string {
  const lift = from.y === to.y ? 7 : 0;
  return `M${from.x} ${from.y - lift}C${from.x + LOOP} ${from.y - 2 * lift} ${to.x + LOOP} ${to.y + 2 * lift} ${to.x} ${to.y + lift}`;
}
