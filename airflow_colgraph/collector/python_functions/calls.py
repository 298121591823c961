"""Calls: of functions of the program's, of the libraries' functions, of methods."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from airflow_colgraph.collector.lineage.transformations import union
from airflow_colgraph.collector.python_functions.expressions import evaluate, rule
from airflow_colgraph.collector.python_functions.nodes import Node
from airflow_colgraph.collector.python_functions.run import MOST_DEPTH, Boxed, Call, Run, Scope
from airflow_colgraph.collector.python_functions.source import MOST_TREES, Captured, definition
from airflow_colgraph.collector.python_functions.statements import execute, finish, over
from airflow_colgraph.collector.python_functions.values import (
    Callee,
    GiveUp,
    Items,
    Value,
    decided,
    either_value,
)


class Arguments(NamedTuple):
    """The arguments of a call."""

    values: list[Value]
    options: Mapping[str, Value]

    def get(self, place: int, name: str) -> Value | None:
        """An argument by its place or its name."""
        if 0 <= place < len(self.values):
            return self.values[place]
        return self.options.get(name)

    def every(self) -> list[Value]:
        """All of them."""
        return [*self.values, *self.options.values()]

    def only(self, *names: str) -> bool:
        """Whether all options are among these."""
        return set(self.options) <= set(names)


def callee_name(node: ast.AST) -> str:
    """The name of the method that is called."""
    function = getattr(node, "func", None)
    return function.attr if isinstance(function, ast.Attribute) else ""


CallRule = Callable[[Run, ast.AST, Callee, Arguments], Value]
CALLED: dict[str, CallRule] = {}
"""What a call of a callee of some kind does."""


def called(kind: str) -> Callable[[CallRule], CallRule]:
    """File a function as the rule for calls of a kind of callee."""
    return lambda act: CALLED.setdefault(kind, act)


@rule(ast.Call)
def _call(run: Run, node: ast.Call) -> Value:
    function = evaluate(run, node.func)
    values: list[Value] = []
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            items = run.items(evaluate(run, argument.value))
            if items is None or items.rest is not None or items.kind not in ("list", "tuple"):
                raise GiveUp("arguments of unknown number")
            values += items.elements.values()
        else:
            values.append(evaluate(run, argument))
    options: dict[str, Value] = {}
    for keyword in node.keywords:
        value = evaluate(run, keyword.value)
        if keyword.arg == "out":
            raise GiveUp("an answer that is put into an argument")
        if keyword.arg is not None:
            options[keyword.arg] = value
            continue
        items = run.items(value)
        if items is None or items.rest is not None or items.kind != "dict":
            raise GiveUp("options of unknown names")
        options.update(items.elements)
    run.line = node.lineno
    return call(run, node, function, Arguments(values, options))


def call(run: Run, node: ast.AST, function: Value, arguments: Arguments) -> Value:
    """The answer of a call."""
    if function.callee is None:
        items = run.items(function)
        if items is not None and items.kind == "instance" and "__call__" in items.elements:
            return call(run, node, bound_to(items.elements["__call__"], function), arguments)
        return run.top("a call of a value", function, *arguments.every())
    act = CALLED.get(function.callee.kind)
    if act is None:
        name = f"{function.callee.kind} {function.callee.name}".strip()
        return run.top(name, function, *arguments.every())
    answer = act(run, node, function.callee, arguments)
    by = run.inputs(function)
    return answer._replace(inputs=union((answer.inputs, decided(by)))) if by else answer


# Functions of the program's -------------------------------------------------------------------


@called("function")
def _function(run: Run, node: ast.AST, callee: Callee, arguments: Arguments) -> Value:
    (boxed,) = callee.parts
    assert isinstance(boxed, Boxed)
    captured = boxed.captured
    tree = definition(captured.code)
    if tree is None:
        raise GiveUp(f"{callee.name}, which has no source")
    defaults = [run.kept(each) for each in captured.positional_defaults]
    options = {name: run.kept(each) for name, each in captured.keyword_defaults.items()}
    bound = bind(run, node, tree, arguments, defaults, options)
    return enter(run, node, tree, captured, None, bound)


@called("closure")
def _closure(run: Run, node: ast.AST, callee: Callee, arguments: Arguments) -> Value:
    holder, scope, defaults, options = callee.parts
    assert isinstance(holder, Node)
    assert isinstance(scope, Scope)
    tree: Any = holder.tree
    names = [argument.arg for argument in tree.args.kwonlyargs]
    by_name = {name: value for name, value in zip(names, options) if value is not None}
    bound = bind(run, node, tree, arguments, list(defaults), by_name)
    return enter(run, node, tree, scope.captured, scope, bound)


def bound_to(member: Value, owner: Value) -> Value:
    """An object's attribute: a method of its class gets the object first."""
    if member.callee is None or member.callee.kind != "method of":
        return member
    return member._replace(
        callee=Callee("bound", member.callee.name, (*member.callee.parts, owner))
    )


@called("bound")
def _bound(run: Run, node: ast.AST, callee: Callee, arguments: Arguments) -> Value:
    function, owner = callee.parts
    own = owner if isinstance(owner, Value) else run.kept(owner)
    merged = Arguments([own, *arguments.values], arguments.options)
    return call(run, node, run.kept(function), merged)


@called("partial")
def _partial(run: Run, node: ast.AST, callee: Callee, arguments: Arguments) -> Value:
    function, first, kept = callee.parts
    values = [run.kept(each) for each in first]
    options = {name: run.kept(each) for name, each in kept.items}
    merged = Arguments([*values, *arguments.values], {**options, **arguments.options})
    return call(run, node, run.kept(function), merged)


UNFIT = "arguments that do not fit"


def bind(
    run: Run,
    node: ast.AST,
    tree: Any,
    arguments: Arguments,
    defaults: list[Value],
    options: Mapping[str, Value],
) -> dict[str, Value]:
    """A function's parameters with their values; GiveUp if it takes others than these."""
    names = [each.arg for each in (*tree.args.posonlyargs, *tree.args.args)]
    rest: dict[str, Value] = {}
    if tree.args.vararg:
        more = run.new_items(node, "tuple", arguments.values[len(names) :], "#arguments")
        rest[tree.args.vararg.arg] = more
        arguments = arguments._replace(values=arguments.values[: len(names)])
    if tree.args.kwarg:
        own = {*names, *(each.arg for each in tree.args.kwonlyargs)}
        others = {name: each for name, each in arguments.options.items() if name not in own}
        rest[tree.args.kwarg.arg] = run.new(node, Items("dict", others), "#options")
        kept = {name: each for name, each in arguments.options.items() if name in own}
        arguments = arguments._replace(options=kept)
    bound = dict(zip(names[len(names) - len(defaults) :], defaults)) if defaults else {}
    bound.update(options)
    bound.update(zip(names, arguments.values))
    bound.update(arguments.options)
    wanted = {*names, *(each.arg for each in tree.args.kwonlyargs)}
    if set(bound) != wanted or len(arguments.values) > len(names):
        raise GiveUp(UNFIT)
    return {**bound, **rest}


@functools.lru_cache(MOST_TREES)
def nodes_of(tree: ast.AST) -> tuple[ast.AST, ...]:
    """The nodes of a function's tree, itself first."""
    return tuple(ast.walk(tree))


UNFOLLOWED = (ast.Global, ast.Nonlocal, ast.Await, ast.AsyncFor, ast.AsyncWith, ast.ClassDef)


def enter(
    run: Run,
    node: ast.AST,
    tree: Any,
    captured: Captured,
    outer: Scope | None,
    bound: Mapping[str, Value],
) -> Value:
    """Run the body of a function of the program's; GiveUp if it calls itself."""
    place = f"{run.site(node)}>{captured.code.co_name}:{tree.lineno}:{tree.col_offset}"
    number = hash(place)
    if len(run.calls) >= MOST_DEPTH or any(result.scope.number == number for result in run.calls):
        raise GiveUp("functions that call themselves")
    if any(isinstance(inner, UNFOLLOWED) for inner in nodes_of(tree)):
        raise GiveUp("global, nonlocal, a class, or an asynchronous function")
    before, path, file, line = run.state.decisions, run.path, run.file, run.line
    scope = Scope(number, captured, outer)
    if number in run.state.scopes:
        raise GiveUp("functions that outlive the function that made them")
    run.state.scopes[number] = dict(bound)
    run.calls.append(Call(scope, node))
    if len(run.calls) == 2:
        run.call.tails = tails_of(tree)
    run.path = f"{path}/{number:x}"
    run.file = captured.code.co_filename.rpartition("/")[2]
    if isinstance(tree, ast.Lambda):
        finish(run, evaluate(run, tree.body))
    else:
        execute(run, tree.body)
        if not run.state.is_over:
            finish(run, Value(literal=None))
    result = run.calls[-1]
    state = over()
    for end in result.returned:
        state = state.joined(end)
    run.state.take(state)
    run.state.is_over = not result.returned
    answer = result.value if result.value is not None else Value(literal=None)
    run.calls.pop()  # who gives up leaves the place where it was
    run.path, run.file, run.line = path, file, line
    run.state.decisions = before
    if run.state.is_over:
        raise GiveUp("a function that only fails")
    names = run.state.scopes.pop(number, {})
    kept = answer if len(run.calls) > 1 else Value()  # what is given to Spark is read by now
    if has_functions(tree) and is_seen(run, number, kept):
        run.state.scopes[number] = names
    return answer


def tails_of(tree: Any) -> frozenset[int]:
    """The ids of the calls whose answers a function returns as they are, after all else."""
    if isinstance(tree, ast.Lambda):
        return frozenset({id(tree.body)})
    inner = nodes_of(tree)
    if any(isinstance(each, (ast.Try, ast.With, ast.Yield, ast.YieldFrom)) for each in inner):
        return frozenset()
    return frozenset(id(each.value) for each in inner if isinstance(each, ast.Return))


def has_functions(tree: ast.AST) -> bool:
    """Whether functions are made inside of a function, which see its names later."""
    kinds = (ast.FunctionDef, ast.Lambda, ast.GeneratorExp)
    return any(isinstance(inner, kinds) for inner in nodes_of(tree)[1:])


def is_seen(run: Run, number: int, answer: Value) -> bool:
    """Whether a function that was made in a call is still within reach."""
    values = [answer]
    values += [value for names in run.state.scopes.values() for value in names.values()]
    values += [
        value
        for result in run.state.heap.values()
        if result is not None
        for value in result.every()
    ]
    callees = [value.callee for value in values if value.callee is not None]
    while callees:
        for part in callees.pop().parts:
            if isinstance(part, Scope) and part.number == number:
                return True
            inner = part.callee if isinstance(part, Value) else part
            callees += [inner] if isinstance(inner, Callee) else []
    return False


# What gets functions --------------------------------------------------------------------------


def applied(run: Run, node: ast.AST, function: Value, values: list[Value], part: str = "") -> Value:
    """A function called any number of times, with values that are alike."""
    key = f"#applied{run.site(node, part)}"
    number = run.call.scope.number
    head = run.state.copy()
    for _ in range(8):
        run.state.take(head)
        answer = call(run, node, function, Arguments(values, {}))
        run.state.scopes[number][key] = answer
        after = head.joined(run.state)
        if after.is_as(head):
            break
        head = after
    else:
        raise GiveUp("a function whose effects do not settle")
    run.state.take(head)
    return run.state.scopes[number].pop(key)


def flattened(run: Run, items: Items) -> Value:
    """Any of the elements."""
    every = items.every()
    return either_value(every) if every else Value(items.count_by)


def option(run: Run, arguments: Arguments, name: str, default: Any = None) -> Any:
    """A constant among the options."""
    value = arguments.options.get(name)
    return default if value is None else value.literal
