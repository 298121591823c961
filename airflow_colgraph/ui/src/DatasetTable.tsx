import { useMemo, useState } from "react";
import type { DatasetRow } from "./api";
import { amount } from "./graph";
import { commonFolder } from "./names";
import { To } from "./navigate";
import { Empty } from "./States";
import { ago, exact } from "./time";

const FIRST = 100; // rows
type Key = "name" | "namespace" | "updated_at";
const COLUMNS: [Key, string][] = [["name", "Dataset"], ["namespace", "Namespace"], ["updated_at", "Last write"]];

/** All datasets, to be filtered and sorted; what all names begin with is said once. */
export function DatasetTable({ rows }: { rows: readonly DatasetRow[] }) {
  const [text, setText] = useState("");
  const [sort, setSort] = useState<{ key: Key; down: boolean }>({ key: "name", down: false });
  const [all, setAll] = useState(false);
  const prefix = useMemo(() => commonFolder(rows.map((row) => row.name)), [rows]);
  const shown = useMemo(() => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const fitting = rows.filter((row) => words.every((word) => `${row.namespace} ${row.name}`.toLowerCase().includes(word)));
    const value = (row: DatasetRow): string => row[sort.key] ?? "";
    return fitting.toSorted((a, b) => (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0) * (sort.down ? -1 : 1));
  }, [rows, text, sort]);
  return (
    <>
      <p className="paging">
        <input type="search" aria-label="Filter the datasets" placeholder={`Filter ${amount(rows.length, "dataset")}`} value={text} onChange={(event) => setText(event.target.value)} />
        {prefix && <small>All names begin with <code>{prefix}</code></small>}
      </p>
      {shown.length === 0 ? <Empty>No dataset's name has all of these words.</Empty> : (
        <div className="scroll whole" tabIndex={0} role="region" aria-label="All datasets">
          <table>
            <thead>
              <tr>
                {COLUMNS.map(([key, title]) => (
                  <th key={key} aria-sort={sort.key !== key ? "none" : sort.down ? "descending" : "ascending"}>
                    <button type="button" onClick={() => setSort({ key, down: sort.key === key && !sort.down })}>
                      {title}<span aria-hidden="true">{sort.key !== key ? "" : sort.down ? " ▼" : " ▲"}</span>
                    </button>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {(all ? shown : shown.slice(0, FIRST)).map((row) => (
                <tr key={`${row.namespace} ${row.name}`}>
                  <td data-label="Dataset"><To view={{ namespace: row.namespace, name: row.name }}><strong>{row.name.slice(prefix.length)}</strong></To></td>
                  <td data-label="Namespace">{row.namespace}</td>
                  <td data-label="Last write" className="time">{row.updated_at ? <span title={exact(row.updated_at)}>{ago(row.updated_at)}</span> : "only mentioned"}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {!all && shown.length > FIRST && <button type="button" onClick={() => setAll(true)}>Show all {amount(shown.length, "dataset")}</button>}
    </>
  );
}
