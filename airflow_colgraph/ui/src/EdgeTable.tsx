import {
  createColumnHelper, createSortedRowModel, rowSortingFeature, sortFn_alphanumeric, tableFeatures, useTable,
} from "@tanstack/react-table";
import { memo, useMemo, useState } from "react";
import type { Answer, Edge } from "./api";
import { amount, type Change, eachOnce, linkCount, words } from "./graph";
import { labels } from "./names";
import { To } from "./navigate";
import { DatasetLink } from "./NodeLink";
import { exact } from "./time";

const FIRST = 200;

const features = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { alphanumeric: sortFn_alphanumeric },
});

interface Row {
  way: string; hops: number; fromDataset: string; from: string; toDataset: string; to: string;
  what: string; kind: string; job: string; last: string; change: Change; edge: Edge;
}

const helper = createColumnHelper<typeof features, Row>();
const CHANGE = helper.columns([helper.accessor("change", { header: "Change" })]);
const HOPS = helper.columns([helper.accessor("hops", { header: "Hops" })]);
const FROM = helper.columns([helper.accessor("fromDataset", { header: "From dataset" })]);
const FROM_FIELD = helper.columns([helper.accessor("from", { header: "Column" })]);
const TO = helper.columns([helper.accessor("toDataset", { header: "To dataset" })]);
const TO_FIELD = helper.columns([
  helper.accessor("to", { header: "To column" }),
  helper.accessor("kind", { header: "Kind" }),
  helper.accessor("what", { header: "Transformation" }),
]);
const REPORTED = helper.columns([
  helper.accessor("job", { header: "Reported by" }),
  helper.accessor("last", { header: "Last seen" }),
]);

const SAME = (): Change => "same";
const KIND: Record<string, string> = { DIRECT: "value", INDIRECT: "condition" };

/** The graph's edges as a table: the same answer, for reading and for screen readers. */
export const EdgeTable = memo(function EdgeTable({ answer, change = SAME, hops = true }: {
  answer: Answer; change?: (edge: Edge) => Change; hops?: boolean;
}) {
  const [text, setText] = useState("");
  const [all, setAll] = useState(false);
  const compared = change !== SAME;
  const fields = answer.edges.some((edge) => edge.type !== "DATASET"); // else there are no fields to show
  const names = useMemo(() => labels(answer.edges.flatMap((edge) => [edge.input.name, edge.output.name])), [answer]);
  const rows = useMemo(() => eachOnce(answer.edges).map((edge) => rowOf(edge, change(edge))), [answer, change]);
  const data = useMemo(() => {
    const wanted = text.toLowerCase();
    return wanted ? rows.filter((row) => [row.from, row.fromDataset, row.to, row.toDataset, row.what, row.job].join(" ").toLowerCase().includes(wanted)) : rows;
  }, [rows, text]);
  const links = linkCount(answer.edges);
  const shown = linkCount(data.map((row) => row.edge));
  const columns = useMemo(
    () => [
      ...(compared ? CHANGE : []), ...(hops ? HOPS : []), ...FROM, ...(fields ? FROM_FIELD : []), ...TO, ...(fields ? TO_FIELD : []), ...REPORTED,
    ],
    [compared, hops, fields],
  );
  const table = useTable({ features, columns, data });
  const sorted = table.getRowModel().rows;
  return (
    <section aria-labelledby="edges">
      <div className="titled">
        <h2 id="edges">As a table <small>{shown.toLocaleString("en")} of {amount(links, "link")}{data.length > shown && `, in ${amount(data.length, "row")}`}</small></h2>
        <label className="filter">Filter <input type="search" value={text} onChange={(e) => setText(e.target.value)} /></label>
      </div>
      <div className="scroll" tabIndex={0} role="region" aria-labelledby="edges">
        <table className="edges">
          <thead>
            {table.getHeaderGroups().map((group) => (
              <tr key={group.id}>
                {group.headers.map((header) => {
                  const order = header.column.getIsSorted();
                  return (
                    <th key={header.id} aria-sort={order === "asc" ? "ascending" : order === "desc" ? "descending" : "none"}>
                      <button type="button" onClick={header.column.getToggleSortingHandler()}>
                        <table.FlexRender header={header} />
                        <span aria-hidden="true">{order === "asc" ? " ▲" : order === "desc" ? " ▼" : ""}</span>
                      </button>
                    </th>
                  );
                })}
              </tr>
            ))}
          </thead>
          <tbody>
            {(all ? sorted : sorted.slice(0, FIRST)).map((row) => (
              <tr key={row.id} className={row.original.change}>
                {row.getAllCells().map((cell) => (
                  <td key={cell.id} data-label={String(cell.column.columnDef.header)} className={cell.column.id === "last" ? "time" : undefined}><Cell column={cell.column.id} row={row.original} names={names} /></td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {!all && sorted.length > FIRST && (
        <button type="button" onClick={() => setAll(true)}>Show all {amount(sorted.length, "row")}</button>
      )}
    </section>
  );
});

function Cell({ column, row, names }: { column: string; row: Row; names: ReadonlyMap<string, string> }) {
  const { input, output } = row.edge;
  if (column === "fromDataset") return <DatasetLink of={input} names={names} />;
  if (column === "toDataset") return <DatasetLink of={output} names={names} />;
  if (column === "from" || column === "to") {
    const end = column === "from" ? input : output;
    if (!end.field) return <em>all rows</em>;
    return <To view={{ namespace: end.namespace, name: end.name, fields: [end.field] }}>{end.field}</To>;
  }
  if (column === "hops") return `${row.hops}\u00a0${row.way}`;
  if (column === "last") return row.last ? exact(row.last) : "";
  return String(row[column as keyof Row]);
}

function rowOf(edge: Edge, change: Change): Row {
  const report = edge.reported_by[0];
  return {
    way: edge.direction === "upstream" ? "up" : "down",
    hops: edge.depth,
    fromDataset: edge.input.name,
    from: edge.input.field ?? "",
    toDataset: edge.output.name,
    to: edge.output.field ?? "",
    kind: KIND[edge.type] ?? edge.type.toLowerCase(),
    what: words(edge) + (edge.description ? `: ${edge.description}` : ""),
    job: report?.job?.name ?? "",
    last: report?.last_seen ?? "",
    change,
    edge,
  };
}
