// What each column of a dataset is computed from, and what uses it, one hop away. Pure.

import type { Answer, Edge } from "./api";
import { amount, boxId, rowId } from "./graph";

export interface ColumnUse { inputs: Edge[]; outputs: Edge[] }

/** The edges into and out of each of the dataset's columns, by its name. */
export function columnUses({ edges }: Pick<Answer, "edges">, dataset: { namespace: string; name: string }): Map<string, ColumnUse> {
  const own = boxId(dataset);
  const uses = new Map<string, ColumnUse>();
  const add = (field: string | null, side: keyof ColumnUse, edge: Edge): void => {
    if (field === null) return;
    const use = uses.get(field) ?? { inputs: [], outputs: [] };
    use[side].push(edge);
    uses.set(field, use);
  };
  for (const edge of edges) {
    if (boxId(edge.output) === own) add(edge.output.field, "inputs", edge);
    if (boxId(edge.input) === own) add(edge.input.field, "outputs", edge);
  }
  return uses;
}

/** `2 columns, rows of 1 dataset`: what some edges lead to, each once. */
export function usedBy(outputs: readonly Edge[]): string {
  const ends = new Map(outputs.map(({ output }) => [rowId(output), output]));
  const columns = [...ends.values()].filter((end) => end.field !== null).length;
  return [
    ...(columns ? [amount(columns, "column")] : []),
    ...(ends.size > columns ? [`rows of ${amount(ends.size - columns, "dataset")}`] : []),
  ].join(", ");
}
