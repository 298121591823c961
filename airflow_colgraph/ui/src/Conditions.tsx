import type { Edge, Field } from "./api";
import { rowId, short, words } from "./graph";
import { To } from "./navigate";
import type { FieldKey } from "./url";

const SENTENCES: Record<string, string> = {
  JOIN: "joined on", FILTER: "filtered by", GROUP_BY: "grouped by", SORT: "sorted by", WINDOW: "windowed by", CONDITIONAL: "decided by",
};

/** The joins, filters and groupings that the picture lights up with a field: what affects it, and what it affects. */
export function Conditions({ field, edges }: { field: FieldKey; edges: readonly Edge[] }) {
  const [namespace, name, column] = field;
  const own = (one: Field): boolean => one.namespace === namespace && one.name === name;
  const indirect = edges.filter((edge) => edge.type === "INDIRECT" && edge.subtype !== "RESTRICTED");
  const into = indirect.filter((edge) => own(edge.output) && (edge.output.field === null || edge.output.field === column || !column));
  const out = indirect.filter((edge) => own(edge.input) && (edge.input.field === column || !column));
  return (
    <>
      {into.length > 0 && (
        <section>
          <h3>Decided by</h3>
          <ul className="conditions">
            {grouped(into, (edge) => edge.output.field).map(([how, what, some]) => (
              <li key={`${how} ${what}`}>
                {what ? <code>{what}</code> : "All rows"} {what ? "is" : "are"} {SENTENCES[how] ?? how.toLowerCase()} <Ends of={some.map((edge) => edge.input)} />
                <Reported edges={some} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {out.length > 0 && (
        <section>
          <h3>Decides on</h3>
          <ul className="conditions">
            {out.map((edge) => (
              <li key={`${rowId(edge.output)} ${edge.subtype} ${edge.description}`}>
                <span className="kind">{words(edge)}</span> {edge.output.field ? <Ends of={[edge.output]} /> : <>all rows of <DatasetLink of={edge.output} /></>}
                <Reported edges={[edge]} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

/** The job that reported them, and its expression if it reported one. */
function Reported({ edges }: { edges: readonly Edge[] }) {
  const jobs = [...new Set(edges.flatMap((edge) => edge.reported_by.map((one) => one.job?.name ?? "")).filter(Boolean))];
  const expressions = [...new Set(edges.map((edge) => edge.description).filter(Boolean))];
  return (
    <>
      {jobs.length > 0 && <small> in {jobs.join(", ")}</small>}
      {expressions.map((one) => <code key={one} className="expression">{one}</code>)}
    </>
  );
}

function Ends({ of }: { of: readonly Field[] }) {
  return of.map((one, i) => (
    <span key={rowId(one)}>
      {i > 0 && ", "}
      <To view={{ namespace: one.namespace, name: one.name, ...(one.field ? { fields: [one.field] } : {}) }}>{short(one.name)}{one.field && `.${one.field}`}</To>
    </span>
  ));
}

function DatasetLink({ of }: { of: Field }) {
  return <To view={{ namespace: of.namespace, name: of.name }}>{short(of.name)}</To>;
}

/** The edges by what is done, and to which field: each such pair is a sentence. */
function grouped(edges: readonly Edge[], field: (edge: Edge) => string | null): [string, string | null, Edge[]][] {
  const found = new Map<string, [string, string | null, Edge[]]>();
  for (const edge of edges) {
    const key = JSON.stringify([edge.subtype || edge.type, field(edge)]);
    const known = found.get(key);
    if (known) {
      if (!known[2].some((one) => rowId(one.input) === rowId(edge.input))) known[2].push(edge);
    } else found.set(key, [edge.subtype || edge.type, field(edge), [edge]]);
  }
  return [...found.values()];
}
