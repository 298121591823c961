import type { Output, TaskRun } from "./api";
import { amount } from "./graph";
import { To, usePlace } from "./navigate";
import { RunLink } from "./RunLink";
import { fate, type Fate } from "./runs";
import { ago, exact } from "./time";

const AT_ONCE = 2; // that are told without a click
const FATES: Record<Fate, string> = { failed: "failed", running: "running", silent: "reported nothing" };

/** The latest runs that the picture does not show: those that failed, run still, or reported nothing. */
export function OtherRuns({ runs, leftOut, outputs }: { runs: readonly TaskRun[]; leftOut: number; outputs: readonly Output[] }) {
  const { view } = usePlace();
  if (runs.length === 0) return null;
  const list = <ul className="others">{runs.map((run) => <li key={run.id}><Told run={run} outputs={outputs} /></li>)}{leftOut > 0 && <li>and {amount(leftOut, "other run")}</li>}</ul>;
  const kinds = (Object.keys(FATES) as Fate[]).filter((kind) => runs.some((run) => fate(run) === kind));
  const className = kinds.includes("failed") ? "warning" : "note";
  if (runs.length <= AT_ONCE) return <div className={className} role="status">{list}</div>;
  const counts = kinds.map((kind) => `${runs.filter((run) => fate(run) === kind).length} ${FATES[kind]}`).join(", ");
  return (
    <details className={className}>
      <summary>{view.run ? "Tasks in this run" : "Last runs of tasks"}: {counts}{leftOut > 0 && `, ${amount(leftOut, "other run")}`}</summary>
      {list}
    </details>
  );
}

/** A run, and what is shown instead of what it reported. */
function Told({ run, outputs }: { run: TaskRun; outputs: readonly Output[] }) {
  const { view } = usePlace();
  const task = run.task_id ?? "";
  const at = run.ended_at ?? run.started_at;
  const own = outputs.filter((output) => output.task_id === task);
  const shown = own.some((output) => output.run?.id === run.id);
  const earlier = own.find((output) => output.run && output.run.id !== run.id)?.run;
  return (
    <>
      {view.task ? (view.run ? "Run " : "Last run ") : <><To view={{ dag: view.dag, task }}>{task}</To>: {view.run ? "run " : "last run "}</>}<RunLink run={run} />, <span title={exact(at)}>{ago(at)}</span>
      {shown ? "; what it reported is shown" : fate(run) === "running" ? "; it has reported nothing yet" : ", without lineage"}
      {!shown && earlier && !view.run && <>. {view.task ? "The picture" : "Its part of the picture"} is of run <RunLink run={earlier} /></>}.
    </>
  );
}
