// Answers of the API in a few words, for tests.

import type { Answer, Edge, Field } from "../src/api";

/** `raw.a` is field a of dataset raw; `raw` the dataset as a whole. */
export function field(text: string): Field {
  const [name = "", one = null] = text.split(".");
  return { namespace: "n", name, field: one };
}

/** `raw.a > mart.t FILTER masked`: INDIRECT if it is one of those. */
export function edge(text: string, direction: string, depth: number): Edge {
  const [input = "", output = "", how = "IDENTITY", masked = ""] = text.split(/ > | /);
  const type = ["FILTER", "JOIN"].includes(how) ? "INDIRECT" : "DIRECT";
  return {
    input: field(input), output: field(output), type, subtype: how, masking: masked === "masked", description: "",
    direction, depth, reported_by: [],
  };
}

export function answer(start: string, edges: Edge[], unexplored = 0): Answer {
  const nodes = new Map<string, Field & { depth: number }>();
  for (const one of [field(start), ...edges.flatMap((e) => [e.input, e.output])]) {
    nodes.set(JSON.stringify(one), { ...one, depth: 0 });
  }
  return { starts: [field(start)], nodes: [...nodes.values()], edges, truncated: unexplored > 0, unexplored, left_out: 0 };
}
