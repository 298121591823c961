// What the store says about each dataset of a graph: how many columns it has, whether lineage is missing, its layer.

import { useQueries } from "@tanstack/react-query";
import { useCallback } from "react";
import { answerOf, inParts } from "./api";
import type { Box } from "./boxes";
import { boxId, type Graph } from "./graph";
import { layerOf } from "./layers";
import { isJob } from "./tasks";

export const SIZED = 600; // of larger graphs only so many boxes say how many columns there are in all

interface Size { namespace: string; name: string; fields: number | null; is_lacking: boolean; tags: string[] }
interface Sizes { sizes: Size[] }

/** The datasets among boxes that are asked for, as the questions name them. */
export const sizedOf = (boxes: readonly Box[]): string[] => boxes.filter((box) => !isJob(box)).map((box) => box.id).sort().slice(0, SIZED);

/** What is asked of datasets, at a time or now. */
export const sizesAt = (asked: readonly string[], at = "") =>
  inParts(asked).map((some) => answerOf<Sizes>("sizes", new URLSearchParams([...some.map((box) => ["dataset", box]), ...(at ? [["at", at]] : [])])));

/** How many columns each dataset has, the M of "N of M", whether lineage is missing, and its tags; by its box. */
export function useSizes(graph: Graph | null): Map<string, Size> {
  return useQueries({ queries: sizesAt(sizedOf(graph?.boxes ?? [])), combine: sizesById });
}

function sizesById(answers: { data: Sizes | undefined }[]): Map<string, Size> {
  return new Map(answers.flatMap(({ data }) => data?.sizes ?? []).map((dataset) => [boxId(dataset), dataset]));
}

/** The layer of a box by its tags, or else by where it is; empty for a job. */
export const useLayer = (sizes: ReadonlyMap<string, Size>) =>
  useCallback((box: Box) => (isJob(box) ? "" : layerOf(box, sizes.get(box.id)?.tags)), [sizes]);
