"""What is remembered of a checkpointed frame belongs to its RDD, by position."""

from time import monotonic
from typing import Any

import pytest

from airflow_colgraph.collector.lineage import checkpoints
from airflow_colgraph.collector.lineage.checkpoints import Checkpoints
from airflow_colgraph.collector.lineage.transformations import IDENTITY
from airflow_colgraph.collector.model import (
    BATCH,
    CHECKPOINT,
    Dataset,
    Edges,
    Field,
    KnownFrame,
    NamedDataset,
    Query,
    Rdd,
    Read,
    Write,
)
from airflow_colgraph.collector.plan import Rows
from tests.collector.cases.loader import settings_of
from tests.collector.pipelines import emitted_events, pipeline_into
from tests.collector.test_lineage import OUT, attribute, concat, project, relation, row

IN = Dataset("file", "/in")


def edges(*names: str) -> Edges:
    return {IDENTITY: tuple(Field(IN, (name,)) for name in names)}


def frame(*names: str) -> KnownFrame:
    """A frame with a column for each name, its rows affected by the last."""
    return KnownFrame(tuple(edges(name) for name in names), edges(names[-1]))


A, B, C = frame("a"), frame("b"), frame("c")


def at(number: int) -> Rdd:
    return Rdd(number, CHECKPOINT)


def test_checkpoints_of_the_same_columns_are_distinguished_by_their_rdds() -> None:
    known = Checkpoints()
    known.add((1,), 10, A)
    known.add((1,), 20, B)
    assert known.frames({(1,): at(21), (7,): at(11)}) == {(1,): B, (7,): A}


def test_a_frame_that_was_checkpointed_again_is_found_by_its_columns() -> None:
    known = Checkpoints()
    known.add((1,), 10, A)
    known.add((1,), 20, B)
    known.add((1,), 10, A)
    assert known.frames({(9,): at(31), (1,): at(31)}) == {(9,): A, (1,): A}


def test_without_a_parent_from_spark_one_of_several_is_not_chosen() -> None:
    known = Checkpoints()
    known.add((1,), None, A)
    assert known.frames({(1,): at(11)}) == {(1,): A}
    known.add((1,), None, B)
    assert known.frames({(1,): at(21)}) == {(1,): B}  # the first has its RDD
    known.add((1,), None, B)
    known.add((1,), None, C)
    (found,) = known.frames({(1,): at(31)}).values()
    assert found.columns == ({IDENTITY: (Field(IN, ("b",)), Field(IN, ("c",)))},)
    assert found.opaque == (("LogicalRDD", 1),)


def test_threads_that_checkpoint_at_the_same_time_are_not_taken_for_each_other() -> None:
    known = Checkpoints()  # executed to 10 and 14, and mapped to 15 and 16
    known.add((1,), 10, A, (0, 9))
    known.add((2,), 14, B, (8, 12))
    assert known.frames({(1,): at(15), (2,): at(16), (9,): at(15)}) == {(1,): A, (2,): B, (9,): A}


def test_a_frame_of_one_thread_with_new_ids_is_not_taken_for_that_of_another() -> None:
    """The number after that of the first is the other's: seed 3468 of the made programs."""
    known = Checkpoints()  # executed to 14 and 10, and mapped to 16 and 15
    known.add((1,), 14, A, (0, 9))
    known.add((2,), 10, B, (8, 12))
    assert known.frames({(9,): at(15), (1,): at(16)}) == {(9,): B, (1,): A}
    known.add((3,), 20, C, (20, 30))  # before the two that it is not beside
    assert known.frames({(8,): at(21)}) == {(8,): C}


def test_a_frame_with_new_ids_that_may_be_any_threads_is_said_to_be_unknown() -> None:
    known = Checkpoints()
    known.add((1,), 14, A, (0, 9))
    known.add((2,), 10, B, (8, 12))
    (found,) = known.frames({(9,): at(15)}).values()
    assert (found, found.opaque) == (A.beside(B), (("LogicalRDD", 1),))


@pytest.mark.parametrize("parents", [(10, 11), (11, 10)])
def test_threads_that_checkpoint_the_same_columns_are_said_to_be_unknown(parents: Any) -> None:
    known = Checkpoints()  # executed to 10 and 11, and mapped to 12 and 13
    known.add((1,), parents[0], A, (0, 9))
    known.add((1,), parents[1], B, (8, 12))
    (found,) = known.frames({(1,): at(12)}).values()
    assert (set(found.columns[0][IDENTITY]), found.opaque) == (
        {Field(IN, ("a",)), Field(IN, ("b",))},
        (("LogicalRDD", 1),),
    )


def test_batches_are_those_of_their_streams_session() -> None:
    known = Checkpoints()
    known.add_batches("one", (1,), A)
    known.add_batches("other", (1,), B)
    assert known.frames({(1,): Rdd(5, BATCH, "other"), (9,): Rdd(5, BATCH, "other")}) == {
        (1,): B,
        (9,): B,
    }
    assert known.frames({(1,): Rdd(6, BATCH, "")}) == {}


def test_the_oldest_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints, "MOST_COLUMNS", 100)
    known = Checkpoints()
    known.add((1,), 10, A)
    for number in range(100):
        known.add((2,), 20 + 2 * number, B)
    assert known.frames({(1,): at(11)}) == {}
    assert known.frames({(2,): at(21)}) == {(2,): B}


# Through the worker ---------------------------------------------------------------------------

READ = Read((NamedDataset(IN),), ())


def rdd(*numbers: int) -> Rows:
    return [row("LogicalRDD", output=[[attribute(number)] for number in numbers])]


def held(number: int) -> Read:
    return Read((), (), {}, "rdd", (), at(number))


def event_of(*queries: Query) -> Any:
    """The last event of some queries."""
    return emitted_events(queries)[-1]


def checkpoint(plan: Rows, parent: int, *leaf: int) -> Query:
    reads = {leaf: READ} if leaf else {}
    return Query("localCheckpoint", "", plan, reads, {}, parent=parent)


def save(plan: Rows, columns: int, reads: Any, rdds: Any) -> Query:
    write = Write(OUT, tuple((f"c{number}", "int") for number in range(columns)))
    return Query("command", "", plan, reads, {}, write, rdds=rdds)


def inputs(event: Any) -> list[list[str]]:
    (output,) = event["outputs"]
    fields = output["facets"]["columnLineage"]["fields"].values()
    return [[found["field"] for found in column["inputFields"]] for column in fields]


def unresolved(event: Any) -> Any:
    return event["run"]["facets"]["colgraph_diagnostics"]["unresolved"]


def test_a_relation_is_never_answered_from_a_checkpoint() -> None:
    kept = checkpoint(project([[attribute(1)]], relation(1, 2)), 10, 1, 2)
    same = checkpoint(relation(1, 2), 20, 1, 2)
    event = event_of(kept, same, save(relation(1, 2), 2, {(1, 2): READ}, {}))
    assert (inputs(event), unresolved(event)) == ([["c1"], ["c2"]], [])
    union = [row("Union", 2), *rdd(1, 2), *relation(1, 2)]
    event = event_of(kept, same, save(union, 2, {(1, 2): READ}, {(1, 2): held(21)}))
    assert (inputs(event), unresolved(event)) == ([["c1"], ["c2"]], [])


def test_a_checkpoint_whose_budget_was_spent_is_made_of_all_that_it_read() -> None:
    events: list[Any] = []
    empty = checkpoint(relation(1, 2), 10, 1, 2)
    columns = (("c1", "integer"), ("c2", "integer"))
    reads = {ids: found._replace(columns=columns) for ids, found in empty.reads.items()}
    empty = empty._replace(reads=reads)
    pipeline = pipeline_into(events)
    settings = pipeline.settings
    pipeline.settings = settings_of((("queryBudgetSeconds", "0"),))
    pipeline.add(empty, monotonic())
    pipeline.settings = settings
    pipeline.add(save(rdd(1, 2), 2, {}, {(1, 2): held(11)}), monotonic())
    pipeline.buffer.release()
    (event,) = events
    assert inputs(event) == [["c1", "c2"], ["c1", "c2"]]
    assert unresolved(event) == [{"class": "LogicalRDD", "count": 1}]
    assert [item["name"] for item in event["inputs"]] == ["/in"]


def test_what_a_checkpoint_could_not_resolve_is_reported_where_it_is_used() -> None:
    plan = project([[attribute(1)], [attribute(5)]], relation(1))
    event = event_of(checkpoint(plan, 10, 1), save(rdd(1, 5), 2, {}, {(1, 5): held(11)}))
    assert inputs(event) == [["c1"], []]
    assert unresolved(event) == [{"class": "Project", "count": 1}]


def test_a_checkpoint_of_a_checkpoint_has_the_inputs_of_the_first() -> None:
    computed = [row("Alias", 1, name="c5", exprId={"id": 5}), *concat(8, 9)]
    first = checkpoint(relation(1, 2), 10, 1, 2)
    second = checkpoint(project([computed], rdd(8, 9)), 20)._replace(rdds={(8, 9): held(11)})
    event = event_of(first, second, save(rdd(5), 1, {}, {(5,): held(21)}))
    assert inputs(event) == [["c1", "c2"]]
    (output,) = event["outputs"]
    (step,) = {
        found["transformations"][0]["subtype"]
        for found in output["facets"]["columnLineage"]["fields"]["c0"]["inputFields"]
    }
    assert step == "TRANSFORMATION"
    assert [item["name"] for item in event["inputs"]] == ["/in"]


def test_an_rdd_made_of_a_checkpoint_has_the_inputs_of_the_checkpoint() -> None:
    columns = (("c1", "int"), ("c2", "int"), ("unused", "int"))
    kept = checkpoint(relation(1, 2), 10, 1, 2)
    kept = kept._replace(
        reads={ids: read._replace(columns=columns) for ids, read in kept.reads.items()}
    )
    origin = Read((), (), {}, "rdd", (), at(11))
    back = Read((), (), {}, "rdd", (origin,))
    event = event_of(kept, save(rdd(7), 1, {}, {(7,): back}))
    assert inputs(event) == [["c1", "c2"]]
    assert [item["name"] for item in event["inputs"]] == ["/in"]
    forgotten = save(rdd(7), 1, {}, {(7,): back})
    assert inputs(event_of(forgotten)) == [[]]
