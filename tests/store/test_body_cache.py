"""What a process remembers of bodies stays within a number of edges."""

from airflow_colgraph.store.ingest.body_cache import ParsedBody, parse
from airflow_colgraph.store.model.bounded_cache import BoundedCache
from airflow_colgraph.store.model.lineage_body import unpack
from tests.store.samples import copy_event


def parsed_body(width: int) -> ParsedBody:
    from airflow_colgraph.store.ingest.openlineage import facts

    (written,) = facts(copy_event("j", 1, "d", {f"f{n}": "s.a" for n in range(width)})).outputs
    return parse(unpack(written.lineage_body.packed))


def test_wide_bodies_are_forgotten_sooner_than_narrow_ones() -> None:
    wide, narrow = parsed_body(60), parsed_body(3)
    bodies: BoundedCache[int, ParsedBody] = BoundedCache(100, lambda one: len(one.statements))
    for id, one in enumerate([wide, narrow, narrow, wide]):
        bodies.put(id, one)
    assert [bodies.get(id) is not None for id in range(4)] == [False, True, True, True]
    bodies.put(1, narrow)  # again: it counts once
    bodies.put(4, parsed_body(500))
    assert [bodies.get(id) is not None for id in range(5)] == [False] * 4 + [True]
