// The fields whose lineage is shown together: those of the page's dataset, and of others. Pure.

import type { FieldKey, View } from "./url";

type Pinned = Pick<View, "namespace" | "name" | "fields" | "pins">;

const same = (a: FieldKey, b: FieldKey): boolean => a.every((word, i) => word === b[i]);

/** All of them, the page's dataset first. */
export function pinned(view: Pinned): FieldKey[] {
  return [...view.fields.map((field): FieldKey => [view.namespace, view.name, field]), ...view.pins];
}

/** The state with these; the first one's dataset is the page's. */
function holding(fields: readonly FieldKey[]): Pinned | null {
  const [first] = fields;
  if (!first) return null;
  const [namespace, name] = first;
  const home = ([space, dataset]: FieldKey): boolean => space === namespace && dataset === name;
  return { namespace, name, fields: fields.filter(home).map((one) => one[2]), pins: fields.filter((one) => !home(one)) };
}

/** The state with one more; null where it is shown already or a whole dataset is. */
export function pin(view: Pinned, field: FieldKey): Pinned | null {
  const now = pinned(view);
  return view.fields.length === 0 || now.some((one) => same(one, field)) ? null : holding([...now, field]);
}

/** The state without the field; null where nothing would be left. */
export function unpin(view: Pinned, field: FieldKey): Pinned | null {
  return holding(pinned(view).filter((one) => !same(one, field)));
}
