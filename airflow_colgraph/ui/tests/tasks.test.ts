import { expect, test } from "vitest";
import type { Report } from "../src/api";
import { build } from "../src/graph";
import { isJob, throughTasks } from "../src/tasks";
import { answer, edge } from "./answers";

const report = (name: string, state: string, at: string): Report => ({
  job: { namespace: "jobs", name, dag_id: "shop", task_id: name },
  run: { id: at, started_at: at, ended_at: null, state, attempt: 1, map_index: null, parent: null },
  first_seen: at, last_seen: at, closed_at: null,
});
const of = (text: string, ...reports: Report[]) => ({ ...edge(text, "upstream", 1), type: "DATASET", subtype: "", reported_by: reports });

test("a task is a box between what it reads and what it writes, with its latest run", () => {
  const found = throughTasks(answer("mart", [
    of("raw > mart", report("make", "COMPLETE", "1"), report("make", "FAIL", "2")),
    of("more > mart", report("make", "FAIL", "2")),
    of("hidden > mart"),
  ]));
  const { boxes, links } = build(found);
  const names = new Map(boxes.map((box) => [box.id, box.name]));
  expect(links.map((link) => `${names.get(link.source)} > ${names.get(link.target)}`)).toEqual(
    ["raw > make", "make > mart", "more > make", "hidden > mart"],
  );
  expect(boxes.filter(isJob).map((box) => [box.name, box.tasks.map((task) => task.run?.state)])).toEqual([["make", ["FAIL"]]]);
  expect(boxes.find((box) => box.name === "mart")?.tasks).toEqual([]);
});

test("without boxes of their own, tasks are in the box of the dataset that they write", () => {
  const { boxes } = build(answer("mart", [of("raw > mart", report("make", "COMPLETE", "1"), report("other", "RUNNING", "2"))]));
  expect(boxes.map((box) => [box.name, box.tasks.map((task) => task.name)])).toEqual([["mart", ["make", "other"]], ["raw", []]]);
});
