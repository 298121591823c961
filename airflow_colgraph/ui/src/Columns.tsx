import type { ReactNode } from "react";
import { Tags } from "./About";
import { type Edge, type FieldRow, useGraph } from "./api";
import { type ColumnUse, columnUses, usedBy } from "./columns";
import { useExpressions } from "./expressions";
import { FieldTable } from "./FieldTable";
import { reasons, sentences, taskOf } from "./gaps";
import { useGaps } from "./Gaps";
import { rowId } from "./graph";
import { KINDS, kindsOf } from "./kinds";
import { labels } from "./names";
import { To, usePlace } from "./navigate";
import { NodeLink } from "./NodeLink";
import { Empty } from "./States";
import { ago, exact } from "./time";

const FIRST = 3; // columns that are named in a cell

/** The dataset's columns, each with what it is computed from, its expression and what uses it. */
export function Columns({ rows }: { rows: FieldRow[] }) {
  const { view: { namespace, name } } = usePlace();
  const query = new URLSearchParams({ namespace, name, direction: "both", depth: "1", conditional: "true", indirect: "true" });
  const { data } = useGraph("graph", query);
  const expression = useExpressions([{ namespace, name }], "");
  const lacking = useGaps({ namespace, name }).filter((gap) => sentences(gap).missing.length > 0);
  const missing = lacking.length > 0 && (
    <small className="lacking" title={reasons(lacking).join("\n")}>⚠ no known source: lineage of {[...new Set(lacking.map(taskOf))].join(", ")} may be missing</small>
  );
  if (rows.length === 0) return <Empty>No columns are known: no event has reported a schema or column lineage.</Empty>;
  const uses = data && columnUses(data, { namespace, name });
  const names = labels([name, ...(data?.edges.map((edge) => edge.input.name) ?? [])]);
  return (
    <section>
      <h2>Columns <small>{rows.filter((row) => !row.dropped).length}</small></h2>
      {data?.truncated && <p className="note">Too many links for one answer: some columns have more sources and uses than are listed.</p>}
      <FieldTable
        rows={rows}
        label="Columns"
        head={<thead><tr><th>Column</th><th>Type</th><th>Computed from</th><th>Used by</th><th>Last change</th></tr></thead>}
      >
        {(row) => {
          const use = uses && !row.dropped ? uses.get(row.name) ?? { inputs: [], outputs: [] } : undefined;
          return (
            <tr key={row.name} className={row.dropped ? "gone" : ""}>
              <td data-label="Column"><To view={{ namespace, name, fields: [row.name] }}>{row.name}</To>{row.dropped && " (gone)"} <Tags tags={row.tags} />{row.description && <small className="description">{row.description}</small>}</td>
              <td data-label="Type"><code>{row.type ?? ""}</code></td>
              <td data-label="Computed from">{use && <Sources use={use} names={names} expression={expression(rowId({ namespace, name, field: row.name }))} none={!data?.truncated && (missing || <small>no known source</small>)} />}</td>
              <td data-label="Used by">{use && (usedBy(use.outputs)
                ? <To view={{ namespace, name, fields: [row.name], direction: "downstream", indirect: true }}>{usedBy(use.outputs)}</To>
                : !data?.truncated && <small>no known use</small>)}</td>
              <td data-label="Last change" className="time">{row.updated_at ? <span title={since(row)}>{ago(row.updated_at)}</span> : <small>only mentioned</small>}</td>
            </tr>
          );
        }}
      </FieldTable>
    </section>
  );
}

function Sources({ use: { inputs }, names, expression, none }: {
  use: ColumnUse; names: ReadonlyMap<string, string>; expression: string | undefined; none: ReactNode;
}) {
  const sources = [...new Map(inputs.map((edge): [string, Edge] => [rowId(edge.input), edge])).values()];
  const kinds = kindsOf(inputs);
  const copied = kinds.length === 1 && kinds[0] === "identity";
  if (sources.length === 0 && !expression) return none;
  return (
    <>
      {kinds.map((kind) => <span key={kind} className={`sign ${kind}`} data-sign={KINDS[kind].sign} role="img" aria-label={KINDS[kind].words} title={KINDS[kind].words} />)}{" "}
      {sources.slice(0, FIRST).map(({ input }, i) => (
        <span key={rowId(input)}>{i > 0 && ", "}<NodeLink of={input} names={names} /></span>
      ))}
      {sources.length > FIRST && <small> and {sources.length - FIRST} more</small>}
      {expression && !copied && <code className="stated">{expression}</code>}
    </>
  );
}

const since = ({ created_at, updated_at }: FieldRow): string =>
  [updated_at && exact(updated_at), created_at && `known since ${exact(created_at)}`].filter(Boolean).join(", ");
