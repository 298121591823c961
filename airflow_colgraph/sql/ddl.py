"""Statements that make, change or drop tables, or change what a name means. Pure."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from airflow_colgraph.sql.accounts import mark_all
from airflow_colgraph.sql.alterations import actions_of, altered
from airflow_colgraph.sql.column_types import declared
from airflow_colgraph.sql.computed import Computed, computed
from airflow_colgraph.sql.ctes import with_ctes
from airflow_colgraph.sql.database import TableName
from airflow_colgraph.sql.expressions import inputs_of
from airflow_colgraph.sql.functions import define
from airflow_colgraph.sql.names import is_temporary_name, parts_of
from airflow_colgraph.sql.partition_columns import in_order, with_partitions
from airflow_colgraph.sql.queries import query
from airflow_colgraph.sql.relation import Relation
from airflow_colgraph.sql.session import Session, make
from airflow_colgraph.sql.transformations import NONE
from airflow_colgraph.sql.views import CHANGE_VIEWS
from airflow_colgraph.sql.writes import Write, target_of


def create(node: exp.Create, session: Session) -> None:
    """CREATE TABLE and VIEW, with or without a query."""
    kind = str(node.args.get("kind") or "").upper()
    if kind in ("FUNCTION", "MACRO"):
        define(node, session)
    if kind == "MODEL" and isinstance(node.expression, exp.Query):  # BigQuery's, which is no table
        query(node.expression, session.scope())
        session.database.findings.unread("MODEL")
    if kind not in ("TABLE", "VIEW"):
        return  # an index, a schema, a function: no rows
    table, _ = target_of(node.this)
    parts = parts_of(table)
    called = (
        session.database.temporary_name
        if _is_temporary(node, table, session)
        else session.database.created
    )
    name = called(parts)
    session.database.computed[name] = computed(node.this.expressions)
    source = _copied(node) or node.expression
    if _is_like(source, session):
        _create_empty(node, session)
    elif isinstance(source, (exp.Query, exp.Subquery, exp.Values, exp.Table)):
        _create_as(node, source, session)
    else:
        _create_empty(node, session)


def _is_like(source: exp.Expr | None, session: Session) -> bool:
    """Whether it is ClickHouse's `CREATE TABLE t AS u`, which copies the columns and no rows."""
    is_table = isinstance(source, exp.Table) and isinstance(source.this, exp.Identifier)
    return is_table and session.database.place.dialect == "clickhouse"


def _create_as(node: exp.Create, source: exp.Expr, session: Session) -> None:
    """A table or view of a query's rows, or of another table's."""
    table, listed = target_of(node.this)
    findings = session.database.findings
    reads = dict(findings.reads)
    scope = with_ctes(node, session.scope())
    relation = _as_defined(node.this, query(source, scope), listed, session)
    to = _property(node, exp.ToTableProperty)
    if to is not None:  # ClickHouse fills another table by the view
        session.add(Write(session.database.whole(parts_of(to.this)), relation))
        return
    lifecycle = "OVERWRITE" if node.args.get("replace") else "CREATE"
    temporary = _is_temporary(node, table, session)
    is_empty = node.meta.get("no_data", False)
    make(
        table, relation, session, node, temporary=temporary, lifecycle=lifecycle, is_empty=is_empty
    )
    if is_empty:
        findings.reads = reads  # its tables are only looked at
    if node.args.get("kind") == "VIEW" and session.database.place.dialect in CHANGE_VIEWS:
        session.database.views[session.database.whole(parts_of(table))] = source, listed


def _create_empty(node: exp.Create, session: Session) -> None:
    """A table by its columns, or by those of another one."""
    table, listed = target_of(node.this)
    if _property(node, exp.ExecuteAsProperty):  # of a prepared statement
        session.database.findings.unread("EXECUTE")
    like = next(iter(node.find_all(exp.LikeProperty, exp.PartitionedOfProperty)), None)
    model = node.expression if like is None else like.this
    columns, last = with_partitions(listed, node, session.database.place)
    types = declared(node, session.database.place.dialect)
    if isinstance(model, exp.Table):
        mark_all(model, session.database.findings)
        own = session.database.whole(parts_of(model))
        theirs = session.database.columns_of(own)
        columns = () if theirs is None else (*theirs, *listed)  # PostgreSQL: (LIKE u, a INT)
        last = session.database.last.get(own, ())
        types |= {column: session.database.type_of(own, column) for column in theirs or ()}
    if _is_temporary(node, table, session):
        empty = tuple((name, NONE) for name in columns)
        is_unknown = isinstance(model, exp.Table) and theirs is None
        everything = NONE if is_unknown else None
        session.set_temporary(parts_of(table), Relation(empty, everything=everything))
        return
    name = session.database.created(parts_of(table))
    if not (node.args.get("exists") and session.database.columns_of(name)):
        session.database.script_columns[name] = columns or None
        session.database.last[name] = last
        session.database.script_types[name] = {
            column: kind for column, kind in types.items() if kind
        }
        session.database.made.add(name)
    session.add(Write(name, None, "CREATE"))


def _property(node: exp.Create, kind: type[exp.Expr]) -> exp.Expr | None:
    """A property of CREATE, if the statement has it."""
    properties = node.args.get("properties")
    return properties.find(kind) if properties else None


def _is_temporary(node: exp.Create, table: exp.Table, session: Session) -> bool:
    kinds = (exp.TemporaryProperty, exp.VolatileProperty, exp.StabilityProperty)  # VOLATILE
    is_named_so = is_temporary_name(table) or session.database.is_in_temporary(parts_of(table))
    return is_named_so or any(_property(node, kind) for kind in kinds)


def _as_defined(
    target: exp.Expr, relation: Relation, listed: list[str], session: Session
) -> Relation:
    """A query's columns under the names that the statement lists.

    MySQL defines columns besides those of the query, which it finds by their names.
    """
    parts = target.expressions if isinstance(target, exp.Schema) else []
    if session.database.place.dialect != "mysql" or not any(
        isinstance(part, exp.ColumnDef) for part in parts
    ):
        return relation.renamed(listed)
    own = tuple((name, NONE) for name in listed if relation.listed(name) is None)
    return relation._replace(columns=(*own, *relation.columns))


def _copied(node: exp.Create) -> exp.Expr | None:
    """The table whose rows CLONE or COPY puts into the new one."""
    clone = node.args.get("clone")
    copied = clone.this if isinstance(clone, exp.Clone) else None
    return copied if isinstance(copied, exp.Table) else None


def cache(node: exp.Cache, session: Session) -> None:
    """CACHE TABLE t AS SELECT .. makes a temporary view; without a query nothing changes."""
    mark_all(node.this, session.database.findings)
    if node.expression and isinstance(node.this, exp.Table):
        relation = query(node.expression, session.scope())
        make(node.this, relation, session, node.expression, temporary=True)


def refresh(node: exp.Refresh, session: Session) -> None:
    """A materialized view is filled again: its statement is not here."""
    if "VIEW" in str(node.args.get("kind")).upper():
        session.database.findings.unread("REFRESH")


def drop(node: exp.Drop, session: Session) -> None:
    """DROP TABLE and VIEW."""
    if str(node.args.get("kind") or "").upper() not in ("TABLE", "VIEW"):
        return
    tables = node.args.get("tables") or [node.this]
    for table in tables:
        if not isinstance(table, exp.Table):
            continue
        temporary = session.database.is_temporary(parts_of(table))
        session.database.views.pop(session.database.whole(parts_of(table)), None)
        if temporary is not None:
            if not session.is_branched:
                del session.database.temporary[temporary]
        elif not is_temporary_name(table):
            name = session.database.whole(parts_of(table))
            session.database.script_columns[name] = None
            session.database.made.add(name)
            session.database.script_types.pop(name, None)
            session.database.computed.pop(name, None)
            session.add(Write(name, None, "DROP"))


def truncate(node: exp.TruncateTable, session: Session) -> None:
    """TRUNCATE TABLE."""
    for table in node.expressions:
        parts = parts_of(table)
        temporary = session.database.is_temporary(parts)
        if temporary is not None:
            empty = tuple((name, NONE) for name, _ in session.database.temporary[temporary].columns)
            session.set_temporary(temporary, Relation(empty))
        else:
            session.add(Write(session.database.whole(parts), None, "TRUNCATE"))


def alter(node: exp.Alter, session: Session) -> None:
    """ALTER TABLE, which may rename it or its columns."""
    table = node.this
    if not isinstance(table, exp.Table):
        return
    parts = parts_of(table)
    temporary = session.database.is_temporary(parts)
    name = session.database.whole(parts)
    for action in actions_of(node):
        if isinstance(action, exp.AlterRename) and isinstance(action.this, exp.Table):
            new = parts_of(action.this)
            new = (*parts[:-1], *new) if len(new) == 1 else new
            if temporary is not None:
                session.set_temporary(new, session.database.temporary.pop(temporary))
                return
            renamed = session.database.whole(new)
            session.database.rename(name, renamed)
            session.writes += [
                write._replace(table=renamed, lifecycle="")
                for write in session.writes
                if write.table == name and write.relation is not None
            ]
            session.add(Write(renamed, None, "RENAME", previous=name))
            return
        if isinstance(action, exp.Query):  # ALTER VIEW .. AS SELECT
            relation = query(action, session.scope())
            make(table, relation, session, action, temporary=False, lifecycle="ALTER")
            return
        others = action.find_all(exp.Table)
        if not all(other.find_ancestor(exp.Reference) for other in others):  # their rows may move
            session.database.findings.unread(type(action).__name__)
        if temporary is not None:
            changed = altered(action, session.database.temporary[temporary])
            session.database.temporary[temporary] = changed
        elif (columns := session.database.columns_of(name)) is not None:
            session.database.script_columns[name] = _changed(action, columns, name, session)
        more = computed([action])
        session.database.computed[name] = {**session.database.computed.get(name, {}), **more}
        if isinstance(action, exp.AlterColumn) and action.args.get("using"):
            more[action.name] = Computed(action.args["using"], False)
        for column, (value, _) in more.items():
            _fill(name, column, value, session)
        if temporary is None:
            _retype(action, name, session)
        if temporary is None and isinstance(action, (exp.Drop, exp.RenameColumn)):
            session.writes = [_after(action, write, name) for write in session.writes]
    if temporary is None:
        session.add(Write(name, None, "ALTER"))


def _changed(
    action: exp.Expr, columns: tuple[str, ...], table: TableName, session: Session
) -> tuple[str, ...] | None:
    """A table's columns after an action; None where REPLACE COLUMNS leaves unknown partitions."""
    last = session.database.last.get(table)
    if isinstance(action, exp.ReplaceColumns) and last is None:
        return None
    changed = altered(action, Relation(tuple((column, NONE) for column in columns)))
    names = [column for column, _ in changed.columns]
    is_other = isinstance(action, exp.ReplaceColumns)
    return in_order(names, (name for name in last or () if is_other or name in names))


def _fill(table: TableName, column: str, value: exp.Expr, session: Session) -> None:
    """A column that is computed in all rows: a generated one, `ALTER COLUMN .. USING`."""
    own = session.database.lookup(table)
    session.database.findings.read(table, -1)
    scope = replace(session.scope(), sources={"": own})
    name = own.spelled(column)
    pairs = {**dict(own.columns), name: inputs_of(value, scope)}
    changed = Relation(tuple(pairs.items()), own.rows, behind=own.behind)
    if session.database.is_temporary(table) is not None:
        session.database.temporary[table] = changed
    else:
        session.add(Write(table, changed, "ALTER"))


def _retype(action: exp.Expr, table: TableName, session: Session) -> None:
    """Keep the type that a column gets, and that of one with a new name."""
    types = session.database.script_types.setdefault(table, {})
    for column in action.expressions if isinstance(action, exp.ReplaceColumns) else ():
        _retype(column, table, session)
    kind = action.args.get("kind") or action.args.get("dtype")
    if isinstance(action, (exp.ColumnDef, exp.AlterColumn)) and kind is not None:
        column = session.database.spelled(table, action.name)
        types[column] = kind.sql(session.database.place.dialect).lower()
    elif isinstance(action, exp.RenameColumn) and action.this.name in types:
        types[action.args["to"].name] = types.pop(action.this.name)


def _after(action: exp.Expr, write: Write, table: TableName) -> Write:
    """An earlier write, with the columns that are left once one was dropped or renamed."""
    if write.table != table or write.relation is None:
        return write
    relation = altered(action, write.relation)
    digests = write.digests
    if digests is not None and digests.is_ordered and isinstance(action, exp.Drop):
        left = {name for name, _ in relation.columns}
        pairs = zip(write.relation.columns, digests.columns, strict=False)
        digests = digests._replace(columns=tuple(own for (name, _), own in pairs if name in left))
    return write._replace(relation=relation, digests=digests)
