// The expressions of columns that are not only passed on.

import { useQueries } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { answerOf } from "./api";
import type { Box } from "./boxes";
import { boxId, type Graph, rowId } from "./graph";
import { described } from "./kinds";
import { isJob } from "./tasks";
import type { Level } from "./url";

interface Expressions { expressions: { field: string; expression: string }[] }
interface Dataset { namespace: string; name: string }

export const TYPED = 16; // of larger graphs no box tells its columns' types and expressions

/** The boxes of a picture whose columns have expressions: of smaller pictures those that a task writes. */
export const statedIn = (graph: Graph | null, level: Level): readonly Box[] =>
  graph && level === "field" && graph.boxes.length <= TYPED ? graph.boxes.filter((box) => !isJob(box) && box.tasks.length > 0) : [];

/** The expression by which a column of these datasets is computed, by its row. */
export function useExpressions(datasets: readonly Dataset[], at: string): (row: string) => string | undefined {
  const queries = datasets.map(({ namespace, name }) => answerOf<Expressions>("expressions", new URLSearchParams({ namespace, name, ...(at && { at }) })));
  const answers = useQueries({ queries, combine: expressionsIn });
  const texts = useMemo(() => byRow(datasets, answers), [datasets.map(boxId).join(), answers]);
  return useCallback((row: string) => texts.get(row), [texts]);
}

const expressionsIn = (answers: { data: Expressions | undefined }[]) => answers.map(({ data }) => data?.expressions ?? []);

function byRow(datasets: readonly Dataset[], answers: readonly Expressions["expressions"][]): Map<string, string> {
  return new Map(datasets.flatMap(({ namespace, name }, i) => (answers[i] ?? []).flatMap(({ field, expression }) => {
    const { text, expression: stated } = described(expression);
    return stated && text !== field ? [[rowId({ namespace, name, field }), text] as const] : [];
  })));
}
