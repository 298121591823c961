"""Comprehensions, generator expressions, `map` and `filter`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from airflow_colgraph.collector.lineage.transformations import Inputs, union
from airflow_colgraph.collector.python_functions.assignment import assign
from airflow_colgraph.collector.python_functions.calls import Arguments, applied
from airflow_colgraph.collector.python_functions.expressions import evaluate, rule
from airflow_colgraph.collector.python_functions.iteration import (
    ITERATED,
    LAZY,
    elements_of,
    hidden,
    inside,
    repeat,
    set_hidden,
)
from airflow_colgraph.collector.python_functions.nodes import Node
from airflow_colgraph.collector.python_functions.run import Run
from airflow_colgraph.collector.python_functions.values import (
    Callee,
    GiveUp,
    Items,
    Ref,
    Value,
    decided,
    either_value,
    joined_object,
)


@rule(ast.ListComp, ast.SetComp)
def _list(run: Run, node: ast.ListComp) -> Value:
    kind = "list" if isinstance(node, ast.ListComp) else "set"
    return _collected(run, node, kind, evaluate(run, node.generators[0].iter))


@rule(ast.DictComp)
def _dict(run: Run, node: ast.DictComp) -> Value:
    return _collected(run, node, "dict", evaluate(run, node.generators[0].iter))


@rule(ast.GeneratorExp)
def _generator(run: Run, node: ast.GeneratorExp) -> Value:
    first = evaluate(run, node.generators[0].iter)
    return Value(callee=Callee("lazy", "generator", (Node(node), run.call.scope, first)))


def _collected(run: Run, node: Any, kind: str, first: Value) -> Value:
    """The list, set or dict that a comprehension makes; its names are its own."""
    key = f"#collected{run.site(node)}"
    set_hidden(run, key, run.new(node, Items(kind, {}), "#collected"))
    targets = {
        name.id
        for generator in node.generators
        for name in ast.walk(generator.target)
        if isinstance(name, ast.Name)
    }
    names = run.state.scopes[run.call.scope.number]
    kept = {f"#outer:{name}": names[name] for name in targets if name in names}
    names.update(kept)
    before = run.state.decisions

    def add() -> None:
        if kind == "dict":
            label, value = evaluate(run, node.key), evaluate(run, node.value)
        else:
            label, value = Value(), evaluate(run, node.elt)
        for ref in hidden(run, key).refs:
            result = run.state.heap[ref]
            assert isinstance(result, Items)
            run.state.heap[ref] = with_item(run, result, label, value)

    def go(place: int, source: Value) -> None:
        generator = node.generators[place]
        if generator.is_async:
            raise GiveUp("an asynchronous comprehension")

        def once(value: Value) -> None:
            decisions = run.state.decisions
            assign(run, generator.target, value)
            for test in generator.ifs:
                answer = evaluate(run, test)
                if answer.has_literal and not answer.literal:
                    return
                if not answer.has_literal:
                    by = decided(run.content(answer))
                    run.state.decisions = union((run.state.decisions, by))
            skipped = None if decisions == run.state.decisions else run.state.copy()
            if place + 1 < len(node.generators):
                go(place + 1, evaluate(run, node.generators[place + 1].iter))
            else:
                add()
            if skipped is not None:
                run.state.take(skipped.joined(run.state))
            run.state.decisions = decisions

        repeat(run, source, generator.iter, once)

    go(0, first)
    run.state.decisions = before
    names = run.state.scopes[run.call.scope.number]
    for name in targets:
        names.pop(name, None)
        if f"#outer:{name}" in names:
            names[name] = names.pop(f"#outer:{name}")
    return names.pop(key)


def with_item(run: Run, result: Items, label: Value, value: Value) -> Items:
    """The items with one more."""
    by = decided(run.state.decisions)
    value = value._replace(inputs=union((value.inputs, by)))
    count = union((result.count_by, by))
    if result.kind == "dict":
        if isinstance(label.literal, (str, int)) and not run.inputs(label) and not by:
            return result._replace(elements={**result.elements, label.literal: value})
        value = value._replace(inputs=union((value.inputs, decided(run.content(label)))))
        count = union((count, run.content(label)))
    elif result.rest is None and not by:
        return result._replace(elements={**result.elements, len(result.elements): value})
    single = Items(result.kind, {}, value, count)
    joined = joined_object(result._replace(count_by=count), single)
    assert isinstance(joined, Items)
    return joined


def _generated(run: Run, callee: Callee, node: ast.AST) -> Items:
    holder, scope, first = callee.parts
    calls = run.calls
    if scope != run.call.scope:
        raise GiveUp("a generator that leaves its function")
    assert calls
    return _items(run, _collected(run, holder.tree, "list", first))


def _items(run: Run, value: Value) -> Items:
    items = run.items(value)
    assert items is not None
    return items


def _mapped(run: Run, callee: Callee, node: ast.AST) -> Items:
    function, *sources = callee.parts
    return _each(run, node, sources, lambda values: applied(run, node, function, values))


def _filtered(run: Run, callee: Callee, node: ast.AST) -> Items:
    """The elements for which a function holds."""
    function, source = callee.parts
    elements = elements_of(run, source, inside(node))
    if function.has_literal:
        tests = [run.content(value) for value in elements.some()]
    else:
        tests = [run.content(applied(run, node, function, [v])) for v in elements.some()]
    count = union((elements.count_by, *map(decided, tests)))
    values = elements.some()
    return Items("list", {}, values[0] if values else None, count)


def _each(
    run: Run, node: ast.AST, sources: list[Value], act: Callable[[list[Value]], Value]
) -> Items:
    inner = [elements_of(run, source, inside(node, n)) for n, source in enumerate(sources)]
    rows = [*zip(*(elements.certain or () for elements in inner))]
    if rows and not any(value.refs or value.callee for row in rows for value in row):
        answers = [act(list(row)) for row in rows]
        if not any(answer.refs or answer.callee for answer in answers):
            return Items("list", dict(enumerate(answers)))
    values = [elements.some() for elements in inner]
    count = union(elements.count_by for elements in inner)
    if not all(values):
        return Items("list", {}, None, count)
    return Items("list", {}, act([either_value(each) for each in values]), count)


LAZY.update({"generator": _generated, "map": _mapped, "filter": _filtered})


def listed(run: Run, node: ast.AST, value: Value, kind: str = "list") -> Value:
    """A list, tuple or set of what a value gives when it is gone through."""
    elements = elements_of(run, value, node)
    if elements.certain is not None and kind != "set":
        return run.new_items(node, kind, elements.certain, f"#{kind}")
    some = elements.some()
    result = run.new(
        node, Items(kind, {}, some[0] if some else None, elements.count_by), f"#{kind}"
    )
    for ref in [ref for each in some for ref in each.refs]:
        _many(run, ref)
    return result._replace(refs=frozenset({Ref(run.site(node, f"#{kind}"))}))


def settled(run: Run, node: ast.AST, arguments: Arguments) -> Arguments:
    """The arguments with a list in the place of each iterator."""

    def one_by_one(place: int, value: Value) -> Value:
        is_iterator = value.callee is not None and value.callee.kind in ITERATED
        return listed(run, inside(node, place), value) if is_iterator else value

    values = [one_by_one(place, value) for place, value in enumerate(arguments.values)]
    pairs = enumerate(arguments.options.items(), len(values))
    return Arguments(values, {name: one_by_one(place, value) for place, (name, value) in pairs})


def key_content(run: Run, node: ast.AST, key: Value | None, values: list[Value]) -> Inputs:
    """What values are compared by: what a function makes of them, or all that is in them."""
    if key is None or key.literal is None or not values:
        return union(map(run.content, values))
    return run.content(applied(run, node, key, [either_value(values)], "#key"))


def _many(run: Run, ref: Ref) -> None:
    """One element stands for many."""
    if not ref.is_earlier:
        run.state.retire(ref)
