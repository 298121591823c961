"""What queries leave for later ones: checkpoints, variables, and the rows of a FOR. Pure."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import NamedTuple

from airflow_colgraph.collector.lineage.checkpoints import Checkpoints
from airflow_colgraph.collector.lineage.query_lineage import QueryLineage, known_frame, reads_of
from airflow_colgraph.collector.lineage.rules.variables import LOCAL, MADE_BY, set_by
from airflow_colgraph.collector.lineage.sources import Sources, sources_of
from airflow_colgraph.collector.model import (
    CHECKPOINTS,
    EXECUTED,
    FOREACH_BATCH,
    LOCAL_ITERATOR,
    MEMORY,
    KnownFrame,
    KnownLineage,
    Query,
    Rdd,
    Read,
    Variable,
)

MOST_USED_AS_RDD = 1000  # frames that are remembered by the RDDs that they were used as
MOST_UNRESOLVED = 20  # of them whose plans are kept, as what they start from may be reported late

Resolve = Callable[[Query], QueryLineage]


class RowIteration(NamedTuple):
    """A query whose rows are asked for one after the other: a FOR's, or a program's."""

    session: str
    names: tuple[str, ...]
    lineage: QueryLineage
    reads: tuple[Read, ...]

    def columns(self) -> dict[Variable, KnownLineage]:
        """What a FOR's variables come from: each is named as a column."""
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
        self._last: RowIteration | None = None

    def of_session(self, session: str) -> Mapping[Variable, KnownLineage]:
        """What the variables of a session come from now."""
        return self._known.get(session, {})

    def names(self) -> frozenset[str]:
        """The names of the variables that come from data, in whichever session."""
        return frozenset(
            name
            for variables in self._known.values()
            for (_, name), value in variables.items()
            if any(value.value.values()) or any(value.rows.values())
        )

    def learn(self, query: Query, lineage: QueryLineage) -> None:
        """Keep what a query leaves: the variables that it sets, or the rows of a FOR."""
        session, reads = query.session or "", reads_of(query, lineage)
        if query.function == LOCAL_ITERATOR:
            self._last = RowIteration(session, query.names, lineage, reads)
            return
        if query.function != "command":  # its rows are asked for by a query of their own
            return
        names = list(set_by(query.plan, query.notes))
        if query.root == "CreateVariable":
            self._begin(session, names)
        rows, loop = lineage.decoded(lineage.frame.rows), self._loops.get(session, {})
        variables = self._known.setdefault(session, {})
        for name, value in zip(names, lineage.frame.in_order()):
            if name in loop and not any(value.inputs.values()) and not any(rows.values()):
                variables[name] = loop[name]
            else:
                variables[name] = KnownLineage(lineage.decoded(value.inputs), rows, reads)

    def _begin(self, session: str, names: list[Variable]) -> None:
        """If the first variable after a query is named as its first column, it is a FOR's."""
        last, self._last = self._last, None
        if last is not None and last.session == session:
            columns = last.columns()
            if names == list(columns)[:1]:
                self._loops.setdefault(session, {}).update(columns)


class UsedAsRdd:
    """The frames that a program has used as RDDs, by the numbers of these.

    Python tells of such a use at once, Spark's listeners of the checkpoints before it a moment
    later: a frame that was not resolved whole is resolved again when it is asked for.
    """

    def __init__(self) -> None:
        """No frame is known."""
        self._frames: OrderedDict[int, KnownFrame] = OrderedDict()
        self._unresolved: OrderedDict[int, Query] = OrderedDict()

    def add(self, number: int, query: Query, frame: KnownFrame) -> None:
        """A frame was used as the RDD `number`; the oldest are forgotten."""
        self._frames[number] = frame
        if frame.unresolved:
            self._unresolved[number] = query
        if len(self._frames) > MOST_USED_AS_RDD:
            self._frames.popitem(last=False)
        if len(self._unresolved) > MOST_UNRESOLVED:
            self._unresolved.popitem(last=False)

    def known(self, number: int) -> KnownFrame | None:
        """The frame that was used as the RDD `number`, which may not be resolved whole."""
        return self._frames.get(number)

    def frame(self, number: int, resolve: Callable[[Query], KnownFrame]) -> KnownFrame | None:
        """The frame that was used as the RDD `number`, if it is known."""
        query = self._unresolved.pop(number, None)
        if query is not None:
            self.add(number, query, resolve(query))
        return self._frames.get(number)


class SessionState:
    """What earlier queries of an application have left: checkpoints, batches and variables."""

    def __init__(self) -> None:
        """Nothing is known."""
        self._checkpoints = Checkpoints()
        self._variables = Variables()
        self._used_as_rdd = UsedAsRdd()

    def variable_names(self) -> frozenset[str]:
        """The names of the variables that come from data, in whichever session."""
        return self._variables.names()

    def with_origins(self, query: Query, resolve: Resolve) -> Query:
        """The query with what its RDDs' checkpoints and queries came from in their place.

        An RDD that turns out to come from no dataset is one of the program's own data.
        """
        if not query.rdds:
            return query
        rdds = {ids: self._with_origins(leaf, resolve) for ids, leaf in query.rdds.items()}
        constant = {
            ids
            for ids, leaf in rdds.items()
            if not (leaf.origins or leaf.unknown or leaf.rdd is not None)
        }
        return query._replace(
            rdds={ids: leaf for ids, leaf in rdds.items() if ids not in constant},
            notes=query.notes._replace(constant_rdds=query.notes.constant_rdds | constant),
        )

    def _with_origins(self, rdd: Read, resolve: Resolve) -> Read:
        """An RDD with what each of its origins came from, and the classes of what is unknown."""
        origins: list[Read] = []
        unknown = [*rdd.unknown]
        for origin in rdd.origins:
            reads: tuple[Read, ...] = (origin,)
            if origin.rdd is not None:
                frame = self._held(origin.rdd, resolve)
                if frame is not None:
                    reads = frame.inputs()
                    unknown += [name for name, _ in frame.unresolved]
                else:
                    below = self._with_origins(origin, resolve)
                    reads = below.origins
                    unknown += [*below.unknown, origin.rdd.kind]
            origins += [read for read in reads if read not in origins]
        return rdd._replace(origins=tuple(origins), unknown=tuple(unknown))

    def _held(self, rdd: Rdd, resolve: Resolve) -> KnownFrame | None:
        """What a checkpoint's RDD or a query's own comes from, if that is known."""
        if rdd.kind != EXECUTED:
            return self._checkpoints.frame_in(rdd)

        def resolved(submitted: Query) -> KnownFrame:
            query = self.with_origins(submitted, resolve)
            return known_frame(query, resolve(query))

        return self._used_as_rdd.frame(rdd.number, resolved)

    def frame_of_rdd(self, number: int) -> KnownFrame | None:
        """The frame that was used as the RDD `number`, as far as it is known by now."""
        return self._used_as_rdd.known(number)

    def sources(self, query: Query) -> Sources:
        """The sources of a query, with what earlier ones have left for it."""
        rdds = {ids: leaf.rdd for ids, leaf in query.rdds.items() if leaf.rdd is not None}
        frames = self._checkpoints.frames(rdds)
        for ids, rdd in rdds.items():
            frame = self._used_as_rdd.known(rdd.number) if rdd.kind == MEMORY else None
            if frame is not None:
                frames[ids] = frame
        return sources_of(query, frames, self._variables.of_session(query.session or ""))

    def learn(self, query: Query, lineage: QueryLineage, submitted: Query) -> None:
        """Keep what later queries may start from; `submitted` has no origins in RDDs' place yet."""
        if query.function == FOREACH_BATCH:
            batch = known_frame(query, lineage)._replace(is_streamed=True)
            self._checkpoints.add_batches(query.session or "", lineage.frame.output, batch)
        elif query.rdd is not None:
            self._used_as_rdd.add(query.rdd, submitted, known_frame(query, lineage))
        elif query.function in CHECKPOINTS:
            frame = known_frame(query, lineage)
            self._checkpoints.add(lineage.frame.output, query.parent, frame, query.ran)
        elif query.root in MADE_BY or query.function == LOCAL_ITERATOR:
            self._variables.learn(query, lineage)
