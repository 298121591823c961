// The layer of a lake or warehouse that a dataset is in, such as raw or mart. Pure.

import { isInFolders } from "./storage";

const TAG = /^layer[=:](.+)$/i;

/** The tag `layer=x` or `layer:x`, or else the schema of a table, or the folder of files; empty if nothing says it. */
export function layerOf({ namespace, name }: { namespace: string; name: string }, tags: readonly string[] = []): string {
  const tagged = tags.map((tag) => TAG.exec(tag)?.[1]).find(Boolean);
  if (tagged) return tagged;
  const parts = isInFolders({ namespace, name }) ? name.split("/").filter((part) => part && !part.includes("=")) : name.split("."); // k=v: a partition
  if (namespace === "file" && parts.length < 3) return ""; // the first folder of a machine is no layer
  return (parts.at(-2) ?? "").replace(/\.db$/, "");
}

/** The hue of a layer's colour, in degrees: the same for the same name. */
export function hueOf(layer: string): number {
  let hash = 2166136261; // FNV-1a
  for (const letter of layer.toLowerCase()) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 16777619);
  return (((hash ^ (hash >>> 15)) >>> 0) % 24) * 15;
}
