"""No rule, class, field or id can go missing without the events saying so: oracles.mutate_rules."""

from typing import Any

import pytest

from airflow_colgraph.collector.lineage.frame import Frame
from airflow_colgraph.collector.lineage.resolution import NODES, Resolution
from airflow_colgraph.collector.lineage.values import NOTHING, SOURCELESS
from airflow_colgraph.collector.plan import Node
from oracles.mutate_rules import KNOWN, losses, lost, outcome
from tests.collector.recorded import PLANS, load
from tests.collector.test_lineage import (
    alias,
    attribute,
    diagnostic,
    fields,
    project,
    relation,
    resolved_event,
    row,
)

VERSIONS = sorted(file.stem for file in PLANS.glob("*.jsonl"))


@pytest.mark.parametrize("version", [VERSIONS[0], VERSIONS[-1]])
def test_no_mutation_loses_an_edge_in_silence(version: str) -> None:
    found = [loss[0] for _, loss in losses(version) if loss]
    assert [loss for loss in found if str(loss.mutation) not in KNOWN] == []


@pytest.mark.parametrize("kind", ["Filter", "Project"])
def test_a_rule_that_leaves_something_out_is_seen(kind: str, monkeypatch: Any) -> None:
    """The power of the oracle: a rule that is wrong, and says nothing, is a loss."""
    right = NODES[kind]

    def wrong(node: Node, children: list[Frame], query: Resolution) -> Frame:
        if kind == "Filter":
            return children[0]
        frame = right(node, children, query)
        return frame._replace(values=dict.fromkeys(frame.output, SOURCELESS))

    queries = load(PLANS / "4.3.jsonl")["frames_two_checkpoints_of_the_same_columns"]
    before = outcome(queries, ())
    monkeypatch.setitem(NODES, kind, wrong)
    assert lost(before, outcome(queries, ()))


def test_a_column_that_nobody_can_tell_the_source_of_is_unresolved(monkeypatch: Any) -> None:
    def silent(node: Node, children: list[Frame], query: Resolution) -> Frame:
        return Frame((2, 3), {2: NOTHING, 3: NOTHING})

    plan = project([alias(2, [attribute(1)]), alias(3, [attribute(1)])], relation(1))
    monkeypatch.setitem(NODES, "Project", silent)
    event = resolved_event(plan, 2, (1,))
    assert fields(event) == {"c0": [], "c1": []}
    assert diagnostic(event, "unresolved") == [{"class": "columns without inputs", "count": 2}]


@pytest.mark.parametrize(
    "name", ["Literal", "CurrentDate", "MonotonicallyIncreasingID", "PythonUDF"]
)
def test_what_is_made_of_no_column_is_not_reported(name: str) -> None:
    event = resolved_event(project([alias(2, [row(name, value="1")])], relation(1)), 1, (1,))
    assert fields(event) == {"c0": []}
    assert (diagnostic(event, "unresolved"), diagnostic(event, "opaque")) == ([], [])


def test_an_expression_of_which_nothing_is_known_is_reported() -> None:
    event = resolved_event(project([alias(2, [row("NewestConstant")])], relation(1)), 1, (1,))
    assert diagnostic(event, "unresolved") == [{"class": "NewestConstant", "count": 1}]


def test_a_query_inside_an_unknown_expression_is_what_it_is_made_of() -> None:
    name = "NewestSubquery"
    (leaf,) = relation(2)
    inner = [{**leaf, "class": "org.apache.spark.sql.execution.datasources.LogicalRelation"}]
    plan = project([alias(3, [row(name, plan=inner)])], relation(1))
    event = resolved_event(plan, 1, (1,), (2,))
    assert fields(event) == {"c0": ["c2"]}
    assert diagnostic(event, "opaque") == [{"class": name, "count": 1}]


def test_the_expressions_of_an_unknown_node_decide_on_rows() -> None:
    event = resolved_event(
        [row("NewestFilter", 1, test=[attribute(2)]), *relation(1, 2)], 2, (1, 2)
    )
    (output,) = event["outputs"]
    found = output["facets"]["columnLineage"]["dataset"]
    assert [item["field"] for item in found] == ["c2"]
    assert diagnostic(event, "opaque") == [{"class": "NewestFilter", "count": 1}]
