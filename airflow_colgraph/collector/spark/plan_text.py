"""A plan as the text that `TreeNode.toJSON` prints, unless that text would grow without bound.

Spark's JSON of CASE, and of functions that it replaces by others (nvl), has each child twice: as a
child, and inside of a field. So each level of nesting doubles it: 20 levels are some gigabytes. A
plan with many levels is asked for with IF instead of CASE.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from airflow_colgraph.collector.spark.jvm import (
    Java,
    class_name,
    java_class,
    loaded_class,
    scala_object,
    seq,
    thrown,
)
from airflow_colgraph.openlineage.redaction import with_shown_names

PLAN = "org.apache.spark.sql.catalyst.plans.QueryPlan"
EXPRESSIONS = "org.apache.spark.sql.catalyst.expressions"
AGGREGATE = f"{EXPRESSIONS}.aggregate.AggregateFunction"
TREE_PATTERN = "org.apache.spark.sql.catalyst.trees.TreePattern"
REPLACED = {"ifnull", "nullif", "nvl", "nvl2", "zeroifnull", "nullifzero"}  # and try_...
MOST_COPIES = 1024  # some 2 MB
ALL = 2**31 - 1
WORD = re.compile(r"\w+|[()]")
DEEPEST = 40  # levels that are counted
_patterns: dict[Any, tuple[Java, ...]] = {}  # of this process's JVM: seven round trips to ask


class TooNested(Exception):
    """An expression whose JSON would be too long."""


def plan_text(tree: Java) -> str:
    """A plan or an expression as `TreeNode.toJSON` prints it; TooNested if that were too much."""
    if any(tree.containsPattern(pattern) for pattern in _doubled(tree)):
        count = copies(_printed(tree))
        if count > MOST_COPIES:
            tree = flattened(tree)
            count = copies(_printed(tree))
        if count > MOST_COPIES:
            raise TooNested(
                "CASE (when, otherwise) or nvl is nested too deeply: Spark's JSON of the plan would"
                f" repeat the inner expressions {count} times"
            )
    try:
        return str(tree.toJSON())
    except thrown():  # one class in it that Spark cannot print
        return str(printable(tree).toJSON())


def rows_of(text: str) -> Any:
    """The rows of a plan's text; no name of a column in them holds a secret."""
    return with_shown_names(text, json.loads(text))


def copies(text: str) -> int:
    """How many expressions the JSON has for those of a plan as text that it writes out twice.

    >>> copies("CASE WHEN a THEN CASE WHEN b THEN c END END")
    6
    """
    total = level = 0
    open_ones: list[tuple[str, bool]] = []
    before = ""
    for word in WORD.findall(text):
        if word in ("CASE", "("):
            doubles = word == "CASE" or before in REPLACED or before.startswith("try_")
            open_ones.append((word, doubles))
            if doubles:
                level += 1
                total += 2 ** min(level, DEEPEST)
        elif open_ones and (open_ones[-1][0], word) in (("CASE", "END"), ("(", ")")):
            level -= open_ones.pop()[1]
        before = word
    return total


def _doubled(tree: Java) -> tuple[Java, ...]:
    """Spark's tree patterns of the expressions whose children its JSON has twice."""
    jvm = tree._gateway_client
    doubled = _patterns.get(jvm)
    if doubled is None:
        patterns = scala_object(tree, TREE_PATTERN)
        doubled = (patterns.CASE_WHEN(), patterns.RUNTIME_REPLACEABLE())
        _patterns.clear()
        _patterns[jvm] = doubled
    return doubled


def _printed(tree: Java) -> str:
    """The plan as a text of its length."""
    from py4j.protocol import Py4JError

    try:
        return str(tree.treeString(False, False, ALL, False, False))
    except Py4JError:  # before Spark 4.1
        return str(tree.treeString(False, False, ALL, False))


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


def printable(tree: Java) -> Java:
    """A plan or an expression without the expressions that Spark cannot print.

    `TreeNode.toJSON` fails for a whole plan if it cannot tell the constructor of one class in it,
    e.g. of Spark ML's `MetricsAggregate`, or of an expression of a library that is not a case
    class. Such an expression is printed as a function of the user's: by its SQL name, with the same
    arguments. Of those inside each other the innermost are found first.
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
