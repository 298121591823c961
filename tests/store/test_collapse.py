from functools import partial
from itertools import pairwise
from typing import Any

import pytest

from airflow_colgraph.store.errors import QuestionError
from airflow_colgraph.store.model.lineage_body import Field, Transformation
from airflow_colgraph.store.model.lineage_graph import Edge, Graph
from airflow_colgraph.store.model.question import Question
from airflow_colgraph.store.query import graph
from airflow_colgraph.store.query.collapse import both, collapse
from airflow_colgraph.store.store import Store
from tests.collector.test_linear import PIECE_SIZES, assert_linear, repeated
from tests.store.samples import copy_event, memory_store, short_edges


def store(*events: Any) -> Store:
    found = memory_store()
    found.add(list(events))
    return found


def test_only_what_is_connected_stays_connected() -> None:
    two = store(
        copy_event("a", 1, "tmp", {"x": "raw.a", "y": "raw.b DIRECT:TRANSFORMATION"}),
        copy_event("b", 2, "mart", {"p": "tmp.x DIRECT:AGGREGATION", "q": "tmp.y"}),
    )
    found = graph.upstream(two, "n", "mart", collapse="^tmp$")
    assert short_edges(found) == {
        ("raw.a", "mart.p", "DIRECT:AGGREGATION"),
        ("raw.b", "mart.q", "DIRECT:TRANSFORMATION"),
    }
    assert {edge.depth for edge in found.edges} == {1}
    reports = [edge.reported_by[0] for edge in found.edges]
    assert {report.job.name for report in reports if report.job} == {"b"}
    down = graph.downstream(two, "n", "raw", "a", collapse="tmp")
    assert short_edges(down) == {("raw.a", "mart.p", "DIRECT:AGGREGATION")}


def test_chains_and_loops_of_temporary_datasets() -> None:
    chain = store(
        copy_event("a", 1, "tmp1", {"x": "raw.a, tmp2.x"}),
        copy_event("b", 2, "tmp2", {"x": "tmp1.x"}),
        copy_event("c", 3, "mart", {"p": "tmp2.x DIRECT:TRANSFORMATION:masking"}),
    )
    (edge,) = graph.upstream(chain, "n", "mart", "p", collapse="tmp").edges
    assert (edge.input.name, edge.transformation.subtype, edge.transformation.masking) == (
        "raw",
        "TRANSFORMATION",
        True,
    )


def test_what_decided_on_the_temporary_rows_decides_on_the_result() -> None:
    rows = store(
        copy_event("a", 1, "tmp", {"x": "raw.a"}, dataset="raw.k INDIRECT:FILTER"),
        copy_event("b", 2, "mart", {"p": "tmp.x"}),
    )
    expected = {("raw.a", "mart.p", "DIRECT:IDENTITY"), ("raw.k", "mart.p", "INDIRECT:FILTER")}
    up = graph.upstream(rows, "n", "mart", "p", indirect=True, collapse="tmp")
    assert short_edges(up) == expected
    down = graph.downstream(rows, "n", "raw", "k", indirect=True, collapse="tmp")
    assert short_edges(down) == {("raw.k", "mart.p", "INDIRECT:FILTER")}


def test_a_start_stays() -> None:
    one = store(copy_event("a", 1, "tmp", {"x": "raw.a"}))
    assert len(graph.upstream(one, "n", "tmp", "x", collapse="tmp").edges) == 1


def test_no_regular_expression() -> None:
    one = store(copy_event("a", 1, "tmp", {"x": "raw.a"}))
    with pytest.raises(QuestionError, match=r"'\(' is not a regular expression"):
        graph.upstream(one, "n", "tmp", "x", collapse="(")


@pytest.mark.parametrize(
    ("near", "far", "result"),
    [
        ("DIRECT:IDENTITY", "DIRECT:IDENTITY", "DIRECT:IDENTITY"),
        ("DIRECT:IDENTITY", "DIRECT:AGGREGATION", "DIRECT:AGGREGATION"),
        ("DIRECT:AGGREGATION", "DIRECT:TRANSFORMATION", "DIRECT:AGGREGATION"),
        ("DIRECT:AGGREGATION", "INDIRECT:JOIN", "INDIRECT:JOIN"),
        ("INDIRECT:SORT", "DIRECT:IDENTITY", "INDIRECT:SORT"),
        ("INDIRECT:SORT", "INDIRECT:JOIN", "INDIRECT:SORT"),
    ],
)
def test_two_steps_as_one(near: str, far: str, result: str) -> None:
    def made(text: str, masking: bool = False) -> Transformation:
        kind, _, subtype = text.partition(":")
        return Transformation(kind, subtype, masking)

    assert both(made(near), made(far)) == made(result)
    assert both(made(near), made(far, True)) == made(result, True)


def star(size: int) -> Graph:
    """As many edges into one temporary field as out of it."""
    tmp, how = Field("n", "tmp", "x"), Transformation("DIRECT", "IDENTITY")
    mart = [Field("n", f"mart{number}", "x") for number in range(size)]
    raw = [Field("n", f"raw{number}", "x") for number in range(size)]
    edges = [Edge(tmp, one, how, 1, "upstream", ()) for one in mart]
    edges += [Edge(one, tmp, how, 2, "upstream", ()) for one in raw]
    return Graph(Question(direction="upstream"), tuple(mart), edges)


def test_an_answer_that_would_grow_without_end_is_refused() -> None:
    assert len(collapse(star(100), "tmp").edges) == 10_000
    with pytest.raises(QuestionError, match="Too much is connected through the datasets"):
        collapse(star(2_000), "tmp")


def test_long_chains_take_time_in_proportion() -> None:
    """Of fields that all go."""

    def chain(text: str) -> None:
        how = Transformation("DIRECT", "IDENTITY")
        fields = [Field("n", f"tmp{number}", "x") for number in range(len(text) // 50)]
        edges = [
            Edge(far, near, how, depth, "upstream", ())
            for depth, (near, far) in enumerate(pairwise(fields), 1)
        ]
        collapse(Graph(Question(direction="upstream"), (fields[0],), edges), "tmp")

    assert_linear(chain, partial(repeated, "", "a"), PIECE_SIZES)
