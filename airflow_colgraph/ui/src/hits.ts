// What the server answers to a search, by kind.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { answerOf, type ApiError, type DatasetRow, type Field } from "./api";
import { type Hit, hits, type JobRow } from "./search";

const EACH = "8"; // hits of a kind

export interface Hits { groups: [string, Hit[]][]; near: string[]; waiting: boolean; error: ApiError | null }

interface Datasets { datasets: DatasetRow[]; near: string[] }
interface Columns { columns: Field[]; near: string[] }

/** The hits by kind, and names like the text where there are none. */
export function useHits(q: string): Hits {
  const ask = <T,>(route: string, limit: string) => ({
    ...answerOf<T>(route, new URLSearchParams({ q, limit }), q !== ""), placeholderData: keepPreviousData,
  });
  const datasets = useQuery<Datasets, ApiError>(ask<Datasets>("datasets", EACH));
  const columns = useQuery<Columns, ApiError>(ask<Columns>("columns", EACH));
  const jobs = useQuery<{ jobs: JobRow[] }, ApiError>(ask<{ jobs: JobRow[] }>("jobs", "20"));
  if (q === "") return { groups: [], near: [], waiting: false, error: null };
  return {
    groups: hits(datasets.data?.datasets ?? [], columns.data?.columns ?? [], jobs.data?.jobs ?? [], q),
    near: [...new Set([...(columns.data?.near ?? []), ...(datasets.data?.near ?? [])])],
    waiting: [datasets, columns, jobs].some((answer) => answer.isFetching),
    error: datasets.error ?? columns.error ?? jobs.error,
  };
}
