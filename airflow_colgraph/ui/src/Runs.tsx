import { useState } from "react";
import { useAnswer, type Write } from "./api";
import { reasons } from "./gaps";
import { useGaps } from "./Gaps";
import { Missing } from "./Missing";
import { To, usePlace } from "./navigate";
import { RunLink } from "./RunLink";
import { Answered, Empty } from "./States";
import { ago, exact } from "./time";

const PAGE = 20; // runs that are listed at first

interface Written { writes: Write[]; next: number | null }

function writesOf(namespace: string, name: string, limit: number): URLSearchParams {
  return new URLSearchParams({ namespace, name, limit: String(limit) });
}

/** That the dataset was dropped, by the last report of it. */
export function Dropped() {
  const { view: { namespace, name } } = usePlace();
  const last = useAnswer<Written>("writes", writesOf(namespace, name, PAGE)).data?.writes[0];
  if (last?.change !== "dropped") return null;
  return <p className="warning">Dropped <span title={exact(last.at)}>{ago(last.at)}</span> by {last.job ?? "no job"}, run <RunLink run={last.run} />.</p>;
}

/** The runs that wrote the dataset, the latest first; where the lineage changed says so. */
export function Runs({ at = "" }: { at?: string }) {
  const { view: { namespace, name } } = usePlace();
  const [limit, setLimit] = useState(PAGE);
  const answer = useAnswer<Written>("writes", writesOf(namespace, name, limit));
  const gaps = useGaps({ namespace, name, ...(at ? { at } : {}) });
  const until = at ? Date.parse(at) : Infinity;
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
                      const before = one.change ? undefined : writes.slice(i + 1).find((other) => other.job === one.job && !other.change);
                      return (
                        <tr key={`${one.at} ${one.run?.id} ${one.checksum}`}>
                          <td className="time">{exact(one.at)}</td>
                          <td>{one.job ?? "no job"}{one.change && <strong className="lacking"> {one.change} it</strong>}</td>
                          <td><RunLink run={one.run} /></td>
                          <td><To view={{ namespace, name, show: "graph", at: one.at }}>as it was then</To>{writes.findIndex((other) => other.job === one.job && Date.parse(other.at) <= until) === i && <Missing why={reasons(gaps.filter((gap) => gap.job === one.job))} />}</td>
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
