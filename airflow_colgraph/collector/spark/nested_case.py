"""A plan with nested IF instead of CASE, and with the functions that Spark runs instead of others.

Both mean the same, and each child of theirs is one field, so that Spark's JSON has it once.
"""

from __future__ import annotations

from airflow_colgraph.collector.spark.jvm import (
    Java,
    java_class,
    loaded_class,
    scala_object,
    seq,
)

PLAN = "org.apache.spark.sql.catalyst.plans.QueryPlan"
EXPRESSIONS = "org.apache.spark.sql.catalyst.expressions"


def flattened(tree: Java) -> Java:
    """A plan or an expression with each CASE and each replaced function in it rewritten."""
    rule = Flattening(tree)
    is_plan = loaded_class(tree, PLAN).isInstance(tree)
    return tree.transformAllExpressions(rule) if is_plan else tree.transform(rule)


class Flattening:
    """Scala's PartialFunction for `TreeNode.transformAllExpressions`, which Spark calls."""

    def __init__(self, tree: Java) -> None:
        """For the JVM of a plan or an expression."""
        self._case = loaded_class(tree, f"{EXPRESSIONS}.CaseWhen")
        self._replaced = loaded_class(tree, f"{EXPRESSIONS}.RuntimeReplaceable")
        self._if = java_class(tree, f"{EXPRESSIONS}.If")
        self._literal = scala_object(tree, f"{EXPRESSIONS}.Literal")

    def applyOrElse(self, expression: Java, default: Java) -> Java:
        """The expression, rewritten if it is one of those; Spark goes on with its children."""
        if self._case.isInstance(expression):
            return self._nested_if(expression)
        if self._replaced.isInstance(expression):
            return expression.replacement()
        return expression

    def _nested_if(self, case: Java) -> Java:
        other = case.elseValue()
        value = other.get() if other.isDefined() else self._literal.create(None, case.dataType())
        for branch in reversed(list(seq(case.branches()))):
            value = self._if(branch._1(), branch._2(), value)
        return value

    class Java:
        """py4j's way to say which Java interface this is."""

        implements = ("scala.PartialFunction",)
