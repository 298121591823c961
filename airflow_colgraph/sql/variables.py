"""Variables of a session: what they are set from is what their users read. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from airflow_colgraph.sql.assignments import assigned
from airflow_colgraph.sql.expressions import inputs_of
from airflow_colgraph.sql.relation import Relation
from airflow_colgraph.sql.session import Session
from airflow_colgraph.sql.transformations import NONE, Inputs, union


def declare(node: exp.Declare, session: Session) -> None:
    """`DECLARE x INT DEFAULT (SELECT ..)`."""
    for item in node.expressions:
        names = item.this if isinstance(item.this, list) else [item.this]
        kind = item.args.get("kind")
        if isinstance(kind, exp.Schema):  # T-SQL's DECLARE @t TABLE (a INT)
            columns = tuple((column.name, NONE) for column in kind.expressions)
            for name in names:
                session.database.temporary[(f"@{name.name}",)] = Relation(columns)
            continue
        assign(names, inputs_of(item.args.get("default"), session.scope()), session)


def set_variable(setting: exp.EQ, session: Session) -> None:
    """`SET x = (SELECT ..)`, also of several: `SET (x, y) = (SELECT ..)`."""
    for name, inputs in assigned([setting], session.scope()):
        assign([name], inputs, session)


def assign(names: Iterable[exp.Expr], inputs: Inputs, session: Session) -> None:
    """The variables have been set from these inputs."""
    for name in names:
        if name.name:
            session.variables[name.name.casefold()] = inputs


def into_of(node: exp.Expr) -> exp.Expr | None:
    """The INTO of a SELECT: in a set operation that of the first one."""
    while isinstance(node, (exp.SetOperation, exp.Subquery)):
        node = node.this
    into = node.args.get("into")
    return into if isinstance(into, exp.Expression) else None


def selected(node: exp.Expr, relation: Relation, session: Session) -> bool:
    """Whether a SELECT only sets variables: `SELECT @x = max(a)`, `SELECT max(a) INTO @x`."""
    _beside_rows(node, relation, session)
    names = node.meta.get("variables") or ()  # MySQL: SELECT max(a), min(a) INTO @x, @y
    targets = [exp.to_identifier(name) for name in names] or _into(node)
    for target, (_, inputs) in zip(targets, relation.columns, strict=False):
        assign([target], union(inputs, relation.rows), session)
    if not targets and session.database.place.dialect == "tsql":
        _from_items(node, relation, session)
    return bool(targets)


def _beside_rows(node: exp.Expr, relation: Relation, session: Session) -> None:
    """MySQL's `SELECT @x := max(a)`: what decides on the rows decides on the variable."""
    for item in node.find_all(exp.PropertyEQ):
        name = item.this.name.casefold() if isinstance(item.this, exp.Parameter) else ""
        if name in session.variables:
            session.variables[name] |= relation.rows


def _into(node: exp.Expr) -> list[exp.Parameter]:
    """The variables in `SELECT max(a) INTO @x`."""
    into = into_of(node)
    items = [into.this, *into.expressions] if into is not None else []
    inside = [item.this if isinstance(item, exp.Table) else item for item in items]
    return [item for item in inside if isinstance(item, exp.Parameter)]


def _from_items(node: exp.Expr, relation: Relation, session: Session) -> None:
    """T-SQL's `SELECT @x = max(a)`, which leaves the variable alone where there is no row."""
    for item, (_, inputs) in zip(node.expressions, relation.columns, strict=False):
        if isinstance(item, exp.EQ) and isinstance(item.this, exp.Parameter):
            earlier = session.variables.get(item.this.name.casefold(), NONE)
            assign([item.this], union(inputs, relation.rows, earlier), session)
