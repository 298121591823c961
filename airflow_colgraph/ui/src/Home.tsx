import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf, type ApiError, type LatestChange, type Overview } from "./api";
import { counted as countedIn } from "./changes";
import { amount } from "./graph";
import { Coverage } from "./Coverage";
import { DatasetTable, useSummaries } from "./DatasetTable";
import { HomeSearch } from "./HomeSearch";
import { To } from "./navigate";
import { LastFailed } from "./LastFailed";
import { labels } from "./names";
import { recentDatasets } from "./recent";
import { Answered, Empty } from "./States";
import { ago, exact } from "./time";

const DAGS = 12; // that are listed at first, as many as changes
const EVERY = 100_000; // that the API answers with

/** What there is, the DAGs with their coverage, what changed lately, and a table of all datasets. */
export function Home() {
  const [dags, setDags] = useState(DAGS);
  const overview = useQuery<Overview, ApiError>({
    ...answerOf<Overview>("overview", new URLSearchParams({ dags: String(dags) })), placeholderData: keepPreviousData,
  });
  useSummaries(); // both at once, though the table comes below
  return (
    <div className="page">
      <HomeSearch>
        <Answered query={overview} what="the overview">
          {(found) => found.counts.datasets === 0 ? (
            <><h1>Column lineage</h1><Empty>The store is empty: colgraph ingest FILE adds events.</Empty></>
          ) : (
            <>
              <Latest found={found} allDags={() => setDags(EVERY)} />
              <section aria-labelledby="datasets">
                <h1 id="datasets">Datasets <small>{counted(found)}</small></h1>
                <p className="note">Open a dataset or search for a column to see what it is computed from, and what uses it. <To view={{ show: "coverage" }}>Coverage of all DAGs</To> · <To view={{ show: "unused" }}>Unused columns</To></p>
                <DatasetTable />
              </section>
            </>
          )}
        </Answered>
      </HomeSearch>
    </div>
  );
}

function counted({ counts }: Overview): string {
  return `${amount(counts.datasets, "dataset")}, ${amount(counts.fields, "column")}, ${amount(counts.jobs, "job")}`;
}

function Latest({ found, allDags }: { found: Overview; allDags: () => void }) {
  const names = labels([...found.changes, ...found.used].map((one) => one.name));
  return (
    <div className="home">
      <div>
      <section aria-labelledby="dags">
        <h2 id="dags"><To view={{ show: "coverage" }}>DAGs</To> {found.dags.length < found.dag_count && <small>the latest {found.dags.length} of {found.dag_count.toLocaleString("en")}</small>}</h2>
        {found.dags.length === 0 && <Empty>No Airflow DAG has reported a lineage.</Empty>}
        <ul className="results">
          {found.dags.map((one) => (
            <li key={one.dag_id}>
              <span>
                <To view={{ dag: one.dag_id, level: "dataset" }}><strong>{one.dag_id}</strong></To>{" "}
                {one.outputs > 0 && <Coverage known={one.columns} of={one.outputs} />}
                <small>{one.failed.length > 0 && <><LastFailed dag={one.dag_id} tasks={one.failed} />, </>}{one.outputs ? <>columns known of {one.columns} of the {amount(one.outputs, "dataset")} it writes</> : "it writes no dataset"}{one.lacking > 0 && <>, <strong className="lacking">lineage of {amount(one.lacking, "task")} may be missing</strong></>}</small>
              </span>
              <small title={exact(one.at)}>{ago(one.at)}</small>
            </li>
          ))}
        </ul>
        {found.dags.length < found.dag_count && (
          <button type="button" onClick={allDags}>Show all {amount(found.dag_count, "DAG")}</button>
        )}
      </section>
      <section aria-labelledby="used">
        <h2 id="used">Most used datasets</h2>
        {found.used.length === 0 && <Empty>No dataset is known to use another one.</Empty>}
        <ul className="results">
          {found.used.map((one) => (
            <li key={`${one.namespace} ${one.name}`}>
              <To view={{ namespace: one.namespace, name: one.name }}><strong>{names.get(one.name)}</strong></To>
              <small>used by <To view={{ namespace: one.namespace, name: one.name, show: "graph", level: "dataset", direction: "downstream" }}>{amount(one.datasets, "dataset")}</To></small>
            </li>
          ))}
        </ul>
      </section>
      </div>
      <div>
      <Recent />
      <section aria-labelledby="changes">
        <h2 id="changes">Changed lately</h2>
        {found.changes.length === 0 && <Empty>No run has reported a lineage.</Empty>}
        <ul className="results">
          {found.changes.map((one) => (
            <li key={`${one.namespace} ${one.name} ${one.job} ${one.state}`}>
              <span>
                <To view={{ namespace: one.namespace, name: one.name }}><strong>{names.get(one.name)}</strong></To>{" "}
                <Change one={one} /><Others one={one} /> <small>by {one.job}</small>
              </span>
              <small title={exact(one.at)}>{ago(one.at)}</small>
            </li>
          ))}
        </ul>
      </section>
      </div>
    </div>
  );
}

const FEW = 5; // datasets that were opened last

/** The datasets that were opened last in this browser, if it keeps them. */
function Recent() {
  const [datasets] = useState(() => recentDatasets().slice(0, FEW));
  const names = labels(datasets.map(([, name]) => name));
  if (datasets.length === 0) return null;
  return (
    <section aria-labelledby="recent">
      <h2 id="recent">Recently opened</h2>
      <ul className="results">
        {datasets.map(([namespace, name]) => (
          <li key={`${namespace} ${name}`}>
            <To view={{ namespace, name }} title={`${namespace} ${name}`}><strong>{names.get(name)}</strong></To>
            <small>{namespace}</small>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The other datasets of a job that writes to a new name in each run. */
function Others({ one: { others, like } }: { one: LatestChange }) {
  if (!like) return null;
  const q = like.split("*").reduce((longest, part) => (part.length > longest.length ? part : longest));
  return <>, and <span className="others" title={like}><To view={{ q }}>{amount(others, "other")}</To></span> like it</>;
}

function Change({ one }: { one: LatestChange }) {
  if (one.state === "gone") return <>no longer written</>;
  if (one.state !== "changed") return <>{one.state}</>;
  return <To view={{ namespace: one.namespace, name: one.name, show: "graph", before: one.before, at: one.at, panel: "changes" }}>{countedIn(one.difference)}</To>;
}
