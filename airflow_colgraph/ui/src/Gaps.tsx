import { useId } from "react";
import { useAnswer } from "./api";
import type { Shelf } from "./Below";
import { type Gap, sentences } from "./gaps";

interface Props { query: Record<string, string>; when?: string } // when: of two times

function useGaps(query: Props["query"]) {
  const { data } = useAnswer<{ gaps: Gap[] }>("gaps", new URLSearchParams(query));
  return (data?.gaps ?? []).map((gap) => ({ gap, ...sentences(gap) }));
}

/** What the lineage lacks, by the events of the jobs that wrote it; nothing if they say nothing. */
export function Gaps({ query, when = "" }: Props) {
  const heading = useId();
  const gaps = useGaps(query);
  if (!gaps.length) return null;
  const missing = gaps.some((one) => one.missing.length > 0);
  return (
    <section className={missing ? "warning gaps" : "note gaps"} aria-labelledby={heading}>
      <h2 id={heading}>{missing ? "Lineage may be missing" : "Some lineage is approximate"}{when}</h2>
      <ul>
        {gaps.map(({ gap, missing, rough }) => [...missing, ...rough].map((one) => (
          <li key={`${gap.job} ${one}`}><strong>{gap.task_id ?? gap.job}</strong>: {one}</li>
        )))}
      </ul>
    </section>
  );
}

/** The same for the panel below a picture, of one time or of the two that are compared; none if nothing is lacking. */
export function useGapShelf(now: Props, before?: Props): Shelf[] {
  const [earlier, later] = [useGaps(before?.query ?? now.query), useGaps(now.query)];
  const gaps = before ? [...earlier, ...later] : later;
  const count = (kind: "missing" | "rough"): number => gaps.reduce((sum, gap) => sum + gap[kind].length, 0);
  if (!gaps.length) return [];
  const [missing, all] = [count("missing"), count("missing") + count("rough")];
  const content = <>{before && <Gaps {...before} />}<Gaps {...now} /></>;
  return [{ tab: "missing", title: missing ? "Lineage missing" : "Approximate", count: missing || all, warns: missing > 0, content }];
}
