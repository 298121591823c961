import { useQueries } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf, useAnswer } from "./api";
import { Download } from "./Download";
import { useExpressions } from "./expressions";
import { FieldQuestions } from "./FieldQuestions";
import { fileName } from "./files";
import { amount, boxId, rowId } from "./graph";
import { labels } from "./names";
import { Heading, To, usePlace } from "./navigate";
import { DatasetLink, NodeLink } from "./NodeLink";
import { type Copies, type Copy, furtherOrigins, ownersQuestion, type TrailEnd, trailEnds, type UnknownCopy, wider } from "./questions";
import { RunLink } from "./RunLink";
import { Answered, Empty, LeftOut } from "./States";
import { MomentOf } from "./TimeControl";
import { exact } from "./time";
import { THROUGH, type Through } from "./url";

const FIRST = 200; // rows
const NAMED = 8; // steps at which the trail ends
const WORDS: Record<Through, string> = {
  identity: "copies only", transformation: "also values computed from it", aggregation: "also aggregates",
};

/** Every field that holds a field's value without masking, how it came there, and the last run that wrote it. */
export function CopiesPage() {
  const { view, go } = usePlace();
  const { namespace, name } = view;
  const [field = ""] = view.fields;
  const query = ownersQuestion(view, "copies");
  const answer = useAnswer<Copies>("copies", query);
  return (
    <div className="page">
      <p className="crumbs"><To view={{ namespace, name }}>{name}</To> <small>{namespace}</small></p>
      <Heading>Copies of {field} {answer.data && <small>{counted(answer.data)}</small>}</Heading>
      <FieldQuestions field={[namespace, name, field]} shown="copies" times={{ at: view.at }} />
      <div className="controls" role="toolbar" aria-label="Options">
        <label>
          Follow
          <select value={view.through} onChange={(e) => go({ through: e.target.value as Through })}>
            {THROUGH.map((one) => <option key={one} value={one}>{WORDS[one]}</option>)}
          </select>
        </label>
        <label title="Also search from the columns that the value was copied from">
          <input type="checkbox" checked={view.origins} onChange={(e) => go({ origins: e.target.checked })} />
          From its origins too
        </label>
        <MomentOf label="As of" moment="at" run="as of run" />
        <span className="group exports"><Download route="copies" query={query} name={fileName(view, "copies", "json")}>Download as JSON</Download></span>
      </div>
      <Answered query={answer} what="the copies">{(found) => <Found found={found} />}</Answered>
    </div>
  );
}

function Found({ found }: { found: Copies }) {
  const [all, setAll] = useState(false);
  const { copies, unknown, truncated, left_out, runs } = found;
  const { stops, origins } = useTrailEnds(found);
  const names = labels([...copies.flatMap((one) => one.path), ...unknown.flatMap(ends), ...stops.map((one) => one.to), ...origins.map((one) => one.origin)].map((one) => one.name));
  return (
    <>
      {truncated && !left_out && <p className="warning" role="status">Truncated: there are more copies than these.</p>}
      <LeftOut count={left_out} noun="column" />
      {unknown.length > 0 && <Unknown unknown={unknown} names={names} />}
      {(stops.length > 0 || origins.length > 0) && <TrailEnds stops={stops} origins={origins} names={names} />}
      {copies.length === 0 ? <Empty>No column held the value at that time.</Empty> : (
        <div className="scroll" tabIndex={0} role="region" aria-label="Copies">
          <table>
            <thead><tr><th>Hops</th><th>Dataset</th><th>Column</th><th>Way</th><th>Last written</th></tr></thead>
            <tbody>
              {(all ? copies : copies.slice(0, FIRST)).map((one) => (
                <tr key={JSON.stringify([one.namespace, one.name, one.field])}>
                  <td data-label="Hops">{one.hops}</td>
                  <td data-label="Dataset">
                    <DatasetLink of={one} names={names} />
                    {one.other_names.length > 0 && <small className="description">also {one.other_names.join(", ")}</small>}
                  </td>
                  <td data-label="Column"><To view={{ namespace: one.namespace, name: one.name, fields: [one.field] }}>{one.field}</To></td>
                  <td data-label="Way"><Way copy={one} names={names} /></td>
                  <td data-label="Last written"><Written copy={one} runs={runs} /></td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {!all && copies.length > FIRST && <button type="button" onClick={() => setAll(true)}>Show all {copies.length.toLocaleString("en")} columns</button>}
    </>
  );
}

interface Ends { stops: TrailEnd[]; origins: ReturnType<typeof furtherOrigins> }

/** Where the trail ends though values computed from it go on, and where the trail back to origins does, if that is not followed. */
function useTrailEnds({ copies, truncated }: Copies): Ends {
  const { view } = usePlace();
  const more = truncated ? [] : wider(view.through);
  const answers = useQueries({ queries: more.map((through) => answerOf<Copies>("copies", ownersQuestion({ ...view, through }, "copies"))) });
  const wide = more.map((through, i) => [through, answers[i]?.data?.copies ?? []] as const);
  return { stops: trailEnds(copies, wide), origins: furtherOrigins(copies, wide) };
}

function TrailEnds({ stops, origins, names }: Ends & { names: ReadonlyMap<string, string> }) {
  const { view, go } = usePlace();
  const shown = stops.slice(0, NAMED);
  const datasets = [...new Map(shown.map(({ to }) => [boxId(to), to])).values()];
  const expression = useExpressions(datasets, view.at);
  return (
    <div className="note" role="status">
      {origins.length > 0 && (
        <>
          <p>Not followed back: {amount(origins.length, "column")} that these are computed from by a cast, a function or an aggregate.</p>
          <ul>
            {origins.slice(0, NAMED).map(({ origin }) => <li key={rowId(origin)}><NodeLink of={origin} names={names} /></li>)}
            {origins.length > NAMED && <li>and {origins.length - NAMED} more</li>}
          </ul>
        </>
      )}
      {stops.length > 0 && <p>Not followed: {amount(stops.length, "column")} computed from these by a cast, a function or an aggregate.</p>}
      {stops.length > 0 && <ul>
        {shown.map(({ from, to }) => (
          <li key={rowId(from) + rowId(to)}>
            <NodeLink of={from} names={names} /> → <NodeLink of={to} names={names} /> <code>{expression(rowId(to))}</code>
          </li>
        ))}
        {stops.length > NAMED && <li>and {stops.length - NAMED} more</li>}
      </ul>}
      <p className="actions">
        {wider(view.through).filter((through) => [...stops, ...origins].some((one) => one.through === through)).map((through) => (
          <button key={through} type="button" onClick={() => go({ through })}>Follow {WORDS[through]}</button>
        ))}
      </p>
    </div>
  );
}

function Way({ copy, names }: { copy: Copy; names: ReadonlyMap<string, string> }) {
  const { view: { name, fields: [field] } } = usePlace();
  if (copy.hops === 0) return <>{copy.name === name && copy.field === field ? "the column itself" : "an origin of it"}</>;
  return copy.path.map((one, i) => (
    <span key={JSON.stringify(one)}>{i > 0 && " → "}<NodeLink of={one} names={names} /></span>
  ));
}

function Written({ copy, runs }: { copy: Copy; runs: Copies["runs"] }) {
  if (!copy.written_at) return null;
  const run = copy.run ? runs[copy.run] : undefined;
  return <>{exact(copy.written_at)} <small>by {copy.job ?? "a job that you may not read"}</small>{run && <>, <RunLink run={run} /></>}</>;
}

/** The jobs that may have copied the value too: the answer is perhaps not complete. */
function Unknown({ unknown, names }: { unknown: UnknownCopy[]; names: ReadonlyMap<string, string> }) {
  return (
    <div className="warning" role="status">
      <p>Perhaps more: which columns {unknown.length === 1 ? "this job uses" : "these jobs use"} is unknown.</p>
      <ul>
        {unknown.map((one) => (
          <li key={JSON.stringify(one)}>
            {one.job ?? "a job that you may not read"} reads <DatasetLink of={source(one)} names={names} />
            {one.name !== null && <> and writes <DatasetLink of={{ namespace: one.namespace ?? "", name: one.name, field: null }} names={names} /></>}
          </li>
        ))}
      </ul>
    </div>
  );
}

const source = (one: UnknownCopy) => ({ namespace: one.source_namespace, name: one.source_name, field: null });
const ends = (one: UnknownCopy): { name: string }[] => [source(one), ...(one.name === null ? [] : [{ name: one.name }])];

/** `4 fields in 3 datasets`. */
function counted({ copies, unknown, truncated }: Copies): string {
  const datasets = new Set(copies.map((one) => JSON.stringify([one.namespace, one.name]))).size;
  const more = truncated || unknown.length ? ", perhaps more" : "";
  return `${amount(copies.length, "column")} in ${amount(datasets, "dataset")}${more}`;
}
