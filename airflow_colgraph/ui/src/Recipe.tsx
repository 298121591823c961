import type { Edge, Field } from "./api";
import { KINDS, kindOf, words } from "./kinds";
import { labels } from "./names";
import { NodeLink } from "./NodeLink";
import { recipe } from "./recipe";
import { exact } from "./time";

/** The whole recipe of a column: a line for each column on the way, from the sources on. */
export function Recipe({ column, edges }: { column: Field; edges: readonly Edge[] }) {
  const steps = recipe(edges, column);
  if (steps.length < 2) return null; // the steps of the one job say more
  const names = labels(steps.flatMap(({ output, inputs }) => [output.name, ...inputs.map((edge) => edge.input.name)]));
  return (
    <section>
      <h3>Recipe</h3>
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
