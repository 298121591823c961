// What a job's lineage lacks, as sentences. Pure.

import type { Box } from "./boxes";
import { amount } from "./graph";
import { isJob } from "./tasks";

interface Count { name: string; count: number }
interface Dataset { namespace: string; name: string }

/** What the latest run of a job, or a given one, reported that its lineage lacks. */
export interface Gap {
  job: string; dag_id: string | null; task_id: string | null; at: string; outputs: Dataset[];
  unresolved: Count[]; opaque: Count[]; truncated: string[];
  writes: number; without_lineage: number; writers: string[];
  driver_rows: (Dataset & { datasets: Dataset[] })[];
  datasets?: Dataset[]; // that were asked for and that it concerns
  when?: string; // of two times or runs: what is said before a reason
}

/** The gaps with what is said before their reasons. */
export const said = (when: string, gaps: readonly Gap[]): Gap[] => gaps.map((gap) => ({ ...gap, when }));

const NAMED = 5; // of a list; of more their number
const NO_INPUTS = "columns without inputs";
const NO_LINEAGE = "writes without lineage";
const OUTPUT = "output to ";

/** What is missing, and then what is only known roughly; each a sentence. */
export function sentences(gap: Gap): { missing: string[]; rough: string[] } {
  const columns = gap.unresolved.find((one) => one.name === NO_INPUTS)?.count ?? 0;
  const sinks = gap.unresolved.filter((one) => one.name.startsWith(OUTPUT)).map((one) => one.name.slice(OUTPUT.length));
  const counted = gap.unresolved.find((one) => one.name === NO_LINEAGE)?.count ?? 0;
  const rest = gap.unresolved.filter((one) => one.name !== NO_INPUTS && one.name !== NO_LINEAGE && !one.name.startsWith(OUTPUT));
  const missing = [
    gap.without_lineage && `${gap.without_lineage} of ${amount(gap.writes, "write")} ${gap.without_lineage === 1 ? "has" : "have"} no lineage: ${list(gap.writers)}.`,
    !gap.without_lineage && counted && `${amount(counted, "write")} ${counted === 1 ? "has" : "have"} no lineage.`,
    columns && `What ${amount(columns, "column")} ${columns === 1 ? "is" : "are"} computed from is not known.`,
    sinks.length && `What is written to ${list(sinks)} has no name, so it is not shown.`,
    rest.length && `Not understood, so lineage may be missing: ${list(rest.map((one) => one.name))}.`,
    ...gap.driver_rows.map(throughDriver),
    ...gap.truncated.map((why) => `Cut short: ${why}.`),
  ];
  const rough = gap.opaque.length && `Taken as computed from all their inputs, so some links may be too many: ${list(gap.opaque.map((one) => one.name))}.`;
  return { missing: missing.filter((one) => typeof one === "string"), rough: rough ? [rough] : [] };
}

/** Whether what is missing concerns a dataset, or the box of a job; that of an application as a whole concerns all it writes. */
export function concerns(gap: Gap, box: Pick<Box, "namespace" | "name" | "tasks">): boolean {
  if (isJob(box)) return gap.job === box.name;
  if (gap.outputs.length === 0) return box.tasks.some((task) => task.job.name === gap.job);
  return gap.outputs.some((output) => output.namespace === box.namespace && output.name === box.name);
}

/** What is missing, each sentence with the task that reported it. */
export function reasons(gaps: readonly Gap[]): string[] {
  return gaps.flatMap((gap) => sentences(gap).missing.map((sentence) => `${gap.when ?? ""}${taskOf(gap)}: ${sentence}`));
}

/** The task that reported it, or another job. */
export const taskOf = ({ task_id, job }: Gap): string => task_id ?? job;

function throughDriver({ name, datasets }: Gap["driver_rows"][number]): string {
  const read = list(datasets.map((one) => one.name));
  return `${name} has rows that the program made itself, outside of Spark${read && `, perhaps of what it had read: ${read}`}.`;
}

function list(names: readonly string[]): string {
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
  return names.slice(0, NAMED).join(", ") + more;
}
