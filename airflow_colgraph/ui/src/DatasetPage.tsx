import { About } from "./About";
import { type Fields, type Properties, useAnswer, useGraph } from "./api";
import { Columns } from "./Columns";
import { Gaps } from "./Gaps";
import { boxId } from "./graph";
import { Heading, To, usePlace } from "./navigate";
import { Dropped, Runs } from "./Runs";
import { Answered, Empty, LeftOut } from "./States";

/** A dataset: its columns, its neighbours, who writes it, the properties that it was read with. */
export function DatasetPage() {
  const { view } = usePlace();
  const { namespace, name } = view;
  const query = new URLSearchParams({ namespace, name });
  const fields = useAnswer<Fields>("fields", query);
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
            <Dropped />
            <Gaps query={{ namespace, name }} />
            <LeftOut count={left_out} noun="column" />
            <Columns rows={rows} />
            <Neighbours />
            <Runs />
            <PropertiesOf />
          </>
        )}
      </Answered>
    </div>
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
