"""What ALTER TABLE does to the columns of a table. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from airflow_colgraph.sql.relation import Relation
from airflow_colgraph.sql.transformations import NONE


def actions_of(node: exp.Alter) -> Iterator[exp.Expr]:
    """The actions of a statement, one for each column: also of `ADD (a INT, b INT)`.

    Hive's and MySQL's `CHANGE a b INT` is a new name and a type. Columns that only a partition gets
    are none of the table's.
    """
    is_partition = bool(node.this.args.get("partition"))
    for action in node.args.get("actions") or ():
        if isinstance(action, (exp.Schema, exp.ReplaceColumns)) and is_partition:
            continue
        if isinstance(action, exp.Schema):
            yield from action.expressions
        elif isinstance(action, exp.ModifyColumn):
            former, definition = action.args.get("rename_from"), action.this
            yield from _redefined(former, definition.this, definition.args.get("kind"))
            yield action
        elif isinstance(action, exp.AlterColumn) and action.args.get("rename_to"):
            yield from _redefined(action.this, action.args["rename_to"], action.args.get("dtype"))
        else:
            yield action


def _redefined(
    former: exp.Expr | None, name: exp.Expr, dtype: exp.Expr | None
) -> Iterator[exp.Expr]:
    """A column that gets a type, and another name where it has a former one."""
    if former is not None:
        yield exp.RenameColumn(this=exp.column(former.copy()), to=exp.column(name.copy()))
    yield exp.AlterColumn(this=name.copy(), dtype=dtype)


def altered(action: exp.Expr, relation: Relation) -> Relation:
    """The relation with a column added, dropped or renamed, or with others instead."""
    columns = relation.columns
    if isinstance(action, exp.ColumnDef):
        names = [name.casefold() for name, _ in columns]
        at, is_new = _position(action, names), action.name.casefold() not in names
        columns = (*columns[:at], *[(action.name, NONE)] * is_new, *columns[at:])
    elif isinstance(action, exp.ModifyColumn) and action.this.args.get("position"):
        own = action.this.name.casefold()
        moved = [pair for pair in columns if pair[0].casefold() == own]
        others = [pair for pair in columns if pair[0].casefold() != own]
        at = _position(action.this, [name.casefold() for name, _ in others])
        columns = (*others[:at], *moved, *others[at:])
    elif isinstance(action, exp.ReplaceColumns):
        columns = tuple((column.name, NONE) for column in action.expressions)
    elif isinstance(action, exp.Drop) and str(action.args.get("kind")).upper() == "COLUMN":
        parts = action.args.get("tables") or [action.this]
        dropped = {part.name.casefold() for part in parts if part}
        columns = tuple(pair for pair in columns if pair[0].casefold() not in dropped)
    elif isinstance(action, exp.RenameColumn):
        old, new = action.this.name.casefold(), action.args["to"].name
        columns = tuple((new if name.casefold() == old else name, of) for name, of in columns)
    return relation._replace(columns=columns)


def _position(column: exp.ColumnDef, names: list[str]) -> int:
    """Where a new column is among the others: FIRST, AFTER another, or behind all."""
    position = column.args.get("position")
    if position is None:
        return len(names)
    before = position.this.name.casefold() if position.this else None
    if before is None:
        return 0
    return names.index(before) + 1 if before in names else len(names)
