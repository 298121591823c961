import { expect, test } from "vitest";
import { mirrored } from "../src/outer";

test("behind its navigation Airflow's address holds the frame's path, in its tabs it does not", () => {
  for (const base of ["", "/team"]) {
    const own = `${base}/colgraph/`;
    expect(mirrored(`${base}/plugin/colgraph${own}`, own)).toBe(true);
    for (const path of ["/plugin/colgraph", "/plugin/colgraph/", "/dags/cases/plugin/colgraph-dag", "/dags/cases/plugin/colgraph-dag/"]) {
      expect(mirrored(base + path, own), base + path).toBe(false);
    }
  }
});
