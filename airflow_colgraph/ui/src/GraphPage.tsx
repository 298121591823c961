import { useQueries } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { type Answer, answerOf, useAnswer } from "./api";
import { ControlBar } from "./ControlBar";
import { boxId, compare, merge } from "./graph";
import { History } from "./History";
import { ImpactTable } from "./ImpactTable";
import { To, usePlace } from "./navigate";
import { OperationsPanel } from "./OperationsPanel";
import { Pins } from "./Pins";
import { Picture, type Shown, useDrawn } from "./Picture";
import { Empty, Failed, Loading } from "./States";
import { type Hop, question, type View } from "./url";

/** The lineage of a dataset's fields as a picture, and as a table below it. */
export function GraphPage() {
  const { view, go } = usePlace();
  const now = useAnswer<Answer>("graph", question(view));
  const then = useAnswer<Answer>("graph", question({ ...view, at: view.before, start: "", end: "" }), view.before !== "");
  const first = now.data;
  const hops = useExpansions(first, view);
  const shown = useMemo((): Shown | null => {
    if (!first || (view.before && !then.data)) return null;
    return view.before && then.data ? compare(then.data, first) : { answer: merge([first, ...hops]) };
  }, [first, then.data, view.before, hops]);
  const drawn = useDrawn(shown);
  const { graph } = drawn;

  const expand = useCallback(
    (box: string, direction: "upstream" | "downstream") => {
      const [namespace = "", name = ""] = JSON.parse(box) as string[];
      go({ expand: [...view.expand, [direction, namespace, name]] });
    },
    [go, view.expand],
  );
  const boxes = useMemo(() => new Map(graph?.boxes.map((box) => [box.id, box])), [graph]);
  const expandable = useCallback(
    (id: string, direction: "upstream" | "downstream") => {
      const box = boxes.get(id);
      if (!box || view.before || !box.ends[direction]) return false;
      const done = view.expand.some((hop) => hop[0] === direction && boxId({ namespace: hop[1], name: hop[2] }) === id);
      const deepest = direction === "upstream" ? -box.depth >= view.depth : box.depth >= view.depth;
      const other = view.direction !== "both" && view.direction !== direction && box.start;
      const sideways = view.expand.length > 0 && Math.abs(box.depth) <= 1 && !box.start;
      return !done && (deepest || other || sideways);
    },
    [boxes, view.before, view.expand, view.depth, view.direction],
  );

  const alone = view.fields.length === 1 ? view.fields[0] : undefined; // a constant has operations too
  const title = view.fields.length ? view.fields.join(", ") : view.level === "dataset" ? "the dataset" : "all fields";
  return (
    <div className="page wide">
      <p className="crumbs">
        <To view={{ namespace: view.namespace, name: view.name }}>{view.name}</To> <small>{view.namespace}</small>
      </p>
      <h1>Lineage of {title}</h1>
      {view.fields.length > 0 && <Pins />}
      <ControlBar route="graph" query={question(view)} graph={shown?.answer.edges.length ? graph : null} positions={drawn.positions} walk />
      {now.error ? <Failed error={now.error} /> : then.error ? <Failed error={then.error} /> : !graph || !shown ? (
        <div className="canvas"><Loading what="the lineage" /></div>
      ) : shown.answer.edges.length === 0 ? (
        <>
          <Empty>
            Nothing is known of where {title} comes from or goes to
            {view.at || view.start || view.end ? " in that time" : ""}
            {view.indirect ? "." : ", at least not directly: switch INDIRECT on to see what decides on rows."}
          </Empty>
          {alone && <OperationsPanel field={[view.namespace, view.name, alone]} at={view.at} />}
        </>
      ) : (
        <Picture shown={shown} graph={graph} drawn={drawn} expand={expand} expandable={expandable} at={view.at} />
      )}
      {view.fields.length === 1 && <History />}
      {view.fields.length > 0 && view.direction !== "upstream" && <ImpactTable />}
    </div>
  );
}

const NONE: Answer[] = [];
const MOST = 200; // fields of a box that one question names; an address is only so long

/** The answers of boxes that were asked for one more hop. */
function useExpansions(first: Answer | undefined, view: View): Answer[] {
  return useQueries({
    queries: view.expand.map((hop: Hop) => {
      const [direction, namespace, name] = hop;
      const known = first?.nodes.filter((node) => node.namespace === namespace && node.name === name) ?? [];
      const fields = known.map((node) => node.field).filter((field) => field !== null);
      const query = question({ ...view, namespace, name, fields: fields.slice(0, MOST), direction, depth: 1 });
      return { ...answerOf<Answer>("graph", query, first !== undefined), structuralSharing: true };
    }),
    combine: combined,
  });
}

function combined(results: { data: Answer | undefined }[]): Answer[] {
  const found = results.map((one) => one.data).filter((one) => one !== undefined);
  return found.length ? found : NONE;
}
