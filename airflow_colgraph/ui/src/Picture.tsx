import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import type { Answer, Edge, Field } from "./api";
import { Below, type Shelf, Shelves } from "./Below";
import type { Page } from "./boxes";
import { Changes, ChangesInShort, RunChanges } from "./Changes";
import { DatasetPanel } from "./DatasetPanel";
import { EdgeTable } from "./EdgeTable";
import { statedIn, useExpressions } from "./expressions";
import { FieldGraph, type Left } from "./FieldGraph";
import type { Focus } from "./focus";
import type { Gap } from "./gaps";
import { type Moment, NOW, useMissing } from "./Gaps";
import { amount, build, type Change, type Graph, linkCount, merge, rowId } from "./graph";
import { onlyPath, reach } from "./paths";
import { NO_FURTHER } from "./hops";
import { isPast, useKnown } from "./known";
import { LineageList } from "./LineageList";
import { LinkPanel } from "./LinkPanel";
import { Positions } from "./lanes";
import { usePlace } from "./navigate";
import { OperationsPanel } from "./OperationsPanel";
import { Panels, useMedia } from "./Panels";
import { useLatestRuns } from "./latest";
import { useLayer, useSizes } from "./sizes";
import { isJob, throughTasks } from "./tasks";
import { type FieldKey, type LinkKey, MOST } from "./url";

export interface Shown {
  answer: Answer;
  change?: (edge: Edge) => Change;
  columns?: ReadonlyMap<string, Change>;
  more?: readonly Field[];
}

/** What is drawn of an answer: the graph, where its boxes are, and which page of a box is seen. */
export interface Drawn {
  graph: Graph | null;
  answer: Answer | null; // what the graph shows
  stages: readonly Graph[]; // what was asked for, and with each further hop
  positions: Positions;
  placed: (positions: Positions) => void;
  turn: (box: string, page: Page) => void;
  locked: string | null;
}

const NO_FIELDS: Field[] = [];
const NO_ANSWERS: Answer[] = [];
const NO_GAPS: Gap[] = [];
const NO_TIMES: Moment[] = [];
const LATEST = [NOW];

/** `more` are fields without a link that are drawn too; `parts` the answers that `shown` joins. */
export function useDrawn(shown: Shown | null, more: readonly Field[] = NO_FIELDS, parts: readonly Answer[] = NO_ANSWERS): Drawn {
  const { view } = usePlace();
  const [pages, setPages] = useState<ReadonlyMap<string, Page>>(new Map());
  const [positions, setPositions] = useState(new Positions());
  const turn = useCallback((box: string, page: Page) => setPages((old) => new Map([...old, [box, page]])), []);
  const locked = view.lock ? rowId({ namespace: view.lock[0], name: view.lock[1], field: view.lock[2] }) : null;
  const options = useMemo(() => ({ ...shown, more: [...more, ...(shown?.more ?? [])] }), [shown, more]);
  const tasks = view.level === "task";
  const only = view.only ? locked : null;
  const whole = useMemo(() => shown && (tasks ? throughTasks(shown.answer) : shown.answer), [shown, tasks]);
  const answer = useMemo(() => whole && (only ? onlyPath(whole, build(whole, options), only) : whole), [whole, only, options]);
  const plain = useMemo(() => answer && build(answer, only ? { ...options, more: [] } : options), [answer, options, only]);
  const graph = useMemo(() => {
    if (!answer || (!locked && !pages.size) || !plain?.boxes.some((box) => box.paged)) return plain;
    const kept = locked ? reach(plain, locked).rows : new Set<string>();
    return build(answer, { ...options, ...(only ? { more: [] } : {}), pages, locked, kept });
  }, [answer, plain, options, only, pages, locked]);
  const stages = useMemo(() => {
    if (parts.length < 2 || only) return plain ? [plain] : [];
    const merged = parts.map((_, i) => merge(parts.slice(0, i + 1)));
    return merged.map((one) => build(tasks ? throughTasks(one) : one, options));
  }, [parts, plain, tasks, options, only]);
  return { graph, answer, stages, positions, placed: setPositions, turn, locked };
}

interface Props extends Partial<Pick<Focus, "expand" | "expandable" | "further">> {
  shown: Shown;
  graph: Graph;
  drawn: Drawn;
  asked: string; // the question: another one is another picture
  at?: string; // the time whose operations are shown
  note?: string; // what is not drawn, or not linked
  shelves?: readonly Shelf[]; // of the panel below, beside the table
  gaps?: readonly Gap[]; // what the runs that are shown reported to lack
  times?: readonly Moment[]; // what was reported until then is marked; none: until now
  hops?: boolean;
}

const never = (): boolean => false;
const nothing = (): undefined => undefined;

/** The picture with its operations beside it, and a panel below it with the same as a table. */
export function Picture({ shown, graph: reported, drawn, expand = nothing, expandable = never, further = NO_FURTHER, asked, at, note = "", shelves = [], gaps = NO_GAPS, times = NO_TIMES, hops = true }: Props) {
  const { view, go } = usePlace();
  const { answer, change } = shown;
  const { locked } = drawn;
  const graph = useLatestRuns(reported, view.run === "" && !at && !view.before);
  const narrow = useMedia(NARROW);
  const left = useRef<Left | null>(null);
  const painted = usePainted(drawn.positions.size > 0 || narrow);
  const late = useDeferredValue(painted ? shown : null, null); // the picture comes first
  const datasets = graph.boxes.filter((box) => !isJob(box));
  const sizes = useSizes(graph);
  const past = isPast(view, at);
  const { types, gone } = useKnown(graph, view.level, past);
  const expression = useExpressions(statedIn(graph, view.level), at || view.at);
  const total = useCallback((box: string) => sizes.get(box)?.fields ?? undefined, [sizes]);
  const lacks = useMissing(graph.boxes, gaps, past || view.run ? times : LATEST);
  const layer = useLayer(sizes);
  const lock = useCallback(
    (row: string) => go({ lock: row === locked ? null : (JSON.parse(row) as unknown as FieldKey), link: null }),
    [go, locked],
  );
  const pick = useCallback((link: LinkKey) => go({ lock: null, link }), [go]);
  useEffect(() => {
    const free = (event: KeyboardEvent): void => {
      if (event.key === "Escape" && (view.lock || view.link)) go({ lock: null, link: null });
    };
    window.addEventListener("keydown", free);
    return () => window.removeEventListener("keydown", free);
  }, [go, view.lock, view.link]);
  const hidden = answer.edges.filter((edge) => edge.subtype === "RESTRICTED").length;
  const drawer = view.link ? <LinkPanel link={view.link} edges={answer.edges} {...(at ? { at } : {})} /> : view.lock && (view.lock[2]
    ? <OperationsPanel field={view.lock} edges={answer.edges} {...(at ? { at } : {})} />
    : <DatasetPanel dataset={view.lock} edges={answer.edges} />);
  const edges = (view.only && drawn.answer) || answer;
  const table = late && <EdgeTable answer={view.only ? edges : late.answer} hops={hops} {...(late.change ? { change: late.change } : {})} />;
  const all: Shelf[] = [
    { tab: "table", title: "Table", count: linkCount(edges.edges), content: table },
    ...(change && view.name ? [{ tab: "changes", title: "Changes", content: <Changes graph={graph} /> } as const] : []),
    ...shelves,
  ];
  const said = change ? (view.name ? <ChangesInShort graph={graph} /> : <RunChanges graph={graph} />) : (
    [
      amount(datasets.length, "dataset"),
      ...(view.level === "task" ? [amount(graph.boxes.length - datasets.length, "task")] : []),
      ...(view.level === "field" ? [amount(graph.fields, "column")] : []),
      ...linksIn(graph, view.level === "task" ? linkCount(answer.edges) : null),
    ].join(", ") + (note && `; ${note}`)
  );
  return (
    <>
      {answer.truncated && (
        <p className="warning" role="status">
          Truncated: {cut(answer)}. Ask with less depth, one direction, or for datasets{answer.left_out > 0 && "; the CSV file has all"}.{" "}
          {answer.unexplored > 0 && !answer.left_out && view.limit < MOST && (
            <button type="button" onClick={() => go({ limit: Math.min(MOST, view.limit * 10) })}>
              Show up to {Math.min(MOST, view.limit * 10).toLocaleString()} links
            </button>
          )}
        </p>
      )}
      {hidden > 0 && (
        <p className="warning" role="status">
          Restricted: {hidden} {hidden === 1 ? "link is" : "links are"} by DAGs that you may not read; their jobs and
          steps are not shown.
        </p>
      )}
      {narrow ? (
        <>
          <div className="split list"><LineageList graph={graph} locked={locked} lock={lock} lacks={lacks} hops={hops} />{drawer}</div>
          <p className="note" role="status">{said}</p>
          <Shelves shelves={all} />
        </>
      ) : (
        <div className={`split${drawer ? " open" : ""}`}>
          <Below shelves={all} note={said}>
            <Panels drawer={drawer}>
              <FieldGraph
                left={left}
                key={`${asked} ${view.level} ${view.only ? locked : ""}`}
                graph={graph}
                stages={drawn.stages}
                placed={drawn.placed}
                locked={locked}
                lock={lock}
                pick={pick}
                picked={view.link}
                only={view.lock?.[2] ? view.only : null}
                onOnly={() => go({ only: !view.only })}
                turn={drawn.turn}
                expand={expand}
                expandable={expandable}
                total={total}
                layer={layer}
                lacks={lacks}
                types={types}
                gone={gone}
                expression={expression}
                further={further}
              />
            </Panels>
          </Below>
        </div>
      )}
    </>
  );
}

/** `5 links + 1 through a condition`. */
function linksIn(graph: Graph, through: number | null): string[] {
  if (through !== null) return [amount(through, "link")];
  const values = graph.links.filter((link) => link.direct).length;
  const conditions = graph.links.length - values;
  return [`${amount(values, "link")}${conditions ? ` + ${conditions} through ${conditions === 1 ? "a condition" : "conditions"}` : ""}`];
}

/** What is missing in an answer, and why. */
function cut({ unexplored, left_out }: Answer): string {
  return [
    ...(unexplored ? [`${amount(unexplored, "further column")} ${unexplored === 1 ? "was" : "were"} not followed`] : []),
    ...(left_out ? [`${amount(left_out, "link")} more than an answer of 2 MB has room for`] : []),
  ].join("; ");
}

/** Whether a frame has been shown since something was drawn for the first time. */
function usePainted(drawn: boolean): boolean {
  const [painted, setPainted] = useState(false);
  useEffect(() => {
    if (!drawn) return undefined;
    let timer = 0;
    const frame = requestAnimationFrame(() => (timer = window.setTimeout(() => setPainted(true))));
    return () => {
      cancelAnimationFrame(frame);
      window.clearTimeout(timer);
    };
  }, [drawn]);
  return painted;
}

const NARROW = "(max-width: 600px)"; // of such a screen one box would fill all
