"""Reads the text cases: a statement and, below it as comments, its whole lineage."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent


class Case(NamedTuple):
    """One case: what to run and the lineage of the last thing that it writes."""

    name: str
    statement: str
    lineage: frozenset[str]
    job: Callable[[Any], None] | None = None


def normal(line: str) -> str:
    """One line of lineage without its alignment."""
    return " ".join(line.split())


def sql_cases(file: Path) -> Iterator[Case]:
    for block in re.split(r"^-- title: ", file.read_text(), flags=re.M)[1:]:
        title, _, rest = block.partition("\n")
        lines = rest.splitlines()
        statement = "\n".join(line for line in lines if not line.startswith("--"))
        expected = {normal(line[2:]) for line in lines if re.match(r"-- \S.* <-", line)}
        name = re.sub(r"\W+", "_", f"{file.stem} {title}").strip("_")
        yield Case(name, statement.strip().rstrip(";"), frozenset(expected))


def frame_cases() -> Iterator[Case]:
    from tests.collector.cases import frames

    for job in frames.JOBS:
        expected = frozenset(
            normal(line) for line in (job.__doc__ or "").splitlines() if "<-" in line
        )
        yield Case(f"frames_{job.__name__}", "", expected, job)


SQL_FILES = [file for file in sorted(HERE.glob("*.sql")) if file.stem != "tables"]


LIVE_ONLY = {"frames_wide"}  # its plan is large


def all_cases() -> list[Case]:
    """Every case, those in SQL first."""
    found = [case for file in SQL_FILES for case in sql_cases(file)]
    return found + list(frame_cases())


def recorded_cases() -> list[Case]:
    """The cases whose plans are kept."""
    return [case for case in all_cases() if case.name not in LIVE_ONLY]


def tables() -> list[str]:
    """The statements that make the tables."""
    text = (HERE / "tables.sql").read_text()
    lines = (line for line in text.splitlines() if not line.startswith("--"))
    return [part.strip() for part in "\n".join(lines).split(";") if part.strip()]


def lineage_of(events: list[dict[str, Any]], root: str) -> frozenset[str]:
    """The lineage in the last event that wrote something, in the cases' form."""
    from airflow_colgraph.collector import text

    label = text.labels(events)
    written = [event for event in events if event["outputs"]]
    if not written:
        return frozenset()
    (output,) = written[-1]["outputs"]
    rows = text.lines(output, label)
    return frozenset(normal(line.replace(root, "")) for line in text.table(rows))
