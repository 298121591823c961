// One hop more from a box of the picture: asked for by itself and drawn with the rest.

import { useQueries } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { type Answer, dataOf, graphOf } from "./api";
import { boxId, short } from "./graph";
import { usePlace } from "./navigate";
import { type Hop, question, type Side, type View } from "./url";

interface Hops {
  answers: Answer[];
  expand: (box: string, side: Side) => void;
  done: (box: string, side: Side) => boolean;
  further: Further;
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
  const further = useCallback(
    (box: string, side: Side) => {
      const [namespace = "", name = ""] = JSON.parse(box) as string[];
      return hopOf(first, { ...view, at }, [side, namespace, name]);
    },
    [first, view, at],
  );
  return { answers: answers.length ? answers : NONE, expand, done, further, nothing };
}

/** The question for one hop more from a box: its answer is there at once when the box is expanded. */
export type Further = (box: string, side: Side) => ReturnType<typeof hopOf>;

export const NO_FURTHER: Further = () => graphOf("graph", new URLSearchParams(), false);

/** How many datasets an answer has besides the one that was asked for. */
export const othersIn = (answer: Answer): number =>
  new Set(answer.edges.flatMap((edge) => [boxId(edge.input), boxId(edge.output)])).size - (answer.edges.length ? 1 : 0);

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
    combine: dataOf,
  });
}
