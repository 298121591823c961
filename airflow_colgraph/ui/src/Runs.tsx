import { useState } from "react";
import { useAnswer, type Write } from "./api";
import { To, usePlace } from "./navigate";
import { RunLink } from "./RunLink";
import { Answered, Empty } from "./States";
import { exact } from "./time";

const PAGE = 20; // runs that are listed at first

interface Written { writes: Write[]; next: number | null }

function writesOf(namespace: string, name: string, limit: number): URLSearchParams {
  return new URLSearchParams({ namespace, name, limit: String(limit) });
}

/** The runs that wrote the dataset, the latest first; where the lineage changed says so. */
export function Runs() {
  const { view: { namespace, name } } = usePlace();
  const [limit, setLimit] = useState(PAGE);
  const answer = useAnswer<Written>("writes", writesOf(namespace, name, limit));
  return (
    <section>
      <h2>Written by</h2>
      <Answered query={answer} what="the runs">
        {({ writes, next }) =>
          writes.length === 0 ? <Empty>No run is known to have written it.</Empty> : (
            <>
              <div className="scroll" tabIndex={0} role="region" aria-label="Written by">
                <table>
                  <thead><tr><th>When</th><th>Job</th><th>Run</th><th>Lineage</th><th>Change</th></tr></thead>
                  <tbody>
                    {writes.map((one, i) => {
                      const before = writes.slice(i + 1).find((other) => other.job === one.job);
                      return (
                        <tr key={`${one.at} ${one.run?.id} ${one.checksum}`}>
                          <td className="time">{exact(one.at)}</td>
                          <td>{one.job ?? "no job"}</td>
                          <td><RunLink run={one.run} /></td>
                          <td><To view={{ namespace, name, show: "graph", at: one.at }}>as it was then</To></td>
                          <td>
                            {before && before.checksum !== one.checksum ? (
                              <To view={{ namespace, name, show: "graph", before: before.at, at: one.at, panel: "changes" }}>what changed</To>
                            ) : before ? "none" : ""}
                          </td>
                        </tr>
                      );
                    })}
                  </tbody>
                </table>
              </div>
              {next !== null && <button type="button" onClick={() => setLimit(1000)}>Show more runs</button>}
            </>
          )
        }
      </Answered>
    </section>
  );
}
