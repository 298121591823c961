import { useState } from "react";
import { type Impact, useAnswer } from "./api";
import { Download } from "./Download";
import { To, usePlace } from "./navigate";
import { Answered, Empty } from "./States";
import { question } from "./url";

const FIRST = 200;

/** Everything that is made of the fields, the nearest first, with the jobs that would have to change. */
export function ImpactTable() {
  const { view } = usePlace();
  const [all, setAll] = useState(false);
  const query = question(view);
  query.delete("direction");
  const answer = useAnswer<{ impact: Impact[]; count: number; truncated: boolean }>("impact", query);
  const file = new URLSearchParams(query);
  file.set("format", "csv");
  return (
    <section aria-labelledby="impact">
      <h2 id="impact">Impact {answer.data && <small>{answer.data.count}{answer.data.truncated && " and more"}</small>}</h2>
      <Answered query={answer} what="the impact">
        {({ impact }) =>
          impact.length === 0 ? <Empty>Nothing is known to be made of it.</Empty> : (
            <>
              <p><Download route="impact" query={file} name="impact.csv">As CSV</Download></p>
              <div className="scroll" tabIndex={0} role="region" aria-labelledby="impact">
                <table>
                  <thead><tr><th>Hops</th><th>Dataset</th><th>Field</th><th>Jobs</th></tr></thead>
                  <tbody>
                    {(all ? impact : impact.slice(0, FIRST)).map((row) => (
                      <tr key={JSON.stringify([row.namespace, row.name, row.field])}>
                        <td>{row.depth}</td>
                        <td><To view={{ namespace: row.namespace, name: row.name }}>{row.name}</To></td>
                        <td>{row.field ? <To view={{ namespace: row.namespace, name: row.name, fields: [row.field] }}>{row.field}</To> : <em>every row</em>}</td>
                        <td>{row.jobs.join(", ")}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
              {!all && impact.length > FIRST && (
                <button type="button" onClick={() => setAll(true)}>Show all {impact.length} fields</button>
              )}
            </>
          )
        }
      </Answered>
    </section>
  );
}
