import { Download } from "./Download";
import type { Graph } from "./graph";
import type { Positions } from "./layout";
import { usePlace } from "./navigate";
import { png, save, svg } from "./picture";
import { TimeControl } from "./TimeControl";
import type { Direction, Level } from "./url";

interface Props {
  route: string;
  query: URLSearchParams; // what is asked, for files
  graph: Graph | null;
  positions: Positions;
  walk?: boolean; // from a dataset on, in a direction and time
}

/** How the lineage is walked, of which time, and how to take it away. */
export function ControlBar({ route, query, graph, positions, walk = false }: Props) {
  const { view, go } = usePlace();
  const file = (format: string, name: string, title: string) => {
    const asked = new URLSearchParams(query);
    asked.set("format", format);
    return <Download route={route} query={asked} name={name}>{title}</Download>;
  };
  const drawn = (): string => (graph ? svg(graph, positions) : "");
  return (
    <div className="controls" role="toolbar" aria-label="Lineage options">
      {walk && <Walk />}
      <label>
        Level
        <select value={view.level} onChange={(e) => go({ level: e.target.value as Level, expand: [], lock: null, graph: walk })}>
          <option value="field">fields</option>
          <option value="dataset">datasets</option>
        </select>
      </label>
      <label title="Also the fields that decide on rows or values: joins, filters, grouping, sorting">
        <input type="checkbox" checked={view.indirect} disabled={view.level === "dataset"} onChange={(e) => go({ indirect: e.target.checked })} />
        Indirect
      </label>
      {walk && <TimeControl />}
      {graph && (
        <span className="group exports">
          {file("csv", "lineage.csv", "CSV")}
          {file("json", "lineage.json", "JSON")}
          {file("mermaid", "lineage.mmd", "Mermaid")}
          {file("dot", "lineage.dot", "DOT")}
          <button type="button" onClick={() => save(new Blob([drawn()], { type: "image/svg+xml" }), "lineage.svg")}>SVG</button>
          <button type="button" onClick={() => void png(drawn()).then((blob) => save(blob, "lineage.png"))}>PNG</button>
        </span>
      )}
    </div>
  );
}

function Walk() {
  const { view, go } = usePlace();
  return (
    <>
      <label>
        Direction
        <select value={view.direction} onChange={(e) => go({ direction: e.target.value as Direction, expand: [] })}>
          <option value="both">both</option>
          <option value="upstream">upstream</option>
          <option value="downstream">downstream</option>
        </select>
      </label>
      <span className="group">
        Depth
        <button type="button" aria-label="Less depth" disabled={view.depth <= 1} onClick={() => go({ depth: view.depth - 1, expand: [] })}>−</button>
        <output aria-label="Depth">{view.depth}</output>
        <button type="button" aria-label="More depth" disabled={view.depth >= 100} onClick={() => go({ depth: view.depth + 1, expand: [] })}>+</button>
      </span>
    </>
  );
}
