// The graph as an SVG of its own, and as a PNG: what is drawn, without the page around it.

import { curve, type Graph, ROW, WIDTH } from "./graph";
import type { Positions } from "./layout";

const MARGIN = 20;
const COLOURS = { same: "#64748b", added: "#15803d", removed: "#b91c1c" } as const;

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/** The picture of the laid out graph. */
export function svg(graph: Graph, positions: Positions): string {
  const boxes = graph.boxes.map((box) => ({ box, ...(positions.get(box.id) ?? { x: 0, y: 0 }) }));
  const left = Math.min(...boxes.map((one) => one.x)) - MARGIN;
  const top = Math.min(...boxes.map((one) => one.y)) - MARGIN;
  const width = Math.max(...boxes.map((one) => one.x + WIDTH)) + MARGIN - left;
  const height = Math.max(...boxes.map((one) => one.y + one.box.height)) + MARGIN - top;
  const lines = graph.links.map((link) => {
    const found = link.source === link.target ? null : curve(link, positions);
    if (!found) return "";
    const dash = link.direct ? "" : ' stroke-dasharray="5 4"';
    return `<path d="${found.path}" fill="none" stroke="${COLOURS[link.change]}" stroke-width="1.5"${dash}/>`;
  });
  const shapes = boxes.map(({ box, x, y }) => {
    const rows = [...box.rows.map((row) => row.field), ...(box.hidden ? [`${box.hidden} more`] : [])];
    const texts = rows.map(
      (field, i) => `<text x="${x + 12}" y="${y + box.head + i * ROW + 16}" font-size="12">${escape(cut(field, 36))}</text>`,
    );
    return [
      `<rect x="${x}" y="${y}" width="${WIDTH}" height="${box.height}" rx="6" fill="#fff" stroke="${box.start ? "#0369a1" : "#94a3b8"}"/>`,
      `<text x="${x + 12}" y="${y + 22}" font-size="13" font-weight="bold">${escape(cut(box.label, 32))}</text>`,
      `<text x="${x + 12}" y="${y + 40}" font-size="11" fill="#475569">${escape(cut(box.namespace, 40))}</text>`,
      ...texts,
    ].join("");
  });
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${left} ${top} ${width} ${height}" ` +
    `font-family="sans-serif" fill="#0f172a"><rect x="${left}" y="${top}" width="${width}" height="${height}" fill="#fff"/>` +
    `${lines.join("")}${shapes.join("")}</svg>`
  );
}

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
