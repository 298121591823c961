import { useMemo, useState } from "react";
import { type Impact, useAnswer } from "./api";
import { Download } from "./Download";
import { fileName } from "./files";
import { amount, rowId } from "./graph";
import { To, usePlace } from "./navigate";
import { Answered, Empty } from "./States";
import { question } from "./url";

const FIRST = 200;

interface Found { impact: Impact[]; count: number; truncated: boolean; left_out: number }

/** Everything that comes from the fields, the nearest first, with the jobs that would have to change. */
export function ImpactTable() {
  const { view } = usePlace();
  const [all, setAll] = useState(false);
  const query = question({ ...view, indirect: true });
  query.delete("direction");
  const direct = new URLSearchParams(query);
  for (const name of ["indirect", "conditional"]) direct.delete(name);
  const answer = useAnswer<Found>("impact", query);
  const values = useAnswer<Found>("impact", direct);
  const known = useMemo(() => new Set(values.data?.impact.map(rowId)), [values.data]);
  const file = new URLSearchParams(query);
  file.set("format", "csv");
  return (
    <section aria-labelledby="impact">
      <h2 id="impact">
        Impact {answer.data && values.data && <small>{counted(values.data, answer.data)}</small>}
      </h2>
      <Answered query={values.error ? values : answer} what="the impact">
        {({ impact, left_out }) =>
          impact.length === 0 ? <Empty>Nothing is known to use it.</Empty> : (
            <>
              <p>
                <Download route="impact" query={file} name={fileName(view, "impact", "csv")}>Download as CSV</Download>
                {left_out > 0 && `: has also the ${amount(left_out, "column")} furthest away, for which this list has no room`}
              </p>
              <div className="scroll" tabIndex={0} role="region" aria-labelledby="impact">
                <table>
                  <thead><tr><th>Hops</th><th>Dataset</th><th>Column</th><th>Jobs</th><th>How</th></tr></thead>
                  <tbody>
                    {(all ? impact : impact.slice(0, FIRST)).map((row) => (
                      <tr key={rowId(row)}>
                        <td data-label="Hops">{row.depth}</td>
                        <td data-label="Dataset"><To view={{ namespace: row.namespace, name: row.name }}>{row.name}</To></td>
                        <td data-label="Column">{row.field ? <To view={{ namespace: row.namespace, name: row.name, fields: [row.field] }}>{row.field}</To> : <em>all rows</em>}</td>
                        <td data-label="Jobs">{row.jobs.join(", ")}</td>
                        <td data-label="How">{known.has(rowId(row)) ? "direct" : "through a filter or condition"}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
              {!all && impact.length > FIRST && (
                <button type="button" onClick={() => setAll(true)}>Show all {impact.length} columns</button>
              )}
            </>
          )
        }
      </Answered>
    </section>
  );
}

/** `6 direct + 6 through filters and conditions`. */
function counted(direct: Found, all: Found): string {
  const more = all.truncated || direct.truncated ? " and more" : "";
  const through = all.count - direct.count;
  return `${direct.count} direct${through > 0 ? ` + ${through} through filters and conditions` : ""}${more}`;
}
