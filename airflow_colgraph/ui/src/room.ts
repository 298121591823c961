// How much of a column's name a row of a box has room for.

import { WIDTH } from "./boxes";
import { middle } from "./names";

const ROW = WIDTH - 20; // pixels between the paddings
const SIGN = 23; // of a sign, or of what tells that a row is new
const GAP = 5;
const TYPE = 0.45; // of a row, at most
const HEAD = 31; // borders and paddings beside a title
const ICON = 22; // with its margin
const EDGES = 24; // borders and paddings of a head
const MOST_OF_CHIP = 190; // as .chip of style.css
const STATE = 34; // the sign of a state, with what is beside it and the name
const COUNT = 36; // of other tasks
const NAME = 0.68; // of a row, beside an expression

const cache = new Map<string, number>();
let pen: CanvasRenderingContext2D | null = null;

function widthOf(text: string, font: string): number {
  const key = `${font} ${text}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  pen ??= document.createElement("canvas").getContext("2d");
  if (!pen) return 0;
  pen.font = `${font} ${getComputedStyle(document.body).fontFamily}`;
  const { width } = pen.measureText(text);
  cache.set(key, width);
  return width;
}

interface Beside { signs: number; bold: boolean; type: string | undefined; expression: string | undefined }

/** The name as it is, or without its middle if the row has no room for it. */
export function nameIn(name: string, { signs, bold, type, expression }: Beside): string {
  const font = bold ? "600 15px" : "400 15px";
  const beside = type && !expression ? Math.min(widthOf(type, font), TYPE * ROW) + GAP : 0;
  return within(name, font, Math.min(ROW - SIGN * signs - beside, expression ? NAME * ROW : ROW) - 1);
}

/** The name of a dataset at the head of a box that is so wide, in the same way; beside the sign of its storage, if that has one. */
export const titleIn = (name: string, width: number, signed: boolean): string => within(name, "700 17px", width - (signed ? ICON : 0) - HEAD);

/** The name of a task in its chip: a box that is so wide has room for one chip, and for a count of the others. */
export const chipIn = (name: string, width: number, others: number): string => within(name, "400 15px", Math.min(MOST_OF_CHIP, width - EDGES - (others > 0 ? COUNT : 0)) - STATE);

/** The text, or as much of both its ends as there is room for. */
function within(name: string, font: string, room: number): string {
  let text = name;
  for (let most = name.length - 1; most > 3 && widthOf(text, font) > room; most -= 1) text = middle(name, most);
  return text;
}
