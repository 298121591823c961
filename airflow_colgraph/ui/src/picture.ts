// The graph as an SVG of its own, and as a PNG: what is drawn, without the page around it.

import type { Box, Change } from "./boxes";
import { type Graph, isCompared, ROW } from "./graph";
import { hueOf } from "./layers";
import { curve } from "./lines";
import { type Kind, KINDS, kindsOf } from "./kinds";
import type { Positions } from "./layout";
import { middle, nameAndPlace } from "./names";
import { SHAPES, STORAGES, storageOf } from "./storage";
import { isJob } from "./tasks";

const MARGIN = 20;
const TITLE = 52; // above the picture
const LEGEND = 30; // below it
const WIDEST = 640; // room for the legend
const ROOM = 30; // characters of a row
const LEAST = 5; // that an expression needs
const COLOURS: Record<Kind, string> = {
  identity: "#64748b", transformed: "#0369a1", aggregated: "#7e22ce", masked: "#15803d", condition: "#a16207", unknown: "#64748b",
};
const CHANGES = { same: "#64748b", added: "#15803d", removed: "#b91c1c", changed: "#a16207" } as const;

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

export interface About { title: string; time: string; expression?: (row: string) => string | undefined; gone?: (row: string) => boolean; layer?: (box: Box) => string }

/** The picture of the laid out graph, with its title, its time and a legend. */
export function svg(graph: Graph, positions: Positions, about: About): string {
  const boxes = graph.boxes.map((box) => ({ box, ...(positions.get(box.id) ?? { x: 0, y: 0 }) }));
  const left = Math.min(...boxes.map((one) => one.x)) - MARGIN;
  const top = Math.min(...boxes.map((one) => one.y)) - MARGIN - TITLE;
  const width = Math.max(WIDEST, Math.max(...boxes.map((one) => one.x + one.box.width)) + MARGIN - left);
  const bottom = Math.max(...boxes.map((one) => one.y + one.box.height)) + MARGIN;
  const height = bottom + LEGEND - top;
  const compared = isCompared(graph);
  const heads = new Set<string>(); // the colours of lines: many viewers know no head in the colour of its line
  const lines = graph.links.map((link) => {
    const found = curve(link, positions);
    if (!found) return "";
    const dash = link.direct ? ' stroke-width="1.5"' : ' stroke-width="1" stroke-dasharray="5 4"';
    const kind = kindsOf(link.edges).filter((one) => !link.direct || one !== "condition").at(-1) ?? "unknown";
    const colour = compared ? CHANGES[link.change] : COLOURS[kind];
    heads.add(colour);
    return `<path d="${found.path}" fill="none" stroke="${colour}"${dash} marker-end="url(#${headOf(colour)})"/>`;
  });
  const text = (x: number, y: number, size: number, words: string, more = ""): string =>
    `<text x="${x}" y="${y}" font-size="${size}"${more}>${escape(words)}</text>`;
  const shapes = boxes.map(({ box, x, y }) => {
    const first = y + box.top + 16;
    const storage = storageOf(box.namespace);
    const layer = about.layer?.(box) ?? "";
    const [name, place] = isJob(box) ? [box.label, box.namespace] : nameAndPlace(box, layer);
    const where = [layer && `<tspan fill="${colourOf(layer)}">${escape(middle(layer, 14))}</tspan>`, escape(middle(place, layer ? Math.max(6, Math.floor(box.width / 7) - 6 - layer.length) : Math.floor(box.width / 7)))];
    const texts = box.rows.map((row, i) => {
      const signs = row.kinds.map((kind, n) => text(x + 10 + n * 14, first + i * ROW, 12, KINDS[kind].sign, ` fill="${COLOURS[kind]}"`));
      return signs.join("") + text(x + 12 + row.kinds.length * 14, first + i * ROW, 12, cut(row.field, 30), compared ? changed(row.change) : about.gone?.(row.id) ? STRUCK : "") +
        beside(about.expression?.(row.id), x + box.width - 10, first + i * ROW, ROOM - row.field.length - 2 * row.kinds.length);
    });
    if (box.hidden) texts.push(text(x + 12, first + box.rows.length * ROW, 12, `${box.hidden} more`, ' font-style="italic"'));
    return [
      `<rect x="${x}" y="${y}" width="${box.width}" height="${box.height}" rx="6" fill="#fff" stroke="${box.start ? "#0369a1" : "#94a3b8"}"/>`,
      layer && `<path d="M${x + 5} ${y + 1.5}h${box.width - 10}" stroke="${colourOf(layer)}" stroke-width="3"/>`,
      storage && `<path d="${SHAPES[storage]}" transform="translate(${x + 11} ${y + 10})" fill="none" stroke="#475569" stroke-width="1.3"><title>${STORAGES[storage]}</title></path>`,
      text(x + (storage ? 32 : 12), y + 22, 13, middle(name, Math.floor(box.width / 8.4) - (storage ? 3 : 0)), ' font-weight="bold"'),
      `<text x="${x + 12}" y="${y + 40}" font-size="12" fill="#475569">${where.filter(Boolean).join(" · ")}</text>`,
      box.tasks.length ? text(x + 12, y + 60, 12, cut(`by ${box.tasks.map((task) => task.name).join(", ")}`, Math.floor(box.width / 7)), ' fill="#475569"') : "",
      ...texts,
    ].join("");
  });
  const kinds = compared
    ? [["#15803d", "new"], ["#b91c1c", "gone"], ["#a16207", "changed"], ["#64748b", "the same"]] as const
    : kindsOf(graph.links.flatMap((link) => link.edges)).map((kind) => [COLOURS[kind], `${KINDS[kind].sign} ${KINDS[kind].words}`] as const);
  const legend = [...kinds, ["#64748b", "solid: values, dashed: conditions"] as const].map(([colour, words], i) =>
    text(left + MARGIN + i * 108, bottom + 14, 12, words, ` fill="${colour}"`),
  );
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${left} ${top} ${width} ${height}" ` +
    `font-family="sans-serif" fill="#0f172a"><title>${escape(about.title)}</title>` +
    `<rect x="${left}" y="${top}" width="${width}" height="${height}" fill="#fff"/>` +
    `<defs>${[...heads].map(head).join("")}</defs>` +
    text(left + MARGIN, top + 26, 16, about.title, ' font-weight="bold"') + text(left + MARGIN, top + 46, 12, about.time, ' fill="#475569"') +
    `${lines.join("")}${shapes.join("")}${legend.join("")}</svg>`
  );
}

/** A column's expression at the right of its row, as far as there is room; pointing at it shows all of it. */
const beside = (expression: string | undefined, x: number, y: number, room: number): string =>
  expression === undefined || room < LEAST ? "" :
    `<text x="${x}" y="${y}" font-size="11" font-family="monospace" fill="#475569" text-anchor="end">${escape(cut(expression, room))}<title>${escape(expression)}</title></text>`;

/** The colour of a layer on paper. */
const colourOf = (layer: string): string => `hsl(${hueOf(layer)}, 75%, 26%)`;

const STRUCK = ' text-decoration="line-through"';

/** How a column's name is drawn that is new, gone or changed. */
const changed = (change: Change): string =>
  change === "same" ? "" : ` fill="${CHANGES[change]}"${change === "removed" ? STRUCK : ""}`;

const headOf = (colour: string): string => `head-${colour.slice(1)}`;

/** An arrowhead in a line's colour, as on the page. */
const head = (colour: string): string =>
  `<marker id="${headOf(colour)}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" markerUnits="userSpaceOnUse" orient="auto">` +
  `<path d="M0 0L8 4L0 8z" fill="${colour}"/></marker>`;

/** The picture as pixels; large ones at a smaller scale, as canvases are limited. */
export async function png(picture: string): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(picture)}`;
  await image.decode();
  const scale = Math.min(2, 8000 / image.width, 8000 / image.height);
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil(image.width * scale);
  canvas.height = Math.ceil(image.height * scale);
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The browser made no picture."))), "image/png");
  });
}

/** Hand a file to the reader. */
export function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
