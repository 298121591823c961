import type { TaskRun } from "./api";
import { ToAirflow } from "./navigate";
import { stateOf } from "./runs";

/** A run by the name that people know, leading to its task in Airflow where that is known. */
export function RunLink({ run }: { run: TaskRun | null }) {
  if (!run) return <span>no run</span>;
  const mapped = run.map_index === null || run.map_index < 0 ? "" : `[${run.map_index}]`;
  const name = run.dag_run ? `${run.dag_run}${mapped}` : run.id;
  const state = stateOf(run.state);
  const tried = run.attempt !== null && run.attempt > 1 ? `, try ${run.attempt}` : "";
  return (
    <span className="run">
      {run.link ? <ToAirflow href={run.link}>{name}</ToAirflow> : <code>{name}</code>}{" "}
      <small className={state.words}>{state.words}{tried}</small>
    </span>
  );
}
