"""The rows of inline tables: Spark computes `VALUES (v)` before there is an analyzed plan.

What is left is a LocalRelation of constants. Its origin is the place in the query's text, and the
names there can only be those of variables: that part of the text is parsed once more. This is done
only where variables are known to come from data, and where the text names one of them.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from airflow_colgraph.collector.lineage.frame import attribute_ids
from airflow_colgraph.collector.model import Ids
from airflow_colgraph.collector.plan import Node, Rows
from airflow_colgraph.collector.spark.catalog import Catalog
from airflow_colgraph.collector.spark.jvm import Java, option, seq
from airflow_colgraph.collector.spark.reads import Leaves
from airflow_colgraph.collector.spark.schemas import tree_json

INLINE_TABLE = "org.apache.spark.sql.catalyst.analysis.UnresolvedInlineTable"
ATTRIBUTE = "org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute"


def inline_rows(
    tables: list[tuple[int, Node]], leaves: Leaves, catalog: Catalog, names: Collection[str]
) -> dict[Ids, list[list[Rows]]]:
    """The rows, as the user wrote them, of LocalRelations whose text names variables."""
    rows: dict[Ids, list[list[Rows]]] = {}
    data: dict[Ids, Java] = {}
    for index, node in tables:
        leaf, ids = leaves.at(index), attribute_ids(node.output())
        text = str(leaf.origin().context().fragment())
        if text:
            written = rows_of(text, len(ids), leaf, catalog, names)
        else:  # Spark has copied the leaf for a second use of it
            written = next((rows[other] for other in data if data[other].equals(leaf.data())), [])
        if written:
            rows[ids], data[ids] = written, leaf.data()
    return rows


def rows_of(
    text: str, width: int, leaf: Java, catalog: Catalog, names: Collection[str]
) -> list[list[Rows]]:
    """The rows of one inline table, by the text at its place in the query's.

    Spark counts that place after it has put parameters' values in, but keeps the text as it was:
    beside parameters each column may come from any variable that the query names.
    """
    whole = str(option(leaf.origin().sqlText()) or "")
    if has_arguments(leaf):
        return [[unknown(sorted(names))] * width]
    named = named_in(whole, names)
    if named and PARAMETER.search(whole):
        return [[unknown(named)] * width]
    if text.lstrip()[:6].upper() == "VALUES":
        tables = parsed_rows(text, catalog) if named_in(text, names) else []
    elif named:  # with a DEFAULT among the values the place is that of the INSERT
        tables = [rows for rows in parsed_rows(whole, catalog) if len(rows[0]) == width]
        tables = tables if len(tables) == 1 else [[[unknown(named)] * width]]
    else:
        tables = []
    return tables[0] if tables else []


def has_arguments(node: Java) -> bool:
    """Whether a plan node is in the text of an EXECUTE IMMEDIATE that has parameters."""
    origin = node.origin()
    if str(option(origin.objectType()) or "") != "EXECUTE IMMEDIATE":
        return False
    return PARAMETER.search(str(option(origin.sqlText()) or "")) is not None


def is_with_arguments(plan: Java) -> bool:
    """Whether some node of a plan is: parts of it may be DataFrames around the query."""
    stack = [plan]
    for _ in range(MOST_NODES):
        if not stack:
            break
        node = stack.pop()
        if has_arguments(node):
            return True
        stack.extend(seq(node.children()))
    return False


MOST_NODES = 200  # of one plan that are asked for their texts
PARAMETER = re.compile(r"\?|(^|[^\w:]):\w")  # but not `v::INT`, nor the label of a script's block


def named_in(text: str, names: Collection[str]) -> list[str]:
    """The variables that a text may name."""
    words = set(re.findall(r"\w+", text.lower()))
    return [name for name in names if words.issuperset(re.findall(r"\w+", name))]


def parsed_rows(text: str, catalog: Catalog) -> list[list[list[Rows]]]:
    """The rows of the inline tables in a SQL text, as unresolved expressions.

    A table of constants is none: the parser itself computes it.
    """
    plan: Rows = tree_json(catalog.parsed(text))
    return [row["rows"] for row in plan if row["class"] == INLINE_TABLE]


def unknown(names: list[str]) -> Rows:
    """An expression that is only known by the variables that may be in it."""
    variables: list[dict[str, Any]] = [
        {"class": ATTRIBUTE, "num-children": 0, "nameParts": f"[{name}]"} for name in names
    ]
    return [{"class": INLINE_TABLE, "num-children": len(variables)}, *variables]
