"""What queries leave for later ones: checkpoints, variables, and the rows of a FOR. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from airflow_colgraph.collector.lineage.checkpoints import Checkpoints
from airflow_colgraph.collector.lineage.query_lineage import QueryLineage, known_frame, reads_of
from airflow_colgraph.collector.lineage.rules.variables import LOCAL, MADE_BY, set_by
from airflow_colgraph.collector.lineage.sources import Sources, sources_of
from airflow_colgraph.collector.model import (
    CHECKPOINTS,
    FOREACH_BATCH,
    LOCAL_ITERATOR,
    KnownLineage,
    Query,
    Read,
    Variable,
)


class Looped(NamedTuple):
    """A query whose rows are asked for one after the other: a FOR's, or a program's."""

    session: str
    names: tuple[str, ...]
    lineage: QueryLineage
    reads: tuple[Read, ...]

    def columns(self) -> dict[Variable, KnownLineage]:
        """What a FOR's variables are made of: each is named as a column."""
        decoded = self.lineage.decoded
        rows = decoded(self.lineage.frame.rows)
        return {
            (LOCAL, name.casefold()): KnownLineage(decoded(value.inputs), rows, self.reads)
            for name, value in zip(self.names, self.lineage.frame.in_order())
        }


class Variables:
    """The variables of each session, by what they were last set from.

    A FOR (Spark's ForStatementExec) makes a variable for each column of its query, and sets them to
    the constants of one row after the other.
    """

    def __init__(self) -> None:
        """No variable is known."""
        self._known: dict[str, dict[Variable, KnownLineage]] = {}
        self._loops: dict[str, dict[Variable, KnownLineage]] = {}
        self._last: Looped | None = None

    def of_session(self, session: str) -> Mapping[Variable, KnownLineage]:
        """What the variables of a session are made of now."""
        return self._known.get(session, {})

    def names(self) -> frozenset[str]:
        """The names of the variables that are made of data, in whichever session."""
        return frozenset(
            name
            for variables in self._known.values()
            for (_, name), known in variables.items()
            if any(known.value.values()) or any(known.rows.values())
        )

    def learn(self, query: Query, lineage: QueryLineage) -> None:
        """Keep what a query leaves: the variables that it sets, or the rows of a FOR."""
        session, reads = query.session or "", reads_of(query, lineage)
        if query.function == LOCAL_ITERATOR:
            self._last = Looped(session, query.names, lineage, reads)
            return
        if query.function != "command":  # its rows are asked for by a query of their own
            return
        names = list(set_by(query.plan, query.notes))
        if query.root == "CreateVariable":
            self._begin(session, names)
        rows, loop = lineage.decoded(lineage.frame.rows), self._loops.get(session, {})
        known = self._known.setdefault(session, {})
        for name, value in zip(names, lineage.frame.in_order()):
            if name in loop and not any(value.inputs.values()) and not any(rows.values()):
                known[name] = loop[name]
            else:
                known[name] = KnownLineage(lineage.decoded(value.inputs), rows, reads)

    def _begin(self, session: str, names: list[Variable]) -> None:
        """If the first variable after a query is named as its first column, it is a FOR's."""
        last, self._last = self._last, None
        if last is not None and last.session == session:
            columns = last.columns()
            if names == list(columns)[:1]:
                self._loops.setdefault(session, {}).update(columns)


class SessionState:
    """What earlier queries of an application have left: checkpoints, batches and variables."""

    def __init__(self) -> None:
        """Nothing is known."""
        self._checkpoints = Checkpoints()
        self._variables = Variables()

    def variable_names(self) -> frozenset[str]:
        """The names of the variables that are made of data, in whichever session."""
        return self._variables.names()

    def with_origins(self, query: Query) -> Query:
        """The query with what its RDDs' checkpoints were made of in the checkpoints' place."""
        rdds = {}
        for ids, found in query.rdds.items():
            origins: list[Read] = []
            unknown = [*found.unknown]
            for origin in found.origins:
                more = self._checkpoints.inputs(origin.rdd) if origin.rdd else (origin,)
                unknown += ["checkpoint"] if more is None else []
                origins += [read for read in more or () if read not in origins]
            rdds[ids] = found._replace(origins=tuple(origins), unknown=tuple(unknown))
        return query._replace(rdds=rdds) if rdds else query

    def sources(self, query: Query) -> Sources:
        """The sources of a query, with what earlier ones have left for it."""
        rdds = {ids: found.rdd for ids, found in query.rdds.items() if found.rdd is not None}
        known = self._checkpoints.frames(rdds)
        return sources_of(query, known, self._variables.of_session(query.session or ""))

    def learn(self, query: Query, lineage: QueryLineage) -> None:
        """Keep what later queries may start from."""
        if query.function == FOREACH_BATCH:
            batch = known_frame(query, lineage)._replace(is_streamed=True)
            self._checkpoints.add_batches(query.session or "", lineage.frame.output, batch)
        elif query.function in CHECKPOINTS:
            frame = known_frame(query, lineage)
            self._checkpoints.add(lineage.frame.output, query.parent, frame)
        elif query.root in MADE_BY or query.function == LOCAL_ITERATOR:
            self._variables.learn(query, lineage)
