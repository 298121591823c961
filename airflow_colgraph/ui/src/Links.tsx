import { ViewportPortal } from "@xyflow/react";
import { memo } from "react";
import { useFocus } from "./focus";
import { curve, type Line, words } from "./graph";
import { KINDS, kindOf, kindsOf } from "./kinds";
import type { Positions } from "./layout";

interface Drawn { line: Line; kind: string; path: string; x2: number; y2: number }

/** The lines from field to field: solid DIRECT, dashed INDIRECT, coloured by kind. */
export const Links = memo(function Links({ lines, positions }: { lines: Line[]; positions: Positions }) {
  const { links, locked } = useFocus();
  const compared = lines.some((line) => line.change !== "same"); // three colours are enough
  const drawn: Drawn[] = lines.flatMap((line) => {
    const found = curve(line, positions);
    if (!found) return [];
    const fading = links ? (line.links.some((link) => links.has(link.id)) ? " lit" : " faded") : "";
    return [{ line, kind: classOf(line, compared) + fading, ...found }];
  });
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
      {locked && litLabels(drawn, links).map(({ key, text, x, y }) => (
        <div key={key} className="what" title={text} style={{ transform: `translate(-100%, -50%) translate(${x - 6}px, ${y}px)` }}>{text}</div>
      ))}
    </ViewportPortal>
  );
});

const MANY = 400; // lines; of more, arrowheads would cost frames
const SILENT = new Set(["identity", "unknown"]);

/** What the lit lines do, once where they end: there is one place per field, so no label covers another. */
function litLabels(drawn: readonly Drawn[], links: ReadonlySet<string> | null) {
  const places = new Map<string, { key: string; words: Set<string>; x: number; y: number }>();
  for (const { line, x2, y2 } of drawn) {
    const lit = line.links.filter((link) => links?.has(link.id)).flatMap((link) => link.edges);
    if (!lit.length) continue;
    const key = `${x2} ${y2}`;
    const place = places.get(key) ?? { key, words: new Set<string>(), x: x2, y: y2 };
    for (const edge of lit) if (!SILENT.has(kindOf(edge))) place.words.add(edge.type === "INDIRECT" ? words(edge) : KINDS[kindOf(edge)].words);
    places.set(key, place);
  }
  return [...places.values()].filter((one) => one.words.size).map((one) => ({ ...one, text: [...one.words].sort().join("\n") }));
}

function classOf(line: Line, compared: boolean): string {
  const kinds = kindsOf(line.links.flatMap((link) => link.edges));
  const direct = kinds.filter((kind) => kind !== "condition");
  const kind = direct.at(-1) ?? kinds[0] ?? "unknown";
  return `${line.direct ? "direct" : "indirect"} ${line.change}${compared ? "" : ` ${line.masking ? "masking masked" : kind}`}`;
}
