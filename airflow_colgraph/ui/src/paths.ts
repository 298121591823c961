// What of a graph is on the way of a row or of a link. Pure.

import type { Answer, Edge, Field } from "./api";
import type { Box } from "./boxes";
import { type Graph, groupBy, id, rowId } from "./graph";
import type { LinkKey } from "./url";

/** The rows and links up- and downstream of a row: each direction walked by itself. */
export function reach(graph: Graph, row: string): { rows: Set<string>; links: Set<string> } {
  const rows = new Set([row]);
  const links = new Set<string>();
  const into = groupBy(graph.links, (link) => link.to);
  const out = groupBy(graph.links, (link) => link.from);
  for (const [next, far] of [[into, "from"], [out, "to"]] as const) {
    const seen = new Set([row]);
    const queue = [row];
    for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
      // What affects a dataset's rows affects each of its columns.
      const [namespace = "", name = ""] = JSON.parse(at) as string[];
      const keys = far === "from" ? [at, id(namespace, name, "")] : [at];
      for (const link of new Set(keys.flatMap((key) => next.get(key) ?? []))) {
        links.add(link.id);
        if (seen.has(link[far])) continue;
        seen.add(link[far]);
        rows.add(link[far]);
        queue.push(link[far]);
      }
    }
  }
  return { rows, links };
}

/** What is lit: the rows and links on the way of a row, and of them those that carry its values. */
export interface Lit { rows: Set<string>; links: Set<string>; strong: { rows: Set<string>; links: Set<string> } }

/** What is up- and downstream of a row, through conditions too. */
export function litBy(graph: Graph, row: string): Lit {
  return { ...reach(graph, row), strong: reach({ ...graph, links: graph.links.filter((link) => link.direct) }, row) };
}

/** The links that a key names, and their ends. */
export function litByLink(graph: Graph, key: LinkKey): Lit {
  const named = graph.links.filter((link) => link.edges.some((edge) => isOf(edge, key)));
  const both = { rows: new Set(named.flatMap((link) => [link.from, link.to])), links: new Set(named.map((link) => link.id)) };
  return { ...both, strong: both };
}

/** Whether a key names the edge; without columns it names all between two datasets. */
export function isOf({ input, output }: Pick<Edge, "input" | "output">, [space, name, field, toSpace, toName, toField]: LinkKey): boolean {
  const same = (end: Field, ...[a, b, c]: [string, string, string]): boolean =>
    end.namespace === a && end.name === b && ((!field && !toField) || (end.field ?? "") === c);
  return same(input, space, name, field) && same(output, toSpace, toName, toField);
}

/** Of the answer only what is on the way of a row. */
export function onlyPath(answer: Answer, graph: Graph, row: string): Answer {
  const { rows, links } = reach(graph, row);
  const edges = graph.links.filter((link) => links.has(link.id)).flatMap((link) => link.edges);
  const on = (field: Field): boolean => rows.has(rowId(field));
  return { ...answer, edges, nodes: answer.nodes.filter(on), starts: answer.starts.filter(on) };
}

/** Whether the box has one of the rows, be it on another page; all have where nothing is pointed at. */
export function lit(box: Box, rows: ReadonlySet<string> | null): boolean {
  if (!rows || rows.has(rowId({ ...box, field: null })) || box.rows.some((row) => rows.has(row.id))) return true;
  const own = `${box.id.slice(0, -1)},`;
  return box.hidden > 0 && [...rows].some((row) => row.startsWith(own));
}
