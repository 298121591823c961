"""The table of what each role of Airflow sees is whole, and holds for the plugin's own filter."""

from collections.abc import Callable
from functools import reduce
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest
from fastapi.testclient import TestClient

from airflow_colgraph import web
from airflow_colgraph.api.app import create_app
from airflow_colgraph.api.rate_limit import rate_limited
from airflow_colgraph.store.store import Store
from airflow_colgraph.views import TABS
from tests.store.samples import memory_store, run_id
from tests.ui.roles import BY_DAG, EVERY_DAG, LOG, MART, NOBODY, ROLES, SEES
from tests.ui.ways_in import WAYS

TASK = {"DAG_ID": "cases", "RUN_ID": "first", "TASK_ID": "totals", "MAP_INDEX": "-1"}


@pytest.fixture(scope="module")
def client() -> TestClient:
    store = memory_store()
    store.add(LOG)
    app = create_app(store, rate_limited(web.authorize))
    return TestClient(app, raise_server_exceptions=False)


def test_the_table_has_every_route(client: TestClient) -> None:
    paths = client.app.openapi()["paths"]  # type: ignore[attr-defined]
    assert SEES.keys() == {(m.upper(), path) for path, methods in paths.items() for m in methods}


def rows(first_cells: set[str]) -> list[list[str]]:
    """The rows of the tables in docs/security.md whose first cell is one of these."""
    text = (Path(__file__).parents[1] / "docs" / "security.md").read_text()
    cells = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")]
    return [row for row in cells if row[0] in first_cells]


def test_the_documentation_has_every_route() -> None:
    documented = {
        (route, kind)
        for kind, routes in rows({k for _, k in SEES.values()})
        for route in routes.split(", ")
    }
    assert documented == {(f"`{' '.join(route)}`", kind) for route, (_, kind) in SEES.items()}


def test_the_documentation_has_every_user() -> None:
    def may_read(dags: frozenset[str | None]) -> str:
        names = ", ".join(f"`{dag}`" for dag in sorted(filter(None, dags)))
        return "every DAG" if dags == EVERY_DAG else names or "none"

    assert rows(set(ROLES)) == [
        [manager, user, may_read(dags)]
        for manager, users in ROLES.items()
        for user, dags in users.items()
    ]


Dags = frozenset[str | None]
Ask = Callable[[TestClient, Dags, tuple[str, str]], httpx.Response]
CASES: Dags = frozenset({"cases", "ends"})
OTHER: Dags = frozenset({"ends"})
NONE: Dags = frozenset()


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch) -> Ask:
    """The answer to a user who may read some DAGs; with None among them any DAG."""

    async def user(*_: object) -> SimpleNamespace:
        return SimpleNamespace(get_id=lambda: "somebody")

    monkeypatch.setattr(web, "get_user", user)
    monkeypatch.setattr(web, "dags_and_teams", lambda: ({"cases", "ends"}, set()))

    def asked(client: TestClient, dags: Dags, request: tuple[str, str]) -> httpx.Response:
        manager = SimpleNamespace(
            get_authorized_dag_ids=lambda **_: set(filter(None, dags)),
            is_authorized_dag=lambda details, **_: details.id in dags or None in dags,
        )
        monkeypatch.setattr(web, "get_auth_manager", lambda: manager)
        return client.request(*request, json=[] if request[0] == "POST" else None)

    return asked


def told(answer: httpx.Response) -> str:
    """What an answer says, without what an error repeats of the request."""
    repeated = answer.url.params.values() if answer.status_code == 404 else ()
    return reduce(lambda text, value: text.replace(value, ""), repeated, answer.text)


@pytest.mark.parametrize("route", SEES, ids=" ".join)
def test_what_one_sees_who_may_not_read_the_dag(
    client: TestClient, ask: Ask, route: tuple[str, str]
) -> None:
    request, kind = SEES[route]
    every, may, may_not = (
        ask(client, dags, (route[0], request)) for dags in (EVERY_DAG, CASES, OTHER)
    )
    assert may.status_code == every.status_code == (403 if kind == NOBODY else 200)
    assert "elsewhere" not in every.text
    assert "lonely" not in may.text
    assert "cases" not in told(may_not)
    assert (may.text == may_not.text) == (kind != BY_DAG)


SHOW_A_JOB = ("graph", "jobs", "operations", "overview", "upstream", "writes")


def test_what_has_no_dag_is_seen_by_who_may_read_any(client: TestClient, ask: Ask) -> None:
    """All jobs of the earlier LOG had a DAG, as those of tasks seemed to have."""
    shown = {
        route[1].rpartition("/")[2]
        for route, (request, _) in SEES.items()
        if "lonely" in ask(client, EVERY_DAG, (route[0], request)).text
    }
    assert shown >= set(SHOW_A_JOB)


@pytest.mark.parametrize(
    "request_",
    ["jobs?limit=1", "runs?job=cases.totals&namespace=jobs&limit=1", f"writes?{MART}&limit=1"],
)
def test_the_pages_of_a_list_do_not_tell_of_what_is_hidden(
    client: TestClient, ask: Ask, request_: str
) -> None:
    """The rows were hidden, but the cursor to the next ones was the name of a hidden job."""
    request = "GET", f"/api/v1/{request_}"
    assert ask(client, CASES, request).json()["next"]
    hidden = ask(client, OTHER, request)
    if request_.startswith("runs"):  # as of a job that is not there
        never = ask(client, OTHER, ("GET", request[1].replace("cases.totals", "nowhere")))
        assert (hidden.status_code, never.status_code) == (404, 404)
        assert told(hidden) == told(never)
    else:
        assert not any(hidden.json().values())


def test_the_runs_of_hidden_jobs_are_unknown_as_times(client: TestClient, ask: Ask) -> None:
    """A run's id is computable from its task, and was taken for the time at which it ran."""
    for name in ("diff", "why"):
        text = (
            f"/api/v1/{name}?{MART}&field=t&{'before' if name == 'diff' else 'since'}={run_id(20)}"
        )
        assert ask(client, CASES, ("GET", text)).status_code == 200
        answer = ask(client, OTHER, ("GET", text))
        assert (answer.status_code, answer.json()) == (
            404,
            {"error": f"Run {run_id(20)} is not in the store."},
        )


def test_who_may_read_any_dag_may_read_all_that_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """A role for each DAG, or a deny list, is no permission to read what has no DAG."""
    teams: set[str] = set()
    monkeypatch.setattr(web, "dags_and_teams", lambda: ({"cases", "ends"}, teams))
    allowed: set[tuple[str, str | None]] = {(web.NO_DAG, None)}
    manager = SimpleNamespace(
        is_authorized_dag=lambda details, **_: (details.id, details.team_name) in allowed
    )
    monkeypatch.setattr(web, "get_auth_manager", lambda: manager)
    assert web.reads_any_dag("user", {"cases", "ends"})
    assert not web.reads_any_dag("user", {"cases"})
    teams.add("a team")
    assert not web.reads_any_dag("user", {"cases", "ends"})
    allowed.add((web.NO_DAG, "a team"))
    assert web.reads_any_dag("user", {"cases", "ends"})
    allowed.clear()
    assert not web.reads_any_dag("user", {"cases", "ends"})


@pytest.mark.parametrize("way", WAYS)
def test_who_sees_the_lineage_of_a_task_by_each_way_into_the_store(
    way: str, tmp_path: Path, ask: Ask
) -> None:
    """The earlier LOG had the facets of Airflow's provider only, not those of other ways."""
    url = f"sqlite:///{tmp_path}/store.db"
    WAYS[way](url, tmp_path / "sink")
    with Store.open(url) as store:
        client = TestClient(create_app(store, rate_limited(web.authorize)))
        asked = [(method, request) for (method, _), (request, _) in SEES.items()]
        tabs = [("GET", f"/api/v1/tasks{tab.format(**TASK)}") for tab in TABS.values() if tab]
        own, other, none, every = (
            {request: ask(client, dags, request) for request in asked + tabs}
            for dags in (CASES, OTHER, NONE, EVERY_DAG)
        )
    for request in asked + tabs:
        assert own[request].text == every[request].text, request
        for hidden in ("cases", "totals", "default"):
            assert hidden not in told(other[request]) + told(none[request]), request
    for tab in tabs:
        (written,) = own[tab].json()["outputs"]
        assert (written["name"], written["run"]["dag_run"]) == ("mart", "first")
        assert (written["task_id"], written["sources"]) == ("totals", {"t": "columns"})
        assert own[tab].json()["edges"]
        for hidden in (other, none):
            assert hidden[tab].status_code == 404  # as of a DAG that is not there
