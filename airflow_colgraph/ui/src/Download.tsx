import { type FocusEvent, type KeyboardEvent, type MouseEvent, type ReactNode, useEffect, useRef } from "react";
import { address, ask, hasKey } from "./api";
import { save } from "./picture";

/** A link to an answer of the API as a file; with a key, that is sent along. */
export function Download({ route, query, name, children }: {
  route: string; query: URLSearchParams; name: string; children: string;
}) {
  const fetched = (event: MouseEvent): void => {
    if (!hasKey()) return;
    event.preventDefault();
    void ask(route, query).then((answer) => answer.blob()).then((blob) => save(blob, name));
  };
  return <a href={address(route, query)} download={name} onClick={fetched}>{children}</a>;
}

/** The files that an answer can be taken away as, in a menu that closes when it is left. */
export function Downloads({ children }: { children: ReactNode }) {
  const menu = useRef<HTMLDetailsElement>(null);
  const close = (): void => void (menu.current && (menu.current.open = false));
  const leave = (event: FocusEvent): void => { // to nothing: some browsers do not focus what is clicked
    if (event.relatedTarget && !menu.current?.contains(event.relatedTarget)) close();
  };
  useEffect(() => {
    const away = (event: PointerEvent): void => {
      if (!menu.current?.contains(event.target as Node)) close();
    };
    document.addEventListener("pointerdown", away);
    return () => document.removeEventListener("pointerdown", away);
  }, []);
  const escape = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || !menu.current?.open) return;
    event.stopPropagation(); // what is selected in the picture stays so
    close();
    menu.current.querySelector("summary")?.focus();
  };
  return (
    <details ref={menu} className="exports" onBlur={leave} onKeyDown={escape}>
      <summary>Download</summary>
      <div className="menu" onClick={close}>{children}</div>
    </details>
  );
}
