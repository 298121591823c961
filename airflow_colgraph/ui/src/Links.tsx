import { ViewportPortal } from "@xyflow/react";
import { memo } from "react";
import type { Edge } from "./api";
import { useFocus } from "./focus";
import { curve, keyOf, type Line } from "./lines";
import { brief, kindsOf } from "./kinds";
import type { Positions } from "./layout";

interface Drawn { line: Line; kind: string; path: string; x2: number; y2: number }

/** The lines from field to field: solid DIRECT, dashed INDIRECT, coloured by kind. */
export const Links = memo(function Links({ lines, positions }: { lines: Line[]; positions: Positions }) {
  const { links, strong, locked, pick } = useFocus();
  const compared = lines.some((line) => line.change !== "same"); // three colours are enough
  const drawn: Drawn[] = lines.flatMap((line) => {
    const found = curve(line, positions);
    if (!found) return [];
    const on = (some: ReadonlySet<string>): boolean => line.links.some((link) => some.has(link.id));
    const fading = !links ? "" : !on(links) ? " faded" : strong && !on(strong.links) ? " lit weak" : " lit";
    return [{ line, kind: classOf(line, compared) + fading, ...found }];
  });
  const choose = (line: Line): void => {
    const key = keyOf(line);
    if (key) pick(key);
  };
  return (
    <ViewportPortal>
      <svg className="links" aria-hidden="true">
        <defs>
          <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" markerUnits="userSpaceOnUse" orient="auto">
            <path d="M0 0L8 4L0 8z" fill="context-stroke" />
          </marker>
        </defs>
        {drawn.map(({ line, kind, path }) => <path key={line.id} d={path} className={`link ${kind}`} markerEnd={drawn.length > MANY ? undefined : "url(#arrow)"} />)}
      </svg>
      <svg className="links hits" aria-hidden="true">
        {drawn.length <= MANY && drawn.map(({ line, path }) => (
          <path key={line.id} d={path} className="hit" onClick={() => choose(line)} />
        ))}
      </svg>
      {locked && litLabels(drawn, links).map(({ key, text, x, y }) => (
        <div key={key} className="what" style={{ transform: `translate(-100%, -50%) translate(${x - 6}px, ${y}px)` }}>{text}</div>
      ))}
    </ViewportPortal>
  );
});

const MANY = 400; // lines; of more, arrowheads would cost frames
/** What the lit lines do, once where they end: there is one place per field, so no label covers another. */
function litLabels(drawn: readonly Drawn[], links: ReadonlySet<string> | null) {
  const places = new Map<string, { key: string; edges: Edge[]; x: number; y: number }>();
  for (const { line, x2, y2 } of drawn) {
    const lit = line.links.filter((link) => links?.has(link.id)).flatMap((link) => link.edges);
    if (!lit.length) continue;
    const key = `${x2} ${y2}`;
    const place = places.get(key) ?? { key, edges: [], x: x2, y: y2 };
    place.edges.push(...lit);
    places.set(key, place);
  }
  return [...places.values()].map(({ key, edges, x, y }) => ({ key, x, y, text: brief(edges) })).filter((one) => one.text);
}

function classOf(line: Line, compared: boolean): string {
  const kinds = kindsOf(line.links.flatMap((link) => link.edges));
  const direct = kinds.filter((kind) => kind !== "condition");
  const kind = direct.at(-1) ?? kinds[0] ?? "unknown";
  return `${line.direct ? "direct" : "indirect"} ${line.change}${compared ? "" : ` ${line.masking ? "masking masked" : kind}`}`;
}
