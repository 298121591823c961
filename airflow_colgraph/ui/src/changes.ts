// What changed in a dataset between two times, as the API counts it. Pure but for the question.

import { useMemo } from "react";
import { type Chapter, type Difference, type Field, type Write, useAnswer } from "./api";
import type { Change } from "./boxes";
import { amount, rowId } from "./graph";
import { words } from "./kinds";
import type { View } from "./url";

const NO_COLUMN = "no column"; // as the store says it

export interface ColumnChange { kind: string; column: string; before: string; after: string }
export interface Delta {
  fields_added: [string, string][]; fields_removed: [string, string][]; changes: ColumnChange[]; counts: Difference; left_out: number;
}

/** The dataset's own changes between the two times that are compared. */
export function useDelta({ namespace, name, before, at }: View) {
  return useAnswer<Delta>("diff", new URLSearchParams({ namespace, name, before, after: at || "now" }), before !== "" && name !== "");
}

/** Its new and gone columns, by row, and as fields: those that no line leads to are drawn too. */
export function useColumnChanges({ namespace, name }: View, delta: Delta | undefined) {
  return useMemo(() => {
    const fields = (rows: [string, string][] = []): Field[] => rows.map(([field]) => ({ namespace, name, field }));
    const [added, removed] = [fields(delta?.fields_added), fields(delta?.fields_removed)];
    const columns = new Map<string, Change>([...added.map((one) => [rowId(one), "added"] as const), ...removed.map((one) => [rowId(one), "removed"] as const)]);
    return { columns, more: [...added, ...removed] };
  }, [namespace, name, delta]);
}

/** What a change is of, in a few words: `1 column new, 2 links gone`. */
export function counted(difference: Difference | null): string {
  const { columns_added = 0, columns_removed = 0, types = 0, edges_added = 0, edges_removed = 0, edges_changed = 0 } = difference ?? {};
  const parts = [
    columns_added && `${amount(columns_added, "column")} new`,
    columns_removed && `${amount(columns_removed, "column")} gone`,
    types && `${amount(types, "type")} changed`,
    edges_added && `${amount(edges_added, "link")} new`,
    edges_removed && `${amount(edges_removed, "link")} gone`,
    edges_changed && `${amount(edges_changed, "link")} changed`,
  ];
  return parts.filter(Boolean).join(", ") || "operations changed";
}

const SAID_BY_EXPRESSION = new Set(["transformation-changed", "expression-changed"]);

/** A change's two sides: the column's expressions where they say more than the store's words. */
export function sidesOf({ kind, before, after }: ColumnChange, was: string | undefined, is: string | undefined): { before: string; after: string } {
  if (kind === "column-added") return { before: "", after: is ?? (after === NO_COLUMN ? "" : after) };
  if (kind === "column-removed") return { before: was ?? before, after: "" };
  return SAID_BY_EXPRESSION.has(kind) && was !== is ? { before: was ?? before, after: is ?? after } : { before, after };
}

/** The run that had written the dataset last at a time: what the time stands for. */
export function runAt(writes: readonly Write[], at: string): Write | undefined {
  const until = at ? Date.parse(at) : Infinity;
  return writes.filter((one) => Date.parse(one.at) <= until).sort((a, b) => Date.parse(b.at) - Date.parse(a.at))[0];
}

/** What a version of a column is computed from: `a (aggregated), + through a condition: b (conditional)`. */
export function computedFrom(chapter: Chapter): string {
  const own = chapter.edges.filter((edge) => edge.output.field !== null);
  const [direct, conditions] = [own.filter((edge) => edge.type === "DIRECT"), own.filter((edge) => edge.type === "INDIRECT")];
  const names = (edges: Chapter["edges"]): string => edges.map((edge) => `${edge.input.field ?? edge.input.name} (${words(edge)})`).join(", ");
  const chosen = conditions.length ? `through ${conditions.length === 1 ? "a condition" : "conditions"}: ${names(conditions)}` : "";
  return [names(direct), chosen].filter(Boolean).join(", + ") || NO_COLUMN;
}
