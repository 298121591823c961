"""A plan with expressions that Spark can print instead of those that it cannot.

`TreeNode.toJSON` fails for a whole plan if it cannot tell the constructor of one class in it, e.g.
of Spark ML's `MetricsAggregate`, or of an expression of a library that is not a case class. Such an
expression is printed as a function of the user's: by its SQL name, with the same arguments.
"""

from __future__ import annotations

from airflow_colgraph.collector.spark.jvm import (
    Java,
    class_name,
    java_class,
    loaded_class,
    scala_object,
    seq,
    thrown,
)
from airflow_colgraph.collector.spark.rewriting import rewritten

EXPRESSIONS = "org.apache.spark.sql.catalyst.expressions"
AGGREGATE = f"{EXPRESSIONS}.aggregate.AggregateFunction"


def printable(tree: Java) -> Java:
    """A plan or an expression without the expressions that Spark cannot print.

    Of those inside each other the innermost are found first.
    """
    aggregate = loaded_class(tree, AGGREGATE)
    printed: set[str] = set()  # classes
    unprinted: set[str] = set()

    def changed(expression: Java) -> Java:
        name = class_name(expression)
        if name not in printed | unprinted:
            if is_printed(expression):
                printed.add(name)
            elif all(is_printed(child) for child in seq(expression.children())):
                unprinted.add(name)
        if name in unprinted:
            return users_function(expression, aggregate.isInstance(expression))
        return expression

    before = -1
    while len(unprinted) > before and not is_printed(tree):
        before = len(unprinted)
        tree = rewritten(tree, changed)
    return tree


def is_printed(tree: Java) -> bool:
    """Whether Spark can print a plan or an expression."""
    try:
        tree.toJSON()
    except thrown():
        return False
    return True


def users_function(expression: Java, is_aggregate: bool) -> Java:
    """A function that nobody runs, with an expression's name, type and arguments."""
    name = f"{EXPRESSIONS}.{'PythonUDAF' if is_aggregate else 'PythonUDF'}"
    values = {  # by the type of the constructor's parameter: versions differ in their order
        "String": expression.prettyName(),
        "PythonFunction": None,
        "DataType": expression.dataType(),
        "Seq": expression.children(),
        "boolean": expression.deterministic(),
        "int": 0,
        "ExprId": scala_object(expression, f"{EXPRESSIONS}.NamedExpression").newExprId(),
    }
    (constructor,) = loaded_class(expression, name).getConstructors()
    types = [kind.getSimpleName() for kind in constructor.getParameterTypes()]
    return java_class(expression, name)(*(values[kind] for kind in types))
