"""The table of what each role of Airflow sees is whole, and holds for the plugin's own filter."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from fastapi.testclient import TestClient

from airflow_colgraph import web
from airflow_colgraph.api.app import create_app
from airflow_colgraph.api.rate_limit import rate_limited
from tests.store.samples import memory_store
from tests.ui.roles import BY_DAG, EVERY_DAG, LOG, NOBODY, ROLES, SEES


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
    names = {True: "every DAG", False: "none"}
    assert rows(set(ROLES)) == [
        [
            manager,
            user,
            ", ".join(f"`{dag}`" for dag in dags) if len(dags) == 1 else names[bool(dags)],
        ]
        for manager, users in ROLES.items()
        for user, dags in users.items()
    ]
    assert {len(dags) for users in ROLES.values() for dags in users.values()} == {
        0,
        1,
        len(EVERY_DAG),
    }


@pytest.mark.parametrize("route", SEES, ids=" ".join)
def test_what_one_sees_who_may_not_read_the_dag(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, route: tuple[str, str]
) -> None:
    request, kind = SEES[route]

    async def user(*_: object) -> SimpleNamespace:
        return SimpleNamespace(get_id=lambda: "somebody")

    answers = []
    for dags in ({"cases", "ends"}, {"ends"}):
        manager = SimpleNamespace(get_authorized_dag_ids=lambda dags=dags, **_: dags)
        monkeypatch.setattr(web, "get_user", user)
        monkeypatch.setattr(web, "get_auth_manager", lambda manager=manager: manager)
        body = {"json": []} if route[0] == "POST" else {}
        answers.append(client.request(route[0], request, **body))  # type: ignore[arg-type]
    may, may_not = answers
    assert may.status_code == (403 if kind == NOBODY else 200)
    assert "elsewhere" not in may.text
    assert "cases" not in may_not.text
    assert (may.text == may_not.text) == (kind != BY_DAG)
