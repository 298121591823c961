import { type Answer, type Chapter, type FieldRow, type Properties, useAnswer } from "./api";
import { boxId } from "./graph";
import { To, usePlace } from "./navigate";
import { Answered, Empty } from "./States";
import { ago, exact } from "./time";

/** A dataset: its fields, its neighbours, who writes it, the properties that it was read with. */
export function DatasetPage() {
  const { view } = usePlace();
  const { namespace, name } = view;
  const query = new URLSearchParams({ namespace, name });
  const fields = useAnswer<{ fields: FieldRow[] }>("fields", query);
  return (
    <div className="page">
      <p className="crumbs">{namespace}</p>
      <h1>{name}</h1>
      <p>
        <To view={{ namespace, name, graph: true }} className="button">Lineage of all fields</To>{" "}
        <To view={{ namespace, name, graph: true, level: "dataset" }} className="button">Lineage of datasets</To>
      </p>
      <Answered query={fields} what="the fields">
        {({ fields: rows }) => (
          <>
            <Fields rows={rows} />
            <Neighbours />
            <Runs />
            <PropertiesOf />
          </>
        )}
      </Answered>
    </div>
  );
}

function Fields({ rows }: { rows: FieldRow[] }) {
  const { view: { namespace, name } } = usePlace();
  if (rows.length === 0) return <Empty>No fields are known: nobody reported a schema or column lineage.</Empty>;
  return (
    <section>
      <h2>Fields <small>{rows.filter((row) => !row.dropped).length}</small></h2>
      <div className="scroll" tabIndex={0} role="region" aria-label="Fields">
      <table>
        <thead><tr><th>Field</th><th>Type</th><th>Last change</th><th>Known since</th></tr></thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name} className={row.dropped ? "gone" : ""}>
              <td><To view={{ namespace, name, fields: [row.name] }}>{row.name}</To>{row.dropped && " (gone)"}</td>
              <td><code>{row.type ?? ""}</code></td>
              <td title={row.updated_by ? `run ${row.updated_by}` : ""}>{row.updated_at ? ago(row.updated_at) : ""}</td>
              <td>{row.created_at ? exact(row.created_at) : "only mentioned"}</td>
            </tr>
          ))}
        </tbody>
      </table>
      </div>
    </section>
  );
}

function Neighbours() {
  const { view: { namespace, name } } = usePlace();
  const query = new URLSearchParams({ namespace, name, level: "dataset", depth: "1", direction: "both" });
  const answer = useAnswer<Answer>("graph", query);
  return (
    <Answered query={answer} what="the neighbours">
      {({ edges }) => (
        <div className="two">
          {(["upstream", "downstream"] as const).map((side) => {
            const found = new Map(
              edges
                .filter((edge) => edge.direction === side)
                .map((edge) => (side === "upstream" ? edge.input : edge.output))
                .map((one) => [boxId(one), one]),
            );
            return (
              <section key={side}>
                <h2>{side === "upstream" ? "Made of" : "Goes into"} <small>{found.size}</small></h2>
                {found.size === 0 && <Empty>{side === "upstream" ? "No known source." : "Nobody is known to read it."}</Empty>}
                <ul className="results">
                  {[...found.values()].map((one) => (
                    <li key={boxId(one)}>
                      <To view={{ namespace: one.namespace, name: one.name }}>{one.name} <small>{one.namespace}</small></To>
                    </li>
                  ))}
                </ul>
              </section>
            );
          })}
        </div>
      )}
    </Answered>
  );
}

function Runs() {
  const { view: { namespace, name } } = usePlace();
  const answer = useAnswer<{ history: Chapter[] }>("history", new URLSearchParams({ namespace, name }));
  return (
    <section>
      <h2>Written by</h2>
      <Answered query={answer} what="the runs">
        {({ history }) =>
          history.length === 0 ? <Empty>No run is known to have written it.</Empty> : (
            <div className="scroll" tabIndex={0} role="region" aria-label="Written by">
            <table>
              <thead><tr><th>Job</th><th>Runs alike</th><th>First</th><th>Last</th><th>Last run</th><th>Lineage then</th></tr></thead>
              <tbody>
                {[...history].reverse().map((one) => (
                  <tr key={`${one.job} ${one.checksum} ${one.first_at}`}>
                    <td>{one.job ?? "no job"} <small>{one.job_namespace}</small></td>
                    <td>{one.runs}</td>
                    <td>{exact(one.first_at)}</td>
                    <td>{exact(one.last_at)}</td>
                    <td><code>{one.last_run ?? ""}</code></td>
                    <td><To view={{ namespace, name, graph: true, at: one.last_at }}>{one.edges.length} edges</To></td>
                  </tr>
                ))}
              </tbody>
            </table>
            </div>
          )
        }
      </Answered>
    </section>
  );
}

function PropertiesOf() {
  const { view: { namespace, name } } = usePlace();
  const answer = useAnswer<{ properties: Properties[] }>("properties", new URLSearchParams({ namespace, name }));
  return (
    <section>
      <h2>Properties</h2>
      <Answered query={answer} what="the properties">
        {({ properties }) => {
          const [latest] = properties;
          if (!latest) return <Empty>No run reported how it read the dataset.</Empty>;
          return (
            <>
              <dl>
                {Object.entries(latest.properties).map(([key, value]) => (
                  <div key={key}><dt>{key}</dt><dd>{typeof value === "string" ? value : JSON.stringify(value)}</dd></div>
                ))}
              </dl>
              <p className="note">As run <code>{latest.run ?? "unknown"}</code> read it{properties.length > 1 && `, the latest of ${properties.length}`}.</p>
            </>
          );
        }}
      </Answered>
    </section>
  );
}
