"""Writes docs/coverage.md from its template, dev/coverage.md: `python -m dev.coverage`."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from airflow_colgraph.collector.lineage.evaluation import EXPRESSIONS
from airflow_colgraph.collector.lineage.resolution import NODES
from airflow_colgraph.collector.python_functions import interpretation as interpretation
from airflow_colgraph.collector.python_functions.arrow import ARROW_METHODS
from airflow_colgraph.collector.python_functions.columns import COLUMN_METHODS
from airflow_colgraph.collector.python_functions.expressions import EXPRESSIONS as SYNTAX
from airflow_colgraph.collector.python_functions.groups import AGGREGATED
from airflow_colgraph.collector.python_functions.library import FUNCTIONS
from airflow_colgraph.collector.python_functions.methods import ITEMS_METHODS
from airflow_colgraph.collector.python_functions.rdd_elements import METHODS as RDD_METHODS
from airflow_colgraph.collector.python_functions.statements import STATEMENTS
from airflow_colgraph.collector.python_functions.table_methods import TABLE_METHODS
from airflow_colgraph.collector.python_functions.vocabulary import (
    FUNCTIONS_BY_ELEMENT,
    FUNCTIONS_OF_ALL,
    MASKING_FUNCTIONS,
)
from airflow_colgraph.collector.registry import ANY
from airflow_colgraph.collector.spark import reads, writes
from airflow_colgraph.collector.spark import translate as query
from oracles import sql_results
from oracles.conformance.table import lines as suites
from oracles.conformance.table import recorded as suite_results
from oracles.public_results import RECORDED as PUBLIC_RESULTS
from oracles.public_results import table as public_table
from tests.collector.cases.loader import recorded_cases
from tests.collector.shown import SHOWN
from tests.collector.test_cases import RECORDED, all_kinds, events_of
from tests.spark import recorded_counts
from tests.spark.golden.report import recorded as golden_recorded
from tests.spark.golden.report import table as golden_table
from tests.spark.perturb.results import recorded as made_recorded
from tests.spark.perturb.results import tables as made_tables
from tests.sql.judge.results import RECORDED as TEXT_RESULTS
from tests.sql.judge.results import tables as text_tables
from tests.sql.texts import by_dialect

PAGE = Path(__file__).parents[1] / "docs" / "coverage.md"
TEMPLATE = Path(__file__).with_suffix(".md")


def python_functions() -> str:
    """What the interpreter knows, a row for each of its tables."""
    kinds = {
        "statements": (kind.__name__ for kind in STATEMENTS),
        "expressions": (kind.__name__ for kind in SYNTAX if kind.__name__ != "Index"),
        "methods of DataFrames": TABLE_METHODS,
        "methods of Arrow tables and record batches": ARROW_METHODS,
        "methods of columns and values": COLUMN_METHODS,
        "aggregates of groups": AGGREGATED,
        "methods of RDDs that were DataFrames": RDD_METHODS,
        "methods of lists, dicts and rows": ITEMS_METHODS,
        "functions": {*FUNCTIONS, *FUNCTIONS_BY_ELEMENT, *FUNCTIONS_OF_ALL, *MASKING_FUNCTIONS},
    }
    parts = (f"* {what}: {', '.join(sorted(names))}." for what, names in kinds.items())
    return "\n".join("\n  ".join(wrapped(part)) for part in parts)


def page() -> str:
    """The whole page: the template with what the tables, cases and recorded results say."""
    seen, opaque = seen_in_cases()
    classes = set().union(*(all_kinds(q.plan) for case in newest().values() for q in case))
    plain = sorted(name.rstrip("$") for name in classes - EXPRESSIONS.keys() - NODES.keys())
    parts = {
        "versions": ", ".join(RECORDED),
        "plan nodes": table(NODES, seen, opaque),
        "expressions": table(EXPRESSIONS, seen, opaque),
        "other classes": listed(plain),
        "Python functions": python_functions(),
        "commands": table(writes.WRITES, seen, opaque),
        "sources": table({**reads.READS, **reads.RELATIONS}, seen, opaque),
        "classes of sinks": listed(sorted(writes.SINKS)),
        "TPC": "\n".join(sql_results.table(sql_results.recorded())),
        "SQL cases": "\n".join(sql_cases()),
        "golden suite": by_version(golden_recorded(), golden_table),
        "made programs": by_version(made_recorded(), made_tables),
        "public programs": by_version(recorded_counts.read(PUBLIC_RESULTS), public_table),
        "suites": "\n".join(suites(suite_results())),
        "made SQL": "\n".join(text_tables(recorded_counts.read(TEXT_RESULTS))),
    }
    text = TEMPLATE.read_text(encoding="utf-8")
    return re.sub(r"\{\{ (.+?) \}\}", lambda match: parts[match[1]].rstrip(), text)


def sql_cases() -> Iterator[str]:
    """How many statements there are in each dialect, and how many have a report."""
    yield "| dialect | statements | with a report |"
    yield "| --- | ---: | ---: |"
    for dialect, cases in by_dialect().items():
        marked = sum("opaque: " in lineage or "unresolved: " in lineage for _, lineage in cases)
        yield f"| {dialect} | {len(cases)} | {marked} |"


def by_version(recorded: Mapping[str, Any], lines: Callable[[Any], Iterable[str]]) -> str:
    """The counts that are recorded, by version of Spark."""
    return "\n\n".join(
        f"### On Spark {version}\n\n" + "\n".join(lines(counts)).rstrip()
        for version, counts in sorted(recorded.items())
    )


def newest() -> dict[str, list[query.Query]]:
    """The recorded cases of the newest Spark."""
    return RECORDED[max(RECORDED, key=lambda version: tuple(map(int, version.split("."))))]


def seen_in_cases() -> tuple[dict[str, str], set[str]]:
    """The first case that each class is in, and the classes that any event calls opaque."""
    first: dict[str, str] = {}
    opaque: set[str] = set()
    for case in sorted(recorded_cases(), key=lambda case: case.name.startswith(GENERAL)):
        for recorded in RECORDED.values():
            for found in recorded.get(case.name, ()):
                for name in all_kinds([found.plan, *found.expansions.values()]):
                    first.setdefault(name, case.name)
                if found.write is not None:
                    first.setdefault(found.root, case.name)
                if any(read.format in FILES for read in found.reads.values()):
                    first.setdefault("HadoopFsRelation", case.name)
            for event in events_of(recorded.get(case.name, []), case):
                leaves = event["run"]["facets"]["colgraph_diagnostics"]["opaque"]
                opaque.update(item["class"] for item in leaves)
    return first, opaque


GENERAL = ("catalogue_", "tpc")  # others show a class better
FILES = {"csv", "json", "orc", "parquet", "text"}


def table(rules: Iterable[str], seen: dict[str, str], opaque: set[str]) -> str:
    """A row for each class that has a rule."""
    lines = ["| Spark class | how | shown by |", "| --- | --- | --- |"]
    for name in sorted({*rules} - {ANY}):
        how = "conservative" if name in opaque or name in CONSERVATIVE else "exact"
        shown = seen.get(name) or SHOWN.get(name, "")
        lines.append(f"| {name} | {how} | {shown} |")
    return "\n".join(lines)


CONSERVATIVE = {  # those that no recorded case has
    "AppendColumns",
    "CoGroup",
    "FlatMapGroupsInPandasWithState",
    "FlatMapGroupsWithState",
    "MapElements",
    "MapGroups",
    "TransformWithState",
    "TransformWithStateInPandas",
    "TransformWithStateInPySpark",
    "TypedFilter",
}


def listed(names: Iterable[str]) -> str:
    """Names as a paragraph."""
    return "\n".join(wrapped(", ".join(names) + "."))


def wrapped(text: str) -> Iterator[str]:
    """Lines of at most 100 characters."""
    line = ""
    for word in text.split():
        if len(line) + len(word) >= 100:
            yield line
            line = ""
        line = f"{line} {word}".strip()
    yield line


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
