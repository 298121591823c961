"""The lineage of a script: its statements one after the other. Pure.

    script("CREATE TEMP TABLE t AS SELECT a FROM raw; INSERT INTO mart (a) SELECT a FROM t",
           Place("postgres", "shop", "public"), {("shop", "public", "raw"): ("a",)})
    -> writes: shop.public.mart: a <- shop.public.raw.a

Temporary tables and views are gone through; so a script is read in its order. What can't be looked
into (procedures, dynamic SQL, text that does not parse) is counted in `opaque`, what depends on an
unknown schema in `unresolved`; neither is guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from sqlglot import exp

from airflow_colgraph.sql import ddl
from airflow_colgraph.sql.commands import HARMLESS_WORDS, is_definition
from airflow_colgraph.sql.database import Database, Place, TableName
from airflow_colgraph.sql.files import copy, unload
from airflow_colgraph.sql.parse import statements
from airflow_colgraph.sql.queries import query
from airflow_colgraph.sql.session import DML, Session, make
from airflow_colgraph.sql.writes import Write, parts_of

Schemas = Mapping[TableName, tuple[str, ...]]


class ScriptLineage(NamedTuple):
    """What a script wrote and read."""

    writes: list[Write]
    reads: list[TableName]
    files: list[str]
    unresolved: dict[str, int]
    opaque: dict[str, int]
    columns: dict[TableName, tuple[str, ...]]


def script(text: str | list[str], place: Place, schemas: Schemas) -> ScriptLineage:
    """The lineage of a script, or of a list of them that one session runs."""
    session = Session(Database(place, schemas))
    findings = session.database.findings
    for part in [text] if isinstance(text, str) else text:
        for node in statements(part, place.dialect):
            try:
                run(node, session)
            except RecursionError:
                findings.unread("TooDeep")
    written = {write.table for write in session.writes}
    return ScriptLineage(
        session.writes,
        [name for name in findings.reads if name not in written],
        session.files,
        findings.unresolved,
        findings.opaque,
        dict(session.database.made),
    )


def tables_of(text: str | list[str], place: Place) -> list[TableName]:
    """The tables that a script names: those whose schema it takes to resolve it."""
    found: dict[TableName, None] = {}
    for part in [text] if isinstance(text, str) else text:
        for node in statements(part, place.dialect):
            ctes = {cte.alias.casefold() for cte in node.find_all(exp.CTE)}
            for table in node.find_all(exp.Table):
                is_cte = not table.db and table.name.casefold() in ctes
                if isinstance(table.this, exp.Identifier) and not is_cte:
                    found[place.whole(parts_of(table))] = None
    return list(found)


def run(node: exp.Expression, session: Session) -> None:
    """Read one statement."""
    kind = type(node)
    if kind in DML:
        session.add(DML[kind](node, session.scope(), session.database))
    elif kind in OTHERS:
        OTHERS[kind](node, session)
    elif isinstance(node, (exp.Query, exp.Values)):
        _select(node, session)
    elif not isinstance(node, HARMLESS):
        session.database.findings.unread(kind.__name__)


def _select(node: exp.Expression, session: Session) -> None:
    """SELECT, which may have an INTO."""
    into = node.args.get("into")
    relation = query(node, session.scope())
    if into is not None:
        table = into.this
        temporary = bool(into.args.get("temporary") or table.this.args.get("temporary"))
        make(table, relation, session, temporary=temporary)


def _command(node: exp.Command, session: Session) -> None:
    """A statement that sqlglot only knows by its first word."""
    word = str(node.this).upper()
    text = str(node.expression.this if node.expression else "")
    if word == "UNLOAD":
        unload(text, session)
    elif word not in HARMLESS_WORDS and not is_definition(word, text.upper().split()):
        session.database.findings.unread(str(node.this))


HARMLESS = tuple(
    getattr(exp, name)
    for name in (
        "Transaction", "Commit", "Rollback", "Set", "Comment", "Describe", "Show", "Pragma",
        "Grant", "Revoke", "Analyze", "Cache", "Uncache", "Refresh", "Kill", "Semicolon",
        "Attach", "Detach", "Summarize", "Declare",
    )
    if hasattr(exp, name)
)  # fmt: skip
OTHERS: dict[type[exp.Expression], Callable[[Any, Session], None]] = {
    exp.Create: ddl.create,
    exp.Drop: ddl.drop,
    exp.TruncateTable: ddl.truncate,
    exp.Alter: ddl.alter,
    exp.Use: ddl.use,
    exp.Set: ddl.set_,
    exp.Copy: copy,
    exp.Command: _command,
}
