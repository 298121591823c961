"""The text of a `description`: the expression behind an edge, in the names of what was read. Pure.

Written where the `descriptions` option asks for it. An intermediate column's name is replaced by
what it stands for, in the expression's tree and not in its text, so `x * 2` over `a + b AS x` is
`(a + b) * 2`.
"""

from __future__ import annotations

from collections.abc import Iterator

from airflow_colgraph.collector.lineage.sql_text import MOST_ROWS, expression_text, without_texts
from airflow_colgraph.collector.lineage.transformations import IDENTITY, MASKING, Inputs, bits
from airflow_colgraph.collector.plan import OUTER, Row, Rows, as_rows, expr_id, kind
from airflow_colgraph.openlineage.redaction import is_named


class Descriptions:
    """The expressions of one query: those of its attributes, and those that affect rows."""

    def __init__(self) -> None:
        """Empty; the resolution fills it."""
        self._attributes: dict[int, Rows] = {}
        self._reasons: dict[tuple[int, int], dict[str, None]] = {}

    def define(self, rows: Rows) -> None:
        """Keep what a named expression stands for; a bare attribute stands for itself."""
        if kind(rows[0]) == "Alias":
            hides = is_named(str(rows[0].get("name", "")))
            value = without_texts(rows[1:]) if hides else rows[1:]
            self._attributes[expr_id(rows[0])] = self.spliced(value)

    def rename(self, new: int, old: int) -> None:
        """Keep that the attribute `new` is what `old` is: a CTE is read by ids of its own."""
        if old in self._attributes:
            self._attributes[new] = self._attributes[old]

    def decide(self, subtype: int, rows: Rows, inputs: Inputs) -> None:
        """Keep that an expression over `inputs` affects rows."""
        text = expression_text(self.spliced(rows))
        for fields in inputs.values():
            for bit in bits(fields):
                self._reasons.setdefault((subtype, bit), {})[text] = None

    def spliced(self, rows: Rows) -> Rows:
        """An expression with intermediate attributes replaced, unless that makes it unreadable."""
        whole = list(self._splice(rows))
        return whole if len(whole) <= MOST_ROWS else rows

    def _splice(self, rows: Rows) -> Iterator[Row]:
        for row in rows:
            is_column = kind(row) == "AttributeReference" or kind(row) in OUTER
            replacement = self._attributes.get(expr_id(row)) if is_column else None
            yield from replacement or [row]

    def of_column(self, number: int) -> str:
        """The text of an attribute; empty for a column taken as it is."""
        rows = self._attributes.get(number)
        return expression_text(as_rows(rows)) if rows else ""

    def of_edge(self, transformation: int, bit: int, column: str) -> str:
        """The text of one edge: of what affected the rows, or else of its column's expression."""
        step = transformation % MASKING
        if step == IDENTITY:
            return ""
        reasons = self._reasons.get((step, bit))
        return "; ".join(reasons) if reasons else column
