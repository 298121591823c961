// The page inside Airflow: what is shown is kept in Airflow's own address, in its fragment. Behind Airflow's navigation
// Airflow 3.3 itself puts the frame's path and query into its address when the frame is loaded: there they are kept so.

const MARK = "#colgraph?";

/** Airflow's window, if the page is in a frame of it. */
export function outer(): Window | null {
  try {
    return window.parent !== window && window.parent.location.origin === window.location.origin ? window.parent : null;
  } catch {
    return null; // framed by another origin
  }
}

/** Whether it is a tab of a DAG, a run or a task: Airflow's own header names it. */
export const inTab = (): boolean => outer()?.location.pathname.includes("/dags/") ?? false;

/** The query string that Airflow's address holds; null if it holds none. */
export function held(): string | null {
  return inFragment(outer()?.location.hash) ?? given();
}

/** The query string in the fragment of the page's own address: Airflow puts its own there where it mirrors the page's. */
export function given(): string | null {
  return outer() && inFragment(window.location.hash);
}

const inFragment = (hash = ""): string | null => (hash.startsWith(MARK) ? `?${hash.slice(MARK.length)}` : null);

/** Keep the query string in Airflow's address. */
export function hold(search: string): void {
  const frame = outer();
  frame?.history.replaceState(frame.history.state, "", place(frame, search));
}

/** The address to send to somebody: Airflow's if the page is in it. */
export function link(search: string): string {
  const frame = outer();
  if (!frame) return new URL(search || window.location.pathname, window.location.href).href;
  return frame.location.origin + place(frame, search);
}

/** Airflow's address without its origin, with the query string in it. */
function place({ location: { pathname, search: query } }: Window, search: string): string {
  return mirrored(pathname, window.location.pathname) ? pathname + search : pathname + query + fragment(search);
}

/** Whether Airflow's path holds the frame's: `/plugin/colgraph/airflow/colgraph/` below `/airflow`. */
export function mirrored(airflow: string, own: string): boolean {
  return airflow.endsWith(own) && /\/plugin\/[^/]+$/.test(airflow.slice(0, -own.length));
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
