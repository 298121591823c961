import { BaseEdge, type Edge, type EdgeProps, EdgeLabelRenderer, getBezierPath, Position } from "@xyflow/react";
import { memo } from "react";
import { useFocus } from "./focus";
import { HEAD, type Line, words } from "./graph";

export type LinkOfFlow = Edge<{ line: Line }, "link">;

/** A line from field to field: solid DIRECT, dashed INDIRECT, grey what is not known. */
export const LinkEdge = memo(function LinkEdge(props: EdgeProps<LinkOfFlow>) {
  const { sourceX, sourceY, targetX, targetY, data } = props;
  const focus = useFocus();
  if (!data) return null;
  const { line } = data;
  const [path, x, y] = getBezierPath({
    sourceX,
    sourceY: sourceY + line.fromY - HEAD / 2,
    targetX,
    targetY: targetY + line.toY - HEAD / 2,
    sourcePosition: Position.Right,
    targetPosition: Position.Left,
  });
  const lit = line.links.some((link) => focus.links?.has(link.id));
  const fading = focus.links ? (lit ? " lit" : " faded") : "";
  const edges = line.links.flatMap((link) => link.edges);
  const unknown = edges.every((edge) => edge.subtype === "RESTRICTED" || edge.type === "DATASET");
  const kind = `${line.direct ? "direct" : "indirect"} ${line.change}${unknown ? " unknown" : ""}${line.masking ? " masking" : ""}`;
  return (
    <>
      <BaseEdge path={path} className={`link ${kind}${fading}`} interactionWidth={0} />
      {line.links.some((link) => focus.locked === link.from || focus.locked === link.to) && (
        <EdgeLabelRenderer>
          <div className="what" style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}>
            {[...new Set(edges.map(words))].join("; ")}
          </div>
        </EdgeLabelRenderer>
      )}
    </>
  );
});
