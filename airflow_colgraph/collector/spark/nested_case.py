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
from airflow_colgraph.collector.spark.rewriting import rewritten

EXPRESSIONS = "org.apache.spark.sql.catalyst.expressions"


def flattened(tree: Java) -> Java:
    """A plan or an expression with each CASE and each replaced function in it rewritten."""
    case = loaded_class(tree, f"{EXPRESSIONS}.CaseWhen")
    replaced = loaded_class(tree, f"{EXPRESSIONS}.RuntimeReplaceable")
    make_if = java_class(tree, f"{EXPRESSIONS}.If")
    literal = scala_object(tree, f"{EXPRESSIONS}.Literal")

    def changed(expression: Java) -> Java:
        if case.isInstance(expression):
            return nested_if(expression)
        if replaced.isInstance(expression):
            return expression.replacement()
        return expression

    def nested_if(expression: Java) -> Java:
        other = expression.elseValue()
        value = other.get() if other.isDefined() else literal.create(None, expression.dataType())
        for branch in reversed(list(seq(expression.branches()))):
            value = make_if(branch._1(), branch._2(), value)
        return value

    return rewritten(tree, changed)
