import { type Output, useAnswer } from "./api";
import { To, usePlace } from "./navigate";
import { Answered, Empty } from "./States";

/** What an Airflow DAG, or one task of it, wrote: the way in from Airflow's own pages. */
export function TaskPage() {
  const { view } = usePlace();
  const query = new URLSearchParams({ dag_id: view.dag });
  if (view.task) query.set("task_id", view.task);
  const outputs = useAnswer<{ outputs: Output[] }>("outputs", query);
  const who = view.task ? `Task ${view.task} of DAG ${view.dag}` : `DAG ${view.dag}`;
  return (
    <div className="page">
      <h1>{who} writes</h1>
      <Answered query={outputs} what="what was written">
        {({ outputs: rows }) =>
          rows.length === 0 ? (
            <Empty>
              No lineage is known of {who}. It appears when a run has reported what it wrote, and you may read the DAG.
            </Empty>
          ) : (
            <ul className="results">
              {rows.map((row) => (
                <li key={`${row.task_id} ${row.namespace} ${row.name}`}>
                  <To view={{ namespace: row.namespace, name: row.name, graph: true }}>
                    <strong>{row.name}</strong> <small>{row.namespace}</small>
                  </To>
                  <small>
                    {row.task_id} · <To view={{ namespace: row.namespace, name: row.name }}>fields</To>
                  </small>
                </li>
              ))}
            </ul>
          )
        }
      </Answered>
    </div>
  );
}
