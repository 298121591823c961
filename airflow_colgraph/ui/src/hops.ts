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

const NONE: Answer[] = [];
const MOST = 200; // fields of a box that one question names; an address is only so long

function useAnswers(first: Answer | undefined, view: View): Answer[] {
  return useQueries({
    queries: view.expand.map((hop: Hop) => {
      const [direction, namespace, name] = hop;
      const known = first?.nodes.filter((node) => node.namespace === namespace && node.name === name) ?? [];
      const fields = known.map((node) => node.field).filter((field) => field !== null);
      const query = question({ ...view, namespace, name, fields: fields.slice(0, MOST), pins: [], direction, depth: 1 });
      return graphOf("graph", query, first !== undefined);
    }),
    combine: combined,
  });
}

function combined(results: { data: Answer | undefined }[]): Answer[] {
  const found = results.map((one) => one.data).filter((one) => one !== undefined);
  return found.length ? found : NONE;
}
