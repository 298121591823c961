"""What is forgotten is in no row of any table, and the rest answers as if it had never been."""

import zlib
from contextlib import suppress
from typing import Any

import pytest
from click.testing import CliRunner, Result
from fastapi.testclient import TestClient

from airflow_colgraph.api.api_key_auth import require_api_key
from airflow_colgraph.api.app import create_app
from airflow_colgraph.cli import main
from airflow_colgraph.collector.sinks.spool import Spool
from airflow_colgraph.store.admin import api_keys, audit, forget, paced
from airflow_colgraph.store.errors import QuestionError, UnknownNode
from airflow_colgraph.store.query import graph, selected
from airflow_colgraph.store.query.lookup import find_dataset
from airflow_colgraph.store.store import Store
from tests.store.samples import copy_event, event, output, run_id, short_edges, table_rows

DERIVED = (
    "colgraph_edge",
    "colgraph_run",
    "colgraph_occurrence",
    "colgraph_job",
    "colgraph_job_output",
    "colgraph_lineage_body",
    "colgraph_reading",
    "colgraph_reported",
    "colgraph_run_output",
    "colgraph_event",
    "colgraph_template",
    "colgraph_gap",
    "colgraph_facets",
    "colgraph_run_facets",
    "colgraph_transformation",
)


def described(name: str, text: str) -> dict[str, Any]:
    """`mart.total`, computed from two tables by an expression that names columns of both."""
    inputs = [
        {
            "namespace": "n",
            "name": table,
            "field": field,
            "transformations": [
                {"type": "DIRECT", "subtype": "TRANSFORMATION", "description": text}
            ],
        }
        for table, field in (("secret", "ssn"), ("open", "b"))
    ]
    facets: dict[str, Any] = {
        "columnLineage": {"fields": {"total": {"inputFields": inputs}}},
        "colgraph_operations": {
            "operations": [
                {
                    "name": "READ 1",
                    "type": "READ",
                    "namespace": "n",
                    "dataset": "secret",
                    "inputs": [{"namespace": "n", "name": "secret"}],
                    "outputs": ["ssn"],
                }
            ]
        },
    }
    return {"namespace": "n", "name": name, "facets": facets}


SECRET = [
    copy_event("load.secret", 1, "secret", {"ssn": "vault.key"}),
    event("mix", 2, [described("mart", "concat(ssn, b)")], reads=["secret", "open"]),
    copy_event("report", 3, "report", {"x": "mart.total", "y": "secret.ssn"}),
]
OPEN = [
    copy_event("load.open", 4, "open", {"b": "csv.b"}),
    copy_event("report", 5, "report2", {"x": "mart.total"}),
    copy_event("load.open", 6, "open", {"b": "csv.c"}),
]


def everything(store: Store) -> str:
    """Every value of every row as text, decompressed."""
    texts = []
    for name, rows in table_rows(store).items():
        if name != "colgraph_audit":
            texts += [_text(value) for row in rows for value in row]
    return "\n".join(texts)


def _text(value: Any) -> str:
    if isinstance(value, bytes | memoryview):
        data = bytes(value)
        with suppress(zlib.error):
            data = zlib.decompress(data)
        return data.decode(errors="replace")
    return str(value)


def forgotten(store: Store, select: Any, *names: str) -> forget.Forgotten:
    """Forget, as the plan says."""
    before = table_rows(store)
    with store.connection() as connection:
        what = select(connection, *names)
    planned = forget.plan(store, what)
    assert table_rows(store) == before
    done = forget.forget(store, what, "me")
    assert done == planned
    return done


def answers(store: Store, *names: tuple[str, str]) -> list[set[tuple[str, str, str]]]:
    return [short_edges(graph.upstream(store, "n", *name)) for name in names]


def test_nothing_is_left_of_a_dataset(store: Store) -> None:
    store.keep_events()
    store.add([*SECRET, *OPEN])
    assert "ssn" in everything(store)
    open_before = answers(store, ("open", "b"), ("report2", "x"))
    done = forgotten(store, selected.of_dataset, "n", "secret")
    left = everything(store)
    assert "ssn" not in left
    assert "concat" not in left
    assert left.count("secret") == left.count("load.secret")
    assert (done.datasets, done.fields, done.outputs) == (1, 1, 1)
    assert done.events == 3
    assert answers(store, ("report", "x")) == [
        {
            ("mart.total", "report.x", "DIRECT:IDENTITY"),
            ("open.b", "mart.total", "DIRECT:TRANSFORMATION"),
            ("csv.c", "open.b", "DIRECT:IDENTITY"),
        }
    ]
    assert answers(store, ("open", "b"))[0] == open_before[0]
    assert graph.upstream(store, "n", "report", "y").edges == []
    with store.connection() as connection, pytest.raises(UnknownNode):
        find_dataset(connection, "n", "secret")


def test_a_dataset_that_a_run_reads_and_writes_is_left_in_no_body(store: Store) -> None:
    both = [output("mart", {"x": "stage.x"}), output("stage", {"x": "raw.x"})]
    store.add([event("load", 1, both, reads=["raw", "stage"])])
    assert '"unordered"' in everything(store)
    forgotten(store, selected.of_dataset, "n", "stage")
    assert "stage" not in everything(store)


def test_a_dataset_is_forgotten_under_all_its_names(store: Store) -> None:
    link = {"identifiers": [{"namespace": "h", "name": "customers", "type": "TABLE"}]}
    store.add(
        [
            event("load", 1, [output("s3path", {"a": "raw.a"}, symlinks=link)]),
            copy_event("use", 2, "mart", {"x": "s3path.a"}),
        ]
    )
    forgotten(store, selected.of_dataset, "h", "customers")
    assert "s3path" not in everything(store)


@pytest.mark.parametrize("name", ["report", "mix", "load.secret", "load.open"])
def test_the_store_is_as_without_the_job(store: Store, name: str) -> None:
    store.keep_events()
    store.add([*SECRET, *OPEN])
    forgotten(store, selected.of_job, "jobs", name)
    assert rows(store) == rows_without(store, lambda event: event["job"]["name"] == name)


@pytest.mark.parametrize("number", range(1, 7))
def test_the_store_is_as_without_the_run(store: Store, number: int) -> None:
    store.keep_events()
    store.add([*SECRET, *OPEN])
    forgotten(store, selected.of_run, run_id(number))
    expected = rows_without(store, lambda event: event["run"]["runId"] == run_id(number))
    # A job whose only run is forgotten is still known, as are facets, which are no run's own.
    for name in ("colgraph_job", "colgraph_facets", "colgraph_gap"):
        expected.pop(name)
    assert {name: values for name, values in rows(store).items() if name in expected} == expected


def rows(store: Store) -> dict[str, Any]:
    return {name: values for name, values in table_rows(store).items() if name in DERIVED}


def rows_without(store: Store, is_unwanted: Any) -> dict[str, Any]:
    """The rows of a store that never got some of the events."""
    other = Store.open("sqlite://")
    other.keep_events()
    other.add([event for event in (*SECRET, *OPEN) if not is_unwanted(event)])
    return rows(other)


def test_a_namespace_is_its_datasets_and_jobs(store: Store) -> None:
    store.add(SECRET)
    forgotten(store, selected.of_namespace, "n")
    left = table_rows(store)
    assert left["colgraph_dataset"] == left["colgraph_field"] == left["colgraph_edge"] == []
    assert [row[1] for row in left["colgraph_namespace"]] == ["jobs"]
    forgotten(store, selected.of_namespace, "jobs")
    rest = {name: rows for name, rows in table_rows(store).items() if rows}
    assert rest.keys() <= {"colgraph_audit", "colgraph_field_name"}


def test_a_text_in_expressions_is_masked_and_the_edges_stay(store: Store) -> None:
    store.keep_events()
    store.add([*SECRET, *OPEN])
    before = answers(store, ("report", "x"))
    forgotten(store, selected.of_text, "concat(ssn")
    assert "concat" not in everything(store)
    assert answers(store, ("report", "x")) == before
    (mixed,) = {
        edge.transformation.description
        for edge in graph.upstream(store, "n", "mart", "total", depth=1).edges
    }
    assert mixed == "***"


def test_what_is_reported_again_is_there_again(store: Store) -> None:
    store.add([*SECRET, *OPEN])
    before = answers(store, ("report", "x"), ("report", "y"))
    forgotten(store, selected.of_dataset, "n", "secret")
    store.add(SECRET)
    assert answers(store, ("report", "x"), ("report", "y")) == before


class Crash(Exception):
    """Ends the work after a transaction."""


SELECTIONS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "dataset": (selected.of_dataset, ("n", "secret")),
    "job": (selected.of_job, ("jobs", "mix")),
    "run": (selected.of_run, (run_id(2),)),
    "namespace": (selected.of_namespace, ("n",)),
    "text": (selected.of_text, ("concat(ssn",)),
}


@pytest.mark.parametrize("kind", SELECTIONS)
def test_after_a_crash_the_same_call_forgets_the_rest(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After each of its transactions in turn; also then all questions have an answer."""
    monkeypatch.setattr(paced, "FIRST", 1)
    select, names = SELECTIONS[kind]

    def attempt(transactions: int) -> tuple[dict[str, Any], bool]:
        """What is left by a crash after so many and another call, and whether it has crashed."""
        store = Store.open("sqlite://")
        store.keep_events()
        store.add([*SECRET, *OPEN])
        calls = iter(range(transactions))

        def crash(done: int, total: int) -> None:
            if next(calls, None) is None:
                raise Crash

        with store.connection() as connection:
            what = select(connection, *names)
        try:
            forget.forget(store, what, "me", crash)
        except Crash:
            with suppress(UnknownNode):  # the namespace's
                answers(store, ("open", "b"), ("report2", "x"))
        else:
            return contents(store), False
        with suppress(UnknownNode):  # it was the last one
            with store.connection() as connection:
                what = select(connection, *names)
            forget.forget(store, what, "me")
        return contents(store), True

    expected, has_crashed = attempt(1000)
    assert not has_crashed
    for number in range(1000):
        left, has_crashed = attempt(number)
        assert left == expected, number
        if not has_crashed:
            break
    assert number > 3


def contents(store: Store) -> dict[str, Any]:
    names = ("colgraph_audit", "colgraph_change")
    return {name: rows for name, rows in table_rows(store).items() if name not in names}


def test_writers_go_on_between_the_transactions(store: Store) -> None:
    store.add([*SECRET, *OPEN])
    with store.connection() as connection:
        what = selected.of_dataset(connection, "n", "secret")
    numbers = iter(range(7, 60))
    added = []

    def show(done: int, total: int) -> None:
        added.append(next(numbers))
        store.add([copy_event("other", added[-1], "other", {"x": "csv.a"})])

    forget.forget(store, what, "me", show)
    assert len(added) > 5
    assert answers(store, ("other", "x")) == [{("csv.a", "other.x", "DIRECT:IDENTITY")}]
    assert "ssn" not in everything(store)


def test_the_audit_log_has_who_and_how_much_and_not_what(store: Store) -> None:
    store.add([*SECRET, *OPEN])
    forgotten(store, selected.of_text, "concat(ssn")
    forgotten(store, selected.of_dataset, "n", "secret")
    with store.connection() as connection:
        begun, text, _, dataset = audit.read(connection)
    assert (begun.action, begun.subject, begun.result) == ("forget-begin", "text", text.result)
    assert (text.action, text.subject, text.by) == ("forget", "text", "me")
    assert (dataset.subject, dataset.by) == ("dataset n secret", "me")
    assert "1 datasets, 1 fields" in dataset.result


def test_what_is_unknown_is_an_error(store: Store) -> None:
    store.add(SECRET)
    with store.connection() as connection:
        for select, names in (
            (selected.of_dataset, ("n", "sekret")),
            (selected.of_job, ("jobs", "no")),
            (selected.of_namespace, ("no",)),
            (selected.of_run, (run_id(77),)),
        ):
            with pytest.raises(UnknownNode):
                select(connection, *names)  # type: ignore[operator]
        with pytest.raises(QuestionError):
            selected.of_run(connection, "x")
        with pytest.raises(QuestionError):
            selected.of_text(connection, "ab")


# The command and the routes -------------------------------------------------------------------


def colgraph(url: str, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["--store", url, *arguments])


def test_the_command_shows_a_plan_first(store_url: str, tmp_path: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv("AIRFLOW__COLGRAPH__SPOOL", str(tmp_path / "spool"))
    Spool(str(tmp_path / "spool")).keep(SECRET[0])
    with Store.open(store_url) as store:
        store.add([*SECRET, *OPEN])
        before = table_rows(store)
        plan = colgraph(store_url, "forget", "--namespace", "n", "--dataset", "secret")
        assert plan.exit_code == 0, plan.output
        assert plan.output.startswith("would be forgotten: 1 datasets, 1 fields")
        assert f"1 events in the spool {tmp_path}/spool name it" in plan.output
        assert plan.output.endswith("nothing is changed; run it again with --yes\n")
        assert table_rows(store) == before
        words = ("--namespace", "n", "--dataset", "secret", "--yes", "--by", "dpo")
        assert colgraph(store_url, "forget", *words).output.startswith("forgotten: 1 datasets")
        assert "dpo  forget dataset n secret: 1 datasets" in colgraph(store_url, "audit").output
        assert colgraph(store_url, "forget", *words).exit_code == 2
        assert colgraph(store_url, "forget").exit_code == 2
        assert colgraph(store_url, "forget", "--job", "a", "--run", "b").exit_code == 2


def test_the_routes_need_the_scope_admin(store: Store) -> None:
    store.add([*SECRET, *OPEN])
    client = TestClient(create_app(store, require_api_key(store)), raise_server_exceptions=False)
    reader = {"Authorization": f"Bearer {api_keys.add(store, 'r', ['read', 'ingest', 'tag'])}"}
    admin = {"Authorization": f"Bearer {api_keys.add(store, 'dpo', ['admin'])}"}
    paths = ("n/datasets/secret", "jobs/jobs/report", "jobs")
    for path in paths:
        route = f"/api/v1/namespaces/{path}"
        assert client.delete(route).status_code == 401
        assert client.delete(route, headers=reader).status_code == 403
        assert client.delete(route, headers=admin).status_code == 200, path
        assert client.delete(route, headers=admin).status_code == 404
    assert "ssn" not in everything(store)
    with store.connection() as connection:
        actions = audit.read(connection, actions=["forget-begin", "forget"])
    assert {action.by for action in actions} == {"dpo"}
    assert sum(action.action == "forget" for action in actions) == len(paths)


def test_a_revoked_key_leaves_its_name_to_the_next(store: Store) -> None:
    former = api_keys.add(store, "airflow", ["read"])
    with pytest.raises(QuestionError, match="There is a key 'airflow' already"):
        api_keys.add(store, "airflow", ["read"])
    api_keys.revoke(store, "airflow")
    key = api_keys.add(store, "airflow", ["ingest"])
    valid = api_keys.key_of(store, key)
    assert valid is not None
    assert valid.grant.scopes == {"ingest"}
    assert api_keys.key_of(store, former) is None
    names = [key.name for key in api_keys.every(store)]
    assert names[0] == "airflow"
    assert names[1].startswith("airflow (revoked 20")
