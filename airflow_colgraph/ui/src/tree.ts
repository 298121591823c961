// Datasets by namespace and folder. Pure.

export interface Named { namespace: string; name: string }
export interface Folder<T> { namespace: string; folder: string; datasets: (T & { last: string })[] }

/** The datasets of each folder of each namespace, in order: paths end at the last slash, other names at the last dot. */
export function folders<T extends Named>(datasets: readonly T[]): Folder<T>[] {
  const found = new Map<string, Folder<T>>();
  for (const one of datasets) {
    const whole = one.name.replace(/\/+$/, "");
    const cut = whole.includes("/") ? whole.lastIndexOf("/") : whole.lastIndexOf(".");
    const folder = whole.slice(0, Math.max(0, cut)) || (cut === 0 ? "/" : "");
    const key = JSON.stringify([one.namespace, folder]);
    const known = found.get(key) ?? { namespace: one.namespace, folder, datasets: [] };
    known.datasets.push({ ...one, last: whole.slice(cut + 1) || one.name });
    found.set(key, known);
  }
  const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  return [...found.values()].sort((a, b) => order(a.namespace, b.namespace) || order(a.folder, b.folder));
}
