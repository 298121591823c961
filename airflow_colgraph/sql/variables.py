"""Variables of a session: what they are set from is what their users read. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

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
            for one in names:
                session.database.temporary[(f"@{one.name}",)] = Relation(columns)
            continue
        assign(names, inputs_of(item.args.get("default"), session.scope()), session)


def set_variable(setting: exp.EQ, session: Session) -> None:
    """`SET x = (SELECT ..)`, also of several: `SET (x, y) = (SELECT ..)`."""
    names = setting.this.expressions if isinstance(setting.this, exp.Tuple) else [setting.this]
    assign(names, inputs_of(setting.expression, session.scope()), session)


def assign(names: Iterable[exp.Expr], inputs: Inputs, session: Session) -> None:
    """The variables have been set from these inputs."""
    for one in names:
        if one.name:
            session.variables[one.name.casefold()] = inputs


def into_of(node: exp.Expr) -> exp.Expr | None:
    """The INTO of a SELECT: in a set operation that of the first one."""
    while isinstance(node, (exp.SetOperation, exp.Subquery)):
        node = node.this
    into = node.args.get("into")
    return into if isinstance(into, exp.Expression) else None


def selected(node: exp.Expr, relation: Relation, session: Session) -> bool:
    """Whether a SELECT only sets variables: `SELECT @x = max(a)`, `SELECT max(a) INTO @x`."""
    for item in node.find_all(exp.PropertyEQ):  # MySQL: SELECT @x := max(a)
        name = item.this.name.casefold() if isinstance(item.this, exp.Parameter) else ""
        if name in session.variables:
            session.variables[name] |= relation.rows
    names = node.meta.get("variables") or ()  # MySQL: SELECT max(a), min(a) INTO @x, @y
    for name, (_, inputs) in zip(names, relation.columns, strict=False):
        session.variables[name.casefold()] = union(inputs, relation.rows)
    if names:
        return True
    into = into_of(node)
    targets_named = [into.this, *into.expressions] if into is not None else []
    inside = [one.this if isinstance(one, exp.Table) else one for one in targets_named]
    targets = [one for one in inside if isinstance(one, exp.Parameter)]
    if targets:
        for target, (_, inputs) in zip(targets, relation.columns, strict=False):
            assign([target], union(inputs, relation.rows), session)
        return True
    items = [
        (item.this, inputs)
        for item, (_, inputs) in zip(node.expressions, relation.columns, strict=False)
        if isinstance(item, exp.EQ) and isinstance(item.this, exp.Parameter)
    ]
    for target, inputs in items if session.database.place.dialect == "tsql" else ():
        earlier = session.variables.get(target.name.casefold(), NONE)
        assign([target], union(inputs, relation.rows, earlier), session)
    return False
