// Short names that still tell datasets apart. Pure.

import { isInFolders, isSaidBySign } from "./storage";

export const MOST = 24; // characters that a box has room for

/** For each name the last parts of its path that no other name ends in, cut to `most` characters. */
export function labels(names: Iterable<string>, most: number = MOST): Map<string, string> {
  const all = [...new Set(names)];
  const paths = all.map((name) => name.split("/").filter(Boolean));
  const ends = new Map<string, number>();
  for (const parts of paths) {
    for (let n = 1; n <= parts.length; n += 1) count(ends, parts.slice(-n).join("/"));
  }
  const shortest = paths.map((parts, i) => {
    for (let n = 1; n < parts.length; n += 1) {
      const end = parts.slice(-n).join("/");
      if (ends.get(end) === 1) return n === 1 ? end : `…/${end}`;
    }
    return all[i] ?? "";
  });
  const groups = new Map<string, string[]>();
  for (const label of shortest) groups.set(middle(label, most), [...(groups.get(middle(label, most)) ?? []), label]);
  const cut = new Map<string, string>();
  for (const [label, alike] of groups) {
    const same = commonStart(alike);
    for (const one of alike) cut.set(one, alike.length === 1 ? label : ending(`…${one.slice(Math.max(0, same - 4))}`, most));
  }
  return new Map(all.map((name, i) => [name, cut.get(shortest[i] ?? "") ?? name]));
}

/** A label in two: the own name, and the folders that tell it from others, if it has some. */
export function nameAndFolders(label: string): [name: string, folders: string] {
  const at = label.startsWith("…/") ? label.lastIndexOf("/") : -1;
  return at > 1 && at < label.length - 1 ? [label.slice(at + 1), label.slice(0, at)] : [label, ""];
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** The text without its middle if it is too long: names begin and end with what tells them apart. */
export function middle(text: string, most: number): string {
  const tail = Math.floor(most * 0.6);
  return text.length <= most ? text : `${text.slice(0, most - 1 - tail)}…${text.slice(-tail)}`;
}

const ending = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most - 1)}…`);

function commonStart(texts: readonly string[]): number {
  const [first = ""] = texts;
  let same = 0;
  while (same < first.length && texts.every((text) => text[same] === first[same])) same += 1;
  return same;
}

interface Named { label: string; namespace: string; name: string }

/** The own name of a dataset, and what is before it: folders, or the database and schema of a table. */
function nameAndBefore(dataset: Named): [name: string, before: string] {
  if (isInFolders(dataset)) return nameAndFolders(dataset.label);
  const at = dataset.name.lastIndexOf(".");
  return at > 0 && at < dataset.name.length - 1 ? [dataset.name.slice(at + 1), dataset.name.slice(0, at)] : nameAndFolders(dataset.label);
}

/** The own name of a dataset. */
export const ownName = (dataset: Named): string => nameAndBefore(dataset)[0];

/** A dataset's own name, and what distinguishes it beside its layer: what is before it, or else the namespace if its sign does not say it. */
export function nameAndPlace(dataset: Named, layer: string): [string, string] {
  const { namespace } = dataset;
  const [name, before] = nameAndBefore(dataset);
  const rest = before === layer ? "" : before.endsWith(`.${layer}`) ? before.slice(0, -layer.length - 1) : before;
  if (rest && rest !== `…/${layer}`) return [name, rest];
  return [name, layer && isSaidBySign(namespace) ? "" : namespace];
}
