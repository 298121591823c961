import type { Task } from "./boxes";
import { airflowBase, To, ToAirflow } from "./navigate";
import { chipIn } from "./room";
import { stateOf } from "./runs";
import { ago } from "./time";

/** The tasks that write a dataset, with the state of their latest run, leading to them. */
export function TaskChips({ tasks, width = Infinity }: { tasks: Task[]; width?: number }) {
  const [first, ...rest] = tasks;
  if (!first) return null;
  const others = rest.map((task) => task.name).join(", ");
  return (
    <span className="tasks">
      <Chip task={first} shown={chipIn(first.name, width, rest.length)} />
      {rest.length > 0 && <span title={others} aria-label={`and ${others}`} role="img">+{rest.length}</span>}
    </span>
  );
}

function Chip({ task: { name, job, run }, shown }: { task: Task; shown: string }) {
  const state = stateOf(run?.state);
  const tried = run?.attempt && run.attempt > 1 ? `, try ${run.attempt}` : "";
  const when = run ? `, ${ago(run.ended_at ?? run.started_at)}` : "";
  const label = `Written by ${job.task_id ? "task" : "job"} ${name}${job.dag_id ? ` of DAG ${job.dag_id}` : ""}: ${state.words || "state not known"}${tried}${when}`;
  const at = name.length - (shown.split("…").at(-1) ?? "").length; // its end stays whole, and the name is there for who looks for its words
  const text = (
    <>
      <span className={`state-sign ${state.words}`} data-sign={state.sign} />
      <span className="name">{shown === name ? name : <><span className="start">{name.slice(0, at)}</span><span>{name.slice(at)}</span></>}</span>
    </>
  );
  if (!job.dag_id || !job.task_id) return <span className="chip" title={label}>{text}</span>;
  const base = airflowBase();
  return base === null ? (
    <To view={{ dag: job.dag_id, task: job.task_id }} className="chip nodrag" label={label} title={label}>{text}</To>
  ) : (
    <ToAirflow href={`${base}/dags/${encodeURIComponent(job.dag_id)}/tasks/${encodeURIComponent(job.task_id)}`} className="chip nodrag" label={label} title={label}>{text}</ToAirflow>
  );
}
