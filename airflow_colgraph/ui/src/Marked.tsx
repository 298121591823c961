import type { ReactNode } from "react";
import { parts } from "./search";

/** The name with what was searched for marked. */
export function Marked({ name, text }: { name: string; text: string }): ReactNode {
  return parts(name, text).map(([part, hit], i) => (hit ? <mark key={i}>{part}</mark> : part));
}
