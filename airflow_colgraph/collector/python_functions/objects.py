"""Objects of classes: defaultdict and Counter, named tuples, dataclasses and plain classes."""

from __future__ import annotations

import ast
from typing import Any

from airflow_colgraph.collector.lineage.transformations import union
from airflow_colgraph.collector.python_functions.access import attribute, item
from airflow_colgraph.collector.python_functions.calls import Arguments, bound_to, call, called
from airflow_colgraph.collector.python_functions.expressions import evaluate
from airflow_colgraph.collector.python_functions.library import function
from airflow_colgraph.collector.python_functions.methods import (
    change,
    counted,
    inputs_of_all,
    method,
)
from airflow_colgraph.collector.python_functions.run import Run, names_of
from airflow_colgraph.collector.python_functions.values import (
    Callee,
    Defaulting,
    GiveUp,
    Items,
    Value,
    decided,
)

EMPTY = {f"builtins.{name}": name for name in ("list", "set", "dict")}


@function("collections.defaultdict")
def _defaultdict(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    if len(arguments.every()) != 1 or arguments.values[0].callee is None:
        return None
    factory = arguments.values[0].callee
    default = Value()
    if factory.kind == "library" and factory.name in EMPTY:
        default = run.new(node, Items(EMPTY[factory.name], {}), "#default")
    elif factory.kind == "closure" and not _reads_variables(run, factory):
        default = call(run, node, arguments.values[0], Arguments([], {}))
    elif factory.name not in ("builtins.int", "builtins.float", "builtins.str", "builtins.bool"):
        return None
    return run.new(node, Items(Defaulting(run.one_of_many(default)), {}))


def _reads_variables(run: Run, factory: Callee) -> bool:
    """Whether a function without arguments may answer otherwise when it is called later."""
    holder, _, *defaults = factory.parts
    names = [each for each in ast.walk(holder.tree) if isinstance(each, ast.Name)]
    callees = [evaluate(run, name).callee for name in names]
    return any(defaults) or any(each is None or each.kind != "library" for each in callees)


@function("collections.OrderedDict")
def _ordered(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    return run.new(node, Items("dict", {})) if not arguments.every() else None


@function("collections.Counter")
def _counter(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    if len(arguments.values) > 1 or arguments.options:
        return None
    result = Items(Defaulting(Value(), is_counter=True), {})
    if arguments.values:
        items = run.items(arguments.values[0])
        is_mapping = items is not None and items.kind == "dict"
        result = counted(result, inputs_of_all(run, node, arguments), is_mapping)
    return run.new(node, result)


@method("most_common", "elements", "subtract", "total")
def _of_counter(run: Run, node: ast.AST, value: Value, items: Items, arguments: Arguments) -> Any:
    if not isinstance(items.kind, Defaulting) or not items.kind.is_counter:
        return None
    name = getattr(getattr(node, "func", None), "attr", "")
    inputs = union((run.content(value), *map(run.content, arguments.every())))
    if name == "total":
        return Value(decided(inputs))
    if name == "subtract":
        change(run, value, lambda old: counted(old, inputs))
        return Value(literal=None)
    rest = Value(inputs)
    if name == "most_common":
        pair = run.new_items(node, "tuple", [rest, Value(decided(inputs))], "#pair")
        rest = run.one_of_many(pair)
    return run.new(node, Items("list", {}, rest, inputs), "#counted")


# Classes of the program's -----------------------------------------------------------------------


@function("collections.namedtuple")
def _namedtuple(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    if len(arguments.values) != 2 or arguments.options:
        return None
    name, fields = arguments.values
    names = names_of(run, fields)
    if isinstance(fields.literal, str):
        names = fields.literal.replace(",", " ").split()
    return Value(callee=Callee("record type", str(name.literal), tuple(names))) if names else None


@called("record type")
def _record(run: Run, node: ast.AST, callee: Callee, arguments: Arguments) -> Value:
    elements = {**dict(zip(callee.parts, arguments.values)), **arguments.options}
    if set(elements) != set(callee.parts) or len(arguments.values) > len(callee.parts):
        raise GiveUp(f"{callee.name} with defaults")
    return run.new(node, Items("record", {name: elements[name] for name in callee.parts}))


@called("class")
def _instance(run: Run, node: ast.AST, callee: Callee, arguments: Arguments) -> Value:
    """A new object: `__init__` sets its attributes, or a dataclass has them in order."""
    members, fields = callee.parts
    elements = {name: run.kept(member) for name, member in members.items}
    start = elements.pop("__init__", None)
    if fields is not None:
        defaults = {name: run.kept(value) for name, value in fields.items if value is not ...}
        names = [name for name, _ in fields.items]
        own = {**defaults, **dict(zip(names, arguments.values)), **arguments.options}
        if set(own) != set(names) or len(arguments.values) > len(names):
            raise GiveUp(f"{callee.name} with other arguments")
        return run.new(node, Items("instance", {**elements, **own}))
    if start is None and arguments.every():
        raise GiveUp(f"{callee.name} with arguments")
    value = run.new(node, Items("instance", elements))
    if start is None:
        return value
    key = f"#instance{run.site(node)}"
    number = run.call.scope.number
    run.state.scopes[number][key] = value
    call(run, node, bound_to(start, value), arguments)
    return run.state.scopes[number].pop(key)


@called("getter")
def _getter(run: Run, node: ast.AST, callee: Callee, arguments: Arguments) -> Value:
    """What `operator.itemgetter` and `attrgetter` give of their argument, one or several."""
    if len(arguments.every()) != 1 or any("." in str(key) for key in callee.parts):
        raise GiveUp(f"operator.{callee.name} with other arguments")
    (value,) = arguments.every()
    if callee.name == "attrgetter":
        parts = [attribute(run, node, value, name) for name in callee.parts]
    else:
        parts = [item(run, node, value, Value(literal=key)) for key in callee.parts]
    return parts[0] if len(parts) == 1 else run.new_items(node, "tuple", parts, "#getter")


@function("operator.itemgetter")
def _itemgetter(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    return _new_getter("itemgetter", arguments)


@function("operator.attrgetter")
def _attrgetter(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    return _new_getter("attrgetter", arguments)


def _new_getter(name: str, arguments: Arguments) -> Value | None:
    keys = tuple(each.literal for each in arguments.values)
    if arguments.options or not keys or not all(isinstance(key, (str, int)) for key in keys):
        return None
    return Value(callee=Callee("getter", name, keys))
