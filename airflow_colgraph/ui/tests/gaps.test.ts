import { expect, test } from "vitest";
import { concerns, type Gap, reasons, said, sentences } from "../src/gaps";

const NONE: Gap = {
  job: "shop.mart", dag_id: "shop", task_id: "mart", at: "2026-11-20T12:00:00Z", outputs: [],
  unresolved: [], opaque: [], truncated: [], writes: 0, without_lineage: 0, writers: [], driver_rows: [],
};
const of = (...names: string[]) => names.map((name) => ({ name, count: 2 }));
const orders = { namespace: "n", name: "orders" };

test.each([
  [{}, []],
  [{ writes: 14, without_lineage: 2, writers: ["save at etl.py:7", "runJob at W.scala:85"], unresolved: of("writes without lineage") }, [
    "2 of 14 writes have no lineage: save at etl.py:7, runJob at W.scala:85.",
  ]],
  [{ unresolved: of("columns without inputs", "output to Mongo", "Magic") }, [
    "What 2 columns are computed from is not known.",
    "What is written to Mongo has no name, so it is not shown.",
    "Not understood, so lineage may be missing: Magic.",
  ]],
  [{ unresolved: of("a", "b", "c", "d", "e", "f", "g") }, ["Not understood, so lineage may be missing: a, b, c, d, e and 2 more."]],
  [{ unresolved: of("writes without lineage") }, ["2 writes have no lineage."]],
  [{ driver_rows: [{ namespace: "n", name: "mart", datasets: [orders] }] }, [
    "mart has rows that the program made itself, outside of Spark, perhaps of what it had read: orders.",
  ]],
  [{ driver_rows: [{ namespace: "n", name: "mart", datasets: [] }] }, ["mart has rows that the program made itself, outside of Spark."]],
  [{ truncated: ["3 columns are left out: maxEdges"] }, ["Cut short: 3 columns are left out: maxEdges."]],
] as [Partial<Gap>, string[]][])("what is missing by %j", (gap, expected) => {
  expect(sentences({ ...NONE, ...gap })).toEqual({ missing: expected, rough: [] });
});

test("what is only known roughly is separate from what is missing", () => {
  expect(sentences({ ...NONE, opaque: of("PythonUDF") })).toEqual({
    missing: [], rough: ["Taken as computed from all their inputs, so some links may be too many: PythonUDF."],
  });
});

test("what is missing concerns the datasets that it names, all of a job that names none, and the job's own box", () => {
  const job = { namespace: "jobs", name: "shop.mart", dag_id: "shop", task_id: "mart" };
  const tasks = [{ name: "mart", job, run: null, at: "" }];
  const [mart, other] = [{ ...orders, tasks }, { namespace: "n", name: "other", tasks }];
  const named = { ...NONE, outputs: [orders] };
  expect([mart, other].map((box) => concerns(named, box))).toEqual([true, false]);
  expect([mart, { ...other, tasks: [] }].map((box) => concerns(NONE, box))).toEqual([true, false]);
  expect(["shop.mart", "shop.other"].map((name) => concerns(named, { namespace: "job jobs", name, tasks }))).toEqual([true, false]);
  expect(reasons([{ ...named, truncated: ["maxEdges"] }, { ...NONE, opaque: of("PythonUDF") }])).toEqual(["mart: Cut short: maxEdges."]);
});

test("of two times a reason says which", () => {
  expect(reasons(said("Before: ", [{ ...NONE, truncated: ["maxEdges"] }]))).toEqual(["Before: mart: Cut short: maxEdges."]);
});
