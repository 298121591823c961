"""Expressions that do more than give a value: `:=`, `yield` and `yield from`."""

from __future__ import annotations

import ast

from airflow_colgraph.collector.python_functions.assignment import assign
from airflow_colgraph.collector.python_functions.expressions import evaluate, rule
from airflow_colgraph.collector.python_functions.iteration import repeat
from airflow_colgraph.collector.python_functions.results import handed_out
from airflow_colgraph.collector.python_functions.run import Run
from airflow_colgraph.collector.python_functions.values import GiveUp, Value


@rule(ast.NamedExpr)
def _walrus(run: Run, node: ast.NamedExpr) -> Value:
    value = evaluate(run, node.value)
    assign(run, node.target, value)
    return evaluate(run, ast.copy_location(ast.Name(node.target.id, ast.Load()), node))


def hand_out(run: Run, value: Value) -> None:
    """Remember what the function gives to Spark, as it is now."""
    run.results.append(handed_out(run, value))


@rule(ast.Yield)
def _yield(run: Run, node: ast.Yield) -> Value:
    value = evaluate(run, node.value) if node.value is not None else Value(literal=None)
    if _is_inside(run):
        raise GiveUp("a generator inside the function")
    run.give(value)
    return Value(literal=None)


@rule(ast.YieldFrom)
def _yield_from(run: Run, node: ast.YieldFrom) -> Value:
    value = evaluate(run, node.value)
    if _is_inside(run):
        raise GiveUp("a generator inside the function")
    repeat(run, value, node, run.give)
    return Value(literal=None)


def _is_inside(run: Run) -> bool:
    """Whether the generator that runs is another one than Spark's, or than what Spark's returns."""
    if len(run.calls) < 3:
        return False
    return len(run.calls) > 3 or id(run.call.node) not in run.calls[1].tails
