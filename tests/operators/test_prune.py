"""ColgraphPruneOperator: what is deleted and reported, and the documentation's DAG in Airflow."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from airflow_colgraph import conf
from airflow_colgraph.operators import prune
from airflow_colgraph.operators.prune import ColgraphPruneOperator
from airflow_colgraph.store.admin import audit
from airflow_colgraph.store.admin.size import sizes
from airflow_colgraph.store.errors import NoStore, QuestionError
from airflow_colgraph.store.query.graph import upstream
from airflow_colgraph.store.store import Store
from tests.operators.documented_dag import run_documented
from tests.store.samples import at, copy_event

# Two runs that are old, the second with other lineage; only the latest is needed.
LOG = [copy_event("shop.mart", 1, "mart", {"t": "raw.a"})]
LOG += [copy_event("shop.mart", 2, "mart", {"t": "raw.b"})]
DELETED = {"runs": 1, "occurrences": 1, "lineage_bodies": 1, "edges": 1, "reads": 0}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(f"sqlite:///{tmp_path}/store.db") as opened:
        opened.add(LOG)
        yield opened


@pytest.fixture
def metrics(monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    values: dict[str, float] = {}
    monkeypatch.setattr(prune.stats, "incr", values.__setitem__)
    monkeypatch.setattr(prune.stats, "gauge", values.__setitem__)
    return values


def sources(store: Store) -> set[str]:
    return {edge.input.field for edge in upstream(store, "n", "mart", "t").edges}


def pruned(**options: Any) -> dict[str, int]:
    return ColgraphPruneOperator(task_id="prune", **options).execute({})


def test_what_is_old_is_deleted_and_counted(store: Store, metrics: dict[str, float]) -> None:
    assert pruned(before="now-1s", store=store.url) == DELETED
    assert sources(store) == {"b"}
    left = sizes(store, 0)
    assert metrics == {
        **{f"colgraph_pruned.{name}": count for name, count in DELETED.items()},
        "colgraph_store_rows": sum(table.rows for table in left),
        "colgraph_store_bytes": sum(table.bytes for table in left),
    }
    with store.connection() as connection:
        (row,) = audit.read(connection, actions=["prune-begin"])
    assert row.by == "adhoc_airflow.prune"
    assert pruned(before="now-1s", store=store.url) == dict.fromkeys(DELETED, 0)


def test_a_namespace_is_pruned_alone(store: Store, metrics: dict[str, float]) -> None:
    nothing = dict.fromkeys(DELETED, 0)
    assert pruned(before="now-1s", namespaces=["other"], store=store.url) == nothing
    assert pruned(before="now-1s", namespaces=["n"], store=store.url) == DELETED
    with store.connection() as connection:
        rows = audit.read(connection)
    assert [row.subject.rpartition("Z ")[2] for row in rows] == ["n"]


def test_reads_are_deleted_by_their_own_time(
    store: Store, metrics: dict[str, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    with store.connection() as connection:
        audit.write(connection, "read", "dataset n mart", "ann", "t (pii) by /x", 1)
        connection.commit()
    monkeypatch.setattr(conf, "store", lambda: store.url)
    assert pruned(before=at(0))["reads"] == 0
    assert pruned(before=at(0), reads_before="now-400d")["reads"] == 1
    assert metrics["colgraph_pruned.reads"] == 1
    assert sources(store) == {"b"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"before": "now+1d"}, r"^before is now\+1d: expected a time that is not after now\.$"),
        ({"before": "now", "reads_before": "now+1d"}, r"^reads_before is now\+1d: expected"),
        ({"before": "soon"}, "^before: 'soon' is not a time"),
    ],
)
def test_a_time_that_is_wrong_deletes_nothing(
    options: dict[str, str], message: str, store: Store
) -> None:
    with pytest.raises(QuestionError, match=message):
        pruned(**options, store=store.url)
    with store.connection() as connection:
        assert audit.read(connection, actions=["prune-begin"]) == []


def test_no_store_is_made(tmp_path: Path) -> None:
    with pytest.raises(NoStore):
        pruned(before="now-1s", store=f"sqlite:///{tmp_path}/none.db")
    assert not (tmp_path / "none.db").exists()


@pytest.mark.airflow
def test_the_dag_of_the_documentation(store: Store, tmp_path: Path) -> None:
    result, text = run_documented(
        "colgraph_prune",
        "prune",
        tmp_path,
        {'before="now-400d",\n': 'before="now-1s",\n'},
        AIRFLOW__COLGRAPH__STORE=store.url,
    )
    assert (result["state"], result["report"]) == ("success", DELETED), text[-3000:]
    metrics = result["metrics"]
    assert metrics["colgraph_pruned.runs"] == 1
    assert metrics["colgraph_store_bytes"] > metrics["colgraph_store_rows"] > 0
    assert sources(store) == {"b"}
    with store.connection() as connection:
        (row,) = audit.read(connection, actions=["prune-begin"])
    assert row.by == "colgraph_prune.prune"
