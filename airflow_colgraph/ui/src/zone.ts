// The time zone that times are shown in: inside Airflow the one that is chosen there, else the browser's.

import { outer } from "./outer";

const KEY = "timezone"; // under which Airflow 3 keeps it, as JSON text

const browsers = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The zone in a stored text; the browser's, as in Airflow, if the text has none. Pure but for that. */
export function zoneIn(text: string | null): string {
  try {
    const zone: unknown = JSON.parse(text ?? "");
    return typeof zone === "string" ? Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone : browsers();
  } catch {
    return browsers(); // no JSON, or no zone
  }
}

function stored(): string | null {
  try {
    return window.localStorage.getItem(KEY); // of Airflow's origin, which is the frame's
  } catch {
    return null; // the browser blocks it
  }
}

/** The zone of Airflow's page around this one; null: there is none. */
export const airflowsZone = (): string | null => (outer() ? zoneIn(stored()) : null);

/** Do this when another zone is chosen in Airflow; the answer ends it. */
export function whenZoneChanges(then: () => void): () => void {
  const follow = (event: StorageEvent): void => {
    if (event.key === KEY) then();
  };
  window.addEventListener("storage", follow);
  return () => window.removeEventListener("storage", follow);
}
