"""What a SELECT reads: tables, subqueries, joins and functions that return rows. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from airflow_colgraph.sql.expressions import function_name, inputs_of
from airflow_colgraph.sql.from_clause import FromClause, Side
from airflow_colgraph.sql.pseudo_columns import bare_name
from airflow_colgraph.sql.relation import Relation
from airflow_colgraph.sql.row_sources import relation_of
from airflow_colgraph.sql.scope import Scope
from airflow_colgraph.sql.transformations import (
    CONDITIONAL,
    JOIN,
    NONE,
    TRANSFORMATION,
    Inputs,
    through,
    union,
)

USING_IN_PLACE = ("duckdb", "sqlite")  # a column of USING is where the left one was


def from_items(first: Iterable[exp.Expr], joins: Iterable[exp.Expr], scope: Scope) -> FromClause:
    """The tables of a FROM clause, from the left to the right."""
    tables = FromClause()
    left = Side([name for item in first for name in _add(item, tables, scope)], 0)
    for join in joins:
        start = len(tables.order)
        if not isinstance(join, exp.Join):
            left.names.extend(_add(join, tables, scope))
            continue
        names = _join(join, tables, scope, left)
        if _is_comma(join) and scope.environment.dialect != "sqlite":  # it binds less than JOIN
            left = Side(names, start)
        else:
            left.names.extend(names)
    return tables


def _is_comma(join: exp.Join) -> bool:
    """Whether it is no join but a comma between two tables."""
    return not (join.kind or join.side or join.method or join.args.get("on")) and (
        not join.args.get("using")
    )


def _add(item: exp.Expr, tables: FromClause, scope: Scope, *, is_crossed: bool = True) -> list[str]:
    """Add a table, and the joins that are written inside it; returns the aliases."""
    if isinstance(item, exp.Final):
        item = item.this
    start = len(tables.order)
    is_parenthesized = (
        isinstance(item, (exp.Subquery, exp.Paren))
        and isinstance(item.this, (exp.Table, exp.Subquery, exp.Join))
        and not item.args.get("alias")
    )
    if is_parenthesized:  # (a JOIN b ON ...)
        left = Side(_add(item.this, tables, scope, is_crossed=is_crossed), start)
    else:
        relation = relation_of(item, tables, scope)
        name = _alias(item) or f"_{len(tables.sources)}"
        if name in tables.sources:
            name = f"{name}_{len(tables.sources)}"
        aliased = relation.path if scope.environment.dialect == "clickhouse" else ()
        tables.add(name, relation._replace(path=_path(item, relation), aliased=aliased))
        tables.rows = union(tables.rows, relation.rows)
        if isinstance(item, exp.Table):
            tables.tables[name] = item
        left = Side([name], start)
        last = max(tables.groups.values(), default=0)
        tables.groups[name] = last + (is_crossed and not _is_of_the_row(item))
    inside = {} if isinstance(item, exp.Select) else item.args  # a SELECT has read its own
    for join in inside.get("joins") or ():
        left.names.extend(_join(join, tables, scope, left))
    for lateral in inside.get("laterals") or ():
        left.names.extend(_add(lateral, tables, scope))
    return left.names


def _is_of_the_row(item: exp.Expr) -> bool:
    """Whether it is a function of the rows before it, as `LATERAL explode(a)`."""
    inner = item.this if isinstance(item, (exp.Lateral, exp.Table)) else item
    return isinstance(inner, exp.Func) or isinstance(item, exp.Unnest)


def _own_alias(item: exp.Expr) -> str:
    """The alias of what stands in FROM, which may be behind its PIVOT."""
    pivots = item.args.get("pivots") or ()
    return next((pivot.alias for pivot in reversed(pivots) if pivot.alias), item.alias)


def _alias(item: exp.Expr) -> str:
    return _own_alias(item) or (item.name if isinstance(item, exp.Table) else "")


def _path(item: exp.Expr, relation: Relation) -> tuple[str, ...]:
    """What can stand before the columns: an alias hides the table's own name.

    A function without an alias is called by its name.
    """
    if alias := _own_alias(item):
        return ("", alias)
    if isinstance(item, exp.Table) and (name := function_name(item.this)):
        return ("", name)
    return relation.path or (("", item.name) if isinstance(item, exp.Table) else ())


def _array_join(join: exp.Join, tables: FromClause, scope: Scope) -> None:
    """ClickHouse's ARRAY JOIN: an element in place of the array, or beside it under an alias."""
    seen = tables.seen(scope)
    for item in (join.this, *join.expressions):
        value = item.unalias()
        name = item.alias_or_name
        element = through(TRANSFORMATION, [inputs_of(value, seen)])
        owner = tables.owner(exp.column(name))
        if not owner:
            tables.sources[name] = Relation(((name, element),))
            tables.hidden.add(name)
            continue
        columns = tables.sources[owner].columns
        changed = ((own, element if own == name else inputs) for own, inputs in columns)
        tables.sources[owner] = tables.sources[owner]._replace(columns=tuple(changed))


def _join(join: exp.Join, tables: FromClause, scope: Scope, left: Side) -> list[str]:
    """Add what is joined; returns its aliases."""
    if join.kind == "ARRAY":
        _array_join(join, tables, scope)
        return []
    middle = len(tables.order)
    names = _add(join.this, tables, scope, is_crossed=_is_bare(join))
    using = _common(join, names, tables, scope, left, middle)
    for condition in _conditions(join):
        inputs = inputs_of(condition, tables.seen(scope))
        tables.rows = union(tables.rows, through(JOIN, [inputs]))
    is_in_place = scope.environment.dialect in USING_IN_PLACE
    for at, name in enumerate(using):
        _use(name, left.names, names, join.side, tables)
        tables.merge(name, left.start, None if is_in_place else left.start + at)
    if join.kind in ("SEMI", "ANTI") and scope.environment.dialect != "clickhouse":
        tables.leave(names)  # only the join's condition sees them
        return []
    return names


def _conditions(join: exp.Join) -> list[exp.Expr]:
    """The conditions of a join that are expressions."""
    conditions = (join.args.get(name) for name in ("on", "match_condition", "nearest"))
    return [condition for condition in conditions if condition]


def _is_bare(join: exp.Join) -> bool:
    """Whether a join has no condition: each row meets all of the other side."""
    is_conditional = _conditions(join) or join.args.get("using") or join.method == "NATURAL"
    return not is_conditional and join.side == "" and join.kind in ("", "CROSS")


def _common(
    join: exp.Join, names: list[str], tables: FromClause, scope: Scope, left: Side, middle: int
) -> list[str]:
    """The columns that USING lists, or those that both sides of a NATURAL join have."""
    using = [name.name or bare_name(name) for name in join.args.get("using") or ()]
    is_natural = join.method == "NATURAL"
    if not is_natural and not using:
        return []
    if is_natural and any(tables.sources[name].is_open for name in [*left.names, *names]):
        scope.environment.findings.unknown("NaturalJoin")
    return tables.common(left.start, middle, using, join.side, scope.environment.dialect)


def _use(name: str, left: list[str], right: list[str], side: str, tables: FromClause) -> None:
    """A column of USING: one column, of the side whose rows are kept."""
    folded = name.casefold()
    owners = [table for at in left if (table := tables.sources[at]).listed(name) is not None]
    own = owners[0].spelled(name) if owners else name
    own, ours = tables.using.get(folded) or (own, _of_side(name, left, tables))
    theirs = _of_side(name, right, tables)
    merged = {
        "RIGHT": theirs,
        "FULL": union(*(through(s, [ours, theirs]) for s in (TRANSFORMATION, CONDITIONAL))),
    }
    tables.using[folded] = own, merged.get(side, ours)
    tables.rows = union(tables.rows, through(JOIN, [ours, theirs]))


def _of_side(name: str, aliases: list[str], tables: FromClause) -> Inputs:
    """A column of one side of a join: the first table's that lists it, or that of any."""
    sources = [tables.sources[alias] for alias in aliases]
    listed = [inputs for table in sources if (inputs := table.listed(name)) is not None]
    return union(*(listed[:1] or [table.column(name) or NONE for table in sources]))
