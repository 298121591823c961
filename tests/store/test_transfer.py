import pytest

from airflow_colgraph.store.admin import audit
from airflow_colgraph.store.admin.retention import prune
from airflow_colgraph.store.admin.transfer import export, load
from airflow_colgraph.store.errors import EventError, QuestionError
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.query.graph import upstream
from airflow_colgraph.store.store import Store
from tests.store.samples import at, copy_event, event, memory_store, output, table_rows

LINK = {"symlinks": {"identifiers": [{"namespace": "h", "name": "t", "type": "TABLE"}]}}
SCHEMA = {"schema": {"fields": [{"name": "x", "type": "int"}]}}
LOG = [
    copy_event("load", 1, "raw", {"x": "csv.a"}),
    event("load", 2, [output("raw", {"x": "csv.b"}, "csv.c INDIRECT:SORT", **LINK, **SCHEMA)]),
    event("reader", 3, [], reads=["raw"]),
    {"eventTime": "2026-11-20T12:00:00Z", "dataset": output("reported", {"z": "h.x"})},
]


def test_a_store_moves_to_another_database(store: Store) -> None:
    source = memory_store()
    source.add(LOG)
    lines = list(export(source))
    assert load(store, lines) > 0
    assert table_rows(store) == table_rows(source)
    assert list(map(sorted, export(store))) == list(map(sorted, lines))


def test_loading_again_changes_nothing(store: Store) -> None:
    store.add(LOG)
    before = table_rows(store)
    load(store, list(export(store)))
    assert table_rows(store) == before


def test_stores_are_merged() -> None:
    one, two, both = memory_store(), memory_store(), memory_store()
    one.add(LOG[:2])
    two.add(LOG[1:])
    both.add(LOG)
    load(one, list(export(two)))
    assert table_rows(one) == table_rows(both)


def test_what_was_pruned_is_known_where_it_is_imported(store: Store) -> None:
    source = memory_store()
    source.add([copy_event("load", minute, "raw", {"x": f"csv.{minute}"}) for minute in (1, 2, 3)])
    prune(source, clock.parse_iso(at(3)), by="ann")
    lines = list(export(source))
    for _ in range(2):
        load(store, lines)
    with store.connection() as connection:
        (action,) = audit.read(connection)
    assert (action.action, action.by) == ("prune-begin", "ann")
    with pytest.raises(QuestionError, match="was pruned, so there is no answer about"):
        upstream(store, "n", "raw", "x", at=at(2))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([b"{"], "Line 1 is not JSON: "),
        ([b'{"run": []}'], "Line 1: the export must begin with {'colgraph': 1}."),
        ([b'{"colgraph": 2}'], "Line 1: the export must begin with {'colgraph': 1}."),
        ([b'{"colgraph": 1}', b'{"eventTime": 3}'], "Line 2 is not from an export of a store."),
        (
            [b'{"colgraph": 1}', b'{"symlink": [[1]]}'],
            "Line 2: a row of symlink has not 2 values.",
        ),
    ],
)
def test_what_is_no_export(lines: list[bytes], message: str) -> None:
    store = memory_store()
    with pytest.raises(EventError) as error:
        load(store, lines)
    assert str(error.value).startswith(message)
    assert {name: rows for name, rows in table_rows(store).items() if rows} == {}
