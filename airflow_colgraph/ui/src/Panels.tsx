import { type ReactNode, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { Group, Panel, Separator } from "react-resizable-panels";

const STACKED = "(max-width: 900px)"; // on such a screen the drawer is below the picture

/** The picture, and a drawer beside or below it: the border between them is dragged, or moved by the arrow keys. */
export function Panels({ children, drawer }: { children: ReactNode; drawer: ReactNode }) {
  const stacked = useMedia(STACKED);
  return (
    <Group orientation={stacked ? "vertical" : "horizontal"}>
      <Panel id="picture" minSize="320px" style={{ overflow: "hidden" }}>{children}</Panel>
      {drawer && <Separator className="border" aria-label="Size of the drawer" />}
      {drawer && <Panel id="drawer" defaultSize={stacked ? "50%" : "360px"} minSize="240px">{drawer}</Panel>}
    </Group>
  );
}

/** Whether a media query holds, followed as it changes. */
export function useMedia(query: string): boolean {
  const media = useMemo(() => window.matchMedia(query), [query]);
  return useSyncExternalStore((then) => {
    media.addEventListener("change", then);
    return () => media.removeEventListener("change", then);
  }, () => media.matches);
}

/** Whether the page is longer than the window. */
export function useScrolls(): boolean {
  const [scrolls, setScrolls] = useState(false);
  useEffect(() => {
    const look = (): void => setScrolls(document.documentElement.scrollHeight > window.innerHeight + 1);
    const watcher = new ResizeObserver(look);
    watcher.observe(document.documentElement);
    window.addEventListener("resize", look);
    return () => {
      watcher.disconnect();
      window.removeEventListener("resize", look);
    };
  }, []);
  return scrolls;
}
