// The state of the page in its address: reading it, changing it, links to other states.

import { createContext, type MouseEvent, type ReactNode, useContext, useEffect, useMemo, useState } from "react";
import { EMPTY, format, parse, type View } from "./url";

interface Place { view: View; go: (change: Partial<View>, replace?: boolean) => void }

const Here = createContext<Place>({ view: EMPTY, go: () => undefined });

export const usePlace = (): Place => useContext(Here);

export function Navigation({ children }: { children: ReactNode }) {
  const [search, setSearch] = useState(window.location.search);
  useEffect(() => {
    const follow = (): void => setSearch(window.location.search);
    window.addEventListener("popstate", follow);
    return () => window.removeEventListener("popstate", follow);
  }, []);
  const place = useMemo<Place>(() => {
    const view = parse(search);
    return {
      view,
      go: (change, replace = false) => {
        const next = format({ ...view, ...change });
        const to = next || window.location.pathname;
        if (replace) window.history.replaceState(null, "", to);
        else window.history.pushState(null, "", to);
        setSearch(next);
      },
    };
  }, [search]);
  return <Here value={place}>{children}</Here>;
}

/** A link to another state; opened in a new tab it is that state too. */
export function To({ view, children, className, label }: {
  view: Partial<View>; children: ReactNode; className?: string; label?: string;
}) {
  const { go } = usePlace();
  const whole = { ...EMPTY, ...view };
  const follow = (event: MouseEvent): void => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    go(whole);
  };
  return (
    <a href={format(whole) || "?"} onClick={follow} className={className} aria-label={label}>
      {children}
    </a>
  );
}

/** A link to a page of Airflow: in its frame Airflow itself goes there, as the frame may not. */
export function ToAirflow({ href, children, className, label }: {
  href: string; children: ReactNode; className?: string; label?: string;
}) {
  const follow = (event: MouseEvent): void => {
    if (window.parent === window || !href.startsWith("/")) return;
    event.preventDefault();
    window.parent.history.pushState(null, "", href);
    window.parent.dispatchEvent(new PopStateEvent("popstate", { state: null }));
  };
  return <a href={href} onClick={follow} className={className} aria-label={label}>{children}</a>;
}

/** The path that Airflow is at, inside of it; else null. */
export function airflowBase(): string | null {
  return window.parent === window ? null : new URL(document.baseURI).pathname.replace(/\/colgraph\/[^/]*$/, "");
}
