import { useCallback, useMemo } from "react";
import { type ApiError, type Field, type Output, type Source, type TaskRun, useAnswer, useGraph, type Write } from "./api";
import { type Shelf, Shelves } from "./Below";
import { ControlBar } from "./ControlBar";
import { concerns, type Gap, reasons, said } from "./gaps";
import { GapLine, useGaps, useGapsAnswered, useGapShelf } from "./Gaps";
import { amount, difference, merge, rowId } from "./graph";
import { useHops } from "./hops";
import { Heading, To, usePlace } from "./navigate";
import { OtherRuns } from "./OtherRuns";
import { Picture, type Shown, useDrawn } from "./Picture";
import { Missing } from "./Missing";
import { RunLink } from "./RunLink";
import { Empty, Failed, Loading } from "./States";
import { exact } from "./time";
import { type Side, taskQuestion, usual, type View } from "./url";

interface Reported { outputs: Output[]; outputs_left_out: number; other_runs: TaskRun[]; other_runs_left_out: number }

/** What an Airflow DAG, a task, or one run of either reported: the way in from Airflow's own pages. */
export function TaskPage() {
  const { view } = usePlace();
  const query = taskQuestion(view);
  const asked = useGraph<Reported>("tasks", query);
  const outputs = asked.data?.outputs ?? [];
  const at = view.run && latest(outputs);
  const { answers, expand, done, nothing, further } = useHops(asked.data, at);
  const before = useGraph("tasks", taskQuestion({ ...view, run: view.before }), view.before !== "");
  const asking = { dag_id: view.dag, task_id: view.task, run_id: view.run };
  const gapsAnswered = useGapsAnswered(asking);
  const shown = useMemo((): Shown | null => {
    if (!asked.data || !gapsAnswered || (view.before && !before.data)) return null;
    if (view.before && before.data) return difference(before.data, asked.data);
    return { answer: merge([asked.data, ...answers]) };
  }, [asked.data, gapsAnswered, answers, view.before, before.data]);
  const level = view.level;
  const more = useMemo(() => (level === "field" ? asked.data?.outputs.flatMap(fieldsOf) : undefined), [asked.data, level]);
  const parts = useMemo(() => (asked.data && !view.before ? [asked.data, ...answers] : []), [asked.data, answers, view.before]);
  const drawn = useDrawn(shown, more, parts);
  const { graph } = drawn;
  const earlier = { ...asking, run_id: view.before || view.run };
  const [gaps, gapsBefore] = [useGaps(asking), useGaps(earlier)];
  const lacking = useGapShelf({ query: asking, when: view.before && " after" }, view.before ? { query: earlier, when: " before" } : undefined);
  const marked = useMemo(() => (view.before ? [...said("Before: ", gapsBefore), ...said("After: ", gaps)] : gaps), [view.before, gapsBefore, gaps]);
  const ends = useMemo(() => new Map(graph?.boxes.map((box) => [box.id, box.ends])), [graph]);
  const expandable = useCallback((box: string, side: Side) => !view.before && Boolean(ends.get(box)?.[side]) && !box.startsWith('["job ') && !done(box, side), [ends, done, view.before]);
  const pictured = graph && outputs.length > 0 && shown?.answer.edges.length;
  const written = <Outputs rows={outputs} gaps={gaps} more={asked.data?.outputs_left_out ?? 0} />;
  const shelves: Shelf[] = [...(outputs.length ? [{ tab: "runs", title: "Runs", content: written } as const] : []), ...lacking];
  return (
    <div className={`page wide${pictured || !shown ? " fill" : ""}`}>
      <div className="bar-of-view">
        <div className="where told">
          <Heading>What {who(view)} writes</Heading>
          <p className="crumbs">{view.run ? `Run ${view.run}` : "The latest runs"}</p>
        </div>
        <Previous outputs={outputs} />
        <ControlBar route="tasks" query={query} graph={shown?.answer.edges.length ? graph : null} positions={drawn.positions} at={at} />
      </div>
      {asked.data && !view.before && <OtherRuns runs={asked.data.other_runs} leftOut={asked.data.other_runs_left_out} outputs={outputs} />}
      {pictured && !view.before && <GapLine gaps={gaps} />}
      {asked.error?.status === 404 ? (
        <Empty>
          No lineage is known of {who(view)}{view.run && " in this run"}: {asked.error.message}{" "}
          {view.run && <To view={{ dag: view.dag, task: view.task, level: usual(view) }}>What its latest runs reported</To>}
          <> It appears when a run has reported what it wrote, and you may read the DAG.</>
        </Empty>
      ) : asked.error ?? before.error ? <Failed error={(asked.error ?? before.error) as ApiError} /> : !shown || !graph ? (
        <div className="canvas"><Loading what="the lineage" /></div>
      ) : outputs.length === 0 ? (
        <><Empty>
          No lineage is known of {who(view)}{view.run && " in this run"}.{" "}
          {view.run && <To view={{ dag: view.dag, task: view.task, level: usual(view) }}>What its latest runs reported</To>}
          {asked.data?.other_runs.length === 0 && <> It appears when a run has reported what it wrote, and you may read the DAG.</>}
        </Empty><Shelves shelves={shelves} /></>
      ) : shown.answer.edges.length === 0 ? (
        <><Empty>{outputs.every((one) => one.change) ? "It wrote no dataset." : `It reported no lineage of columns${view.indirect ? "" : ": tick “Rows” to see joins and filters"}.`}</Empty><Shelves shelves={shelves} /></>
      ) : (
        <Picture asked={String(query)} shown={shown} graph={graph} drawn={drawn} hops={false} note={[level === "field" && unlinked(outputs), ...nothing].filter(Boolean).join("; ")} expand={expand} expandable={expandable} further={further} at={at} shelves={shelves} gaps={marked} />
      )}
    </div>
  );
}

function who({ dag, task, map }: View): string {
  if (!task) return `DAG ${dag}`;
  return `task ${task}${/^\d+$/.test(map) ? `[${map}]` : ""} of DAG ${dag}`;
}

const fieldsOf = ({ namespace, name, sources }: Output): Field[] => Object.keys(sources).map((field) => ({ namespace, name, field }));

const WORDS: [Source, string][] = [["none", "from no column"], ["unknown", "without reported lineage"]];

/** The written fields that no line leads to, by why: `2 columns from no column`. */
function unlinked(outputs: readonly Output[]): string {
  return WORDS.map(([source, words]) => {
      const found = new Set(outputs.flatMap((one) => fieldsOf(one).filter((field) => one.sources[field.field ?? ""] === source).map(rowId)));
      return found.size ? `${amount(found.size, "column")} ${words}` : "";
    })
    .filter(Boolean)
    .join(", ");
}

/** Leads to what is new or gone since the run before, and back. */
function Previous({ outputs }: { outputs: readonly Output[] }) {
  const { view, go } = usePlace();
  const [first] = outputs;
  const query = new URLSearchParams({ namespace: first?.namespace ?? "", name: first?.name ?? "", limit: "100" });
  const { data } = useAnswer<{ writes: Write[] }>("writes", query, first !== undefined && view.map === "");
  const run = first?.run?.dag_run;
  const runs = (data?.writes ?? []).filter((write) => write.run?.dag_id === view.dag).map((write) => write.run?.dag_run ?? "");
  const previous = runs.slice(runs.indexOf(run ?? "") + 1).find((one) => one && one !== run);
  if (view.before) return <button type="button" aria-pressed="true" onClick={() => go({ before: "", level: usual(view) })}>Compare with the previous run</button>;
  if (!run || !runs.includes(run) || !previous) return null;
  return <button type="button" title={previous} onClick={() => go({ before: previous, level: "field", expand: [] })}>Compare with the previous run</button>;
}

const latest = (outputs: Output[]): string => outputs.map((one) => one.at).sort().at(-1) ?? "";

function Outputs({ rows, gaps, more }: { rows: Output[]; gaps: readonly Gap[]; more: number }) {
  const missing = ({ namespace, name, task_id }: Output): string[] =>
    reasons(gaps.filter((gap) => gap.task_id === task_id && (!gap.outputs.length || concerns(gap, { namespace, name, tasks: [] }))));
  return (
    <section aria-labelledby="outputs">
      <h2 id="outputs">{rows.some((row) => row.change) ? "Written and changed datasets" : "Written datasets"} <small>{rows.length + more}</small></h2>
      {more > 0 && <p className="warning">An answer of 2 MB has no room for {more} of them. The tasks' own pages have theirs.</p>}
      <div className="scroll" tabIndex={0} role="region" aria-labelledby="outputs">
        <table>
          <thead><tr><th>Dataset</th><th>Task</th><th>Run</th><th>When</th><th>Across jobs</th></tr></thead>
          <tbody>
            {rows.map((row) => (
              <tr key={JSON.stringify([row.namespace, row.name, row.task_id, row.run?.id])}>
                <td><To view={{ namespace: row.namespace, name: row.name }}>{row.name}</To> <small>{row.namespace}</small></td>
                <td>{row.task_id}{row.change && <strong className="lacking"> {row.change} it</strong>}<Missing why={missing(row)} /></td>
                <td><RunLink run={row.run} /></td>
                <td className="time">{exact(row.at)}</td>
                <td><To view={{ namespace: row.namespace, name: row.name, show: "graph", at: row.at }}>lineage at that time</To></td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
