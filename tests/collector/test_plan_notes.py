"""What the JVM adds to a plan is in its notes: the plan stays as Spark printed it."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from airflow_colgraph.collector import spark
from airflow_colgraph.collector.model import (
    Dataset,
    NamedDataset,
    Place,
    PlanNotes,
    Query,
    Read,
    Write,
)
from airflow_colgraph.collector.plan import Node, Rows, as_rows, parse
from airflow_colgraph.collector.spark import plan_memory, translate
from airflow_colgraph.collector.spark.leaf_cache import LeafCache
from airflow_colgraph.collector.spark.plan_memory import PlanMemory
from airflow_colgraph.collector.spark.writes import Target
from tests.collector.pipelines import pipeline_into
from tests.collector.test_lineage import OUT, alias, attribute, project, relation, row

IN = NamedDataset(Dataset("file", "/in"))
COLUMNS = (("c1", "integer"), ("c2", "integer"))
BY_USER = "asked for"  # of a cast made here: the JVM knows it, JSON does not


# A plan in the JVM -----------------------------------------------------------------------------


class Java:
    """An object of a JVM: each method answers what it was given."""

    _gateway_client = object()

    def __init__(self, kind: str = "Object", **answers: Any) -> None:
        loader = SimpleNamespace(loadClass=lambda name: CASTS)
        named = SimpleNamespace(
            getName=lambda: f"org.apache.spark.{kind}", getClassLoader=lambda: loader
        )
        self._answers = {"getClass": named, "containsPattern": lambda pattern: False, **answers}
        self.leaves: list[Java] = []

    def __getattr__(self, name: str) -> Callable[..., Any]:
        answer = self._answers[name]
        return answer if callable(answer) and not isinstance(answer, Java) else lambda *_: answer


CASTS = SimpleNamespace(
    getField=lambda name: SimpleNamespace(
        get=lambda of: SimpleNamespace(
            USER_SPECIFIED_CAST=lambda: "tag",
            CASE_WHEN=lambda: 1,
            RUNTIME_REPLACEABLE=lambda: 2,
        )
    )
)
EMPTY = Java(isDefined=False)
ORIGIN = Java(startIndex=EMPTY, stopIndex=EMPTY, context=Java(fragment=""), sqlText=EMPTY)


def items(found: list[Java]) -> Java:
    return Java(size=len(found), apply=lambda index: found[index])


def printed(found: Any) -> Any:
    """What Spark prints of rows: nothing of who wrote a cast."""
    if isinstance(found, dict):
        return {name: printed(value) for name, value in found.items() if name != BY_USER}
    return [printed(value) for value in found] if isinstance(found, list) else found


def in_jvm(node: Node, **of_leaves: Any) -> Java:
    """A node or an expression with its children, and its lists of expressions."""
    children = [in_jvm(child, **of_leaves) for child in node.children]
    lists = {
        name: items([in_jvm(parse(as_rows(rows))) for rows in value])
        for name, value in node.row.items()
        if isinstance(value, list) and name in ("projectList", "updateExpressions")
    }
    found = Java(
        node.kind,
        **lists,
        **({} if children else of_leaves),
        children=items(children),
        output=items([]),
        getTagValue=Java(isDefined=BY_USER in node.row),
        origin=ORIGIN,
    )
    below = [leaf for child in children for leaf in child.leaves]
    found.leaves = below or [found]
    found._answers["collectLeaves"] = items(found.leaves)
    return found


def plan_in_jvm(plan: Rows, **of_leaves: Any) -> Java:
    found = in_jvm(parse(plan), **of_leaves)
    found._answers["toJSON"] = json.dumps(printed(plan))
    return found


class FrozenRow(dict[str, Any]):
    """A row of a plan that nobody may change."""

    def _refuse(self, *arguments: Any, **named: Any) -> Any:
        raise TypeError("a plan's row is changed")

    __setitem__ = __delitem__ = __ior__ = _refuse
    update = pop = popitem = setdefault = clear = _refuse


class FrozenRows(list[Any]):
    """Rows of a plan that nobody may change."""

    def _refuse(self, *arguments: Any, **named: Any) -> Any:
        raise TypeError("a plan's rows are changed")

    __setitem__ = __delitem__ = __iadd__ = _refuse  # type: ignore[assignment]
    append = extend = insert = pop = remove = clear = reverse = sort = _refuse


def frozen(found: Any) -> Any:
    if isinstance(found, dict):
        return FrozenRow({name: frozen(value) for name, value in found.items()})
    return FrozenRows(map(frozen, found)) if isinstance(found, list) else found


@pytest.fixture(autouse=True)
def plans_are_frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan_memory, "rows_of", lambda text: frozen(json.loads(text)))


def read(plan: Rows, write: Write | None = None, **of_leaves: Any) -> Query:
    """The query of a plan, which is as Spark printed it."""
    java = plan_in_jvm(plan, **of_leaves)
    catalog: Any = SimpleNamespace(
        tables={},
        leaves=LeafCache(),
        plans=PlanMemory(),
        table=lambda meta: IN,
        v2_table=lambda leaf: (IN,),
        places=lambda paths: (IN,),
    )
    query = translate.read("command", java, catalog, target=Target(write, java))
    assert isinstance(query, Query)
    assert query.failure == ""
    return query


# What is noted ---------------------------------------------------------------------------------


def files(**more: Any) -> Java:
    paths = items([Java(toString="file:/in")])
    return Java("HadoopFsRelation", location=Java(rootPaths=paths), toString="Parquet", **more)


def test_metadata_columns_are_noted() -> None:
    own = {**attribute(2), "name": "_metadata"}
    plan = [row("LogicalRelation", output=[[attribute(1)], [own]])]
    query = read(plan, Write(OUT, COLUMNS), relation=files(schema=Java(fieldNames=["c1"])))
    assert query.plan == printed(plan)
    assert query.notes == PlanNotes(metadata_columns=frozenset({2}))
    assert query.reads[(1, 2)].columns == (("c1", "int"),)


def test_rdds_of_the_programs_own_data_are_noted() -> None:
    plan = [row("LogicalRDD", output=[[attribute(1)], [attribute(2)]])]
    rdd = Java("ParallelCollectionRDD", id=1, name=None, dependencies=items([]))
    query = read(plan, Write(OUT, COLUMNS), rdd=rdd)
    assert query.plan == printed(plan)
    assert query.notes == PlanNotes(constant_rdds=frozenset({(1, 2)}))
    assert (query.reads, query.rdds) == ({}, {})
    assert unresolved(query) == []
    assert unresolved(query._replace(notes=PlanNotes())) == ["LogicalRDD"]


def test_the_columns_of_a_hive_table_are_those_of_its_data_and_of_its_partitions() -> None:
    plan = [row("HiveTableRelation", dataCols=[[attribute(1)]], partitionCols=[[attribute(2)]])]
    query = read(plan, Write(OUT, COLUMNS), tableMeta=Java())
    assert query.plan == printed(plan)
    assert query.notes == PlanNotes()
    assert query.reads[(1, 2)].columns == (("c1", "int"), ("c2", "int"))
    assert inputs(query) == {"c1": [("c1", "IDENTITY")], "c2": [("c2", "IDENTITY")]}


def cast(number: int, *, by_user: bool) -> Rows:
    mark = {BY_USER: True} if by_user else {}
    return [row("Cast", 1, dataType="long", **mark), attribute(number)]


OF_TWO = {"c1": [("c1", "IDENTITY")], "c2": [("c2", "TRANSFORMATION")]}  # the second cast asked for


def test_the_columns_that_spark_has_cast_for_an_insert_are_noted() -> None:
    of_files = files(schema=Java(fieldNames=[]))
    below = relation(1, 2)
    items = [alias(3, cast(1, by_user=False)), alias(4, cast(2, by_user=True))]
    plan = project(items, below)
    query = read(plan, Write(OUT, COLUMNS, casts_to_table=True), relation=of_files)
    assert query.plan == printed(plan)
    assert query.notes == PlanNotes(fitted_columns=frozenset({3}))
    assert inputs(query) == OF_TWO


def test_the_casts_that_the_user_wrote_in_an_update_are_noted() -> None:
    puts = [cast(1, by_user=False), cast(2, by_user=True)]
    target = relation(1, 2)
    plan = [row("UpdateCommand", updateExpressions=puts, target=target)]
    schema = {"fields": [{"name": name, "type": form} for name, form in COLUMNS]}
    of_files = files(schema=Java(fieldNames=[]))
    java = plan_in_jvm(target, relation=of_files, catalogTable=EMPTY)
    java._answers["schema"] = Java(json=json.dumps(schema))
    query = read(plan, target=java)
    assert query.plan == printed(plan)
    assert query.notes == PlanNotes(user_casts=frozenset({Place("updateExpressions", 1)}))
    assert inputs(query) == OF_TWO


def test_the_names_of_new_variables_are_noted() -> None:
    named = row("ResolvedIdentifier", catalog={"object": "a.FakeSystemCatalog$"})
    plan = [row("CreateVariable", 1, defaultExpr=[attribute(1)]), named]
    query = read(plan, identifier=Java(name="v"))
    assert query.plan == printed(plan)
    assert query.notes == PlanNotes(variable_names=("v",))


def test_casts_of_spark_itself_below_a_union_are_taken_out_of_a_copy() -> None:
    sides = [
        project([alias(number + 2, cast(number, by_user=by_user))], relation(number))
        for number, by_user in ((1, False), (2, True))
    ]
    for found in (*sides[0][:1], *sides[1][:1]):
        for rows in found["projectList"]:
            rows[0]["name"] = rows[2]["name"]
    plan = [row("Union", 2), *sides[0], *sides[1]]
    query = read(plan, Write(OUT, COLUMNS[:1]), relation=files(schema=Java(fieldNames=[])))
    kept = [node.row["projectList"][0] for node in parse(query.plan).children]
    assert [len(rows) for rows in kept] == [2, 3]
    assert query.notes == PlanNotes()


def event_of(query: Query) -> Any:
    events: list[Any] = []
    event = pipeline_into(events).event(query, float("inf"))
    assert event is not None
    return event


def unresolved(query: Query) -> list[str]:
    found = event_of(query)["run"]["facets"]["colgraph_diagnostics"]["unresolved"]
    return [one["class"] for one in found]


def inputs(query: Query) -> dict[str, list[tuple[str, str]]]:
    """The inputs of each column: field and subtype."""
    (output,) = event_of(query)["outputs"]
    return {
        name: [
            (one["field"], transformation["subtype"])
            for one in found["inputFields"]
            for transformation in one["transformations"]
        ]
        for name, found in output["facets"]["columnLineage"]["fields"].items()
    }


# What a rule puts into a column of a MERGE -----------------------------------------------------


def test_a_users_cast_in_one_clause_is_none_of_another_clause() -> None:
    clauses = [
        [
            row(f"DeltaMergeInto{kind}Clause", 1),
            row("DeltaMergeAction", 1, targetColNameParts="[c1]"),
            *cast(1, by_user=False),
        ]
        for kind in ("MatchedUpdate", "NotMatchedInsert")
    ]
    plan = [
        row(
            "MergeIntoCommand",
            source=relation(1),
            target=relation(2),
            matchedClauses=clauses[:1],
            notMatchedClauses=clauses[1:],
        )
    ]
    leaf = Read((IN,), (("c1", "integer"),))
    query = Query("command", "MergeIntoCommand", plan, {(1,): leaf}, {}, Write(OUT, COLUMNS[:1]))
    place = Place("notMatchedClauses", 0, (0, 0))
    noted = query._replace(notes=PlanNotes(user_casts=frozenset({place})))
    assert inputs(query) == {"c1": [("c1", "IDENTITY")]}
    assert inputs(noted) == {"c1": [("c1", "IDENTITY"), ("c1", "TRANSFORMATION")]}


TRUE = [row("Literal", value="true", dataType="boolean")]


def rewritten(put: Rows) -> tuple[Rows, Place]:
    """An UPDATE that writes whole files again."""
    item = [
        row("Alias", 1, name="c1", exprId={"id": 7}),
        *(row("If", 3), *TRUE, *put, attribute(1)),
    ]
    table = [row("DataSourceV2Relation", output=[[attribute(1)]])]
    plan = [row("ReplaceData", 1, table=table), *project([item], relation(1))]
    return plan, Place("projectList", 7, (0, 1))


def merged(put: Rows) -> tuple[Rows, Place]:
    """A MERGE as Spark itself rewrites it."""
    kept = [row("MergeRows$Keep", 2), *TRUE, *put]
    fields = {"notMatchedInstructions": [kept], "matchedInstructions": []}
    plan = [row("MergeRows", 1, output=[[attribute(9)]], **fields), *relation(1)]
    return plan, Place("notMatchedInstructions", 0, (1,))


@pytest.mark.parametrize("shape", [rewritten, merged])
def test_a_users_cast_is_found_where_spark_rewrites_the_command(
    shape: Callable[[Rows], tuple[Rows, Place]],
) -> None:
    plan, place = shape(cast(1, by_user=False))
    leaf = Read((IN,), (("c1", "integer"),))
    query = Query("command", "", plan, {(1,): leaf}, {}, Write(OUT, COLUMNS[:1]))
    noted = query._replace(notes=PlanNotes(user_casts=frozenset({place})))
    assert inputs(query) == {"c1": [("c1", "IDENTITY")]}
    assert inputs(noted) == {"c1": [("c1", "TRANSFORMATION")]}


# Nobody writes into a plan ----------------------------------------------------------------------

FILES = sorted(Path(spark.__file__).parent.glob("*.py"))


def keyed(tree: ast.AST) -> Iterator[str]:
    """The assignments to a key that the code names, and to a slice."""
    for node in ast.walk(tree):
        targets = node.targets if isinstance(node, (ast.Assign, ast.Delete)) else []
        targets = [node.target] if isinstance(node, (ast.AugAssign, ast.AnnAssign)) else targets
        for target in targets:
            key = target.slice if isinstance(target, ast.Subscript) else None
            is_named = isinstance(key, ast.Constant) and isinstance(key.value, str)
            is_constant = isinstance(key, ast.Name) and key.id.isupper()
            is_slice = isinstance(key, ast.Slice) and not isinstance(node, ast.Delete)
            if is_named or is_constant or is_slice:
                yield f"{ast.unparse(node)}"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_what_reads_the_jvm_writes_no_key_of_a_row(file: Path) -> None:
    assert list(keyed(ast.parse(file.read_text()))) == []


def test_a_mark_is_seen() -> None:
    marks = 'row["made"] = True\nrow[NAME] = 1\nrows[0]["e"] = {}\nfound[:] = []\ndel row["x"]'
    assert len(list(keyed(ast.parse(marks)))) == 5
    with pytest.raises(TypeError):
        frozen([{"a": 1}])[0]["made"] = True
