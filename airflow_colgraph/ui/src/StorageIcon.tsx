import { SHAPES, STORAGES, storageOf } from "./storage";

/** The sign of the storage that a dataset is in; none if its namespace does not say. */
export function StorageIcon({ namespace }: { namespace: string }) {
  const storage = storageOf(namespace);
  if (!storage) return null;
  return (
    <svg className="storage" data-storage={storage} viewBox="0 0 16 16" role="img" aria-label={STORAGES[storage]}>
      <path d={SHAPES[storage]} />
    </svg>
  );
}
