import { describe, expect, test } from "vitest";
import { EMPTY, format, page, parse, question, taskQuestion, type View } from "../src/url";

const WHOLE: View = {
  q: "a b&c",
  namespace: "s3://bucket",
  name: "/lake/müll #1?",
  fields: ["a.b", "c:d"],
  pins: [["s3://bucket", "/other", 'x"y'], ["", "t", "f"]],
  show: "graph",
  depth: 7,
  direction: "upstream",
  indirect: true,
  level: "dataset",
  start: "2026-11-20T10:00:00Z",
  end: "now-7d",
  at: "now",
  before: "2026-11-01T00:00:00.000Z",
  lock: ["s3://bucket", "/lake", 'x"y'],
  link: null,
  only: true,
  expand: [["upstream", "file", "/a"], ["downstream", "file", "/b"]],
  dag: "flights",
  task: "typed.load",
  run: "manual__2026-11-20T12:00:00+00:00",
  map: "3",
  limit: 20_000,
  through: "aggregation",
  unread: true,
  origins: true,
  days: 30,
  panel: "impact",
  panelSize: 45,
  filter: "plane pii",
  kept: "failed",
  sort: "-used_by",
};

describe("the address holds the whole state", () => {
  test.each([[WHOLE], [{ ...WHOLE, lock: null, only: false, link: ["n", "a", "b", "n", "c", "" ] } as View], [EMPTY], [{ ...EMPTY, name: "t", fields: ["f"] }]])("there and back: %j", (view) => {
    expect(parse(format(view))).toEqual(view);
  });

  // No earlier name was like a placeholder of Airflow's, which is left out.
  test.each(["t#snapshots", "a\nb", "end\n", "50%", "%2F", "q?x=1&y", "a/b/", "größe 表", "#", "a:b", "{TABLE}", "+ +"])(
    "any name: %j", (name) => {
      const view: View = { ...EMPTY, namespace: name, name, fields: [name], show: "why", lock: [name, name, name], pins: [[name, name, name]] };
      expect(parse(format(view))).toEqual(view);
      expect(question(view).getAll("field")).toEqual([name]);
    },
  );

  test("defaults are not in the URL", () => {
    expect(format(EMPTY)).toBe("");
    expect(format({ ...EMPTY, namespace: "n", name: "d", fields: ["f"] })).toBe("?namespace=n&name=d&field=f");
  });

  test.each([
    ["?depth=0", {}],
    ["?depth=x", {}],
    ["?depth=1e9", { depth: 100 }],
    ["?direction=sideways&level=cell&indirect=yes", {}],
    ["?lock=[1,2,3]", {}],
    ["?pin=[1,2,3]&pin=a&pin=[\"n\",\"t\",\"f\"]", { pins: [["n", "t", "f"]] }],
    ["?lock=[\"a\"]&lock=x", {}],
    ["?expand=x&expand=[\"up\",\"a\",\"b\"]&expand=[\"upstream\",\"a\",\"b\"]", { expand: [["upstream", "a", "b"]] }],
    ["?field=&field=a&field=a", { fields: ["a"] }],
    ["?view=owner&through=walls&origins=1&days=0", {}],
    ["?days=1e9", { days: 36_500 }],
    ["?dag_id=d&task_id={TASK_ID}", { dag: "d", level: "dataset" as const }],
    ["?dag_id=d&level=field", { dag: "d" }],
    ["?dag_id=d&task_id=t", { dag: "d", task: "t" }],
  ])("nonsense is left out: %s", (search, expected) => {
    expect(parse(search)).toEqual({ ...EMPTY, ...expected });
  });
});

test.each<[Partial<View>, string]>([
  [{}, "search"],
  [{ q: "x" }, "search"],
  [{ dag: "d" }, "task"],
  [{ name: "t" }, "dataset"],
  [{ name: "t", show: "graph" }, "graph"],
  [{ name: "t", fields: ["f"], dag: "d" }, "graph"],
  [{ name: "t", fields: ["f"], show: "graph" }, "graph"],
  [{ name: "t", fields: ["f"], show: "copies" }, "copies"],
  [{ name: "t", fields: ["f"], show: "why" }, "why"],
  [{ name: "t", show: "why" }, "dataset"],
  [{ name: "t", show: "unused" }, "unused"],
  [{ show: "unused" }, "unused"],
  [{ show: "graph" }, "search"],
])("%j is the page %s", (change, expected) => {
  expect(page({ ...EMPTY, ...change })).toBe(expected);
});

test("the question to the API says what the state says", () => {
  const view = { ...EMPTY, namespace: "n", name: "d", fields: ["a", "b"], at: "now" };
  expect(question(view).toString()).toBe("namespace=n&name=d&field=a&field=b&direction=both&depth=5&conditional=true&at=now");
  expect(question({ ...view, fields: ["a"], pins: [["n", "e", "c"]] }).getAll("pin")).toEqual(['["n","e","c"]']);
  const datasets = { ...view, pins: [["n", "e", "c"] as const], level: "dataset" as const, indirect: true };
  expect(question(datasets).toString()).toBe(
    "namespace=n&name=d&direction=both&depth=5&indirect=true&level=dataset&at=now",
  );
});

test.each([
  [{ dag: "d" }, "dag_id=d&conditional=true"],
  [{ dag: "d", task: "t", run: "r:1", map: "2" }, "dag_id=d&task_id=t&run_id=r%3A1&map_index=2&conditional=true"],
  [{ dag: "d", map: "-1", indirect: true, limit: 50 }, "dag_id=d&conditional=true&indirect=true&limit=50"],
])("what %j asks of a DAG's tasks", (view, expected) => {
  expect(taskQuestion({ ...EMPTY, ...view }).toString()).toBe(expected);
});
