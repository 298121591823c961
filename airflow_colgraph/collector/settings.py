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


def _removing(text: str) -> re.Pattern[str]:
    try:
        found = re.compile(text.replace("(?<remove>", "(?P<remove>"))  # as Java writes it
    except re.error as error:
        raise ValueError(f"a regular expression ({error})") from None
    if "remove" not in found.groupindex:
        raise ValueError("a group (?<remove>...) in it")
    return found


def _names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


OPTIONS = (
    Option("sink", "", str, "Where the events go: a path, a URI, or an http(s) address."),
    Option("sinkToken", "", str, "The bearer token for an http(s) sink."),
    Option("namespace", "default", str, "The namespace of the OpenLineage job."),
    Option("jobName", "", str, "The name of the OpenLineage job; the application's name if empty."),
    Option("parentJobNamespace", "", str, "The parent job's namespace: the Airflow task's."),
    Option("parentJobName", "", str, "The parent job's name."),
    Option("parentRunId", "", str, "The parent run's id."),
    Option("rootParentJobNamespace", "", str, "The root job's namespace: the DAG's."),
    Option("rootParentJobName", "", str, "The root job's name."),
    Option("rootParentRunId", "", str, "The root run's id."),
    Option("queryBudgetSeconds", 10.0, _seconds, "The most wall time for resolving one query."),
    Option("exitTimeoutSeconds", 30.0, _seconds, "The most wall time for what is left at the end."),
    Option("maxQueue", 1000, _whole, "The most queries that wait; further ones are counted."),
    Option(
        "maxEdges", 500_000, _whole, "The most edges in one event; more are cut and it says so."
    ),
    Option(
        "maxEventBytes", 3_000_000, _whole, "The most bytes of one event; see below what is cut."
    ),
    Option("legacyIndirect", False, _flag, "INDIRECT entries inside each field, not in dataset[]."),
    Option("lineageFacet", False, _flag, "Also the `lineage` job facet 1-0-0."),
    Option("operations", True, _flag, "The READ, TRANSFORM and WRITE operations of each output."),
    Option("descriptions", False, _flag, "The expression behind each edge as its description."),
    Option("nestedFields", False, _flag, "Struct members as fields of their own, on both sides."),
    Option("extensions", (), _names, "Modules with rules of your own: see docs/extensions.md."),
    Option("maskingFunctions", (), _names, "Further functions that mask, e.g. tokenize."),
    Option(
        "removePathPattern",
        None,
        _removing,
        "What the group `(?<remove>...)` of this regular expression matches in a dataset's name "
        "is taken out of it.",
    ),
)
OF_OPENLINEAGE = {  # its names for the same
    **{one.name: one.name for one in OPTIONS if "arent" in one.name},
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
                problems.append(f"{PREFIX}{option.name} is {text!r}. Expected {error}.")
    return Settings(values, tuple(problems))
