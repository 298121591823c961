// Times for people, in their own time zone: inside Airflow in the one that is chosen there.

import { airflowsZone } from "./zone";

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_536_000], ["month", 2_592_000], ["day", 86_400], ["hour", 3_600], ["minute", 60], ["second", 1],
];

/** `3 days ago`. */
export function ago(iso: string, now: number = Date.now()): string {
  const seconds = Math.round((Date.parse(iso) - now) / 1000);
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ["second", 1];
  return new Intl.RelativeTimeFormat("en", { numeric: "auto" }).format(Math.trunc(seconds / size), unit);
}

const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** Date and time to the second, inside Airflow in its zone and format. */
export function exact(iso: string, zone: string | null = airflowsZone()): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  return zone === null ? EXACT.format(at) : wall(at, zone).replace("T", " ");
}

/** The value of a datetime-local input, in the zone that times are shown in. */
export function local(iso: string, zone: string | null = airflowsZone()): string {
  const at = new Date(iso);
  return Number.isNaN(at.getTime()) ? "" : wall(at, zone);
}

/** The other way: what the API takes. */
export function utc(value: string, zone: string | null = airflowsZone()): string {
  const shown = Date.parse(`${value}Z`); // as if it were UTC's
  if (value === "" || Number.isNaN(shown)) return "";
  const offset = (at: number): number => Date.parse(`${wall(new Date(at), zone)}Z`) - Math.trunc(at / 1000) * 1000;
  const near = shown - offset(shown);
  return new Date(shown - offset(near)).toISOString(); // again: a change of the clock may lie between
}

/** `2026-11-23T09:30:05`: what a clock shows in the zone, or in the browser's. */
function wall(at: Date, zone: string | null): string {
  const parts = new Map(clockOf(zone).formatToParts(at).map(({ type, value }) => [type, value]));
  const [year, month, day, hour, minute, second] = (["year", "month", "day", "hour", "minute", "second"] as const).map((type) => parts.get(type) ?? "");
  return `${year}-${month}-${day}T${hour}:${minute}:${second}`;
}

const clocks = new Map<string | null, Intl.DateTimeFormat>();

/** The clock of a zone; it is costly to begin with. */
function clockOf(zone: string | null): Intl.DateTimeFormat {
  const clock = clocks.get(zone) ?? new Intl.DateTimeFormat("en-US", {
    year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23", ...(zone !== null && { timeZone: zone }),
  });
  clocks.set(zone, clock);
  return clock;
}
