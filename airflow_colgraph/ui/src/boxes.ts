// A dataset's box: which of its fields are seen, where their rows are, and the tasks that write it. Pure.

import type { Edge, Job, Run } from "./api";
import type { Kind } from "./kinds";

export const WIDTH = 236;
const NARROW = 196; // of a box without rows
const GAP = { wide: 112, narrow: 60 }; // between boxes: where columns are drawn, with room for a label on a line
export const HEAD = 58;
export const TASK = 28; // the line of the head that names the tasks
export const ROW = 28;
const FILTER = 38; // above the rows of a box that pages
const PAGER = 36; // below them
const FOOT = 8;

export type Change = "same" | "added" | "removed" | "changed";

export interface Row { id: string; field: string; start: boolean; change: Change; kinds: Kind[]; linked: boolean }

/** Which page of a box is seen, of the fields that contain the text. */
export interface Page { page: number; text: string }
export interface Paged extends Page { pages: number; first: number; found: number; all: number }

/** A task (or another job) that writes a dataset, with its latest run. */
export interface Task { name: string; job: Job; run: Run | null; at: string }

export interface Box {
  id: string;
  namespace: string;
  name: string;
  label: string; // the shortest name that tells it apart
  start: boolean;
  tasks: Task[];
  rows: Row[]; // those that are drawn
  hidden: number; // further ones of the answer
  unlinked: number; // of all of them: without a line
  paged: Paged | null;
  depth: number; // hops from the start: negative upstream
  width: number; // of every box of the picture
  head: number;
  top: number; // of the first row
  height: number;
  ends: { upstream: boolean; downstream: boolean }; // nothing of the answer goes further that way
}

/** How many rows a box shows at once: the more boxes, the fewer. */
export function rowsShown(boxes: number): number {
  return boxes > 120 ? 3 : boxes > 40 ? 8 : 16;
}

interface Wanted {
  most: number;
  page: Page | undefined;
  first: (row: string) => boolean; // what comes before the others where there are pages
  locked: string | null; // the page with this row is seen, unless another one is asked for
}

/** The rows that are seen: all, or a page of those that contain the text. */
export function seen(rows: readonly Row[], { most, page, first, locked }: Wanted): { rows: Row[]; paged: Paged | null } {
  const sorted = rows.toSorted((a, b) => (a.field < b.field ? -1 : 1));
  if (rows.length <= most + 1) return { rows: sorted, paged: null };
  const ranked = [...sorted.filter((row) => first(row.id)), ...sorted.filter((row) => !first(row.id))];
  const text = page?.text ?? "";
  const found = text ? ranked.filter((row) => row.field.toLowerCase().includes(text.toLowerCase())) : ranked;
  const pages = Math.max(1, Math.ceil(found.length / most));
  const home = Math.max(0, found.findIndex((row) => row.id === locked));
  const number = Math.min(page?.page ?? Math.floor(home / most), pages - 1);
  const from = number * most;
  return {
    rows: found.slice(from, from + most),
    paged: { page: number, text, pages, first: from + 1, found: found.length, all: rows.length },
  };
}

/** How wide the boxes of a picture are, with columns or without. */
export const widthOf = (columns: boolean): number => (columns ? WIDTH : NARROW);

/** The room between boxes of a width, from left to right. */
export const gapOf = (width: number): number => (width < WIDTH ? GAP.narrow : GAP.wide);

/** Where the rows are within a box, and how high it is: a box that pages is as high on every page. */
export function measures(head: number, rows: number, paged: Paged | null, most: number) {
  const top = head + (paged ? FILTER : 0);
  const height = paged ? top + most * ROW + PAGER : head + rows * ROW + (rows ? FOOT : 0);
  return { top, height, row: (index: number) => top + index * ROW + ROW / 2, rest: height - PAGER / 2 };
}

/** The tasks that wrote a dataset by these edges, each with its latest run. */
export function tasksOf(edges: readonly Edge[]): Task[] {
  const found = new Map<string, Task>();
  for (const { job, run, last_seen: at } of edges.flatMap((edge) => edge.reported_by)) {
    if (!job) continue;
    const known = found.get(job.name);
    if (!known || known.at < at) found.set(job.name, { name: job.task_id ?? job.name, job, run, at });
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
