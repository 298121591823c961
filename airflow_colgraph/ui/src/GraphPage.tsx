import { useQueries, useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useState } from "react";
import { type Answer, answerOf, type ApiError, useAnswer } from "./api";
import { ControlBar } from "./ControlBar";
import { EdgeTable } from "./EdgeTable";
import { FieldGraph } from "./FieldGraph";
import { boxId, build, compare, merge, rowId } from "./graph";
import { History } from "./History";
import { ImpactTable } from "./ImpactTable";
import type { Positions } from "./layout";
import { To, usePlace } from "./navigate";
import { OperationsPanel } from "./OperationsPanel";
import { Empty, Failed, Loading } from "./States";
import { type FieldKey, type Hop, question, type View } from "./url";

/** The lineage of a dataset's fields as a picture, and as a table below it. */
export function GraphPage() {
  const { view, go } = usePlace();
  const now = useAnswer<Answer>("graph", question(view));
  const then = useAnswer<Answer>("graph", question({ ...view, at: view.before, start: "", end: "" }), view.before !== "");
  const first = now.data;
  const hops = useExpansions(first, view);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [positions, setPositions] = useState<Positions>(new Map());

  const shown = useMemo(() => {
    if (!first || (view.before && !then.data)) return null;
    if (view.before && then.data) return compare(then.data, first);
    return { answer: merge([first, ...hops]), change: undefined };
  }, [first, then.data, view.before, hops]);
  const locked = view.lock ? rowId({ namespace: view.lock[0], name: view.lock[1], field: view.lock[2] }) : null;
  const graph = useMemo(
    () =>
      shown &&
      build(shown.answer, {
        open,
        ...(shown.change ? { change: shown.change } : {}),
        ...(locked ? { kept: new Set([locked]) } : {}),
      }),
    [shown, open, locked],
  );
  const sizes = useSizes(graph?.boxes.map((box) => box.id) ?? []);

  const lock = useCallback(
    (row: string) => go({ lock: row === locked ? null : (JSON.parse(row) as unknown as FieldKey) }),
    [go, locked],
  );
  useEffect(() => {
    const free = (event: KeyboardEvent): void => {
      if (event.key === "Escape" && view.lock) go({ lock: null });
    };
    window.addEventListener("keydown", free);
    return () => window.removeEventListener("keydown", free);
  }, [go, view.lock]);
  const openBox = useCallback((box: string) => setOpen((old) => new Set([...old, box])), []);
  const expand = useCallback(
    (box: string, direction: "upstream" | "downstream") => {
      const [namespace = "", name = ""] = JSON.parse(box) as string[];
      go({ expand: [...view.expand, [direction, namespace, name]] });
    },
    [go, view.expand],
  );
  const ends = useMemo(() => new Map(graph?.boxes.map((box) => [box.id, box])), [graph]);
  const expandable = useCallback(
    (id: string, direction: "upstream" | "downstream") => {
      const box = ends.get(id);
      if (!box || view.before || !box.ends[direction]) return false;
      const done = view.expand.some((hop) => hop[0] === direction && boxId({ namespace: hop[1], name: hop[2] }) === id);
      const deepest = direction === "upstream" ? -box.depth >= view.depth : box.depth >= view.depth;
      const other = view.direction !== "both" && view.direction !== direction && box.start;
      const sideways = view.expand.length > 0 && Math.abs(box.depth) <= 1 && !box.start;
      return !done && (deepest || other || sideways);
    },
    [ends, view.before, view.expand, view.depth, view.direction],
  );
  const total = useCallback((box: string) => sizes.get(box), [sizes]);

  const title = view.fields.length ? view.fields.join(", ") : view.level === "dataset" ? "the dataset" : "all fields";
  return (
    <div className="page wide">
      <p className="crumbs">
        <To view={{ namespace: view.namespace, name: view.name }}>{view.name}</To> <small>{view.namespace}</small>
      </p>
      <h1>Lineage of {title}</h1>
      <ControlBar graph={graph} positions={positions} answer={shown?.answer ?? null} />
      {now.error ? <Failed error={now.error} /> : then.error ? <Failed error={then.error} /> : !graph || !shown ? (
        <div className="canvas"><Loading what="the lineage" /></div>
      ) : shown.answer.edges.length === 0 ? (
        <Empty>
          Nothing is known of where {title} comes from or goes to
          {view.at || view.start || view.end ? " in that time" : ""}
          {view.indirect ? "." : ", at least not directly: switch INDIRECT on to see what decides on rows."}
        </Empty>
      ) : (
        <>
          {shown.answer.truncated && (
            <p className="warning" role="status">
              Truncated: {shown.answer.unexplored} further fields were not followed. Ask with less depth, or one direction.
            </p>
          )}
          <div className={`split${view.lock ? " open" : ""}`}>
            <FieldGraph
              graph={graph}
              placed={setPositions}
              locked={locked}
              lock={lock}
              open={openBox}
              expand={expand}
              expandable={expandable}
              total={total}
            />
            {view.lock && <OperationsPanel field={view.lock} />}
          </div>
          <p className="note" role="status">
            {graph.boxes.length} datasets, {graph.fields} fields, {graph.links.length} links
            {shown.change && " (green: new, red: gone, since the compared time)"}
          </p>
          <EdgeTable answer={shown.answer} {...(shown.change ? { change: shown.change } : {})} />
        </>
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

/** How many fields each dataset has: the M of "N of M". */
function useSizes(boxes: readonly string[]): Map<string, number> {
  const asked = useMemo(() => [...boxes].sort().slice(0, 60), [boxes.join()]);
  const query = new URLSearchParams();
  for (const box of asked) query.append("dataset", box);
  const { data } = useQuery<{ sizes: { namespace: string; name: string; fields: number }[] }, ApiError>(
    answerOf("sizes", query, asked.length > 0),
  );
  return useMemo(() => new Map(data?.sizes.map((one) => [boxId(one), one.fields])), [data]);
}
