// What is known of the columns of a picture: their types, and which of them are gone.

import { useQueries } from "@tanstack/react-query";
import { useCallback } from "react";
import { answerOf, type Fields } from "./api";
import { TYPED } from "./expressions";
import { type Graph, rowId } from "./graph";
import type { Level, View } from "./url";

interface Known { type: string | null; dropped: boolean }

/** Whether the picture is of another time than now. */
export const isPast = (view: View, at = ""): boolean => Boolean(at || view.at || view.before || view.start || view.end);

/** The type of a column, and whether it is gone now, by its row; of larger graphs nothing is asked. */
export function useKnown(graph: Graph | null, level: Level, past: boolean) {
  const asked = graph && level === "field" && graph.boxes.length <= TYPED ? graph.boxes : [];
  const known = useQueries({
    queries: asked.map(({ namespace, name }) => answerOf<Fields>("fields", new URLSearchParams({ namespace, name }))),
    combine: knownByRow,
  });
  const types = useCallback((row: string) => known.get(row)?.type ?? undefined, [known]);
  const gone = useCallback((row: string) => !past && Boolean(known.get(row)?.dropped), [known, past]);
  return { types, gone };
}

function knownByRow(answers: { data: Fields | undefined }[]): Map<string, Known> {
  const rows = answers.flatMap(({ data }) => (data?.fields ?? []).map(({ name, type, dropped }): [string, Known] =>
    [rowId({ namespace: data?.namespace ?? "", name: data?.name ?? "", field: name }), { type, dropped }]));
  return new Map(rows);
}
