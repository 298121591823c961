import type { Edge, Field } from "./api";
import { useExpressions } from "./expressions";
import { boxId, rowId } from "./graph";
import { KINDS, kindOf, words } from "./kinds";
import { labels } from "./names";
import { NodeLink } from "./NodeLink";
import { recipe } from "./recipe";
import { exact } from "./time";

const MOST = 40; // datasets whose expressions are asked for: those nearest to the column

/** The whole recipe of a column: each column on the way with its expression, from the sources on. */
export function Recipe({ column, edges, at }: { column: Field; edges: readonly Edge[]; at: string }) {
  const steps = recipe(edges, column);
  const outputs = steps.length < 2 ? [] : [...new Map(steps.map(({ output }) => [boxId(output), output])).values()];
  const expression = useExpressions(outputs.slice(-MOST), at);
  if (steps.length < 2) return null; // the steps of the one job say more
  const names = labels(steps.flatMap(({ output, inputs }) => [output.name, ...inputs.map((edge) => edge.input.name)]));
  return (
    <section>
      <h3>Recipe</h3>
      {outputs.length > MOST && <p className="note">Expressions are shown for the {MOST} datasets that are nearest.</p>}
      <ol className="steps">
        {steps.map(({ output, inputs }) => (
          <li key={`${output.namespace} ${output.name} ${output.field}`}>
            <NodeLink of={output} names={names} /> <small>from</small>{" "}
            {inputs.map((edge, i) => (
              <span key={`${edge.input.namespace} ${edge.input.name} ${edge.input.field} ${edge.subtype} ${edge.description}`}>
                {i > 0 && ", "}<NodeLink of={edge.input} names={names} /> <small>({edge.description || how(edge)})</small>
              </span>
            ))}
            <Reported edge={inputs[0]} />
            {expression(rowId(output)) && <code className="expression">{expression(rowId(output))}</code>}
          </li>
        ))}
      </ol>
    </section>
  );
}

const how = (edge: Edge): string => (kindOf(edge) === "condition" ? words(edge) : KINDS[kindOf(edge)].words);

function Reported({ edge }: { edge: Edge | undefined }) {
  const report = edge?.reported_by[0];
  if (!report?.job) return null;
  return <small title={exact(report.last_seen)}> by {report.job.task_id ?? report.job.name}</small>;
}
