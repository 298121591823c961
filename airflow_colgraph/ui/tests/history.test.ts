import { expect, test } from "vitest";
import { computedFrom, runAt, sidesOf } from "../src/changes";
import { latest } from "../src/latest";
import type { Chapter, TaskRun } from "../src/api";
import { edge } from "./answers";

const chapter = (...edges: string[]): Chapter => ({
  checksum: "", job_namespace: null, job: null, first_at: "", last_at: "", last_run: null, runs: 1,
  edges: edges.map((text) => edge(text, "upstream", 1)),
});

// A column that is only chosen by others was called constant; what affects rows is of no single column.
test.each([
  [["a.x > m.t"], "x (copied)"],
  [["a.x > m.t", "a.y > m.t FILTER"], "x (copied), + through a condition: y (filter)"],
  [["a.y > m.t FILTER", "a.z > m.t FILTER"], "through conditions: y (filter), z (filter)"],
  [["a.y > m FILTER"], "no column"],
])("%j is told as %s", (edges, words) => {
  expect(computedFrom(chapter(...edges))).toBe(words);
});

test("a task has the state of its last run, though another one reported the lineage", () => {
  const job = { namespace: "jobs", name: "shop.mart", dag_id: "shop", task_id: "mart" };
  const run = { id: "1", state: "COMPLETE" } as TaskRun;
  const failed = { ...run, id: "2", state: "FAIL", job: "shop.mart", job_namespace: "jobs" };
  const task = { name: "mart", job, run, at: "" };
  expect(latest([task], new Map([['["jobs","shop.mart"]', failed]]))[0]?.run?.state).toBe("FAIL");
  expect(latest([task], new Map())).toEqual([task]);
});

test("a time stands for the run that had written last", () => {
  const [first, second] = ["2026-11-20T12:15:00Z", "2026-11-20T12:30:00Z"].map((at) => ({ at, checksum: at, job: null, run: null, change: null }));
  const writes = [second, first].filter((one) => one !== undefined);
  expect(runAt(writes, "2026-11-20T12:29:59Z")).toBe(first);
  expect(runAt(writes, "")).toBe(second);
  expect(runAt(writes, "2026-11-20T12:00:00Z")).toBeUndefined();
});

test.each([
  ["column-added", "", "no column", undefined, "sum(x)", "", "sum(x)"],
  ["column-added", "", "no column", undefined, undefined, "", ""],
  ["column-added", "", "a.x", undefined, undefined, "", "a.x"],
  ["column-removed", "", "", "sum(x)", undefined, "sum(x)", ""],
  ["transformation-changed", "x IDENTITY", "x TRANSFORMATION", undefined, "round(x)", "x IDENTITY", "round(x)"],
  ["expression-changed", "", "computed in another way", "max(x)", "max(x)", "", "computed in another way"], // in a step before
  ["type-changed", "int", "long", "x", "y", "int", "long"],
])("%s from %j to %j, by the expressions %j and %j, is from %j to %j", (kind, before, after, was, is, left, right) => {
  expect(sidesOf({ kind, column: "t", before, after }, was, is)).toEqual({ before: left, after: right });
});
