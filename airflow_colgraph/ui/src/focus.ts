// Which part of the graph stays while the rest fades; read by every box and line.

import { createContext, useContext } from "react";
import type { Box, Page } from "./boxes";
import { type Further, NO_FURTHER } from "./hops";
import type { LinkKey, Side } from "./url";

export interface Focus {
  rows: ReadonlySet<string> | null; // null: nothing fades
  links: ReadonlySet<string> | null;
  strong: { rows: ReadonlySet<string>; links: ReadonlySet<string> } | null; // of these, those that carry values
  locked: string | null;
  plain: boolean; // too small to read: boxes without rows
  hover: (row: string | null) => void;
  lock: (row: string) => void;
  pick: (key: LinkKey) => void; // a line
  turn: (box: string, page: Page) => void; // to another page of its fields
  enter: (box: string) => void; // come so near that its rows can be read
  expand: (box: string, direction: Side) => void;
  expandable: (box: string, direction: Side) => boolean;
  total: (box: string) => number | undefined;
  layer: (box: Box) => string; // empty if nothing says it
  lacks: (box: Box) => string; // which lineage is missing, and why; empty if none
  types: (row: string) => string | undefined;
  gone: (row: string) => boolean; // no longer a column of its dataset
  expression: (row: string) => string | undefined; // of one that is not only passed on
  further: Further;
}

const nothing = (): void => undefined;

export const FocusContext = createContext<Focus>({
  rows: null, links: null, strong: null, locked: null, plain: false, hover: nothing, lock: nothing, pick: nothing, turn: nothing, enter: nothing, expand: nothing,
  expandable: () => false, total: () => undefined, layer: () => "", lacks: () => "", types: () => undefined, gone: () => false,
  expression: () => undefined, further: NO_FURTHER,
});

export const useFocus = (): Focus => useContext(FocusContext);
