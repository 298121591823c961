import { Fragment, lazy, Suspense, useEffect, useSyncExternalStore } from "react";
import { Account } from "./Account";
import { CopiesPage } from "./CopiesPage";
import { CopyLink } from "./CopyLink";
import { CoveragePage } from "./CoveragePage";
import { DatasetPage } from "./DatasetPage";
import { Navigation, To, usePlace } from "./navigate";
import { inTab } from "./outer";
import { Palette } from "./Palette";
import { useRecorded } from "./recent";
import { SearchPage } from "./SearchPage";
import { Loading } from "./States";
import { UnusedPage } from "./UnusedPage";
import { page } from "./url";
import { WhyPage } from "./WhyPage";
import { airflowsZone, whenZoneChanges } from "./zone";

const GraphPage = lazy(() => import("./GraphPage").then((module) => ({ default: module.GraphPage })));
const TaskPage = lazy(() => import("./TaskPage").then((module) => ({ default: module.TaskPage })));

export function App() {
  const zone = useSyncExternalStore(whenZoneChanges, airflowsZone); // with another one, all times are others
  return (
    <Navigation>
      <Fragment key={zone}>
        <Header />
        <main id="main" tabIndex={-1}>
          <Page />
        </main>
      </Fragment>
    </Navigation>
  );
}

function Page() {
  const { view } = usePlace();
  const which = page(view);
  useRecorded(view);
  useEffect(() => {
    const field = view.fields.length ? `.${view.fields.join(", ")}` : "";
    document.title = view.name ? `${view.name}${field} · column lineage` : "Column lineage";
  }, [view.name, view.fields]);
  if (which === "dataset") return <DatasetPage key={`${view.namespace} ${view.name}`} />;
  if (which === "search") return <SearchPage />;
  if (which === "unused") return <UnusedPage key={`${view.namespace} ${view.name}`} />;
  if (which === "coverage") return <CoveragePage />;
  if (which === "copies") return <CopiesPage />;
  if (which === "why") return <WhyPage />;
  return <Suspense fallback={<Loading what="the graph" />}>{which === "graph" ? <GraphPage /> : <TaskPage />}</Suspense>;
}

/** Where the page is not in a tab of Airflow, or shows no picture: there its controls are beside the picture's. */
function Header() {
  const { view } = usePlace();
  if (inTab() && ["graph", "task"].includes(page(view))) return null;
  return (
    <header>
      <a className="skip" href="#main">Skip to the answer</a>
      <To view={{}} className="brand">Column lineage</To>
      <Palette />
      <CopyLink />
      <Account />
    </header>
  );
}
