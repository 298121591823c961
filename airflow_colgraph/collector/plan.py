"""A Spark plan as plain Python data: what `TreeNode.toJSON` printed, and nothing of Spark.

Spark prints a tree as a pre-order list of rows; each row has its class and how many children
follow. A plan node's expressions stay such lists until a rule asks for them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

Row = dict[str, Any]
Rows = list[Row]


def kind(row: Row) -> str:
    """Spark's class name without its package: `Project`, `AttributeReference`."""
    name: str = row["class"]
    return name[name.rfind(".") + 1 :]


def expr_id(row: Row) -> int:
    """The number in a row's `exprId`, unique in one driver: the `12` of `total#12`."""
    number: int = referenced(row)["exprId"]["id"]
    return number


def name_of(row: Row) -> str:
    """The name of a named expression."""
    return str(referenced(row).get("name"))


OUTER = ("OuterReference", "OuterScopeReference")


def referenced(row: Row) -> Row:
    """The named expression that gives a row its id and its name.

    A reference to an outer query's column has neither: both are those of what it wraps.
    """
    while "e" in row and kind(row) in OUTER:
        row = as_rows(row["e"])[0]
    return row


class Node(NamedTuple):
    """One plan or expression node with its row of fields and its children."""

    kind: str
    row: Row
    children: tuple[Node, ...] = ()

    def expressions(self, name: str) -> list[Rows]:
        """The field `name`, a list of expressions."""
        items = self.row.get(name)
        return [as_rows(item) for item in items] if isinstance(items, list) else []

    def expression(self, name: str) -> Rows | None:
        """The field `name`, one expression or none."""
        item = self.row.get(name)
        return as_rows(item) if isinstance(item, (list, dict)) and item else None

    def output(self, name: str = "output") -> list[Row]:
        """The attributes in the field `name`, a row each."""
        if name == "output":
            return output_of(self.row)
        return [rows[0] for rows in self.expressions(name)]


HIVE_COLUMNS = ("dataCols", "partitionCols")  # a HiveTableRelation's JSON has no `output`
OBJECT = "outputObjAttr"  # nor has one of Scala's objects: it is one attribute
RDDS = frozenset({"ExternalRDD", "LogicalRDD"})  # leaves; the first has objects
HELD = RDDS | {"MemoryPlan"}  # leaves with the rows of an earlier query


def output_of(row: Row) -> list[Row]:
    """The attributes that a plan node's row has as its output, in order."""
    if OBJECT in row and not row["num-children"]:
        return [as_rows(row[OBJECT])[0]]
    names = ("output",) if "output" in row else HIVE_COLUMNS
    lists = [row[name] for name in names if isinstance(row.get(name), list)]
    return [as_rows(item)[0] for items in lists for item in items]


def as_rows(expression: Any) -> Rows:
    """An expression as Spark printed it: a list of rows, or a lone row."""
    return [expression] if isinstance(expression, dict) else expression


def parse(rows: Rows) -> Node:
    """Fold a pre-order list into a tree, without recursion: plans run to thousands of nodes."""
    stack: list[Node] = []
    for row in reversed(rows):
        children = tuple(stack.pop() for _ in range(row["num-children"]))
        stack.append(Node(kind(row), row, children))
    (root,) = stack
    return root


def flatten(node: Node) -> Rows:
    """A tree as the pre-order list that it was parsed from."""
    rows, stack = [], [node]
    while stack:
        node = stack.pop()
        rows.append(node.row)
        stack.extend(reversed(node.children))
    return rows


def every_row(rows: Rows) -> Iterator[Row]:
    """The rows of a plan, and those of what is in their fields: expressions, and plans in these."""
    stack: list[Any] = [rows]
    while stack:
        part = stack.pop()
        if isinstance(part, dict):
            if "class" in part:
                yield part
            part = part.values()
        stack.extend(value for value in part if isinstance(value, (dict, list)))


def conjuncts(condition: Rows) -> Iterator[Rows]:
    """The parts of a condition that are joined by AND."""
    stack = [parse(condition)] if condition else []
    while stack:
        part = stack.pop()
        if part.kind == "And":
            stack.extend(reversed(part.children))
        else:
            yield flatten(part)


def join_type(node: Node) -> str:
    """The join's type as Spark names its class: `Inner`, `LeftSemi`, `ExistenceJoin`."""
    kind = node.row.get("joinType")
    if isinstance(kind, dict):
        kind = kind.get("object") or kind.get("product-class") or ""
    return str(kind).rstrip("$").rsplit(".", 1)[-1]


def bottom_up(root: Node, closed: frozenset[str] = frozenset()) -> Iterator[Node]:
    """Every node after its children, left before right, not below the kinds in `closed`."""
    stack = [(root, False)]
    while stack:
        node, children_done = stack.pop()
        if children_done or not node.children or node.kind in closed:
            yield node
        else:
            stack.append((node, True))
            stack.extend((child, False) for child in reversed(node.children))


def ways(root: Node, kinds: Collection[str]) -> Iterator[tuple[tuple[int, ...], Node]]:
    """The nodes of some kinds in a tree with the way to each, as positions among children."""
    stack: list[tuple[Any, Node]] = [(None, root)]  # the way as (way to the parent, position)
    while stack:
        way, node = stack.pop()
        if node.kind in kinds:
            yield positions(way), node
        stack.extend(((way, index), child) for index, child in enumerate(node.children))


def positions(way: Any) -> tuple[int, ...]:
    """A way from the root as the positions among children."""
    indexes: list[int] = []
    while way is not None:
        way, index = way
        indexes.append(index)
    return tuple(reversed(indexes))
