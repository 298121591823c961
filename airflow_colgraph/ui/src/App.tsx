import { type FormEvent, lazy, Suspense, useEffect, useRef, useState } from "react";
import { CopiesPage } from "./CopiesPage";
import { CopyLink } from "./CopyLink";
import { DatasetPage } from "./DatasetPage";
import { Navigation, To, usePlace } from "./navigate";
import { SearchPage } from "./SearchPage";
import { Loading } from "./States";
import { UnusedPage } from "./UnusedPage";
import { EMPTY, page } from "./url";
import { WhyPage } from "./WhyPage";

const GraphPage = lazy(() => import("./GraphPage").then((module) => ({ default: module.GraphPage })));
const TaskPage = lazy(() => import("./TaskPage").then((module) => ({ default: module.TaskPage })));

export function App() {
  return (
    <Navigation>
      <Header />
      <main id="main" tabIndex={-1}>
        <Page />
      </main>
    </Navigation>
  );
}

function Page() {
  const { view } = usePlace();
  const which = page(view);
  useEffect(() => {
    const field = view.fields.length ? `.${view.fields.join(", ")}` : "";
    document.title = view.name ? `${view.name}${field} · column lineage` : "Column lineage";
  }, [view.name, view.fields]);
  if (which === "dataset") return <DatasetPage key={`${view.namespace} ${view.name}`} />;
  if (which === "search") return <SearchPage />;
  if (which === "unused") return <UnusedPage key={`${view.namespace} ${view.name}`} />;
  if (which === "copies") return <CopiesPage />;
  if (which === "why") return <WhyPage />;
  return <Suspense fallback={<Loading what="the graph" />}>{which === "graph" ? <GraphPage /> : <TaskPage />}</Suspense>;
}

function Header() {
  const { view, go } = usePlace();
  const [text, setText] = useState(view.q);
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => setText(view.q), [view.q]);
  useEffect(() => {
    const slash = (event: KeyboardEvent): void => {
      const typing = event.target instanceof HTMLElement && event.target.matches("input, textarea, select");
      if ((event.key === "/" && !typing) || (event.key === "k" && (event.ctrlKey || event.metaKey))) {
        event.preventDefault();
        box.current?.focus();
      }
    };
    window.addEventListener("keydown", slash);
    return () => window.removeEventListener("keydown", slash);
  }, []);
  const searching = page(view) === "search";
  const type = (words: string): void => {
    setText(words);
    if (searching) go({ ...EMPTY, q: words }, true);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!searching) go({ ...EMPTY, q: text });
    const first = document.querySelector<HTMLElement>(".results a");
    if (searching) first?.focus();
  };
  return (
    <header>
      <a className="skip" href="#main">Skip to the answer</a>
      <To view={{}} className="brand">Column lineage</To>
      <form role="search" onSubmit={submit}>
        <input
          ref={box}
          type="search"
          aria-label="Search datasets and columns"
          placeholder="Search datasets and columns ( / or Ctrl K )"
          value={text}
          onChange={(event) => type(event.target.value)}
        />
      </form>
      <CopyLink />
    </header>
  );
}
