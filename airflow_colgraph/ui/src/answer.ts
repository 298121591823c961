// A graph's answer as the API sends it, in which everything is there once -> with each edge whole. Pure.

export interface Field { namespace: string; name: string; field: string | null }
export interface Job { namespace: string; name: string; dag_id: string | null; task_id: string | null }
export interface Run {
  id: string; started_at: string; ended_at: string | null; state: string;
  attempt: number | null; map_index: number | null; parent: string | null;
}
export interface Report { job: Job | null; run: Run | null; first_seen: string; last_seen: string; closed_at: string | null }
export interface Transformation { type: string; subtype: string; masking: boolean; description: string }
export interface Edge extends Transformation {
  input: Field; output: Field; direction: string; depth: number; reported_by: Report[];
}
export interface Answer {
  starts: Field[]; nodes: (Field & { depth: number })[]; edges: Edge[];
  truncated: boolean; unexplored: number; left_out: number; // edges that are missing
}

type Places<T> = { [K in keyof T]: T[K][] };

export interface Compact {
  starts: number[]; // places in `nodes`
  datasets: { namespace: string; name: string }[];
  nodes: Places<{ dataset: number; field: string | null; depth: number }>;
  transformations: Transformation[];
  jobs: Job[];
  runs: Run[];
  reports: (Omit<Report, "job" | "run"> & { job: number | null; run: number | null })[];
  edges: Places<{ input: number; output: number; transformation: number; direction: string; depth: number; reported_by: number[] }>;
  truncated: boolean; unexplored: number; left_out: number;
}

/** The answer with its other keys; equal parts are the same objects. */
export function whole<T extends Compact>({ starts, datasets, nodes, transformations, jobs, runs, reports, edges, ...more }: T) {
  const fields = nodes.dataset.map((at, i): Answer["nodes"][number] => {
    const { namespace, name } = place(datasets, at);
    return { namespace, name, field: nodes.field[i] ?? null, depth: place(nodes.depth, i) };
  });
  const reported = reports.map((one): Report => ({
    ...one, job: one.job === null ? null : place(jobs, one.job), run: one.run === null ? null : place(runs, one.run),
  }));
  const found: Answer = {
    truncated: more.truncated,
    unexplored: more.unexplored,
    left_out: more.left_out,
    starts: starts.map((at) => place(fields, at)),
    nodes: fields,
    edges: edges.input.map((input, i) => {
      const { type, subtype, masking, description } = place(transformations, place(edges.transformation, i));
      return {
        type, subtype, masking, description,
        input: place(fields, input),
        output: place(fields, place(edges.output, i)),
        direction: place(edges.direction, i),
        depth: place(edges.depth, i),
        reported_by: place(edges.reported_by, i).map((at) => place(reported, at)),
      };
    }),
  };
  return { ...more, ...found };
}

function place<T>(some: readonly T[], at: number): T {
  const found = some[at];
  if (found === undefined) throw new RangeError(`The answer has ${some.length} items and names item ${at}.`);
  return found;
}
