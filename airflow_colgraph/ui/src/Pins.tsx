import { type FieldRow, useAnswer } from "./api";
import { short } from "./graph";
import { usePlace } from "./navigate";
import { pinned, unpin } from "./pinned";

/** The fields whose lineage is shown: each can be taken off, and others of the dataset added. */
export function Pins() {
  const { view, go } = usePlace();
  const { namespace, name, fields } = view;
  const { data } = useAnswer<{ fields: FieldRow[] }>("fields", new URLSearchParams({ namespace, name }));
  const others = data?.fields.filter((row) => !row.dropped && !fields.includes(row.name)) ?? [];
  const all = pinned(view);
  return (
    <p className="pins">
      {all.length > 1 &&
        all.map((one) => {
          const [space, dataset, field] = one;
          const home = space === namespace && dataset === name;
          const rest = unpin(view, one);
          return (
            <button
              key={JSON.stringify(one)}
              type="button"
              title={`${space} ${dataset}`}
              aria-label={`Unpin ${field}${home ? "" : ` of ${short(dataset)}`}`}
              onClick={() => rest && go({ ...rest, expand: [] })}
            >
              {field} {!home && <small>of {short(dataset)} </small>}<span aria-hidden="true">×</span>
            </button>
          );
        })}
      {others.length > 0 && (
        <select aria-label="Pin another column" value="" onChange={(e) => go({ fields: [...fields, e.target.value] })}>
          <option value="">+ column</option>
          {others.map((row) => <option key={row.name}>{row.name}</option>)}
        </select>
      )}
    </p>
  );
}
