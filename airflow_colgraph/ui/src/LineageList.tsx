import type { Box, Row } from "./boxes";
import { type Graph, type Link, rowId } from "./graph";
import { KINDS, kindsOf } from "./kinds";
import { isJob } from "./tasks";
import { TaskChips } from "./TaskChips";

interface Props { graph: Graph; locked: string | null; lock: (row: string) => void }

/** The picture as a list, for screens that are too narrow for one: each dataset with its fields and what they are made of. */
export function LineageList({ graph, locked, lock }: Props) {
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
  const row = (one: Pick<Row, "id" | "field" | "start">) => (
    <li key={one.id}>
      <button type="button" className={one.start ? "start" : ""} aria-pressed={locked === one.id} onClick={() => lock(one.id)}>{one.field || "all rows"}</button>
      {from(into.get(one.id)).map((text) => <span key={text} className="source">← {text}</span>)}
    </li>
  );
  return (
    <ul className="lineage-list" aria-label="Lineage as a list">
      {graph.boxes.toSorted((a, b) => a.depth - b.depth).map((box) => {
        const whole = rowId({ ...box, field: null });
        return (
          <li key={box.id} className={box.start ? "start" : ""}>
            {!isJob(box) && <button type="button" className="title" title={`${box.namespace} ${box.name}`} aria-pressed={locked === whole} onClick={() => lock(whole)}>{box.label}</button>}{" "}
            <small>{where(box)}</small>
            {box.tasks.length > 0 && <TaskChips tasks={box.tasks} />}
            <ul>
              {into.has(whole) && row({ id: whole, field: "", start: false })}
              {box.rows.map(row)}
              {box.hidden > 0 && <li><small>{box.hidden} more: in the table below</small></li>}
            </ul>
          </li>
        );
      })}
    </ul>
  );
}

function where({ depth, start }: Box): string {
  if (start || depth === 0) return "";
  return `${Math.abs(depth)} ${Math.abs(depth) === 1 ? "hop" : "hops"} ${depth < 0 ? "upstream" : "downstream"}`;
}
