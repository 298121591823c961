import type { Field } from "./api";
import { To } from "./navigate";

interface Props { of: Field; names?: ReadonlyMap<string, string> }

/** A dataset by the shortest name that tells it from the others; pointing at it shows all of it. */
export function DatasetLink({ of, names }: Props) {
  return <span title={`${of.namespace} ${of.name}`}><To view={{ namespace: of.namespace, name: of.name }}>{names?.get(of.name) ?? of.name}</To></span>;
}

/** `dataset.field`, a link to the field's lineage; a dataset is one to its page. */
export function NodeLink({ of, names }: Props) {
  if (!of.field) return <DatasetLink of={of} {...(names ? { names } : {})} />;
  return (
    <span title={`${of.namespace} ${of.name}`}>
      <To view={{ namespace: of.namespace, name: of.name, fields: [of.field] }}>{`${names?.get(of.name) ?? of.name}.${of.field}`}</To>
    </span>
  );
}
