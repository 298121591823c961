"""Lines of a program that only show or drop the results of actions: no branch depends on these.

`orders.count()`, `print(f"{orders.count()} rows")`, `log.info("rows: %s", orders.count())`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

ACTIONS = {
    *(".collect", ".count", ".first", ".head", ".isEmpty", ".tail", ".take", ".toPandas"),
}
SHOW = {"print", *(".critical", ".debug", ".error", ".exception", ".info", ".log", ".warning")}
PASS_ON = {".dumps", ".format", "int", "len", "round", "str"}  # their results are as harmless
PARTS = (
    *(ast.Attribute, ast.BinOp, ast.Constant, ast.Dict, ast.expr_context, ast.FormattedValue),
    *(ast.JoinedStr, ast.keyword, ast.List, ast.Name, ast.operator, ast.Starred, ast.Subscript),
    ast.Tuple,
)


def shown_lines(program: str) -> frozenset[int]:
    """The lines on which the results of all actions are only shown or dropped.

    >>> text = "n = a.count()\\nprint(a.count(), 1)\\nprint(f(a))\\nif a.count(): print(a.count())"
    >>> sorted(shown_lines(text))
    [2]
    """
    tree = ast.parse(program)
    shown = [node for node in ast.walk(tree) if is_shown(node)]
    inside = {id(part) for node in shown for part in ast.walk(node)}
    others = [
        node for node in ast.walk(tree) if id(node) not in inside and name_of(node) in ACTIONS
    ]
    return frozenset(lines_of(shown)) - frozenset(lines_of(others))


def is_shown(node: ast.AST) -> bool:
    """Whether a node is a statement that shows or drops what it computes."""
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return False
    call = node.value
    if name_of(call) in ACTIONS:
        return True
    parts = [*call.args, *call.keywords]
    return name_of(call) in SHOW and all(is_harmless(part) for part in parts)


def is_harmless(node: ast.AST) -> bool:
    """Whether an expression calls nothing but actions and what passes their results on."""
    if isinstance(node, ast.Call):
        if name_of(node) in ACTIONS:
            return True
        if name_of(node) not in PASS_ON:
            return False
        return all(is_harmless(part) for part in [*node.args, *node.keywords])
    children = ast.iter_child_nodes(node)
    return isinstance(node, PARTS) and all(is_harmless(child) for child in children)


def name_of(node: ast.AST) -> str:
    """The name of the function that a node calls, of a method with a dot before it; else empty."""
    function = node.func if isinstance(node, ast.Call) else None
    if isinstance(function, ast.Attribute):
        return f".{function.attr}"
    return function.id if isinstance(function, ast.Name) else ""


def lines_of(nodes: list[ast.AST]) -> Iterator[int]:
    """The lines that nodes are on."""
    for node in nodes:
        first = getattr(node, "lineno", 1)
        yield from range(first, (getattr(node, "end_lineno", None) or first) + 1)
