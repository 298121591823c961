// What is shown <-> the query string. The address holds the whole state, so a view can be sent.

export type Direction = "upstream" | "downstream" | "both";
export type Level = "field" | "dataset" | "task"; // datasets with the tasks between them
export type Dataset = readonly [namespace: string, name: string];
export type FieldKey = readonly [namespace: string, name: string, field: string];
export type LinkKey = readonly [namespace: string, name: string, field: string, toNamespace: string, toName: string, toField: string]; // without fields: all between two datasets
export type Side = "upstream" | "downstream"; // of a box in the picture
export type Show = "" | "graph" | "coverage" | Question;
export type Question = "unused" | "copies" | "why"; // of an owner
export type Through = "identity" | "transformation" | "aggregation"; // the steps that keep a value
export type Tab = "table" | "changes" | "impact" | "history" | "runs" | "missing"; // of the panel below the picture
export type Hop = readonly [side: Side, namespace: string, name: string];

export interface View {
  q: string;
  namespace: string;
  name: string;
  fields: readonly string[];
  pins: readonly FieldKey[]; // fields of other datasets, shown with them
  show: Show; // graph: of all fields of the dataset, when no field is given
  depth: number;
  direction: Direction;
  indirect: boolean;
  level: Level;
  start: string;
  end: string;
  at: string;
  before: string; // compare with this time; of a DAG, with this run
  lock: FieldKey | null;
  link: LinkKey | null; // a line that is selected instead
  only: boolean; // what is not on the way of the selected column is not drawn
  expand: readonly Hop[];
  dag: string;
  task: string;
  run: string; // a DAG run of it; else each task's latest
  map: string; // an instance of a mapped task
  limit: number; // links at most
  through: Through;
  unread: boolean; // unused columns of datasets that no job reads, too
  origins: boolean; // copies of what the field was copied from, too
  days: number; // without a use
  panel: Tab | ""; // open below the picture
  panelSize: number; // percent of the height
  filter: string; // of the table of datasets: words,
  kept: string; // the kind of datasets that it is kept to,
  sort: string; // and what it is in the order of, with `-` falling
}

export const EMPTY: View = {
  q: "",
  namespace: "",
  name: "",
  fields: [],
  pins: [],
  show: "",
  depth: 5,
  direction: "both",
  indirect: false,
  level: "field",
  start: "",
  end: "",
  at: "",
  before: "",
  lock: null,
  link: null,
  only: false,
  expand: [],
  dag: "",
  task: "",
  run: "",
  map: "",
  limit: 10_000,
  through: "identity",
  unread: false,
  origins: false,
  days: 90,
  panel: "",
  panelSize: 33,
  filter: "",
  kept: "",
  sort: "",
};

const TEXTS = { q: "q", namespace: "namespace", name: "name", start: "start", end: "end", at: "at",
  before: "before", dag: "dag_id", task: "task_id", run: "run_id", map: "map_index", filter: "filter", kept: "kept", sort: "sort" } as const;
const DEEPEST = 100;
export const MOST = 100_000; // links that the API answers with

const SHOWN: readonly Show[] = ["graph", "coverage", "unused", "copies", "why"];
export const THROUGH: readonly Through[] = ["identity", "transformation", "aggregation"];
const LONGEST = 36_500; // days
const TABS: readonly Tab[] = ["table", "changes", "impact", "history", "runs", "missing"];

export type Page = "search" | "coverage" | "task" | "dataset" | "graph" | Question;

/** Which page the state is. */
export function page(view: View): Page {
  if (view.show === "unused" || view.show === "coverage") return view.show;
  if (view.name && view.fields.length > 0) return view.show || "graph";
  if (view.name) return view.show === "graph" ? "graph" : "dataset";
  return view.dag ? "task" : "search";
}

/** What a view shows by default: a DAG and a run of it, the datasets; else the fields. */
export const usual = (view: Pick<View, "dag" | "task" | "name">): Level => (view.dag && !view.task && !view.name ? "dataset" : "field");

/** The state that a query string holds; what makes no sense is left out. */
export function parse(search: string): View {
  const query = new URLSearchParams(search);
  const view: View = { ...EMPTY };
  for (const [key, word] of Object.entries(TEXTS)) {
    const text = query.get(word) ?? "";
    view[key as keyof typeof TEXTS] = PLACEHOLDERS.has(text) ? "" : text;
  }
  view.fields = [...new Set(query.getAll("field").filter(Boolean))];
  view.show = SHOWN.find((one) => one === query.get("view")) ?? "";
  view.through = THROUGH.find((one) => one === query.get("through")) ?? EMPTY.through;
  view.unread = query.get("unread") === "true";
  view.origins = query.get("origins") === "true";
  const days = Number(query.get("days"));
  if (Number.isInteger(days) && days >= 1) view.days = Math.min(days, LONGEST);
  view.panel = TABS.find((one) => one === query.get("panel")) ?? "";
  const size = Number(query.get("panel_size"));
  if (Number.isInteger(size) && size >= 1) view.panelSize = Math.min(size, 100);
  const depth = Number(query.get("depth"));
  if (Number.isInteger(depth) && depth >= 1) view.depth = Math.min(depth, DEEPEST);
  const limit = Number(query.get("limit"));
  if (Number.isInteger(limit) && limit >= 1) view.limit = Math.min(limit, MOST);
  const direction = query.get("direction");
  if (direction === "upstream" || direction === "downstream") view.direction = direction;
  view.indirect = query.get("indirect") === "true";
  const level = query.get("level");
  view.level = level === "dataset" || level === "field" || level === "task" ? level : usual(view);
  view.lock = triple(query.get("lock"));
  view.link = view.lock ? null : words<LinkKey>(query.get("link"), 6);
  view.only = view.lock !== null && query.get("only") === "true";
  view.pins = query.getAll("pin").map(triple).filter((one) => one !== null);
  view.expand = query
    .getAll("expand")
    .map(triple)
    .filter((one) => one !== null && (one[0] === "upstream" || one[0] === "downstream")) as Hop[];
  return view;
}

// Airflow leaves a placeholder that has no value as it is. A dataset may be called {TABLE}.
const PLACEHOLDERS = new Set(["{DAG_ID}", "{RUN_ID}", "{TASK_ID}", "{MAP_INDEX}"]);

const triple = (text: string | null): FieldKey | null => words<FieldKey>(text, 3);

/** So many texts, as JSON. */
function words<T>(text: string | null, count: number): T | null {
  try {
    const found: unknown = JSON.parse(text ?? "");
    const good = Array.isArray(found) && found.length === count && found.every((word) => typeof word === "string");
    return good ? (found as unknown as T) : null;
  } catch {
    return null;
  }
}

/** The shortest query string that holds the state. */
export function format(view: View): string {
  const query = new URLSearchParams();
  for (const [key, word] of Object.entries(TEXTS)) {
    const text = view[key as keyof typeof TEXTS];
    if (text) query.set(word, text);
  }
  for (const field of view.fields) query.append("field", field);
  for (const pin of view.pins) query.append("pin", JSON.stringify(pin));
  if (view.show) query.set("view", view.show);
  if (view.through !== EMPTY.through) query.set("through", view.through);
  if (view.unread) query.set("unread", "true");
  if (view.origins) query.set("origins", "true");
  if (view.days !== EMPTY.days) query.set("days", String(view.days));
  if (view.depth !== EMPTY.depth) query.set("depth", String(view.depth));
  if (view.direction !== EMPTY.direction) query.set("direction", view.direction);
  if (view.limit !== EMPTY.limit) query.set("limit", String(view.limit));
  if (view.indirect) query.set("indirect", "true");
  if (view.level !== usual(view)) query.set("level", view.level);
  if (view.lock) query.set("lock", JSON.stringify(view.lock));
  else if (view.link) query.set("link", JSON.stringify(view.link));
  if (view.lock && view.only) query.set("only", "true");
  for (const hop of view.expand) query.append("expand", JSON.stringify(hop));
  if (view.panel) query.set("panel", view.panel);
  if (view.panelSize !== EMPTY.panelSize) query.set("panel_size", String(view.panelSize));
  const text = query.toString();
  return text ? `?${text}` : "";
}

/** The parameters of a lineage question to the API. */
export function question(view: View): URLSearchParams {
  const query = new URLSearchParams({ namespace: view.namespace, name: view.name });
  if (view.level === "field") {
    for (const field of view.fields) query.append("field", field);
    for (const pin of view.pins) query.append("pin", JSON.stringify(pin));
  }
  query.set("direction", view.direction);
  query.set("depth", String(view.depth));
  options(view, query);
  for (const key of ["start", "end", "at"] as const) if (view[key]) query.set(key, view[key]);
  return query;
}

/** The parameters of a question for what a DAG's tasks, or one DAG run's, reported. */
export function taskQuestion(view: View): URLSearchParams {
  const query = new URLSearchParams({ dag_id: view.dag });
  if (view.task) query.set("task_id", view.task);
  if (view.run) query.set("run_id", view.run);
  if (/^\d+$/.test(view.map)) query.set("map_index", view.map);
  options(view, query);
  return query;
}

function options(view: View, query: URLSearchParams): void {
  if (view.level === "field") query.set("conditional", "true"); // they are a part of how a value is computed
  if (view.indirect) query.set("indirect", "true");
  if (view.level !== "field") query.set("level", "dataset");
  if (view.limit !== EMPTY.limit) query.set("limit", String(view.limit));
}
