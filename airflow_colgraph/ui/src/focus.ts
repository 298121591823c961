// Which part of the graph stays while the rest fades; read by every box and line.

import { createContext, useContext } from "react";
import type { Page } from "./boxes";
import type { Side } from "./url";

export interface Focus {
  rows: ReadonlySet<string> | null; // null: nothing fades
  links: ReadonlySet<string> | null;
  locked: string | null;
  plain: boolean; // too small to read: boxes without rows
  hover: (row: string | null) => void;
  lock: (row: string) => void;
  turn: (box: string, page: Page) => void; // to another page of its fields
  enter: (box: string) => void; // come so near that its rows can be read
  expand: (box: string, direction: Side) => void;
  expandable: (box: string, direction: Side) => boolean;
  total: (box: string) => number | undefined;
  types: (row: string) => string | undefined;
  gone: (row: string) => boolean; // no longer a column of its dataset
}

const nothing = (): void => undefined;

export const FocusContext = createContext<Focus>({
  rows: null, links: null, locked: null, plain: false, hover: nothing, lock: nothing, turn: nothing, enter: nothing, expand: nothing,
  expandable: () => false, total: () => undefined, types: () => undefined, gone: () => false,
});

export const useFocus = (): Focus => useContext(FocusContext);
