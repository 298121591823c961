"""Resolving over plans that are made here, row by row: sizes, odd ends, and what is missing."""

from typing import Any

import pytest

from airflow_colgraph.collector import load_rules as load_rules
from airflow_colgraph.collector import settings
from airflow_colgraph.collector.lineage.resolution import resolve
from airflow_colgraph.collector.lineage.sources import Options, Sources
from airflow_colgraph.collector.lineage.transformations import MASKING
from airflow_colgraph.collector.model import Dataset, NamedDataset, Query, Read, Write
from airflow_colgraph.collector.plan import Rows
from tests.collector.pipelines import emitted_events

Json = dict[str, Any]
OUT = NamedDataset(Dataset("file", "/out"))


def row(kind: str, children: int = 0, **fields: Any) -> Json:
    return {"class": f"org.apache.spark.{kind}", "num-children": children, **fields}


def attribute(number: int) -> Json:
    return row("AttributeReference", name=f"c{number}", dataType="int", exprId={"id": number})


def relation(*numbers: int) -> Rows:
    return [row("LogicalRelation", output=[[attribute(number)] for number in numbers])]


def alias(number: int, below: Rows) -> Rows:
    return [row("Alias", 1, name=f"c{number}", exprId={"id": number}), *below]


def concat(*numbers: int) -> Rows:
    return [row("Concat", len(numbers)), *map(attribute, numbers)]


def project(items: list[Rows], child: Rows) -> Rows:
    return [row("Project", 1, projectList=items), *child]


def resolved_event(
    plan: Rows, columns: int | None, *leaves: tuple[int, ...], most: int = 500_000
) -> Json:
    """The event of a query that writes so many columns; each of `leaves` reads one dataset."""
    read = Read((NamedDataset(Dataset("file", "/in")),), ())
    names = None if columns is None else tuple((f"c{n}", "integer") for n in range(columns))
    query = Query("save", "", plan, dict.fromkeys(leaves, read), {}, Write(OUT, names))
    limits = {"maxEdges": most, "maxEventBytes": 100_000_000}
    given = settings.read({settings.PREFIX + name: str(limit) for name, limit in limits.items()})
    (event,) = emitted_events([query], given)
    return dict(event)


def fields(event: Json) -> dict[str, list[str]]:
    """The inputs of each column."""
    (output,) = event["outputs"]
    found = output["facets"]["columnLineage"]["fields"]
    return {name: [item["field"] for item in of["inputFields"]] for name, of in found.items()}


def diagnostic(event: Json, name: str) -> Any:
    return event["run"]["facets"]["colgraph_diagnostics"][name]


def test_u2_an_undefined_output_is_reported() -> None:
    event = resolved_event(project([alias(9, [attribute(7)])], relation(1)), 1, (1,))
    assert fields(event) == {"c0": []}
    assert diagnostic(event, "unresolved") == [{"class": "Project", "count": 1}]


def test_u2_one_output_and_many() -> None:
    assert fields(resolved_event(relation(1), 1, (1,))) == {"c0": ["c1"]}
    many = resolved_event(relation(1, 2, 3), 3, (1, 2, 3))
    assert fields(many) == {"c0": ["c1"], "c1": ["c2"], "c2": ["c3"]}


def test_u2_a_chain_of_names() -> None:
    plan = relation(1)
    for number in range(2, 1002):
        plan = project([alias(number, [attribute(number - 1)])], plan)
    assert fields(resolved_event(plan, 1, (1,))) == {"c0": ["c1"]}


def test_u2_an_output_made_of_its_own_id_ends() -> None:
    assert fields(resolved_event(project([alias(1, concat(1, 1))], relation(1)), 1, (1,))) == {
        "c0": ["c1"]
    }


def test_u2_the_same_field_by_two_ids_is_one() -> None:
    one, other = relation(1), [row("LogicalRelation", output=[[{**attribute(2), "name": "c1"}]])]
    both = [row("Join", 2, joinType={"object": "Inner$"}), *one, *other]
    assert fields(resolved_event(project([alias(3, concat(1, 2))], both), 1, (1,), (2,))) == {
        "c0": ["c1"]
    }


@pytest.mark.parametrize(
    ("outputs", "inputs"), [(100, 100), pytest.param(100, 1000, marks=pytest.mark.slow)]
)
def test_u2_every_output_from_every_input(outputs: int, inputs: int) -> None:
    numbers = tuple(range(inputs))
    items = [alias(inputs + n, concat(*numbers)) for n in range(outputs)]
    found = fields(resolved_event(project(items, relation(*numbers)), outputs, numbers))
    assert len(found) == outputs
    assert {len(names) for names in found.values()} == {inputs}


@pytest.mark.parametrize("size", [2000, 10000])
def test_u2_what_is_too_large_is_cut_and_reported(size: int) -> None:
    numbers = tuple(range(size))
    sum_of_all = project([alias(size, concat(*numbers))], relation(*numbers))
    plan = project([alias(size + 1 + n, [attribute(size)]) for n in numbers], sum_of_all)
    most = 10_000
    event = resolved_event(plan, size, numbers, most=most)
    assert len(fields(event)) == most // size
    assert diagnostic(event, "truncated") == f"{size - most // size} columns are left out: maxEdges"


@pytest.mark.parametrize(
    "kind", ["FlatMapGroupsWithState", "MapElements", "MapGroups", "TransformWithState"]
)
def test_a_typed_function_of_scala_is_made_of_whole_rows(kind: str) -> None:
    plan = [
        row("SerializeFromObject", 1, serializer=[alias(9, [row("BoundReference")])]),
        row(kind, 1, outputObjAttr=[attribute(8)], groupingAttributes=[[attribute(7)]]),
        row("DeserializeToObject", 1, outputObjAttr=[attribute(7)]),
        *relation(1, 2),
    ]
    event = resolved_event(plan, 1, (1, 2))
    assert fields(event) == {"c0": ["c1", "c2"]}
    (output,) = event["outputs"]
    for item in output["facets"]["columnLineage"]["dataset"]:
        steps = [step["subtype"] for step in item["transformations"]]
        assert steps == ["GROUP_BY", *(["FILTER"] if kind != "MapElements" else [])]
    assert diagnostic(event, "opaque") == [{"class": kind, "count": 1}]


@pytest.mark.parametrize(
    ("kind", "keys"),
    [
        ("FlatMapGroupsInPandasWithState", {"groupingAttributes": [[attribute(1)]]}),
        ("TransformWithStateInPandas", {"groupingAttributesLen": 1}),
        ("TransformWithStateInPySpark", {"groupingAttributesLen": 1}),
    ],
)
def test_a_function_with_a_state_is_handed_whole_rows(kind: str, keys: dict[str, Any]) -> None:
    plan = [row(kind, 1, outputAttrs=[[attribute(9)]], **keys), *relation(1, 2)]
    event = resolved_event(plan, 1, (1, 2))
    assert fields(event) == {"c0": ["c1", "c2"]}
    (output,) = event["outputs"]
    assert [
        (item["field"], [step["subtype"] for step in item["transformations"]])
        for item in output["facets"]["columnLineage"]["dataset"]
    ] == [("c1", ["GROUP_BY", "FILTER"]), ("c2", ["FILTER"])]
    assert diagnostic(event, "opaque") == [{"class": kind, "count": 1}]


def test_a_node_without_a_rule_that_names_its_output_in_its_own_way() -> None:
    plan = [row("NewestNode", 1, outputAttrs=[[attribute(9)]]), *relation(1, 2)]
    event = resolved_event(plan, 1, (1, 2))
    assert fields(event) == {"c0": ["c1", "c2"]}
    assert diagnostic(event, "opaque") == [{"class": "NewestNode", "count": 1}]


def test_a_typed_function_of_two_groups_is_made_of_both() -> None:
    groups = {"leftGroup": [[attribute(1)]], "rightGroup": [[attribute(2)]]}
    both = [row("CoGroup", 2, outputObjAttr=[attribute(8)], **groups), *relation(1), *relation(2)]
    plan = [row("SerializeFromObject", 1, serializer=[alias(9, [row("BoundReference")])]), *both]
    event = resolved_event(plan, 1, (1,), (2,))
    assert fields(event) == {"c0": ["c1", "c2"]}
    (output,) = event["outputs"]
    assert [item["field"] for item in output["facets"]["columnLineage"]["dataset"]] == ["c1", "c2"]


def test_a_typed_filter_and_a_typed_key_look_at_whole_rows() -> None:
    serializer = [alias(9, [row("BoundReference")])]
    key = [row("AppendColumns", 1, serializer=[alias(8, [row("BoundReference")])])]
    grouped = {"outputObjAttr": [attribute(7)], "groupingAttributes": [[attribute(8)]]}
    plan = [
        row("SerializeFromObject", 1, serializer=serializer),
        row("MapGroups", 1, **grouped),
        *key,
        row("TypedFilter", 1),
        *relation(1, 2),
    ]
    event = resolved_event(plan, 1, (1, 2))
    assert fields(event) == {"c0": ["c1", "c2"]}
    (output,) = event["outputs"]
    found = {
        item["field"]: [step["subtype"] for step in item["transformations"]]
        for item in output["facets"]["columnLineage"]["dataset"]
    }
    assert found == {"c1": ["GROUP_BY", "FILTER"], "c2": ["GROUP_BY", "FILTER"]}
    assert [item["class"] for item in diagnostic(event, "opaque")] == [
        "AppendColumns",
        "MapGroups",
        "TypedFilter",
    ]
    assert diagnostic(event, "unresolved") == []


def test_a_table_of_constants_is_not_opaque() -> None:
    rows = [[[row("Literal", value="1")], [row("CurrentDate")]]]
    plan = [row("ResolvedInlineTable", rows=rows, output=[[attribute(1)], [attribute(2)]])]
    event = resolved_event(plan, 2)
    assert fields(event) == {"c0": [], "c1": []}
    assert (diagnostic(event, "opaque"), diagnostic(event, "unresolved")) == ([], [])


@pytest.mark.parametrize("kind", ["OuterReference", "OuterScopeReference"])
def test_a_bare_outer_column_keeps_its_id(kind: str) -> None:
    bare = row(kind, e=[attribute(2)])
    inner = project([[bare]], [row("OneRowRelation")])
    items = [alias(3, [row("ScalarSubquery", plan=project([[attribute(2)]], inner))])]
    event = resolved_event(project(items, relation(1, 2)), 1, (1, 2))
    assert fields(event) == {"c0": ["c2"]}
    assert diagnostic(event, "unresolved") == []


def test_a_hash_that_has_no_name_in_sql_masks() -> None:
    event = resolved_event(
        project([alias(2, [row("HiveHash", 1), attribute(1)])], relation(1)), 1, (1,)
    )
    (output,) = event["outputs"]
    (entry,) = output["facets"]["columnLineage"]["fields"]["c0"]["inputFields"]
    assert [step["masking"] for step in entry["transformations"]] == [True]


@pytest.mark.parametrize(
    ("name", "masking", "masked"),
    [("sha2", "", True), ("Mask", "", True), ("upper", "", False), ("upper", "UPPER", True)],
)
def test_a_function_in_the_text_of_an_inline_table_masks(
    name: str, masking: str, masked: bool
) -> None:
    called = row("UnresolvedFunction", 1, nameParts=f"[{name}]")
    plan = project([alias(2, [called, attribute(1)])], relation(1))
    sources = Sources({(1,): (Dataset("file", "/in"),)})
    options = Options(frozenset({masking.lower()} - {""}))
    found = resolve(plan, sources, options)
    (step,) = found.frame.value(0).inputs
    assert (step >= MASKING, found.diagnostics.opaque) == (masked, {})


def test_u6_the_columns_of_what_stands_below() -> None:
    grouped = [
        row(
            "Aggregate",
            1,
            groupingExpressions=[[attribute(1)]],
            aggregateExpressions=[[attribute(1)], alias(3, concat(2))],
        ),
        *relation(1, 2),
    ]
    for plan in (grouped, [row("GlobalLimit", 1), row("LocalLimit", 1), *grouped]):
        assert fields(resolved_event(plan, 2, (1, 2))) == {"c0": ["c1"], "c1": ["c2"]}


@pytest.mark.parametrize("columns", [1, 3])
def test_i4_u7_another_number_of_columns_is_reported(columns: int) -> None:
    event = resolved_event(relation(1, 2), columns, (1, 2))
    (output,) = event["outputs"]
    assert "columnLineage" not in output["facets"]
    assert diagnostic(event, "unresolved") == [{"class": "output columns", "count": 1}]


def test_i5_i6_without_a_plan_there_is_no_lineage() -> None:
    (output,) = resolved_event([], 0)["outputs"]
    assert "columnLineage" not in output["facets"]


def test_h3_without_a_schema_there_is_no_lineage() -> None:
    event = resolved_event(relation(1), None, (1,))
    (output,) = event["outputs"]
    assert "schema" not in output["facets"]
    assert "columnLineage" not in output["facets"]


def test_e12_an_unknown_rdd_is_reported() -> None:
    event = resolved_event([row("LogicalRDD", output=[[attribute(1)]])], 1)
    assert fields(event) == {"c0": []}
    assert diagnostic(event, "unresolved") == [{"class": "LogicalRDD", "count": 1}]


def test_e13_a_count_of_nothing_is_made_of_no_column() -> None:
    count = [row("AggregateExpression", 1, isDistinct=False), row("Count")]
    plan = [
        row("Aggregate", 1, groupingExpressions=[], aggregateExpressions=[alias(2, count)]),
        *relation(1),
    ]
    event = resolved_event(plan, 1, (1,))
    assert fields(event) == {"c0": []}
    assert diagnostic(event, "unresolved") == []
