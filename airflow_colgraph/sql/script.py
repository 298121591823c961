"""The lineage of a script: its statements one after the other. Pure.

    script("CREATE TEMP TABLE t AS SELECT a FROM raw; INSERT INTO mart (a) SELECT a FROM t",
           Place("postgres", "shop", "public"), {("shop", "public", "raw"): ("a",)})
    -> writes: shop.public.mart: a <- shop.public.raw.a

Temporary tables and views are gone through; so a script is read in its order. What can't be looked
into (procedures, dynamic SQL, text that does not parse) is counted in `opaque`, what depends on an
unknown schema in `unresolved`; neither is guessed.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

from sqlglot import exp

from airflow_colgraph.sql import ddl
from airflow_colgraph.sql.accounts import unmarked
from airflow_colgraph.sql.changes import returned
from airflow_colgraph.sql.commands import (
    HARMLESS_WORDS,
    catalog,
    is_harmless,
    is_known,
    reshaped,
    search_path,
)
from airflow_colgraph.sql.ctes import cte_of
from airflow_colgraph.sql.database import Database, Place, TableName
from airflow_colgraph.sql.digests import Statements
from airflow_colgraph.sql.exchanges import exchange
from airflow_colgraph.sql.expressions import function_name
from airflow_colgraph.sql.files import copy, export, load, unload
from airflow_colgraph.sql.loops import carried
from airflow_colgraph.sql.names import is_temporary_name, parts_of
from airflow_colgraph.sql.output_into import parts_of_name
from airflow_colgraph.sql.parse import EXCHANGE, statements, table_name
from airflow_colgraph.sql.queries import query
from airflow_colgraph.sql.sequences import Sequences
from airflow_colgraph.sql.session import DML, Carried, Session, make
from airflow_colgraph.sql.transformations import NONE
from airflow_colgraph.sql.trees import COMMAND, PROCEDURAL
from airflow_colgraph.sql.variables import (
    assign_returned,
    assign_row,
    declare,
    declare_cursor,
    fetch,
    into_of,
    selected,
    set_,
    set_catalog,
    set_search_path,
    use,
)
from airflow_colgraph.sql.writes import Write, fitted

log = logging.getLogger(__name__)

Schemas = Mapping[TableName, Iterable[str]]  # columns, also with their types


class ScriptLineage(NamedTuple):
    """What a script wrote and read."""

    writes: list[Write]
    reads: list[TableName]
    files: list[str]
    unresolved: dict[str, int]
    opaque: dict[str, int]
    columns: dict[TableName, tuple[str, ...]]
    where: dict[str, list[str]]  # by kind of what is unresolved or opaque: what, and where
    types: dict[TableName, dict[str, str]]  # that the script states
    made: set[TableName]  # tables whose columns only the script tells


def script(text: str | list[str], place: Place, schemas: Schemas) -> ScriptLineage:
    """The lineage of a script, or of a list of them that one session runs."""
    texts = [text] if isinstance(text, str) else text
    nodes = [node for part in texts for node in statements(part, place.dialect)]
    left = Carried()
    if any(node.meta.get("loop") for node in nodes):
        left = carried(nodes, partial(_session, place, schemas), _tried)
    session = _session(place, schemas, left)
    findings = session.database.findings
    earlier, sequences = Statements(), Sequences()
    for node in nodes:
        findings.statement += not {"opens", "closes"} & node.meta.keys()
        findings.line = int(node.meta.get("line", 0))
        findings.marked.clear()
        count = len(session.writes)
        with _guarded(node, session):
            run(node, session)
            _account(node, session)
            _digest(node, session, earlier, count)
            sequences.add(node, session.writes[count:])
    findings.statement = 0
    session.writes = sequences.added_to(session.writes)
    for write in session.writes:
        for name, inputs in write.relation.columns if write.relation else ():
            if inputs and not name:
                findings.unknown("UnnamedColumn", ".".join(filter(None, write.table)))
    return ScriptLineage(
        session.writes,
        [name for name, count in findings.reads.items() if count],
        session.files,
        findings.unresolved,
        findings.opaque,
        {name: columns for name, columns in session.database.script_columns.items() if columns},
        findings.where,
        session.database.script_types,
        session.database.made,
    )


def _session(place: Place, schemas: Schemas, left: Carried) -> Session:
    return Session(Database(place, schemas), carried=left)


def _tried(node: exp.Expr, session: Session) -> None:
    with _guarded(node, session):
        run(node, session)


@contextmanager
def _guarded(node: exp.Expr, session: Session) -> Iterator[None]:
    """Report a statement that cannot be read; the others keep their lineage."""
    try:
        yield
    except RecursionError:
        session.database.findings.unread("TooDeep")
    except Exception as error:
        log.debug("colgraph: a statement can't be read", exc_info=True)
        session.database.findings.unread(f"{type(node).__name__} ({type(error).__name__})")


def _digest(node: exp.Expr, session: Session, earlier: Statements, count: int) -> None:
    """Add the digests of a statement to its writes, which follow the first `count` ones."""
    if isinstance(node, (exp.Query, *DML, exp.Create)):
        writes = session.writes[count:]
        digests = earlier.add(node, is_written=bool(writes))
        session.writes[count:] = [write._replace(digests=digests) for write in writes]


def not_parsed(text: str | list[str], place: Place) -> list[int]:
    """The lines of a script on which statements begin that do not parse."""
    lines = []
    for part in [text] if isinstance(text, str) else text:
        for node in statements(part, place.dialect):
            word, after = _words(node) if isinstance(node, exp.Command) else ("", "")
            is_read = word in READ or word.partition(" ")[0] in PROCEDURAL
            if word and not is_read and not is_known(word, after.upper().split()):
                lines.append(int(node.meta["line"]))
    return lines


def tables_of(text: str | list[str], place: Place) -> list[TableName]:
    """The tables that a script names: those whose schema it takes to resolve it."""
    tables: dict[TableName, None] = {}
    session = Session(Database(place))
    for part in [text] if isinstance(text, str) else text:
        for node in statements(part, place.dialect):
            if isinstance(node, SETTINGS):  # what an unqualified name means may change
                run(node, session)
                tables.update(dict.fromkeys(session.database.findings.reads))  # of UNLOAD's text
            for table in node.find_all(exp.Table):
                is_base = not cte_of(table, place.dialect) and not is_temporary_name(table)
                if isinstance(table.this, exp.Identifier) and is_base:
                    names = session.database.place.candidates(parts_of(table))
                    tables.update(dict.fromkeys(names))
    return list(tables)


def run(node: exp.Expr, session: Session) -> None:
    """Read one statement."""
    kind = type(node)
    session.is_branched = session.is_branched or bool(node.meta.get("branch"))
    if node.meta.get("loop"):
        session.enter_loop()
    if kind in DML and _is_computed(node):
        session.database.findings.unread("DynamicIdentifier")
    elif kind in DML:
        writes = DML[kind](node, session.scope(), session.database)
        for write in writes:
            session.add(write)
        _output_into(node, writes, session)
    elif kind in OTHERS:
        OTHERS[kind](node, session)
    elif isinstance(node, (exp.Query, exp.Values, exp.Pivot)):
        _select(node, session)
    elif not isinstance(node, HARMLESS) and function_name(node) not in HARMLESS_WORDS:
        session.database.findings.unread(kind.__name__)


def _account(node: exp.Expr, session: Session) -> None:
    """Report what the statement names and no rule has looked at, or sqlglot has left out."""
    for name in node.meta.get("dropped", ()):
        session.database.findings.unknown("Unread", name)
    is_made = isinstance(node, exp.Create) and node.args.get("kind") in ("TABLE", "VIEW")
    is_whole = is_made or isinstance(node, (*DML, *READING))
    if type(node) in DML and _is_computed(node):  # reported as opaque
        return
    parts = [node] if is_whole else [*node.find_all(*INSIDE)] * isinstance(node, SETTING)
    findings = session.database.findings
    unread = {id(name): name for part in parts for name in unmarked(part, findings)}
    for name in unread.values():
        findings.unknown("Unread", name.sql())


def _is_computed(node: exp.Expr) -> bool:
    """Whether the name of the table that is written is computed: `INTO IDENTIFIER($x)`."""
    target = node.this.this if isinstance(node.this, exp.Schema) else node.this
    return isinstance(target, exp.Table) and not isinstance(target.this, exp.Identifier)


def _output_into(node: exp.Expr, writes: list[Write], session: Session) -> None:
    """T-SQL's `OUTPUT inserted.a INTO t (a)`: a second table that a statement writes.

    `RETURNING a INTO v` sets a variable.
    """
    if writes and (names := node.meta.get("returned")):
        row = returned(node, writes[0], session.scope(), session.database)
        assign_returned(names, row, session)
    returning = node.args.get("returning")
    into = returning.args.get("into") if returning is not None else None
    if not isinstance(into, exp.Expression) or not writes:
        return
    scope = session.scope()
    relation = returned(node, writes[0], scope, session.database)
    parts = parts_of(into) if isinstance(into, exp.Table) else parts_of_name(into.name)
    name = session.database.whole(parts)
    own = session.database.temporary.get(name)
    columns = dict(own.columns) if own else session.database.columns_of(name) or ()
    listed = [column.name for column in into.expressions]
    names = listed or list(columns)
    session.add(Write(name, fitted(relation, names, scope)))


def _select(node: exp.Expr, session: Session) -> None:
    """SELECT, which may have an INTO."""
    into = into_of(node)
    relation = query(node, session.scope())
    if "row" in node.meta:
        assign_row(node.meta["row"], relation, session)
        return
    if "cursor" in node.meta:
        declare_cursor(node.meta["cursor"], relation, session)
        return
    if not selected(node, relation, session) and into is not None:
        table = into.this
        temporary = bool(into.args.get("temporary")) or is_temporary_name(table)
        make(table, relation, session, node, temporary=temporary)


def _command(node: exp.Command, session: Session) -> None:
    """A statement that sqlglot only knows by its first word."""
    word, text = _words(node)
    if "names" in node.meta:
        if any(session.variables.get(name) for name in node.meta["names"]):
            session.database.findings.unread(word)
    elif "opens" in node.meta:
        session.loops.append(NONE)
    elif "closes" in node.meta:
        session.loops[-1:] = []
    elif word in ("CLOSE", "DEALLOCATE"):
        session.fetched.pop(text.strip().casefold(), None)
    elif "fetch" in node.meta:
        if not fetch(node.meta["fetch"], session):
            session.database.findings.unread(word)
    elif word == "UNLOAD":
        unload(text, session)
    elif word == EXCHANGE.upper():
        exchange(text, session)
    elif word == "SET" or (word == "ALTER" and text.lstrip().upper().startswith("SESSION")):
        set_search_path(search_path(text), session)
        set_catalog(catalog(text), session)
    elif altered := reshaped(f"{word} {text}"):
        name = session.database.whole(table_name(altered, session.database.place.dialect))
        session.database.script_columns[name] = None
        session.add(Write(name, None, "ALTER"))
    elif "trigger" in node.meta:
        name = session.database.whole(node.meta["trigger"])
        session.database.triggers[name] = bool(node.meta["instead"])
    elif not is_harmless(word, text.upper().split()):
        session.database.findings.unread(word if word != COMMAND.upper() else COMMAND)


def _words(node: exp.Command) -> tuple[str, str]:
    """A command's first word and the text after it."""
    rest = node.expression
    return str(node.this).upper(), str(
        rest.this if isinstance(rest, exp.Expression) else rest or ""
    )


READ = {"UNLOAD", "SET", EXCHANGE.upper()}  # by `_command`
HARMLESS = tuple(
    getattr(exp, name)
    for name in (
        "Transaction", "Commit", "Rollback", "Set", "Comment", "Describe", "Show", "Pragma",
        "Grant", "Revoke", "Analyze", "Uncache", "Kill", "Semicolon",
        "Attach", "Detach", "Summarize", "Install", "Put", "Get", "ListStage", "Undrop",
    )
    if hasattr(exp, name)
)  # fmt: skip
READING = (exp.Query, exp.Values, exp.Pivot, exp.Export, exp.Copy, exp.Cache)
SETTING = (exp.Set, exp.Declare, exp.Alter)  # which may have one of INSIDE
INSIDE = (exp.Query, exp.AlterColumn)
SETTINGS = (exp.Use, exp.Set, exp.Command)
OTHERS: dict[type[exp.Expr], Callable[[Any, Session], None]] = {
    exp.Create: ddl.create,
    exp.Drop: ddl.drop,
    exp.TruncateTable: ddl.truncate,
    exp.Alter: ddl.alter,
    exp.Cache: ddl.cache,
    exp.Declare: declare,
    exp.Export: export,
    exp.LoadData: load,
    exp.Refresh: ddl.refresh,
    exp.Use: use,
    exp.Set: set_,
    exp.Copy: copy,
    exp.Command: _command,
}
