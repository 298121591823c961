import { ViewportPortal } from "@xyflow/react";
import { memo } from "react";
import { useFocus } from "./focus";
import { curve, type Line, words } from "./graph";
import type { Positions } from "./layout";

interface Drawn { line: Line; kind: string; path: string; x: number; y: number }

/** The lines from field to field: solid DIRECT, dashed INDIRECT, grey what is not known. */
export const Links = memo(function Links({ lines, positions }: { lines: Line[]; positions: Positions }) {
  const { links, locked } = useFocus();
  const compared = lines.some((line) => line.change !== "same"); // three colours are enough
  const drawn: Drawn[] = lines.flatMap((line) => {
    const found = curve(line, positions);
    if (!found) return [];
    const fading = links ? (line.links.some((link) => links.has(link.id)) ? " lit" : " faded") : "";
    return [{ line, kind: kindOf(line, compared) + fading, ...found }];
  });
  const told = drawn.filter(({ line }) => line.links.some((link) => link.from === locked || link.to === locked));
  return (
    <ViewportPortal>
      <svg className="links" aria-hidden="true">
        {drawn.map(({ line, kind, path }) => <path key={line.id} d={path} className={`link ${kind}`} />)}
      </svg>
      {told.map(({ line, x, y }) => (
        <div key={line.id} className="what" style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}>
          {[...new Set(line.links.flatMap((link) => link.edges).map(words))].join("; ")}
        </div>
      ))}
    </ViewportPortal>
  );
});

function kindOf(line: Line, compared: boolean): string {
  const edges = line.links.flatMap((link) => link.edges);
  const unknown = edges.every((edge) => edge.subtype === "RESTRICTED" || edge.type === "DATASET");
  return `${line.direct ? "direct" : "indirect"} ${line.change}${unknown ? " unknown" : ""}${line.masking && !compared ? " masking" : ""}`;
}
