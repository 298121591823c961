// The state of a run, as Airflow calls it. Pure.

const STATES: Record<string, { sign: string; words: string }> = {
  COMPLETE: { sign: "✓", words: "success" },
  FAIL: { sign: "✗", words: "failed" },
  ABORT: { sign: "✗", words: "aborted" },
  START: { sign: "…", words: "running" },
  RUNNING: { sign: "…", words: "running" },
};

/** The sign and the word of a state; a state of another producer is its own word. */
export function stateOf(state: string | undefined): { sign: string; words: string } {
  return STATES[state ?? ""] ?? { sign: "", words: state?.toLowerCase() ?? "" };
}

export type Fate = "failed" | "running" | "silent";

/** What became of a run that did not both succeed and report. */
export function fate({ state }: { state: string }): Fate {
  const { words } = stateOf(state);
  return words === "failed" || words === "aborted" ? "failed" : words === "running" ? "running" : "silent";
}
