import { useCallback, useMemo } from "react";
import { useGraph } from "./api";
import { type Shelf, Shelves } from "./Below";
import { useColumnChanges, useDelta } from "./changes";
import { ControlBar } from "./ControlBar";
import { FieldQuestions } from "./FieldQuestions";
import { useGapShelf } from "./Gaps";
import { amount, compare, merge } from "./graph";
import { History } from "./History";
import { useHops } from "./hops";
import { ImpactTable } from "./ImpactTable";
import { Heading, To, usePlace } from "./navigate";
import { OperationsPanel } from "./OperationsPanel";
import { Pins } from "./Pins";
import { pinned } from "./pinned";
import { Picture, type Shown, useDrawn } from "./Picture";
import { Runs } from "./Runs";
import { Empty, Failed, Loading } from "./States";
import { question, type Side } from "./url";

/** The lineage of a dataset's fields as a picture, and as a table below it. */
export function GraphPage() {
  const { view } = usePlace();
  const now = useGraph("graph", question(view));
  const then = useGraph("graph", question({ ...view, at: view.before, start: "", end: "" }), view.before !== "");
  const first = now.data;
  const own = useColumnChanges(view, useDelta(view).data);
  const { answers: hops, expand, done, nothing, further } = useHops(first, view.at);
  const shown = useMemo((): Shown | null => {
    if (!first || (view.before && !then.data)) return null;
    if (!view.before || !then.data) return { answer: merge([first, ...hops]) };
    return { ...compare(then.data, first, view.before, view.at), ...own };
  }, [first, then.data, view.before, view.at, hops, own]);
  const parts = useMemo(() => (first && !view.before ? [first, ...hops] : []), [first, view.before, hops]);
  const drawn = useDrawn(shown, undefined, parts);
  const { graph } = drawn;

  const boxes = useMemo(() => new Map(graph?.boxes.map((box) => [box.id, box])), [graph]);
  const expandable = useCallback(
    (id: string, direction: Side) => {
      const box = boxes.get(id);
      if (!box || view.before || !box.ends[direction]) return false;
      const deepest = direction === "upstream" ? -box.depth >= view.depth : box.depth >= view.depth;
      const other = view.direction !== "both" && view.direction !== direction && box.start;
      const sideways = view.expand.length > 0 && Math.abs(box.depth) <= 1 && !box.start;
      return !done(id, direction) && (deepest || other || sideways);
    },
    [boxes, done, view.before, view.expand, view.depth, view.direction],
  );

  const without = graph?.boxes.filter((box) => box.start).reduce((sum, box) => sum + box.unlinked, 0) ?? 0;
  const note = [without > 0 && `${amount(without, "column")} without a link here`, ...nothing].filter(Boolean).join("; ");
  const written = { namespace: view.namespace, name: view.name };
  const until = view.at || view.end;
  const times = useMemo(() => (
    view.before ? [{ at: view.before, when: "Before: " }, { at: until, when: "After: " }] : until ? [{ at: until, when: "" }] : []
  ), [view.before, until]);
  const gaps = useGapShelf(
    { query: { ...written, at: until }, when: view.before && " after" },
    view.before ? { query: { ...written, at: view.before }, when: " before" } : undefined,
  );
  const alone = pinned(view).length === 1 ? view.fields[0] : undefined; // a constant has operations too
  const title = view.fields.length ? pinned(view).map((one) => one[2]).join(", ") : view.level !== "field" ? "the dataset" : "all columns";
  const pictured = graph && shown?.answer.edges.length;
  const shelves: Shelf[] = [
    ...(view.fields.length > 0 && view.direction !== "upstream" ? [{ tab: "impact", title: "Impact", content: <ImpactTable /> } as const] : []),
    ...(alone ? [{ tab: "history", title: "History", content: <History /> } as const] : []),
    ...(pictured ? [{ tab: "runs", title: "Runs", content: <Runs at={until} /> } as const] : []),
    ...gaps,
  ];
  return (
    <div className={`page wide${pictured || !shown ? " fill" : ""}`}>
      <div className="bar-of-view">
        <div className="where" title={`${title} of ${view.namespace} ${view.name}`}>
          <Heading><span className="of">Lineage of </span>{title}</Heading>
          <p className="crumbs">
            <To view={{ namespace: view.namespace, name: view.name }}>{view.name}</To> <small>{view.namespace}</small>
          </p>
        </div>
        {view.fields.length > 0 && (
          <div className="asking">
            {alone && <FieldQuestions field={[view.namespace, view.name, alone]} shown="" times={{ at: view.at, before: view.before }} />}
            <Pins />
          </div>
        )}
        <ControlBar route="graph" query={question(view)} graph={shown?.answer.edges.length ? graph : null} positions={drawn.positions} walk />
      </div>
      {now.error ? <Failed error={now.error} /> : then.error ? <Failed error={then.error} /> : !graph || !shown ? (
        <div className="canvas"><Loading what="the lineage" /></div>
      ) : shown.answer.edges.length === 0 ? (
        <>
          <Empty>
            Nothing is known upstream or downstream of {title}
            {view.at || view.start || view.end ? " in that time" : ""}
            {view.indirect ? "." : ". Tick “Rows” to see the joins and filters that affect its rows."}
          </Empty>
          {alone && <OperationsPanel field={[view.namespace, view.name, alone]} at={view.at} />}
          <Shelves shelves={shelves} />
        </>
      ) : (
        <Picture asked={`${question(view)} ${view.before}`} shown={shown} graph={graph} drawn={drawn} expand={expand} expandable={expandable} further={further} at={view.at} note={note} shelves={shelves} times={times} />
      )}
    </div>
  );
}
