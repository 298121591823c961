// The state of the last run of each task in a picture, whether it reported lineage or not.

import { useQueries } from "@tanstack/react-query";
import { useMemo } from "react";
import { answerOf, type TaskRun } from "./api";
import type { Task } from "./boxes";
import type { Graph } from "./graph";

type LatestRun = TaskRun & { job_namespace: string };

const AT_ONCE = 40; // jobs that one question names
const key = (namespace: string, name: string): string => JSON.stringify([namespace, name]);

/** The graph with each task's last run, if `now` is what it shows: a run that failed reports no lineage. */
export function useLatestRuns(graph: Graph, now: boolean): Graph {
  const jobs = useMemo(() => {
    const names = graph.boxes.flatMap((box) => box.tasks.map(({ job }) => key(job.namespace, job.name)));
    return now ? [...new Set(names)].sort() : [];
  }, [graph, now]);
  const runs = useQueries({
    queries: Array.from({ length: Math.ceil(jobs.length / AT_ONCE) }, (_, i) =>
      answerOf<{ runs: LatestRun[] }>("latest-runs", new URLSearchParams(jobs.slice(i * AT_ONCE, (i + 1) * AT_ONCE).map((job) => ["of", job])))),
    combine: byJob,
  });
  return useMemo(() => (now && runs.size ? { ...graph, boxes: graph.boxes.map((box) => ({ ...box, tasks: latest(box.tasks, runs) })) } : graph), [graph, now, runs]);
}

function byJob(answers: { data: { runs: LatestRun[] } | undefined }[]): Map<string, LatestRun> {
  return new Map(answers.flatMap(({ data }) => data?.runs ?? []).map((run) => [key(run.job_namespace, run.job), run]));
}

/** The tasks with their last runs. Pure. */
export function latest(tasks: readonly Task[], runs: ReadonlyMap<string, LatestRun>): Task[] {
  return tasks.map((task) => ({ ...task, run: runs.get(key(task.job.namespace, task.job.name)) ?? task.run }));
}
