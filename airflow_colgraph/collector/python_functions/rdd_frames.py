"""The frames that a program makes of its RDDs, as what is known of frames that queries start from.

PySpark's plan of such a frame has nothing but the RDD. So each call that makes an RDD is remembered
with its function, captured, and looked at when the RDD becomes a frame.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from types import FunctionType, MethodType
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from airflow_colgraph.collector.lineage.frame import attribute_ids
from airflow_colgraph.collector.lineage.transformations import (
    Inputs,
    bits,
    through,
    union,
)
from airflow_colgraph.collector.model import Edges, Field, Ids, KnownFrame, Query
from airflow_colgraph.collector.plan import RDDS, every_row, kind, output_of
from airflow_colgraph.collector.python_functions.driver_frames import DRIVER_FRAMES, TextRows
from airflow_colgraph.collector.python_functions.rdd_chains import frames_of, of_chain
from airflow_colgraph.collector.python_functions.rdd_elements import (
    METHODS,
    Chain,
    FrameRows,
    Step,
)
from airflow_colgraph.collector.python_functions.remembered import Functions
from airflow_colgraph.collector.python_functions.source import captured

OF_TWO = {
    *("join", "leftOuterJoin", "rightOuterJoin", "fullOuterJoin", "union", "cogroup", "zip"),
    *("subtractByKey", "subtract", "intersection", "cartesian"),
}
WITH_FUNCTION = {
    *("map", "filter", "flatMap", "mapPartitions", "mapPartitionsWithIndex", "mapValues"),
    *("flatMapValues", "keyBy", "groupBy", "reduceByKey", "sortBy"),
}
WITH_FUNCTIONS = {  # their arguments that are looked at
    "aggregateByKey": ("zeroValue", "seqFunc", "combFunc"),
    "combineByKey": ("createCombiner", "mergeValue", "mergeCombiners"),
    "foldByKey": ("zeroValue", "func"),
}
LOCAL = "LocalRelation"  # the kind of a leaf whose rows the driver has made
FIRST_NAMES = ("f", "func", "keyfunc", "other")  # PySpark's, of the argument that is looked at


class RddCalls:
    """The calls that have made the RDDs which a program still has."""

    def __init__(self) -> None:
        """None was made yet."""
        self._calls: WeakKeyDictionary[Any, tuple[str, tuple[Any, ...], Any, Any]] = (
            WeakKeyDictionary()
        )

    def add(
        self, method: str, rdd: Any, arguments: Sequence[Any], options: Mapping[str, Any], made: Any
    ) -> None:
        """A method has made an RDD: PySpark's own calls are made again by the program's call."""
        if made is rdd:
            return
        if method in WITH_FUNCTIONS:
            names = WITH_FUNCTIONS[method]
            parts = (*arguments, *(options[name] for name in names if name in options))
            parts = parts[: len(names)]
            self._calls[made] = (method, (rdd,), parts, captured(parts))
            return
        named = [options[name] for name in FIRST_NAMES if name in options]
        first = [*arguments, *named][:1]
        if method in WITH_FUNCTION:
            if not first or is_pysparks(first[0]):
                self._calls.pop(made, None)
                return
            self._calls[made] = (method, (rdd,), first[0], captured(first[0]))
        elif method in OF_TWO:
            self._calls[made] = (method, (rdd, *first), None, None)
        else:
            self._calls[made] = (method, (rdd,), None, None)

    def add_frame(self, frame: Any, rdd: Any) -> None:
        """A DataFrame was used as an RDD.

        It keeps that RDD: if it was kept here, too, neither would ever be let go of.
        """
        self._calls[rdd] = ("frame", (frame._jdf,), None, None)

    def chain(self, rdd: Any) -> Chain | None:
        """The calls down to frames; None if one is not known, or its function may have changed."""
        call = self._calls.get(rdd)
        if call is None:
            return None
        method, owners, function, copy = call
        if method == "frame":
            return rows_of(*owners)
        parents = [self.chain(owner) for owner in owners]
        if method not in METHODS or any(parent is None for parent in parents):
            return None
        if function is not None and not is_unchanged(function, copy):
            return None
        return Step(method, tuple(parent for parent in parents if parent is not None), copy)


def is_unchanged(function: Any, copy: Any) -> bool:
    """Whether a function refers to what it did before: Spark may have pickled it in between."""
    try:
        return bool(captured(function) == copy)
    except RecursionError:  # it refers to itself
        return False


def is_pysparks(function: Any) -> bool:
    """Whether a function is one of PySpark's own."""
    module = getattr(function, "__module__", None) or ""
    return (
        isinstance(function, (FunctionType, MethodType)) and module.partition(".")[0] == "pyspark"
    )


def rows_of(frame: Any) -> FrameRows | None:
    """The rows of a frame of the JVM, with the number of the RDD that it is used as."""
    names = tuple(map(str, frame.columns()))
    if len(set(names)) < len(names) or '"udt"' in str(frame.schema().json()):
        return None
    return FrameRows(int(frame.queryExecution().toRdd().id()), names)


RDD_CALLS = RddCalls()
"""Those of this process."""


def ids_of(frame: Any) -> Ids:
    """The ids of a new frame's columns, as its plan has them."""
    text = str(frame._jdf.queryExecution().analyzed().output().mkString("\n"))
    ends = [line.rpartition("#")[2].rstrip("L") for line in text.split("\n")]
    ids = tuple(int(end) for end in ends if end.isdigit())
    return ids if len(ids) == len(frame.columns) else ()


class Origin(NamedTuple):
    """What a frame came from, its names, and whether it has a schema, which finds dicts' keys."""

    chain: Chain | TextRows
    names: list[str]
    has_schema: bool


def became_frame(functions: Functions, rdd: Any, frame: Any, schema: Any) -> None:
    """Remember the chain of calls behind a frame that came from an RDD."""
    chain = RDD_CALLS.chain(rdd)
    if chain is not None:
        has_schema = not isinstance(schema, (list, tuple))
        functions.add_chain(ids_of(frame), Origin(chain, list(frame.columns), has_schema))


def became_frame_of_rows(
    functions: Functions, data: Any, frame: Any, schema: Any
) -> dict[int, Any]:
    """Remember the text behind a frame that came from a pandas DataFrame or a list.

    Returns the frames of the JVM that the text starts from, by their numbers.
    """
    rows, frames = DRIVER_FRAMES.made(data, frame, schema) or (None, {})
    if rows is not None:
        functions.add_chain(ids_of(frame), Origin(rows, list(frame.columns), True))
    return frames


# What is known of such a frame ------------------------------------------------------------------


def known_frames(
    query: Query, functions: Functions, of_rdd: Callable[[int], KnownFrame | None]
) -> dict[Ids, KnownFrame]:
    """The frames of a query's RDDs whose chains of calls are known, down to frames that are."""
    frames: dict[Ids, KnownFrame] = {}
    every = {*query.rdds, *leaves_of(query, {*RDDS, LOCAL})} if functions.has_chains else ()
    for ids in every:
        origin: Origin | None = functions.chain(ids)
        starts = starts_of(origin.chain) if origin is not None else []
        sources = [of_rdd(each.number) for each in starts]
        if origin is None or not fit(starts, sources):
            continue
        frame = known_frame(origin, [each for each in sources if each is not None])
        if frame is not None:
            frames[ids] = frame
    return frames


def leaves_of(query: Query, kinds: Collection[str]) -> set[Ids]:
    """The leaves of some kinds in a query's plans, by the ids of their columns."""
    return {attribute_ids(output_of(row)) for row in every_row(query.plan) if kind(row) in kinds}


def without_local_rows(query: Query, frames: Collection[Ids]) -> Query:
    """A query, whose rows are not the driver's own if all of these are frames that are known."""
    is_mixed = any(leaf.is_mixed for leaf in query.rdds.values())
    if not query.has_local_rows or is_mixed or not frames:
        return query
    leaves = leaves_of(query, {LOCAL}) | query.notes.constant_rdds
    is_known = bool(leaves) and all(ids in frames for ids in leaves)
    return query._replace(has_local_rows=not is_known)


def starts_of(chain: Chain | TextRows) -> list[FrameRows]:
    """The frames that a chain of calls, or a text, starts from."""
    return [*chain.frames] if isinstance(chain, TextRows) else frames_of(chain)


def fit(starts: Sequence[FrameRows], sources: Sequence[KnownFrame | None]) -> bool:
    """Whether all frames that a chain starts from are known whole."""
    pairs = zip(starts, sources)
    return all(
        source is not None
        and not source.unresolved
        and not source.is_streamed
        and len(source.columns) == len(frame.names)
        for frame, source in pairs
    )


def known_frame(origin: Origin, sources: list[KnownFrame]) -> KnownFrame | None:
    """What a frame that comes from an RDD depends on; None if its chain is not followed."""
    chain, names, has_schema = origin
    outcome = chain.outcome if isinstance(chain, TextRows) else of_chain(chain, names, has_schema)
    if outcome is None:
        return None
    fields: dict[Field, int] = {}
    every = [_encoded(edges, fields) for source in sources for edges in source.columns]
    rows = [_encoded(source.rows, fields) for source in sources]
    columns = [_through(outcome.columns[name], every) for name in names]
    listed = list(fields)
    reads = [read for source in sources for read in source.inputs()]
    return KnownFrame(
        tuple(_decoded(inputs, listed) for inputs in columns),
        _decoded(union([_through(outcome.rows, every), *rows]), listed),
        tuple(read for at, read in enumerate(reads) if read not in reads[:at]),
        opaque=tuple(
            [(name, 1) for name in outcome.opaque]
            + [each for source in sources for each in source.opaque]
        ),
        has_local_rows=any(source.has_local_rows for source in sources)
        or (isinstance(chain, TextRows) and not chain.is_closed),
    )


def _encoded(edges: Edges, fields: dict[Field, int]) -> Inputs:
    return {
        step: _bits(fields.setdefault(field, len(fields)) for field in members)
        for step, members in edges.items()
    }


def _bits(places: Any) -> int:
    number = 0
    for place in places:
        number |= 1 << place
    return number


def _decoded(inputs: Inputs, fields: list[Field]) -> Edges:
    return {step: tuple(fields[bit] for bit in bits(members)) for step, members in inputs.items()}


def _through(inputs: Inputs, values: Sequence[Inputs]) -> Inputs:
    return union(
        through(step, (values[place],)) for step, places in inputs.items() for place in bits(places)
    )
