import { useState } from "react";
import { type Overview, useAnswer } from "./api";
import { Coverage } from "./Coverage";
import { Gaps } from "./Gaps";
import { amount } from "./graph";
import { LastFailed } from "./LastFailed";
import { Heading, To } from "./navigate";
import { Answered, Empty } from "./States";
import { ago, exact } from "./time";

const EVERY = 100_000; // that the API answers with
const FIRST = 200; // that are listed at once
type Dag = Overview["dags"][number];

/** All DAGs by how much of their lineage is known: those that lack most first, with their tasks and why. */
export function CoveragePage() {
  const overview = useAnswer<Overview>("overview", new URLSearchParams({ dags: String(EVERY) }));
  return (
    <div className="page">
      <Answered query={overview} what="the DAGs">
        {({ dags }) => {
          const lacking = dags.filter((dag) => dag.lacking > 0 || dag.columns < dag.outputs).length;
          const failed = dags.filter((dag) => dag.failed.length > 0).length;
          return (
            <>
              <Heading>Coverage of all DAGs <small>{amount(dags.length, "DAG")}, {lacking ? `lineage of ${amount(lacking, "DAG")} may be missing` : "none lacks lineage"}{failed > 0 && `, tasks of ${amount(failed, "DAG")} failed in their last run`}</small></Heading>
              {dags.length === 0 ? <Empty>No Airflow DAG has reported a lineage.</Empty> : (
                <>
                  <p className="note">By the latest run of each task. A DAG whose tasks have reported nothing is not listed.</p>
                  <ul className="results covered">{byLack(dags).slice(0, FIRST).map((dag) => <Row key={dag.dag_id} dag={dag} />)}</ul>
                  {dags.length > FIRST && <p className="note">The first {FIRST} of {dags.length.toLocaleString("en")}.</p>}
                </>
              )}
            </>
          );
        }}
      </Answered>
    </div>
  );
}

/** Those that lack most first. */
function byLack(dags: readonly Dag[]): Dag[] {
  const known = ({ columns, outputs }: Dag): number => (outputs ? columns / outputs : 1);
  return dags.toSorted((a, b) => b.lacking - a.lacking || b.failed.length - a.failed.length || known(a) - known(b) || (a.dag_id < b.dag_id ? -1 : 1));
}

function Row({ dag }: { dag: Dag }) {
  const [open, setOpen] = useState(false); // else nothing is asked
  return (
    <li>
      <div>
        <To view={{ dag: dag.dag_id, level: "dataset" }}><strong>{dag.dag_id}</strong></To>{" "}
        {dag.outputs > 0 && <Coverage known={dag.columns} of={dag.outputs} />}
        <small>{dag.failed.length > 0 && <><LastFailed dag={dag.dag_id} tasks={dag.failed} />, </>}{dag.outputs ? <>columns known of {dag.columns} of {amount(dag.outputs, "dataset")}</> : "writes no dataset"}</small>
        {dag.lacking > 0 && (
          <details onToggle={(event) => setOpen(event.currentTarget.open)}>
            <summary className="lacking">lineage of {amount(dag.lacking, "task")} may be missing</summary>
            {open && <Gaps query={{ dag_id: dag.dag_id }} />}
          </details>
        )}
      </div>
      <small title={exact(dag.at)}>{ago(dag.at)}</small>
    </li>
  );
}
