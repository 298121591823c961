import { About, Tags } from "./About";
import { type Edge, type Fields, useAnswer } from "./api";
import { Conditions } from "./Conditions";
import { FieldTable } from "./FieldTable";
import { Gaps } from "./Gaps";
import { To, usePlace } from "./navigate";
import { Answered } from "./States";
import { EMPTY, type FieldKey } from "./url";

/** The selected dataset: its columns, and what affects its rows. */
export function DatasetPanel({ dataset, edges }: { dataset: FieldKey; edges: readonly Edge[] }) {
  const { go, view } = usePlace();
  const [namespace, name] = dataset;
  const { depth, direction, indirect, start, end, at } = view;
  const fields = useAnswer<Fields>("fields", new URLSearchParams({ namespace, name }));
  const own = { ...EMPTY, namespace, name, show: "graph" as const, depth, direction, indirect, start, end, at };
  return (
    <aside className="drawer" aria-label={`Dataset ${name}`}>
      <button type="button" className="close" aria-label="Close" onClick={() => go({ lock: null, link: null })}>×</button>
      <h2>{name}</h2>
      <p className="crumbs">{namespace}</p>
      {fields.data && <About {...fields.data} />}
      <p className="actions">
        <To view={own} className="button">Its columns' lineage</To>{" "}
        <To view={{ namespace, name }} className="button">The dataset</To>
      </p>
      {!at && <Gaps query={{ namespace, name }} />}
      <Conditions field={dataset} edges={edges} />
      <Answered query={fields} what="the columns">
        {({ fields: rows }) => (
          <section>
            <h3>Columns <small>{rows.filter((row) => !row.dropped).length}</small></h3>
            <FieldTable rows={rows.filter((row) => !row.dropped)} label={`Columns of ${name}`}>
              {(row) => (
                <tr key={row.name}>
                  <td><To view={{ namespace, name, fields: [row.name] }}>{row.name}</To> <Tags tags={row.tags} /></td>
                  <td><code>{row.type ?? ""}</code></td>
                </tr>
              )}
            </FieldTable>
          </section>
        )}
      </Answered>
    </aside>
  );
}
