import { type Chain, type Operation, useAnswer } from "./api";
import { short } from "./graph";
import { To, usePlace } from "./navigate";
import { Answered, Empty } from "./States";
import { exact } from "./time";
import type { FieldKey } from "./url";

/** The locked field: the steps that made it and those that it goes through, per job. */
export function OperationsPanel({ field }: { field: FieldKey }) {
  const { go, view } = usePlace();
  const [namespace, name, column] = field;
  return (
    <aside className="drawer" aria-label={`Operations of ${column}`}>
      <button type="button" className="close" aria-label="Close" onClick={() => go({ lock: null })}>×</button>
      <h2>{column}</h2>
      <p className="crumbs"><To view={{ namespace, name }}>{name}</To> <small>{namespace}</small></p>
      <p>
        <To view={{ ...view, namespace, name, fields: [column], lock: null, expand: [], graph: false }} className="button">Its own lineage</To>{" "}
        {view.namespace === namespace && view.name === name && view.fields.length > 0 && !view.fields.includes(column) && (
          <button type="button" onClick={() => go({ fields: [...view.fields, column] })}>Pin it too</button>
        )}
      </p>
      <Chains field={field} direction="upstream" title="Made by" none="No job is known to write it." />
      <Chains field={field} direction="downstream" title="Goes through" none="No job is known to read it." />
    </aside>
  );
}

function Chains({ field, direction, title, none }: { field: FieldKey; direction: string; title: string; none: string }) {
  const { view } = usePlace();
  const [namespace, name, column] = field;
  const query = new URLSearchParams({ namespace, name, field: column, direction });
  if (view.start) query.set("start", view.start);
  if (view.end) query.set("end", view.end);
  const answer = useAnswer<{ chains: Chain[] }>("operations", query);
  return (
    <section>
      <h3>{title}</h3>
      <Answered query={answer} what="the operations">
        {({ chains }) =>
          chains.length === 0 ? <Empty>{none}</Empty> : (
            <>
              {chains.map((chain, i) => (
                <details key={i} open={i === 0}>
                  <summary>
                    {chain.job?.name ?? "no job"}
                    {direction === "downstream" && ` → ${short(chain.dataset.name)}`}
                  </summary>
                  {chain.job?.dag_id && (
                    <p className="note">Airflow DAG <code>{chain.job.dag_id}</code>, task <code>{chain.job.task_id}</code></p>
                  )}
                  {chain.run && (
                    <p className="note">
                      {chain.run.state.toLowerCase()} {exact(chain.run.started_at)}, run <code>{chain.run.id}</code>
                    </p>
                  )}
                  <ol className="steps">
                    {chain.operations.map((one) => <Step key={one.name} one={one} />)}
                  </ol>
                </details>
              ))}
            </>
          )
        }
      </Answered>
    </section>
  );
}

function Step({ one }: { one: Operation }) {
  const kind = one.inputs.endPoint ? "READ" : one.outputs.endPoint ? "WRITE" : "TRANSFORM";
  const point = one.inputs.endPoint ?? one.outputs.endPoint;
  return (
    <li>
      <span className={`kind ${kind.toLowerCase()}`}>{kind}</span>{" "}
      {point ? <To view={{ namespace: point.namespace, name: point.name }}>{short(point.name)}</To> : one.outputs.fields?.join(", ")}
      {kind === "READ" && one.outputs.fields && <small> {one.outputs.fields.join(", ")}</small>}
      {kind === "TRANSFORM" && one.description && <code className="expression">{one.description}</code>}
    </li>
  );
}
