import type { CSSProperties } from "react";
import { hueOf } from "./layers";

/** Gives the colour of a layer to what has the class `layer`. */
export const layerStyle = (name: string): CSSProperties => ({ "--hue": hueOf(name) }) as CSSProperties;

/** A layer's name in its colour; in the legend with its stripe. */
export function Layer({ name, stripe = false }: { name: string; stripe?: boolean }) {
  return <span className={`layer${stripe ? " striped" : ""}`} style={layerStyle(name)}>{name}</span>;
}
