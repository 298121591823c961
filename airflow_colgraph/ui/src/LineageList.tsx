import type { Box, Row } from "./boxes";
import { type Graph, type Link, rowId } from "./graph";
import { KINDS, kindsOf } from "./kinds";
import { columns } from "./layout";
import { isJob } from "./tasks";
import { TaskChips } from "./TaskChips";

interface Props { graph: Graph; locked: string | null; lock: (row: string) => void; lacks: (box: Box) => string; hops: boolean }

/** The picture as a list, for screens that are too narrow for one: each dataset after those that it is computed from. */
export function LineageList({ graph, locked, lock, lacks, hops }: Props) {
  const into = new Map<string, Link[]>();
  for (const link of graph.links) into.set(link.to, [...(into.get(link.to) ?? []), link]);
  const boxes = new Map(graph.boxes.map((box) => [box.id, box]));
  const ends = new Map(graph.boxes.flatMap((box) => box.rows.map((row) => [row.id, row.field] as const)));
  const from = (links: readonly Link[] = []): string[] =>
    links.map((link) => {
      const field = ends.get(link.from);
      const kinds = kindsOf(link.edges).filter((kind) => kind !== "unknown").map((kind) => `${KINDS[kind].sign} ${KINDS[kind].words}`).join(", ");
      return `${boxes.get(link.source)?.label ?? ""}${field ? `.${field}` : ""}${kinds && ` (${kinds})`}`;
    });
  const sources = (id: string) => from(into.get(id)).map((text) => <span key={text} className="source">← {text}</span>);
  const row = (one: Pick<Row, "id" | "field" | "start">) => (
    <li key={one.id}>
      <button type="button" className={one.start ? "start" : ""} aria-pressed={locked === one.id} onClick={() => lock(one.id)}>{one.field || "all rows"}</button>
      {sources(one.id)}
    </li>
  );
  return (
    <ul className="lineage-list" aria-label="Lineage as a list">
      {inOrder(graph).map((box) => {
        const whole = rowId({ ...box, field: null });
        return (
          <li key={box.id} className={box.start ? "start" : ""}>
            {!isJob(box) && <button type="button" className="title" title={`${box.namespace} ${box.name}`} aria-pressed={locked === whole} onClick={() => lock(whole)}>{box.label}</button>}{" "}
            {hops && <small>{where(box)}</small>}
            {box.tasks.length > 0 && <TaskChips tasks={box.tasks} />}
            {lacks(box) && <p className="lacking">⚠ Lineage missing. {lacks(box)}</p>}
            <ul>
              {into.has(whole) && (graph.fields > 0 ? row({ id: whole, field: "", start: false }) : <li>{sources(whole)}</li>)}
              {box.rows.map(row)}
              {box.hidden > 0 && <li><small>{box.hidden} more: in the table below</small></li>}
            </ul>
          </li>
        );
      })}
    </ul>
  );
}

/** From left to right and from top to bottom. */
function inOrder(graph: Graph): Box[] {
  const places = columns(graph);
  const at = ({ id }: Box) => places.get(id) ?? { x: 0, y: 0 };
  return graph.boxes.toSorted((a, b) => at(a).x - at(b).x || at(a).y - at(b).y);
}

function where({ depth, start }: Box): string {
  if (start || depth === 0) return "";
  return `${Math.abs(depth)} ${Math.abs(depth) === 1 ? "hop" : "hops"} ${depth < 0 ? "upstream" : "downstream"}`;
}
