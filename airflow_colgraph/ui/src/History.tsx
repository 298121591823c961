import { type Chapter, useAnswer } from "./api";
import { computedFrom } from "./changes";
import { usePlace } from "./navigate";
import { Answered, Empty, LeftOut } from "./States";
import { exact } from "./time";

/** The ways in which the field was made over time; a click shows the graph of that time. */
export function History() {
  const { view, go } = usePlace();
  const query = new URLSearchParams({ namespace: view.namespace, name: view.name, field: view.fields[0] ?? "" });
  const answer = useAnswer<{ history: Chapter[]; left_out: number }>("history", query);
  return (
    <section aria-labelledby="history">
      <h2 id="history">History</h2>
      <Answered query={answer} what="the history">
        {({ history, left_out }) => {
          if (history.length + left_out === 0) return <Empty>No run is known to have written this column.</Empty>;
          const from = Math.min(...history.map((one) => Date.parse(one.first_at)));
          const to = Math.max(...history.map((one) => Date.parse(one.last_at)));
          const place = (iso: string): number => (100 * (Date.parse(iso) - from)) / (to - from || 1);
          return (
            <>
              <LeftOut count={left_out} noun="earlier version" />
              <ol className="timeline">
                {history.map((one, i) => {
                  const before = history.slice(0, i).findLast((other) => other.job === one.job);
                  const chosen = view.at !== "" && !view.before && one.first_at <= view.at && view.at <= one.last_at;
                  return (
                    <li key={`${one.checksum} ${one.job} ${one.first_at}`} className={chosen ? "chosen" : ""}>
                      <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
                        <rect x="0" y="2.5" width="100" height="1" className="track" />
                        <rect x={Math.min(place(one.first_at), 98)} y="0" width={Math.max(2, place(one.last_at) - place(one.first_at))} height="6" className="span" />
                      </svg>
                      <button type="button" aria-pressed={chosen} onClick={() => go({ at: one.last_at, start: "", end: "", before: "" })}>
                        {one.runs === 1 ? exact(one.last_at) : `${exact(one.first_at)} – ${exact(one.last_at)}`}
                      </button>{" "}
                      {before && (
                        <button type="button" onClick={() => go({ before: before.last_at, at: one.last_at, start: "", end: "" })}>
                          what changed
                        </button>
                      )}{" "}
                      {one.job ?? "no job"}, {one.runs} {one.runs === 1 ? "run" : "runs"}: {computedFrom(one)}
                    </li>
                  );
                })}
              </ol>
              {(view.at || view.before || view.start || view.end) && (
                <button type="button" onClick={() => go({ at: "", before: "", start: "", end: "" })}>Back to now</button>
              )}
            </>
          );
        }}
      </Answered>
    </section>
  );
}
