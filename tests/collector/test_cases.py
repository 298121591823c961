"""The cases over recorded plans of every Spark version: no JVM needed."""

from pathlib import Path
from typing import Any

import pytest

from airflow_colgraph.collector.lineage.evaluation import EXPRESSIONS
from airflow_colgraph.collector.lineage.resolution import NODES
from airflow_colgraph.collector.lineage.rules.variables import MADE_BY
from airflow_colgraph.collector.model import Query
from airflow_colgraph.collector.plan import kind
from airflow_colgraph.collector.registry import ANY
from airflow_colgraph.collector.spark.reads import READS, RELATIONS
from airflow_colgraph.collector.spark.writes import WRITES
from tests.collector.cases.loader import (
    Case,
    can_say,
    lineage_of,
    recorded_cases,
    settings_of,
    unknown_in,
)
from tests.collector.pipelines import emitted_events
from tests.collector.recorded import PLANS, load
from tests.collector.shown import SHOWN

ROOT = Path(__file__).parents[2]

VERSIONS = sorted(PLANS.glob("*.jsonl"))
RECORDED = {file.stem: load(file) for file in VERSIONS}
OPAQUE = {  # what these do with rows cannot be known; any other would be a false alarm
    *("ExternalRDD", "FlatMapCoGroupsInArrow", "FlatMapCoGroupsInPandas", "FlatMapGroupsInArrow"),
    *("FlatMapGroupsInPandas", "LogicalRDD", "MapInArrow", "MapInPandas", "MapPartitions"),
    *("PythonMapInArrow", "PythonUDTF", "ScriptTransformation", "UnresolvedInlineTable"),
}
CASES = [(v, case) for v in RECORDED for case in recorded_cases() if case.name in RECORDED[v]]


def events_of(queries: list[Query], case: Case | None = None) -> list[dict[str, Any]]:
    return emitted_events(queries, settings_of(case.properties if case else ()))


@pytest.mark.parametrize(("version", "case"), CASES, ids=lambda v: getattr(v, "name", v))
def test_the_lineage_is_exactly_the_cases(version: str, case: Case) -> None:
    events = events_of(RECORDED[version][case.name], case)
    assert lineage_of(events, "") == case.lineage
    for event in events:
        found = event["run"]["facets"]["colgraph_diagnostics"]
        assert [item["class"] for item in found["unresolved"]] == unknown_in(version, case)
        assert {item["class"] for item in found["opaque"]} <= OPAQUE


def test_variables_are_those_of_their_session() -> None:
    plans_of_case = RECORDED["4.3"]["frames_variables_set"]
    queries = [q._replace(session="another") if q.root in MADE_BY else q for q in plans_of_case]
    assert lineage_of(events_of(queries), "") == {
        "v <- raw.t1.b DIRECT:TRANSFORMATION",
        "w <-",
        "p <-",
        "d <-",
        "* <- raw.t1.c INDIRECT:FILTER",
    }


def test_a_transposed_frame_is_reported_as_opaque() -> None:
    (event,) = events_of(RECORDED["4.3"]["frames_transposed"])
    (unresolved,) = event["run"]["facets"]["colgraph_diagnostics"]["unresolved"]
    assert unresolved["class"] == "Transpose"


@pytest.mark.parametrize("version", RECORDED)
def test_every_case_is_recorded(version: str) -> None:
    wanted = {case.name for case in recorded_cases() if can_say(version, case)}
    assert wanted == set(RECORDED[version])


def test_there_are_recorded_plans() -> None:
    assert VERSIONS


def all_kinds(found: Any) -> set[str]:
    """The classes of all rows, those inside expressions and subqueries too."""
    if isinstance(found, list):
        return set().union(*map(all_kinds, found)) if found else set()
    if isinstance(found, dict):
        own = {kind(found)} if "class" in found else set()
        return own.union(*(all_kinds(value) for value in found.values()))
    return set()


def test_every_rule_has_a_case() -> None:
    """A rule that no case needs is a rule that nobody has seen work."""
    seen: set[str] = set()
    for cases in RECORDED.values():
        for queries in cases.values():
            for query in queries:
                seen |= all_kinds([query.plan, *query.expansions.values()])
                seen |= {query.root} if query.write is not None else set()
    tables = (EXPRESSIONS, NODES, READS, RELATIONS, WRITES)
    rules = {name for table in tables for name in table} - {"HadoopFsRelation", ANY}
    assert rules - seen == SHOWN.keys()
    assert all((ROOT / file).exists() for file in SHOWN.values())
