"""What the leaves of a plan read, and what else its JSON lacks: asked of the JVM, node by node."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from airflow_colgraph.collector.lineage.frame import attribute_ids
from airflow_colgraph.collector.lineage.insert_casts import SET_OPERATIONS, fitted, widenings
from airflow_colgraph.collector.model import Ids, Read
from airflow_colgraph.collector.plan import Node, Rows, as_rows, expr_id, parse, ways
from airflow_colgraph.collector.spark.catalog import Catalog
from airflow_colgraph.collector.spark.inline_tables import inline_rows
from airflow_colgraph.collector.spark.jvm import Java, descend, seq, short_class_name
from airflow_colgraph.collector.spark.reads import (
    CONSTANT,
    READS,
    Leaves,
    is_of_files,
    metadata_columns,
    read_of,
)
from airflow_colgraph.collector.spark.schemas import tree_json
from airflow_colgraph.collector.spark.user_casts import CHANGES, casts_by_user, is_cast_by_the_user

SUBQUERIES = ("Subquery", ".Exists", ".ListQuery")


def has_subqueries(text: str) -> bool:
    """Whether a plan's JSON holds plans inside expressions."""
    return any(f'{name}"' in text for name in SUBQUERIES)


def made_by_the_driver(java: Java) -> bool:
    """Whether a plan, or a subquery of it, has a LocalRelation of a program's own rows.

    Those of a SQL text are not.
    """
    return any(
        short_class_name(leaf) == "LocalRelation"
        and not leaf.origin().sqlText().isDefined()
        and not leaf.data().isEmpty()
        for plan in (java, *seq(java.subqueriesAll()))
        for leaf in seq(plan.collectLeaves())
    )


def has_inline_tables(text: str) -> bool:
    """Whether a plan's JSON holds relations that Spark may have computed from names."""
    return '.LocalRelation"' in text


class PlanSources(NamedTuple):
    """What the leaves of a plan read, by their ids; a relation and an RDD may have the same.

    `constant_rdds` and `metadata_columns` are those of `PlanNotes`; `widened` are the columns below
    set operations that Spark itself has cast.
    """

    reads: dict[Ids, Read]
    rdds: dict[Ids, Read]
    expansions: dict[Ids, list[list[Rows]]]
    constant_rdds: set[Ids]
    metadata_columns: set[int]
    widened: set[int]


def leaves(
    plan: Rows, java: Java, catalog: Catalog, subqueries: bool, variables: Collection[str]
) -> PlanSources:
    """What the leaves of a plan and of its subqueries read, and what its `Expand` nodes project.

    Inline tables whose text names one of `variables` are projections, too.
    """
    sources = PlanSources({}, {}, {}, set(), set(), set())
    plans = [(parse(plan), java)]
    if subqueries:
        plans += [(parse(tree_json(inner)), inner) for inner in seq(java.subqueriesAll())]
    for root, part in plans:
        below = Leaves(part)
        for node, read in leaf_reads(root, below, catalog):
            ids = attribute_ids(node.output())
            if read == CONSTANT:
                sources.constant_rdds.add(ids)
                continue
            (sources.rdds if read.rdd or read.origins else sources.reads)[ids] = read
            sources.metadata_columns.update(metadata_columns(node, read))
        if variables:
            rows = inline_rows(inline_tables(root), below, catalog, variables)
            sources.expansions.update(rows)
        for path, node in ways(root, ASKED):
            if node.kind == "Expand":
                sources.expansions[attribute_ids(node.output())] = [
                    [expanded(item, root.kind in CHANGES) for item in seq(projection)]
                    for projection in seq(descend(part, path).projections())
                ]
            else:
                sources.widened.update(widened_by_spark(node, path, part))
    return sources


ASKED = {"Expand", *SET_OPERATIONS}


def expanded(item: Java, is_put: bool) -> Rows:
    """What an `Expand` puts into one of its columns; only that of an UPDATE has a user's casts."""
    rows = as_rows(tree_json(item))
    is_by_user = is_put and any(True for _ in casts_by_user(rows, lambda: item))
    return fitted(rows, is_by_user)


def widened_by_spark(node: Node, path: tuple[int, ...], java: Java) -> Iterator[int]:
    """The ids of a set operation's columns that Spark itself has cast; a side is all one's."""
    for side, places in widenings(node):
        items = node.children[side].expressions("projectList")
        project = descend(java, (*path, side))
        if not is_cast_by_the_user(items[places[0]], project.projectList().apply(places[0])):
            yield from (expr_id(items[place][0]) for place in places)


def leaf_reads(root: Node, leaves: Leaves, catalog: Catalog) -> Iterator[tuple[Node, Read]]:
    """What the leaves of one plan read; Spark's own leaves are asked for when one is not known."""
    for index, node in enumerate(leaf_nodes(root)):
        if node.kind in READS:
            answer = read_of(node, leaves, index, catalog)
            if answer is not None:
                keep_table(node, answer, leaves, index, catalog)
                yield node, answer


def keep_table(node: Node, read: Read, leaves: Leaves, index: int, catalog: Catalog) -> None:
    """Keep what a plan has for a table with versions; the cache of leaves knows only its name."""
    for named in read.datasets:
        if named.dataset in catalog.tables:
            continue
        if node.kind == "DataSourceV2Relation":
            table = leaves.at(index).table()
            is_wrapped = short_class_name(table) == "RowLevelOperationTable"
            catalog.tables[named.dataset] = table.table() if is_wrapped else table
        elif node.kind == "LogicalRelation" and read.format == "delta":
            relation = leaves.at(index).relation()
            if is_of_files(relation):
                catalog.tables[named.dataset] = relation.location()


def inline_tables(root: Node) -> list[tuple[int, Node]]:
    """The leaves that may have been inline tables, with their places."""
    return [
        (index, node)
        for index, node in enumerate(leaf_nodes(root))
        if node.kind == "LocalRelation" and node.row.get("output")
    ]


def leaf_nodes(root: Node) -> Iterator[Node]:
    """The leaves of a tree from left to right, as Spark's `collectLeaves` has them."""
    stack = [root]
    while stack:
        node = stack.pop()
        if not node.children:
            yield node
        stack.extend(reversed(node.children))
