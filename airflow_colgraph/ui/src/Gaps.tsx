import { useId } from "react";
import { useAnswer } from "./api";
import { type Gap, sentences } from "./gaps";

/** What the lineage lacks, by the events of the jobs that wrote it; nothing if they say nothing. `when`: of two times. */
export function Gaps({ query, when = "" }: { query: Record<string, string>; when?: string }) {
  const heading = useId();
  const { data } = useAnswer<{ gaps: Gap[] }>("gaps", new URLSearchParams(query));
  const found = (data?.gaps ?? []).map((gap) => ({ gap, ...sentences(gap) }));
  if (!found.length) return null;
  const missing = found.some((one) => one.missing.length > 0);
  return (
    <section className={missing ? "warning gaps" : "note gaps"} aria-labelledby={heading}>
      <h2 id={heading}>{missing ? "Lineage may be missing" : "Some lineage is approximate"}{when}</h2>
      <ul>
        {found.map(({ gap, missing, rough }) => [...missing, ...rough].map((one) => (
          <li key={`${gap.job} ${one}`}><strong>{gap.task_id ?? gap.job}</strong>: {one}</li>
        )))}
      </ul>
    </section>
  );
}
