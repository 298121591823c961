"""Statements that make, change or drop tables, or change what a name means. Pure."""

from __future__ import annotations

from sqlglot import exp

from airflow_colgraph.sql.queries import query, with_ctes
from airflow_colgraph.sql.relation import Relation
from airflow_colgraph.sql.session import Session, make
from airflow_colgraph.sql.transformations import NONE
from airflow_colgraph.sql.writes import Write, parts_of, target_of


def create(node: exp.Create, session: Session) -> None:
    """CREATE TABLE and VIEW, with or without a query."""
    kind = str(node.args.get("kind") or "").upper()
    if kind not in ("TABLE", "VIEW"):
        return  # an index, a schema, a function: no rows
    properties = node.args.get("properties")
    temporary = bool(properties and properties.find(exp.TemporaryProperty))
    table, listed = target_of(node.this)
    temporary = temporary or bool(table.this.args.get("temporary"))
    lifecycle = "OVERWRITE" if node.args.get("replace") else "CREATE"
    source = node.expression
    if isinstance(source, (exp.Query, exp.Subquery, exp.Values, exp.Table)):
        scope = with_ctes(node, session.scope())
        relation = query(source, scope).renamed(listed)
        make(table, relation, session, temporary=temporary, lifecycle=lifecycle)
        return
    like = properties.find(exp.LikeProperty) if properties else None
    columns = tuple(listed)
    if like is not None and isinstance(like.this, exp.Table):
        columns = session.database.known(session.database.whole(parts_of(like.this))) or ()
    if temporary:
        empty = tuple((name, NONE) for name in columns)
        session.database.temporary[parts_of(table)] = Relation(empty)
        return
    name = session.database.whole(parts_of(table))
    if columns:
        session.database.made[name] = columns
    session.writes.append(Write(name, None, "CREATE"))


def drop(node: exp.Drop, session: Session) -> None:
    """DROP TABLE and VIEW."""
    if str(node.args.get("kind") or "").upper() not in ("TABLE", "VIEW"):
        return
    tables = node.args.get("tables") or [node.this]
    for table in tables:
        if not isinstance(table, exp.Table):
            continue
        temporary = session.database.is_temporary(parts_of(table))
        if temporary is not None:
            del session.database.temporary[temporary]
        else:
            session.writes.append(Write(session.database.whole(parts_of(table)), None, "DROP"))


def truncate(node: exp.TruncateTable, session: Session) -> None:
    """TRUNCATE TABLE."""
    for table in node.expressions:
        parts = parts_of(table)
        if session.database.is_temporary(parts) is None:
            session.writes.append(Write(session.database.whole(parts), None, "TRUNCATE"))


def alter(node: exp.Alter, session: Session) -> None:
    """ALTER TABLE, which may rename it."""
    table = node.this
    if not isinstance(table, exp.Table):
        return
    parts = parts_of(table)
    temporary = session.database.is_temporary(parts)
    name = session.database.whole(parts)
    for action in node.args.get("actions") or ():
        if isinstance(action, exp.AlterRename) and isinstance(action.this, exp.Table):
            new = parts_of(action.this)
            if temporary is not None:
                relation = session.database.temporary.pop(temporary)
                session.database.temporary[new] = relation
                return
            renamed = session.database.whole((*parts[:-1], *new) if len(new) == 1 else new)
            session.writes.append(Write(renamed, None, "RENAME", previous=name))
            return
    if temporary is None:
        session.writes.append(Write(name, None, "ALTER"))


def use(node: exp.Use, session: Session) -> None:
    """USE changes what an unqualified name means."""
    kind = str(node.args.get("kind") or "").upper()
    place = session.database.place
    parts = parts_of(node.this) if isinstance(node.this, exp.Table) else ()
    if kind in ("ROLE", "WAREHOUSE", "SECONDARY ROLES") or not parts:
        return
    if kind == "CATALOG" or (kind in ("", "DATABASE") and len(parts) == 1 and place.levels == 3):
        three = place.dialect in ("snowflake", "tsql") or kind in ("CATALOG", "DATABASE")
        changed = place._replace(catalog=parts[0]) if three else place._replace(schema=parts[0])
    elif len(parts) > 1:
        changed = place._replace(catalog=parts[0], schema=parts[1])
    else:
        changed = place._replace(schema=parts[0])
    session.database.place = changed


def set_(node: exp.Set, session: Session) -> None:
    """`SET search_path = a, b` changes what an unqualified name means."""
    for item in node.expressions:
        setting = item.this
        if isinstance(setting, exp.EQ) and setting.this.name.casefold() == "search_path":
            first = setting.expression
            schema = str(first.name or first.this)
            session.database.place = session.database.place._replace(schema=schema)
