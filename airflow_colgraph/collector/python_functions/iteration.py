"""What a loop goes through, and how often its body is interpreted."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import NamedTuple

from airflow_colgraph.collector.lineage.transformations import (
    GROUP_BY,
    NONE,
    Inputs,
    through,
    union,
)
from airflow_colgraph.collector.python_functions.run import MOST_ROUNDS, Run
from airflow_colgraph.collector.python_functions.values import (
    Callee,
    GiveUp,
    Items,
    Ref,
    Shape,
    Table,
    Value,
    decided,
    either_value,
)

MOST_UNROLLED = 64


class Elements(NamedTuple):
    """The elements, one by one where they are known; else how to make any of them, and a count."""

    certain: list[Value] | None
    some: Callable[[], list[Value]]
    count_by: Inputs = NONE

    def every(self) -> list[Value]:
        """The elements, or values that any of them may be."""
        return self.some() if self.certain is None else self.certain


def of_known(values: list[Value]) -> Elements:
    """Elements that are known one by one."""
    if len(values) > MOST_UNROLLED:
        return of_any(either_value(values), NONE)
    return Elements(values, lambda: values)


def of_any(value: Value, count: Inputs) -> Elements:
    """Any number of elements that are alike."""
    return Elements(None, lambda: [value], count)


def elements_of(run: Run, value: Value, node: ast.AST) -> Elements:
    """What a loop over a value goes through."""
    by = run.inputs(value)
    if value.callee is not None:
        if value.callee.kind == "object":
            return of_any(Value(run.all, callee=value.callee), run.all)
        act = ITERATED.get(value.callee.kind)
        if act is None:
            raise GiveUp(f"a loop over a {value.callee.kind} {value.callee.name}".rstrip())
        return act(run, value.callee, node)
    if value.refs:
        items, table = run.items(value), run.table(value)
        if items is not None:
            return _of_items(items, by)
        if table is not None and table.rest is None:
            return of_known([Value(by, literal=name) for name in table.columns])
        return of_any(Value(run.content(value)), run.content(value))
    if isinstance(value.literal, str):
        return of_known([Value(by, literal=character) for character in value.literal])
    count = union((value.shape.rows, value.shape.index_by)) if value.shape is not None else by
    return of_any(Value(by, buffers=value.buffers), count)


def inside(node: ast.AST, place: int = 0) -> ast.AST:
    """The place in the program of what another iterator goes through: a `zip` in an `enumerate`.

    Both make tuples for one loop, which would be one object if they were of the same place.
    """
    inner = ast.Pass()
    inner.__dict__.update(
        lineno=getattr(node, "lineno", 0), col_offset=f"{getattr(node, 'col_offset', 0)}.{place}"
    )
    return inner


def _of_items(items: Items, by: Inputs) -> Elements:
    selected = decided(by)

    def chosen(value: Value) -> Value:
        return value._replace(inputs=union((value.inputs, selected)))

    if items.kind == "dict":
        if items.rest is None and not items.count_by:
            return of_known([Value(selected, literal=key) for key in items.elements])
        count = union((items.count_by, by))
        return of_any(Value(count), count)
    values = [chosen(value) for value in items.every()]
    if items.rest is None and items.kind != "set" and not items.count_by and not by:
        return of_known(values)
    if not values:
        return Elements(None, list, union((items.count_by, by)))
    return of_any(either_value(values), union((items.count_by, by)))


def repeat(run: Run, value: Value, node: ast.AST, once: Callable[[Value], None]) -> None:
    """Do something with each of the elements: until another round changes nothing.

    What is gone through is a variable of the state: its objects may be made anew meanwhile.
    """
    key = f"#{run.site(node)}"
    set_hidden(run, key, value)
    elements = elements_of(run, value, node)
    if elements.certain is not None:
        for place, element in enumerate(elements.certain):
            set_hidden(run, f"{key}{place}", element)
        for place in range(len(elements.certain)):
            if not run.state.is_over:
                once(hidden(run, f"{key}{place}"))
        return
    head = run.state.copy()
    for _ in range(MOST_ROUNDS):
        run.state.take(head)
        elements = elements_of(run, hidden(run, key), node)
        run.state.decisions = union((run.state.decisions, decided(elements.count_by)))
        for element in elements.some():
            start = run.state.copy()
            once(element)
            run.state.take(start.joined(run.state))
        after = head.joined(run.state)
        if after.is_as(head):
            run.state.take(head)
            return
        head = after
    raise GiveUp("a loop that does not settle")


def hidden(run: Run, key: str) -> Value:
    """A variable that the program does not see."""
    return run.state.scopes[run.call.scope.number][key]


def set_hidden(run: Run, key: str, value: Value) -> None:
    """Set a variable that the program does not see."""
    run.state.scopes.setdefault(run.call.scope.number, {})[key] = value


# What is iterated by its kind -----------------------------------------------------------------


def batch(run: Run, callee: Callee, node: ast.AST) -> Value:
    """The next batch of the function's own iterator: a table of the input columns."""
    (columns,) = callee.parts
    table = new_input(run, columns, run.site(node, "#batch"))
    if callee.name == "columns":
        (batch,) = run.objects(table)
        assert isinstance(batch, Table)
        values = [*batch.columns.values()]
        return values[0] if len(values) == 1 else run.new_items(node, "tuple", values, "#columns")
    return Value(callee=Callee("arrow", "", (table,))) if callee.name.startswith("arrow") else table


def new_input(run: Run, columns: tuple[tuple[str, Inputs], ...], site: str) -> Value:
    """A table of input columns."""
    shape = Shape(run.state.rows_of(f"{site}#rows"))
    result = {
        name: Value(inputs, shape, buffers=frozenset({Ref(f"{site}#{name}")}))
        for name, inputs in columns
    }
    return Value(refs=frozenset({run.state.allocate(site, Table(result, shape))}))


def _batches(run: Run, callee: Callee, node: ast.AST) -> Elements:
    return Elements(None, lambda: [batch(run, callee, node)])


def row_of(run: Run, table: Value, node: ast.AST, kind: str = "row") -> Value:
    """A row of a table."""
    result = run.table(table)
    by = decided(run.inputs(table))
    if result is None:
        return Value(run.content(table))
    columns = {
        name: Value(union((run.inputs(value), by)), buffers=value.buffers)
        for name, value in result.columns.items()
    }
    rest = result.rest and Value(union((run.inputs(result.rest), by)), buffers=result.rest.buffers)
    return run.new(node, Items(kind, columns, rest), "#row")


def count_of(run: Run, table: Value) -> Inputs:
    """What affects how many rows a table or a column has."""
    result = run.table(table)
    if result is None:
        return run.content(table)
    return union((result.shape.rows, decided(run.inputs(table))))


def _iterrows(run: Run, callee: Callee, node: ast.AST) -> Elements:
    (table,) = callee.parts
    result = run.table(table)
    index = result.shape.index_values if result is not None else run.content(table)

    def some() -> list[Value]:
        row = row_of(run, table, node)
        return [run.new_items(node, "tuple", [Value(index), row], "#pair")]

    return Elements(None, some, count_of(run, table))


def _itertuples(run: Run, callee: Callee, node: ast.AST) -> Elements:
    (table,) = callee.parts
    return Elements(None, lambda: [row_of(run, table, node, "tuples")], count_of(run, table))


def _columns(run: Run, callee: Callee, node: ast.AST) -> Elements:
    """The pairs of a dict's or a table's `items()`."""
    pairs = [run.new_items(node, "tuple", pair, f"#{n}") for n, pair in enumerate(callee.parts)]
    return of_known(pairs)


def _enumerate(run: Run, callee: Callee, node: ast.AST) -> Elements:
    source, start = callee.parts
    inner = elements_of(run, source, inside(node))
    if inner.certain is not None and isinstance(start.literal, int):
        numbers = [Value(literal=number) for number, _ in enumerate(inner.certain, start.literal)]
        return of_known(
            [
                run.new_items(node, "tuple", pair, f"#{place}")
                for place, pair in enumerate(zip(numbers, inner.certain))
            ]
        )
    number = Value(union((inner.count_by, run.content(start))))

    def some() -> list[Value]:
        pairs = ([number, value] for value in inner.some())
        return [run.new_items(node, "tuple", pair, "#pair") for pair in pairs]

    return Elements(None, some, inner.count_by)


def _zip(run: Run, callee: Callee, node: ast.AST) -> Elements:
    inner = [elements_of(run, part, inside(node, n)) for n, part in enumerate(callee.parts)]
    lists = [each.certain for each in inner]
    if all(certain is not None for certain in lists):
        rows = enumerate(zip(*(certain or [] for certain in lists)))
        return of_known([run.new_items(node, "tuple", row, f"#{at}") for at, row in rows])

    def some() -> list[Value]:
        row = [either_value(values) for values in (each.some() for each in inner) if values]
        return [run.new_items(node, "tuple", row, "#pair")] if len(row) == len(inner) else []

    return Elements(None, some, union(each.count_by for each in inner))


def _range(run: Run, callee: Callee, node: ast.AST) -> Elements:
    bounds = [part.literal for part in callee.parts]
    if all(isinstance(bound, int) for bound in bounds) and 0 < len(bounds) < 3:
        numbers = range(*bounds)
        if len(numbers) <= MOST_UNROLLED:
            return of_known([Value(literal=number) for number in numbers])
    count = union(run.content(part) for part in callee.parts)
    return of_any(Value(count), count)


def _groups(run: Run, callee: Callee, node: ast.AST) -> Elements:
    """The pairs of a key and the rows of a group."""
    if len(callee.parts) > 2:
        raise GiveUp("a loop over groups of a column")
    table, keys = callee.parts[0], callee.parts[1]
    result = run.table(table)
    if result is None:
        return of_any(Value(run.content(table)), run.content(table))
    by = through(GROUP_BY, (keys.inputs,))

    def some() -> list[Value]:
        assert result is not None
        shape = Shape(
            run.rows(node, "#group"),
            union((result.shape.rows, by)),
            union((result.shape.index_by, by)),
        )
        columns = {
            name: Value(run.inputs(value), shape, buffers=value.buffers)
            for name, value in result.columns.items()
        }
        rest = result.rest and result.rest._replace(shape=shape)
        part = run.new(node, Table(columns, shape, rest), "#group")
        return [run.new_items(node, "tuple", [Value(keys.inputs), part], "#pair")]

    return Elements(None, some, union((result.shape.rows, by)))


LAZY: dict[str, Callable[[Run, Callee, ast.AST], Items]] = {}
"""What is made when it is asked for, by its kind."""


def _lazy(run: Run, callee: Callee, node: ast.AST) -> Elements:
    """A generator expression, `map` or `filter`: what it gives is made when it is asked for."""
    make = LAZY[callee.name]
    before = run.state.copy()
    items = make(run, callee, node)  # for the count
    every = items.every()
    is_plain = not any(value.refs or value.callee for value in every)
    if is_plain and items.kind == "list" and items.rest is None and not items.count_by:
        return of_known(every) if every else Elements([], list)
    run.state.take(before)
    return Elements(None, lambda: make(run, callee, node).every(), items.count_by)


def _held(run: Run, callee: Callee, node: ast.AST) -> Elements:
    """An iterator that has a name: `next` or another loop may have taken some of its elements."""
    elements = elements_of(run, callee.parts[0], node)
    if elements.certain is None:
        return elements
    return Elements(None, lambda: [either_value(elements.certain)] if elements.certain else [])


ADVANCED = ("lazy", "zip", "enumerate")  # that give each element once
ITERATED: dict[str, Callable[[Run, Callee, ast.AST], Elements]] = {
    "batches": _batches,
    "iterrows": _iterrows,
    "itertuples": _itertuples,
    "pairs": _columns,
    "enumerate": _enumerate,
    "zip": _zip,
    "range": _range,
    "grouped": _groups,
    "lazy": _lazy,
    "held": _held,
}


def each(run: Run, value: Value, node: ast.AST) -> Iterator[Value]:
    """The elements of a value, any of them where they are not known."""
    yield from elements_of(run, value, node).every()
