"""Reads the text cases: a statement and, below it as comments, its whole lineage.

A line `-- with: option=value` begins what the same statement tells under that option of the
collector. Such a statement is run again, so it must be one that can be.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from airflow_colgraph.collector import settings
from airflow_colgraph.collector.settings import Settings

HERE = Path(__file__).parent


class Case(NamedTuple):
    """One case: what to run and the lineage of the last thing that it writes."""

    name: str
    statement: str
    lineage: frozenset[str]
    job: Callable[[Any], None] | None = None
    properties: tuple[tuple[str, str], ...] = ()  # the collector's options


def normal(line: str) -> str:
    """One line of lineage without its alignment."""
    return " ".join(line.split())


def sql_cases(file: Path) -> Iterator[Case]:
    for block in re.split(r"^-- title: ", file.read_text(), flags=re.M)[1:]:
        title, _, rest = block.partition("\n")
        lines = rest.splitlines()
        text = "\n".join(line for line in lines if not line.startswith("--"))
        statement = text.strip().rstrip(";")
        comment = "\n".join(line[2:].strip() for line in lines if line.startswith("--"))
        for lineage, properties in expectations(comment):
            words = " ".join([file.stem, title, *(name for name, _ in properties)])
            name = re.sub(r"\W+", "_", words).strip("_")
            yield Case(name, statement, lineage, None, properties)


def expectations(comment: str) -> Iterator[tuple[frozenset[str], tuple[tuple[str, str], ...]]]:
    """The lineage that a comment says, and that under each option that it names."""
    first, *others = re.split(r"^ *with: ", comment, flags=re.M)
    if lineage_in(first) or not others:
        yield lineage_in(first), ()
    for other in others:
        option, _, rest = other.partition("\n")
        name, _, value = option.strip().partition("=")
        yield lineage_in(rest), ((name, value),)


def lineage_in(text: str) -> frozenset[str]:
    return frozenset(normal(line) for line in text.splitlines() if " <-" in line)


def frame_cases() -> Iterator[Case]:
    from tests.collector.cases import frames

    for job in frames.JOBS:
        for lineage, properties in expectations(job.__doc__ or ""):
            name = "_".join([f"frames_{job.__name__}", *(name for name, _ in properties)])
            yield Case(name, "", lineage, job, properties)


SQL_FILES = [file for file in sorted(HERE.glob("*.sql")) if file.stem != "tables"]


LIVE_ONLY = {"frames_wide"}  # its plan is large


def all_cases() -> list[Case]:
    """Every case, those in SQL first."""
    found = [case for file in SQL_FILES for case in sql_cases(file)]
    return found + list(frame_cases())


def recorded_cases() -> list[Case]:
    """The cases whose plans are kept."""
    return [case for case in all_cases() if case.name not in LIVE_ONLY]


NEEDS = {  # the first Spark that understands a case and tells it whole, if not the oldest
    "frames_pandas_on_spark": (4, 1),  # before, it needs an older pandas or no ANSI mode
    "relational_recursive_query": (4, 1),
    **dict.fromkeys(
        (
            # before, a checkpoint is known by its columns only: see docs/coverage.md
            "frames_a_checkpoint_and_its_relation_with_the_same_columns",
            "frames_a_checkpoint_joined_with_itself",
            "frames_a_checkpoint_united_with_itself",
            "frames_apply_in_arrow",
            "frames_casts_beside_a_union",
            "frames_checkpointed_twice",  # before, which of them a leaf is is not always known
            "frames_cogroup_in_arrow",
            "frames_functions_in_sql",
            "frames_one_of_two_checkpoints_of_the_same_columns",
            "frames_variables",
            "frames_transposed",
            "frames_rows_that_a_script_goes_through",
            "frames_variables_of_a_script",
            "frames_variables_set",
            "frames_rows_of_variables",
            "frames_rows_of_variables_read",
            "frames_rows_of_variables_and_parameters",
            "frames_rows_of_a_scripts_variables",
            "further_a_CTE_that_hides_a_table",
            "further_bare_outer_columns_in_subqueries",
            "further_all_but_one_column",
            "further_pipes",
            "further_the_greatest_of_several_and_others",
            "further_variants",
            "relational_a_list_in_an_order",
        ),
        (4, 0),
    ),
}


def can_say(version: str, case: Case) -> bool:
    """Whether a Spark of that version (4.1, 4.1.3) understands a case."""
    major, minor, *_ = version.split(".")
    return (int(major), int(minor)) >= NEEDS.get(case.name, (0, 0))


UNKNOWN = {  # what a case's event names as unresolved, up to which Spark
    "frames_transposed": ("Transpose", (9, 9)),
    "frames_two_checkpoints_of_the_same_columns": ("LogicalRDD", (3, 5)),
}


def unknown_in(version: str, case: Case) -> list[str]:
    """What the events of a case name as unresolved."""
    major, minor, *_ = version.split(".")
    found, last = UNKNOWN.get(case.name, ("", (0, 0)))
    return [found] if (int(major), int(minor)) <= last else []


def tables() -> list[str]:
    """The statements that make the tables."""
    text = (HERE / "tables.sql").read_text()
    lines = (line for line in text.splitlines() if not line.startswith("--"))
    return [part.strip() for part in "\n".join(lines).split(";") if part.strip()]


def settings_of(properties: tuple[tuple[str, str], ...]) -> Settings:
    """The collector's settings with a case's own options."""
    return settings.read({settings.PREFIX + name: value for name, value in properties})


def lineage_of(events: list[dict[str, Any]], root: str) -> frozenset[str]:
    """The lineage in the last event that wrote something, in the cases' form."""
    from airflow_colgraph.collector.events import render as text

    label = text.labels(events)
    written = [event for event in events if event["outputs"]]
    if not written:
        return frozenset()
    (output,) = written[-1]["outputs"]
    rows = text.lines(output, label)
    return frozenset(normal(line.replace(root, "")) for line in text.table(rows))
