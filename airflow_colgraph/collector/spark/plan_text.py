"""A plan as the text that `TreeNode.toJSON` prints, unless that text would grow without bound.

Spark's JSON of CASE, and of functions that it replaces by others (nvl), has each child twice: as a
child, and inside of a field. So each level of nesting doubles it: 20 levels are some gigabytes. A
plan with many levels is asked for with IF instead of CASE.
"""

from __future__ import annotations

import json
import re
from typing import Any

from airflow_colgraph.collector.spark.jvm import Java, scala_object, thrown
from airflow_colgraph.collector.spark.nested_case import flattened
from airflow_colgraph.collector.spark.unprintable import printable
from airflow_colgraph.openlineage.redaction import with_shown_names

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
    """A plan or an expression as `TreeNode.toJSON` prints it.

    Raises:
        TooNested: Spark would print too much.
    """
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
