import { type ReactNode, useEffect } from "react";
import { Group, type Layout, type LayoutChangedMeta, Panel, Separator, usePanelRef } from "react-resizable-panels";
import { usePlace } from "./navigate";
import type { Tab } from "./url";

/** What the panel below a picture can show. */
export interface Shelf { tab: Tab; title: string; count?: number; warns?: boolean; content: ReactNode }

const CLOSED = "32px"; // its row of buttons
const LEAST = "140px";

/** The picture over a panel: closed it is a row of buttons, open it shows one of the tables; its border is dragged, and the address remembers both. */
export function Below({ shelves, note, children }: { shelves: readonly Shelf[]; note: ReactNode; children: ReactNode }) {
  const { view, go } = usePlace();
  const panel = usePanelRef();
  const shelf = shelves.find((one) => one.tab === view.panel);
  const open = shelf !== undefined;
  useEffect(() => {
    if (open) panel.current?.resize(`${view.panelSize}%`);
    else panel.current?.collapse();
  }, [panel, open, view.panelSize]);
  const changed = (layout: Layout, { isUserInteraction }: LayoutChangedMeta): void => {
    if (!isUserInteraction) return;
    if (panel.current?.isCollapsed()) go({ panel: "" }, true);
    else go({ panel: shelf?.tab ?? shelves[0]?.tab ?? "", panelSize: Math.round(layout["below"] ?? view.panelSize) }, true);
  };
  return (
    <Group orientation="vertical" onLayoutChanged={changed}>
      <Panel id="above" minSize="160px" style={{ overflow: "hidden" }}>{children}</Panel>
      <Separator className="border edge" aria-label="Size of the panel below" />
      <Panel
        id="below"
        panelRef={panel}
        collapsible
        collapsedSize={CLOSED}
        minSize={LEAST}
        defaultSize={open ? `${view.panelSize}%` : CLOSED}
        groupResizeBehavior={open ? "preserve-relative-size" : "preserve-pixel-size"}
        style={{ overflow: "hidden" }}
      >
        <Bar shelves={shelves} shelf={shelf} note={note} />
        {shelf && <div className="shelf" id="shelf">{shelf.content}</div>}
      </Panel>
    </Group>
  );
}

function Bar({ shelves, shelf, note }: { shelves: readonly Shelf[]; shelf: Shelf | undefined; note: ReactNode }) {
  const { go } = usePlace();
  const first = shelves[0]?.tab ?? "";
  return (
    <div className="shelves" role="toolbar" aria-label="Below the picture">
      {shelves.map(({ tab, title, count, warns }) => (
        <button
          key={tab}
          type="button"
          className={warns ? "warns" : ""}
          aria-expanded={tab === shelf?.tab}
          aria-controls="shelf"
          onClick={() => go({ panel: tab === shelf?.tab ? "" : tab }, true)}
        >
          {title}{count !== undefined && <small> {count.toLocaleString("en")}</small>}
        </button>
      ))}
      <p className="note" role="status">{note}</p>
      <button type="button" className="fold" aria-label={shelf ? "Hide the panel" : "Show the panel"} onClick={() => go({ panel: shelf ? "" : first }, true)}>
        {shelf ? "⌄" : "⌃"}
      </button>
    </div>
  );
}

/** All of them one after another, where there is no picture to put them below. */
export function Shelves({ shelves }: { shelves: readonly Shelf[] }) {
  return shelves.map(({ tab, content }) => <div key={tab}>{content}</div>);
}
