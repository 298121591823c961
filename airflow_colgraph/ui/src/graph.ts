// The API's answers -> boxes (datasets) with rows (fields) and links between them. Pure.

import type { Answer, Edge, Field } from "./api";
import { type Box, type Change, HEAD, measures, type Page, type Row, rowsShown, seen, TASK, tasksOf, widthOf } from "./boxes";
import { kindsOf } from "./kinds";
import { labels } from "./names";
import { isJob } from "./tasks";

export type { Box, Change, Row } from "./boxes";
export { HEAD, ROW, rowsShown, WIDTH } from "./boxes";
export { words } from "./kinds";

export interface Link {
  id: string;
  source: string; // box
  target: string;
  from: string; // row
  to: string;
  fromY: number; // from the box's top
  toY: number;
  direct: boolean;
  masking: boolean;
  change: Change;
  edges: Edge[];
}
export interface Graph { boxes: Box[]; links: Link[]; fields: number }

/** The identity of what these words name. */
export const id = (...parts: string[]): string => JSON.stringify(parts);

/** What a function says of an object, which is asked of the same ones very often and never changes. */
function once<T extends object>(say: (one: T) => string): (one: T) => string {
  const known = new WeakMap<T, string>();
  return (one) => {
    const found = known.get(one) ?? say(one);
    known.set(one, found);
    return found;
  };
}

/** A field's identity; the dataset as a whole without a field. */
export const rowId = once((field: Field): string => id(field.namespace, field.name, field.field ?? ""));
export const boxId = once((dataset: { namespace: string; name: string }): string => id(dataset.namespace, dataset.name));

const edgeId = once(({ input, output, type, subtype, masking, description }: Edge): string =>
  `${rowId(input)} ${rowId(output)} ${type} ${subtype} ${masking} ${description}`);

/** Each edge once: one in a cycle is met both upstream and downstream of the start. */
export function eachOnce(edges: readonly Edge[]): Edge[] {
  const nearest = new Map<string, Edge>();
  for (const edge of edges) {
    const before = nearest.get(edgeId(edge));
    if (!before || edge.depth < before.depth) nearest.set(edgeId(edge), edge);
  }
  return [...nearest.values()];
}

/** How many links some edges are: one for each pair of ends, whatever the ways between them. */
export const linkCount = (edges: readonly Edge[]): number => new Set(edges.map(({ input, output }) => `${rowId(input)} ${rowId(output)}`)).size;

/** Several answers as one: the first one's starts, every node and edge once. */
export function merge(answers: readonly Answer[]): Answer {
  const [first] = answers;
  if (!first) return { starts: [], nodes: [], edges: [], truncated: false, unexplored: 0, left_out: 0 };
  if (answers.length === 1) return first;
  const nodes = new Map<string, Answer["nodes"][number]>();
  const edges = new Map<string, Edge>();
  for (const answer of answers) {
    for (const node of answer.nodes) if (!nodes.has(rowId(node))) nodes.set(rowId(node), node);
    for (const edge of answer.edges) if (!edges.has(edgeId(edge))) edges.set(edgeId(edge), edge);
  }
  return {
    starts: first.starts,
    nodes: [...nodes.values()],
    edges: [...edges.values()],
    truncated: answers.some((answer) => answer.truncated),
    unexplored: answers.reduce((sum, answer) => sum + answer.unexplored, 0),
    left_out: answers.reduce((sum, answer) => sum + answer.left_out, 0),
  };
}

/** Which edges are new or gone between two times: what only came into the picture, or left it, was there before, or still is. */
export function compare(before: Answer, after: Answer, since: string, until: string): Compared {
  const { answer, change: plain } = difference(before, after);
  const end = until ? Date.parse(until) : Infinity;
  const change = (edge: Edge): Change => {
    const how = plain(edge);
    if (how === "added" && edge.reported_by.some((one) => Date.parse(one.first_seen) <= Date.parse(since))) return "same";
    if (how === "removed" && edge.reported_by.some((one) => one.closed_at === null || Date.parse(one.closed_at) > end)) return "same";
    return how;
  };
  return { answer, change };
}

export interface Compared { answer: Answer; change: (edge: Edge) => Change }

/** Which edges only one of two answers has, as those of two runs. */
export function difference(before: Answer, after: Answer): Compared {
  const [old, now] = [before, after].map((answer) => new Set(answer.edges.map(edgeId)));
  const change = (edge: Edge): Change => (!old?.has(edgeId(edge)) ? "added" : !now?.has(edgeId(edge)) ? "removed" : "same");
  return { answer: merge([after, before]), change };
}

/** What all of some changes have in common: if one thing came and another went, they have changed. */
const together = (changes: readonly Change[]): Change => {
  const [first = "same"] = changes;
  return changes.every((one) => one === first) ? first : "changed";
};

/** How each row that some edge leads to changed: a column is new or gone if all that it is computed from is, and nothing else uses it. */
function rowChanges(edges: readonly Edge[], change: (edge: Edge) => Change): Map<string, Change> {
  const used = new Map<string, Change[]>();
  for (const edge of edges) used.set(rowId(edge.input), [...(used.get(rowId(edge.input)) ?? []), change(edge)]);
  return new Map([...groupBy(edges, (edge) => rowId(edge.output))].map(([row, into]) => {
    const how = together(into.map(change));
    const there = used.get(row)?.some((one) => one !== how) ?? false;
    return [row, there && how !== "same" ? "changed" : how];
  }));
}

export interface Options {
  pages?: ReadonlyMap<string, Page>; // what is asked for of boxes that page
  change?: (edge: Edge) => Change;
  locked?: string | null; // this row
  kept?: ReadonlySet<string>; // rows that come first where there are pages
  more?: readonly Field[]; // fields without a link that are drawn too
  columns?: ReadonlyMap<string, Change>; // rows that are known to be new or gone
}

/** What is drawn of an answer. */
export function build(answer: Answer, options: Options = {}): Graph {
  const starts = new Set(answer.starts.map(rowId));
  const depths = signedDepths(answer);
  const grouped = groupBy([...answer.starts, ...answer.nodes, ...(options.more ?? [])], boxId);
  const change = options.change ?? ((): Change => "same");
  const changes = options.change ? rowChanges(answer.edges, change) : new Map<string, Change>();
  const linked = new Set(answer.edges.flatMap((edge) => [rowId(edge.input), rowId(edge.output)]));
  const into = groupBy(answer.edges, (edge) => rowId(edge.output));
  const writes = groupBy(answer.edges, (edge) => boxId(edge.output));
  const most = rowsShown(grouped.size);
  const width = widthOf([...grouped.values()].some((members) => members.some((member) => member.field)));
  const short = labels([...grouped.values()].map(([one]) => one?.name ?? ""));
  const boxes: Box[] = [];
  const place = new Map<string, number>(); // row -> y within its box
  let fields = 0;
  for (const [box, members] of grouped) {
    const [one] = members;
    if (!one) continue;
    const all = new Map<string, Row>();
    for (const member of members) {
      const row = rowId(member);
      if (!member.field || all.has(row)) continue;
      const kinds = kindsOf(into.get(row) ?? []);
      all.set(row, { id: row, field: member.field, start: starts.has(row), change: options.columns?.get(row) ?? changes.get(row) ?? "same", kinds, linked: linked.has(row) });
    }
    fields += all.size;
    const own = options.locked != null && all.has(options.locked);
    const first = (row: string): boolean => (all.get(row)?.start ?? false) || (!own && Boolean(options.kept?.has(row)));
    const { rows, paged } = seen([...all.values()], { most, page: options.pages?.get(box), first, locked: options.locked ?? null });
    const tasks = tasksOf((writes.get(box) ?? []).filter((edge) => !isJob(edge.input))); // else they are boxes of their own
    const head = HEAD + (tasks.length && !isJob(one) ? TASK : 0);
    const { top, height, row: middle, rest } = measures(head, rows.length, paged, most);
    for (const row of all.keys()) place.set(row, rest);
    rows.forEach((row, index) => place.set(row.id, middle(index)));
    place.set(id(one.namespace, one.name, ""), HEAD / 2);
    boxes.push({
      id: box,
      namespace: one.namespace,
      name: one.name,
      label: short.get(one.name) ?? one.name,
      start: answer.starts.some((start) => boxId(start) === box),
      tasks,
      rows,
      hidden: all.size - rows.length,
      unlinked: [...all.values()].filter((row) => !row.linked).length,
      paged,
      depth: depths.get(box) ?? 0,
      width,
      head,
      top,
      height,
      ends: { upstream: true, downstream: true },
    });
  }
  const links = linksOf(answer.edges, place, change);
  const byId = new Map(boxes.map((box) => [box.id, box]));
  for (const link of links) {
    if (link.source === link.target) continue;
    const source = byId.get(link.source);
    const target = byId.get(link.target);
    if (source) source.ends.downstream = false;
    if (target) target.ends.upstream = false;
  }
  return { boxes, links, fields };
}

function signedDepths(answer: Answer): Map<string, number> {
  const depths = new Map<string, number>(answer.starts.map((start) => [boxId(start), 0]));
  for (const edge of [...answer.edges].sort((a, b) => a.depth - b.depth)) {
    const far = boxId(edge.direction === "upstream" ? edge.input : edge.output);
    if (!depths.has(far)) depths.set(far, edge.direction === "upstream" ? -edge.depth : edge.depth);
  }
  return depths;
}

function linksOf(edges: readonly Edge[], place: Map<string, number>, change: (edge: Edge) => Change): Link[] {
  const links = new Map<string, Link>();
  for (const edge of edges) {
    const from = rowId(edge.input);
    const to = rowId(edge.output);
    const how = change(edge);
    const direct = edge.type !== "INDIRECT";
    const key = `${from} ${to}`;
    const known = links.get(key);
    if (known) {
      known.direct ||= direct;
      known.change = together([known.change, how]);
      known.masking ||= edge.masking;
      if (!known.edges.some((one) => edgeId(one) === edgeId(edge))) known.edges.push(edge);
      continue;
    }
    links.set(key, {
      id: key,
      source: boxId(edge.input),
      target: boxId(edge.output),
      from,
      to,
      fromY: place.get(from) ?? HEAD / 2,
      toY: place.get(to) ?? HEAD / 2,
      direct,
      masking: edge.masking,
      change: how,
      edges: [edge],
    });
  }
  return [...links.values()];
}

/** Whether something in the graph is new, gone or changed. */
export const isCompared = (graph: Graph): boolean =>
  graph.links.some((link) => link.change !== "same") || graph.boxes.some((box) => box.rows.some((row) => row.change !== "same"));

/** The items by their keys, in their order. */
export function groupBy<T>(some: readonly T[], key: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of some) {
    const group = groups.get(key(item));
    if (group) group.push(item);
    else groups.set(key(item), [item]);
  }
  return groups;
}

/** `3 links`, `1 link`. */
export const amount = (count: number, noun: string): string => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

/** The part of a dataset's name that says most, for a box. */
export function short(name: string): string {
  const parts = name.split("/").filter(Boolean);
  return parts.length > 2 ? `…/${parts.slice(-2).join("/")}` : name;
}
