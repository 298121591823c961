import { expect, test } from "vitest";
import type { Write } from "../src/api";
import { type Cause, causes, type Copy, furtherOrigins, ownersQuestion, type Reason, since, trailEnds, wider } from "../src/questions";
import { EMPTY, type Question } from "../src/url";

const FIELD = { ...EMPTY, namespace: "n", name: "d", fields: ["f"] };

test.each([
  ["unused", { name: "" }, "namespace=n&days=90&unread=false"],
  ["unused", { days: 7, at: "now-1d", unread: true }, "namespace=n&name=d&days=7&unread=true"],
  ["copies", {}, "namespace=n&name=d&field=f&through=identity"],
  ["copies", { through: "aggregation", origins: true, at: "now-1d" }, "namespace=n&name=d&field=f&through=aggregation&origins=true&at=now-1d"],
  ["why", { before: "now-2d" }, "namespace=n&name=d&field=f&since=now-2d"],
  ["why", { before: "now-2d", at: "now-1d", through: "aggregation" }, "namespace=n&name=d&field=f&since=now-2d&until=now-1d"],
] as const)("the question %s of %j", (asked, change, expected) => {
  expect(ownersQuestion({ ...FIELD, ...change }, asked as Question).toString()).toBe(expected);
});

const write = (at: string): Write => ({ at, checksum: "", job: null, run: null, change: null });
const [FIRST, SECOND, THIRD] = [1, 2, 3].map((hour) => `2026-11-20T0${hour}:00:00Z`) as [string, string, string];

test.each([
  [[], "", ""],
  [[FIRST], "", ""],
  [[THIRD, SECOND, FIRST], "", SECOND],
  [[FIRST, THIRD, THIRD], "", FIRST], // two writes at one time: neither is earlier
  [[THIRD, SECOND, FIRST], SECOND, FIRST],
  [[THIRD, SECOND, FIRST], "2026-11-20T02:30:00Z", FIRST],
  [[THIRD, SECOND, FIRST], "now", SECOND],
])("of the writes %j until %j the first to compare with is %j", (times, at, expected) => {
  expect(since(times.map(write), at)).toBe(expected);
});

test("each consequence is below its cause, and causes keep their order", () => {
  const reason = (rank: number, because: number | null): Reason => ({
    rank, because, kind: "type-changed", namespace: "n", name: "d", field: "f", distance: 0, at: FIRST, job: null, run: null,
    before: "", after: "", reached: true,
  });
  const ranks = (found: Cause[]): unknown[] => found.map((one) => [one.reason.rank, ranks(one.consequences)]);
  expect(ranks(causes([reason(1, null), reason(2, null), reason(3, 1), reason(4, 3), reason(5, 1)]))).toEqual([
    [1, [[3, [[4, []]]], [5, []]]],
    [2, []],
  ]);
  expect(ranks(causes([reason(1, 9)]))).toEqual([[1, []]]); // its cause is not shown
});

test("the trail of copies ends at the first steps that only a wider answer takes", () => {
  const column = (field: string) => ({ namespace: "n", name: "d", field });
  const copy = (...path: string[]): Copy => ({
    ...column(path.at(-1) ?? ""), other_names: [], hops: path.length - 1, job: null, run: null, written_at: null, path: path.map(column),
  });
  const listed = [copy("a"), copy("a", "b")];
  const cast = [...listed, copy("a", "b", "c"), copy("a", "b", "c", "d")];
  const steps = trailEnds(listed, [["transformation", cast], ["aggregation", [...cast, copy("a", "most")]]]);
  expect(steps.map(({ from, to, through }) => [from.field, to.field, through])).toEqual([["b", "c", "transformation"], ["a", "most", "aggregation"]]);
  expect(trailEnds(cast, [["aggregation", cast]])).toEqual([]);
  expect(trailEnds([], [["aggregation", cast]])).toEqual([]);
  expect([wider("identity"), wider("aggregation")]).toEqual([["transformation", "aggregation"], []]);
});

test("the trail back ends at origins that only a wider answer has", () => {
  const column = (field: string) => ({ namespace: "n", name: "d", field });
  const copy = (...path: string[]): Copy => ({
    ...column(path.at(-1) ?? ""), other_names: [], hops: path.length - 1, job: null, run: null, written_at: null, path: path.map(column),
  });
  const listed = [copy("domain")];
  const wide = [copy("mail"), copy("domain"), copy("mail", "address")];
  const origins = furtherOrigins(listed, [["transformation", wide], ["aggregation", [...wide, copy("rows")]]]);
  expect(origins.map(({ origin, through }) => [origin.field, through])).toEqual([["mail", "transformation"], ["rows", "aggregation"]]);
  expect(furtherOrigins(wide, [["aggregation", wide]])).toEqual([]);
});
