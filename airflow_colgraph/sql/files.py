"""COPY and UNLOAD: tables from files, and files from tables. Pure."""

from __future__ import annotations

import re

from sqlglot import exp

from airflow_colgraph.sql.parse import statements
from airflow_colgraph.sql.queries import query
from airflow_colgraph.sql.relation import Relation
from airflow_colgraph.sql.session import Session
from airflow_colgraph.sql.transformations import NONE
from airflow_colgraph.sql.writes import Write, parts_of, target_of


def copy(node: exp.Copy, session: Session) -> None:
    """COPY of a table from files, or of a query into files."""
    files = [file.name or str(file.this) for file in node.args.get("files") or ()]
    outside = [file for file in files if file.upper() not in ("STDIN", "STDOUT")]
    target = node.this
    scope = session.scope()
    if isinstance(target, exp.Subquery):
        relation = query(target, scope)
        session.writes += [Write((), relation, location=file) for file in outside]
        return
    table, listed = target_of(target)
    if str(table.name).startswith("@") or "://" in table.name:  # Snowflake: COPY INTO @stage
        relation = Relation()
        for source in node.args.get("files") or ():
            relation = query(source, scope)
        session.writes.append(Write((), relation, location=table.name))
        return
    name = session.database.whole(parts_of(table))
    if node.args.get("kind"):  # FROM: the statement does not name the columns of the file
        sources = list(node.args.get("files") or ())
        inner = [one for one in sources if isinstance(one, exp.Subquery)]
        session.files += outside if not inner else []
        session.database.findings.unknown("FileColumns")
        session.add(Write(name, Relation() if inner else None))
        return
    relation = query(exp.select("*").from_(table.copy()), scope)
    if listed:
        relation = Relation(
            tuple((column, relation.column(column) or NONE) for column in listed), relation.rows
        )
    session.writes += [Write((), relation, location=file) for file in outside]


UNLOAD = re.compile(
    r"\(\s*(?P<query>'(?:[^']|'')*'|\$\$.*?\$\$)\s*\)\s*to\s*'(?P<to>[^']*)'", re.I | re.S
)


def unload(text: str, session: Session) -> None:
    """Redshift's UNLOAD ('query') TO 's3://..'."""
    found = UNLOAD.search(text)
    if found is None:
        session.database.findings.unread("UNLOAD")
        return
    quoted = found["query"]
    inner = quoted[2:-2] if quoted.startswith("$$") else quoted[1:-1].replace("''", "'")
    for node in statements(inner, session.database.place.dialect):
        if isinstance(node, exp.Query):
            relation = query(node, session.scope())
            session.writes.append(Write((), relation, location=found["to"]))
        else:
            session.database.findings.unread("UNLOAD")
