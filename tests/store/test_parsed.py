"""What a process remembers of bodies stays within a number of edges."""

from airflow_colgraph.store.ingest.body_cache import Bodies, ParsedBody, parse
from airflow_colgraph.store.model.lineage_body import unpack
from tests.store.samples import copy


def body(width: int) -> ParsedBody:
    from airflow_colgraph.store.ingest.openlineage import facts

    (written,) = facts(copy("j", 1, "d", {f"f{n}": "s.a" for n in range(width)})).outputs
    return parse(unpack(written.lineage_body.packed))


def test_wide_bodies_are_forgotten_sooner_than_narrow_ones() -> None:
    wide, narrow = body(60), body(3)
    bodies = Bodies(100)
    for id, one in enumerate([wide, narrow, narrow, wide]):
        bodies.keep(id, one)
    assert [bodies.get(id) is not None for id in range(4)] == [False, True, True, True]
    bodies.keep(1, narrow)  # again: it counts once
    bodies.keep(4, body(500))
    assert [bodies.get(id) is not None for id in range(5)] == [False] * 4 + [True]
