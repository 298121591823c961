"""A plan with its expressions rewritten by a Python function, before its JSON is asked for."""

from __future__ import annotations

from collections.abc import Callable

from airflow_colgraph.collector.spark.jvm import Java, loaded_class

PLAN = "org.apache.spark.sql.catalyst.plans.QueryPlan"


def rewritten(tree: Java, change: Callable[[Java], Java]) -> Java:
    """A copy of a plan or an expression: each expression changed, before those inside of it.

    A plan's subqueries are rewritten as well.
    """
    rule = Rewriting(change)
    if loaded_class(tree, PLAN).isInstance(tree):
        return tree.transformAllExpressionsWithSubqueries(rule)
    return tree.transform(rule)


class Rewriting:
    """A Python function as Scala's PartialFunction, which Spark calls for each expression."""

    def __init__(self, change: Callable[[Java], Java]) -> None:
        """For a function that gives back what it leaves as it is."""
        self._change = change

    def applyOrElse(self, expression: Java, default: Java) -> Java:
        """The expression, changed or not; Spark goes on with its children."""
        return self._change(expression)

    class Java:
        """py4j's way to say which Java interface this is."""

        implements = ("scala.PartialFunction",)
