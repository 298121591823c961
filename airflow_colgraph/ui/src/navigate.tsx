// The state of the page in its address: reading it, changing it, links to other states.

import { createContext, type MouseEvent, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from "react";
import { given, held, hold, whenHeld } from "./outer";
import { EMPTY, format, parse, type View } from "./url";

interface Place {
  view: View;
  search: string;
  opened: number; // how many results were opened: each is read from its heading on
  go: (change: Partial<View>, replace?: boolean) => void;
  open: (view: View) => void;
}

const Here = createContext<Place>({
  view: EMPTY, search: "", opened: 0, go: () => undefined, open: () => undefined,
});

export const usePlace = (): Place => useContext(Here);

/** The state that Airflow's address holds, else the page's own. */
function first(): string {
  const search = held();
  if (search !== null) take(search);
  return search ?? window.location.search;
}

function take(search: string): void {
  window.history.replaceState(null, "", search || window.location.pathname);
  hold(search);
}

const FIRST = first(); // before the frame is loaded: then Airflow's navigation replaces its address, without the fragment

export function Navigation({ children }: { children: ReactNode }) {
  const [search, setSearch] = useState(FIRST);
  const [opened, setOpened] = useState(0);
  useEffect(() => {
    const follow = (): void => {
      const inside = given();
      if (inside === null) hold(window.location.search);
      else take(inside);
      setSearch(window.location.search);
    };
    window.addEventListener("popstate", follow);
    const end = whenHeld((search) => {
      take(search);
      setSearch(search);
    });
    return () => {
      window.removeEventListener("popstate", follow);
      end();
    };
  }, []);
  const place = useMemo<Place>(() => {
    const view = parse(search);
    const to = (next: string, replace: boolean): void => {
      if (replace) window.history.replaceState(null, "", next || window.location.pathname);
      else window.history.pushState(null, "", next || window.location.pathname);
      hold(next);
      setSearch(next);
    };
    return {
      view,
      search: format(view),
      opened,
      go: (change, replace = false) => to(format({ ...view, ...change }), replace),
      open: (next) => {
        to(format(next), false);
        setOpened((count) => count + 1);
      },
    };
  }, [search, opened]);
  return <Here value={place}>{children}</Here>;
}

/** The page's heading: where reading goes on after a result was opened. */
export function Heading({ children }: { children: ReactNode }) {
  const { opened } = usePlace();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (opened) heading.current?.focus();
  }, [opened]);
  return <h1 ref={heading} tabIndex={-1}>{children}</h1>;
}

/** A link to another state; opened in a new tab it is that state too. */
export function To({ view, children, className, label, title }: {
  view: Partial<View>; children: ReactNode; className?: string; label?: string; title?: string;
}) {
  const { open } = usePlace();
  const whole = { ...EMPTY, ...view };
  const follow = (event: MouseEvent): void => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    open(whole);
  };
  return (
    <a href={format(whole) || "?"} onClick={follow} className={className} aria-label={label} title={title}>
      {children}
    </a>
  );
}

/** A link to a page of Airflow: in its frame Airflow itself goes there, as the frame may not. */
export function ToAirflow({ href, children, className, label, title }: {
  href: string; children: ReactNode; className?: string; label?: string; title?: string;
}) {
  const follow = (event: MouseEvent): void => {
    if (window.parent === window || !href.startsWith("/")) return;
    event.preventDefault();
    window.parent.history.pushState(null, "", href);
    window.parent.dispatchEvent(new PopStateEvent("popstate", { state: null }));
  };
  return <a href={href} onClick={follow} className={className} aria-label={label} title={title}>{children}</a>;
}

/** The path that Airflow is at, inside of it; else null. */
export function airflowBase(): string | null {
  return window.parent === window ? null : new URL(document.baseURI).pathname.replace(/\/colgraph\/[^/]*$/, "");
}
