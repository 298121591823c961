// Typed questions to the REST API, by addresses relative to the page's own.

import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { type Answer, type Compact, type Field, type Job, type Run, type Transformation, whole } from "./answer";

export type { Answer, Edge, Field, Job, Report, Run, Transformation } from "./answer";

export interface DatasetRow { namespace: string; name: string; created_at: string | null; updated_at: string | null; other_names: string[] }
/** A row of the table of datasets; `columns` are those of the last write. */
export interface DatasetSummary {
  namespace: string; name: string; columns: number | null; columns_known: number | null; is_lacking: boolean; is_removed: boolean; used_by: number; tags: string[];
  write: { at: string; run: string | null; job_namespace: string; job: string; dag_id: string | null; task_id: string | null; state: string | null } | null;
}
export interface DatasetSummaries { datasets: DatasetSummary[]; total: number; prefix: string; next: number | null }
export interface FieldRow {
  name: string; type: string | null; created_at: string | null; updated_at: string | null;
  updated_by: string | null; dropped: boolean; description: string | null; tags: Tag[];
}
export interface Tag { key: string; value: string }
/** A dataset's fields, and what events say of it. */
export interface Fields {
  namespace: string; name: string; fields: FieldRow[]; left_out: number;
  description: string | null; owners: { name: string; type: string }[]; tags: Tag[];
}
export interface Chapter {
  checksum: string; job_namespace: string | null; job: string | null; first_at: string; last_at: string;
  last_run: string | null; runs: number; edges: (Transformation & { input: Field; output: Field })[];
}
export interface Properties { run: string | null; properties: Record<string, unknown> }
export interface Operation {
  name: string; description: string;
  inputs: { endPoint?: { namespace: string; name: string }; fields?: { origin: string; name: string }[] };
  outputs: { endPoint?: { namespace: string; name: string }; fields?: string[] };
}
export interface TaskRun extends Run {
  job: string; dag_id: string | null; task_id: string | null;
  dag_run: string | null; link: string | null; // its page in Airflow
}
export interface Chain {
  job: Job | null; dataset: { namespace: string; name: string }; operations: Operation[];
  holds: boolean; first_at: string; last_at: string; count: number; runs: TaskRun[];
}
/** What a report says that is no write. */
export type ChangeOnly = "dropped" | "emptied" | "altered";
export interface Write { at: string; checksum: string; job: string | null; run: TaskRun | null; change: ChangeOnly | null }
export interface Output { namespace: string; name: string; task_id: string | null; at: string; run: TaskRun | null; change: ChangeOnly | null; sources: Record<string, Source> }
export type Source = "columns" | "conditions" | "none" | "unknown"; // of a written field
export interface Impact { namespace: string; name: string; field: string | null; depth: number; jobs: string[] }

export interface Difference { columns_added: number; columns_removed: number; types: number; edges_added: number; edges_removed: number; edges_changed: number }
export interface LatestChange {
  namespace: string; name: string; at: string; before: string; state: "new" | "changed" | "gone" | ChangeOnly; difference: Difference | null;
  job: string; dag_id: string | null; task_id: string | null;
  others: number; like: string | null; // so many more of the job, whose names have this shape: `*` is what differs
}
export interface Overview {
  counts: { datasets: number; fields: number; jobs: number };
  changes: LatestChange[];
  used: { namespace: string; name: string; datasets: number }[]; // by how many other datasets come from it
  dags: { dag_id: string; at: string; outputs: number; columns: number; lacking: number; failed: string[] }[]; // the latest; tasks whose lineage lacks something, whose last run failed
  dag_count: number;
  dags_without_outputs?: { dag_id: string; at: string; failed: string[] }[]; // that ran and never wrote a dataset, if asked for
}

const KEY = "colgraph-api-key";

export class ApiError extends Error {
  constructor(readonly status: number, message: string) {
    super(message);
  }
}

/** The address of a route, for links as well. */
export function address(route: string, query?: URLSearchParams): string {
  const text = query?.toString();
  return new URL(`api/v1/${route}${text ? `?${text}` : ""}`, document.baseURI).href;
}

/** Use this key of `colgraph serve --keys` until the tab is closed. */
export function useKey(key: string): void {
  sessionStorage.setItem(KEY, key);
}

/** Whether questions carry a key: a plain link to the API would not. */
export const hasKey = (): boolean => sessionStorage.getItem(KEY) !== null;

/** The answer's body; ApiError with the server's own sentence if it refuses. */
export async function ask(route: string, query?: URLSearchParams, signal?: AbortSignal): Promise<Response> {
  const key = sessionStorage.getItem(KEY);
  let response: Response;
  try {
    response = await fetch(address(route, query), {
      credentials: "same-origin",
      headers: key ? { Authorization: `Bearer ${key}` } : {},
      ...(signal ? { signal } : {}),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, "The server does not answer. Is colgraph serve (or Airflow) still running?");
  }
  if (response.ok) return response;
  const body: unknown = await response.json().catch(() => null);
  const message = body && typeof body === "object" && "error" in body ? String(body.error) : response.statusText;
  throw new ApiError(response.status, message);
}

const AT_ONCE = 60; // datasets that one question names: an address is only so long

/** The datasets as many as one question names at a time. */
export const inParts = (datasets: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(datasets.length / AT_ONCE) }, (_, i) => datasets.slice(i * AT_ONCE, (i + 1) * AT_ONCE));

/** A question whose answer is JSON, asked again when its parameters change. */
export function useAnswer<T>(route: string, query: URLSearchParams, enabled = true): UseQueryResult<T, ApiError> {
  return useQuery<T, ApiError>(answerOf<T>(route, query, enabled));
}

export function answerOf<T>(route: string, query: URLSearchParams, enabled = true) {
  return asking(route, query, enabled, (body) => body as T);
}

/** What each of several questions was answered so far. */
export const dataOf = <T>(answers: readonly { data: T | undefined }[]): (T | undefined)[] => answers.map(({ data }) => data);

/** A question whose answer is a graph, with further keys. */
export function useGraph<More = unknown>(route: string, query: URLSearchParams, enabled = true): UseQueryResult<Answer & More, ApiError> {
  return useQuery<Answer & More, ApiError>(graphOf<More>(route, query, enabled));
}

export function graphOf<More = unknown>(route: string, query: URLSearchParams, enabled = true) {
  const read = (body: unknown) => whole(body as Compact & More) as Answer & More;
  return asking(route, new URLSearchParams([...query, ["format", "compact"]]), enabled, read);
}

function asking<T>(route: string, query: URLSearchParams, enabled: boolean, read: (body: unknown) => T) {
  return {
    queryKey: [route, query.toString()],
    queryFn: async ({ signal }: { signal: AbortSignal }): Promise<T> => read(await (await ask(route, query, signal)).json()),
    enabled,
  };
}
