import { Fragment } from "react";
import { amount } from "./graph";
import { To } from "./navigate";

const NAMED = 3; // tasks that failed

/** The tasks of a DAG whose last run failed, leading to the run. */
export function LastFailed({ dag, tasks }: { dag: string; tasks: readonly string[] }) {
  const more = tasks.length - NAMED;
  return (
    <strong className="failed">
      last run of {tasks.slice(0, NAMED).map((task, i) => <Fragment key={task}>{i > 0 && ", "}<To view={{ dag, task }}>{task}</To></Fragment>)}
      {more > 0 && <> and <To view={{ dag, level: "dataset" }}>{amount(more, "other task")}</To></>} failed
    </strong>
  );
}
