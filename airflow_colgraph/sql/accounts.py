"""What a statement names and no rule has looked at: nothing is left out in silence. Pure.

The rules mark each table and column that they read, or that they know to be written, by its place
in the text. What has no mark is reported, but for the parts in LEFT_OUT, which say nothing of what
comes from what.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from airflow_colgraph.sql.relation import Findings

# Arguments that say nothing of what comes from what, by sqlglot's class.
LEFT_OUT = {
    **{name: {"on", "settings"} for name in ("Union", "Except", "Intersect")},
    **{name: {"this", "expressions"} for name in ("Grouping", "GroupingId", "Typeof")},
    "Create": {"this", "properties", "indexes"},
    "DataType": {"collate"},
    "Delete": {"tables"},
    "Insert": {"this", "settings"},
    "Into": {"this"},
    "OnConflict": {"conflict_keys", "index_predicate"},
    "Pivot": {"into"},
    "PivotAny": {"this"},
    "Predict": {"this"},  # a model
    "Returning": {"into"},
    "Select": {"distribute", "hint", "locks", "settings", "exclude"},
    "Star": {"except_", "except", "rename"},
    "Subquery": {"distribute"},
    "Table": {"partition", "indexed", "format", "hints"},
    "With": {"udfs"},
}


def mark(node: exp.Expr, findings: Findings) -> None:
    """A rule has dealt with a table or a column."""
    start = _start(node)
    if start is not None:
        findings.marked.add(start)


def mark_all(node: exp.Expr | None, findings: Findings) -> None:
    """A rule has dealt with everything in a part of a statement."""
    for name in node.find_all(exp.Column, exp.Table) if node is not None else ():
        mark(name, findings)


def unmarked(statement: exp.Expr, findings: Findings) -> Iterator[exp.Expr]:
    """The tables and columns of a statement that no rule has dealt with."""
    stack = [statement]
    while stack:
        node = stack.pop()
        if isinstance(node, (exp.Column, exp.Table)):
            start = _start(node)
            if start is not None and start not in findings.marked:
                yield node
        inner: list[exp.Expr] = []
        left_out = LEFT_OUT.get(type(node).__name__, ())
        for name, value in node.args.items():
            if name not in left_out and not (node is statement and _is_for_client(node, name)):
                parts = value if isinstance(value, list) else [value]
                inner += [part for part in parts if isinstance(part, exp.Expression)]
        stack += reversed(inner)


def _is_for_client(node: exp.Expr, name: str) -> bool:
    """Whether a part is RETURNING whose rows no table and no variable gets."""
    value = node.args[name]
    is_kept = isinstance(value, exp.Expression) and value.args.get("into")
    return name == "returning" and not (is_kept or node.meta.get("returned"))


def _start(node: exp.Expr) -> int | None:
    inner = node.this
    start = inner.meta.get("start") if isinstance(inner, exp.Expression) else None
    return start if isinstance(start, int) else None
