"""What a program's tests are without a row and with one, by its text alone."""

from __future__ import annotations

import ast
import operator
from collections.abc import Iterator, Mapping
from typing import Any

Pair = tuple[Any, Any]  # what an expression is without a row, and with one

COMPARISONS = {
    **{ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le},
    **{ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Is: operator.is_, ast.IsNot: operator.is_not},
}
ENDS = (ast.Raise, ast.Return, ast.Continue, ast.Break)
EXITS = {"exit", "_exit", "quit"}
TESTS = (ast.If, ast.IfExp, ast.Assert)


def decision(node: ast.If | ast.IfExp | ast.Assert, values: Mapping[Any, Pair]) -> Iterator[bool]:
    """Whether the branch for a row is taken, if there is one for no row, too."""
    result = both(node.test, values)
    if result is None or bool(result[0]) == bool(result[1]):
        return
    if isinstance(node, ast.Assert):
        yield bool(result[1])
    elif isinstance(node, ast.IfExp):
        yield True
    else:
        with_row, without = (node.body, node.orelse)[:: 1 if result[1] else -1]
        yield does_end(without) or not does_end(with_row)


def holds_rows(result: Pair) -> bool:
    """Whether an expression is a row or a list of rows: a program may compute with their values."""
    return result[0] in (None, [])


def does_end(statements: list[ast.stmt]) -> bool:
    """Whether statements leave the function or the loop that they are in.

    >>> [does_end(ast.parse(text).body) for text in ("raise E", "log(1); sys.exit(0)", "exit", "")]
    [True, True, False, False]
    """
    return any(
        isinstance(each, ENDS)
        or (isinstance(each, ast.Expr) and name_of(each.value) in EXITS)
        or (isinstance(each, ast.If) and does_end(each.body) and does_end(each.orelse))
        for each in statements
    )


def both(node: ast.AST, values: Mapping[Any, Pair]) -> Pair | None:
    """What an expression is without a row and with one, or None if it has to be computed.

    >>> test = ast.parse("a is None or not n > 0", mode="eval").body
    >>> both(test, {"n": (0, 1)})
    (True, False)
    """
    key = node.id if isinstance(node, ast.Name) else node
    if key in values:
        return values[key]
    if isinstance(node, ast.Constant):
        return (node.value, node.value)
    if isinstance(node, ast.NamedExpr):
        result = both(node.value, values)
        return None if result is None or holds_rows(result) else result
    if isinstance(node, ast.Call) and name_of(node) == "len" and len(node.args) == 1:
        result = both(node.args[0], values)
        return (len(result[0]), len(result[1])) if result and result[0] == [] else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        operand = both(node.operand, values)
        return operand and (not operand[0], not operand[1])
    if isinstance(node, ast.BoolOp):
        choose = all if isinstance(node.op, ast.And) else any
        parts = [part for part in (both(each, values) for each in node.values) if part]
        without, with_row = ([part[place] for part in parts] for place in (0, 1))
        return (choose(without), choose(with_row)) if parts else None
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        compare = COMPARISONS.get(type(node.ops[0]))
        left, right = both(node.left, values), both(node.comparators[0], values)
        if compare and left and right:
            try:
                return (compare(left[0], right[0]), compare(left[1], right[1]))
            except TypeError:
                return None
    return None


def name_of(node: ast.AST) -> str:
    """The name of the function or method that a node calls; else empty."""
    function = node.func if isinstance(node, ast.Call) else None
    return getattr(function, "attr", "") or getattr(function, "id", "")
