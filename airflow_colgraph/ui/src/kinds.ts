// How a field comes from others: what the signs and colours of the picture say. Pure.

import type { Edge } from "./api";

export type Kind = "identity" | "transformed" | "aggregated" | "masked" | "condition" | "unknown";

/** Sign and words of each kind; colour alone would not do. */
export const KINDS: Record<Kind, { sign: string; words: string }> = {
  identity: { sign: "=", words: "copied" },
  transformed: { sign: "ƒ", words: "computed" },
  aggregated: { sign: "Σ", words: "aggregated" },
  masked: { sign: "▒", words: "masked" },
  condition: { sign: "?", words: "condition" },
  unknown: { sign: "·", words: "kind not known" },
};

type How = Pick<Edge, "type" | "subtype" | "masking">;

/** The kind of an edge. */
export function kindOf({ type, subtype, masking }: How): Kind {
  if (subtype === "RESTRICTED" || type === "DATASET") return "unknown";
  if (type === "INDIRECT") return "condition";
  if (masking) return "masked";
  if (subtype === "AGGREGATION") return "aggregated";
  return subtype === "IDENTITY" ? "identity" : "transformed";
}

const ORDER = Object.keys(KINDS) as Kind[];

/** The kinds of some edges, each once, in their order. */
export function kindsOf(edges: readonly How[]): Kind[] {
  const found = new Set(edges.map(kindOf));
  return ORDER.filter((kind) => found.has(kind));
}

const STEP_WORDS: Record<string, string> = {
  IDENTITY: KINDS.identity.words, TRANSFORMATION: KINDS.transformed.words, AGGREGATION: KINDS.aggregated.words,
};

/** OpenLineage's subtype in the words of the picture: `IDENTITY` as `copied`, `GROUP_BY` as `group by`. */
const subtypeInWords = (subtype: string): string => STEP_WORDS[subtype] ?? subtype.toLowerCase().replaceAll("_", " ");

/** What is done on the way, in a few words. */
export function words(edge: How): string {
  if (edge.subtype === "RESTRICTED") return "restricted";
  return subtypeInWords(edge.subtype || edge.type) + (edge.masking ? ", masked" : "");
}

const KIND = /\b(?:DIRECT|INDIRECT) ([A-Z_]+)\b/g; // as the store describes a step without a reported expression

/** A step's expression; of a step without one the kind, in the words of the picture. */
export function described(description: string): { text: string; expression: boolean } {
  const text = description.replaceAll(KIND, (_, subtype: string) => subtypeInWords(subtype));
  return { text, expression: text === description };
}

const STEP = / \(?(IDENTITY|TRANSFORMATION|AGGREGATION|CONDITIONAL|FILTER|JOIN|GROUP_BY|SORT|WINDOW)\)?(?=,|$)/g; // behind a column's name

/** The store's text about a change with each kind of step in the words of the picture: `a IDENTITY` as `a (copied)`. */
export const stepsInWords = (text: string): string =>
  text.replaceAll(STEP, (_, subtype: string) => ` (${subtypeInWords(subtype)})`);

const ROOM = 12; // characters that a label on a line has room for
const SILENT = new Set<Kind>(["identity", "unknown"]);

/** What is done on the way on one short line, as a label; nothing of what is only passed on. */
export function brief(edges: readonly How[]): string {
  const values = kindsOf(edges).filter((kind) => kind !== "condition" && !SILENT.has(kind));
  const conditions = [...new Set(edges.filter((edge) => kindOf(edge) === "condition").map(words))].sort();
  const all = [...values.map((kind) => KINDS[kind].words), ...conditions].join(", ");
  if (all.length <= ROOM) return all;
  if (!values.length) return conditions.length === 1 ? all : `${conditions.length} conditions`;
  return [...values, ...(conditions.length ? (["condition"] as const) : [])].map((kind) => KINDS[kind].sign).join(" ");
}
