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
  const overview = useAnswer<Overview>("overview", new URLSearchParams({ dags: String(EVERY), without_outputs: "true" }));
  return (
    <div className="page">
      <Answered query={overview} what="the DAGs">
        {({ dags, dags_without_outputs: silent = [] }) => {
          const lacking = dags.filter((dag) => dag.lacking > 0 || dag.columns < dag.outputs).length;
          const failed = [...dags, ...silent].filter((dag) => dag.failed.length > 0).length;
          return (
            <>
              <Heading>Coverage of all DAGs <small>{amount(dags.length, "DAG")}, {lacking ? `lineage of ${amount(lacking, "DAG")} may be missing` : "none lacks lineage"}{failed > 0 && `, tasks of ${amount(failed, "DAG")} failed in their last run`}{silent.length > 0 && `; ${amount(silent.length, "other DAG")} ran without lineage`}</small></Heading>
              {dags.length === 0 ? <Empty>No Airflow DAG has reported a lineage.</Empty> : (
                <>
                  <p className="note">By the latest run of each task.</p>
                  <ul className="results covered">{byLack(dags).slice(0, FIRST).map((dag) => <Row key={dag.dag_id} dag={dag} />)}</ul>
                  {dags.length > FIRST && <p className="note">The first {FIRST} of {dags.length.toLocaleString("en")}.</p>}
                </>
              )}
              <Silent dags={silent} />
              <p className="note">A DAG that has sent no event at all, as one that has not run yet or runs without OpenLineage, is known to Airflow only.</p>
            </>
          );
        }}
      </Answered>
    </div>
  );
}

/** The DAGs that ran and never reported a dataset that they write. */
function Silent({ dags }: { dags: NonNullable<Overview["dags_without_outputs"]> }) {
  if (dags.length === 0) return null;
  return (
    <section aria-labelledby="silent">
      <h2 id="silent">Ran without lineage <small>{dags.length.toLocaleString("en")}</small></h2>
      <p className="note">No run of these DAGs reported a dataset that it writes.</p>
      <ul className="results silent">
        {dags.slice(0, FIRST).map((dag) => (
          <li key={dag.dag_id}>
            <div>
              <To view={{ dag: dag.dag_id, level: "dataset" }}><strong>{dag.dag_id}</strong></To>{" "}
              {dag.failed.length > 0 && <small><LastFailed dag={dag.dag_id} tasks={dag.failed} /></small>}
            </div>
            <small title={exact(dag.at)}>{ago(dag.at)}</small>
          </li>
        ))}
      </ul>
      {dags.length > FIRST && <p className="note">The first {FIRST} of {dags.length.toLocaleString("en")}.</p>}
    </section>
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
