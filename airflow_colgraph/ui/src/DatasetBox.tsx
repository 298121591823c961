import { useQuery } from "@tanstack/react-query";
import { Handle, type Node, type NodeProps, Position } from "@xyflow/react";
import { memo } from "react";
import type { Box, Row } from "./boxes";
import { useFocus } from "./focus";
import { amount } from "./graph";
import { othersIn } from "./hops";
import { Layer, layerStyle } from "./Layer";
import { lit } from "./paths";
import { KINDS } from "./kinds";
import { middle, nameAndPlace } from "./names";
import { nameIn, titleIn } from "./room";
import { storageOf } from "./storage";
import { StorageIcon } from "./StorageIcon";
import { isJob } from "./tasks";
import { TaskChips } from "./TaskChips";
import type { Side } from "./url";

export type BoxNode = Node<{ box: Box }, "dataset">;

/** A dataset with the fields that matter here; each is a button. */
export const DatasetBox = memo(function DatasetBox({ data: { box } }: NodeProps<BoxNode>) {
  const focus = useFocus();
  const total = focus.total(box.id);
  const lacks = focus.lacks(box);
  const shown = box.rows.filter((row) => row.change !== "removed" && !focus.gone(row.id)).length + box.hidden;
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
  if (isJob(box)) {
    return (
      <div className={`box job${lacks ? " lacks" : ""}${lit(box, focus.rows) ? "" : " faded"}`} style={{ height: box.height }}>
        <Handle type="target" position={Position.Left} isConnectable={false} />
        <Handle type="source" position={Position.Right} isConnectable={false} />
        <div className="head only" title={box.name}>
          <small>{lacks && <Lacks why={lacks} />}{box.tasks[0]?.job.task_id ? `Task of ${box.tasks[0].job.dag_id}` : "Job"}</small>
          <TaskChips tasks={box.tasks} width={box.width} />
        </div>
      </div>
    );
  }
  const whole = JSON.stringify([box.namespace, box.name, ""]);
  const layer = focus.layer(box);
  const [name, where] = nameAndPlace(box, layer);
  return (
    <div className={`box${box.start ? " start" : ""}${lacks ? " lacks" : ""}${lit(box, focus.rows) ? "" : " faded"}`} style={{ height: box.height }}>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <Handle type="source" position={Position.Right} isConnectable={false} />
      {SIDES.map((side) => focus.expandable(box.id, side) && <More key={side} box={box} side={side} />)}
      {layer && <span className="layer stripe" style={layerStyle(layer)} />}
      <div className={`head${box.rows.length ? "" : " only"}`} style={{ height: box.head - 1 }} title={`${box.namespace} ${box.name}`}>
        <button
          type="button"
          className={`title nodrag${focus.locked === whole ? " locked" : ""}`}
          aria-label={`Dataset ${box.name}`}
          aria-pressed={focus.locked === whole}
          onClick={() => focus.lock(whole)}
        >
          <StorageIcon namespace={box.namespace} />{titleIn(name, box.width, storageOf(box.namespace) !== null)}
        </button>
        <small>
          {lacks && <Lacks why={lacks} />}
          {layer && <Layer name={middle(layer, 14)} />}{layer && where && " · "}
          {middle(where, layer ? Math.max(6, 15 - layer.length) : 18)}
          {shown > 0 ? ` · ${shown}${total === undefined ? "" : ` of ${Math.max(total, shown)}`} columns` : total ? ` · ${amount(total, "column")}` : ""}
        </small>
        {box.tasks.length > 0 && <TaskChips tasks={box.tasks} width={box.width} />}
      </div>
      {box.paged && <Filter box={box} />}
      {box.rows.map((row) => <FieldRow key={row.id} row={row} box={box} />)}
      {box.paged && <Pager box={box} />}
    </div>
  );
});

const SIDES: Side[] = ["upstream", "downstream"];

/** A button to expand a box. It comes with its number, and does not vanish for another reason than its click. */
function More({ box, side }: { box: Box; side: Side }) {
  const { expand, further } = useFocus();
  const { data, isError } = useQuery(further(box.id, side));
  const others = data && othersIn(data);
  if (!others && !isError) return null;
  const label = `One hop further ${side} of ${box.name}${others ? `: ${amount(others, "dataset")}` : ""}`;
  return (
    <button type="button" className={`more nodrag ${side}`} aria-label={label} title={label} onClick={() => expand(box.id, side)}>
      +{others}
    </button>
  );
}

function Lacks({ why }: { why: string }) {
  return <span className="lacking" role="img" aria-label="Lineage missing" title={why}>⚠ </span>;
}

function FieldRow({ row, box }: { row: Row; box: Box }) {
  const focus = useFocus();
  const type = focus.types(row.id);
  const how = row.kinds.map((kind) => KINDS[kind].words).join(", ");
  const gone = focus.gone(row.id);
  const copied = row.kinds.length === 1 && row.kinds[0] === "identity";
  const expression = gone || copied ? undefined : focus.expression(row.id);
  const name = nameIn(row.field, { signs: row.kinds.length + Number(row.change !== "same"), bold: row.start, type, expression });
  const title = [row.field, type, expression, gone ? "no longer written" : how || (row.linked ? "" : "no link")].filter(Boolean).join(" · ");
  return (
    <button
      type="button"
      className={`row nodrag ${row.change}${row.start ? " start" : ""}${!focus.rows ? "" : !focus.rows.has(row.id) ? " faded" : focus.strong && !focus.strong.rows.has(row.id) ? " lit weak" : " lit"}${
        focus.locked === row.id ? " locked" : ""}${row.linked ? "" : " unlinked"}${gone ? " gone" : ""}`}
      aria-label={[`${row.field} of ${box.name}`, type, how, gone ? "no longer written" : ""].filter(Boolean).join(", ")}
      aria-pressed={focus.locked === row.id}
      onMouseEnter={() => focus.hover(row.id)}
      onMouseLeave={() => focus.hover(null)}
      onFocus={() => focus.hover(row.id)}
      onBlur={() => focus.hover(null)}
      onClick={() => focus.lock(row.id)}
      data-field={row.field}
      title={title}
    >
      {row.kinds.map((kind) => <span key={kind} className={`sign ${kind}`} data-sign={KINDS[kind].sign} />)}
      <span className={`name${expression ? " short" : ""}`} {...(name === row.field ? {} : { "data-short": name })}>{name === row.field && name}</span>
      {expression ? <span className="type how" data-type={expression} /> : type && <span className="type" data-type={type} />}
    </button>
  );
}

function Filter({ box }: { box: Box }) {
  const { turn } = useFocus();
  return (
    <input
      type="search"
      className="find nodrag nopan nowheel"
      aria-label={`Filter the columns of ${box.name}`}
      placeholder={`Filter ${box.paged?.all} columns`}
      value={box.paged?.text ?? ""}
      onChange={(event) => turn(box.id, { page: 0, text: event.target.value })}
    />
  );
}

function Pager({ box }: { box: Box }) {
  const { turn } = useFocus();
  if (!box.paged) return null;
  const { page, pages, first, found, text } = box.paged;
  return (
    <div className="pager nodrag">
      <button type="button" aria-label={`Previous columns of ${box.name}`} disabled={page === 0} onClick={() => turn(box.id, { page: page - 1, text })}>‹</button>
      <span role="status">{found ? `${first}–${first + box.rows.length - 1} of ${found}` : "no such column"}</span>
      <button type="button" aria-label={`Next columns of ${box.name}`} disabled={page + 1 >= pages} onClick={() => turn(box.id, { page: page + 1, text })}>›</button>
    </div>
  );
}
