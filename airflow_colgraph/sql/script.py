"""The lineage of a script: its statements one after the other. Pure.

    script("CREATE TEMP TABLE t AS SELECT a FROM raw; INSERT INTO mart (a) SELECT a FROM t",
           Place("postgres", "shop", "public"), {("shop", "public", "raw"): ("a",)})
    -> writes: shop.public.mart: a <- shop.public.raw.a

Temporary tables and views are gone through; so a script is read in its order. What can't be looked
into (procedures, dynamic SQL, text that does not parse) is counted in `opaque`, what depends on an
unknown schema in `unresolved`; neither is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlglot import exp

from airflow_colgraph.sql.database import Database, Place, TableName
from airflow_colgraph.sql.parse import statements
from airflow_colgraph.sql.queries import query, with_ctes
from airflow_colgraph.sql.relation import Relation
from airflow_colgraph.sql.scope import Environment, Scope
from airflow_colgraph.sql.transformations import NONE, union
from airflow_colgraph.sql.writes import (
    Write,
    delete,
    insert,
    merge,
    parts_of,
    returned,
    target_of,
    update,
)

Schemas = Mapping[TableName, tuple[str, ...]]


class ScriptLineage(NamedTuple):
    """What a script wrote and read."""

    writes: list[Write]
    reads: list[TableName]
    files: list[str]
    unresolved: dict[str, int]
    opaque: dict[str, int]
    columns: dict[TableName, tuple[str, ...]]


@dataclass
class Session:
    """A script that is being read."""

    database: Database
    writes: list[Write] = field(default_factory=list)
    files: list[str] = field(default_factory=list)

    def scope(self) -> Scope:
        """The scope of a statement: the database's tables."""
        environment = Environment(self.database.lookup, self.database.findings, self.inside)
        return Scope(environment, query)

    def inside(self, node: exp.Expression, scope: Scope) -> Relation:
        """A statement inside a query."""
        write = DML[type(node)](node, scope, self.database)
        self.add(write)
        return returned(node, write, scope, self.database)

    def add(self, write: Write) -> None:
        """Note a write; one to a temporary table is part of what later statements read."""
        name = self.database.is_temporary(write.table)
        if name is None:
            self.writes.append(write)
            return
        before = self.database.temporary[name]
        self.database.temporary[name] = _added(before, write.relation or Relation())


def _added(before: Relation, more: Relation) -> Relation:
    """A temporary table with more rows in it."""
    columns = dict(before.columns)
    for name, inputs in more.columns:
        columns[name] = union(columns.get(name, NONE), inputs)
    behind = (*before.behind, *((more,) if more.is_open else ()))
    return Relation(tuple(columns.items()), union(before.rows, more.rows), behind=behind)


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


DML: dict[type[exp.Expression], Callable[[Any, Scope, Database], Write]] = {
    exp.Insert: insert,
    exp.Update: update,
    exp.Delete: delete,
    exp.Merge: merge,
}


def _select(node: exp.Expression, session: Session) -> None:
    """SELECT, which may have an INTO."""
    into = node.args.get("into")
    relation = query(node, session.scope())
    if into is not None:
        table = into.this
        temporary = bool(into.args.get("temporary") or table.this.args.get("temporary"))
        _make(table, relation, session, temporary=temporary)


def _make(
    table: exp.Table, relation: Relation, session: Session, *, temporary: bool, lifecycle: str = ""
) -> None:
    """A table or view that is made of a query."""
    if temporary:
        session.database.temporary[parts_of(table)] = relation
        return
    name = session.database.whole(parts_of(table))
    if not relation.is_open:
        session.database.made[name] = tuple(column for column, _ in relation.columns)
    session.writes.append(Write(name, relation, lifecycle or "CREATE"))


# CREATE, DROP, .. -----------------------------------------------------------------------------


def _create(node: exp.Create, session: Session) -> None:
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
        _make(table, relation, session, temporary=temporary, lifecycle=lifecycle)
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


def _drop(node: exp.Drop, session: Session) -> None:
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


def _truncate(node: exp.TruncateTable, session: Session) -> None:
    for table in node.expressions:
        parts = parts_of(table)
        if session.database.is_temporary(parts) is None:
            session.writes.append(Write(session.database.whole(parts), None, "TRUNCATE"))


def _alter(node: exp.Alter, session: Session) -> None:
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


def _use(node: exp.Use, session: Session) -> None:
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


def _set(node: exp.Set, session: Session) -> None:
    """`SET search_path = a, b` changes what an unqualified name means."""
    for item in node.expressions:
        setting = item.this
        if isinstance(setting, exp.EQ) and setting.this.name.casefold() == "search_path":
            first = setting.expression
            schema = str(first.name or first.this)
            session.database.place = session.database.place._replace(schema=schema)


# COPY and UNLOAD ------------------------------------------------------------------------------


def _copy(node: exp.Copy, session: Session) -> None:
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


def _unload(text: str, session: Session) -> None:
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


def _command(node: exp.Command, session: Session) -> None:
    """A statement that sqlglot only knows by its first word."""
    word = str(node.this).upper()
    if word == "UNLOAD":
        _unload(str(node.expression.this if node.expression else ""), session)
    elif word not in HARMLESS_WORDS and not _is_definition(node, word):
        session.database.findings.unread(str(node.this))


def _is_definition(node: exp.Command, word: str) -> bool:
    """Whether a command moves no rows by its second word: CREATE FUNCTION, BEGIN WORK."""
    rest = str(node.expression.this if node.expression else "").upper().split()
    second = next((each for each in rest if each not in ("OR", "REPLACE", "UNIQUE")), "")
    return second in SECOND_WORDS.get(word, ())


HARMLESS = tuple(
    getattr(exp, name)
    for name in (
        "Transaction", "Commit", "Rollback", "Set", "Comment", "Describe", "Show", "Pragma",
        "Grant", "Revoke", "Analyze", "Cache", "Uncache", "Refresh", "Kill", "Semicolon",
        "Attach", "Detach", "Summarize", "Declare",
    )
    if hasattr(exp, name)
)  # fmt: skip
HARMLESS_WORDS = {
    "ANALYZE", "VACUUM", "EXPLAIN", "SHOW", "DESCRIBE", "GRANT", "REVOKE", "COMMENT", "SET",
    "RESET", "LOCK", "COMMIT", "ROLLBACK", "END", "SAVEPOINT", "RELEASE", "LISTEN",
    "NOTIFY", "DISCARD", "CHECKPOINT", "CLUSTER", "REINDEX", "OPTIMIZE", "MSCK", "PRAGMA", "ATTACH",
    "DETACH", "INSTALL", "SECURITY", "DEALLOCATE", "USE", "UNDROP", "PRINT",
    "KILL", "FLUSH", "PUT", "LIST", "REMOVE", "PURGE",
}  # fmt: skip
_NO_ROWS = {
    "FUNCTION", "PROCEDURE", "INDEX", "USER", "ROLE", "SCHEMA", "DATABASE", "SEQUENCE", "EXTENSION",
    "TYPE", "DOMAIN", "TRIGGER", "POLICY", "STAGE", "WAREHOUSE", "GROUP", "AGGREGATE", "COLLATION",
    "SERVER", "PUBLICATION", "SUBSCRIPTION", "STATISTICS", "SYSTEM", "DEFAULT", "SESSION",
}  # fmt: skip
SECOND_WORDS = {
    "CREATE": _NO_ROWS,
    "ALTER": _NO_ROWS | {"TABLE", "VIEW", "MATERIALIZED"},
    "DROP": _NO_ROWS,
    "BEGIN": {"", "WORK", "TRANSACTION", "TRAN", "ISOLATION"},
    "START": {"TRANSACTION"},
}
OTHERS: dict[type[exp.Expression], Callable[[Any, Session], None]] = {
    exp.Create: _create,
    exp.Drop: _drop,
    exp.TruncateTable: _truncate,
    exp.Alter: _alter,
    exp.Use: _use,
    exp.Set: _set,
    exp.Copy: _copy,
    exp.Command: _command,
}
