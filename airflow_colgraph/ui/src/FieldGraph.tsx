import { MiniMap, type NodeHandle, Position, ReactFlow, ReactFlowProvider, useReactFlow, useStore } from "@xyflow/react";
import { type KeyboardEvent, type MouseEvent, type PointerEvent, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { type BoxNode, DatasetBox } from "./DatasetBox";
import { Edges } from "./Edges";
import { Expression } from "./Expression";
import { Finder } from "./Finder";
import { type Focus, FocusContext } from "./focus";
import { type Graph, HEAD } from "./graph";
import { useInSight } from "./inSight";
import { lines } from "./lines";
import { litBy, litByLink } from "./paths";
import { columns, extend, fits, frameOf, laidOut, LARGEST, opening, Positions, type Viewport, warm } from "./layout";
import { Legend } from "./Legend";
import { Links } from "./Links";
import { Overview } from "./Overview";
import { useScrolls } from "./Panels";
import { Loading } from "./States";
import type { LinkKey } from "./url";

warm(); // while the API is asked

const NODES = { dataset: DatasetBox };
// Sizes are known: nothing needs to be drawn in order to be measured.
const handlesOf = (width: number): NodeHandle[] => [
  { type: "target", position: Position.Left, x: 0, y: HEAD / 2 - 0.5, width: 1, height: 1 },
  { type: "source", position: Position.Right, x: width - 1, y: HEAD / 2 - 0.5, width: 1, height: 1 },
];
const SEVERAL = 12; // with more boxes one can be searched for
const MOVES: Record<string, [x: number, y: number]> = {
  ArrowLeft: [80, 0], ArrowRight: [-80, 0], ArrowUp: [0, 80], ArrowDown: [0, -80],
};
const DRAGGED = 5; // pixels from where the button was pressed, from which on it is no click
const MAP = { width: 160, height: 70 };
const PLAIN = 0.3; // below this zoom nothing in a box can be read

interface Props extends Pick<Focus, "locked" | "lock" | "pick" | "turn" | "expand" | "expandable" | "total" | "layer" | "lacks" | "types" | "gone" | "expression" | "further"> {
  graph: Graph;
  stages: readonly Graph[]; // the graph as asked for, and with each further hop
  placed: (positions: Positions) => void;
  left: { current: Left | null };
  picked: LinkKey | null; // a line
  only: boolean | null; // whether only the way of what is locked is drawn; null: nothing is locked
  onOnly: () => void;
}

/** How the picture was when a list took its place, as on a narrow screen or on paper: so it comes back. */
export interface Left { graph: Graph; positions: Positions; viewport: Viewport }

/** The picture; with another question it has another key. */
export function FieldGraph(props: Props) {
  const positions = usePositions(props.graph, props.stages);
  const { placed } = props;
  useEffect(() => {
    if (positions) placed(positions);
  }, [positions, placed]);
  if (!positions) return <div className="picture"><div className="canvas"><Loading what="the layout" /></div></div>;
  return (
    <ReactFlowProvider>
      <Canvas {...props} positions={positions} />
    </ReactFlowProvider>
  );
}

/** Where the boxes are: laid out once; then they stay, and those of each further hop come beside them, in the order of the address. */
function usePositions(graph: Graph, stages: readonly Graph[]): Positions | null {
  const [laid, setLaid] = useState<Positions | null>(null);
  const first = useRef(stages[0] ?? graph);
  useEffect(() => {
    let current = true;
    const show = (positions: Positions): void => void (current && setLaid(positions));
    laidOut(first.current).then(show, (error: unknown) => { // where the browser runs no worker
      console.error(error);
      show(columns(first.current));
    });
    return () => void (current = false);
  }, []);
  return useMemo(() => laid && [...stages.slice(1), graph].reduce(extend, laid), [laid, graph, stages]);
}

function Canvas({ graph, positions, left, picked, only, onOnly, stages: _, placed: __, ...focus }: Props & { positions: Positions }) {
  const { getViewport, setViewport, setCenter, fitView, zoomIn, zoomOut } = useReactFlow();
  const height = useStore((state) => state.height);
  const surface = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState<{ width: number; height: number; mapped: boolean } | null>(null);
  const [over, setOver] = useState<string | null>(null);
  const plain = useStore((state) => state.transform[2] < PLAIN);
  const leaving = useRef(0);
  const [fast, setFast] = useState(false);
  const scrolls = useScrolls();
  const moving = useRef(false);
  const pressed = useRef<[x: number, y: number]>([0, 0]);
  const move = (on: boolean): void => { // nothing is lit on the way: that would cost frames
    moving.current = on;
    setFast(on);
    if (on) setOver(null);
  };
  const frame = useMemo(() => frameOf(graph, positions), [graph, positions]);
  const mapped = size !== null && !fits(frame, size) && graph.boxes.length <= LARGEST;
  useLayoutEffect(() => { // again once the map has taken its room
    if (surface.current) setSize({ width: surface.current.clientWidth, height: surface.current.clientHeight, mapped });
  }, [mapped]);
  const nodes = useMemo<BoxNode[]>(
    () =>
      graph.boxes.map((box) => ({
        id: box.id,
        type: "dataset",
        position: positions.get(box.id) ?? { x: 0, y: 0 },
        width: box.width,
        height: box.height,
        measured: { width: box.width, height: box.height },
        handles: handlesOf(box.width),
        data: { box },
        focusable: false,
      })),
    [graph, positions],
  );
  const lacking = useMemo(() => graph.boxes.some((box) => focus.lacks(box) !== ""), [graph, focus.lacks]);
  const layers = useMemo(() => [...new Set(graph.boxes.map(focus.layer))].filter(Boolean).sort(), [graph, focus.layer]);
  useInSight(graph, positions, focus.locked);
  const resumed = useRef(left.current?.graph === graph ? left.current.viewport : null);
  useEffect(() => () => void (left.current = { graph, positions, viewport: getViewport() }), [left, graph, positions, getViewport]);
  const row = focus.locked ?? over;
  const lit = useMemo(() => (picked ? litByLink(graph, picked) : row ? litBy(graph, row) : null), [graph, row, picked]);
  const drawn = useMemo(() => lines(graph, lit?.links, plain), [graph, lit, plain]);
  const enter = useCallback(
    (id: string) => {
      const box = graph.boxes.find((one) => one.id === id);
      const at = positions.get(id);
      if (box && at) void setCenter(at.x + box.width / 2, at.y + Math.min(box.height, height) / 2, { zoom: 1, duration: 200 });
    },
    [graph, positions, height, setCenter],
  );
  const value = useMemo<Focus>(
    () => ({
      ...focus,
      rows: lit?.rows ?? null,
      links: lit?.links ?? null,
      strong: lit?.strong ?? null,
      plain,
      enter,
      hover: (one) => {
        window.clearTimeout(leaving.current);
        if (moving.current) return;
        if (one) setOver(one);
        else leaving.current = window.setTimeout(() => setOver(null), 80);
      },
    }),
    [lit, plain, enter, focus.locked, focus.lock, focus.pick, focus.turn, focus.expand, focus.expandable, focus.total, focus.layer, focus.lacks, focus.types, focus.gone, focus.expression, focus.further],
  );
  const steer = (event: KeyboardEvent): void => {
    const by = MOVES[event.key];
    if (event.target !== event.currentTarget || !(by || event.key === "+" || event.key === "-")) return;
    if (by) {
      const { x, y, zoom } = getViewport();
      void setViewport({ x: x + by[0], y: y + by[1], zoom });
      event.preventDefault();
    } else void (event.key === "+" ? zoomIn() : zoomOut());
  };
  const press = (event: PointerEvent): void => void (pressed.current = [event.clientX, event.clientY]);
  const click = (event: MouseEvent): void => { // a box that was dragged along was not meant
    const [x, y] = pressed.current;
    if (event.detail > 0 && Math.hypot(event.clientX - x, event.clientY - y) > DRAGGED) event.stopPropagation();
  };
  return (
    <FocusContext value={value}>
      <div className="picture">
        <div
          ref={surface}
          className={`canvas${fast ? " moving" : ""}`}
          role="group"
          tabIndex={0}
          aria-label="Lineage graph: arrow keys, plus and minus move it. The same is in the table of the panel below."
          onKeyDown={steer}
          onPointerDownCapture={press}
          onClickCapture={click}
        >
          {size?.mapped === mapped && (
            <ReactFlow
              nodes={nodes}
              nodeTypes={NODES}
              defaultViewport={resumed.current ?? opening(graph, positions, size.width, size.height)}
              minZoom={0.05}
              maxZoom={2}
              onlyRenderVisibleElements
              nodesDraggable={false}
              nodesConnectable={false}
              elementsSelectable={false}
              deleteKeyCode={null}
              onMoveStart={() => move(true)}
              onMoveEnd={() => move(false)}
              disableKeyboardA11y
              preventScrolling={false}
              zoomOnScroll={false}
              panOnScroll={!scrolls} // else the wheel scrolls the page
              zoomActivationKeyCode={null}
              proOptions={{ hideAttribution: true }}
            >
              {plain ? (
                <Overview graph={graph} lines={drawn} positions={positions} />
              ) : (
                <Links lines={drawn} positions={positions} />
              )}
            </ReactFlow>
          )}
        </div>
        <div className={`tools${mapped ? " mapped" : ""}`}>
          <span className="group">
            <button type="button" aria-label="Zoom In" onClick={() => void zoomIn()}>+</button>
            <button type="button" aria-label="Zoom Out" onClick={() => void zoomOut()}>−</button>
            <button type="button" onClick={() => void fitView({ padding: 0.04, maxZoom: 1 })}>Show all</button>
            {only !== null && <button type="button" aria-pressed={only} onClick={onOnly}>Only this path</button>}
          </span>
          <Edges graph={graph} positions={positions} />
          {graph.boxes.length > SEVERAL && <Finder boxes={graph.boxes} enter={enter} />}
          {graph.fields > 0 && <Expression row={over} />}
          <Legend graph={graph} lacking={lacking} layers={layers} />
          {mapped && <MiniMap pannable zoomable ariaLabel="Overview" style={MAP} />}
        </div>
      </div>
    </FocusContext>
  );
}
