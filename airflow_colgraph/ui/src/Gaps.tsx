import { useQueries } from "@tanstack/react-query";
import { useCallback, useId } from "react";
import { answerOf, dataOf, inParts, useAnswer } from "./api";
import type { Shelf } from "./Below";
import type { Box } from "./boxes";
import { concerns, type Gap, reasons, said, sentences, taskOf } from "./gaps";
import { amount, boxId } from "./graph";
import { usePlace } from "./navigate";
import { sizedOf, sizesAt } from "./sizes";

interface Props { query: Record<string, string>; when?: string } // when: of two times

const NO_GAPS: Gap[] = [];

/** What the runs of jobs reported that their lineage lacks. */
export function useGaps(query: Props["query"]): Gap[] {
  const { data } = useAnswer<{ gaps: Gap[] }>("gaps", new URLSearchParams(query));
  return data?.gaps ?? NO_GAPS;
}

/** Whether that is answered or refused: what is above a picture comes before it, so that no box jumps. */
export function useGapsAnswered(query: Props["query"]): boolean {
  const { isPending, failureCount } = useAnswer<{ gaps: Gap[] }>("gaps", new URLSearchParams(query));
  return !isPending || failureCount > 0;
}

/** What the lineage lacks, by the events of the jobs that wrote it; nothing if they say nothing. */
export function Gaps({ query, when = "" }: Props) {
  const heading = useId();
  const gaps = useGaps(query).map((gap) => ({ gap, ...sentences(gap) }));
  if (!gaps.length) return null;
  const missing = gaps.some((one) => one.missing.length > 0);
  return (
    <section className={missing ? "warning gaps" : "note gaps"} aria-labelledby={heading}>
      <h2 id={heading}>{missing ? "Lineage may be missing" : "Some lineage is approximate"}{when}</h2>
      <ul>
        {gaps.map(({ gap, missing, rough }) => [...missing, ...rough].map((one) => (
          <li key={`${gap.job} ${one}`}><strong>{taskOf(gap)}</strong>: {one}</li>
        )))}
      </ul>
    </section>
  );
}

/** The same for the panel below a picture, of one time or of the two that are compared; none if nothing is lacking. */
export function useGapShelf(now: Props, before?: Props): Shelf[] {
  const [earlier, later] = [useGaps(before?.query ?? now.query), useGaps(now.query)];
  const gaps = (before ? [...earlier, ...later] : later).map(sentences);
  const count = (kind: "missing" | "rough"): number => gaps.reduce((sum, gap) => sum + gap[kind].length, 0);
  if (!gaps.length) return [];
  const [missing, all] = [count("missing"), count("missing") + count("rough")];
  const content = <>{before && <Gaps {...before} />}<Gaps {...now} /></>;
  return [{ tab: "missing", title: missing ? "Lineage missing" : "Approximate", count: missing || all, warns: missing > 0, content }];
}

/** Above a picture: which tasks lack lineage, the first reason, and a way to all of them. */
export function GapLine({ gaps }: { gaps: readonly Gap[] }) {
  const { view, go } = usePlace();
  const all = reasons(gaps);
  const tasks = [...new Set(gaps.filter((gap) => sentences(gap).missing.length).map(taskOf))];
  if (all.length === 0 || view.panel === "missing") return null; // there they are whole
  return (
    <p className="warning lacks" role="status">
      ⚠ Lineage of {tasks.length === 1 ? `task ${tasks[0]}` : amount(tasks.length, "task")} may be missing: {tasks.length === 1 ? all[0]?.slice(`${tasks[0]}: `.length) : all[0]}{" "}
      {all.length > 1 && <button type="button" onClick={() => go({ panel: "missing" }, true)}>All {all.length} reasons</button>}
    </p>
  );
}

/** When the picture is of: the time, and what is said before a reason of that time where two are compared. */
export interface Moment { at: string; when: string }

export const NOW: Moment = { at: "", when: "" };
const UNSAID = "The last write did not report what all columns are computed from.";

/**
 * Which lineage each box lacks, and why: as `reported` by the runs that are shown, or else at each of the
 * `moments`, now as at a past time: by the latest run of each job that writes a dataset, and by its last write.
 */
export function useMissing(boxes: readonly Box[], reported: readonly Gap[], moments: readonly Moment[]): (box: Box) => string {
  const datasets = sizedOf(boxes);
  const told = new Set(boxes.filter((box) => reported.some((gap) => concerns(gap, box))).map((box) => box.id));
  const marked = useQueries({ queries: moments.flatMap(({ at }) => sizesAt(datasets, at)), combine: dataOf });
  const lacking = moments.map((_, i) => {
    const own = part(marked, moments.length, i);
    const all = own.every((answer) => answer !== undefined) ? own.flatMap((answer) => answer?.sizes ?? []) : []; // why is asked once
    return all.filter((dataset) => dataset.is_lacking).map(boxId).filter((id) => !told.has(id)).sort();
  });
  const why = useQueries({
    queries: moments.flatMap(({ at }, i) => inParts(lacking[i] ?? []).map((some) =>
      answerOf<{ gaps: Gap[] }>("gaps", new URLSearchParams([...some.map((box) => ["dataset", box]), ["at", at]])))),
    combine: dataOf,
  });
  const key = JSON.stringify([moments, lacking]);
  return useCallback(
    (box: Box) => {
      let asked = 0;
      const later = moments.flatMap(({ when }, i) => {
        const own = why.slice(asked, (asked += inParts(lacking[i] ?? []).length)).flatMap((answer) => answer?.gaps ?? []);
        if (!lacking[i]?.includes(box.id)) return [];
        const some = reasons(said(when, own.filter((gap) => gap.datasets?.some((dataset) => boxId(dataset) === box.id))));
        return some.length ? some : [`${when}${UNSAID}`];
      });
      return [...reasons(reported.filter((gap) => concerns(gap, box))), ...later].join("\n");
    },
    [reported, why, key],
  );
}

/** The answers of one moment among those of all moments, which have as many each. */
const part = <T,>(all: readonly T[], moments: number, i: number): readonly T[] => all.slice((i * all.length) / moments, ((i + 1) * all.length) / moments);
