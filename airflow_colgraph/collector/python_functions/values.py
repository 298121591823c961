"""The abstract values of an interpreted function, and the state that statements change. Pure.

A value says what its content depends on, as bits of the function's input columns by transformation
(`lineage.transformations.Inputs`). Whatever Python can change in place is an object on a heap, so
that all its names see the change. An object that a loop makes again leaves its earlier self to an
"earlier" reference, which stands for many objects and is only ever added to.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Union

from airflow_colgraph.collector.lineage.transformations import (
    CONDITIONAL,
    FILTER,
    IDENTITY,
    MASKING,
    NONE,
    TRANSFORMATION,
    Inputs,
    fields_of,
    through,
    union,
)


class Unknown:
    """What a value is where no literal is known."""


UNKNOWN = Unknown()


class GiveUp(Exception):
    """The function does something that is not followed: all its columns depend on all inputs."""


class Ref(NamedTuple):
    """A name of objects on the heap: the place that makes them, the last one or all earlier."""

    site: str
    is_earlier: bool = False


class Shape(NamedTuple):
    """Which rows a column has: its rows' tokens, and what affects rows and index labels.

    Two columns with the same single token have the same rows in the same order. `labels` are the
    names of the index and what each depends on; empty for a plain one, None where not known.
    """

    tokens: frozenset[Ref]
    rows: Inputs = NONE
    index_by: Inputs = NONE
    labels: tuple[tuple[str, Inputs], ...] | None = ()

    @property
    def index_values(self) -> Inputs:
        """What the labels are, as values: where they are not known, whatever they depend on."""
        if self.labels is None:
            return {TRANSFORMATION: fields} if (fields := fields_of(self.index_by)) else NONE
        if not self.labels:
            return self.index_by
        (first, *more) = [inputs for _, inputs in self.labels]
        return through(TRANSFORMATION, (first, *more)) if more else first

    def is_same(self, other: Shape) -> bool:
        """Whether both are certainly the same rows."""
        (*first,) = self.tokens
        return self.tokens == other.tokens and len(first) == 1 and not first[0].is_earlier


class Callee(NamedTuple):
    """Something that is called or asked for attributes: its kind, its name, what belongs to it."""

    kind: str
    name: str = ""
    parts: tuple[Any, ...] = ()


class Value(NamedTuple):
    """A value: what it depends on, its rows, the objects that it may be, the data that it shares.

    For a reference `inputs` is what decides which object it is. `label` is the name of a column;
    empty where it is not known, or where there is none.
    """

    inputs: Inputs = NONE
    shape: Shape | None = None
    refs: frozenset[Ref] = frozenset()
    buffers: frozenset[Ref] = frozenset()
    literal: Any = UNKNOWN
    callee: Callee | None = None
    label: str = ""

    @property
    def has_literal(self) -> bool:
        """Whether the value is a constant that is known."""
        return self.literal is not UNKNOWN


class Table(NamedTuple):
    """A DataFrame: its columns in order, and `rest` for columns whose names are not known."""

    columns: Mapping[str, Value]
    shape: Shape
    rest: Value | None = None

    def every(self) -> list[Value]:
        """All columns."""
        return [*self.columns.values(), *([self.rest] if self.rest is not None else [])]


class Items(NamedTuple):
    """A list, tuple, set, dict or row: its elements by literal key, or `rest` for any others.

    `count_by` is what affects how many there are.
    """

    kind: str
    elements: Mapping[Any, Value]
    rest: Value | None = None
    count_by: Inputs = NONE

    def every(self) -> list[Value]:
        """All elements."""
        return [*self.elements.values(), *([self.rest] if self.rest is not None else [])]


SCALAR = Ref("scalar", True)


class Defaulting(str):
    """The kind of a dict that makes a value for each key that it is asked for."""

    default: Value
    is_counter: bool

    def __new__(cls, default: Value, is_counter: bool = False) -> Defaulting:
        """A kind of dict with what it makes."""
        kind = str.__new__(cls, "dict")
        kind.default, kind.is_counter = default, is_counter
        return kind


Object = Union[Table, Items, None]
"""An object on the heap; None for one that unknown code may have changed."""


def shape_of_any(inputs: Inputs) -> Shape:
    """Rows that are only known by what they depend on; perhaps a single value."""
    computed = through(TRANSFORMATION, (inputs,))
    return Shape(frozenset({SCALAR}), deciding_on_rows(inputs), computed, None)


def decided(inputs: Inputs) -> Inputs:
    """Inputs that only affect a value."""
    return through(CONDITIONAL, (inputs,))


def deciding_on_rows(inputs: Inputs) -> Inputs:
    """Inputs that affect rows: those that already say how stay as they are."""
    rows: Inputs = {}
    for step, fields in inputs.items():
        number = step % MASKING
        is_indirect = number > CONDITIONAL
        chosen = number if is_indirect else FILTER
        rows[chosen] = rows.get(chosen, 0) | fields
    return rows


def joined_value(first: Value, second: Value) -> Value:
    """A value that is either of two."""
    if first == second:
        return first
    same = first.has_literal and second.has_literal
    same = same and type(first.literal) is type(second.literal)
    same = same and first.literal == second.literal
    return Value(
        joined_inputs(first.inputs, second.inputs),
        joined_shape(first.shape, second.shape),
        first.refs | second.refs,
        first.buffers | second.buffers,
        first.literal if same else UNKNOWN,
        joined_callee(first.callee, second.callee),
        first.label if first.label == second.label else "",
    )


def joined_callee(first: Callee | None, second: Callee | None) -> Callee | None:
    """Either of two: nothing is known of it if they differ in more than values."""
    if first == second:
        return first
    if first is not None and second is not None and first[:2] == second[:2]:
        pairs = [*zip(first.parts, second.parts)]
        if len(first.parts) == len(second.parts) and all(
            other_value == other or (isinstance(other_value, Value) and isinstance(other, Value))
            for other_value, other in pairs
        ):
            parts = (
                other_value if other_value == other else joined_value(other_value, other)
                for other_value, other in pairs
            )
            return first._replace(parts=tuple(parts))
    return Callee("either")


def joined_inputs(first: Inputs, second: Inputs) -> Inputs:
    """What either of two values depends on: neither is always passed on if they differ."""
    if first.get(IDENTITY, 0) != second.get(IDENTITY, 0):
        first, second = through(TRANSFORMATION, (first,)), through(TRANSFORMATION, (second,))
    return union((first, second))


def joined_shape(first: Shape | None, second: Shape | None) -> Shape | None:
    """The rows of either of two values."""
    if first == second:
        return first
    first, second = first or Shape(frozenset({SCALAR})), second or Shape(frozenset({SCALAR}))
    return Shape(
        first.tokens | second.tokens,
        union((first.rows, second.rows)),
        union((first.index_by, second.index_by)),
        first.labels if first.labels == second.labels else None,
    )


def either_value(values: Iterable[Value]) -> Value:
    """A value that is one of several."""
    (first, *rest) = values
    for value in rest:
        first = joined_value(first, value)
    return first


def joined_object(first: Object, second: Object) -> Object:
    """An object that is either of two; columns or keys that only one has go to the rest."""
    if first == second and list_of_keys(first) == list_of_keys(second):
        return first
    if isinstance(first, Table) and isinstance(second, Table):
        shape = joined_shape(first.shape, second.shape)
        assert shape is not None
        if list(first.columns) == list(second.columns) and (first.rest is None) == (
            second.rest is None
        ):
            columns = {
                name: joined_value(value, second.columns[name])
                for name, value in first.columns.items()
            }
            rests = [table.rest for table in (first, second) if table.rest is not None]
            return Table(columns, shape, either_value(rests) if rests else None)
        every = [*first.every(), *second.every()]
        return Table({}, shape, either_value(every) if every else Value())
    if isinstance(first, Items) and isinstance(second, Items) and first.kind == second.kind:
        count = union((first.count_by, second.count_by))
        if list(first.elements) == list(second.elements):
            elements = {
                key: joined_value(value, second.elements[key])
                for key, value in first.elements.items()
            }
            rests = [items.rest for items in (first, second) if items.rest is not None]
            return Items(first.kind, elements, either_value(rests) if rests else None, count)
        every = [*first.every(), *second.every()]
        return Items(first.kind, {}, either_value(every) if every else None, count)
    return None


def with_data(site: str, result: Object) -> Object:
    """An object of a place; a table's columns have data each, which may be changed in place."""
    if not isinstance(result, Table) or all(value.buffers for value in result.every()):
        return result

    def own(value: Value, name: str) -> Value:
        if value.buffers:
            return value
        return value._replace(buffers=frozenset({Ref(f"{site}#data of {name}")}))

    columns = {name: own(value, name) for name, value in result.columns.items()}
    return Table(columns, result.shape, result.rest and own(result.rest, ""))


def list_of_keys(result: Object) -> list[Any]:
    """The columns or keys of an object, in order."""
    if isinstance(result, Table):
        return list(result.columns)
    return list(result.elements) if isinstance(result, Items) else []


class State:
    """What a statement sees and changes: variables by scope, the heap, data changed in place."""

    def __init__(self) -> None:
        """Nothing is set."""
        self.scopes: dict[int, dict[str, Value]] = {}
        self.heap: dict[Ref, Object] = {}
        self.changed: dict[Ref, Inputs] = {}  # by buffer: what was put into it
        self.decisions: Inputs = NONE  # what decides whether this statement runs
        self.is_over = False  # after return, break, continue and raise

    def copy(self) -> State:
        """The same state, to be changed apart from this one."""
        state = State()
        state.scopes = {number: dict(names) for number, names in self.scopes.items()}
        state.heap = dict(self.heap)
        state.changed = dict(self.changed)
        state.decisions, state.is_over = self.decisions, self.is_over
        return state

    def take(self, other: State) -> None:
        """Become another state."""
        self.__dict__.update(other.copy().__dict__)

    def joined(self, other: State) -> State:
        """What holds where either of two states does; one that is over is left out."""
        if self.is_over or other.is_over:
            return (other if self.is_over else self).copy()
        state = self.copy()
        for number, names in other.scopes.items():
            own = state.scopes.setdefault(number, {})
            for name, value in names.items():
                own[name] = joined_value(own[name], value) if name in own else value
        for ref, result in other.heap.items():
            state.heap[ref] = (
                joined_object(state.heap[ref], result) if ref in state.heap else result
            )
        for ref, inputs in other.changed.items():
            state.changed[ref] = union((state.changed.get(ref, NONE), inputs))
        state.decisions = union((self.decisions, other.decisions))
        return state

    def is_as(self, other: State) -> bool:
        """Whether nothing differs."""
        return (
            self.scopes == other.scopes
            and self.heap == other.heap
            and self.changed == other.changed
            and self.decisions == other.decisions
        )

    # Objects ----------------------------------------------------------------------------------

    def allocate(self, site: str, result: Object) -> Ref:
        """A reference to a new object of a place in the program."""
        ref = Ref(site)
        if ref in self.heap:
            self.retire(ref)
        self.heap[ref] = with_data(site, result)
        return ref

    def retire(self, ref: Ref) -> None:
        """Let the last object, or rows, of a place be among its earlier ones."""
        earlier = Ref(ref.site, True)
        if ref in self.heap:
            last = self.heap.pop(ref)
            self.heap[earlier] = (
                joined_object(self.heap[earlier], last) if earlier in self.heap else last
            )
        for names in self.scopes.values():
            names.update(_renamed_values(names, ref, earlier))
        self.heap = {
            key: _renamed_object(result, ref, earlier) for key, result in self.heap.items()
        }

    def rows_of(self, site: str) -> frozenset[Ref]:
        """The token of new rows of a place in the program."""
        self.retire(Ref(site))
        return frozenset({Ref(site)})


def _renamed(value: Value, ref: Ref, earlier: Ref) -> Value:
    shape, callee = value.shape, value.callee
    if shape is not None:
        shape = _renamed_shape(shape, ref, earlier)
    if callee is not None:
        callee = _renamed_callee(callee, ref, earlier)
    refs = (value.refs - {ref}) | {earlier} if ref in value.refs else value.refs
    if shape is value.shape and callee is value.callee and refs is value.refs:
        return value
    return value._replace(shape=shape, refs=refs, callee=callee)


def _renamed_shape(shape: Shape, ref: Ref, earlier: Ref) -> Shape:
    if ref not in shape.tokens:
        return shape
    return shape._replace(tokens=(shape.tokens - {ref}) | {earlier})


def _renamed_callee(callee: Callee, ref: Ref, earlier: Ref) -> Callee:
    def part(entry: Any) -> Any:
        if isinstance(entry, Value):
            return _renamed(entry, ref, earlier)
        if isinstance(entry, Callee):
            return _renamed_callee(entry, ref, earlier)
        if type(entry) is tuple:
            return _same_or(entry, tuple(map(part, entry)))
        return entry

    parts = _same_or(callee.parts, tuple(map(part, callee.parts)))
    return callee if parts is callee.parts else callee._replace(parts=parts)


def _same_or(entries: tuple[Any, ...], others: tuple[Any, ...]) -> tuple[Any, ...]:
    """The first tuple if both have the same objects, so that nothing is made anew for it."""
    return entries if all(map(operator.is_, entries, others)) else others


def _renamed_values(values: Mapping[Any, Value], ref: Ref, earlier: Ref) -> dict[Any, Value]:
    """The values that mention a reference, with its earlier self instead."""
    return {
        name: other
        for name, value in values.items()
        if (value.refs or value.shape is not None or value.callee is not None)
        and (other := _renamed(value, ref, earlier)) is not value
    }


def _renamed_object(result: Object, ref: Ref, earlier: Ref) -> Object:
    if result is None:
        return None
    rest = result.rest if result.rest is None else _renamed(result.rest, ref, earlier)
    if isinstance(result, Table):
        columns = _renamed_values(result.columns, ref, earlier)
        shape = _renamed_shape(result.shape, ref, earlier)
        if not columns and shape is result.shape and rest is result.rest:
            return result
        return Table({**result.columns, **columns}, shape, rest)
    elements = _renamed_values(result.elements, ref, earlier)
    if not elements and rest is result.rest:
        return result
    return result._replace(elements={**result.elements, **elements}, rest=rest)


def everything(fields: int) -> Inputs:
    """All inputs of a function."""
    return {TRANSFORMATION: fields} if fields else NONE


def has_inputs(inputs: Inputs) -> bool:
    """Whether there is any input among them."""
    return bool(fields_of(inputs))
