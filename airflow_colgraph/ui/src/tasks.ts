// Tasks as boxes of their own between the datasets that they read and write. Pure.

import type { Answer, Edge, Field, Job } from "./api";

const SPACE = "job "; // before a job's namespace: no dataset's begins so

export const jobNode = (job: Job): Field => ({ namespace: SPACE + job.namespace, name: job.name, field: null });

/** Whether the box stands for a task or another job. */
export const isJob = (box: { namespace: string }): boolean => box.namespace.startsWith(SPACE);

/** The answer between datasets with each edge led through the jobs that reported it. */
export function throughTasks(answer: Answer): Answer {
  const nodes = new Map<string, Answer["nodes"][number]>();
  const edges = new Map<string, Edge>();
  const add = (edge: Edge): void => {
    const key = JSON.stringify([edge.input, edge.output].map(({ namespace, name, field }) => [namespace, name, field]));
    const known = edges.get(key);
    edges.set(key, known ? { ...known, reported_by: [...known.reported_by, ...edge.reported_by] } : edge);
  };
  for (const edge of answer.edges) {
    const reports = edge.reported_by.filter((one) => one.job !== null);
    if (!reports.length) add(edge);
    for (const report of reports) {
      const node = jobNode(report.job as Job);
      nodes.set(JSON.stringify(node), { ...node, depth: edge.depth });
      add({ ...edge, output: node, reported_by: [report] });
      add({ ...edge, input: node, reported_by: [report] });
    }
  }
  return { ...answer, nodes: [...answer.nodes, ...nodes.values()], edges: [...edges.values()] };
}
