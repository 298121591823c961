import { memo } from "react";
import { type Graph, isCompared } from "./graph";
import { Layer } from "./Layer";
import { KINDS, kindOf, kindsOf } from "./kinds";

const NAMED = 8; // layers; of more their number

/** What the lines, signs and colours of this picture mean. */
export const Legend = memo(function Legend({ graph, lacking, layers }: { graph: Graph; lacking: boolean; layers: readonly string[] }) {
  const edges = graph.links.flatMap((link) => link.edges);
  const kinds = kindsOf(edges).filter((kind) => kind !== "unknown");
  const compared = isCompared(graph);
  const datasets = edges.length > 0 && edges.every((edge) => edge.type === "DATASET");
  const missing = lacking && <span><span className="lacking">⚠</span> lineage missing</span>;
  const named = layers.slice(0, NAMED).map((layer) => <span key={layer}><Layer name={layer} stripe /> </span>);
  const rest = layers.length > NAMED && <span title={layers.slice(NAMED).join(", ")}>{layers.length - NAMED} more layers</span>;
  if (datasets) return (
    <p className="legend">
      {missing}{" "}
      <span><span className="line" /> upstream to downstream</span>{" "}
      <span><span className="state-sign success" data-sign="✓" /> <span className="state-sign failed" data-sign="✗" /> last run of the task that writes it</span>{" "}
      {named}{rest}
    </p>
  );
  return (
    <p className="legend">
      {missing}{" "}
      <span><span className="line direct" /> values</span> {edges.some((edge) => kindOf(edge) === "condition") && <span><span className="line indirect" /> conditions</span>}
      {compared && <> <span><span className="line added" /> new</span> <span><span className="line removed" /> gone</span> <span><span className="line changed" /> changed</span></>}
      {!compared && kinds.map((kind) => (
        <span key={kind}> <span className={`sign ${kind}`} data-sign={KINDS[kind].sign} /> {KINDS[kind].words}</span>
      ))}
      {edges.some((edge) => kindOf(edge) === "unknown") && <span> <span className="line unknown" /> kind not known</span>}{" "}
      {named}{rest}
    </p>
  );
});
