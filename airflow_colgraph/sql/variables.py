"""Settings and variables of a session: what names mean, and what is read from them. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from airflow_colgraph.sql.accounts import mark_all
from airflow_colgraph.sql.assignments import assigned
from airflow_colgraph.sql.computed import computed
from airflow_colgraph.sql.cursors import Fetch
from airflow_colgraph.sql.expressions import inputs_of
from airflow_colgraph.sql.names import SPARK, parts_of
from airflow_colgraph.sql.output_into import INTO_TABLE
from airflow_colgraph.sql.records import members_of_record, record_name
from airflow_colgraph.sql.relation import Relation
from airflow_colgraph.sql.session import Session
from airflow_colgraph.sql.targets import Target
from airflow_colgraph.sql.transformations import NONE, Inputs, union


def declare(node: exp.Declare, session: Session) -> None:
    """`DECLARE x INT DEFAULT (SELECT ..)`."""
    for item in node.expressions:
        names = item.this if isinstance(item.this, list) else [item.this]
        kind = item.args.get("kind")
        if isinstance(kind, exp.Schema):  # T-SQL's DECLARE @t TABLE (a INT)
            columns = tuple((column.name, NONE) for column in kind.expressions)
            for name in names:
                table = (f"@{name.name}",)
                session.database.temporary[table] = Relation(columns)
                session.database.computed[table] = computed(kind.expressions)
            continue
        assign(names, inputs_of(item.args.get("default"), session.scope()), session)


def set_variable(setting: exp.EQ, session: Session) -> None:
    """`SET x = (SELECT ..)`, also of several: `SET (x, y) = (SELECT ..)`."""
    value = setting.expression
    if isinstance(value, exp.Var):  # another variable, without a mark
        assign([setting.this], session.variables.get(value.name.casefold(), NONE), session)
        return
    for name, inputs in assigned([setting], session.scope()):
        assign([name], inputs, session)


def assign(names: Iterable[exp.Expr], inputs: Inputs, session: Session) -> None:
    """The variables have been set from these inputs."""
    for name in names:
        if name.name:
            session.set_variable(Target(name.name.casefold()), inputs)


def assign_row(targets: list[Target], relation: Relation, session: Session) -> None:
    """A loop has set its row from a query: `r.id` is a column of it, Spark's `id` as well."""
    if session.loops:
        session.loops[-1] = union(session.loops[-1], relation.rows)
    if len(targets) > 1:  # PostgreSQL's FOR a, b IN SELECT
        assign_returned(targets, relation, session)
        return
    _set_record(targets[0], relation, session)
    if session.database.place.dialect in SPARK:
        columns = [Target(name.casefold()) for name, _ in relation.columns]
        assign_returned(columns, relation, session)


def _set_record(record: Target, row: Relation, session: Session) -> None:
    """A record and its members have been set from a row."""
    session.set_variable(record, union(row.of_all(), row.rows))
    for name, inputs in row.columns:
        member = record._replace(name=f"{record.name}.{name}".casefold())
        session.set_variable(member, union(inputs, row.rows))


def assign_returned(targets: list[Target], row: Relation, session: Session) -> None:
    """`RETURNING a, b INTO x, y` has set variables, or one record; `SELECT .. INTO` likewise."""
    if len(targets) == 1 and len(row.columns) != 1:
        _set_record(targets[0], row, session)
        return
    for target, (_, inputs) in zip(targets, row.columns, strict=False):
        session.set_variable(target, union(inputs, row.rows))


def fetch(row: Fetch, session: Session) -> bool:
    """Put a row of a cursor into variables, or into one record; whether the cursor is known."""
    relation = session.cursors.get(row.cursor.casefold())
    if relation is None:
        return False
    columns = relation.columns
    if not row.is_row:
        session.fetched[row.cursor.casefold()] = relation.rows
    if row.is_row:
        assign_row(row.targets, relation, session)
    else:
        assign_returned(row.targets, relation, session)
    is_record = row.is_row or (len(row.targets) == 1 and len(columns) != 1)
    return not relation.is_open if is_record else len(columns) == len(row.targets)


def declare_cursor(name: str, relation: Relation, session: Session) -> None:
    """Remember the query of a cursor; in a branch, that of another one as well."""
    before = session.cursors.get(name.casefold()) if session.is_branched else None
    if before is not None:
        pairs = zip(relation.columns, before.columns, strict=False)
        columns = tuple((column, union(own, other)) for (column, own), (_, other) in pairs)
        relation = Relation(columns, union(relation.rows, before.rows))
    session.cursors[name.casefold()] = relation


def into_of(node: exp.Expr) -> exp.Expr | None:
    """The INTO of a SELECT: in a set operation that of the first one."""
    while isinstance(node, (exp.SetOperation, exp.Subquery)):
        node = node.this
    into = node.args.get("into")
    return into if isinstance(into, exp.Expression) else None


def selected(node: exp.Expr, relation: Relation, session: Session) -> bool:
    """Whether a SELECT only sets variables: `SELECT @x = max(a)`, `SELECT max(a) INTO @x`."""
    _beside_rows(node, relation, session)
    dialect = session.database.place.dialect
    targets = node.meta.get("variables") or _into(node, dialect)
    if targets:
        mark_all(into_of(node), session.database.findings)
    assign_returned(targets, relation, session)
    if len(targets) == 1 and isinstance(node, exp.Select) and len(node.expressions) == 1:
        _copy_record(targets[0], node.expressions[0], session)
    if not targets and dialect == "tsql":
        _from_items(node, relation, session)
    return bool(targets)


def _copy_record(target: Target, value: exp.Expr, session: Session) -> None:
    """`s := r`, of whose members each is set."""
    for name, inputs in members_of_record(record_name(value), session.variables).items():
        session.set_variable(target._replace(name=f"{target.name}.{name}"), inputs)


def _beside_rows(node: exp.Expr, relation: Relation, session: Session) -> None:
    """MySQL's `SELECT @x := max(a)`: what affects the rows affects the variable."""
    for item in node.find_all(exp.PropertyEQ):
        name = item.this.name.casefold() if isinstance(item.this, exp.Parameter) else ""
        if name in session.variables:
            session.variables[name] |= relation.rows


def _into(node: exp.Expr, dialect: str) -> list[Target]:
    """The variables in `SELECT max(a) INTO x` of a PostgreSQL routine: elsewhere it is a table."""
    into = into_of(node)
    items = [into.this, *into.expressions] if into is not None else []
    named = (exp.Column, exp.Table)
    parts = [item.parts if isinstance(item, named) else [item] for item in items if item]
    is_table = dialect in INTO_TABLE and not node.meta.get("routine")
    is_variable = exp.Parameter if is_table else exp.Expression
    names = (part for part in parts if isinstance(part[-1], is_variable))
    return [Target(".".join(member.name for member in name).casefold()) for name in names]


def _from_items(node: exp.Expr, relation: Relation, session: Session) -> None:
    """T-SQL's `SELECT @x = max(a)`, which leaves the variable alone where there is no row."""
    for item, (_, inputs) in zip(node.expressions, relation.columns, strict=False):
        if isinstance(item, exp.EQ) and isinstance(item.this, exp.Parameter):
            earlier = session.variables.get(item.this.name.casefold(), NONE)
            assign([item.this], union(inputs, relation.rows, earlier), session)


# What a name without a schema means ------------------------------------------------------------


def use(node: exp.Use, session: Session) -> None:
    """USE changes what an unqualified name means."""
    kind = str(node.args.get("kind") or "").upper()
    place = session.database.place
    parts = parts_of(node.this) if isinstance(node.this, exp.Table) else ()
    if kind in ("ROLE", "WAREHOUSE", "SECONDARY ROLES") or not parts:
        return
    if kind == "CATALOG" or (kind in ("", "DATABASE") and len(parts) == 1 and place.levels == 3):
        three = place.dialect in ("snowflake", "tsql") or kind in ("CATALOG", "DATABASE")
        changed = place.in_catalog(parts[0]) if three else place._replace(schema=parts[0])
    elif len(parts) > 1:
        changed = place._replace(catalog=parts[0], schema=parts[1])
    else:
        changed = place._replace(schema=parts[0])
    session.database.place = changed


CATALOG = "spark.sql.defaultcatalog"
# What is set, by dialect and the setting's name.
PLACES = {
    "": {"search_path": "schema"},
    "bigquery": {"dataset_id": "schema", "dataset_project_id": "catalog"},
    "duckdb": {"search_path": "schema", "schema": "schema"},
}


def set_(node: exp.Set, session: Session) -> None:
    """`SET search_path = a, b` changes what an unqualified name means; a variable has a value."""
    for item in node.expressions:
        setting = item.this
        if not isinstance(setting, exp.EQ):
            continue
        inner = next(iter(setting.this.find_all(exp.Var)), setting.this)  # @@dataset_id
        value = setting.expression
        if isinstance(inner, exp.Dot) or (isinstance(inner, exp.Column) and inner.table):
            if inner.sql().casefold() == CATALOG:  # else no name depends on `spark.sql.x`
                set_catalog(str(value.name or value.this), session)
            continue
        text, dialect = str(value.name or value.this), session.database.place.dialect
        kind = PLACES.get(dialect, PLACES[""]).get(inner.name.casefold())
        if kind == "catalog":
            set_catalog(text, session)
        elif kind:
            set_search_path(tuple(part.strip() for part in text.split(",")), session)
        else:
            set_variable(setting, session)


def set_search_path(schemas: tuple[str, ...], session: Session) -> None:
    """What an unqualified name means from here on."""
    named = [schema for schema in schemas if schema not in ("", "$user", "pg_temp", "pg_catalog")]
    if named:
        place = session.database.place
        named = [name.upper() for name in named] if place.dialect == "oracle" else named
        session.database.place = place._replace(schema=named[0], path=tuple(named[1:]))


def set_catalog(name: str, session: Session) -> None:
    """The catalog of an unqualified name from here on."""
    if name:
        session.database.place = session.database.place.in_catalog(name)
