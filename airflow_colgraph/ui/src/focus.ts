// Which part of the graph stays while the rest fades; read by every box and line.

import { createContext, useContext } from "react";

export interface Focus {
  rows: ReadonlySet<string> | null; // null: nothing fades
  links: ReadonlySet<string> | null;
  locked: string | null;
  hover: (row: string | null) => void;
  lock: (row: string) => void;
  open: (box: string) => void;
  expand: (box: string, direction: "upstream" | "downstream") => void;
  expandable: (box: string, direction: "upstream" | "downstream") => boolean;
  total: (box: string) => number | undefined;
}

const nothing = (): void => undefined;

export const FocusContext = createContext<Focus>({
  rows: null, links: null, locked: null, hover: nothing, lock: nothing, open: nothing, expand: nothing,
  expandable: () => false, total: () => undefined,
});

export const useFocus = (): Focus => useContext(FocusContext);
