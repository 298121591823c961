// One hop more from a box of the picture: asked for by itself and drawn with the rest.

import { useQueries } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { type Answer, graphOf } from "./api";
import { boxId, short } from "./graph";
import { usePlace } from "./navigate";
import { type Hop, question, type Side, type View } from "./url";

interface Hops {
  answers: Answer[];
  expand: (box: string, side: Side) => void;
  done: (box: string, side: Side) => boolean;
  nothing: string[]; // what is said of those that brought nothing
}

/** What the boxes answered that were asked for one more hop, as of a time if one is given. */
export function useHops(first: Answer | undefined, at: string): Hops {
  const { view, go } = usePlace();
  const results = useAnswers(first, { ...view, at });
  const answers = useMemo(() => results.filter((answer) => answer !== undefined), [results]);
  const nothing = view.expand.filter((_, i) => results[i]?.edges.length === 0).map(([side, , name]) => `nothing is known ${side} of ${short(name)}`);
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
  return { answers: answers.length ? answers : NONE, expand, done, nothing };
}

const AHEAD = 16; // of more ends it is not asked what is beyond them

/** How many datasets one hop further from a box brings; null if nobody asks for it, undefined until that is answered. */
export type Beyond = (box: string, side: Side) => number | null | undefined;

/** The same for each of the boxes: asked as the hop would be, so that it is there at once. */
export function useBeyond(first: Answer | undefined, at: string, ends: readonly [box: string, side: Side][]): Beyond {
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
  const key = JSON.stringify([...known], (_, value: unknown) => (value === undefined ? "?" : value));
  return useCallback((box: string, side: Side) => (known.has(`${side} ${box}`) ? known.get(`${side} ${box}`) : null), [key]);
}

/** Of each answer the datasets besides the one that was asked for. */
const datasetsIn = (results: { data: Answer | undefined; isError: boolean }[]): (number | null | undefined)[] =>
  results.map(({ data, isError }) => isError ? null : data && new Set(data.edges.flatMap((edge) => [boxId(edge.input), boxId(edge.output)])).size - (data.edges.length ? 1 : 0));

/** The question for one hop more. */
function hopOf(first: Answer | undefined, view: View, [direction, namespace, name]: Hop) {
  const known = first?.nodes.filter((node) => node.namespace === namespace && node.name === name) ?? [];
  const fields = known.map((node) => node.field).filter((field) => field !== null);
  const query = question({ ...view, namespace, name, fields: fields.slice(0, MOST), pins: [], direction, depth: 1 });
  return graphOf("graph", query, first !== undefined);
}

const NONE: Answer[] = [];
const MOST = 200; // fields of a box that one question names; an address is only so long

function useAnswers(first: Answer | undefined, view: View): (Answer | undefined)[] {
  return useQueries({
    queries: view.expand.map((hop: Hop) => hopOf(first, view, hop)),
    combine: combined,
  });
}

const combined = (results: { data: Answer | undefined }[]): (Answer | undefined)[] => results.map(({ data }) => data);
