import { describe, expect, test } from "vitest";
import { hits, parts } from "../src/search";
import { EMPTY, format } from "../src/url";

const job = (dag_id: string | null, task_id: string | null) => ({ namespace: "jobs", name: `${dag_id}.${task_id}`, dag_id, task_id });
const names = (text: string, ...jobs: ReturnType<typeof job>[]) => hits([], [], jobs, text).map(([kind, found]) => [kind, found.map((one) => one.name)]);

describe("DAGs and tasks of the jobs", () => {
  test("a DAG once, and not all its tasks", () => {
    expect(names("flights", job("flights", "mart"), job("flights", "load"), job("other", "flights"), job(null, null))).toEqual([
      ["DAGs", ["flights"]], ["Tasks", ["flights"]],
    ]);
  });

  test("words of both find the task", () => {
    expect(names("mart flights", job("flights", "mart"))).toEqual([["Tasks", ["mart"]]]);
  });
});

describe("the words in a name", () => {
  test.each([
    ["plane_age", "AGE plane", [["plane", true], ["_", false], ["age", true]]],
    ["plane_age", "days.age", [["plane_", false], ["age", true]]],
    ["/data/mart/plane_days", "days.age", [["/data/mart/plane_", false], ["days", true]]],
    ["aaa", "aa a", [["aaa", true]]],
    ["a.b", "a.b", [["a.b", true]]],
    ["x", "", [["x", false]]],
    ["größe", "ö", [["gr", false], ["ö", true], ["ße", false]]],
    ["", "a", []],
  ])("%s by %s", (name, text, expected) => {
    expect(parts(name, text)).toEqual(expected);
  });
});

test("a column's hit leads to each answer about it in one click", () => {
  const [[, columns] = ["", []]] = hits([], [{ namespace: "n", name: "mart", field: "t" }], [], "t");
  expect(columns.flatMap(({ actions }) => actions.map(([title, view]) => [title, format({ ...EMPTY, ...view })]))).toEqual([
    ["Recipe", "?namespace=n&name=mart&field=t&lock=%5B%22n%22%2C%22mart%22%2C%22t%22%5D"],
    ["Impact", "?namespace=n&name=mart&field=t&panel=impact"],
    ["History", "?namespace=n&name=mart&field=t&panel=history"],
    ["Copies", "?namespace=n&name=mart&field=t&view=copies"],
    ["Why different?", "?namespace=n&name=mart&field=t&view=why"],
  ]);
});
