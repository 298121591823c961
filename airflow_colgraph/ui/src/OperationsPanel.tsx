import { About } from "./About";
import { type Chain, type Edge, type Fields, type Operation, useAnswer } from "./api";
import { Conditions } from "./Conditions";
import { short } from "./graph";
import { described } from "./kinds";
import { To, usePlace } from "./navigate";
import { pin } from "./pinned";
import { Recipe } from "./Recipe";
import { RunLink } from "./RunLink";
import { Answered, Empty, LeftOut } from "./States";
import { exact } from "./time";
import { EMPTY, type FieldKey } from "./url";

/** The locked field: the steps that made it and those that it goes through, per job. */
export function OperationsPanel({ field, edges = [], at = "" }: { field: FieldKey; edges?: readonly Edge[]; at?: string }) {
  const { go, view } = usePlace();
  const [namespace, name, column] = field;
  const { depth, direction, indirect, start, end } = view;
  const fields = useAnswer<Fields>("fields", new URLSearchParams({ namespace, name }));
  const about = fields.data?.fields.find((one) => one.name === column);
  const together = column ? pin(view, field) : null;
  const own = view.namespace === namespace && view.name === name && view.fields.length === 1 && view.fields[0] === column;
  return (
    <aside className="drawer" aria-label={`Operations of ${column || "all rows"}`}>
      {view.lock && <button type="button" className="close" aria-label="Close" onClick={() => go({ lock: null })}>×</button>}
      <h2>{column}</h2>
      <p className="crumbs"><To view={{ namespace, name }}>{name}</To> <small>{namespace}</small></p>
      {about && <About {...about} />}
      {(!own || together) && (
        <p className="actions">
          {!own && (
            <To view={{ ...EMPTY, namespace, name, fields: [column], depth, direction, indirect, start, end, at }} className="button">
              Its own lineage
            </To>
          )}
          {together && <button type="button" onClick={() => go(together)}>Pin it too</button>}
        </p>
      )}
      {at && <p className="note">As of {exact(at)}.</p>}
      <Recipe column={{ namespace, name, field: column }} edges={edges} at={at} />
      <Chains field={field} at={at} direction="upstream" title="Computed by" none="No job is known to write it." />
      <Conditions field={field} edges={edges} />
      <Chains field={field} at={at} direction="downstream" title="Used by" none="No job is known to read it." />
    </aside>
  );
}

export function Chains({ field, at, direction, title, none }: {
  field: FieldKey; at: string; direction: string; title: string; none: string;
}) {
  const { view } = usePlace();
  const [namespace, name, column] = field;
  const query = new URLSearchParams({ namespace, name, field: column, direction });
  if (at) query.set("at", at);
  if (view.start) query.set("start", view.start);
  if (view.end) query.set("end", view.end);
  const answer = useAnswer<{ chains: Chain[]; left_out: number }>("operations", query);
  return (
    <section>
      <h3>{title}</h3>
      <Answered query={answer} what="the operations">
        {({ chains, left_out }) =>
          chains.length + left_out === 0 ? <Empty>{none}</Empty> : (
            <>
              <LeftOut count={left_out} noun="job" />
              {chains.map((chain, i) => (
                <details key={JSON.stringify([chain.job, chain.operations])} open={i === 0}>
                  <summary>
                    {chain.job?.name ?? "no job"}
                    {direction === "downstream" && ` → ${short(chain.dataset.name)}`}
                    {!chain.holds && <small> until {exact(chain.last_at)}</small>}
                  </summary>
                  <ol className="steps">
                    {chain.operations.map((one) => <Step key={one.name} one={one} />)}
                  </ol>
                  <Runs chain={chain} />
                </details>
              ))}
            </>
          )
        }
      </Answered>
    </section>
  );
}

/** The runs that did just this. */
function Runs({ chain }: { chain: Chain }) {
  const { job, count, runs } = chain;
  return (
    <div className="runs">
      <p className="note">
        {job?.dag_id && <>Airflow DAG <code>{job.dag_id}</code>, task <code>{job.task_id}</code>. </>}
        {count === 1 ? `One run, ${exact(chain.last_at)}:` : `${count} runs, ${exact(chain.first_at)} – ${exact(chain.last_at)}:`}
      </p>
      <ul>
        {runs.map((run) => <li key={run.id}><RunLink run={run} /></li>)}
        {count > runs.length && <li>and {count - runs.length} earlier</li>}
      </ul>
    </div>
  );
}

function Step({ one }: { one: Operation }) {
  const kind = one.inputs.endPoint ? "READ" : one.outputs.endPoint ? "WRITE" : "TRANSFORM";
  const what = described(one.description);
  const point = one.inputs.endPoint ?? one.outputs.endPoint;
  return (
    <li>
      <span className={`kind ${kind.toLowerCase()}`}>{kind}</span>{" "}
      {point ? <To view={{ namespace: point.namespace, name: point.name }}>{short(point.name)}</To> : one.outputs.fields?.join(", ")}
      {kind === "READ" && one.outputs.fields && <small> {one.outputs.fields.join(", ")}</small>}
      {kind === "TRANSFORM" && one.description && (what.expression ? <code className="expression">{what.text}</code> : <small> {what.text}</small>)}
    </li>
  );
}
