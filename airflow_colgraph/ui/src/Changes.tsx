import { useAnswer, type Write } from "./api";
import { BeforeAfter } from "./BeforeAfter";
import { counted, runAt, sidesOf, useDelta } from "./changes";
import { useExpressions } from "./expressions";
import { amount, boxId, type Link, type Graph, rowId } from "./graph";
import { usePlace } from "./navigate";
import { RunLink } from "./RunLink";
import { LeftOut } from "./States";
import { exact } from "./time";

/** What changed in the dataset itself, and beside it what follows upstream and downstream, in short. */
export function ChangesInShort({ graph }: { graph: Graph }) {
  const { view } = usePlace();
  const delta = useDelta(view).data;
  const others = beside(graph, boxId(view));
  return (
    <>
      {delta && <strong>{counted(delta.counts)} in {view.name.split("/").filter(Boolean).at(-1)}</strong>}
      {others && <> · {others}</>}
    </>
  );
}

/** The same of a DAG or a task, which is compared with an earlier run. */
export function RunChanges({ graph }: { graph: Graph }) {
  const { view } = usePlace();
  return <>Compared with run <strong>{view.before}</strong>: {counts(graph.links) || "the same links"}</>;
}

/** The same with the two runs that are compared, and each change of the dataset itself before and after. */
export function Changes({ graph }: { graph: Graph }) {
  const { view } = usePlace();
  const { namespace, name, before, at } = view;
  const { data } = useAnswer<{ writes: Write[] }>("writes", new URLSearchParams({ namespace, name, limit: "1000" }));
  const delta = useDelta(view).data;
  const [was, is] = [useExpressions([{ namespace, name }], before), useExpressions([{ namespace, name }], at)];
  const end = (time: string) => {
    const write = runAt(data?.writes ?? [], time);
    return <>{write?.run && <RunLink run={write.run} />} ({time ? exact(time) : write ? exact(write.at) : "now"})</>;
  };
  return (
    <section className="changes">
      <p>From {end(before)} to {end(at)}: <ChangesInShort graph={graph} /></p>
      <LeftOut count={delta?.left_out ?? 0} noun="change" />
      <ul className="causes">
        {delta?.changes.map((change) => {
          const row = rowId({ namespace, name, field: change.column });
          return (
            <li key={`${change.kind} ${change.column} ${change.before} ${change.after}`}>
              <strong>{change.kind.replaceAll("-", " ")}</strong> {change.column || "all rows"} <BeforeAfter {...sidesOf(change, was(row), is(row))} />
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** What changed elsewhere in the picture: `elsewhere here 2 links new, 1 gone`. */
function beside(graph: Graph, own: string): string {
  const text = counts(graph.links.filter((link) => link.target !== own));
  return text && `elsewhere in this picture: ${text}`;
}

const WORDS = { added: "new", removed: "gone", changed: "changed" } as const;

/** `2 links new, 1 link gone`. */
function counts(links: readonly Link[]): string {
  const count = (change: keyof typeof WORDS): number => links.filter((link) => link.change === change).length;
  const some = (["added", "removed", "changed"] as const).filter((change) => count(change));
  return some.map((change) => `${amount(count(change), "link")} ${WORDS[change]}`).join(", ");
}
