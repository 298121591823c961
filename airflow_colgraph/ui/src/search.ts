// What a search finds, by kind, and where its words are in a name. Pure.

import type { DatasetRow, Field } from "./api";
import type { View } from "./url";

export interface JobRow { namespace: string; name: string; dag_id: string | null; task_id: string | null }
export interface Hit { id: string; name: string; of: string; view: Partial<View>; actions: Action[] }
export type Action = [title: string, view: Partial<View>];

const MOST = 5; // DAGs, and tasks

/** The hits of each kind that has some: DAGs are those of the jobs whose own names have the words. */
export function hits(datasets: readonly DatasetRow[], columns: readonly Field[], jobs: readonly JobRow[], text: string): [string, Hit[]][] {
  const has = (name: string): boolean => words(text).every((word) => name.toLowerCase().includes(word));
  const dags = [...new Set(jobs.map((job) => job.dag_id ?? ""))].filter((dag) => dag && has(dag)).slice(0, MOST);
  const tasks = jobs.filter((job) => job.dag_id && job.task_id && !(dags.includes(job.dag_id) && !has(job.task_id))).slice(0, MOST);
  const groups: [string, Hit[]][] = [
    ["Datasets", datasets.map(({ namespace, name }) => (
      { id: JSON.stringify([namespace, name]), name, of: namespace, view: { namespace, name }, actions: ofDataset(namespace, name) }))],
    ["Columns", columns.map(({ namespace, name, field }) => (
      { id: JSON.stringify([namespace, name, field]), name: field ?? "", of: name, view: { namespace, name, fields: [field ?? ""] }, actions: ofColumn(namespace, name, field ?? "") }))],
    ["DAGs", dags.map((dag) => ({ id: `dag ${dag}`, name: dag, of: "", view: { dag, level: "dataset" }, actions: [["Columns", { dag, level: "field" }]] }))],
    ["Tasks", tasks.map(({ dag_id, task_id }) => (
      { id: `task ${JSON.stringify([dag_id, task_id])}`, name: task_id ?? "", of: dag_id ?? "", view: { dag: dag_id ?? "", task: task_id ?? "" }, actions: [] }))],
  ];
  return groups.filter(([, found]) => found.length > 0);
}

const ofDataset = (namespace: string, name: string): Action[] => [
  ["Lineage", { namespace, name, show: "graph" }],
  ["Table", { namespace, name, show: "graph", panel: "table" }],
];

/** What is asked of a column; its name opens its lineage. */
function ofColumn(namespace: string, name: string, column: string): Action[] {
  const view = { namespace, name, fields: [column] };
  return [
    ["Recipe", { ...view, lock: [namespace, name, column] }],
    ["Impact", { ...view, panel: "impact" }],
    ["History", { ...view, panel: "history" }],
    ["Copies", { ...view, show: "copies" }],
    ["Why different?", { ...view, show: "why" }],
  ];
}

const words = (text: string): string[] => text.toLowerCase().split(/\s+/).filter(Boolean);

/** The name in parts, each with whether a word of the text is there; of `a.b` also a and b. */
export function parts(name: string, text: string): [string, boolean][] {
  const lower = name.toLowerCase();
  const marked = new Array<boolean>(name.length).fill(false);
  if (lower.length !== name.length) return [[name, false]]; // as that of some letters: the places would be others
  for (const word of new Set(words(text).flatMap((one) => (lower.includes(one) ? [one] : one.split("."))).filter(Boolean))) {
    for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + word.length)) marked.fill(true, at, at + word.length);
  }
  const found: [string, boolean][] = [];
  for (const [i, hit] of marked.entries()) { // by UTF-16's units, as the places are
    const last = found.at(-1);
    if (last && last[1] === hit) last[0] += name[i];
    else found.push([name[i] ?? "", hit]);
  }
  return found;
}
