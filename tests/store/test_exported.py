"""Exports from either database are the same."""

import io

import pytest

from airflow_colgraph.exports.exporters import FORMATS, Options
from airflow_colgraph.exports.field_lookup import find_fields
from airflow_colgraph.exports.store_reader import lineage
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.store import Store
from tests.exports.samples import ORDERS, daily, load

EVENTS = [load(), daily(), load(3, "2026-11-21T10:00:00Z", note="TRANSFORMATION")]
SINCE = [None, "2026-11-21T00:00:00Z", "2026-11-22T00:00:00Z"]


@pytest.mark.parametrize("since", SINCE)
def test_lineage_and_files(store: Store, since: str | None) -> None:
    memory = Store.open("sqlite://")
    memory.add(EVENTS)
    store.add(EVENTS)
    options = Options(since=clock.parse_iso(since) if since else None)
    with memory.connection() as one, store.connection() as other:
        assert lineage(other, options.since) == lineage(one, options.since)
        for name in FORMATS:
            files = [io.BytesIO(), io.BytesIO()]
            counts = [
                FORMATS[name].write(connection, options, file)
                for connection, file in zip((one, other), files, strict=True)
            ]
            assert counts[0] == counts[1], name
            if name != "parquet":
                texts = [sorted(file.getvalue().splitlines()) for file in files]
                assert texts[0] == texts[1], name


@pytest.mark.parametrize("since", SINCE)
def test_one_dataset_is_its_part_of_all(store: Store, since: str | None) -> None:
    store.add(EVENTS)
    at = clock.parse_iso(since) if since else None
    with store.connection() as connection:
        every = lineage(connection, at)
        for of in {one.dataset for one in every.outputs} | set(every.schemas):
            one = lineage(connection, at, [of])
            written = tuple(w for w in every.outputs if w.dataset == of)
            expected = {of} if written or of not in every.unchanged else set()
            needed = expected.union(*(w.inputs for w in written)) & set(every.schemas)
            assert one.outputs == written
            assert one.schemas == {name: every.schemas[name] for name in needed}
            assert one.unchanged == needed - ({of} - every.unchanged)


def test_fields_by_path(store: Store) -> None:
    store.add(EVENTS)
    assert find_fields(store, [Field(*ORDERS, "/items/sku")]) == [Field(*ORDERS, "items.sku")]
