import { useState } from "react";
import { useAnswer, type Write } from "./api";
import { Menu } from "./Menu";
import { usePlace } from "./navigate";
import { exact, local, utc } from "./time";
import type { View } from "./url";

type Mode = "now" | "at" | "range" | "compare";
type Moment = "at" | "start" | "end" | "before";

/** Of which time the lineage is shown, or between which two it is compared: a time, or a run's. */
export function TimeControl() {
  const { view, go } = usePlace();
  const inView: Mode = view.before ? "compare" : view.at ? "at" : view.start || view.end ? "range" : "now";
  const [chosen, setChosen] = useState<Mode>(inView);
  const mode = inView === "now" ? chosen : inView;
  const choose = (next: Mode): void => {
    setChosen(next);
    go({ at: "", start: "", end: "", before: "", expand: [] });
  };
  return (
    <Menu className="times" title={said(view)}>
      <label>
        Time
        <select value={mode} onChange={(e) => choose(e.target.value as Mode)}>
          <option value="now">now</option>
          <option value="at">as of…</option>
          <option value="range">between…</option>
          <option value="compare">compare…</option>
        </select>
      </label>
      {mode === "at" && <MomentOf label="as of" moment="at" run="as of run" />}
      {mode === "range" && <><Input label="from" moment="start" /><Input label="until" moment="end" /></>}
      {mode === "compare" && (
        <>
          <MomentOf label="from" moment="before" run="from run" />
          <MomentOf label="to" moment="at" run="to run" />
        </>
      )}
    </Menu>
  );
}

/** The times that are chosen, in short. */
function said({ at, start, end, before }: View): string {
  if (before) return `${exact(before)} → ${at ? exact(at) : "now"}`;
  if (start || end) return `${start ? exact(start) : "the beginning"} – ${end ? exact(end) : "now"}`;
  return at ? `as of ${exact(at)}` : "now";
}

/** A time, or that of a run which wrote the dataset. */
export function MomentOf({ label, moment, run }: { label: string; moment: "at" | "before"; run: string }) {
  return <span className="group"><Input label={label} moment={moment} /><RunOf moment={moment} label={run} /></span>;
}

function Input({ label, moment }: { label: string; moment: Moment }) {
  const { view, go } = usePlace();
  return (
    <label>
      {label}
      <input type="datetime-local" step={1} value={local(view[moment])} onChange={(e) => go({ [moment]: utc(e.target.value) }, true)} />
    </label>
  );
}

/** The runs that wrote the dataset, to choose one instead of a time. */
function RunOf({ moment, label }: { moment: "at" | "before"; label: string }) {
  const { view, go } = usePlace();
  const query = new URLSearchParams({ namespace: view.namespace, name: view.name });
  const { data } = useAnswer<{ writes: Write[] }>("writes", query);
  const writes = data?.writes ?? [];
  return (
    <select
      aria-label={label}
      value={writes.some((one) => one.at === view[moment]) ? view[moment] : ""}
      onChange={(e) => go({ [moment]: e.target.value })}
    >
      <option value="">{moment === "at" && view.before ? "now" : "a run…"}</option>
      {writes.map((one) => (
        <option key={`${one.at} ${one.run?.id}`} value={one.at}>
          {exact(one.at)} {one.run?.dag_run ?? one.job ?? ""}
        </option>
      ))}
    </select>
  );
}
