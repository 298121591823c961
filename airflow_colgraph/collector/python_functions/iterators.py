"""`itertools`, `functools.reduce` and `partial`: iterators as lists of what they give."""

from __future__ import annotations

import ast

from airflow_colgraph.collector.lineage.transformations import Inputs, union
from airflow_colgraph.collector.python_functions.calls import Arguments, applied, call, called
from airflow_colgraph.collector.python_functions.comprehensions import key_content
from airflow_colgraph.collector.python_functions.iteration import (
    elements_of,
    hidden,
    inside,
    set_hidden,
)
from airflow_colgraph.collector.python_functions.library import function
from airflow_colgraph.collector.python_functions.run import MOST_ROUNDS, Run
from airflow_colgraph.collector.python_functions.values import (
    Callee,
    GiveUp,
    Items,
    Value,
    decided,
    either_value,
    joined_value,
)


def any_of(run: Run, node: ast.AST, value: Value, place: int = 0) -> tuple[list[Value], Inputs]:
    """Any element of what is iterated, if there is one, and what affects the number."""
    elements = elements_of(run, value, inside(node, place))
    some = elements.every()
    return ([either_value(some)] if some else []), elements.count_by


def listed_any(run: Run, node: ast.AST, values: list[Value], count: Inputs) -> Value:
    """A list of any number of values that are alike."""
    value = run.one_of_many(either_value(values)) if values else None
    return run.new(node, Items("list", {}, value, count), "#listed")


@function("itertools.chain")
def _chain(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    parts = [any_of(run, node, each, place) for place, each in enumerate(arguments.values)]
    values = [value for some, _ in parts for value in some]
    return listed_any(run, node, values, union(count for _, count in parts))


@function("itertools.chain.from_iterable")
def _flattened(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    outer, count = any_of(run, node, arguments.values[0])
    if not outer:
        return listed_any(run, node, [], count)
    values, inner = any_of(run, node, outer[0], 1)
    return listed_any(run, node, values, union((count, inner, run.inputs(outer[0]))))


@function("itertools.islice", "itertools.accumulate")
def _same(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    if len(arguments.every()) > 1 and arguments.every()[1].callee is not None:
        return None
    values, count = any_of(run, node, arguments.values[0])
    initial = arguments.options.get("initial", Value())
    others = [each for each in arguments.every()[1:] if each is not initial]
    by = union((count, *map(run.content, others)))
    if getattr(getattr(node, "func", None), "attr", "") != "islice" and values:
        values = [Value(union((run.content(values[0]), run.content(initial), decided(by))))]
    return listed_any(run, node, values, by)


@function("itertools.product", "itertools.pairwise")
def _tuples(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    if arguments.options:
        return None
    parts = [any_of(run, node, each, place) for place, each in enumerate(arguments.values)]
    row = [value for some, _ in parts for value in some]
    row = row if len(parts) > 1 else row * 2
    pair = [run.new_items(node, "tuple", row, "#pair")] if row else []
    return listed_any(run, node, pair, union(count for _, count in parts))


@function("itertools.groupby")
def _groups(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    key = arguments.get(1, "key")
    values, count = any_of(run, node, arguments.values[0])
    if not values:
        return listed_any(run, node, [], count)
    set_hidden(run, "#groupby", values[0])
    by = key_content(run, node, key, values)
    value = hidden(run, "#groupby")
    label = Value(by) if key is not None else value
    rows = union((count, decided(by)))
    group = run.one_of_many(run.new(node, Items("list", {}, value, rows), "#group"))
    pair = run.new_items(node, "tuple", [label, group], "#pair")
    return listed_any(run, node, [pair], rows)


@function("functools.reduce")
def _reduced(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    """What a function makes of the elements, two by two: until another one changes nothing."""
    if not 2 <= len(arguments.values) <= 3 or arguments.options:
        return None
    act, source, *first = arguments.values
    values, count = any_of(run, node, source)
    key = f"#reduced{run.site(node)}"
    set_hidden(run, key, either_value([*first, *values]) if first or values else Value())
    if not values:
        return hidden(run, key)
    set_hidden(run, f"{key}#element", values[0])
    for _ in range(MOST_ROUNDS):
        total = hidden(run, key)
        answer = applied(run, node, act, [total, hidden(run, f"{key}#element")], "#reduced")
        total = joined_value(hidden(run, key), answer)
        if total == hidden(run, key):
            return total._replace(inputs=union((total.inputs, decided(count))))
        set_hidden(run, key, total)
    raise GiveUp("a reduction that does not settle")


@function("functools.partial")
def _partial(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    act, *values = arguments.values
    parts = (act, tuple(values), tuple(arguments.options.items()))
    return Value(callee=Callee("partly", "", parts))


@called("partly")
def _partly(run: Run, node: ast.AST, callee: Callee, arguments: Arguments) -> Value:
    act, first, options = callee.parts
    merged = Arguments([*first, *arguments.values], {**dict(options), **arguments.options})
    return call(run, node, act, merged)
