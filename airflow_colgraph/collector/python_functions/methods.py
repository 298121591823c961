"""Calls of methods: by what they are asked of. Lists, dicts, sets and rows have theirs here."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from typing import Any

from airflow_colgraph.collector.lineage.transformations import (
    SORT,
    TRANSFORMATION,
    Inputs,
    through,
    union,
)
from airflow_colgraph.collector.python_functions.access import item
from airflow_colgraph.collector.python_functions.arrow import arrow_method
from airflow_colgraph.collector.python_functions.assignment import store
from airflow_colgraph.collector.python_functions.calls import Arguments, called, callee_name
from airflow_colgraph.collector.python_functions.columns import column_method, text_method
from airflow_colgraph.collector.python_functions.comprehensions import key_content, settled
from airflow_colgraph.collector.python_functions.groups import group_method
from airflow_colgraph.collector.python_functions.iteration import elements_of
from airflow_colgraph.collector.python_functions.run import Run
from airflow_colgraph.collector.python_functions.table_methods import table_method
from airflow_colgraph.collector.python_functions.tables import closed_over
from airflow_colgraph.collector.python_functions.values import (
    Callee,
    Defaulting,
    GiveUp,
    Items,
    Value,
    decided,
    either_value,
    joined_object,
)
from airflow_colgraph.collector.python_functions.vocabulary import AGGREGATES


@called("method")
def _method(run: Run, node: ast.AST, callee: Callee, arguments: Arguments) -> Value:
    (value,) = callee.parts
    name = callee.name
    if value.callee is not None:
        return _of_callee(run, node, value, value.callee, name, arguments)
    if value.refs:
        table, items = run.table(value), run.items(value)
        if table is not None:
            return table_method(run, node, value, table, name, arguments)
        if items is not None:
            return _of_items(run, node, value, items, name, arguments)
        return run.top(f"the method {name}", value, *arguments.every())
    arguments = settled(run, node, arguments)
    if isinstance(value.literal, str):
        answer = text_method(run, node, value, name, arguments)
        if answer is not None:
            return answer
    return column_method(run, node, value, name, arguments)


def _of_callee(
    run: Run, node: ast.AST, value: Value, callee: Callee, name: str, arguments: Arguments
) -> Value:
    if callee.kind == "accessor":
        (owner,) = callee.parts
        if any(each.callee is not None for each in arguments.every()):
            raise GiveUp(f"{callee.name}.{name} with a function")
        answer = run.computed(node, [owner, *arguments.every()])
        if name == "cat" and not arguments.values:
            return Value(run.content(answer))
        return answer
    if callee.kind == "grouped":
        entry = group_method(run, node, callee, name, arguments)
        if entry is not None:
            return entry
        if any(each.callee is not None for each in arguments.every()):
            raise GiveUp(f"pandas.DataFrame.groupby.{name} with a function")
        run.unknown(f"pandas.DataFrame.groupby.{name}")
        table, keys, *_ = callee.parts
        return closed_over(run, node, table, keys, *arguments.every())
    if callee.kind == "window" and name in AGGREGATES:
        (over,) = callee.parts
        more = union(map(run.content, arguments.every()))
        return over._replace(inputs=union((over.inputs, more)))  # type: ignore[no-any-return]
    if callee.kind == "arrow":
        return arrow_method(run, node, callee, name, arguments)
    return run.top(f"{callee.kind} {callee.name}.{name}", value, *arguments.every())


# Lists, tuples, sets, dicts and rows ----------------------------------------------------------

ItemsRule = Callable[[Run, ast.AST, Value, Items, Arguments], Any]
ITEMS_METHODS: dict[str, ItemsRule] = {}


def method(*names: str) -> Callable[[ItemsRule], ItemsRule]:
    """File a function as the rule of some methods."""
    return lambda act: ITEMS_METHODS.update(dict.fromkeys(names, act)) or act


def _of_items(
    run: Run, node: ast.AST, value: Value, items: Items, name: str, arguments: Arguments
) -> Value:
    act = ITEMS_METHODS.get(name)
    answer: Value | None = act(run, node, value, items, arguments) if act is not None else None
    if answer is not None:
        return answer
    if items.kind in ("row", "tuples"):  # as a column
        whole = Value(run.content(value), buffers=_buffers(items))
        return column_method(run, node, whole, name, arguments)
    return run.top(f"{items.kind}.{name}", value, *arguments.every())


def _buffers(items: Items) -> frozenset[Any]:
    return frozenset(buffer for each in items.every() for buffer in each.buffers)


def change(run: Run, value: Value, act: Callable[[Items], Items]) -> None:
    """Change the list, set or dict that a value is; where it may be another, either of both."""
    by = decided(union((run.state.decisions, run.inputs(value))))
    for ref in value.refs:
        old = run.state.heap.get(ref)
        if not isinstance(old, Items):
            continue
        new = act(old)
        new = new._replace(count_by=union((new.count_by, by)))
        is_certain = len(value.refs) == 1 and not ref.is_earlier
        run.state.heap[ref] = new if is_certain else joined_object(old, new)


@method("append", "add")
def _append(run: Run, node: ast.AST, value: Value, items: Items, arguments: Arguments) -> Any:
    if len(arguments.values) != 1 or items.kind not in ("list", "set"):
        return None
    new = arguments.values[0]
    chosen = decided(run.inputs(value))
    new = new._replace(inputs=union((new.inputs, chosen)))
    by = union((run.state.decisions, chosen))  # what decides that there is one more is its count's

    def act(old: Items) -> Items:
        if old.rest is None and not by and not old.count_by and old.kind == "list":
            return old._replace(elements={**old.elements, len(old.elements): new})
        return Items(old.kind, {}, either_value([*old.every(), new]), old.count_by)

    change(run, value, act)
    return Value(literal=None)


@method("extend", "update")
def _extend(run: Run, node: ast.AST, value: Value, items: Items, arguments: Arguments) -> Any:
    if len(arguments.values) > 1 or (arguments.options and items.kind != "dict"):
        return None
    by = decided(union((run.state.decisions, run.inputs(value))))
    if isinstance(items.kind, Defaulting) and items.kind.is_counter:
        inputs = union((inputs_of_all(run, node, arguments), by))
        is_mapping = bool(arguments.options) or not any(
            _is_listed(run, each) for each in arguments.values
        )
        change(run, value, lambda old: counted(old, inputs, is_mapping))
        return Value(literal=None)
    if items.kind in ("dict", "row"):
        if items.kind == "row":
            return None
        return _update(run, value, arguments, by)
    if not arguments.values:
        return None
    elements = elements_of(run, arguments.values[0], node)
    some = elements.every()
    values = [each._replace(inputs=union((each.inputs, by))) for each in some]

    def act(old: Items) -> Items:
        is_known = elements.certain is not None and old.rest is None and not old.count_by
        if is_known and not by and old.kind == "list":
            return old._replace(elements=dict(enumerate([*old.every(), *values])))
        every = [*old.every(), *values]
        count = union((old.count_by, elements.count_by))
        return Items(old.kind, {}, either_value(every) if every else None, count)

    change(run, value, act)
    return Value(literal=None)


def inputs_of_all(run: Run, node: ast.AST, arguments: Arguments) -> Inputs:
    """What the arguments, and the elements of the first one, depend on."""
    inputs = [run.content(each) for each in arguments.every()]
    for each in arguments.values[:1]:
        elements = elements_of(run, each, node)
        inputs += [*map(run.content, elements.every()), elements.count_by]
    return union(inputs)


def counted(items: Items, inputs: Inputs, is_mapping: bool = False) -> Items:
    """A Counter that has counted more values: they are its keys, and affect its counts.

    A mapping has counts itself.
    """
    counts = Value(inputs if is_mapping else decided(inputs))
    rest = either_value([*items.every(), counts])
    return Items(items.kind, {}, rest, union((items.count_by, inputs)))


def _is_listed(run: Run, value: Value) -> bool:
    """Whether it is a list or alike, a column or an iterator, and surely no mapping."""
    items = run.items(value)
    if items is not None:
        return items.kind in ("list", "tuple", "set")
    return value.shape is not None or value.callee is not None


def _update(run: Run, value: Value, arguments: Arguments, by: Any) -> Any:
    new = dict(arguments.options)
    if arguments.values:
        other = run.items(arguments.values[0])
        if other is None or other.kind != "dict" or other.rest is not None or other.count_by:
            return None
        if run.inputs(arguments.values[0]):
            return None
        new = {**other.elements, **new}
    new = {key: each._replace(inputs=union((each.inputs, by))) for key, each in new.items()}
    change(run, value, lambda old: old._replace(elements={**old.elements, **new}))
    return Value(literal=None)


@method("sort")
def _sort(run: Run, node: ast.AST, value: Value, items: Items, arguments: Arguments) -> Any:
    options = dict(arguments.options)
    key = options.pop("key", None)
    if items.kind != "list" or arguments.values:
        return None
    inside = key_content(run, node, key, items.every())
    by = through(SORT, (inside, *map(run.content, options.values())))

    def act(old: Items) -> Items:
        rest = either_value(old.every()) if old.every() else None
        rest = rest and rest._replace(inputs=union((rest.inputs, by)))
        return Items(old.kind, {}, rest, union((old.count_by, by)))

    change(run, value, act)
    return Value(literal=None)


@method("pop", "popleft", "popitem", "remove", "discard", "clear", "reverse")
def _taken(run: Run, node: ast.AST, value: Value, items: Items, arguments: Arguments) -> Any:
    if items.kind not in ("list", "dict", "set"):
        return None
    if callee_name(node) == "pop" and _has_key(run, value, items, arguments):
        (key, *_) = (each.literal for each in arguments.values)
        change(run, value, partial(_without, key))
        return items.elements[key]
    by = union(map(run.content, arguments.every()))
    every = items.every()
    answer = either_value(every) if every else Value()
    inside = union(map(run.content, every))

    def act(old: Items) -> Items:
        rest = either_value(old.every()) if old.every() else None
        if rest is not None:  # the order, or what is left, may depend on the elements
            rest = rest._replace(inputs=union((rest.inputs, decided(by), decided(inside))))
        return Items(old.kind, {}, rest, union((old.count_by, by, inside)))

    change(run, value, act)
    inputs = union((answer.inputs, decided(union((by, inside, items.count_by, run.inputs(value))))))
    return answer._replace(inputs=inputs, literal=Value().literal)


def _has_key(run: Run, value: Value, items: Items, arguments: Arguments) -> bool:
    """Whether a dict certainly has the key that is taken out of it."""
    is_closed = items.kind == "dict" and items.rest is None and not items.count_by
    keys = [each.literal for each in arguments.values[:1] if isinstance(each.literal, str)]
    is_plain = is_closed and not run.inputs(value) and not arguments.options
    return is_plain and any(key in items.elements for key in keys)


def _without(key: str, old: Items) -> Items:
    return old._replace(elements={k: each for k, each in old.elements.items() if k != key})


@method("get", "setdefault")
def _get(run: Run, node: ast.AST, value: Value, items: Items, arguments: Arguments) -> Any:
    if items.kind not in ("dict", "row") or not arguments.values or arguments.options:
        return None
    key, *default = arguments.values
    is_known = key.literal in items.elements if isinstance(key.literal, (str, int)) else False
    if is_known:
        return item(run, node, value, key)
    entry = item(run, node, value, key) if items.every() else Value(run.content(key))
    answer = either_value([entry, *(default or [Value(literal=None)])])
    if callee_name(node) == "setdefault" and default:
        store(run, node, value, key, answer)
    return answer


@method("keys", "values", "items")
def _views(run: Run, node: ast.AST, value: Value, items: Items, arguments: Arguments) -> Any:
    if items.kind != "dict" or arguments.every():
        return None
    name = callee_name(node)
    by = decided(run.inputs(value))
    if items.rest is None and not items.count_by and not by:
        pairs = [(Value(literal=key), each) for key, each in items.elements.items()]
        if name == "items":
            result = [run.new_items(node, "tuple", p, f"#{at}") for at, p in enumerate(pairs)]
        else:
            result = [pair[name == "values"] for pair in pairs]
        return run.new_items(node, "list", result)
    count = union((items.count_by, by))
    every = items.every()
    key, inner = Value(count), either_value(every) if every else Value(count)
    rest = {"keys": key, "values": inner}.get(name)
    if rest is None:
        pair = run.new_items(node, "tuple", [key, inner], "#pair")
        rest = run.one_of_many(pair)
    return run.new(node, Items("list", {}, rest, count))


@method("copy")
def _copy(run: Run, node: ast.AST, value: Value, items: Items, arguments: Arguments) -> Any:
    return run.new(node, items, by=run.inputs(value))


@method("tolist", "to_dict", "_asdict", "asDict")
def _plain(run: Run, node: ast.AST, value: Value, items: Items, arguments: Arguments) -> Any:
    if callee_name(node) == "asDict" and items.kind != "record":
        return None
    if items.kind not in ("row", "tuples", "record") or arguments.every() or items.rest is not None:
        return None
    if callee_name(node) == "tolist":
        return run.new_items(node, "list", items.every())
    if items.kind == "tuples" and not all(name.isidentifier() for name in items.elements):
        return None
    return run.new(node, items._replace(kind="dict"), by=run.inputs(value))


@method("index", "count")
def _counted(run: Run, node: ast.AST, value: Value, items: Items, arguments: Arguments) -> Any:
    if items.kind == "row":
        return None
    inputs = union((run.content(value), *map(run.content, arguments.every())))
    return Value(through(TRANSFORMATION, (inputs,)))
