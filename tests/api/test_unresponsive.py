"""A lineage database that does not answer: the neighbours of the app do, and the app says 503."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from inspect import iscoroutinefunction

import pytest
from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from sqlalchemy import create_engine
from sqlalchemy.engine import make_url

from airflow_colgraph.api.app import create_app
from airflow_colgraph.api.worker_threads import WorkerThreads
from airflow_colgraph.store.store import Store
from dev.waiting import wait_for
from tests.api.serving import LONG, served
from tests.silent_server import silent_server
from tests.store.conftest import (  # noqa: F401
    migrated_postgres,
    migrated_sqlite,
    postgres_url,
)
from tests.store.conftest import store as empty_store  # noqa: F401
from tests.store.samples import copy_event, memory_store

SHARED = 40  # threads that FastAPI's apps of a process share


def silent(port: int, seconds: float) -> FastAPI:
    """The app over a database that says nothing."""
    url = f"postgresql://me@127.0.0.1:{port}/lineage"
    store = Store(url, seconds=seconds, prepare_on_use=True)
    return create_app(store, threads=WorkerThreads(4, seconds))


def test_neighbours_are_answered_while_the_database_is_silent() -> None:
    """No earlier test had another app in the process, nor a database that says nothing."""
    count = SHARED + 20
    with (
        silent_server() as database,
        served(silent(database.port, LONG)) as client,
        ThreadPoolExecutor(count) as threads,
    ):
        asked = [threads.submit(client.get, "/colgraph/health") for _ in range(count)]
        answer = client.get("/version")
        waiting = [request for request in asked if not request.done()]
        assert (answer.status_code, answer.json(), len(waiting)) == (200, "3", count)
        database.close()


@pytest.mark.parametrize(
    "path", ["/health", "/api/v1/upstream?namespace=n&name=d", "/api/v1/namespaces"]
)
def test_a_silent_database_is_a_503(path: str) -> None:
    """The deadline is the app's own, also for the requests that get no thread."""
    with (
        silent_server() as database,
        served(silent(database.port, 1)) as client,
        ThreadPoolExecutor(20) as threads,
    ):
        answers = [*threads.map(client.get, [f"/colgraph{path}"] * 20)]
    assert {answer.status_code for answer in answers} == {503}
    assert {answer.headers["Retry-After"] for answer in answers} == {"5"}
    assert all("error" in answer.json() for answer in answers)


def test_a_database_that_falls_silent_and_comes_back(empty_store: Store) -> None:  # noqa: F811
    """Threads that wait for a lock of another session are free again after the deadline."""
    url = make_url(empty_store.url)
    if url.get_backend_name() == "postgresql":
        url = url.set(drivername="postgresql+psycopg")
    lock = {
        "postgresql": "LOCK TABLE colgraph_change IN ACCESS EXCLUSIVE MODE",
        "sqlite": "BEGIN EXCLUSIVE",
    }
    empty_store.add(copy_event("load", 1, "mart", {"x": "source.a"}))
    store = Store(empty_store.url, seconds=1)
    app = create_app(store, threads=WorkerThreads(4, 1))
    other = create_engine(url)

    def send(number: int) -> int:
        event = copy_event("load", number + 2, "mart", {"x": "source.a"})
        return client.post("/colgraph/api/v1/lineage", json=event).status_code

    def ask(_: int) -> int:
        question = "/colgraph/api/v1/upstream?namespace=n&name=mart&field=x"
        return client.get(question).status_code

    with served(app) as client, ThreadPoolExecutor(12) as threads:
        with other.connect() as connection:
            connection.exec_driver_sql(lock[url.get_backend_name()])
            sent = [*threads.map(send, range(12))]
            asked = [*threads.map(ask, range(12))]
            waiting = WAITING[url.get_backend_name()]

            def too_many() -> str:
                with other.connect() as looking:  # PostgreSQL's answer is one for a transaction
                    count = looking.exec_driver_sql(waiting).scalar_one()
                return "" if count <= 4 else f"{count} sessions to give up waiting"

            wait_for(too_many)  # a busy database ends them later than the app has answered
            connection.rollback()
        other.dispose()
        assert set(sent) == {503}
        if url.get_backend_name() == "postgresql":  # SQLite's readers do not wait for the writer
            assert set(asked) == {503}
        # A busy machine may need longer than the second that the store has.
        answers: dict[str, int] = {}

        def missing() -> str:
            answers.update(post=send(20), get=ask(20))
            return "" if answers == {"post": 201, "get": 200} else f"an answer: {answers}"

        wait_for(missing)
    store.close()


# The sessions that still wait for the lock.
WAITING = {
    "sqlite": "SELECT 0",
    "postgresql": "SELECT count(*) FROM pg_stat_activity"
    " WHERE datname = current_database() AND wait_event_type = 'Lock'",
}


def test_the_plugin_starts_without_a_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """The store that no earlier test configured was one that does not answer."""
    from airflow_colgraph import conf, web

    conf.store.cache_clear()
    with silent_server() as database:
        url = f"postgresql://me@127.0.0.1:{database.port}/lineage"
        monkeypatch.setenv("COLGRAPH_STORE", url)
        assert web.app().state.store.url == url
        assert database.connections == 0
    conf.store.cache_clear()


def test_no_route_runs_in_the_threads_of_all_apps() -> None:
    """A plain function of a route or of what it depends on would."""
    app = create_app(memory_store())
    routes = [route for route in app.routes if isinstance(route, APIRoute)]
    plain = [
        (route.path, dependant.call)
        for route in routes
        for dependant in [route.dependant, *dependants(route.dependant.dependencies)]
        if not iscoroutinefunction(dependant.call)
    ]
    assert len(routes) > 50
    assert plain == []


def dependants(direct: list[Dependant]) -> Iterator[Dependant]:
    """What a route depends on, at any depth."""
    for dependant in direct:
        yield dependant
        yield from dependants(dependant.dependencies)
