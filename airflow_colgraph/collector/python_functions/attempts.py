"""`try`: what may fail, and the state in which each handler starts.

Any operation of the body may fail. What its operands depend on affects all that the body and the
handlers do; a handler starts from any state that the body had.
"""

from __future__ import annotations

import ast

from airflow_colgraph.collector.lineage.transformations import NONE, Inputs, union
from airflow_colgraph.collector.python_functions.assignment import assign
from airflow_colgraph.collector.python_functions.calls import is_seen
from airflow_colgraph.collector.python_functions.run import MOST_ROUNDS, Run
from airflow_colgraph.collector.python_functions.statements import execute, go_on_from, rule
from airflow_colgraph.collector.python_functions.values import (
    GiveUp,
    State,
    Table,
    Value,
    decided,
)

LOADED = (ast.Name, ast.Attribute, ast.Constant, ast.Lambda, ast.List, ast.Tuple, ast.Dict)
LEAVING = (ast.Return, ast.Break, ast.Continue, ast.Yield, ast.YieldFrom, ast.Raise)


class Attempt:
    """The body of a `try` that runs: any state that it had, and what decides that it fails."""

    def __init__(self, run: Run) -> None:
        """Nothing has happened yet."""
        self.depth = len(run.calls)
        self.state = run.state.copy()
        self.by: Inputs = NONE

    def note(self, run: Run, node: ast.AST, value: Value) -> None:
        """An expression has this value, or it has failed."""
        is_object = bool(value.refs or value.callee) and isinstance(node, LOADED)
        inputs = _outside(run, value) if is_object else run.content(value)
        self.by = union((self.by, decided(inputs), decided(run.state.decisions)))
        state = run.state.copy()
        for call in run.calls[self.depth :]:  # they are left
            if not is_seen(run, call.scope.number, Value()):
                state.scopes.pop(call.scope.number, None)
        self.state = self.state.joined(state)
        run.steps += 2


def _outside(run: Run, value: Value) -> Inputs:
    """What an object depends on apart from its elements: which one it is, and how many it has."""
    inputs = [run.inputs(value)]
    for each in run.objects(value):
        if isinstance(each, Table):
            inputs += [each.shape.rows, each.shape.index_by]
        else:
            inputs.append(each.count_by if each is not None else run.all)
    return union(inputs)


@rule(ast.Try)
def _try(run: Run, node: ast.Try) -> None:
    before, exits = run.state.decisions, run.call.exits
    start, attempt = run.state.copy(), Attempt(run)
    for _ in range(MOST_ROUNDS):
        by = attempt.by
        run.state.take(start)
        run.state.decisions = union((before, by))
        run.attempts.append(attempt)
        execute(run, node.body)
        run.attempts.pop()
        if attempt.by == by:
            break
    else:
        raise GiveUp("a try that does not settle")
    execute(run, node.orelse)
    ends = [run.state.copy(), *(_handled(run, each, attempt, before) for each in node.handlers)]
    go_on_from(run, ends, before, exits)
    if any(isinstance(inner, LEAVING) for each in node.finalbody for inner in ast.walk(each)):
        raise GiveUp("finally")
    if node.finalbody and (run.call.exits != exits or run.state.is_over):
        raise GiveUp("finally")
    execute(run, node.finalbody)


def _handled(run: Run, handler: ast.ExceptHandler, attempt: Attempt, before: Inputs) -> State:
    """The state after a handler."""
    if handler.type is not None and any(isinstance(n, ast.Call) for n in ast.walk(handler.type)):
        raise GiveUp("except of what a call gives")
    run.state.take(attempt.state)
    run.state.decisions = union((before, attempt.by))
    if handler.name:  # its text may show any value
        target = ast.copy_location(ast.Name(handler.name, ast.Store()), handler)
        assign(run, target, Value(run.all))
    execute(run, handler.body)
    if handler.name:
        run.state.scopes.get(run.call.scope.number, {}).pop(handler.name, None)
    return run.state.copy()
