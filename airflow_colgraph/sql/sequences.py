"""The statements of a script that write each table, in their order, as a step of its digests. Pure.

Their columns may come from the same ones, and the rows are others: INSERT twice instead of once,
rows that are added and no longer replaced, a view in place of a table, other partitions or
defaults, a table that is read before all its rows are there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from sqlglot import exp

from airflow_colgraph.openlineage.digests import digest, shown, without_dates
from airflow_colgraph.sql.database import TableName
from airflow_colgraph.sql.digests import Digests
from airflow_colgraph.sql.writes import Write, replaces_all

INSERT, OVERWRITE = "INSERT", "INSERT OVERWRITE"
PLAIN = {"DELETE", INSERT, "MERGE", "UPDATE"}  # the other steps tell enough of them
ENDS = {"DROP": "DROP", "TRUNCATETABLE": "TRUNCATE"}
SAID_BY_COLUMNS = (exp.CommentColumnConstraint,)  # or of no effect on the rows
OF_COLUMNS = (exp.ColumnDef, exp.Drop, exp.RenameColumn)  # which the columns tell
MOST = 10  # groups of statements that are named


class _Statement(NamedTuple):
    """What one statement does to a table, in which way, and which tables it reads."""

    number: int
    label: str
    definition: str = ""
    reads: frozenset[TableName] = frozenset()


class Sequences:
    """The statements so far, by the tables that they write."""

    def __init__(self) -> None:
        """None yet."""
        self._number = 0
        self._of: dict[TableName, list[_Statement]] = {}

    def add(self, node: exp.Expr, writes: Iterable[Write]) -> None:
        """Add a statement with its writes."""
        self._number += 1
        for write in writes:
            if write.previous:
                self._of[write.table] = self._of.pop(write.previous, [])
                continue
            before = self._of.get(write.table, [])
            new = [
                _Statement(self._number, label, _definition(node), _reads(write))
                for label in _labels(node, write, [each.label for each in before])
            ]
            if [each.label for each in (*before, *new)] == [ENDS["TRUNCATETABLE"], INSERT]:
                before, new = [], [new[0]._replace(label=OVERWRITE)]
            self._of[write.table] = new if _starts_over(node) else [*before, *new]

    def added_to(self, writes: Sequence[Write]) -> list[Write]:
        """The writes; the last one of each table has the step of all of them."""
        last = {write.table: place for place, write in enumerate(writes) if write.digests}
        steps = {place: self._step(table) for table, place in last.items()}
        return [
            _with_step(write, step) if (step := steps.get(place)) else write
            for place, write in enumerate(writes)
        ]

    def _step(self, table: TableName) -> tuple[str, str] | None:
        """The name and the digest; None for a single plain statement."""
        statements = self._of.get(table, ())
        ways = [(each.definition, *self._unfinished(each)) for each in statements]
        labels = [each.label for each in statements]
        if len(labels) < 2 and PLAIN.issuperset(labels) and not any(map(any, ways)):
            return None
        return _named(labels), shown(digest(*map(repr, ways)))

    def _unfinished(self, statement: _Statement) -> Iterator[str]:
        """The tables that a statement reads, and that later ones still write."""
        for table in sorted(statement.reads):
            if any(each.number > statement.number for each in self._of.get(table, ())):
                yield ".".join(table)


def _named(labels: Iterable[str]) -> str:
    """`CREATE TABLE, 2 INSERT`."""
    groups = [(label, len(list(same))) for label, same in groupby(labels)]
    texts = [f"{count} {label}" if count > 1 else label for label, count in groups]
    more = f" and {len(texts) - MOST} more" if texts[MOST:] else ""
    return f"{', '.join(texts[:MOST])}{more}"


def _with_step(write: Write, step: tuple[str, str]) -> Write:
    own = write.digests or Digests((), ())
    return write._replace(digests=own._replace(steps=(*own.steps, step)))


def _labels(node: exp.Expr, write: Write, before: Sequence[str]) -> list[str]:
    """What the statement is called; a table with rows is created and filled."""
    if isinstance(node, exp.Create):
        kind = str(node.args.get("kind")).upper()
        label = f"CREATE {kind}{' IF NOT EXISTS' if _keeps(node) and before != ['DROP'] else ''}"
        return [label, INSERT] if write.relation and kind == "TABLE" else [label]
    if isinstance(node, exp.Insert):
        if _replaces_all(node):
            return [OVERWRITE]
        return [f"{OVERWRITE} PARTITION" if node.args.get("overwrite") else INSERT]
    if isinstance(node, exp.Delete) and not node.args.get("where"):
        return [ENDS["TRUNCATETABLE"]]
    if isinstance(node, exp.Alter) and all(isinstance(a, OF_COLUMNS) for a in node.args["actions"]):
        return []
    key = node.key.upper()
    return [ENDS.get(key, key)]


def _keeps(node: exp.Create) -> bool:
    return bool(node.args.get("exists")) and not node.args.get("replace")


def _starts_over(node: exp.Expr) -> bool:
    """Whether no row is left of those from before."""
    if isinstance(node, exp.Create):
        return not _keeps(node)
    if isinstance(node, exp.Delete):
        return not node.args.get("where")
    return isinstance(node, (exp.Drop, exp.TruncateTable)) or _replaces_all(node)


def _replaces_all(node: exp.Expr) -> bool:
    return isinstance(node, exp.Insert) and replaces_all(node)


def _reads(write: Write) -> frozenset[TableName]:
    relation = write.relation
    if relation is None:
        return frozenset()
    inputs = (*(of for _, of in relation.columns), relation.rows)
    return frozenset(source.table for of in inputs for source, _ in of) - {write.table}


def _definition(node: exp.Expr) -> str:
    """What of a statement is neither in its columns nor in the other steps."""
    parts: list[Any] = []
    if isinstance(node, exp.Create):
        parts += _constraints(node)
        properties = node.args.get("properties")
        parts += [
            each
            for each in (properties.expressions if properties else ())
            if "Partition" in type(each).__name__ or isinstance(each, exp.MaterializedProperty)
        ]
    elif isinstance(node, exp.Alter):
        parts += node.args.get("actions") or ()
    return digest(*(without_dates(part.sql().casefold()) for part in parts)) if parts else ""


def _constraints(node: exp.Create) -> Iterator[exp.Expr]:
    """The constraints and defaults of the columns, and those of the table."""
    for part in node.this.expressions if isinstance(node.this, exp.Schema) else ():
        if isinstance(part, exp.ColumnDef):
            for constraint in part.args.get("constraints") or ():
                if not isinstance(constraint.args.get("kind"), SAID_BY_COLUMNS):
                    yield exp.ColumnDef(this=part.this.copy(), constraints=[constraint.copy()])
        elif not isinstance(part, (exp.Identifier, exp.Column)):
            yield part
