"""An RDD of a query comes from what the query has read, if it was heard of."""

from typing import Any

import pytest

from airflow_colgraph.collector.lineage import session_state
from airflow_colgraph.collector.model import (
    AS_RDD,
    CHECKPOINT,
    EXECUTED,
    Dataset,
    NamedDataset,
    Query,
    Rdd,
    Read,
)
from airflow_colgraph.collector.plan import Rows
from tests.collector.test_checkpoints import (
    checkpoint,
    event_of,
    held,
    inputs,
    rdd,
    save,
    unresolved,
)
from tests.collector.test_lineage import attribute, project, relation, row

COLUMNS = (("c1", "int"), ("c2", "int"))
TABLE, OTHER = (Read((NamedDataset(Dataset("file", name)),), COLUMNS) for name in ("/in", "/on"))


def used(plan: Rows, number: int, reads: Any = None, rdds: Any = None) -> Query:
    """A frame that is used as the RDD `number`."""
    return Query(AS_RDD, "", plan, reads or {}, {}, rdds=rdds or {}, rdd=number)


def of_query(number: int, *below: Read, **more: Any) -> Read:
    """What leads back to the RDD of a query, and below it to what its own RDDs have read."""
    origin = Read((), (), {}, "rdd", below, Rdd(number, EXECUTED), **more)
    return Read((), (), {}, "rdd", (origin,))


def names(event: Any) -> list[str]:
    return [found["name"] for found in event["inputs"]]


def test_what_a_query_has_broadcast_is_among_the_inputs() -> None:
    inner = {"object": "org.apache.spark.sql.catalyst.plans.Inner$"}
    plan = [row("Join", 2, joinType=inner), *relation(1), *relation(2)]
    joined = used(plan, 30, {(1,): TABLE, (2,): OTHER})
    event = event_of(joined, save(rdd(7), 1, {}, {(7,): of_query(30, TABLE)}))
    assert (inputs(event), unresolved(event)) == ([["c1", "c2"]], [])
    assert names(event) == ["/in", "/on"]


def test_of_a_query_that_nobody_heard_of_there_is_what_its_rdds_have_read() -> None:
    event = event_of(save(rdd(7), 1, {}, {(7,): of_query(30, TABLE)}))
    assert inputs(event) == [["c1", "c2"]]
    assert unresolved(event) == [{"class": "SQLExecutionRDD", "count": 1}]


def test_a_query_of_the_programs_own_rows_has_no_inputs() -> None:
    own = [row("LocalRelation", output=[[attribute(1)]], data=[])]
    event = event_of(used(own, 30), save(rdd(7), 1, {}, {(7,): of_query(30, is_mixed=True)}))
    assert (inputs(event), unresolved(event)) == ([[]], [])


def test_a_checkpoint_may_be_heard_of_after_the_use_of_a_frame_that_starts_from_it() -> None:
    kept = checkpoint(relation(1, 2), 10, 1, 2)._replace(reads={(1, 2): TABLE})
    of_kept = used(project([[attribute(5)]], rdd(5, 6)), 30, rdds={(5, 6): held(11)})
    again = used(rdd(8), 40, rdds={(8,): of_query(30)})  # the RDD of the RDD
    event = event_of(of_kept, again, kept, save(rdd(7), 1, {}, {(7,): of_query(40)}))
    assert (inputs(event), unresolved(event)) == ([["c1"]], [])


def test_what_a_query_could_not_resolve_is_said_where_its_rdd_is_used() -> None:
    of_lost = used(rdd(5), 30, rdds={(5,): held(11)})
    event = event_of(of_lost, save(rdd(7), 1, {}, {(7,): of_query(30)}))
    assert unresolved(event) == [{"class": "LogicalRDD", "count": 1}]


def test_a_checkpoint_with_its_parents_is_said_to_be_unknown_if_it_is() -> None:
    lazy = Read((), (), {}, "rdd", (TABLE,), Rdd(11, CHECKPOINT), (CHECKPOINT,))
    event = event_of(save(rdd(7), 1, {}, {(7,): lazy}))
    assert inputs(event) == [["c1", "c2"]]
    assert unresolved(event) == [{"class": "checkpoint", "count": 1}]


def test_the_oldest_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_state, "MOST_USED_AS_RDD", 2)
    frames = [used(relation(1), 30 + number, {(1,): TABLE}) for number in range(3)]
    first, last = (
        event_of(*frames, save(rdd(7), 1, {}, {(7,): of_query(number, OTHER)}))
        for number in (30, 32)
    )
    assert (names(first), unresolved(first)) == (
        ["/on"],
        [{"class": "SQLExecutionRDD", "count": 1}],
    )
    assert (names(last), unresolved(last)) == (["/in"], [])
