// One hop more from a box of the picture: asked for by itself and drawn with the rest.

import { useQueries } from "@tanstack/react-query";
import { useCallback } from "react";
import { type Answer, graphOf } from "./api";
import { boxId } from "./graph";
import { usePlace } from "./navigate";
import { type Hop, question, type Side, type View } from "./url";

interface Hops {
  answers: Answer[];
  expand: (box: string, side: Side) => void;
  done: (box: string, side: Side) => boolean;
}

/** What the boxes answered that were asked for one more hop, as of a time if one is given. */
export function useHops(first: Answer | undefined, at: string): Hops {
  const { view, go } = usePlace();
  const answers = useAnswers(first, { ...view, at });
  const expand = useCallback(
    (box: string, side: Side) => {
      const [namespace = "", name = ""] = JSON.parse(box) as string[];
      go({ expand: [...view.expand, [side, namespace, name]] });
    },
    [go, view.expand],
  );
  const done = useCallback(
    (box: string, side: Side) =>
      view.expand.some((hop) => hop[0] === side && boxId({ namespace: hop[1], name: hop[2] }) === box),
    [view.expand],
  );
  return { answers, expand, done };
}

const AHEAD = 16; // of more ends it is not asked what is beyond them

/** How many datasets one hop further from each of the boxes brings: asked as the hop would be, so that it is there at once. */
export function useBeyond(first: Answer | undefined, at: string, ends: readonly [box: string, side: Side][]): (box: string, side: Side) => number | undefined {
  const { view } = usePlace();
  const asked = ends.length <= AHEAD ? ends : [];
  const counts = useQueries({
    queries: asked.map(([box, side]) => {
      const [namespace = "", name = ""] = JSON.parse(box) as string[];
      return hopOf(first, { ...view, at }, [side, namespace, name]);
    }),
    combine: datasetsIn,
  });
  const known = new Map(asked.map(([box, side], i) => [`${side} ${box}`, counts[i]]));
  const key = JSON.stringify([...known]);
  return useCallback((box: string, side: Side) => known.get(`${side} ${box}`), [key]);
}

/** Of each answer the datasets besides the one that was asked for. */
const datasetsIn = (results: { data: Answer | undefined }[]): (number | undefined)[] =>
  results.map(({ data }) => data && new Set(data.edges.flatMap((edge) => [boxId(edge.input), boxId(edge.output)])).size - (data.edges.length ? 1 : 0));

/** The question for one hop more. */
function hopOf(first: Answer | undefined, view: View, [direction, namespace, name]: Hop) {
  const known = first?.nodes.filter((node) => node.namespace === namespace && node.name === name) ?? [];
  const fields = known.map((node) => node.field).filter((field) => field !== null);
  const query = question({ ...view, namespace, name, fields: fields.slice(0, MOST), pins: [], direction, depth: 1 });
  return graphOf("graph", query, first !== undefined);
}

const NONE: Answer[] = [];
const MOST = 200; // fields of a box that one question names; an address is only so long

function useAnswers(first: Answer | undefined, view: View): Answer[] {
  return useQueries({
    queries: view.expand.map((hop: Hop) => hopOf(first, view, hop)),
    combine: combined,
  });
}

function combined(results: { data: Answer | undefined }[]): Answer[] {
  const found = results.map((one) => one.data).filter((one) => one !== undefined);
  return found.length ? found : NONE;
}
