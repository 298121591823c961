"""COPY and UNLOAD: tables from files, and files from tables. Pure."""

from __future__ import annotations

import re

from sqlglot import exp

from airflow_colgraph.sql.accounts import mark_all
from airflow_colgraph.sql.names import parts_of
from airflow_colgraph.sql.parse import statements
from airflow_colgraph.sql.queries import query
from airflow_colgraph.sql.relation import Relation, file_name
from airflow_colgraph.sql.session import Session
from airflow_colgraph.sql.transformations import NONE
from airflow_colgraph.sql.writes import Write, fitted, replaces_all, target_of


def copy(node: exp.Copy, session: Session) -> None:
    """COPY of a table from files, or of a query into files."""
    sources = list(node.args.get("files") or ())
    names = [file.name or str(file.this) for file in sources]
    outside = [name for name in names if name.upper() not in ("STDIN", "STDOUT")]
    if isinstance(node.this, (exp.Table, exp.Schema)):
        mark_all(node.this, session.database.findings)
    for option in node.args.get("params") or ():  # DuckDB: PARTITION_BY (a)
        mark_all(option, session.database.findings)
    if any(map(_is_program, sources)):
        session.database.findings.unread("COPY PROGRAM")
    elif isinstance(node.this, exp.Subquery):
        _write_files(query(node.this, session.scope()), outside, session)
    elif _is_stage(target_of(node.this)[0]):  # Snowflake: COPY INTO @stage
        relations = [query(source, session.scope()) for source in sources]
        _write_files(relations[-1] if relations else Relation(), [node.this.name], session)
    elif node.args.get("kind"):
        _copy_from(node, sources, outside, session)
    else:
        _copy_to(node, outside, session)


def _is_stage(table: exp.Table) -> bool:
    return table.name.startswith("@") or "://" in table.name


def _write_files(relation: Relation, files: list[str], session: Session) -> None:
    session.writes += [Write(file_name(file), relation) for file in files]


def _copy_from(node: exp.Copy, sources: list[exp.Expr], files: list[str], session: Session) -> None:
    """Files into a table: only a query of them names their columns."""
    table, listed = target_of(node.this)
    name = session.database.whole(parts_of(table))
    queries = [source for source in sources if isinstance(source, exp.Subquery)]
    if queries:
        scope, columns = session.scope(), listed or list(session.database.columns_of(name) or ())
        session.add(Write(name, fitted(query(queries[0], scope), columns, scope)))
        return
    session.files += files
    session.database.findings.unknown("FileColumns")
    session.add(Write(name, None))


def _copy_to(node: exp.Copy, files: list[str], session: Session) -> None:
    """A table, or some of its columns, into files."""
    table, listed = target_of(node.this)
    relation = query(exp.select("*").from_(table.copy()), session.scope())
    if listed:
        columns = ((column, relation.column(column) or NONE) for column in listed)
        relation = Relation(tuple(columns), relation.rows)
    _write_files(relation, files, session)


def export(node: exp.Export, session: Session) -> None:
    """BigQuery's EXPORT DATA OPTIONS (uri = '..') AS SELECT."""
    relation = query(node.this, session.scope())
    for uri in _uris(node.args.get("options")):
        session.writes.append(Write(file_name(uri), relation))


def load(node: exp.LoadData, session: Session) -> None:
    """LOAD DATA INTO a table: the statement does not name the columns of the files."""
    table, _ = target_of(node.this)
    path = node.args.get("inpath")
    session.files += [path.name] if path else _uris(node.args.get("files"))
    session.database.findings.unknown("FileColumns")
    lifecycle = "OVERWRITE" if replaces_all(node) else ""
    session.add(Write(session.database.whole(parts_of(table)), None, lifecycle))


def _uris(options: exp.Expr | None) -> list[str]:
    """The files in the options `uri` and `uris`."""
    return [
        value.name
        for option in (options.expressions if options else ())
        if isinstance(option, exp.Property) and option.name.casefold() in ("uri", "uris")
        for value in option.args["value"].find_all(exp.Literal)
    ]


def _is_program(file: exp.Expr) -> bool:
    return isinstance(file, exp.Identifier) and file.name.upper() == "PROGRAM"


UNLOAD = re.compile(
    r"\(\s*(?P<query>'(?:[^'\\]|\\.|'')*'|\$\$.*?\$\$)\s*\)\s*to\s*'(?P<to>[^']*)'", re.I | re.S
)


def unload(text: str, session: Session) -> None:
    """Redshift's UNLOAD ('query') TO 's3://..'."""
    match = UNLOAD.search(text)
    if match is None:
        session.database.findings.unread("UNLOAD")
        return
    quoted = match["query"]
    is_dollar = quoted.startswith("$$")
    inner = quoted[2:-2] if is_dollar else re.sub(r"\\'|''", "'", quoted[1:-1])
    for node in statements(inner, session.database.place.dialect):
        if isinstance(node, exp.Query):
            relation = query(node, session.scope())
            session.writes.append(Write(file_name(match["to"]), relation))
        else:
            session.database.findings.unread("UNLOAD")
