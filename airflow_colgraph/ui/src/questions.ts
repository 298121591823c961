// The questions of a dataset's owner and their answers: what the API is asked, and how an answer is put in order. Pure.

import type { Field, TaskRun, Write } from "./api";
import { rowId } from "./graph";
import { type Question, THROUGH, type Through, type View } from "./url";

export interface UnusedField {
  namespace: string; name: string; field: string; status: "unused" | "perhaps used"; last_used: string | null;
  readers: number; unknown_readers: string[];
}
export interface Unused { unused: UnusedField[]; count: number; unread_count: number; truncated: boolean; left_out: number }
export interface Copy {
  namespace: string; name: string; field: string; other_names: string[]; hops: number;
  job: string | null; run: string | null; written_at: string | null; path: Field[];
}
/** A job that read a dataset with the value; nobody knows which columns. */
export interface UnknownCopy {
  source_namespace: string; source_name: string; job: string | null; namespace: string | null; name: string | null;
}
export interface Copies { copies: Copy[]; unknown: UnknownCopy[]; truncated: boolean; left_out: number; runs: Record<string, TaskRun> }
/** A step at which the trail of copies ends, as a cast or function computes the column; `through` follows it. */
export interface TrailEnd { from: Field; to: Field; through: Through }
export interface Reason {
  rank: number; kind: string; namespace: string; name: string; field: string | null; distance: number; at: string;
  job: string | null; run: string | null; before: string; after: string; reached: boolean; because: number | null;
}
export interface Why { since: string; until: string; reasons: Reason[]; notes: string[]; left_out: number; runs: Record<string, TaskRun> }

export const MOST_UNUSED = 1000; // fields that are asked for at first

/** The parameters of the question that the view shows. */
export function ownersQuestion(view: View, asked: Question): URLSearchParams {
  const query = new URLSearchParams();
  const add = (name: string, value: string): void => {
    if (value) query.set(name, value);
  };
  add("namespace", view.namespace);
  add("name", view.name);
  if (asked === "unused") {
    add("days", String(view.days));
    add("unread", String(view.unread));
  } else add("field", view.fields[0] ?? "");
  if (asked === "copies") {
    add("through", view.through);
    add("origins", view.origins ? "true" : "");
    add("at", view.at);
  }
  if (asked === "why") {
    add("since", view.before);
    add("until", view.at);
  }
  return query;
}

/** What follows more steps than this, in the order of how much. */
export const wider = (through: Through): readonly Through[] => THROUGH.slice(THROUGH.indexOf(through) + 1);

/** The steps by which wider answers leave the columns that are listed; each with the first answer that takes it. */
export function trailEnds(copies: readonly Copy[], answers: readonly (readonly [Through, readonly Copy[]])[]): TrailEnd[] {
  const listed = new Set(copies.map(rowId));
  const ends = new Map<string, TrailEnd>();
  for (const [through, found] of answers) {
    for (const { path } of found.filter((copy) => !listed.has(rowId(copy)))) {
      const last = path.findLastIndex((step) => listed.has(rowId(step)));
      const [from, to] = path.slice(last, last + 2);
      if (last < 0 || !from || !to) continue;
      const key = `${rowId(from)} ${rowId(to)}`;
      if (!ends.has(key)) ends.set(key, { from, to, through });
    }
  }
  return [...ends.values()];
}

/** The origins that wider answers have and the list has not; each with the first answer that has it. */
export function furtherOrigins(copies: readonly Copy[], answers: readonly (readonly [Through, readonly Copy[]])[]): { origin: Field; through: Through }[] {
  const listed = new Set(copies.map(rowId));
  const further = new Map<string, { origin: Field; through: Through }>();
  for (const [through, wide] of answers) {
    for (const origin of wide.filter((copy) => copy.hops === 0 && !listed.has(rowId(copy)))) {
      if (!further.has(rowId(origin))) further.set(rowId(origin), { origin, through });
    }
  }
  return [...further.values()];
}

/** With what the latest write until a time is compared at first: the one before it; empty: there is none. */
export function since(writes: readonly Write[], at: string): string {
  const until = Date.parse(at);
  const times = writes.map((one) => one.at).filter((time) => Number.isNaN(until) || Date.parse(time) <= until);
  const latest = Math.max(...times.map(Date.parse));
  return times.filter((time) => Date.parse(time) < latest).sort((a, b) => Date.parse(b) - Date.parse(a))[0] ?? "";
}

export interface Cause { reason: Reason; consequences: Cause[] }

/** The causes in the order of their ranks, each with what follows from it. */
export function causes(reasons: readonly Reason[]): Cause[] {
  const found = new Map(reasons.map((reason): [number, Cause] => [reason.rank, { reason, consequences: [] }]));
  const roots: Cause[] = [];
  for (const one of found.values()) {
    const because = one.reason.because === null ? undefined : found.get(one.reason.because);
    (because?.consequences ?? roots).push(one);
  }
  return roots;
}
