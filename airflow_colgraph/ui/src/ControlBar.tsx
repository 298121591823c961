import { Account } from "./Account";
import { CopyLink } from "./CopyLink";
import { Download, Downloads } from "./Download";
import { statedIn, useExpressions } from "./expressions";
import { amount, type Graph } from "./graph";
import { isPast, useKnown } from "./known";
import type { Positions } from "./layout";
import { usePlace } from "./navigate";
import { fileName, titleOf } from "./files";
import { inTab } from "./outer";
import { Palette } from "./Palette";
import { png, save, svg } from "./picture";
import { useLayer, useSizes } from "./sizes";
import { exact } from "./time";
import { TimeControl } from "./TimeControl";
import type { Direction, Level, View } from "./url";

interface Props {
  route: string;
  query: URLSearchParams; // what is asked, for files
  graph: Graph | null;
  positions: Positions;
  at?: string; // the time whose expressions are written beside columns
  walk?: boolean; // from a dataset on, in a direction and time
}

/** How the lineage is walked, at what time, and how to take it away. */
export function ControlBar({ route, query, graph, positions, at = "", walk = false }: Props) {
  const { view, go } = usePlace();
  const name = (ending: string): string => fileName(view, "lineage", ending);
  const file = (format: string, ending: string, title: string) => {
    const asked = new URLSearchParams(query);
    asked.set("format", format);
    return <Download route={route} query={asked} name={name(ending)}>{title}</Download>;
  };
  const expression = useExpressions(statedIn(graph, view.level), at || view.at); // the picture has asked for them
  const { gone } = useKnown(graph, view.level, isPast(view, at)); // and for these
  const layer = useLayer(useSizes(graph));
  const drawn = (): string => (graph ? svg(graph, positions, { title: titleOf(view), time: whenOf(view), expression, gone, layer }) : "");
  return (
    <div className="controls" role="toolbar" aria-label="Lineage options">
      {walk && <Walk />}
      <label>
        <span className="hidden">Level</span>
        <select value={view.level} onChange={(e) => go({ level: e.target.value as Level, expand: [], lock: null, show: walk ? "graph" : "" })}>
          <option value="field">columns</option>
          <option value="dataset">datasets</option>
          <option value="task">datasets and tasks</option>
        </select>
      </label>
      {view.level === "field" && (
        <label title="Also the columns that affect which rows there are, or their order: joins, filters, groupings, sorting">
          <input type="checkbox" checked={view.indirect} onChange={(e) => go({ indirect: e.target.checked })} />
          Rows
        </label>
      )}
      {walk && <TimeControl />}
      {graph && (
        <Downloads>
          {file("csv", "csv", "CSV")}
          {file("json", "json", "JSON")}
          {file("mermaid", "mmd", "Mermaid")}
          {file("dot", "dot", "DOT")}
          <button type="button" onClick={() => save(new Blob([drawn()], { type: "image/svg+xml" }), name("svg"))}>SVG</button>
          <button type="button" onClick={() => void png(drawn()).then((blob) => save(blob, name("png")))}>PNG</button>
        </Downloads>
      )}
      {inTab() && <><Palette /><CopyLink /><Account /></>}
    </div>
  );
}

function Walk() {
  const { view, go } = usePlace();
  return (
    <>
      <label>
        <span className="hidden">Direction</span>
        <select value={view.direction} onChange={(e) => go({ direction: e.target.value as Direction, expand: [] })}>
          <option value="both">both ways</option>
          <option value="upstream">upstream</option>
          <option value="downstream">downstream</option>
        </select>
      </label>
      <span className="group" title="Depth: how many hops">
        <button type="button" aria-label="Less depth" disabled={view.depth <= 1} onClick={() => go({ depth: view.depth - 1, expand: [] })}>−</button>
        <output aria-label="Depth">{amount(view.depth, "hop")}</output>
        <button type="button" aria-label="More depth" disabled={view.depth >= 100} onClick={() => go({ depth: view.depth + 1, expand: [] })}>+</button>
      </span>
    </>
  );
}

/** Of which time the picture is. */
function whenOf({ before, at, start, end }: View): string {
  if (before) return `Changes from ${exact(before)} to ${exact(at || new Date().toISOString())}`;
  if (start || end) return `Between ${start ? exact(start) : "the beginning"} and ${end ? exact(end) : "now"}`;
  return `As of ${exact(at || new Date().toISOString())}`;
}
