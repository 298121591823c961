// Names of the files that can be taken away, and the title of a picture. Pure.

import { pinned } from "./pinned";
import type { View } from "./url";

const last = (name: string): string => name.split("/").filter(Boolean).at(-1) ?? name;

/** What the view shows, in words. */
export function titleOf(view: View): string {
  if (view.name) {
    const fields = pinned(view).map((one) => one[2]).join(", ");
    return `Lineage of ${fields ? `${fields} of ` : ""}${view.name}`;
  }
  return `Lineage of ${view.task ? `task ${view.task} of ` : ""}DAG ${view.dag}${view.run ? `, run ${view.run}` : ""}`;
}

/** `plane_days.worst_delay-lineage-2026-11-22.csv`: the dataset, the field, what it is and the day that it shows. */
export function fileName(view: View, what: string, ending: string, now: Date = new Date()): string {
  const day = (view.at && !Number.isNaN(Date.parse(view.at)) ? new Date(view.at) : now).toISOString().slice(0, 10);
  const subject = view.name ? [last(view.name), ...view.fields.slice(0, 3)] : [view.dag, view.task];
  const safe = subject.filter(Boolean).join(".").replaceAll(/[^\p{L}\p{N}._-]+/gu, "_").slice(0, 120);
  return `${[safe, what, day].filter(Boolean).join("-")}.${ending}`;
}
