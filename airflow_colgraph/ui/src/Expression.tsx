import { useEffect, useState } from "react";
import { type Chain, useAnswer } from "./api";
import { described } from "./kinds";
import { usePlace } from "./navigate";

const REST = 150; // milliseconds on a field after which its expression is asked for

/** The expression of the field that is pointed at, in a line of its own below the picture. */
export function Expression({ row }: { row: string | null }) {
  const { view } = usePlace();
  const [namespace = "", name = "", field = ""] = row ? (JSON.parse(row) as string[]) : [];
  const [rested, setRested] = useState("");
  useEffect(() => {
    const timer = window.setTimeout(() => setRested(row ?? ""), REST);
    return () => window.clearTimeout(timer);
  }, [row]);
  const query = new URLSearchParams({ namespace, name, field });
  if (view.at) query.set("at", view.at);
  const { data } = useAnswer<{ chains: Chain[] }>("operations", query, field !== "" && rested === row);
  const chain = data?.chains.find((one) => one.holds) ?? data?.chains[0];
  const steps = chain?.operations.filter((one) => !one.inputs.endPoint && !one.outputs.endPoint && one.description) ?? [];
  return (
    <p className="pointed" aria-hidden="true">
      {field && steps.length > 0 && <><strong>{field}</strong> <code>{steps.map((one) => described(one.description).text).join(" → ")}</code> <small>{chain?.job?.name}</small></>}
    </p>
  );
}
