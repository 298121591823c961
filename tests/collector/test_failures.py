"""What is reported of a query that the collector fails at: what is known, and that it failed."""

from time import monotonic
from types import SimpleNamespace
from typing import Any

import pytest

from airflow_colgraph.collector import pipeline
from airflow_colgraph.collector.events import build
from airflow_colgraph.collector.model import (
    CHECKPOINT,
    Dataset,
    NamedDataset,
    Query,
    Rdd,
    Read,
    Write,
)
from airflow_colgraph.collector.spark.translate import FinishedQuery, read
from airflow_colgraph.openlineage.redaction import MOST_LETTERS, exception_text
from tests.collector.cases.loader import settings_of
from tests.collector.pipelines import pipeline_into
from tests.collector.test_lineage import OUT, attribute, project, relation, row

READ = Read((NamedDataset(Dataset("file", "/in")),), (("c1", "integer"),))
COLUMNS = (("c1", "integer"), ("c2", "integer"))
BAD = [row("OuterReference", e=[{}])]  # an expression that no rule can read


class Emitted:
    """A pipeline and its events."""

    def __init__(self) -> None:
        self.events: list[Any] = []
        self.pipeline = pipeline_into(self.events)

    def after(self, *queries: Query) -> Any:
        for found in queries:
            self.pipeline.add(found, monotonic())
        self.pipeline.buffer.release()
        return self.events[-1]


def unresolved(event: Any) -> list[str]:
    found = event["run"]["facets"]["colgraph_diagnostics"]["unresolved"]
    return [one["class"] for one in found]


def names(event: Any, side: str) -> list[str]:
    return [found["name"] for found in event[side]]


def failing(function: str = "command") -> Query:
    plan = project([BAD, [attribute(2)]], relation(1, 2))
    write = Write(OUT, COLUMNS) if function == "command" else None
    return Query(function, "", plan, {(1, 2): READ}, {}, write)


def test_a_query_that_no_rule_can_resolve_has_an_event_with_what_is_known() -> None:
    emitted = Emitted()
    event = emitted.after(failing())
    assert (names(event, "inputs"), names(event, "outputs")) == (["/in"], ["/out"])
    (output,) = event["outputs"]
    assert [found["name"] for found in output["facets"]["schema"]["fields"]] == ["c1", "c2"]
    assert "columnLineage" not in output["facets"]
    assert "KeyError: 'exprId'" in unresolved(event)
    assert emitted.pipeline.accounting.failed == 1


def test_the_next_query_is_whole(capfd: pytest.CaptureFixture[str]) -> None:
    emitted = Emitted()
    whole = failing()._replace(plan=relation(1, 2))
    event = emitted.after(failing(), failing(), whole)
    assert unresolved(event) == []
    assert (len(emitted.events), emitted.pipeline.accounting.failed) == (3, 2)
    assert capfd.readouterr().err.count("colgraph:") <= 1


def test_a_checkpoint_that_failed_is_reported_and_so_is_what_starts_from_it() -> None:
    emitted = Emitted()
    kept = failing("localCheckpoint")._replace(parent=10)
    event = emitted.after(kept)
    assert (names(event, "inputs"), names(event, "outputs")) == (["/in"], [])
    leaf = [row("LogicalRDD", output=[[attribute(1)], [attribute(2)]])]
    rdd = Read((), (), {}, "rdd", (), Rdd(11, CHECKPOINT))
    later = Query("command", "", leaf, {}, {}, Write(OUT, COLUMNS), rdds={(1, 2): rdd})
    event = emitted.after(later)
    assert names(event, "inputs") == ["/in"]
    assert unresolved(event) == ["KeyError: 'exprId'", "LogicalRDD"]
    assert emitted.pipeline.accounting.failed == 1


def test_operations_that_can_not_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise LookupError("password=hunter2 is wrong\nand more")

    monkeypatch.setattr(build, "operations_facet", fail)
    event = Emitted().after(failing()._replace(plan=relation(1, 2)))
    (output,) = event["outputs"]
    assert output["facets"].keys() >= {"schema", "columnLineage"}
    assert unresolved(event) == ["LookupError: password=*** is wrong and more"]


def test_what_spark_could_not_be_asked_for() -> None:
    class Plan:
        def getClass(self) -> Any:
            return SimpleNamespace(getName=lambda: "org.apache.spark.Project")

        def __getattr__(self, name: str) -> Any:
            raise OSError("no answer from token=abc")

    found = read("collect", Plan(), None)  # type: ignore[arg-type]
    assert found is not None
    assert (found.root, found.failure) == ("Project", "OSError: no answer from token=***")
    event = Emitted().after(found)
    assert (event["inputs"], unresolved(event)) == ([], [found.failure])


def test_an_execution_that_is_gone() -> None:
    class Gone:
        def __getattr__(self, name: str) -> Any:
            if name == "_detach":
                return lambda: None
            raise ConnectionError("gone")

    emitted = Emitted()
    emitted.pipeline.process(FinishedQuery("save", Gone(), None))  # type: ignore[arg-type]
    emitted.pipeline.buffer.release()
    (event,) = emitted.events
    assert (unresolved(event), emitted.pipeline.accounting.failed) == (["ConnectionError: gone"], 1)


def test_a_failure_behind_the_plan_is_in_an_event(monkeypatch: pytest.MonkeyPatch) -> None:
    def renamed(found: Query, _: Any) -> Query:
        if not found.failure:
            raise LookupError("token=abc is no name")
        return found

    monkeypatch.setattr(pipeline, "translate", lambda *_, **__: iter([failing()]))
    monkeypatch.setattr(pipeline, "renamed", renamed)
    emitted = Emitted()
    emitted.pipeline.process(FinishedQuery("save", None, None))  # type: ignore[arg-type]
    (event,) = emitted.events
    assert unresolved(event) == ["LookupError: token=*** is no name"]
    assert emitted.pipeline.accounting.failed == 1


def test_words_of_a_failure_are_few_and_alike() -> None:
    java = "An error occurred while calling o123.rdd.\n: java.lang.Error: no\n\tat here"
    assert exception_text(OSError(java)) == (
        "OSError: An error occurred while calling an object.rdd. : java.lang.Error: no"
    )
    assert exception_text(OSError()) == "OSError"
    assert len(exception_text(OSError("x" * 1000))) == MOST_LETTERS


def test_a_query_whose_budget_is_spent_is_made_of_all_that_it_reads() -> None:
    emitted = Emitted()
    emitted.pipeline.settings = settings_of((("queryBudgetSeconds", "0"),))
    plan = project([[attribute(1)], [attribute(2)]], relation(1, 2))
    event = emitted.after(Query("command", "", plan, {(1, 2): READ}, {}, Write(OUT, COLUMNS)))
    lineage = event["outputs"][0]["facets"]["columnLineage"]
    inputs = {name: entry["inputFields"] for name, entry in lineage["fields"].items()}
    assert {name: [found["field"] for found in entry] for name, entry in inputs.items()} == {
        "c1": ["c1"],
        "c2": ["c1"],
    }
    (step,) = inputs["c1"][0]["transformations"]
    assert (step["type"], step["subtype"]) == ("DIRECT", "TRANSFORMATION")
    truncated = event["run"]["facets"]["colgraph_diagnostics"]["truncated"]
    assert truncated.endswith("at LogicalRelation: columns come from all inputs")
