"""What leaves read is remembered by columns: a session lasts, and its tables may be wide."""

import pytest

from airflow_colgraph.collector.model import Read
from airflow_colgraph.collector.spark import leaf_cache
from airflow_colgraph.collector.spark.leaf_cache import Key, LeafCache

READ = Read((), (), {}, "parquet")


def leaf(number: int, width: int) -> Key:
    return ("LogicalRelation", tuple((number * width + at, "x") for at in range(width)))


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaf_cache, "MOST_COLUMNS", 100)


@pytest.mark.parametrize(("width", "kept"), [(1, 100), (30, 3), (100, 1), (101, 0)])
def test_wide_leaves_are_fewer(width: int, kept: int) -> None:
    cache = LeafCache()
    for number in range(300):
        cache.keep(leaf(number, width), READ)
    known = [number for number in range(300) if cache.get(leaf(number, width))]
    assert known == [*range(300 - kept, 300)]


def test_what_was_used_longest_ago_is_forgotten_first() -> None:
    cache = LeafCache()
    for number in range(3):
        cache.keep(leaf(number, 30), None)
    assert cache.get(leaf(0, 30)) == (None,)
    cache.keep(leaf(3, 30), READ)
    assert [cache.get(leaf(number, 30)) for number in range(4)] == [(None,), None, (None,), (READ,)]
