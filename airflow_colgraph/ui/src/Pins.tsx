import { type FieldRow, useAnswer } from "./api";
import { usePlace } from "./navigate";

/** The fields whose lineage is shown: each can be taken off, and others of the dataset added. */
export function Pins() {
  const { view, go } = usePlace();
  const { namespace, name, fields } = view;
  const { data } = useAnswer<{ fields: FieldRow[] }>("fields", new URLSearchParams({ namespace, name }));
  const others = data?.fields.filter((row) => !row.dropped && !fields.includes(row.name)) ?? [];
  return (
    <p className="pins">
      {fields.length > 1 &&
        fields.map((field) => (
          <button key={field} type="button" aria-label={`Unpin ${field}`} onClick={() => go({ fields: fields.filter((one) => one !== field) })}>
            {field} <span aria-hidden="true">×</span>
          </button>
        ))}
      {others.length > 0 && (
        <select aria-label="Pin another field" value="" onChange={(e) => go({ fields: [...fields, e.target.value] })}>
          <option value="">Pin another field…</option>
          {others.map((row) => <option key={row.name}>{row.name}</option>)}
        </select>
      )}
    </p>
  );
}
