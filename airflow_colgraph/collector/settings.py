"""What the user asked of the collector: the `spark.colgraph.*` properties. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

PREFIX = "spark.colgraph."
OPENLINEAGE_PREFIX = "spark.openlineage."


class Option(NamedTuple):
    """One property: its name behind `spark.colgraph.`, its default, how it is read, its use."""

    name: str
    default: Any
    parse: Callable[[str], Any]
    help: str


def _flag(text: str) -> bool:
    if text.strip().lower() in ("true", "1", "yes"):
        return True
    if text.strip().lower() in ("false", "0", "no"):
        return False
    raise ValueError("true or false")


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError("a whole number") from None


def _seconds(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError("a number of seconds") from None


MOST_SHOWN = 200  # characters of a value that cannot be read
MOST_PATTERN = 1000  # characters of a user's regular expression


def _removing(text: str) -> re.Pattern[str]:
    if len(text) > MOST_PATTERN:
        raise ValueError(f"at most {MOST_PATTERN} characters")
    try:
        pattern = re.compile(text.replace("(?<remove>", "(?P<remove>"))  # as Java writes it
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"a regular expression ({error})") from None
    if "remove" not in pattern.groupindex:
        raise ValueError("a group (?<remove>...) in it")
    return pattern


def _names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


OPTIONS = (
    Option("sink", "", str, "Where events are written: a path, a URI, or an http(s) URL."),
    Option("sinkTokenFile", "", str, "The driver's file with the bearer token; see below."),
    Option("sinkToken", "", str, "The bearer token itself: in sight of `ps`; see below."),
    Option("spool", "", str, "The folder for events that the sink does not take; see below."),
    Option("namespace", "default", str, "The namespace of the OpenLineage job."),
    Option("jobName", "", str, "The name of the OpenLineage job; the application's name if empty."),
    Option("parentJobNamespace", "", str, "The parent job's namespace: the Airflow task's."),
    Option("parentJobName", "", str, "The parent job's name."),
    Option("parentRunId", "", str, "The parent run's id."),
    Option("rootParentJobNamespace", "", str, "The root job's namespace: the DAG's."),
    Option("rootParentJobName", "", str, "The root job's name."),
    Option("rootParentRunId", "", str, "The root run's id."),
    Option("dagId", "", str, "The Airflow task's DAG, for the facet `colgraph_task`."),
    Option("dagRunId", "", str, "The run id of its DAG run, as Airflow has it."),
    Option("taskId", "", str, "The task's id."),
    Option("mapIndex", None, _whole, "Its map index; none if it is not mapped."),
    Option("tryNumber", None, _whole, "Its try number."),
    Option("queryBudgetSeconds", 10.0, _seconds, "The maximum CPU time for resolving one query."),
    Option(
        "exitTimeoutSeconds",
        30.0,
        _seconds,
        "The maximum wall time for pending work at exit, spent once.",
    ),
    Option(
        "maxQueue", 1000, _whole, "The maximum length of the queue; dropped queries are counted."
    ),
    Option(
        "maxEdges",
        500_000,
        _whole,
        "The maximum number of edges in one event; it reports what was cut.",
    ),
    Option(
        "maxEventBytes",
        3_000_000,
        _whole,
        "The maximum size of one event in bytes; see below what is removed.",
    ),
    Option(
        "legacyIndirect", False, _flag, "INDIRECT entries in each field instead of in dataset[]."
    ),
    Option("lineageFacet", False, _flag, "Also emit the `lineage` job facet 1-0-0."),
    Option(
        "operations", True, _flag, "Emit the READ, TRANSFORM and WRITE operations of each output."
    ),
    Option("descriptions", False, _flag, "Emit the expression of each edge as its description."),
    Option("sql", False, _flag, "Emit the text of each SQL statement as the job facet `sql`."),
    Option("icebergReports", False, _flag, "Emit what Iceberg counted of each scan and commit."),
    Option("digests", True, _flag, "Emit digests of expressions and conditions, to compare runs."),
    Option("nestedFields", False, _flag, "Treat struct members as fields, in inputs and outputs."),
    Option("pythonFunctions", True, _flag, "Read the source of Python functions over rows."),
    Option("extensions", (), _names, "Modules with your own rules: see docs/extensions.md."),
    Option("maskingFunctions", (), _names, "Additional masking functions, e.g. tokenize."),
    Option(
        "removePathPattern",
        None,
        _removing,
        "The group `(?<remove>...)` of this regular expression is removed from dataset names.",
    ),
    Option("capturedProperties", (), _names, "Spark properties to send with each event."),
    Option("capturedEnvironment", (), _names, "Environment variables of the driver to send, too."),
    Option("planned", False, _flag, "Set by `colgraph plan`: marks the events of a dry run."),
)
OF_OPENLINEAGE = {  # its names for the same
    **{option.name: option.name for option in OPTIONS if "arent" in option.name},
    "capturedProperties": "capturedProperties",
    "removePathPattern": "dataset.removePath.pattern",
}


@dataclass(frozen=True)
class Settings:
    """The options' values by name, and what was wrong with those that could not be read."""

    values: Mapping[str, Any]
    problems: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Any:
        """The value of the option `name`."""
        return self.values[name]


def read(properties: Mapping[str, str]) -> Settings:
    """The settings in Spark's properties; a value that can't be read leaves its default.

    Some fall back on OpenLineage's properties: Airflow's provider injects those of the parent and
    the root.
    """
    values: dict[str, Any] = {}
    problems = []
    for option in OPTIONS:
        text = properties.get(PREFIX + option.name)
        if text is None and option.name in OF_OPENLINEAGE:
            text = properties.get(OPENLINEAGE_PREFIX + OF_OPENLINEAGE[option.name])
        values[option.name] = option.default
        if text is not None:
            try:
                values[option.name] = option.parse(text)
            except ValueError as error:
                shown = repr(text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}...")
                problems.append(f"{PREFIX}{option.name} is {shown}. Expected {error}.")
    return Settings(values, tuple(problems))
