import { type ReactNode, useState } from "react";
import type { FieldRow } from "./api";

const PAGE = 50;

/** The fields of a dataset, a page at a time, with a filter where there are several pages. */
export function FieldTable({ rows, label, head, children }: {
  rows: FieldRow[]; label: string; head?: ReactNode; children: (row: FieldRow) => ReactNode;
}) {
  const [text, setText] = useState("");
  const [page, setPage] = useState(0);
  const found = text ? rows.filter((row) => row.name.toLowerCase().includes(text.toLowerCase())) : rows;
  const pages = Math.max(1, Math.ceil(found.length / PAGE));
  const from = Math.min(page, pages - 1) * PAGE;
  return (
    <>
      {rows.length > PAGE && (
        <div className="paging">
          <input
            type="search"
            aria-label={`Filter: ${label}`}
            placeholder="Filter"
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              setPage(0);
            }}
          />
          <button type="button" aria-label="Previous page" disabled={from === 0} onClick={() => setPage(from / PAGE - 1)}>‹</button>
          <span role="status">{found.length ? `${from + 1}–${Math.min(from + PAGE, found.length)} of ${found.length}` : "no such column"}</span>
          <button type="button" aria-label="Next page" disabled={from + PAGE >= found.length} onClick={() => setPage(from / PAGE + 1)}>›</button>
        </div>
      )}
      <div className="scroll" tabIndex={0} role="region" aria-label={label}>
        <table>
          {head}
          <tbody>{found.slice(from, from + PAGE).map(children)}</tbody>
        </table>
      </div>
    </>
  );
}
