import { useEffect } from "react";
import { useAnswer, type Write } from "./api";
import { BeforeAfter } from "./BeforeAfter";
import { FieldQuestions } from "./FieldQuestions";
import { amount } from "./graph";
import { labels } from "./names";
import { Heading, To, usePlace } from "./navigate";
import { NodeLink } from "./NodeLink";
import { type Cause, causes, ownersQuestion, type Reason, since, type Why } from "./questions";
import { RunLink } from "./RunLink";
import { Answered, Empty, LeftOut } from "./States";
import { MomentOf } from "./TimeControl";
import { exact } from "./time";

/** What changed upstream of a field between two times: causes, each with what follows from it. */
export function WhyPage() {
  const { view, go } = usePlace();
  const { namespace, name, before, at } = view;
  const [field = ""] = view.fields;
  const writes = useAnswer<{ writes: Write[] }>("writes", new URLSearchParams({ namespace, name }));
  const first = writes.data && !before ? since(writes.data.writes, at) : "";
  useEffect(() => {
    if (first) go({ before: first }, true);
  }, [first]);
  const answer = useAnswer<Why>("why", ownersQuestion(view, "why"), before !== "");
  return (
    <div className="page">
      <p className="crumbs"><To view={{ namespace, name }}>{name}</To> <small>{namespace}</small></p>
      <Heading>Why is {field} different? {answer.data && <small>{counted(answer.data.reasons)}</small>}</Heading>
      <FieldQuestions field={[namespace, name, field]} shown="why" times={{ at }} />
      <div className="controls" role="toolbar" aria-label="Options">
        <MomentOf label="Before" moment="before" run="right in run" />
        <MomentOf label="After" moment="at" run="different in run" />
      </div>
      {before ? <Answered query={answer} what="the changes">{(found) => <Found found={found} />}</Answered> : (
        <Answered query={writes} what="the runs">
          {() => first ? null : <Empty>No earlier run is known to have written it. Choose a time to compare with.</Empty>}
        </Answered>
      )}
    </div>
  );
}

function Found({ found }: { found: Why }) {
  const { view } = usePlace();
  const { namespace, name, fields } = view;
  const names = labels([...found.reasons.map((one) => one.name), name]);
  return (
    <>
      <p>
        Upstream, {exact(found.since)} compared with {exact(found.until)}.{" "}
        <To view={{ namespace, name, fields, before: found.since, at: found.until, direction: "upstream" }}>The difference as a graph</To>
      </p>
      {found.notes.map((note) => <p key={note} className="note">{note}</p>)}
      <LeftOut count={found.left_out} noun="change" />
      {found.reasons.length === 0 ? <Empty>Nothing is known to have changed.</Empty> : (
        <ol className="causes">{causes(found.reasons).map((one) => <CauseOf key={one.reason.rank} cause={one} names={names} runs={found.runs} />)}</ol>
      )}
    </>
  );
}

function CauseOf({ cause, names, runs }: { cause: Cause; names: ReadonlyMap<string, string>; runs: Why["runs"] }) {
  const { reason, consequences } = cause;
  const run = reason.run ? runs[reason.run] : undefined;
  return (
    <li>
      <strong>{reason.kind.replaceAll("-", " ")}</strong> <NodeLink of={reason} names={names} />{" "}
      <small>{reason.distance === 0 ? "here" : `${amount(reason.distance, "hop")} upstream`}</small>
      {(reason.before || reason.after) && (
        <p className="change"><BeforeAfter before={reason.before} after={reason.after} /></p>
      )}
      <p className="note">{exact(reason.at)}{reason.job && ` by ${reason.job}`}{run && <>, <RunLink run={run} /></>}</p>
      {!reason.reached && <p className="note">No run has passed it on to the column yet.</p>}
      {consequences.length > 0 && (
        <details open>
          <summary>{amount(consequences.length, "consequence")}</summary>
          <ul>{consequences.map((one) => <CauseOf key={one.reason.rank} cause={one} names={names} runs={runs} />)}</ul>
        </details>
      )}
    </li>
  );
}

/** `2 causes, 3 consequences`. */
function counted(reasons: readonly Reason[]): string {
  const roots = reasons.filter((one) => one.because === null).length;
  const others = reasons.length - roots;
  return [amount(roots, "cause"), ...(others ? [amount(others, "consequence")] : [])].join(", ");
}
