"""The cases over recorded plans of every Spark version: no JVM needed."""

from time import monotonic
from typing import Any

import pytest

from airflow_colgraph.collector import expressions, nodes
from airflow_colgraph.collector.facets import Job
from airflow_colgraph.collector.plan import kind
from airflow_colgraph.collector.query import Query
from airflow_colgraph.collector.worker import Worker
from tests.collector.cases.loader import Case, can_say, lineage_of, recorded_cases, settings_of
from tests.collector.recorded import PLANS, load

VERSIONS = sorted(PLANS.glob("*.jsonl"))
RECORDED = {file.stem: load(file) for file in VERSIONS}
CASES = [(v, case) for v in RECORDED for case in recorded_cases() if case.name in RECORDED[v]]


def events_of(queries: list[Query], case: Case | None = None) -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = []
    given = settings_of(case.properties if case else ())
    worker = Worker(Job("tests", "recorded", "run", {}), given, told.append)
    for query in queries:
        worker.tell(query, monotonic())
    worker.release()
    return told


@pytest.mark.parametrize(("version", "case"), CASES, ids=lambda v: getattr(v, "name", v))
def test_the_lineage_is_exactly_the_cases(version: str, case: Case) -> None:
    events = events_of(RECORDED[version][case.name], case)
    assert lineage_of(events, "") == case.lineage
    for event in events:
        assert event["run"]["facets"]["colgraph_diagnostics"]["unresolved"] == []


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
                seen |= all_kinds(query.plan) | all_kinds(list(query.expansions.values()))
    rules = set(expressions.EXPRESSIONS) | set(nodes.NODES)
    assert rules - seen <= UNSEEN


# Rules that the text cases can't reach: tests elsewhere do.
UNSEEN = {
    "AsOfJoin",  # pandas on Spark
    "BoundReference",  # with the next four: typed Datasets of jobs in Scala and Java
    "DeserializeToObject",
    "MapElements",
    "MapPartitions",
    "SerializeFromObject",
    "HiveHash",  # no SQL name
    "HiveTableRelation",  # needs Hive
    "DataSourceV2Relation",
    "AnsiCast",  # of Spark 3.3
    "ListAgg",  # from Spark 4.0 on
    "NullIfResult",  # from Spark 4.2 on
    "ScriptTransformation",
    "MergeIntoCommand",  # with the next two: tests/spark/test_delta.py
    "UpdateCommand",
    "DeleteCommand",
    "MergeRows",  # with the next three: tests/spark/test_iceberg.py
    "ReplaceData",
    "WriteDelta",
    "DeleteFromTable",
}
