import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Command } from "cmdk";
import { type ReactNode, useDeferredValue, useEffect, useRef, useState } from "react";
import { answerOf, type ApiError, type DatasetRow, type Field } from "./api";
import { usePlace } from "./navigate";
import { recentDatasets, without } from "./recent";
import { type Hit, hits, type JobRow, parts } from "./search";
import { EMPTY, type View } from "./url";

const EACH = "8"; // hits of a kind

/** Searches datasets, columns, DAGs and tasks from every page: `/` or Ctrl K opens it. */
export function Palette() {
  const { view } = usePlace();
  const dialog = useRef<HTMLDialogElement>(null);
  const [open, setOpen] = useState(false);
  const show = (): void => {
    setOpen(true);
    dialog.current?.showModal();
  };
  useEffect(() => {
    const key = (event: KeyboardEvent): void => {
      const typing = event.target instanceof HTMLElement && event.target.matches("input, textarea, select");
      if (!(event.key === "/" && !typing) && !(event.key === "k" && (event.ctrlKey || event.metaKey))) return;
      event.preventDefault();
      if (!dialog.current?.open) show();
    };
    window.addEventListener("keydown", key);
    return () => window.removeEventListener("keydown", key);
  }, []);
  const away = (event: { target: EventTarget }): void => void (event.target === dialog.current && dialog.current?.close());
  return (
    <>
      <button type="button" className="seek" aria-haspopup="dialog" onClick={show}>
        <span>{view.q || "Search"}</span> <kbd>Ctrl K</kbd>
      </button>
      <dialog ref={dialog} className="palette" aria-label="Search" onClose={() => setOpen(false)} onClick={away} onKeyDown={(event) => event.stopPropagation()}>
        {open && <Found close={() => dialog.current?.close()} />}
      </dialog>
    </>
  );
}

/** What is typed, and what it finds. */
function Found({ close }: { close: () => void }) {
  const { view, open } = usePlace();
  const [text, setText] = useState(view.q);
  const q = useDeferredValue(text.trim());
  const { groups, near, waiting } = useHits(q);
  const first = groups[0]?.[1][0]?.id ?? "";
  const [chosen, setChosen] = useState("");
  useEffect(() => setChosen(first), [q, first]); // the hits come late
  const to = (next: Partial<View>): void => {
    close();
    open({ ...EMPTY, ...next });
  };
  return (
    <Command label="Search" shouldFilter={false} loop value={chosen} onValueChange={setChosen}>
      <Command.Input autoFocus value={text} onValueChange={setText} placeholder="Dataset, column, dataset.column, DAG or task" />
      {q !== "" && !waiting && groups.length === 0 && <p className="state" role="status">Nothing is called “{q}”.{near.length > 0 && " Similar names:"}</p>}
      <Command.List label="Hits">
        {q === "" && <Places to={to} />}
        {groups.map(([kind, found]) => (
          <Command.Group key={kind} heading={kind}>
            {found.map((hit) => <Item key={hit.id} hit={hit} text={q} to={to} />)}
          </Command.Group>
        ))}
        {groups.length === 0 && near.map((name) => (
          <Command.Item key={name} value={`near ${name}`} onSelect={() => setText(name)}>{name}</Command.Item>
        ))}
        {q !== "" && <Command.Item value="all results" onSelect={() => to({ q })}><span>All results for “{q}”</span></Command.Item>}
      </Command.List>
    </Command>
  );
}

function Item({ hit, text, to }: { hit: Hit; text: string; to: (view: Partial<View>) => void }) {
  return (
    <Command.Item value={hit.id} onSelect={() => to(hit.view)}>
      <span><Marked name={hit.name} text={text} /> {hit.of && <small><Marked name={hit.of} text={text} /></small>}</span>
    </Command.Item>
  );
}

/** The name with what was searched for marked. */
export function Marked({ name, text }: { name: string; text: string }): ReactNode {
  return parts(name, text).map(([part, hit], i) => (hit ? <mark key={i}>{part}</mark> : part));
}

/** What there is to go to before anything is typed: the datasets that were opened last but for this page's, and the pages. */
function Places({ to }: { to: (view: Partial<View>) => void }) {
  const { view } = usePlace();
  const [recent] = useState(() => without(recentDatasets(), [view.namespace, view.name]));
  const pages: [string, Partial<View>][] = [["Home: DAGs, changes and datasets", {}], ["Coverage of all DAGs", { show: "coverage" }], ["Unused columns", { show: "unused" }]];
  return (
    <>
      {recent.length > 0 && (
        <Command.Group heading="Recently opened">
          {recent.map(([namespace, name]) => (
            <Command.Item key={`${namespace} ${name}`} value={JSON.stringify([namespace, name])} onSelect={() => to({ namespace, name })}>{name} <small>{namespace}</small></Command.Item>
          ))}
        </Command.Group>
      )}
      <Command.Group heading="Pages">
        {pages.map(([title, place]) => <Command.Item key={title} value={title} onSelect={() => to(place)}>{title}</Command.Item>)}
      </Command.Group>
    </>
  );
}

interface Datasets { datasets: DatasetRow[]; near: string[] }
interface Columns { columns: Field[]; near: string[] }

/** The hits by kind, and names like the text where there are none. */
function useHits(q: string): { groups: [string, Hit[]][]; near: string[]; waiting: boolean } {
  const ask = <T,>(route: string, limit: string) => ({
    ...answerOf<T>(route, new URLSearchParams({ q, limit }), q !== ""), placeholderData: keepPreviousData,
  });
  const datasets = useQuery<Datasets, ApiError>(ask<Datasets>("datasets", EACH));
  const columns = useQuery<Columns, ApiError>(ask<Columns>("columns", EACH));
  const jobs = useQuery<{ jobs: JobRow[] }, ApiError>(ask<{ jobs: JobRow[] }>("jobs", "20"));
  if (q === "") return { groups: [], near: [], waiting: false };
  return {
    groups: hits(datasets.data?.datasets ?? [], columns.data?.columns ?? [], jobs.data?.jobs ?? [], q),
    near: [...new Set([...(columns.data?.near ?? []), ...(datasets.data?.near ?? [])])],
    waiting: [datasets, columns, jobs].some((answer) => answer.isFetching),
  };
}
