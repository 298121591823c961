import type { DatasetSummary } from "./api";
import { To } from "./navigate";
import { stateOf } from "./runs";

type Write = NonNullable<DatasetSummary["write"]>;

/** The job that wrote a dataset last; a task leads to its lineage. */
export function Writer({ write: { job, dag_id, task_id } }: { write: Write }) {
  if (!dag_id || !task_id) return <>{job}</>;
  return <><To view={{ dag: dag_id, task: task_id }}>{task_id}</To> <small>of <To view={{ dag: dag_id, level: "dataset" }}>{dag_id}</To></small></>;
}

/** The state of its latest run, whether that wrote the dataset or not. */
export function State({ state }: { state: string }) {
  const { sign, words } = stateOf(state);
  return <span className={`state-of ${words}`}><span className={`state-sign ${words}`} data-sign={sign} aria-hidden="true" /> {words}</span>;
}
