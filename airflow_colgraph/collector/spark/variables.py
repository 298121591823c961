"""Variables in the JVM: the names that JSON lacks, and the session whose variables they are."""

from __future__ import annotations

from airflow_colgraph.collector.plan import Rows, kind
from airflow_colgraph.collector.spark.jvm import Java, seq


def names_of(plan: Rows, command: Java) -> tuple[str, ...]:
    """The names of the variables that a CreateVariable makes, in order."""
    rows = [row for row in plan if kind(row) == "ResolvedIdentifier"]
    pairs = zip(rows, seq(command.children()))
    return tuple(str(child.identifier().name()) for _, child in pairs)


def session_of(execution: Java) -> str:
    """The session that a query ran in."""
    return str(execution.sparkSession().sessionUUID())
