import { useAnswer, type Write } from "./api";
import { counted, runAt, useDelta } from "./changes";
import { boxId, type Graph } from "./graph";
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

/** The same with the two runs that are compared, and each change of the dataset itself before and after. */
export function Changes({ graph }: { graph: Graph }) {
  const { view } = usePlace();
  const { namespace, name, before, at } = view;
  const { data } = useAnswer<{ writes: Write[] }>("writes", new URLSearchParams({ namespace, name, limit: "1000" }));
  const delta = useDelta(view).data;
  const end = (time: string) => {
    const write = runAt(data?.writes ?? [], time);
    return <>{write?.run && <RunLink run={write.run} />} ({time ? exact(time) : write ? exact(write.at) : "now"})</>;
  };
  return (
    <section className="changes">
      <p>From {end(before)} to {end(at)}: <ChangesInShort graph={graph} /></p>
      <LeftOut count={delta?.left_out ?? 0} noun="change" />
      <ul className="causes">
        {delta?.changes.map(({ kind, column, before: was, after: is }) => (
          <li key={`${kind} ${column} ${was} ${is}`}>
            <strong>{kind.replaceAll("-", " ")}</strong> {column || "all rows"} {(was || is) && <><code>{was || "nothing"}</code> → <code>{is || "nothing"}</code></>}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What changed elsewhere in the picture: `elsewhere here 2 links new, 1 gone`. */
function beside(graph: Graph, own: string): string {
  const others = graph.links.filter((link) => link.target !== own);
  const parts = (["added", "removed", "changed"] as const).map((change) => {
    const count = others.filter((link) => link.change === change).length;
    return count ? `${count} ${change === "added" ? "new" : change === "removed" ? "gone" : "changed"}` : "";
  });
  const text = parts.filter(Boolean).join(", ");
  return text && `links of other datasets in this picture: ${text}`;
}
