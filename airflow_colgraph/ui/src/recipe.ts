// All steps from the sources to a column. Pure.

import type { Edge, Field } from "./api";
import { rowId } from "./graph";

export interface RecipeStep { output: Field; inputs: Edge[] }

/** What each column on the way is computed from, the sources first; a column that is on the way twice is there once. */
export function recipe(edges: readonly Edge[], column: Field): RecipeStep[] {
  const into = new Map<string, Edge[]>();
  for (const edge of edges) {
    if (edge.output.field) into.set(rowId(edge.output), [...(into.get(rowId(edge.output)) ?? []), edge]);
  }
  const steps: RecipeStep[] = [];
  const seen = new Set<string>();
  const stack: [Field, boolean][] = [[column, false]];
  for (let top = stack.pop(); top; top = stack.pop()) {
    const [output, ready] = top;
    const inputs = into.get(rowId(output));
    if (ready && inputs) steps.push({ output, inputs });
    if (ready || !inputs || seen.has(rowId(output))) continue;
    seen.add(rowId(output));
    stack.push([output, true], ...inputs.map((edge): [Field, boolean] => [edge.input, false]).reverse());
  }
  return steps;
}
