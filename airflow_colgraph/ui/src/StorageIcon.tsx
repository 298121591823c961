import { type Storage, STORAGES, storageOf } from "./storage";

const SHAPES: Record<Storage, string> = { // in a square of 16
  files: "M2 4h4l1.5 2H14v7H2z",
  bucket: "M2.5 4.5h11L12 13.5H4zM2.5 4.5a5.5 1.8 0 0 1 11 0",
  database: "M3 4a5 2 0 0 1 10 0v8a5 2 0 0 1-10 0zM3 4a5 2 0 0 0 10 0M3 8a5 2 0 0 0 10 0",
  stream: "M2 5h9M8 2l3 3-3 3M14 11H5M8 8l-3 3 3 3",
};

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
