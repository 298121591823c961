"""The frames that a program makes of pandas DataFrames which it had of other frames.

`toPandas` and `createDataFrame` are looked at as they are called: where in the program's text, and
what the text between them refers to, at the first call and at the last.
"""

from __future__ import annotations

import itertools
import sys
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from types import CodeType, FrameType
from typing import Any, NamedTuple

from airflow_colgraph.collector.lineage.transformations import IDENTITY, TRANSFORMATION, through
from airflow_colgraph.collector.python_functions.callee import is_certain
from airflow_colgraph.collector.python_functions.driver_text import (
    MAKE,
    READ,
    Block,
    Body,
    Text,
    body_of,
    made_of,
    only_read,
    place_of,
    text_between,
)
from airflow_colgraph.collector.python_functions.interpretation import Outcome, of_tables
from airflow_colgraph.collector.python_functions.nodes import Node
from airflow_colgraph.collector.python_functions.rdd_chains import FrameRows
from airflow_colgraph.collector.python_functions.run import Scope
from airflow_colgraph.collector.python_functions.source import (
    LITERALS,
    Captured,
    Kept,
    captured,
    tree_of,
)
from airflow_colgraph.collector.python_functions.values import Callee

OURS = __name__.partition(".")[0]  # a plan's own methods are around PySpark's
MOST_STRETCHES = 20  # whose frames of the JVM are kept
CHANGED_BY_PANDAS = ("float", "double")  # a missing value becomes NaN
NUMBERS = itertools.count(1)


class TextRows(NamedTuple):
    """The rows of pandas DataFrames, as the program's text has made others of them.

    It is closed if nothing else has gone in.
    """

    frames: tuple[FrameRows, ...]
    outcome: Outcome
    is_closed: bool


class Read(NamedTuple):
    """What `toPandas` has read: a frame of the JVM, the names and types of its columns."""

    frame: Any
    names: tuple[str, ...]
    types: tuple[str, ...]


class Stretch:
    """A block of the program's text that runs, from its first `toPandas` on."""

    def __init__(self, code: CodeType, body: Body, block: Block, first: int) -> None:
        """Nothing was read yet."""
        self.code, self.body, self.block, self.first = code, body, block, first
        self.reads: dict[int, Read] = {}
        self.names: dict[str, Any] = {}

    def text(self, last: int) -> Text | None:
        """The text up to a statement with `createDataFrame`."""
        module = tree_of(self.code.co_filename)
        return text_between(module, self.body, self.block, self.first, last)

    def texts(self) -> Iterator[Text]:
        """Those of all such statements."""
        lasts = (n for n in range(self.first, len(self.block)) if made_of(self.block[n]))
        yield from filter(None, map(self.text, lasts))


class Place(NamedTuple):
    """Where the program calls a method: its frame, and the statement in the text."""

    frame: FrameType
    body: Body
    block: Block
    at: int


class DriverFrames:
    """The stretches of text that run; one for each function that runs."""

    def __init__(self) -> None:
        """None has begun."""
        self._stretches: OrderedDict[tuple[int, CodeType], Stretch] = OrderedDict()

    def read(self, frame: Any) -> None:
        """The rows of a DataFrame were read by `toPandas`."""
        place = place_of_call(READ)
        if place is None:
            return
        key = (id(place.frame), place.frame.f_code)
        stretch = self._stretches.pop(key, None)
        if only_read(place.block[place.at]) is None:
            return
        if stretch is None or stretch.block is not place.block or place.at <= max(stretch.reads):
            stretch = Stretch(place.frame.f_code, place.body, place.block, place.at)
            names = {name for text in stretch.texts() for name in text.names}
            if not any(made_of(each) for each in place.block[place.at :]):
                return
            stretch.names = values_of(place.frame, names)
        columns = [(field.name, field.dataType.simpleString()) for field in frame.schema.fields]
        names_of_columns, types = zip(*columns) if columns else ((), ())
        stretch.reads[place.at] = Read(frame._jdf, names_of_columns, types)
        self._stretches[key] = stretch
        if len(self._stretches) > MOST_STRETCHES:
            self._stretches.popitem(last=False)

    def made(self, data: Any, frame: Any) -> tuple[TextRows, dict[int, Any]] | None:
        """The text behind a frame of a pandas DataFrame; None if that is not known.

        Beside it are the frames of the JVM that the text starts from, by their numbers.
        """
        place = place_of_call(MAKE)
        if place is None:
            return None
        stretch = self._stretches.get((id(place.frame), place.frame.f_code))
        if stretch is None or stretch.block is not place.block or place.at < max(stretch.reads):
            return None
        text = stretch.text(place.at)
        if text is None or not set(text.reads) <= set(stretch.reads):
            return None
        names = values_of(place.frame, text.names)
        if names != {name: stretch.names.get(name) for name in names}:
            return None
        reads = [stretch.reads[at] for at in text.reads]
        numbers = [-next(NUMBERS) for _ in reads]
        rows = tuple(FrameRows(n, read.names) for n, read in zip(numbers, reads))
        outcome = fitted(outcome_of(stretch, text, names, reads), reads, data, frame)
        if outcome is None:
            return None
        is_closed = not outcome.opaque and not any(map(holds_data, own_names(stretch, names)))
        return TextRows(rows, outcome, is_closed), dict(
            zip(numbers, (read.frame for read in reads))
        )


DRIVER_FRAMES = DriverFrames()
"""Those of this process."""


def place_of_call(method: str) -> Place | None:
    """The statement of the program that calls a method of PySpark's, if it does so itself."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_name != method:
        frame = frame.f_back
    while frame is not None and (frame.f_code.co_name == method or package_of(frame) == OURS):
        frame = frame.f_back
    if frame is None or package_of(frame) == "pyspark":
        return None
    body = body_of(frame.f_code)
    place = place_of(body, frame.f_lineno) if body is not None else None
    return Place(frame, body, *place) if body is not None and place is not None else None


def package_of(frame: FrameType) -> str:
    """The package whose code runs in a frame."""
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


def values_of(frame: FrameType, names: Any) -> dict[str, Any]:
    """What names stand for in a function that runs, captured."""
    every = {name: variable(frame, name) for name in sorted(names)}
    return {name: captured(value[0]) for name, value in every.items() if value}


def variable(frame: FrameType, name: str) -> list[Any]:
    """The value of a name, if it has one."""
    for names in (frame.f_locals, frame.f_globals):
        if name in names:
            return [names[name]]
    return []


def outcome_of(
    stretch: Stretch, text: Text, names: Mapping[str, Any], reads: Sequence[Read]
) -> Outcome:
    """What the answer of a text depends on, by the bits of all columns that it reads, in order."""
    scope = Scope(-2, Captured(stretch.code, "__main__", dict(names)))
    function = Callee("closure", "between", (Node(text.function), scope, (), ()))
    bit = itertools.count()
    tables = [[(name, {IDENTITY: 1 << next(bit)}) for name in read.names] for read in reads]
    return of_tables(function, tables)


def fitted(outcome: Outcome, reads: Sequence[Read], data: Any, frame: Any) -> Outcome | None:
    """An outcome with the columns of the frame; None if these are not those of the data.

    A column that is passed on is the same only if its type is, and has no other missing values.
    """
    names, labels = list(frame.columns), list(data.columns)
    is_moved = any(name in labels and label != name for name, label in zip(names, labels))
    if len(names) != len(labels) or is_moved:  # by name, or by place
        return None
    by_label = dict(outcome.columns)
    if outcome.rest is not None:
        everything = through(TRANSFORMATION, (*by_label.values(), outcome.rest))
        by_label = dict.fromkeys(labels, everything)
    if list(by_label) != labels:
        return None
    types = [kind for read in reads for kind in read.types]
    fields = zip(names, by_label.values(), frame.schema.fields)
    columns = {
        name: as_read(inputs, types, field.dataType.simpleString())
        for name, inputs, field in fields
    }
    return outcome._replace(columns=columns, rest=None)


def as_read(inputs: Any, types: Sequence[str], kind: str) -> Any:
    """The inputs of a column: computed, unless it has the type of what is passed on."""
    passed = inputs.get(IDENTITY, 0)
    is_same = all(each == kind for bit, each in enumerate(types) if passed >> bit & 1)
    is_whole = is_same and not any(each in kind for each in CHANGED_BY_PANDAS)
    return inputs if is_whole else through(TRANSFORMATION, (inputs,))


def own_names(stretch: Stretch, names: Mapping[str, Any]) -> Iterator[tuple[Captured, str, Any]]:
    """What the names of a text stand for, with those of the functions among them."""
    stack = [Captured(stretch.code, "", dict(names))]
    seen: set[int] = set()
    while stack:
        owner = stack.pop()
        for name, value in owner.names.items():
            yield owner, name, value
            if isinstance(value, Captured) and id(value.names) not in seen:
                seen.add(id(value.names))
                stack.append(value._replace(module=""))


def holds_data(entry: tuple[Captured, str, Any]) -> bool:
    """Whether a name may stand for data: it is no constant of the text, function or module."""
    owner, name, value = entry
    if isinstance(value, Captured):
        return bool(value.positional_defaults or value.keyword_defaults)
    if isinstance(value, (*LITERALS, Kept)):
        return name in owner.code.co_freevars or not is_certain(owner, name, value)
    return not isinstance(value, Callee) or value.kind not in ("library", "module")
