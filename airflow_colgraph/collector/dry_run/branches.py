"""Whether a program should be told that a frame has a row, where it branches on there being one.

`if orders.count() == 0: return` ends a plan in which no frame has a row: what comes after it, for
which the program was written, would be lost. So a plan answers as if there were a row, unless it is
the branch for rows that ends: `if bad.count() > 0: raise ValueError`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import FrameType
from typing import Any

from airflow_colgraph.collector.dry_run.decisions import (
    TESTS,
    Pair,
    both,
    decision,
    holds_rows,
    name_of,
)
from airflow_colgraph.collector.python_functions.source import tree_of

A_ROW = object()
PAIRS: dict[str, Pair] = {
    **{"count": (0, 1), "isEmpty": (True, False), "first": (None, A_ROW)},
    **dict.fromkeys(("collect", "head", "tail", "take"), ([], [A_ROW])),
}
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.Module)
MOST_CALLERS = 3  # one above the other, that return what they are returned


def is_for_rows(frame: FrameType | None, name: str) -> bool:
    """Whether the branch that a program takes with a row is the one to plan.

    `frame` is the one that calls the action `name`.
    """
    pair = PAIRS[name]
    for _ in range(MOST_CALLERS):
        if frame is None:
            return False
        module = module_at(frame)
        decisions = [] if module is None else list(module.decisions(frame.f_lineno, name, pair))
        returned = next((each for each in decisions if not isinstance(each, bool)), None)
        if returned is None:
            return bool(decisions) and all(decisions)
        name, frame, pair = frame.f_code.co_name, frame.f_back, returned
    return False


def is_indexed(frame: FrameType | None, name: str, *, is_row: bool) -> bool:
    """Whether a program takes a value of the row, or the first row, that an action returns.

    It does so without a test: without a row it would end with an error.
    """
    module = None if frame is None else module_at(frame)
    return frame is not None and module is not None and module.indexes(frame.f_lineno, name, is_row)


def number_for(frame: FrameType | None, name: str) -> int | None:
    """The number with which a program goes on as a value of the row that an action returns.

    None if the program tests whether it is null. 0 if 1 is beyond a limit at which it ends.
    """
    number = 1
    for _ in range(MOST_CALLERS):
        module = None if frame is None else module_at(frame)
        if frame is None or module is None:
            break
        uses = set(module.uses_of_values(frame.f_lineno, name))
        if TESTED in uses:
            return None
        number = 0 if LIMITED in uses else number
        if RETURNED not in uses:
            break
        name, frame = frame.f_code.co_name, frame.f_back
    return number


TESTED, LIMITED, RETURNED = "tested", "limited", "returned"


class Module:
    """A file of a program."""

    def __init__(self, tree: ast.Module) -> None:
        """`tree` is what is in the file."""
        self._calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        self._parents = {
            child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)
        }

    def decisions(self, line: int, name: str, pair: Pair) -> Iterator[bool | Pair]:
        """For each place that tests calls of `name` on a line: whether the one for rows is taken.

        A pair is what a function returns that was called.
        """
        calls = self._calls_on(line, name)
        statements = {self._statement(call) for call in calls}
        if len(statements) == 1:
            values: dict[Any, Pair] = dict.fromkeys(calls, pair)
            yield from self._of_statement(statements.pop(), calls[0], values)

    def indexes(self, line: int, name: str, is_row: bool) -> bool:
        """Whether each result of `name` on a line is indexed, directly or as a variable."""
        calls = self._calls_on(line, name)
        return bool(calls) and all(self._is_indexed(call, is_row) for call in calls)

    def _calls_on(self, line: int, name: str) -> list[ast.Call]:
        return [call for call in self._calls if name_of(call) == name and is_on(call, line)]

    def _is_indexed(self, node: ast.expr, is_row: bool) -> bool:
        parent = self._parents[node]
        if isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Name):
            uses = list(self._uses(parent.targets[0].id, parent))
            return bool(uses) and all(self._is_indexed(use, is_row) for use in uses)
        if isinstance(parent, ast.Attribute):
            return is_row
        if not isinstance(parent, ast.Subscript) or parent.value is not node:
            return False
        return is_row or is_first(parent.slice)

    def _uses(self, variable: str, assigned: ast.Assign | ast.NamedExpr) -> Iterator[ast.Name]:
        for node in ast.walk(self._scope(assigned)):
            if isinstance(node, ast.Name) and node.id == variable and node.lineno > assigned.lineno:
                yield node

    def uses_of_values(self, line: int, name: str) -> Iterator[str]:
        """Of what calls of `name` on a line return, or of parts: what is done with it."""
        waiting: list[ast.AST] = [*self._calls_on(line, name)]
        looked_at: set[ast.AST] = set()
        while waiting:
            node = waiting.pop()
            if node in looked_at:
                continue
            looked_at.add(node)
            parent = self._parents[node]
            if isinstance(parent, ast.Return):
                yield RETURNED
            elif is_test_of(parent, node):
                yield TESTED
            elif isinstance(parent, ast.Compare):
                yield from [LIMITED] if self._is_limited(node) else []
            elif isinstance(parent, (ast.Assign, ast.NamedExpr)):
                waiting += self._uses_of_targets(parent)
            elif is_part_of(parent, node):
                waiting.append(parent)

    def _is_limited(self, node: ast.AST) -> bool:
        """Whether a test that a value is a part of leaves the branch for 1, and not that for 0."""
        test = self._test(node, self._statement(node))
        key = node.id if isinstance(node, ast.Name) else node
        return isinstance(test, TESTS) and not all(decision(test, {key: (0, 1)}))

    def _uses_of_targets(self, assigned: ast.Assign | ast.NamedExpr) -> Iterator[ast.Name]:
        targets = assigned.targets if isinstance(assigned, ast.Assign) else [assigned.target]
        for target in targets:
            for name in ast.walk(target):
                if isinstance(name, ast.Name):
                    yield from self._uses(name.id, assigned)

    def _of_statement(
        self, statement: ast.AST, call: ast.AST, values: Mapping[Any, Pair]
    ) -> Iterator[bool | Pair]:
        test = self._test(call, statement)
        if isinstance(test, TESTS):
            yield from decision(test, values) if not self._is_in_while(test) else ()
        elif isinstance(statement, ast.Return) and statement.value is not None:
            result = both(statement.value, values)
            yield from () if result is None else (result,)
        elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            result = both(statement.value, values)
            if result is not None and not holds_rows(result):
                yield from self._of_variable(self._scope(statement), statement, result)

    def _of_variable(self, scope: ast.AST, assigned: ast.Assign, pair: Pair) -> Iterator[bool]:
        name = assigned.targets[0].id  # type: ignore[attr-defined]
        tests = (node for node in ast.walk(scope) if isinstance(node, TESTS))
        for test in tests:
            is_here = test.lineno >= assigned.lineno and self._scope(test) is scope
            if is_here and not self._is_in_while(test):
                yield from decision(test, {name: pair})

    def _test(self, node: ast.AST, statement: ast.AST) -> ast.AST:
        """The conditional expression that a call is the test of, else its statement."""
        while node is not statement:
            below, node = node, self._parents[node]
            if isinstance(node, ast.IfExp) and node.test is below:
                return node
        return statement

    def _statement(self, node: ast.AST) -> ast.AST:
        while not isinstance(node, ast.stmt):
            node = self._parents[node]
        return node

    def _scope(self, node: ast.AST) -> ast.AST:
        while not isinstance(node, SCOPES):
            node = self._parents[node]
        return node

    def _is_in_while(self, node: ast.AST) -> bool:
        """Whether a test is repeated for as long as there are rows: a plan would not end."""
        while not isinstance(node, (*SCOPES, ast.While)):
            node = self._parents[node]
        return isinstance(node, ast.While)


def is_test_of(parent: ast.AST, node: ast.AST) -> bool:
    """Whether a value is tested, or compared with None, or has another one in its place.

    >>> [is_test_of(each := ast.parse(text).body[0].value, next(ast.iter_child_nodes(each)))
    ...  for text in ("not a", "a is None", "a > 1")]
    [True, True, False]
    """
    if isinstance(parent, ast.Compare):
        return any(
            isinstance(each, ast.Constant) and each.value is None for each in parent.comparators
        )
    if isinstance(parent, (*TESTS, ast.While)):
        return parent.test is node
    if isinstance(parent, ast.comprehension):
        return node in parent.ifs
    return isinstance(parent, ast.BoolOp) or isinstance(getattr(parent, "op", None), ast.Not)


def is_part_of(parent: ast.AST, node: ast.AST) -> bool:
    """Whether an expression is a part of a value: `row[0]`, `row.day`, `row.asDict()`."""
    if isinstance(parent, ast.Call):
        return parent.func is node
    return isinstance(parent, (ast.Subscript, ast.Attribute)) and parent.value is node


def is_first(index: ast.AST) -> bool:
    """Whether an index is that of a list's only item."""
    return isinstance(index, ast.Constant) and index.value == 0


def is_on(node: ast.Call, line: int) -> bool:
    """Whether a call has a part on a line."""
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def module_at(frame: FrameType) -> Module | None:
    """The file of the program that a frame runs, if it can be read."""
    tree = tree_of(frame.f_code.co_filename)
    return None if tree is None else module_of(tree)


module_of = lru_cache(maxsize=100)(Module)
