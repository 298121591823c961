"""The clauses of a MERGE, in Delta's plan and in Spark's: the first that holds takes a row.

Earlier cases had one clause of a kind, or let no later one delete rows or set other values.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from airflow_colgraph.collector.model import Dataset, NamedDataset, Query, Read, Write
from airflow_colgraph.collector.plan import Rows
from tests.collector.test_lineage import OUT, attribute, project, relation, row
from tests.collector.test_plan_notes import event_of

Clauses = list[tuple[str, int, list[int]]]  # act, column of its condition, columns of its values
KINDS = ("matched", "notMatched", "notMatchedBySource")
SOURCE, TARGET = (1, 2, 3, 4), (11, 12)


def of_delta(*kinds: Clauses) -> Rows:
    """Delta's command over a source c1 to c4 and a target c11, c12."""

    def clause(act: str, condition: int, values: list[int]) -> Rows:
        actions = [(row("DeltaMergeAction", 1), attribute(number)) for number in values]
        top = row(f"DeltaMergeInto{act}Clause", len(values))
        flat = [each for action in actions for each in action]
        return [{**top, "condition": [attribute(condition)]} if condition else top, *flat]

    clauses = {
        f"{kind}Clauses": [clause(*each) for each in of_kind]
        for kind, of_kind in zip(KINDS, kinds, strict=True)
    }
    return [row("MergeIntoCommand", source=relation(*SOURCE), target=relation(*TARGET), **clauses)]


def of_spark(*kinds: Clauses) -> Rows:
    """Spark's own rewriting over the same, as Iceberg's tables have it."""

    def instruction(act: str, condition: int, values: list[int]) -> Rows:
        holds = attribute(condition) if condition else row("Literal", value="true")
        if act == "Delete":
            return [row("MergeRows$Discard", 1), holds]
        return [row("MergeRows$Keep", 1 + len(values)), holds, *map(attribute, values)]

    instructions = {
        f"{kind}Instructions": [instruction(*each) for each in of_kind]
        for kind, of_kind in zip(KINDS, kinds, strict=True)
    }
    output = [[{**attribute(number + 10), "name": f"c{number}"}] for number in TARGET]
    mark = {**row("Alias", 1), "name": "__row_from_target", "exprId": {"id": 99}}
    marked = [[mark, row("Literal", value="true")], *([attribute(number)] for number in TARGET)]
    join = [row("Join", 2), *relation(*SOURCE), *project(marked, relation(*TARGET))]
    return [row("MergeRows", 1, output=output, **instructions), *join]


def lineage(plan: Rows) -> dict[str, set[tuple[str, str]]]:
    """The INDIRECT inputs of each column and, by `*`, of the rows: field and subtype."""
    named = tuple(NamedDataset(Dataset("file", f"/{name}")) for name in ("source", "target"))
    reads = {SOURCE: Read(named[:1], ()), TARGET: Read(named[1:], ())}
    columns = tuple((f"c{number}", "integer") for number in TARGET)
    query = Query("command", "", plan, reads, {}, Write(OUT, columns))
    (output,) = event_of(query)["outputs"]
    facet = output["facets"]["columnLineage"]
    entries = {**facet["fields"], "*": {"inputFields": facet.get("dataset", [])}}
    return {
        name: {
            (given["field"], step["subtype"])
            for given in entry["inputFields"]
            for step in given["transformations"]
            if step["type"] == "INDIRECT"
        }
        for name, entry in entries.items()
    }


Made = Callable[..., Rows]


@pytest.mark.parametrize("made", [of_delta, of_spark])
def test_earlier_conditions_decide_which_rows_a_delete_or_an_insert_takes(made: Made) -> None:
    matched = [("Update", 2, [11, 1]), ("Delete", 0, [])]
    inserts = [("Insert", 3, [1, 1]), ("Insert", 4, [1, 3])]
    assert lineage(made(matched, inserts, [])) == {
        "c11": set(),
        "c12": {("c2", "CONDITIONAL")},
        "*": {("c2", "FILTER"), ("c3", "FILTER"), ("c4", "FILTER")},
    }


@pytest.mark.parametrize("made", [of_delta, of_spark])
def test_earlier_conditions_decide_what_an_update_puts_where(made: Made) -> None:
    matched = [("Update", 2, [11, 1]), ("Update", 3, [1, 12]), ("Update", 0, [3, 12])]
    by_source = [("Update", 12, [12, 12])]
    changed = lineage(made(matched, [], by_source))
    assert changed["c11"] == {
        ("c2", "CONDITIONAL"),
        ("c3", "CONDITIONAL"),
        ("c12", "CONDITIONAL"),  # of the other kind: nothing of the matched clauses
    }
    assert changed["c12"] >= {("c2", "CONDITIONAL")}
    assert changed["*"] == set()
