import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useDeferredValue, useEffect } from "react";
import { answerOf, type ApiError, type DatasetRow, type Field } from "./api";
import { Home } from "./Home";
import { To, usePlace } from "./navigate";
import { Answered, Empty } from "./States";
import { ago } from "./time";

const LIMIT = "50";

/** The arrow keys walk from the search box through the results. */
function walk(event: KeyboardEvent): void {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  const links = [...document.querySelectorAll<HTMLElement>("input[type=search], .results a")];
  const now = links.indexOf(document.activeElement as HTMLElement);
  const next = step && now >= 0 ? links[now + step] : undefined;
  if (!next) return;
  event.preventDefault();
  next.focus();
}

/** Datasets and columns whose names contain the words. */
export function SearchPage() {
  const { view } = usePlace();
  const q = useDeferredValue(view.q.trim());
  const query = new URLSearchParams({ q, limit: LIMIT });
  const options = { placeholderData: keepPreviousData };
  const datasets = useQuery<{ datasets: DatasetRow[]; near: string[]; next: number | null }, ApiError>({
    ...answerOf<{ datasets: DatasetRow[]; near: string[]; next: number | null }>("datasets", query, q !== ""), ...options,
  });
  const columns = useQuery<{ columns: Field[]; near: string[]; next: number | null }, ApiError>({
    ...answerOf<{ columns: Field[]; near: string[]; next: number | null }>("columns", query, q !== ""), ...options,
  });
  useEffect(() => {
    window.addEventListener("keydown", walk);
    return () => window.removeEventListener("keydown", walk);
  }, []);
  if (q === "") return <Home />;
  return (
    <div className="page two">
      <section aria-labelledby="datasets">
        <h1 id="datasets">Datasets</h1>
        <Answered query={datasets} what="datasets">
          {(answer) =>
            answer.datasets.length === 0 ? (
              <Empty>
                No dataset's name contains “{q}”.<Similar names={answer.near} />
              </Empty>
            ) : (
              <>
                <ul className="results">
                  {answer.datasets.map((row) => (
                    <li key={`${row.namespace} ${row.name}`}>
                      <To view={{ namespace: row.namespace, name: row.name }}>
                        <strong>{row.name}</strong> <small>{row.namespace}</small>
                      </To>
                      <small>{row.updated_at ? `changed ${ago(row.updated_at)}` : "only mentioned"}</small>
                    </li>
                  ))}
                </ul>
                {answer.next !== null && <p className="note">The first {LIMIT}; more words find less.</p>}
              </>
            )
          }
        </Answered>
      </section>
      <section aria-labelledby="columns">
        <h2 id="columns">Columns</h2>
        <Answered query={columns} what="columns">
          {(answer) =>
            answer.columns.length === 0 ? (
              <Empty>No column's name contains “{q}”.<Similar names={answer.near} /></Empty>
            ) : (
              <>
                <ul className="results">
                  {answer.columns.map((row) => (
                    <li key={`${row.namespace} ${row.name} ${row.field}`}>
                      <To view={{ namespace: row.namespace, name: row.name, fields: [row.field ?? ""] }}>
                        <strong>{row.field}</strong> <span>{row.name}</span> <small>{row.namespace}</small>
                      </To>
                    </li>
                  ))}
                </ul>
                {answer.next !== null && <p className="note">The first {LIMIT}; more words find less.</p>}
              </>
            )
          }
        </Answered>
      </section>
    </div>
  );
}

/** Names like the words, when nothing contains them. */
function Similar({ names }: { names: string[] }) {
  if (names.length === 0) return null;
  return <> Similar: {names.map((name, i) => <span key={name}>{i > 0 && ", "}<To view={{ q: name }}>{name}</To></span>)}</>;
}
