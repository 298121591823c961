import { useState } from "react";
import { type Fields, useAnswer } from "./api";
import { Download } from "./Download";
import { fileName } from "./files";
import { amount } from "./graph";
import { labels } from "./names";
import { Heading, To, usePlace } from "./navigate";
import { DatasetLink } from "./NodeLink";
import { MOST_UNUSED, ownersQuestion, type Unused, type UnusedField } from "./questions";
import { Answered, Empty, Failed } from "./States";
import { ago, exact } from "./time";

const FIRST = 200; // rows
const EVERY = 100_000; // that the API answers with
const DAYS = [7, 30, 90, 180, 365];

/** The fields of a dataset, or of all, that no job has used for some days. */
export function UnusedPage() {
  const { view, go } = usePlace();
  const { namespace, name } = view;
  const [limit, setLimit] = useState(MOST_UNUSED);
  const query = ownersQuestion(view, "unused");
  query.set("limit", String(limit));
  const fields = useAnswer<Fields>("fields", new URLSearchParams({ namespace, name }), name !== "");
  const answer = useAnswer<Unused>("unused", query, name === "" || fields.data !== undefined);
  const total = fields.data?.fields.filter((row) => !row.dropped).length;
  const days = DAYS.includes(view.days) ? DAYS : [...DAYS, view.days].sort((a, b) => a - b);
  return (
    <div className="page">
      <p className="crumbs">{name ? <><To view={{ namespace, name }}>{name}</To> <small>{namespace}</small></> : "All datasets"}</p>
      <Heading>Unused columns {answer.data && <small>{counted(answer.data, total)}</small>}</Heading>
      <div className="controls" role="toolbar" aria-label="Options">
        <label>
          Not used in the last
          <select value={view.days} onChange={(e) => go({ days: Number(e.target.value) })}>
            {days.map((one) => <option key={one} value={one}>{amount(one, "day")}</option>)}
          </select>
        </label>
        <span className="group exports"><Download route="unused" query={query} name={fileName(view, "unused", "json")}>Download as JSON</Download></span>
      </div>
      {fields.error ? <Failed error={fields.error} /> : (
        <Answered query={answer} what="the unused columns">
          {(found) => <Found answer={found} dataset={name !== ""} more={() => setLimit(EVERY)} />}
        </Answered>
      )}
      <p className="note">
        Only what jobs reported counts: a notebook, a dashboard or a person that reads the data without reporting is not known here.
      </p>
    </div>
  );
}

function Found({ answer, dataset, more }: { answer: Unused; dataset: boolean; more: () => void }) {
  const { view } = usePlace();
  const [all, setAll] = useState(false);
  const { unused, count, truncated } = answer;
  if (unused.length === 0) return <><Empty>{dataset && answer.unread_count > 0 ? "No job has read this dataset yet." : `Every column was used in the last ${amount(view.days, "day")}.`}</Empty><Unread count={answer.unread_count} /></>;
  const names = labels(unused.map((one) => one.name));
  const unknown = [...new Set(unused.flatMap((one) => one.unknown_readers))].sort();
  const perhaps = perhapsUsed(unused);
  return (
    <>
      <Unread count={answer.unread_count} />
      {perhaps > 0 && (
        <p className="warning" role="status">
          Perhaps used: {amount(perhaps, "column")}. Which columns these jobs use is unknown: {unknown.join(", ") || "jobs that you may not read"}.
        </p>
      )}
      {truncated && (
        <p className="warning" role="status">
          The first {unused.length.toLocaleString("en")} of {count.toLocaleString("en")}.{" "}
          {unused.length < EVERY && <button type="button" onClick={more}>Load more</button>}
        </p>
      )}
      <div className="scroll" tabIndex={0} role="region" aria-label="Unused columns">
        <table>
          <thead><tr><th>Column</th>{!dataset && <th>Dataset</th>}<th>Status</th><th>Last used</th><th>Jobs that read the dataset</th></tr></thead>
          <tbody>
            {(all ? unused : unused.slice(0, FIRST)).map((one) => (
              <tr key={JSON.stringify([one.namespace, one.name, one.field])}>
                <td data-label="Column"><To view={{ namespace: one.namespace, name: one.name, fields: [one.field] }}>{one.field}</To></td>
                {!dataset && <td data-label="Dataset"><DatasetLink of={one} names={names} /></td>}
                <td data-label="Status">{one.status}</td>
                <td data-label="Last used">{one.last_used ? <span title={exact(one.last_used)}>{ago(one.last_used)}</span> : "never"}</td>
                <td data-label="Jobs that read the dataset">{readers(one)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {!all && unused.length > FIRST && <button type="button" onClick={() => setAll(true)}>Show all {unused.length.toLocaleString("en")} columns</button>}
    </>
  );
}

/** What is left out at first: of the last dataset of a chain nobody can use a column yet. */
function Unread({ count }: { count: number }) {
  const { view, go } = usePlace();
  if (count === 0) return null;
  return (
    <p className="note">
      {amount(count, "column")} of datasets that no job has read yet {view.unread ? "are listed last." : "are left out."}{" "}
      <button type="button" onClick={() => go({ unread: !view.unread })}>{view.unread ? "Leave them out" : "List them too"}</button>
    </p>
  );
}

const perhapsUsed = (unused: readonly UnusedField[]): number => unused.filter((one) => one.status === "perhaps used").length;

function readers({ readers: number, unknown_readers: unknown }: UnusedField): string {
  return `${number}${unknown.length ? `, by unknown columns: ${unknown.join(", ")}` : ""}`;
}

/** `3 of 8 fields, 1 of them perhaps used`. */
function counted({ unused, count, truncated }: Unused, total: number | undefined): string {
  const perhaps = truncated ? 0 : perhapsUsed(unused);
  const of = total === undefined ? amount(count, "column") : `${count} of ${amount(total, "column")}`;
  return `${of}${perhaps ? `, ${perhaps} of them perhaps used` : ""}`;
}
