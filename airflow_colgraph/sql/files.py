"""COPY and UNLOAD: tables from files, and files from tables. Pure."""

from __future__ import annotations

import re

from sqlglot import exp

from airflow_colgraph.sql.accounts import mark_all
from airflow_colgraph.sql.names import parts_of
from airflow_colgraph.sql.parse import statements
from airflow_colgraph.sql.queries import query
from airflow_colgraph.sql.relation import Relation
from airflow_colgraph.sql.session import Session
from airflow_colgraph.sql.transformations import NONE
from airflow_colgraph.sql.writes import Write, fitted, target_of


def copy(node: exp.Copy, session: Session) -> None:
    """COPY of a table from files, or of a query into files."""
    files = [file.name or str(file.this) for file in node.args.get("files") or ()]
    outside = [file for file in files if file.upper() not in ("STDIN", "STDOUT")]
    target = node.this
    if isinstance(target, (exp.Table, exp.Schema)):
        mark_all(target, session.database.findings)
    if any(_is_program(one) for one in node.args.get("files") or ()):
        session.database.findings.unread("COPY PROGRAM")
        return
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
        if inner:
            names = listed or list(session.database.known(name) or ())
            session.add(Write(name, fitted(query(inner[0], scope), names, scope)))
            return
        session.files += outside
        session.database.findings.unknown("FileColumns")
        session.add(Write(name, None))
        return
    relation = query(exp.select("*").from_(table.copy()), scope)
    if listed:
        relation = Relation(
            tuple((column, relation.column(column) or NONE) for column in listed), relation.rows
        )
    session.writes += [Write((), relation, location=file) for file in outside]


def export(node: exp.Export, session: Session) -> None:
    """BigQuery's EXPORT DATA OPTIONS (uri = '..') AS SELECT."""
    relation = query(node.this, session.scope())
    for uri in _uris(node.args.get("options")):
        session.writes.append(Write((), relation, location=uri))


def load(node: exp.LoadData, session: Session) -> None:
    """LOAD DATA INTO a table: the statement does not name the columns of the files."""
    table, _ = target_of(node.this)
    given = node.args.get("inpath")
    session.files += [given.name] if given else _uris(node.args.get("files"))
    session.database.findings.unknown("FileColumns")
    lifecycle = "OVERWRITE" if node.args.get("overwrite") else ""
    session.add(Write(session.database.whole(parts_of(table)), None, lifecycle))


def _uris(options: exp.Expr | None) -> list[str]:
    """The files in the options `uri` and `uris`."""
    return [
        value.name
        for one in (options.expressions if options else ())
        if isinstance(one, exp.Property) and one.name.casefold() in ("uri", "uris")
        for value in one.args["value"].find_all(exp.Literal)
    ]


def _is_program(file: exp.Expr) -> bool:
    return isinstance(file, exp.Identifier) and file.name.upper() == "PROGRAM"


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
