import { expect, test } from "vitest";
import { isSaidBySign, storageOf } from "../src/storage";

test.each([
  ["file", "files"], ["hdfs://name:8020", "files"], ["s3://bucket", "bucket"], ["S3A://bucket", "bucket"], ["abfss://c@a.dfs", "bucket"],
  ["postgres://host:5432", "database"], ["bigquery", "database"], ["arn:aws:glue:eu:1", "database"], ["kafka://host:9092", "stream"],
  ["n", null], ["", null], ["filed", null],
])("%s is of %s", (namespace, storage) => {
  expect(storageOf(namespace)).toBe(storage);
});

test("the sign says as much as a namespace without a place", () => {
  expect(["file", "bigquery", "s3://bucket", "postgres://host:5432", "n"].filter(isSaidBySign)).toEqual(["file", "bigquery"]);
});
