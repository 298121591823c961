"""A function's syntax tree as part of a value."""

from __future__ import annotations

import ast


class Node:
    """A tree that is equal to itself only: one object for each tree."""

    tree: ast.AST

    def __deepcopy__(self, memo: object) -> None:
        """A copy of the tree is another tree."""

    def __new__(cls, tree: ast.AST) -> Node:
        """The object of a tree."""
        certain: Node | None = getattr(tree, "colgraph_node", None)
        if certain is None:
            certain = object.__new__(cls)
            certain.tree = tree
            tree.colgraph_node = certain  # type: ignore[attr-defined]
        return certain
