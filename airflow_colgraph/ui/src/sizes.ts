// What the store says about each dataset of a graph: how many columns it has, whether lineage is missing, its layer.

import { useQueries } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { answerOf, inParts } from "./api";
import type { Box } from "./boxes";
import { boxId, type Graph } from "./graph";
import { layerOf } from "./layers";
import { isJob } from "./tasks";

export const SIZED = 600; // of larger graphs only so many boxes say how many columns there are in all

interface Size { namespace: string; name: string; fields: number | null; is_lacking: boolean; tags: string[] }
interface Sizes { sizes: Size[] }

/** How many columns each dataset has, the M of "N of M", whether lineage is missing, and its tags; by its box. */
export function useSizes(graph: Graph | null): Map<string, Size> {
  const boxes = (graph?.boxes ?? []).filter((box) => !isJob(box)).map((box) => box.id);
  const asked = useMemo(() => [...boxes].sort().slice(0, SIZED), [boxes.join()]);
  return useQueries({
    queries: inParts(asked).map((some) => answerOf<Sizes>("sizes", new URLSearchParams(some.map((box) => ["dataset", box])))),
    combine: sizesById,
  });
}

function sizesById(answers: { data: Sizes | undefined }[]): Map<string, Size> {
  return new Map(answers.flatMap(({ data }) => data?.sizes ?? []).map((dataset) => [boxId(dataset), dataset]));
}

/** The layer of a box by its tags, or else by where it is; empty for a job. */
export const useLayer = (sizes: ReadonlyMap<string, Size>) =>
  useCallback((box: Box) => (isJob(box) ? "" : layerOf(box, sizes.get(box.id)?.tags)), [sizes]);
