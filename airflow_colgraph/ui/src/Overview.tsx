import { ViewportPortal } from "@xyflow/react";
import { memo, useEffect, useRef } from "react";
import { useFocus } from "./focus";
import type { Box, Graph } from "./graph";
import { curve, type Line } from "./lines";
import { lit } from "./paths";
import { frameOf, type Positions } from "./layout";
import { ownName } from "./names";

const SHARP = 0.3; // pixels per unit: what is seen at the highest zoom that shows this
const LARGEST = 4096; // pixels that a canvas may be wide or high

/** The whole graph as one still picture, for zooms at which no field can be read. */
export const Overview = memo(function Overview({ graph, lines, positions }: {
  graph: Graph; lines: Line[]; positions: Positions;
}) {
  const { rows, links } = useFocus();
  const canvas = useRef<HTMLCanvasElement>(null);
  const frame = frameOf(graph, positions);
  const scale = Math.min(SHARP * Math.min(window.devicePixelRatio, 2), LARGEST / frame.width, LARGEST / frame.height);
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!context || !canvas.current) return undefined;
    const style = getComputedStyle(canvas.current);
    const compared = lines.some((line) => line.change !== "same");
    const draw = (): void => {
      const colour = (name: string): string => style.getPropertyValue(`--${name}`);
      context.setTransform(scale, 0, 0, scale, -frame.x * scale, -frame.y * scale);
      context.clearRect(frame.x, frame.y, frame.width, frame.height);
      for (const line of lines) drawLine(context, line, positions, colour, links, compared);
      for (const box of graph.boxes) drawBox(context, box, positions, colour, lit(box, rows));
    };
    draw();
    const theme = new MutationObserver(draw);
    theme.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    return () => theme.disconnect();
  });
  return (
    <ViewportPortal>
      <canvas
        ref={canvas}
        className="overview"
        aria-hidden="true"
        width={Math.ceil(frame.width * scale)}
        height={Math.ceil(frame.height * scale)}
        style={{ left: frame.x, top: frame.y, width: frame.width, height: frame.height }}
      />
    </ViewportPortal>
  );
});

type Colour = (name: string) => string;

function drawLine(
  context: CanvasRenderingContext2D, line: Line, positions: Positions, colour: Colour, links: ReadonlySet<string> | null, compared: boolean,
): void {
  const found = curve(line, positions);
  if (!found) return;
  const near = links !== null && line.links.some((link) => links.has(link.id));
  const plain = line.masking && !compared ? "mask" : near ? "accent" : "link";
  context.strokeStyle = colour(line.change === "added" ? "good" : line.change === "removed" ? "bad" : line.change === "changed" ? "cond" : plain);
  context.globalAlpha = links && !near ? 0.08 : 1;
  context.lineWidth = near || line.change !== "same" ? 6 : 3;
  context.setLineDash(line.direct ? [] : [14, 10]);
  context.stroke(new Path2D(found.path));
}

function drawBox(context: CanvasRenderingContext2D, box: Box, positions: Positions, colour: Colour, near: boolean): void {
  const { x, y } = positions.get(box.id) ?? { x: 0, y: 0 };
  context.globalAlpha = near ? 1 : 0.18;
  context.setLineDash([]);
  context.lineWidth = box.start ? 10 : 4;
  context.strokeStyle = colour(box.start ? "accent" : "link");
  context.fillStyle = colour(box.start ? "tint" : "paper");
  context.fillRect(x, y, box.width, box.height);
  context.strokeRect(x, y, box.width, box.height);
  context.fillStyle = colour("text");
  context.font = "600 34px system-ui, sans-serif";
  context.textBaseline = "top";
  wrapped(ownName(box), Math.floor(box.width / 17), Math.max(1, Math.floor(box.height / 38))).forEach((words, i) => {
    context.fillText(words, x + 12, y + 8 + i * 38, box.width - 24);
  });
}

/** The text in lines of so many characters; what is too long ends in an ellipsis. */
function wrapped(text: string, width: number, most: number): string[] {
  const parts = text.match(new RegExp(`.{1,${width}}`, "gu")) ?? [];
  return parts.length <= most ? parts : [...parts.slice(0, most - 1), `${(parts[most - 1] ?? "").slice(0, -1)}…`];
}
