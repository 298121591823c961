import { useState } from "react";
import type { Answer } from "./api";
import { Download } from "./Download";
import type { Graph } from "./graph";
import type { Positions } from "./layout";
import { usePlace } from "./navigate";
import { png, save, svg } from "./picture";
import { local, utc } from "./time";
import { type Direction, type Level, question } from "./url";

interface Props { graph: Graph | null; positions: Positions; answer: Answer | null }

/** How the lineage is walked, of which time, and how to take it away. */
export function ControlBar({ graph, positions, answer }: Props) {
  const { view, go } = usePlace();
  const file = (format: string, name: string, title: string) => {
    const query = question(view);
    query.set("format", format);
    return <Download route="graph" query={query} name={name}>{title}</Download>;
  };
  const drawn = (): string => (graph ? svg(graph, positions) : "");
  return (
    <div className="controls" role="toolbar" aria-label="Lineage options">
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
      <label>
        Level
        <select value={view.level} onChange={(e) => go({ level: e.target.value as Level, expand: [], lock: null, graph: true })}>
          <option value="field">fields</option>
          <option value="dataset">datasets</option>
        </select>
      </label>
      <label title="Also the fields that decide on rows or values: joins, filters, grouping, sorting">
        <input type="checkbox" checked={view.indirect} disabled={view.level === "dataset"} onChange={(e) => go({ indirect: e.target.checked })} />
        Indirect
      </label>
      <TimeControl />
      {answer && (
        <span className="group exports">
          {file("csv", "lineage.csv", "CSV")}
          {file("json", "lineage.json", "JSON")}
          {file("mermaid", "lineage.mmd", "Mermaid")}
          {file("dot", "lineage.dot", "DOT")}
          <button type="button" disabled={!graph} onClick={() => save(new Blob([drawn()], { type: "image/svg+xml" }), "lineage.svg")}>SVG</button>
          <button type="button" disabled={!graph} onClick={() => void png(drawn()).then((blob) => save(blob, "lineage.png"))}>PNG</button>
        </span>
      )}
    </div>
  );
}

type Mode = "now" | "at" | "range" | "compare";

function TimeControl() {
  const { view, go } = usePlace();
  const told: Mode = view.before ? "compare" : view.at ? "at" : view.start || view.end ? "range" : "now";
  const [chosen, setChosen] = useState<Mode>(told);
  const mode = told === "now" ? chosen : told;
  const choose = (next: Mode): void => {
    setChosen(next);
    go({ at: "", start: "", end: "", before: "", expand: [] });
  };
  const input = (label: string, key: "at" | "start" | "end" | "before") => (
    <label>
      {label}
      <input type="datetime-local" step={1} value={local(view[key])} onChange={(e) => go({ [key]: utc(e.target.value) }, true)} />
    </label>
  );
  return (
    <span className="group">
      <label>
        Time
        <select value={mode} onChange={(e) => choose(e.target.value as Mode)}>
          <option value="now">now</option>
          <option value="at">as of…</option>
          <option value="range">between…</option>
          <option value="compare">changes since…</option>
        </select>
      </label>
      {mode === "at" && input("as of", "at")}
      {mode === "range" && <>{input("from", "start")}{input("until", "end")}</>}
      {mode === "compare" && input("since", "before")}
    </span>
  );
}
