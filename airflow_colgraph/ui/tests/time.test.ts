import { expect, test } from "vitest";
import { exact, local, utc } from "../src/time";
import { zoneIn } from "../src/zone";

test.each([
  ["2026-11-23T08:20:39Z", "America/New_York", "2026-11-23 03:20:39"],
  ["2026-11-23T23:30:00.123Z", "Asia/Kolkata", "2026-11-24 05:00:00"],
  ["2026-01-01T00:00:00Z", "UTC", "2026-01-01 00:00:00"], // not 24:00:00
  ["2026-06-30T12:00:00+02:00", "Europe/Berlin", "2026-06-30 12:00:00"],
  ["soon", "UTC", "soon"],
])("%s in %s is %s, as Airflow writes it", (iso, zone, text) => {
  expect(exact(iso, zone)).toBe(text);
});

test.each(["America/New_York", "Asia/Kolkata", "Europe/Berlin", "UTC", "Pacific/Apia", null])("in %s what an input shows is what the API is asked for", (zone) => {
  for (const iso of ["2026-11-23T08:20:39.000Z", "2026-03-29T00:59:59.000Z", "2026-03-29T01:00:00.000Z", "2026-03-08T07:00:00.000Z", "2026-07-01T23:59:00.000Z"]) {
    expect(utc(local(iso, zone), zone)).toBe(iso);
  }
});

test("an input without seconds, and one that is empty", () => {
  expect(utc("2026-11-23T09:30", "Europe/Berlin")).toBe("2026-11-23T08:30:00.000Z");
  expect([utc("", "UTC"), local("", "UTC"), utc("x", null)]).toEqual(["", "", ""]);
});

test.each([
  ['"Asia/Kolkata"', "Asia/Calcutta"],
  ['"UTC"', "UTC"],
  ['"Mars/Base"', null],
  ["Asia/Kolkata", null], // no JSON
  ["3", null],
  [null, null],
])("of the stored text %s the zone is %s", (text, zone) => {
  const aliases = [zone, zone === "Asia/Calcutta" ? "Asia/Kolkata" : zone]; // as the engine calls it
  expect(aliases.map((alias) => alias ?? Intl.DateTimeFormat().resolvedOptions().timeZone)).toContain(zoneIn(text));
});
