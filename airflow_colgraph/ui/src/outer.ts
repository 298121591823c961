// The page inside Airflow: what is shown is kept in the fragment of Airflow's own address.

const MARK = "#colgraph?";

/** Airflow's window, if the page is in a frame of it. */
export function outer(): Window | null {
  try {
    return window.parent !== window && window.parent.location.origin === window.location.origin ? window.parent : null;
  } catch {
    return null; // framed by another origin
  }
}

/** The query string that Airflow's address holds; null if it holds none. */
export function held(): string | null {
  const hash = outer()?.location.hash ?? "";
  return hash.startsWith(MARK) ? `?${hash.slice(MARK.length)}` : null;
}

/** Keep the query string in Airflow's address. */
export function hold(search: string): void {
  const frame = outer();
  if (!frame) return;
  const { pathname, search: query } = frame.location;
  frame.history.replaceState(frame.history.state, "", `${pathname}${query}${fragment(search)}`);
}

/** The address to send to somebody: Airflow's if the page is in it. */
export function link(search: string): string {
  const frame = outer();
  if (!frame) return new URL(search || window.location.pathname, window.location.href).href;
  const { origin, pathname, search: query } = frame.location;
  return `${origin}${pathname}${query}${fragment(search)}`;
}

/** The fragment that holds the query string. Home needs one where Airflow opens another view: in the tabs. */
function fragment(search: string): string {
  return search || opened() ? MARK + search.slice(1) : "";
}

/** The query string that Airflow opens the frame with. */
function opened(): string {
  return new URL(window.frameElement?.getAttribute("src") ?? "", document.baseURI).search;
}

/** Do this when the reader changes the fragment of Airflow's address by hand; the answer ends it. */
export function whenHeld(then: (search: string) => void): () => void {
  const frame = outer();
  const follow = (): void => {
    const search = held();
    if (search !== null) then(search);
  };
  const end = (): void => frame?.removeEventListener("hashchange", follow);
  frame?.addEventListener("hashchange", follow);
  window.addEventListener("pagehide", end);
  return end;
}
