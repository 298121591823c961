import { useState } from "react";
import { useAnswer, type Write } from "./api";
import { usePlace } from "./navigate";
import { exact, local, utc } from "./time";

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
  const input = (label: string, key: Moment) => (
    <label>
      {label}
      <input type="datetime-local" step={1} value={local(view[key])} onChange={(e) => go({ [key]: utc(e.target.value) }, true)} />
    </label>
  );
  return (
    <span className="group">
      <label>
        Time
        <select value={mode} onChange={(e) => choose(e.target.value as Mode)}>
          <option value="now">now</option>
          <option value="at">as of…</option>
          <option value="range">between…</option>
          <option value="compare">changes between…</option>
        </select>
      </label>
      {mode === "at" && <>{input("as of", "at")}<RunOf moment="at" label="as of run" /></>}
      {mode === "range" && <>{input("from", "start")}{input("until", "end")}</>}
      {mode === "compare" && (
        <>
          {input("from", "before")}<RunOf moment="before" label="from run" />
          {input("to", "at")}<RunOf moment="at" label="to run" />
        </>
      )}
    </span>
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
