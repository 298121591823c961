"""What the value of each expression depends on: the table EXPRESSIONS."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from airflow_colgraph.collector.lineage.transformations import NONE, union
from airflow_colgraph.collector.python_functions.callee import lookup
from airflow_colgraph.collector.python_functions.nodes import Node
from airflow_colgraph.collector.python_functions.run import Run, literal_of
from airflow_colgraph.collector.python_functions.tables import mapped
from airflow_colgraph.collector.python_functions.values import (
    UNKNOWN,
    Callee,
    GiveUp,
    Items,
    Value,
    decided,
    either_value,
    joined_value,
)

ExpressionRule = Callable[[Run, Any], Value]
EXPRESSIONS: dict[type, ExpressionRule] = {}
MOST_TEXT = 10_000  # characters or elements of a constant that is computed

FOLDED: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda item, items: item in items,
    ast.NotIn: lambda item, items: item not in items,
}


def rule(*kinds: type) -> Callable[[Any], Any]:
    """File a function as the rule of some kinds of expressions."""
    return lambda act: EXPRESSIONS.update(dict.fromkeys(kinds, act)) or act


def evaluate(run: Run, node: ast.AST) -> Value:
    """The value of an expression, where it runs: what decides that it does is kept apart."""
    run.step(node)
    act = EXPRESSIONS.get(type(node))
    if act is None:
        raise GiveUp(type(node).__name__.lower())
    run.again(node)
    value = act(run, node)
    for attempt in run.attempts:
        attempt.note(run, node, value)
    return value


@rule(ast.Constant)
def _constant(run: Run, node: ast.Constant) -> Value:
    return Value(literal=node.value)


@rule(ast.Name)
def _name(run: Run, node: ast.Name) -> Value:
    return lookup(run, node.id)


@rule(ast.List, ast.Tuple, ast.Set)
def _items(run: Run, node: ast.List) -> Value:
    kind = type(node).__name__.lower()
    if not any(isinstance(element, ast.Starred) for element in node.elts):
        return run.new_items(node, kind, [evaluate(run, element) for element in node.elts])
    values: list[Value] = []
    count, is_known = NONE, True
    for element in node.elts:
        if not isinstance(element, ast.Starred):
            values.append(evaluate(run, element))
            continue
        value = evaluate(run, element.value)
        items = run.items(value)
        if items is not None and is_known_sequence(items):
            by = decided(run.inputs(value))
            values += [each._replace(inputs=union((each.inputs, by))) for each in items.every()]
        else:
            is_known = False
            values.append(Value(run.content(value)))
            count = union((count, run.content(value)))
    if is_known and not count:
        return run.new_items(node, kind, values)
    return run.new(node, Items(kind, {}, either_value(values), count))


def is_known_sequence(items: Items) -> bool:
    """Whether a list or tuple is known element by element."""
    return items.kind in ("list", "tuple") and items.rest is None and not items.count_by


@rule(ast.Dict)
def _dict(run: Run, node: ast.Dict) -> Value:
    elements: dict[Any, Value] = {}
    rest: list[Value] = []
    count = NONE
    for key_node, value_node in zip(node.keys, node.values):
        if key_node is None:  # `**other`
            value = evaluate(run, value_node)
            items = run.items(value)
            if items is None or items.kind not in ("dict", "row") or run.inputs(value):
                rest.append(Value(run.content(value)))
                count = union((count, run.content(value)))
                continue
            elements.update(items.elements)
            rest += [items.rest] if items.rest is not None else []
            count = union((count, items.count_by))
            continue
        key = evaluate(run, key_node)
        value = evaluate(run, value_node)
        if isinstance(key.literal, (str, int)):
            elements.pop(key.literal, None)
            elements[key.literal] = value
        else:
            rest.append(value._replace(inputs=union((value.inputs, decided(run.content(key))))))
            count = union((count, run.content(key)))
    if rest:
        values = [*elements.values(), *rest]
        return run.new(node, Items("dict", {}, either_value(values), count))
    return run.new(node, Items("dict", elements, None, count))


@rule(ast.JoinedStr)
def _text(run: Run, node: ast.JoinedStr) -> Value:
    values = [evaluate(run, part) for part in node.values]
    if all(isinstance(value.literal, (str, int)) for value in values) and all(
        isinstance(part, ast.Constant) or is_plain(part) for part in node.values
    ):
        return Value(literal="".join(str(value.literal) for value in values))
    return run.single(node, values)


def is_plain(part: ast.expr) -> bool:
    """Whether a part of an f-string is shown as `str` has it."""
    return (
        isinstance(part, ast.FormattedValue) and part.conversion == -1 and part.format_spec is None
    )


@rule(ast.FormattedValue)
def _formatted(run: Run, node: ast.FormattedValue) -> Value:
    value = evaluate(run, node.value)
    if node.format_spec is None:
        return value if value.has_literal else run.single(node, [value])
    return run.single(node, [value, evaluate(run, node.format_spec)])


@rule(ast.BinOp)
def _binary(run: Run, node: ast.BinOp) -> Value:
    left, right = evaluate(run, node.left), evaluate(run, node.right)
    if left.has_literal and right.has_literal:
        return folded(run, node, type(node.op), left, right)
    first, second = run.items(left), run.items(right)
    is_added = isinstance(node.op, ast.Add)
    if is_added and first is not None and second is not None and first.kind == second.kind:
        return added(run, node, first, second, run.inputs(left), run.inputs(right))
    return of_tables(run, node, [left, right])


def is_object(value: Value) -> bool:
    """Whether a value is of a class that is not known: its operators may do anything."""
    return value.callee is not None and value.callee.kind == "object"


def added(run: Run, node: ast.AST, first: Items, second: Items, *by: Any) -> Value:
    """Two lists or tuples, one after the other."""
    is_known = is_known_sequence(first) and is_known_sequence(second) and not any(by)
    if is_known and not first.count_by and not second.count_by:
        return run.new_items(node, first.kind, [*first.every(), *second.every()])
    every = [*first.every(), *second.every()]
    count = union((first.count_by, second.count_by, *by))
    return run.new(node, Items(first.kind, {}, either_value(every) if every else None, count))


def of_tables(run: Run, node: ast.AST, operands: list[Value]) -> Value:
    """An operation on columns and scalars; on a table it is one on each of its columns."""
    if any(is_object(value) for value in operands):
        return run.top("an operator of an object", *operands)
    tables = [value for value in operands if run.table(value) is not None]
    others = [value for value in operands if run.table(value) is None]
    if len(tables) == 1 and all(value.shape is None and not value.refs for value in others):
        return mapped(run, node, tables[0], lambda _, column: run.computed(node, [column, *others]))
    return run.computed(node, operands)


def folded(run: Run, node: ast.AST, kind: type, left: Value, right: Value) -> Value:
    """A constant that is computed from constants, or one that is not known."""
    by = union((run.inputs(left), run.inputs(right)))
    first, second = literal_of(run, left), literal_of(run, right)
    act = FOLDED.get(kind)
    if act is None or first is UNKNOWN or second is UNKNOWN:
        return Value(by)
    try:
        answer = act(first, second)
    except TypeError:
        return Value(by)
    is_short = not isinstance(answer, (str, bytes)) or len(answer) <= MOST_TEXT
    return Value(by, literal=answer if is_short else UNKNOWN)


@rule(ast.UnaryOp)
def _unary(run: Run, node: ast.UnaryOp) -> Value:
    value = evaluate(run, node.operand)
    if value.has_literal:
        if isinstance(node.op, ast.Not):
            return value._replace(literal=not value.literal)
        if isinstance(node.op, ast.USub) and type(value.literal) in (int, float):
            return value._replace(literal=-value.literal)
    if isinstance(node.op, ast.Not):
        return Value(run.content(value))
    return of_tables(run, node, [value])


@rule(ast.Compare)
def _compare(run: Run, node: ast.Compare) -> Value:
    values = [evaluate(run, node.left), *(evaluate(run, each) for each in node.comparators)]
    if len(values) == 2:
        (kind,) = map(type, node.ops)
        if kind not in (ast.Is, ast.IsNot) and any(is_object(value) for value in values):
            return run.top("an operator of an object", *values)
        if kind in (ast.Is, ast.IsNot):
            return _identity(run, kind, values)
        if all(literal_of(run, value) is not UNKNOWN for value in values):
            return folded(run, node, kind, *values)
        if kind in (ast.In, ast.NotIn):
            key, items = values[0], run.items(values[1])
            certain = run.table(values[1])
            by = union(map(run.inputs, values))
            names = None
            if certain is not None and certain.rest is None:
                names = certain.columns
            elif items is not None and items.kind in ("dict", "row") and not items.count_by:
                names = items.elements if items.rest is None else None
            if names is not None and isinstance(key.literal, (str, int)):
                return Value(by, literal=(key.literal in names) == (kind is ast.In))
            return Value(union(map(run.content, values)))
    return of_tables(run, node, values)


def _identity(run: Run, kind: type, values: list[Value]) -> Value:
    """`is`: an object of ours is never None."""
    by = union(map(run.inputs, values))
    literals = [value.literal for value in values]
    if all(value.has_literal for value in values) and None in literals:
        return Value(by, literal=(literals[0] is literals[1]) == (kind is ast.Is))
    if None in literals and any(
        (value.refs or value.callee) and all(result is not None for result in run.objects(value))
        for value in values
        if not value.has_literal
    ):
        return Value(by, literal=kind is ast.IsNot)
    return Value(union(map(run.content, values)))


@rule(ast.BoolOp)
def _boolean(run: Run, node: ast.BoolOp) -> Value:
    """The later operands run only if the earlier ones let them: what they change is decided by."""
    before = run.state.decisions
    values: list[Value] = []
    start = None
    for operand in node.values:
        value = evaluate(run, operand)
        values.append(value)
        if start is not None:
            run.state.take(start.joined(run.state))
        if value.has_literal and bool(value.literal) == isinstance(node.op, ast.Or):
            break
        run.state.decisions = union((run.state.decisions, decided(run.content(value))))
        start = run.state.copy()
    run.state.decisions = before
    if all(value.has_literal for value in values):
        return values[-1]._replace(inputs=union(map(run.inputs, values)))
    by = union(decided(run.content(value)) for value in values[:-1])
    return _chosen(run, either_value(values), by)


def _chosen(run: Run, value: Value, by: Any) -> Value:
    return value._replace(
        inputs=union((value.inputs, by)), literal=UNKNOWN if by else value.literal
    )


@rule(ast.IfExp)
def _conditional(run: Run, node: ast.IfExp) -> Value:
    test = evaluate(run, node.test)
    if test.has_literal:
        return evaluate(run, node.body if test.literal else node.orelse)
    before, by = run.state.decisions, decided(run.content(test))
    run.state.decisions = union((before, by))
    start = run.state.copy()
    first = evaluate(run, node.body)
    state = run.state.copy()
    run.state.take(start)
    second = evaluate(run, node.orelse)
    run.state.take(state.joined(run.state))
    run.state.decisions = before
    value = joined_value(first, second)
    is_constant = first.has_literal and second.has_literal
    buffers = frozenset() if is_constant else value.buffers
    return value._replace(inputs=union((value.inputs, by)), buffers=buffers)


@rule(ast.Lambda)
def _lambda(run: Run, node: ast.Lambda) -> Value:
    defaults = tuple(evaluate(run, each) for each in node.args.defaults)
    options = tuple(evaluate(run, e) if e is not None else None for e in node.args.kw_defaults)
    return Value(
        callee=Callee("closure", "<lambda>", (Node(node), run.call.scope, defaults, options))
    )


@rule(ast.Slice)
def _slice(run: Run, node: ast.Slice) -> Value:
    parts = [evaluate(run, part) for part in (node.lower, node.upper, node.step) if part]
    return Value(union(map(run.content, parts)), callee=Callee("slice"))
