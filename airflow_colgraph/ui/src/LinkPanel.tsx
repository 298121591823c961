import type { Edge, Field } from "./api";
import { amount, rowId } from "./graph";
import { isOf } from "./paths";
import { described, KINDS, kindOf, words } from "./kinds";
import { labels } from "./names";
import { usePlace } from "./navigate";
import { DatasetLink, NodeLink } from "./NodeLink";
import { Chains } from "./OperationsPanel";
import { exact } from "./time";
import type { LinkKey } from "./url";

const FIRST = 50; // of many between two datasets

/** The selected line: how the one column is computed from the other, by which task, and the steps of that. */
export function LinkPanel({ link, edges, at = "" }: { link: LinkKey; edges: readonly Edge[]; at?: string }) {
  const { go } = usePlace();
  const [space, name, field, toSpace, toName, toField] = link;
  const own = edges.filter((edge) => isOf(edge, link));
  const names = labels(own.flatMap((edge) => [edge.input.name, edge.output.name]));
  const [input, output]: [Field, Field] = [
    { namespace: space, name, field: field || null }, { namespace: toSpace, name: toName, field: toField || null },
  ];
  return (
    <aside className="drawer" aria-label="The selected line">
      <button type="button" className="close" aria-label="Close" onClick={() => go({ link: null })}>×</button>
      <h2><End of={input} names={names} /> → <End of={output} names={names} /></h2>
      {own.length === 0 && <p className="note">This picture has no such link.</p>}
      <ul className="conditions">
        {own.slice(0, FIRST).map((edge) => <How key={`${rowId(edge.input)} ${rowId(edge.output)} ${edge.subtype} ${edge.description}`} edge={edge} alone={field !== "" || toField !== ""} />)}
      </ul>
      {own.length > FIRST && <p className="note">And {amount(own.length - FIRST, "further link")}: the table has all.</p>}
      {toField && <Chains field={[toSpace, toName, toField]} at={at} direction="upstream" title={`${toField} is computed by`} none="No job is known to write it." />}
    </aside>
  );
}

function End({ of, names }: { of: Field; names: ReadonlyMap<string, string> }) {
  return of.field ? <NodeLink of={of} names={names} /> : <DatasetLink of={of} names={names} />;
}

/** The kind of an edge by its sign and word, its expression, and the task that reported it last. */
function How({ edge, alone }: { edge: Edge; alone: boolean }) {
  const kind = kindOf(edge);
  const report = edge.reported_by[0];
  const what = described(edge.description);
  return (
    <li>
      {!alone && edge.type !== "DATASET" && <>{edge.input.field ?? "all rows"} → {edge.output.field ?? "all rows"} </>}
      {edge.type !== "DATASET" && <><span className={`sign ${kind}`} data-sign={KINDS[kind].sign} /> {kind === "condition" ? words(edge) : KINDS[kind].words}</>}
      {report?.job && <small title={exact(report.last_seen)}> by {report.job.task_id ? `task ${report.job.task_id} of DAG ${report.job.dag_id}` : report.job.name}, last {exact(report.last_seen)}</small>}
      {what.text && <code className="expression">{what.text}</code>}
    </li>
  );
}
