import { About, Tags } from "./About";
import { type FieldRow, type Fields as FieldsAnswer, type Properties, useAnswer, useGraph } from "./api";
import { FieldTable } from "./FieldTable";
import { Gaps } from "./Gaps";
import { boxId } from "./graph";
import { Heading, To, usePlace } from "./navigate";
import { RunLink } from "./RunLink";
import { PAGE, Runs, type Written, writesOf } from "./Runs";
import { Answered, Empty, LeftOut } from "./States";
import { ago, exact } from "./time";

/** A dataset: its fields, its neighbours, who writes it, the properties that it was read with. */
export function DatasetPage() {
  const { view } = usePlace();
  const { namespace, name } = view;
  const query = new URLSearchParams({ namespace, name });
  const fields = useAnswer<FieldsAnswer>("fields", query);
  return (
    <div className="page">
      <p className="crumbs">{namespace}</p>
      <Heading>{name}</Heading>
      {fields.data && <About {...fields.data} />}
      <p className="actions">
        <To view={{ namespace, name, show: "graph" }} className="button">Lineage of all columns</To>
        <To view={{ namespace, name, show: "graph", level: "dataset" }} className="button">Lineage of datasets</To>
        <To view={{ namespace, name, show: "unused" }} className="button">Unused columns</To>
      </p>
      <Answered query={fields} what="the columns">
        {({ fields: rows, left_out }) => (
          <>
            <Gaps query={{ namespace, name }} />
            <LeftOut count={left_out} noun="column" />
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
  const { data } = useAnswer<Written>("writes", writesOf(namespace, name, PAGE));
  const runs = new Map(data?.writes.map((one) => [one.run?.id ?? "", one.run]));
  if (rows.length === 0) return <Empty>No columns are known: no event has reported a schema or column lineage.</Empty>;
  return (
    <section>
      <h2>Columns <small>{rows.filter((row) => !row.dropped).length}</small></h2>
      <FieldTable
        rows={rows}
        label="Columns"
        head={<thead><tr><th>Column</th><th>Type</th><th>Last change</th><th>Known since</th></tr></thead>}
      >
        {(row) => (
          <tr key={row.name} className={row.dropped ? "gone" : ""}>
            <td><To view={{ namespace, name, fields: [row.name] }}>{row.name}</To>{row.dropped && " (gone)"} <Tags tags={row.tags} />{row.description && <small className="description">{row.description}</small>}</td>
            <td><code>{row.type ?? ""}</code></td>
            <td>
              {row.updated_at && <span title={exact(row.updated_at)}>{ago(row.updated_at)} </span>}
              {row.updated_by && runs.has(row.updated_by) && <RunLink run={runs.get(row.updated_by) ?? null} />}
            </td>
            <td>{row.created_at ? exact(row.created_at) : "only mentioned"}</td>
          </tr>
        )}
      </FieldTable>
    </section>
  );
}

function Neighbours() {
  const { view: { namespace, name } } = usePlace();
  const query = new URLSearchParams({ namespace, name, level: "dataset", depth: "1", direction: "both" });
  const answer = useGraph("graph", query);
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
                <h2>{side === "upstream" ? "Computed from" : "Used by"} <small>{found.size}</small></h2>
                {found.size === 0 && <Empty>{side === "upstream" ? "No known source." : "No known reader."}</Empty>}
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
