import type { MouseEvent, ReactNode } from "react";
import { address, ask, hasKey } from "./api";
import { Menu } from "./Menu";
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

/** The files that an answer can be taken away as. */
export function Downloads({ children }: { children: ReactNode }) {
  return <Menu title="Download" className="exports" once>{children}</Menu>;
}
