"""Higher-order functions: a lambda's variables stand for the elements of the arguments. Pure."""

from __future__ import annotations

from collections.abc import Callable

from airflow_colgraph.collector.lineage.array_order import is_default_order
from airflow_colgraph.collector.lineage.resolution import Scope
from airflow_colgraph.collector.lineage.transformations import (
    CONDITIONAL,
    TRANSFORMATION,
    Inputs,
    fields_of,
    union,
)
from airflow_colgraph.collector.lineage.values import (
    SOURCELESS,
    Value,
    counted_by,
    indirect,
    joined,
    made_of,
    stepped,
    with_indirect,
)
from airflow_colgraph.collector.plan import Node, Row, expr_id

ExpressionRule = Callable[[Row, Scope, "list[Value]"], Value]
"""What an expression makes of its children's values in a scope."""

Body = Callable[[Node, list[Value]], Value]  # a lambda and what its variables are -> its value


def _in_order(arguments: list[Value], count: int) -> list[Value]:
    """`zip_with`: the first variable is of the first argument, and so on."""
    return (arguments + [SOURCELESS] * count)[:count]


def _elements_and_position(arguments: list[Value], count: int) -> list[Value]:
    return ([arguments[0]] + [SOURCELESS] * count)[:count]


def _all_of_first(arguments: list[Value], count: int) -> list[Value]:
    return [arguments[0]] * count


def _key_and_both(arguments: list[Value], count: int) -> list[Value]:
    """`map_zip_with`: the key is of both maps, the values are each of its own."""
    return [made_of(arguments), *arguments][:count]


VARIABLES: dict[str, Callable[[list[Value], int], list[Value]]] = {
    "ArrayTransform": _elements_and_position,
    "ArrayFilter": _elements_and_position,
    "ArrayExists": _elements_and_position,
    "ArrayForAll": _elements_and_position,
    "ZipWith": _in_order,
    "MapZipWith": _key_and_both,
}


MAKES_ELEMENTS = {"ArrayTransform", "TransformValues", "ZipWith", "MapZipWith"}
KEEPS_ELEMENTS = {"ArrayFilter", "ArraySort", "MapFilter"}


def evaluate_tree(node: Node, scope: Scope, apply: ExpressionRule) -> Value:
    """What an expression comes from, from the top down where there are lambdas to bind.

    `apply` is the rule of any other expression.
    """
    lambdas = [child for child in node.children if child.kind == "LambdaFunction"]
    if not lambdas:
        children = [evaluate_tree(child, scope, apply) for child in reversed(node.children)]
        return apply(node.row, scope, children[::-1])
    arguments = [
        evaluate_tree(child, scope, apply)
        for child in node.children
        if child.kind != "LambdaFunction"
    ]

    def body(function: Node, bound: list[Value]) -> Value:
        result, *variables = function.children
        named = {
            expr_id(variable.row): value._replace(built=None)
            for variable, value in zip(variables, bound)
        }
        return evaluate_tree(result, scope.with_variables(named), apply)

    if node.kind == "ArraySort" and is_default_order(lambdas[0]):
        return apply({**node.row, "class": "SortArray"}, scope, arguments)
    if node.kind == "ArrayAggregate":
        return _accumulated(arguments[0], arguments[1], lambdas, body)
    bind = VARIABLES.get(node.kind, _all_of_first)
    bodies = [body(function, bind(arguments, len(function.children) - 1)) for function in lambdas]
    if node.kind in MAKES_ELEMENTS:
        value = stepped(bodies[0], TRANSFORMATION)
        arrays = [array for array in arguments if not is_read_by_member(array, value)]
        counted = counted_by(arrays, value)
        return counted._replace(inputs=union((value.inputs, made_of(arrays).inputs)))
    if node.kind not in KEEPS_ELEMENTS:
        unread = (array for array in arguments if not is_read_by_member(array, made_of(bodies)))
        return made_of([*unread, *bodies])
    unbound = [body(each, [SOURCELESS] * (len(each.children) - 1)) for each in lambdas]
    others = indirect(CONDITIONAL, *unbound)  # what decides and is no part of an element
    whole = made_of([*arguments, Value(without(made_of(bodies).inputs, others))])
    kept = stepped(arguments[0], TRANSFORMATION)
    members = with_indirect(kept, indirect(CONDITIONAL, *bodies)).members
    return Value(union((whole.inputs, others)), members)


def without(inputs: Inputs, others: Inputs) -> Inputs:
    """Inputs without the fields that are among others."""
    left = {step: fields & ~fields_of(others) for step, fields in inputs.items()}
    return {step: fields for step, fields in left.items() if fields}


def is_read_by_member(array: Value, body: Value) -> bool:
    """Whether a lambda takes members of the structs that a query has put into an array.

    Then the other members are not in what it makes.
    """
    members = (array.members or {}).values()
    whole = fields_of(array.inputs)
    if whole != fields_of(union(member.inputs for member in members)):
        return False  # the array is a column, more than the members that are known
    return bool(whole & fields_of(body.inputs))


def _accumulated(array: Value, zero: Value, lambdas: list[Node], body: Body) -> Value:
    """What `aggregate` makes: it feeds itself until no member has anything new.

    How many elements there are affects each member of a struct.
    """
    merge, finish = lambdas
    state = stepped(zero, TRANSFORMATION)
    while True:
        again = body(merge, [state, array])
        grown = stepped(joined([state, again]), TRANSFORMATION)
        if grown == state:
            break
        state = grown
    result = stepped(body(finish, [state]), TRANSFORMATION)
    if is_read_by_member(array, result):
        return result
    chosen = with_indirect(result, indirect(CONDITIONAL, array))
    if zero.members and not result.members:
        return chosen
    return Value(union((result.inputs, made_of([array]).inputs)), chosen.members)
