import { Command } from "cmdk";
import { useDeferredValue, useEffect, useRef, useState } from "react";
import { useHits } from "./hits";
import { Marked } from "./Marked";
import { usePlace } from "./navigate";
import { recentDatasets, without } from "./recent";
import type { Hit } from "./search";
import { EMPTY, type View } from "./url";

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
  const { groups, near, waiting, error } = useHits(q);
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
      {error && <p className="state failed" role="alert">{error.message}</p>}
      {q !== "" && !waiting && !error && groups.length === 0 && <p className="state" role="status">Nothing is called “{q}”.{near.length > 0 && " Similar names:"}</p>}
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
