import { expect, test } from "vitest";
import { type Compact, whole } from "../src/answer";

const job = { namespace: "n", name: "load", dag_id: null, task_id: null };
const COMPACT: Compact & { outputs: string[] } = {
  starts: [0],
  datasets: [{ namespace: "n", name: "mart" }, { namespace: "n", name: "raw" }],
  nodes: { dataset: [0, 1, 1], field: ["t", "a", null], depth: [0, 1, 1] },
  transformations: [{ type: "DIRECT", subtype: "IDENTITY", masking: false, description: "" }, { type: "INDIRECT", subtype: "FILTER", masking: false, description: "a > 1" }],
  jobs: [job],
  runs: [],
  reports: [{ job: 0, run: null, first_seen: "t", last_seen: "u", closed_at: null }],
  edges: {
    input: [1, 2], output: [0, 0], transformation: [0, 1], direction: ["upstream", "upstream"], depth: [1, 1], reported_by: [[0], []],
  },
  truncated: true, unexplored: 2, left_out: 3,
  outputs: ["mart"],
};

test("an answer in which everything is there once has each edge whole", () => {
  const found = whole(COMPACT);
  const t = { namespace: "n", name: "mart", field: "t", depth: 0 };
  expect(found.starts).toEqual([t]);
  expect(found.nodes).toEqual([t, { namespace: "n", name: "raw", field: "a", depth: 1 }, { namespace: "n", name: "raw", field: null, depth: 1 }]);
  expect(found.edges).toEqual([
    {
      input: { namespace: "n", name: "raw", field: "a", depth: 1 }, output: t, type: "DIRECT", subtype: "IDENTITY", masking: false, description: "",
      direction: "upstream", depth: 1, reported_by: [{ job, run: null, first_seen: "t", last_seen: "u", closed_at: null }],
    },
    {
      input: { namespace: "n", name: "raw", field: null, depth: 1 }, output: t, type: "INDIRECT", subtype: "FILTER", masking: false, description: "a > 1",
      direction: "upstream", depth: 1, reported_by: [],
    },
  ]);
  expect([found.truncated, found.unexplored, found.left_out, found.outputs]).toEqual([true, 2, 3, ["mart"]]);
  expect(found.edges[0]?.output).toBe(found.edges[1]?.output); // so that its id is made once
  expect(found.edges[0]?.input).toBe(found.nodes[1]);
});

test("an answer that names what is not in it is refused", () => {
  expect(() => whole({ ...COMPACT, datasets: [] })).toThrow("has 0 items and names item 0");
});
