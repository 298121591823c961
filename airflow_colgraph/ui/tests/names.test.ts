import { expect, test } from "vitest";
import { commonFolder } from "../src/names";

test.each([
  [["/data/mart/a", "/data/mart/b", "/data/raw"], "/data/"], [["/a", "/b"], ""], [["db.t", "db.u"], ""], [["/data/only"], ""], [[], ""],
])("all of %j begin with %j", (names, folder) => {
  expect(commonFolder(names)).toBe(folder);
});
