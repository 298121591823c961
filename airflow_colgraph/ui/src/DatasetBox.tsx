import { Handle, type Node, type NodeProps, Position } from "@xyflow/react";
import { memo } from "react";
import { useFocus } from "./focus";
import { type Box, lit, short } from "./graph";
import type { Side } from "./url";

export type BoxNode = Node<{ box: Box }, "dataset">;

/** A dataset with the fields that matter here; each is a button. */
export const DatasetBox = memo(function DatasetBox({ data: { box } }: NodeProps<BoxNode>) {
  const focus = useFocus();
  const shown = box.rows.length + box.hidden;
  const total = focus.total(box.id);
  const more = (direction: Side) =>
    focus.expandable(box.id, direction) && (
      <button
        type="button"
        className={`more nodrag ${direction}`}
        aria-label={`One hop further ${direction} of ${box.name}`}
        onClick={() => focus.expand(box.id, direction)}
      >
        +
      </button>
    );
  if (focus.plain) {
    return (
      <button
        type="button"
        className="enter nodrag"
        style={{ height: box.height }}
        aria-label={`Come nearer to ${box.name}`}
        title={`${box.namespace} ${box.name}`}
        onClick={() => focus.enter(box.id)}
      />
    );
  }
  return (
    <div className={`box${box.start ? " start" : ""}${lit(box, focus.rows) ? "" : " faded"}`} style={{ height: box.height }}>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <Handle type="source" position={Position.Right} isConnectable={false} />
      {more("upstream")}
      {more("downstream")}
      <div className="head" title={`${box.namespace} ${box.name}`}>
        <strong>{short(box.name)}</strong>
        <small>
          {box.namespace}
          {shown > 0 && ` · ${shown}${total === undefined ? "" : ` of ${Math.max(total, shown)}`} fields`}
        </small>
      </div>
      {box.rows.map((row) => (
        <button
          type="button"
          key={row.id}
          className={`row nodrag ${row.change}${row.start ? " start" : ""}${!focus.rows || focus.rows.has(row.id) ? "" : " faded"}${
            focus.locked === row.id ? " locked" : ""}`}
          aria-pressed={focus.locked === row.id}
          onMouseEnter={() => focus.hover(row.id)}
          onMouseLeave={() => focus.hover(null)}
          onFocus={() => focus.hover(row.id)}
          onBlur={() => focus.hover(null)}
          onClick={() => focus.lock(row.id)}
          title={row.field}
        >
          {row.field}
        </button>
      ))}
      {box.hidden > 0 && (
        <button type="button" className="row nodrag rest" onClick={() => focus.open(box.id)}>
          {box.hidden} more
        </button>
      )}
    </div>
  );
});
