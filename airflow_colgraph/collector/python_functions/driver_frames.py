"""The frames that a program makes of rows which it had of other frames, pandas' or a list.

`toPandas`, `collect` and `createDataFrame` are looked at as they are called: where in the program's
text, and what the text between them refers to, at the first call and at the last.
"""

from __future__ import annotations

import itertools
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import CodeType, FrameType
from typing import Any, NamedTuple, TypeVar

from airflow_colgraph.collector.lineage.transformations import (
    IDENTITY,
    NONE,
    TRANSFORMATION,
    through,
)
from airflow_colgraph.collector.python_functions.callee import is_certain
from airflow_colgraph.collector.python_functions.driver_lists import Read, names_of_text, of_text
from airflow_colgraph.collector.python_functions.driver_text import (
    MAKE,
    Block,
    Body,
    Text,
    body_of,
    makers,
    only_read,
    place_of,
    text_between,
)
from airflow_colgraph.collector.python_functions.interpretation import Outcome
from airflow_colgraph.collector.python_functions.nodes import Node
from airflow_colgraph.collector.python_functions.rdd_elements import FrameRows
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
MOST_MAKERS = 20  # that a stretch is followed to
MOST_TEXTS = 200
CHANGED_BY_PANDAS = ("float", "double")  # a missing value becomes NaN
NUMBERS = itertools.count(1)
T = TypeVar("T")


class TextRows(NamedTuple):
    """The rows that a program has got, as its text has made others of them.

    It is closed if nothing else has gone in.
    """

    frames: tuple[FrameRows, ...]
    outcome: Outcome
    is_closed: bool


class Stretch:
    """A block of the program's text that runs, from the first rows that it reads on."""

    def __init__(self, code: CodeType, body: Body, block: Block, first: int) -> None:
        """Nothing was read yet."""
        self.code, self.body, self.block, self.first = code, body, block, first
        self.reads: dict[int, Read] = {}
        self.names: dict[str, Any] = {}

    def text(self, last: int) -> Text | None:
        """The text up to a statement with `createDataFrame`."""
        module = tree_of(self.code.co_filename)
        key = (id(self.block), self.first, last)
        return TEXTS.of(
            key,
            self.block,
            lambda: text_between(module, self.body, self.block, self.first, last),
        )

    def texts(self) -> list[Text]:
        """Those of the next such statements."""
        lasts = TEXTS.of((id(self.block),), self.block, lambda: makers(self.block))
        texts = map(self.text, [last for last in lasts if last >= self.first][:MOST_MAKERS])
        return [text for text in texts if text is not None]


class Remembered:
    """What was computed of objects before, for the next time that a loop comes by."""

    def __init__(self) -> None:
        """Nothing was."""
        self._entries: OrderedDict[tuple[Any, ...], tuple[Any, Any]] = OrderedDict()

    def of(self, key: tuple[Any, ...], owner: Any, compute: Callable[[], T]) -> T:
        """What belongs to an object, whose `id` is in the key: as long as it is that object."""
        entry = self._entries.get(key)
        if entry is None or entry[0] is not owner:
            entry = self._entries[key] = (owner, compute())
            if len(self._entries) > MOST_TEXTS:
                self._entries.popitem(last=False)
        value: T = entry[1]
        return value


TEXTS = Remembered()
"""The texts of this process's program, and what their answers depend on."""


class Place(NamedTuple):
    """Where the program calls a method: its frame, and the statement in the text."""

    frame: FrameType
    body: Body
    block: Block
    at: int


class Running(NamedTuple):
    """A text that has run: what its names stand for, and the rows that it starts from."""

    stretch: Stretch
    text: Text
    names: Mapping[str, Any]
    reads: Sequence[Read]


class DriverFrames:
    """The stretches of text that run; one for each function that runs."""

    def __init__(self) -> None:
        """None has begun."""
        self._stretches: OrderedDict[tuple[int, CodeType], Stretch] = OrderedDict()
        self._is_named = False  # whether a plan has put a schema in place of a list's names

    def read(self, frame: Any, method: str) -> None:
        """The rows of a DataFrame were read by `toPandas` or `collect`."""
        place = place_of_call(method)
        if place is None:
            return
        key = (id(place.frame), place.frame.f_code)
        stretch = self._stretches.pop(key, None)
        if only_read(place.block[place.at]) is None:
            return
        if stretch is None or stretch.block is not place.block or place.at <= max(stretch.reads):
            stretch = Stretch(place.frame.f_code, place.body, place.block, place.at)
            texts = stretch.texts()
            if not texts:
                return
            stretch.names = values_of(place.frame, {name for text in texts for name in text.names})
        columns = [(field.name, field.dataType.simpleString()) for field in frame.schema.fields]
        names_of_columns, types = zip(*columns) if columns else ((), ())
        is_pandas = method == "toPandas"
        stretch.reads[place.at] = Read(frame._jdf, names_of_columns, types, is_pandas)
        self._stretches[key] = stretch
        if len(self._stretches) > MOST_STRETCHES:
            self._stretches.popitem(last=False)

    def made(
        self, data: Any, frame: Any, schema: Any = None
    ) -> tuple[TextRows, dict[int, Any]] | None:
        """The text behind a frame of a pandas DataFrame or a list; None if that is not known.

        Beside it are the frames of the JVM that the text starts from, by their numbers.
        """
        is_named, self._is_named = self._is_named or isinstance(schema, (list, tuple)), False
        running = self._running()
        if running is None or not is_unique(frame.columns):
            return None
        stretch, _, names, reads = running
        outcome = outcome_of(running, data, frame, not is_named)
        if outcome is None:
            return None
        numbers = [-next(NUMBERS) for _ in reads]
        rows = tuple(FrameRows(n, read.names) for n, read in zip(numbers, reads))
        is_closed = not outcome.opaque and not any(map(holds_data, own_names(stretch, names)))
        return TextRows(rows, outcome, is_closed), dict(
            zip(numbers, (read.frame for read in reads))
        )

    def columns_of_list(self, names: Sequence[str]) -> list[tuple[str, str]]:
        """The columns of the list that becomes a frame now, with the types that are passed on.

        Without `names` they are those of its rows or dicts.
        """
        running, self._is_named = self._running(), bool(names)
        if running is None:
            return [(name, "") for name in names]
        function, reads = function_of(running), running.reads
        names = [*names] or names_of_text(function, reads)
        outcome = of_text(function, reads, names, not self._is_named)
        types = {1 << at: kind for at, kind in enumerate(types_of(reads))}
        columns = outcome.columns if outcome is not None else {}
        passed = (columns.get(name, NONE).get(IDENTITY, 0) for name in names)
        return [(name, types.get(bits, "")) for name, bits in zip(names, passed)]

    def _running(self) -> Running | None:
        """The text whose last statement, with `createDataFrame`, runs."""
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
        is_clear = all(is_unique(read.names) for read in reads)
        return Running(stretch, text, names, reads) if is_clear else None


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


def function_of(running: Running) -> Callee:
    """A text as a function."""
    scope = Scope(-2, Captured(running.stretch.code, "__main__", dict(running.names)))
    return Callee("closure", "between", (Node(running.text.function), scope, (), ()))


def outcome_of(running: Running, data: Any, frame: Any, has_schema: bool) -> Outcome | None:
    """What the columns of a frame depend on, by the bits of all columns that its text reads, in
    order; None if that is not known. A schema finds the columns of dicts by name."""
    reads, names = running.reads, list(frame.columns) if isinstance(data, list) else None
    columns = tuple((read.names, read.is_pandas) for read in reads)

    def told() -> Outcome | None:
        return of_text(function_of(running), reads, names, has_schema)

    key = (id(running.text), columns, tuple(names) if names is not None else None, has_schema)
    captured_names, outcome = TEXTS.of(key, running.text, lambda: (running.names, told()))
    if captured_names != running.names:
        outcome = told()
    if outcome is None or names is None:
        return outcome and fitted(outcome, reads, data, frame)
    return as_typed(outcome, reads, frame, any(read.is_pandas for read in reads))


def types_of(reads: Sequence[Read]) -> list[str]:
    """The types of all columns that were read, in order."""
    return [kind for read in reads for kind in read.types]


def is_unique(names: Sequence[str]) -> bool:
    """Whether each column has a name of its own."""
    return len(set(names)) == len(names)


def fitted(outcome: Outcome, reads: Sequence[Read], data: Any, frame: Any) -> Outcome | None:
    """An outcome with the columns of the frame; None if these are not those of the data."""
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
    columns = dict(zip(names, by_label.values()))
    return as_typed(outcome._replace(columns=columns, rest=None), reads, frame, True)


def as_typed(outcome: Outcome, reads: Sequence[Read], frame: Any, by_pandas: bool) -> Outcome:
    """An outcome whose columns are passed on only if their types are, and no missing value of
    pandas' has come in."""
    types = types_of(reads)
    changed = CHANGED_BY_PANDAS if by_pandas else ()
    columns = {
        field.name: as_read(
            outcome.columns[field.name], types, field.dataType.simpleString(), changed
        )
        for field in frame.schema.fields
    }
    return outcome._replace(columns=columns)


def as_read(inputs: Any, types: Sequence[str], kind: str, changed: Sequence[str]) -> Any:
    """The inputs of a column: computed, unless it has the type of what is passed on."""
    passed = inputs.get(IDENTITY, 0)
    is_same = all(each == kind for bit, each in enumerate(types) if passed >> bit & 1)
    is_whole = is_same and not any(each in kind for each in changed)
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
