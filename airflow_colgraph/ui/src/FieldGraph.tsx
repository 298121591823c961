import {
  Controls, type FitViewOptions, MiniMap, type NodeHandle, Panel, Position, ReactFlow, ReactFlowProvider, useNodesInitialized, useReactFlow, useStore,
} from "@xyflow/react";
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { type BoxNode, DatasetBox } from "./DatasetBox";
import { Finder } from "./Finder";
import { type Focus, FocusContext } from "./focus";
import { type Graph, HEAD, lines, reach, WIDTH } from "./graph";
import { columns, elk, type Positions, shift, warm } from "./layout";
import { Links } from "./Links";
import { frameOf, Overview } from "./Overview";
import { Loading } from "./States";

warm(); // while the API is asked

const NODES = { dataset: DatasetBox };
// Sizes are known: nothing needs to be drawn in order to be measured.
const HANDLES: NodeHandle[] = [
  { type: "target", position: Position.Left, x: 0, y: HEAD / 2 - 0.5, width: 1, height: 1 },
  { type: "source", position: Position.Right, x: WIDTH - 1, y: HEAD / 2 - 0.5, width: 1, height: 1 },
];
const READABLE = 0.6; // the zoom at which a large graph is entered
const DRAFT = 60; // from so many boxes on, a quick layout is drawn at once, until the better one is there
const PATIENCE = 80; // milliseconds that smaller graphs wait for the better layout before they are drawn
const SEVERAL = 12; // with more boxes there is an overview, and one can be searched for
const ELK = 400; // beyond, the quick one stays
const MOVES: Record<string, [x: number, y: number]> = {
  ArrowLeft: [80, 0], ArrowRight: [-80, 0], ArrowUp: [0, 80], ArrowDown: [0, -80],
};
const PLAIN = 0.3; // below this zoom nothing in a box can be read

const NARROW = 0.42; // a zoom at which names can be read with some goodwill

/** What is seen at first: everything; if that is too small to read, the surroundings of the start. */
function fit(graph: Graph, positions: Positions, width: number, height: number): FitViewOptions {
  const around = { padding: 0.08, maxZoom: READABLE, nodes: graph.boxes.filter((box) => box.start) };
  if (graph.boxes.length > DRAFT && around.nodes.length > 0) return around;
  const { width: wide, height: high } = frameOf(graph, positions);
  const whole = Math.min(width / wide, height / high) >= NARROW;
  return whole || around.nodes.length === 0 ? { padding: 0.08, maxZoom: 1 } : { ...around, maxZoom: 0.9, padding: 0.25 };
}

interface Props extends Pick<Focus, "locked" | "lock" | "open" | "expand" | "expandable" | "total"> {
  graph: Graph;
  placed: (positions: Positions) => void;
}

/** The picture. */
export function FieldGraph(props: Props) {
  const positions = usePositions(props.graph);
  const { placed } = props;
  useEffect(() => {
    if (positions) placed(positions);
  }, [positions, placed]);
  if (!positions) return <div className="canvas"><Loading what="the layout" /></div>;
  return (
    <ReactFlowProvider>
      <Canvas {...props} positions={positions} />
    </ReactFlowProvider>
  );
}

function usePositions(graph: Graph): Positions | null {
  const [laid, setLaid] = useState<{ graph: Graph; positions: Positions } | null>(null);
  useEffect(() => {
    let current = true;
    const show = (positions: Positions): void => {
      if (current) setLaid({ graph, positions });
    };
    const draft = window.setTimeout(() => show(columns(graph)), graph.boxes.length > DRAFT ? 0 : PATIENCE);
    const better = (positions: Positions): void => {
      window.clearTimeout(draft);
      show(positions);
    };
    if (graph.boxes.length <= ELK) elk(graph).then(better, () => undefined);
    return () => {
      current = false;
      window.clearTimeout(draft);
    };
  }, [graph]);
  if (!laid) return null;
  // A box that is new since the last layout waits for the next one.
  return laid.graph === graph || graph.boxes.every((box) => laid.positions.has(box.id)) ? laid.positions : null;
}

function Canvas({ graph, positions, ...focus }: Props & { positions: Positions }) {
  const { fitView, getViewport, setViewport, zoomIn, zoomOut } = useReactFlow();
  const ready = useNodesInitialized();
  const width = useStore((state) => state.width); // changes when the drawer opens
  const height = useStore((state) => state.height);
  const [over, setOver] = useState<string | null>(null);
  const plain = useStore((state) => state.transform[2] < PLAIN);
  const leaving = useRef(0);
  const moved = useRef(false); // by the reader: then nothing but the reader moves it
  const [fast, setFast] = useState(false);
  const nodes = useMemo<BoxNode[]>(
    () =>
      graph.boxes.map((box) => ({
        id: box.id,
        type: "dataset",
        position: positions.get(box.id) ?? { x: 0, y: 0 },
        width: WIDTH,
        height: box.height,
        measured: { width: WIDTH, height: box.height },
        handles: HANDLES,
        data: { box },
        focusable: false,
      })),
    [graph, positions],
  );
  useEffect(() => {
    if (!ready || moved.current) return undefined;
    const frame = requestAnimationFrame(() => void fitView(fit(graph, positions, width, height)));
    return () => cancelAnimationFrame(frame);
  }, [ready, graph, positions, fitView, width, height]);
  const before = useRef(positions);
  useEffect(() => {
    if (moved.current) { // what the reader looks at stays where it is
      const { x, y, zoom } = getViewport();
      const by = shift(before.current, positions, { x: (width / 2 - WIDTH / 2 - x) / zoom, y: (height / 3 - y) / zoom });
      void setViewport({ x: x - by.x * zoom, y: y - by.y * zoom, zoom });
    }
    before.current = positions;
  }, [positions, getViewport, setViewport]);
  const row = focus.locked ?? over;
  const lit = useMemo(() => (row ? reach(graph, row) : null), [graph, row]);
  const compared = graph.links.some((link) => link.change !== "same");
  const drawn = useMemo(() => lines(graph, lit?.links, plain), [graph, lit, plain]);
  const enter = useCallback(
    (box: string) => {
      moved.current = true;
      void fitView({ nodes: [{ id: box }], maxZoom: 1, padding: 0.3, duration: 200 });
    },
    [fitView],
  );
  const value = useMemo<Focus>(
    () => ({
      ...focus,
      rows: lit?.rows ?? null,
      links: lit?.links ?? null,
      plain,
      enter,
      hover: (one) => {
        window.clearTimeout(leaving.current);
        if (one) setOver(one);
        else leaving.current = window.setTimeout(() => setOver(null), 80);
      },
    }),
    [lit, plain, enter, focus.locked, focus.lock, focus.open, focus.expand, focus.expandable, focus.total],
  );
  const moves = (): void => {
    moved.current = true;
  };
  const steer = (event: KeyboardEvent): void => {
    const by = MOVES[event.key];
    if (event.target !== event.currentTarget || !(by || event.key === "+" || event.key === "-")) return;
    moves();
    if (by) {
      const { x, y, zoom } = getViewport();
      void setViewport({ x: x + by[0], y: y + by[1], zoom });
      event.preventDefault();
    } else void (event.key === "+" ? zoomIn() : zoomOut());
  };
  return (
    <FocusContext value={value}>
      <div
        className={`canvas${fast ? " moving" : ""}`}
        role="group"
        tabIndex={0}
        aria-label="Lineage graph: arrow keys, plus and minus move it. The same is in the table below."
        onKeyDown={steer}
      >
        <ReactFlow
          nodes={nodes}
          nodeTypes={NODES}
          minZoom={0.05}
          maxZoom={2}
          onlyRenderVisibleElements
          nodesDraggable={false}
          nodesConnectable={false}
          elementsSelectable={false}
          deleteKeyCode={null}
          onMoveStart={() => setFast(true)}
          onMove={(event) => {
            moved.current ||= event !== null; // not a mere click
          }}
          onMoveEnd={() => setFast(false)}
          disableKeyboardA11y
        >
          {plain ? (
            <Overview graph={graph} lines={drawn} positions={positions} />
          ) : (
            <Links lines={drawn} positions={positions} />
          )}
          <Controls
            showInteractive={false}
            fitViewOptions={{ padding: 0.08, maxZoom: 1 }}
            onZoomIn={moves}
            onZoomOut={moves}
            onFitView={() => {
              moved.current = false;
            }}
          />
          {graph.boxes.length > SEVERAL && <Panel position="top-left"><Finder boxes={graph.boxes} enter={enter} /></Panel>}
          {graph.boxes.length > SEVERAL && <MiniMap pannable zoomable ariaLabel="Overview" />}
          <Panel position="top-right" className="legend">
            <span className="line direct" /> direct <span className="line indirect" /> indirect
            {compared ? (
              <> <span className="line added" /> new <span className="line removed" /> gone</>
            ) : graph.links.some((link) => link.masking) && (
              <> <span className="line masking" /> masked</>
            )}
          </Panel>
        </ReactFlow>
      </div>
    </FocusContext>
  );
}
