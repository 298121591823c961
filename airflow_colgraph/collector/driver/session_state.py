"""What the statements of a session leave for later ones: its variables, and the rows of a FOR."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from airflow_colgraph.collector.lineage.frame import Frame
from airflow_colgraph.collector.lineage.resolution import Resolution
from airflow_colgraph.collector.lineage.rules.variables import LOCAL, set_by
from airflow_colgraph.collector.model import KnownLineage, Query, Read, Variable
from airflow_colgraph.collector.plan import Rows, kind
from airflow_colgraph.collector.spark.translate import LOOP

CONSTANTS = {"Alias", "Cast", "CreateArray", "CreateMap", "CreateNamedStruct", "Literal"}


class Looped(NamedTuple):
    """A query whose rows are asked for one after the other: a FOR's, or a program's."""

    session: str
    names: tuple[str, ...]
    frame: Frame
    resolution: Resolution
    reads: tuple[Read, ...]

    def columns(self) -> dict[Variable, KnownLineage]:
        """What a FOR's variables are made of: each is named as a column."""
        decoded = self.resolution.decoded
        rows = decoded(self.frame.rows)
        return {
            (LOCAL, name.casefold()): KnownLineage(decoded(value.inputs), rows, self.reads)
            for name, value in zip(self.names, self.frame.in_order())
        }


class Scripts:
    """The variables of each session, by what they were last set from.

    A FOR (Spark's ForStatementExec) makes a variable for each column of its query, and sets them to
    the constants of one row after the other.
    """

    def __init__(self) -> None:
        """No variable is known."""
        self._known: dict[str, dict[Variable, KnownLineage]] = {}
        self._loops: dict[str, dict[Variable, KnownLineage]] = {}
        self._last: Looped | None = None

    def variables(self, session: str) -> Mapping[Variable, KnownLineage]:
        """What the variables of a session are made of now."""
        return self._known.get(session, {})

    def names(self) -> frozenset[str]:
        """The names of the variables that are made of data, in whichever session."""
        return frozenset(
            name
            for variables in self._known.values()
            for (_, name), known in variables.items()
            if known.value or known.rows
        )

    def hear(
        self, query: Query, frame: Frame, resolution: Resolution, reads: tuple[Read, ...]
    ) -> None:
        """A query that gives rows one after the other, or that makes or sets variables."""
        session = query.session or ""
        if query.function == LOOP:
            self._last = Looped(session, query.names, frame, resolution, reads)
            return
        if query.function != "command":  # asked for its rows it was heard before
            return
        names = list(set_by(query.plan))
        if query.root == "CreateVariable":
            self._begin(session, names)
        rows, loop = resolution.decoded(frame.rows), self._loops.get(session, {})
        known = self._known.setdefault(session, {})
        for name, value in zip(names, frame.in_order()):
            if name in loop and is_constant(query.plan):
                known[name] = loop[name]
            else:
                known[name] = KnownLineage(resolution.decoded(value.inputs), rows, reads)

    def _begin(self, session: str, names: list[Variable]) -> None:
        """If the first variable after a query is named as its first column, it is a FOR's."""
        last, self._last = self._last, None
        if last is not None and last.session == session:
            columns = last.columns()
            if names == list(columns)[:1]:
                self._loops.setdefault(session, {}).update(columns)


def is_constant(plan: Rows) -> bool:
    """Whether a SetVariable sets a constant."""
    if [kind(row) for row in plan] != ["SetVariable", "Project", "OneRowRelation"]:
        return False
    return all(kind(row) in CONSTANTS for rows in plan[1]["projectList"] for row in rows)
