"""What a name stands for: a variable, what the function has captured, or a builtin."""

from __future__ import annotations

import ast
import builtins
from typing import Any

from airflow_colgraph.collector.python_functions.run import Run, Scope
from airflow_colgraph.collector.python_functions.source import (
    INERT,
    Captured,
    Kept,
    bindings,
    first_line,
    tree_of,
)
from airflow_colgraph.collector.python_functions.values import Callee, GiveUp, Value


def lookup(run: Run, name: str) -> Value:
    """The value of a name; GiveUp if nobody knows what it stands for."""
    scope: Scope | None = run.call.scope
    last = scope
    while scope is not None:
        names = run.state.scopes.get(scope.number, {})
        if name in names:
            return names[name]
        last, scope = scope, scope.outer
    assert last is not None
    captured = last.captured
    if name in captured.names:
        if not is_certain(captured, name, captured.names[name]):
            raise GiveUp(f"the global {name}")
        return run.kept(captured.names[name])
    if hasattr(builtins, name):
        return Value(callee=Callee("library", f"builtins.{name}"))
    raise GiveUp(f"the name {name}")


def library_name(run: Run, node: ast.AST) -> str:
    """The library's name that an expression stands for, or nothing."""
    if isinstance(node, ast.Name):
        callee = lookup(run, node.id).callee
        return callee.name if callee is not None and callee.kind == "library" else ""
    return ""


def is_certain(captured: Captured, name: str, value: Any) -> bool:
    """Whether the worker has what the driver has.

    A function of a module is pickled by its name: there its globals are those of the module's text.
    """
    if captured.module == "__main__" or name in captured.code.co_freevars:
        return True
    tree = tree_of(captured.code.co_filename)
    bound = bindings(tree, name) if tree is not None else []
    if len(bound) != 1 or tree is None:
        return False
    (node,) = bound
    if isinstance(value, Captured):
        is_def = isinstance(node, ast.FunctionDef) and not node.decorator_list
        return isinstance(node, ast.ImportFrom) or (
            is_def and value.code.co_name == name and first_line(node) == value.code.co_firstlineno  # type: ignore[arg-type]
        )
    if isinstance(value, Callee) and value.name in INERT.values():
        return isinstance(node, ast.Name)
    if isinstance(value, Callee) and value.kind in ("class", "record type"):
        return isinstance(node, (ast.ClassDef, ast.ImportFrom, ast.Name))
    if isinstance(value, Callee):
        return isinstance(node, (ast.Import, ast.ImportFrom)) and value.kind in (
            "module",
            "library",
        )
    for statement in tree.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        targets += [statement.target] if isinstance(statement, ast.AnnAssign) else []
        if node in targets:
            return is_literal(statement.value, value)  # type: ignore[attr-defined]
    return False


def is_literal(node: ast.expr | None, value: Any) -> bool:
    """Whether an expression of constants has a value."""
    try:
        constant = ast.literal_eval(node) if node is not None else None
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return bool(repr(constant) == repr(plain(value)))


def plain(value: Any) -> Any:
    """A captured constant as the object that it is a copy of."""
    if not isinstance(value, Kept):
        return value
    if value.kind == "instance":
        return object()
    pairs = [(plain(key), plain(inner)) for key, inner in value.items]
    if value.kind == "dict":
        return dict(pairs)
    values = [inner for _, inner in pairs]
    kinds: dict[str, Any] = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}
    return kinds[value.kind](values)
