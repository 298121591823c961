"""One interpretation of a function: its state, its steps, what it does not know, what it hands out.

What values depend on is asked of the run, as data that was changed in place has more inputs than
the value that still names it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from time import thread_time
from typing import Any

from airflow_colgraph.collector.lineage.transformations import (
    IDENTITY,
    NONE,
    TRANSFORMATION,
    Inputs,
    fields_of,
    through,
    union,
)
from airflow_colgraph.collector.python_functions.source import Captured, Kept
from airflow_colgraph.collector.python_functions.values import (
    UNKNOWN,
    Callee,
    GiveUp,
    Items,
    Object,
    Ref,
    Shape,
    State,
    Table,
    Value,
    decided,
    everything,
    joined_object,
    shape_of_any,
)

MOST_STEPS = 1600  # less than 10 ms; the longest function as people write them takes 972
STEPS_A_LOOK = 16  # at the clock, which takes longer than a step
MOST_SECONDS = 0.25  # of CPU, whatever the steps
FEWEST_STEPS = 50  # that are taken, however long they take
PAUSE = 0.05  # seconds of a step in which something else ran, such as the garbage collector
MOST_PAUSES = 3
MOST_ROUNDS = 30  # of a loop, until nothing changes any more
MOST_DEPTH = 8  # of functions that call each other


PLAIN = frozenset(  # whose functions give values that keep nothing that they were handed
    {"pandas", "numpy", "math", "hashlib", "datetime", "re", "decimal", "statistics", "string"}
)
FOLLOWED = (
    "closure",
    "either",
    "function",
    "lazy",
    "batches",
    "partial",
    "bound",
    "method of",
    "partly",
    "class",
)


class Scope:
    """The names that a function's body can see: those of a place in the program that calls it."""

    def __init__(self, number: int, captured: Captured, outer: Scope | None = None) -> None:
        """Inside of `outer`, where the function was made in another one."""
        self.number, self.captured, self.outer = number, captured, outer

    def __eq__(self, other: object) -> bool:
        """Whether both are of the same place."""
        return isinstance(other, Scope) and other.number == self.number

    def __hash__(self) -> int:
        """The place."""
        return self.number


class Call:
    """A call of a function of the program's: what it returns, how its loops are left."""

    def __init__(self, scope: Scope, node: ast.AST | None = None) -> None:
        """Nothing is returned yet."""
        self.scope, self.node = scope, node
        self.tails: frozenset[int] = frozenset()  # ids of calls whose answers it returns
        self.returned: list[State] = []
        self.value: Value | None = None
        self.yielded: list[Value] = []
        self.exits = 0  # return, break and continue so far
        self.exit_decisions: Inputs = NONE
        self.breaks: list[list[State]] = []  # of each loop around
        self.continues: list[list[State]] = []


class Run:
    """An interpretation."""

    def __init__(self, fields: int) -> None:
        """Of a function that takes `fields`, as bits."""
        self.all = everything(fields)
        self.state = State()
        self.opaque: dict[str, None] = {}
        self.steps = 0
        self.looked, self.pauses = thread_time(), 0
        self.deadline = self.looked + MOST_SECONDS
        self.calls: list[Call] = []
        self.attempts: list[Any] = []  # the bodies of `try` that run
        self.results: list[Table] = []  # what was handed out
        self.copies: dict[int, Kept] = {}  # by id: of containers that functions refer to
        self.file = ""
        self.line = 0
        self.path = ""  # of calls, so that each has objects of its own
        self.returned: Callable[[Value], None] = lambda value: None  # by the whole function
        self.give: Callable[[Value], None] = lambda value: None  # to Spark
        self.allocated: dict[str, set[str]] = {}  # by the place of an expression

    @property
    def call(self) -> Call:
        """The call that runs."""
        return self.calls[-1]

    def step(self, node: ast.AST) -> None:
        """Count a step; GiveUp if there were too many."""
        self.steps += 1
        self.line = getattr(node, "lineno", self.line)
        if self.steps > MOST_STEPS or (self.steps % STEPS_A_LOOK == 0 and self._is_late()):
            raise GiveUp("too long a function")

    def _is_late(self) -> bool:
        """Look at the clock, and move the deadline by a pause since the last look."""
        now = thread_time()
        if now - self.looked > PAUSE and self.pauses < MOST_PAUSES:
            self.deadline += now - self.looked
            self.pauses += 1
        self.looked = now
        return self.steps > FEWEST_STEPS and now > self.deadline

    def site(self, node: ast.AST, part: str = "") -> str:
        """The name of a place in the program, in the call that runs."""
        place = f"{getattr(node, 'lineno', 0)}:{getattr(node, 'col_offset', 0)}"
        return f"{self.path}/{type(node).__name__}:{place}{part}"

    def unknown(self, name: str) -> None:
        """Name something that is not known."""
        self.opaque[f"{name} at {self.file}:{self.line}"] = None

    # What values depend on --------------------------------------------------------------------

    def inputs(self, value: Value) -> Inputs:
        """What a value's own content depends on; of an object, what decides which one it is."""
        changes = [self.state.changed[b] for b in value.buffers if b in self.state.changed]
        if changes:
            return union((through(TRANSFORMATION, (value.inputs,)), *changes))
        return value.inputs

    def content(self, value: Value, seen: frozenset[Ref] = frozenset()) -> Inputs:
        """What anything in a value depends on, rows too: it is computed from all of that."""
        return through(TRANSFORMATION, self._parts(value, seen))

    def _parts(self, value: Value, seen: frozenset[Ref]) -> list[Inputs]:
        entry = [self.inputs(value)]
        if value.shape is not None:
            entry += [value.shape.rows, value.shape.index_by]
        for ref in value.refs - seen:
            entry.append(self.object_content(self.state.heap.get(ref), seen | value.refs))
        if value.callee is not None:
            entry.append(self._callee_content(value.callee, seen | value.refs))
        return entry

    def object_content(self, result: Object, seen: frozenset[Ref] = frozenset()) -> Inputs:
        """What anything in an object depends on."""
        if result is None:
            return self.all
        entry = [self.content(value, seen) for value in result.every()]
        if isinstance(result, Table):
            return union((*entry, result.shape.rows, result.shape.index_by))
        return union((*entry, result.count_by))

    def _callee_content(self, callee: Callee, seen: frozenset[Ref]) -> Inputs:
        if callee.kind in ("closure", "either", "lazy", "batches", "object", "partly"):
            return self.all  # an object may hold all that it was ever given
        return union(self.content(part, seen) for part in callee.parts if isinstance(part, Value))

    def element(self, value: Value) -> Inputs:
        """What a value depends on where it is one among others: a column's rows affect it."""
        if value.refs or value.callee is not None:
            return self.content(value)
        if value.shape is None:
            return self.inputs(value)
        by = union((value.shape.rows, value.shape.index_by))
        return union((self.inputs(value), decided(by)))

    def buffers(self, value: Value) -> frozenset[Ref]:
        """The data in a value, and in all that it holds."""
        stack, seen = [value], set(value.refs)
        buffers: frozenset[Ref] = frozenset()
        while stack:
            entry = stack.pop()
            buffers |= entry.buffers
            stack += [
                each
                for o in self.objects(entry)
                if o is not None
                for each in o.every()
                if not each.refs or each.refs - seen
            ]
            seen |= entry.refs
        return buffers

    def objects(self, value: Value) -> list[Object]:
        """The objects that a value may be."""
        return [self.state.heap.get(ref) for ref in value.refs]

    def only(self, value: Value, kind: type) -> Any:
        """What is known of the objects that a value may be, if all are of a kind; else None."""
        objects = self.objects(value)
        if not objects or value.callee is not None:
            return None
        if not all(isinstance(entry, kind) for entry in objects):
            return None
        (result, *rest) = objects
        for other in rest:
            result = joined_object(result, other)
        return result if isinstance(result, kind) else None

    def table(self, value: Value) -> Table | None:
        """The table that a value is."""
        result: Table | None = self.only(value, Table)
        return result

    def items(self, value: Value) -> Items | None:
        """The list, tuple, set, dict or row that a value is."""
        result: Items | None = self.only(value, Items)
        return result

    # New values -------------------------------------------------------------------------------

    def new(self, node: ast.AST, result: Object, part: str = "", by: Inputs = NONE) -> Value:
        """A new object of a place; `by` decides which it is."""
        site = self.site(node, part)
        self.allocated.setdefault(self.site(node), set()).add(site)
        return Value(by, refs=frozenset({self.state.allocate(site, result)}))

    def new_items(self, node: ast.AST, kind: str, values: Iterable[Value], part: str = "") -> Value:
        """A new list or tuple of known elements."""
        return self.new(node, Items(kind, dict(enumerate(values))), part)

    def one_of_many(self, value: Value) -> Value:
        """A new object that stands for many: it is only ever added to."""
        for ref in [ref for ref in value.refs if not ref.is_earlier]:
            self.state.retire(ref)
            refs = (value.refs - {ref}) | {ref._replace(is_earlier=True)}
            value = value._replace(refs=refs)
        return value

    def rows(self, node: ast.AST, part: str = "") -> frozenset[Ref]:
        """The token of new rows."""
        site = self.site(node, f"{part}#rows")
        self.allocated.setdefault(self.site(node), set()).add(site)
        return self.state.rows_of(site)

    def again(self, node: ast.AST) -> None:
        """Leave what an expression made before to its earlier self, before its parts are read."""
        for site in sorted(self.allocated.get(self.site(node), ())):
            self.steps += 4  # it looks at the whole state
            self.state.retire(Ref(site))

    def computed(
        self, node: ast.AST, values: Iterable[Value], step: int = TRANSFORMATION, by: Inputs = NONE
    ) -> Value:
        """A value computed element by element; columns of other rows are aligned by their index."""
        operands = list(values)
        inputs = [*(through(step, (self.deep(value),)) for value in operands), by]
        shapes = [value.shape for value in operands if value.shape is not None]
        if not shapes:
            return Value(union(inputs), buffers=frozenset({Ref(self.site(node))}))
        shape = shapes[0]
        if not all(shape.is_same(other) for other in shapes):
            by_rows = [union((each.rows, each.index_by)) for each in shapes]
            inputs += map(decided, by_rows)
            shape = Shape(
                self.rows(node),
                union(each.rows for each in shapes),
                union(each.index_by for each in shapes),
            )
        return Value(union(inputs), shape, buffers=frozenset({Ref(self.site(node))}))

    def single(self, node: ast.AST, values: Iterable[Value]) -> Value:
        """One value that is computed of others: of all of a column, its rows, too."""
        inputs = (through(TRANSFORMATION, (self.element(value),)) for value in values)
        return Value(union(inputs), buffers=frozenset({Ref(self.site(node))}))

    def deep(self, value: Value) -> Inputs:
        """What an operand depends on: of an object all that is in it."""
        if value.refs or value.callee is not None:
            items = self.items(value)
            if items is not None and any(each.refs for each in items.every()):
                raise GiveUp("an operation on objects in a list")  # the answer may hold them, too
            return self.content(value)
        return self.inputs(value)

    def top(self, name: str, *touched: Value) -> Value:
        """The answer of something unknown that was handed values: it may depend on all inputs."""
        self.unknown(name)
        for value in touched:
            self.spoil(value)
        if name.partition(".")[0] in PLAIN:
            return Value(self.all, shape_of_any(self.all))
        return Value(self.all, callee=Callee("object", name))

    def spoil(self, value: Value) -> None:
        """Let unknown code change what it can reach through a value.

        GiveUp if it can reach a function of the program's, or the batches to come.
        """
        stack = [value]
        seen: set[Ref] = set()
        while stack:
            entry = stack.pop()
            if entry.callee is not None:
                if entry.callee.kind in FOLLOWED:
                    raise GiveUp(f"{next(reversed(self.opaque))}, which gets a function")
                stack += [part for part in entry.callee.parts if isinstance(part, Value)]
            for buffer in entry.buffers:
                self.change(buffer, self.all)
            for ref in entry.refs - seen:
                seen.add(ref)
                result = self.state.heap.get(ref)
                stack += result.every() if result is not None else []
                self.state.heap[ref] = None

    def must_share(self, value: Value, inputs: Inputs) -> None:
        """Be sure that a change of a value is seen by all that may be the same; else GiveUp."""
        is_covered = not fields_of(inputs) & ~fields_of(value.inputs)
        is_covered = is_covered and not value.inputs.get(IDENTITY, 0)
        if not (value.buffers or value.refs or is_covered):
            raise GiveUp("data that is changed in place")

    def change_data(self, value: Value, inputs: Inputs) -> None:
        """The data of a value was changed in place; GiveUp if others may not see that."""
        self.must_share(value, inputs)
        for buffer in value.buffers:
            self.change(buffer, inputs)

    def change(self, buffer: Ref, inputs: Inputs) -> None:
        """Data was changed in place."""
        certain = self.state.changed.get(buffer, NONE)
        self.state.changed[buffer] = union((certain, inputs, decided(self.state.decisions)))

    def prepare(self, entry: Any) -> None:
        """Put all that a function refers to on the heap."""
        stack, seen = [entry], set()
        while stack:
            part = stack.pop()
            if isinstance(part, Captured) and id(part) not in seen:
                seen.add(id(part))
                stack += [*part.names.values(), *part.positional_defaults]
                stack += [*part.keyword_defaults.values()]
            elif isinstance(part, Callee):
                stack += [each for each in part.parts if isinstance(each, Captured)]
                stack += [each.captured for each in part.parts if isinstance(each, Scope)]
                stack += [each for group in part.parts if type(group) is tuple for each in group]
                stack += [v for kept in part.parts if isinstance(kept, Kept) for _, v in kept.items]
            elif isinstance(part, Kept) and id(part) not in seen:
                seen.add(id(part))
                self.kept(part)
                stack += [value for _, value in part.items]

    def kept(self, entry: Any) -> Value:
        """The value of what was captured, by what the function's names stood for."""
        if isinstance(entry, Kept):
            self.copies[id(entry)] = entry
            ref = Ref(f"captured:{id(entry)}")
            if ref not in self.state.heap:
                self.state.heap[ref] = None  # in a circle
                self.state.heap[ref] = self._kept_items(entry)
            return Value(refs=frozenset({ref}))
        if isinstance(entry, Captured):
            return Value(callee=Callee("function", entry.code.co_name, (Boxed(entry),)))
        if isinstance(entry, Callee):
            return Value(callee=entry)
        return Value(literal=entry)

    def _kept_items(self, entry: Kept) -> Items:
        pairs = [(key, self.kept(value)) for key, value in entry.items]
        if entry.kind == "dict" and not all(isinstance(key, (str, int)) for key, _ in pairs):
            return Items("dict", {}, Value(self.all))
        kind = {"frozenset": "set"}.get(entry.kind, entry.kind)
        return Items(kind, dict(pairs))


class Boxed:
    """A captured function as part of a callee: the same only as itself."""

    def __init__(self, captured: Captured) -> None:
        """For one function."""
        self.captured = captured


def literal_of(run: Run, value: Value) -> Any:
    """The constant that a value is, lists and tuples of constants too; else UNKNOWN."""
    if value.has_literal:
        return value.literal
    items = run.items(value)
    if items is None or items.rest is not None or items.kind in ("row", "record", "instance"):
        return UNKNOWN
    if items.kind == "set" or len(value.refs) > 1:
        return UNKNOWN
    parts = {key: literal_of(run, element) for key, element in items.elements.items()}
    if any(part is UNKNOWN for part in parts.values()):
        return UNKNOWN
    if items.kind == "dict":
        return parts
    return tuple(parts.values()) if items.kind == "tuple" else list(parts.values())


def names_of(run: Run, value: Value) -> list[str] | None:
    """The column names that an argument is: one, or a list of them; None if not known."""
    literal = literal_of(run, value)
    if isinstance(literal, str):
        return [literal]
    if isinstance(literal, (list, tuple)) and all(isinstance(name, str) for name in literal):
        return list(literal)
    return None
