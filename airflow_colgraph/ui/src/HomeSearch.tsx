import { type ReactNode, useDeferredValue, useState } from "react";
import { useHits } from "./hits";
import { Marked } from "./Marked";
import { To } from "./navigate";
import type { Hit } from "./search";
import { Failed } from "./States";

const LABEL = "Search datasets, columns, DAGs and tasks";

/** The search of the home page: while there is a text, its hits are shown instead of what is on the page. */
export function HomeSearch({ children }: { children: ReactNode }) {
  const [text, setText] = useState("");
  const q = useDeferredValue(text.trim());
  return (
    <>
      <input type="search" className="everything" aria-label={LABEL} placeholder={LABEL} value={text} onChange={(event) => setText(event.target.value)} />
      {q === "" ? children : <HitsOf q={q} search={setText} />}
    </>
  );
}

function HitsOf({ q, search }: { q: string; search: (text: string) => void }) {
  const { groups, near, waiting, error } = useHits(q);
  if (error) return <Failed error={error} />;
  return (
    <>
      {groups.map(([kind, hits]) => (
        <section key={kind} aria-label={kind}>
          <h2>{kind}</h2>
          <ul className="results hits">{hits.map((hit) => <HitOf key={hit.id} hit={hit} q={q} />)}</ul>
        </section>
      ))}
      {groups.length === 0 && !waiting && (
        <p className="state" role="status">
          Nothing is called “{q}”.{near.length > 0 && " Similar names: "}
          {near.map((name) => <button key={name} type="button" onClick={() => search(name)}>{name}</button>)}
        </p>
      )}
      {groups.length > 0 && <p><To view={{ q }}>All results for “{q}”</To></p>}
    </>
  );
}

/** A hit that is opened by its name, and links to what else can be asked of it. */
function HitOf({ hit: { name, of, view, actions }, q }: { hit: Hit; q: string }) {
  return (
    <li>
      <To view={view}><strong><Marked name={name} text={q} /></strong> {of && <small><Marked name={of} text={q} /></small>}</To>
      {actions.map(([title, place]) => <To key={title} view={place} className="button" label={`${title}: ${name} ${of}`}>{title}</To>)}
    </li>
  );
}
