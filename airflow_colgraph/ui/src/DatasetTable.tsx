import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { answerOf, type ApiError, type DatasetSummaries, type DatasetSummary } from "./api";
import { Coverage } from "./Coverage";
import { amount } from "./graph";
import { To, usePlace } from "./navigate";
import { Answered, Empty } from "./States";
import { ago, exact } from "./time";
import { State, Writer } from "./Writer";

const FIRST = 100; // rows
const MOST = 1000; // that the API answers with at once

const COLUMNS: [key: string, title: string][] = [
  ["name", "Dataset"], ["namespace", "Namespace"], ["writer", "Written by"], ["state", "Last run"], ["written_at", "Last write"],
  ["columns_known", "Sources known"], ["used_by", "Used by"], ["tags", "Tags"],
];
const FALLING = new Set(["written_at", "used_by"]); // what is sorted from the greatest on at first
const NUMBERS = new Set(["columns_known", "used_by"]);
const KEPT: [key: string, title: string][] = [
  ["", "All datasets"], ["failed", "Last run failed"], ["lineage-missing", "Lineage missing"], ["not-used", "Not used by any dataset"],
];

/** A sort of the address: `-used_by` falls. */
function sortOf(text: string): { key: string; down: boolean } {
  const key = text.replace(/^-/, "");
  return COLUMNS.some(([name]) => name === key) ? { key, down: text.startsWith("-") } : { key: "name", down: false };
}

/** The rows that the address asks for; the page above the table starts the question. */
export function useSummaries(limit = FIRST) {
  const { view } = usePlace();
  const { key, down } = sortOf(view.sort);
  const kept = KEPT.some(([name]) => name === view.kept) ? view.kept : "";
  const q = useDeferredValue(view.filter);
  const asked = new URLSearchParams({ q, only: kept, sort: key, descending: String(down), limit: String(limit) });
  const query = useQuery<DatasetSummaries, ApiError>({ ...answerOf<DatasetSummaries>("dataset-summaries", asked), placeholderData: keepPreviousData });
  return { key, down, kept, query };
}

/** All datasets, to be filtered and sorted; what all names begin with is said once. */
export function DatasetTable() {
  const { view, go } = usePlace();
  const [limit, setLimit] = useState(FIRST);
  const { key, down, kept, query } = useSummaries(limit);
  const sort = (next: string): void => go({ sort: key === next ? (down ? next : `-${next}`) : FALLING.has(next) ? `-${next}` : next }, true);
  return (
    <>
      <p className="paging">
        <input type="search" className="filter" aria-label="Filter the datasets" placeholder="Filter by name, writer or tag" value={view.filter} onChange={(event) => go({ filter: event.target.value }, true)} />
        <select aria-label="Which datasets" value={kept} onChange={(event) => go({ kept: event.target.value }, true)}>
          {KEPT.map(([name, title]) => <option key={name} value={name}>{title}</option>)}
        </select>
        <select aria-label="Sort by" className="narrow" value={key} onChange={(event) => sort(event.target.value)}>
          {COLUMNS.map(([name, title]) => <option key={name} value={name}>{title}</option>)}
        </select>
        {query.data && <small role="status">{amount(query.data.total, "dataset")}{query.data.prefix && <>, all names begin with <code>{query.data.prefix}</code></>}</small>}
      </p>
      <Answered query={query} what="the datasets">
        {({ datasets, prefix, total, next }) => datasets.length === 0 ? <Empty>No dataset matches.</Empty> : (
          <>
            <div className="scroll whole" tabIndex={0} role="region" aria-label="All datasets">
              <table className="datasets">
                <thead><tr>{COLUMNS.map(([name, title]) => <Head key={name} title={title} className={NUMBERS.has(name) ? "number" : ""} sorted={key === name ? (down ? "descending" : "ascending") : "none"} sort={() => sort(name)} />)}</tr></thead>
                <tbody>{datasets.map((row) => <Row key={`${row.namespace} ${row.name}`} row={row} prefix={prefix} />)}</tbody>
              </table>
            </div>
            {next !== null && limit < MOST && <button type="button" onClick={() => setLimit(MOST)}>{total > MOST ? `Show the first ${MOST.toLocaleString("en")}` : `Show all ${amount(total, "dataset")}`}</button>}
            {next !== null && limit === MOST && <p className="note">The first {MOST.toLocaleString("en")} of {total.toLocaleString("en")}. Filter to see others.</p>}
          </>
        )}
      </Answered>
    </>
  );
}

function Head({ title, className, sorted, sort }: { title: string; className: string; sorted: "none" | "ascending" | "descending"; sort: () => void }) {
  return (
    <th aria-sort={sorted} className={className}>
      <button type="button" onClick={sort}>{title}<span aria-hidden="true">{sorted === "none" ? "" : sorted === "descending" ? " ▼" : " ▲"}</span></button>
    </th>
  );
}

function Row({ row, prefix }: { row: DatasetSummary; prefix: string }) {
  const { namespace, name, write } = row;
  return (
    <tr>
      <td data-label="Dataset"><To view={{ namespace, name }}><strong>{name.slice(prefix.length)}</strong></To></td>
      <td data-label="Namespace" className="wide-only">{namespace}</td>
      <td data-label="Written by">{write ? <Writer write={write} /> : <small>no known job</small>}</td>
      <td data-label="Last run">{write?.state && <State state={write.state} />}</td>
      <td data-label="Last write" className="time">{write && <span title={exact(write.at)}>{ago(write.at)}</span>}{row.is_removed && <strong className="failed"> gone since</strong>}</td>
      <td data-label="Sources known" className="number"><Known row={row} /></td>
      <td data-label="Used by" className="number">{row.used_by > 0 && <To view={{ namespace, name, show: "graph", level: "dataset", direction: "downstream" }}>{amount(row.used_by, "dataset")}</To>}</td>
      <td data-label="Tags">{row.tags.length > 0 && <span className="tags" role="list" aria-label="Tags">{row.tags.map((tag) => <span key={tag} role="listitem" className="tag">{tag.replace("=", ": ")}</span>)}</span>}</td>
    </tr>
  );
}

/** How many columns the last write named, of how many of these the sources are known, and whether the latest run of a writer said that lineage is missing. */
function Known({ row: { columns, columns_known, is_lacking } }: { row: DatasetSummary }) {
  const missing = is_lacking && <strong className="lacking">, may be missing</strong>;
  if (columns === null || columns_known === null) return missing;
  if (columns === 0) return <span className="lacking">no column known</span>;
  return <span className={columns_known < columns ? "lacking" : ""}><Coverage known={columns_known} of={columns} what="Columns with known sources" /> {columns_known} of {columns}<span className="unit"> columns</span>{missing}</span>;
}
