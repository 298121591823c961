"""What a SELECT reads: tables, subqueries, joins and functions that return rows. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from sqlglot import exp

from airflow_colgraph.sql.accounts import mark
from airflow_colgraph.sql.expressions import function_name, inputs_of
from airflow_colgraph.sql.names import parts_of
from airflow_colgraph.sql.pivots import pivoted
from airflow_colgraph.sql.relation import Relation, either
from airflow_colgraph.sql.scope import Scope
from airflow_colgraph.sql.table_functions import (
    file_of,
    of_files,
    of_function,
    of_rows_from,
    usual_names,
)
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


class _Shown(NamedTuple):
    """A column behind a `*`: that at a place of a table, or one of USING."""

    alias: str = ""
    place: int = 0
    merged: tuple[str, Inputs] | None = None


class _Side(NamedTuple):
    """The left side of a join: its tables, and where their columns start in `From.order`."""

    names: list[str]
    start: int


@dataclass
class From:
    """The tables of a FROM clause by alias, and what their joins decide."""

    sources: dict[str, Relation] = field(default_factory=dict)
    using: dict[str, tuple[str, Inputs]] = field(default_factory=dict)
    rows: Inputs = NONE
    groups: dict[str, int] = field(default_factory=dict)  # by alias: what has no condition between
    hidden: set[str] = field(default_factory=set)  # elements of an ARRAY JOIN
    tables: dict[str, exp.Table] = field(default_factory=dict)  # by alias: those with a name
    order: list[_Shown] = field(default_factory=list)  # the columns behind a `*`

    def add(self, alias: str, relation: Relation) -> None:
        """One more table, behind the others."""
        self.sources[alias] = relation
        self.order += [_Shown(alias, at) for at in range(len(relation.columns))]

    def merge(self, name: str, start: int, place: int | None) -> None:
        """A column of USING in place of those of both sides: at a place, or where the first was.

        The sides are what is shown from `start` on.
        """
        wanted = name.casefold()
        places = [
            at
            for at, shown in enumerate(self.order)
            if at >= start and self._shown(shown)[0].casefold() == wanted
        ]
        if places:
            self.order = [shown for at, shown in enumerate(self.order) if at not in places]
            merged = _Shown(merged=self.using[wanted])
            self.order.insert(places[0] if place is None else place, merged)

    def _shown(self, shown: _Shown) -> tuple[str, Inputs]:
        return shown.merged or self.sources[shown.alias].columns[shown.place]

    @property
    def is_open(self) -> bool:
        """Whether it has a table whose columns are unknown."""
        return any(relation.is_open for relation in self.sources.values())

    def leave(self, aliases: list[str]) -> None:
        """Some tables can't be seen any more."""
        for alias in aliases:
            del self.sources[alias]
        self.order = [shown for shown in self.order if shown.alias not in aliases]

    def common(
        self, start: int, middle: int, using: list[str], side: str, dialect: str
    ) -> list[str]:
        """The columns that both sides of a join have, or those of USING, in the database's order.

        The left side is shown from `start` to `middle`. MySQL swaps the sides of a RIGHT JOIN.
        """
        left, right = self.order[start:middle], self.order[middle:]
        if dialect == "mysql" and side == "RIGHT":
            left, right = right, left
            self.order = [*self.order[:start], *left, *right]
        ours, theirs = ([self._shown(shown)[0] for shown in side] for side in (left, right))
        if using and dialect != "mysql":
            return using
        wanted = {name.casefold() for name in using or theirs}
        names = [name for name in ours if name.casefold() in wanted]
        return list(dict.fromkeys(names)) if names or not using else using

    def starred(self) -> list[Relation]:
        """The tables behind a `*`."""
        return [of for name, of in self.sources.items() if name not in self.hidden]

    def star_columns(self) -> list[tuple[str, Inputs]]:
        """The listed columns behind a `*`, those of USING once."""
        return [self._shown(shown) for shown in self.order if shown.alias not in self.hidden]

    def star_owners(self) -> list[str]:
        """The key of the table of each listed column behind a `*`; "" for one of USING."""
        shown = (shown for shown in self.order if shown.alias not in self.hidden)
        return ["" if each.merged else each.alias for each in shown]

    def structs(self) -> dict[str, Relation]:
        """The members of structs behind a `*`, by column."""
        return {name: of for table in self.starred() for name, of in table.structs.items()}

    def as_relation(self) -> Relation:
        """All columns as one relation."""
        columns, behind = tuple(self.star_columns()), either(self.starred())
        return Relation(columns, self.rows, behind=behind, structs=self.structs())

    def is_join(self, condition: exp.Expr, scope: Scope) -> bool:
        """Whether a condition of WHERE compares tables that are listed with commas."""
        if len(set(self.groups.values())) < 2 or condition.find(exp.Query):
            return False
        used = {self.owner(column) for column in condition.find_all(exp.Column)}
        return len({self.groups[name] for name in used if name in self.groups}) > 1

    def owner(self, column: exp.Column) -> str:
        """The key of the table that a column is of, or ""."""
        *before, name = (part.name for part in column.parts)
        if before:
            return self.key(tuple(before))
        owners = (key for key, of in self.sources.items() if of.listed(name) is not None)
        return next(owners, "")

    def key(self, qualifier: tuple[str, ...]) -> str:
        """The key of the table that is called so, or ""."""
        return next((key for key, of in self.sources.items() if of.is_called(qualifier)), "")


def from_items(first: Iterable[exp.Expr], joins: Iterable[exp.Expr], scope: Scope) -> From:
    """The tables of a FROM clause, from the left to the right."""
    tables = From()
    left = _Side([name for item in first for name in _add(item, tables, scope)], 0)
    for join in joins:
        start = len(tables.order)
        if not isinstance(join, exp.Join):
            left.names.extend(_add(join, tables, scope))
            continue
        names = _join(join, tables, scope, left)
        if _is_comma(join) and scope.environment.dialect != "sqlite":  # it binds less than JOIN
            left = _Side(names, start)
        else:
            left.names.extend(names)
    return tables


def _is_comma(join: exp.Join) -> bool:
    """Whether it is no join but a comma between two tables."""
    return not (join.kind or join.side or join.method or join.args.get("on")) and (
        not join.args.get("using")
    )


def _add(item: exp.Expr, tables: From, scope: Scope, *, is_crossed: bool = True) -> list[str]:
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
        left = _Side(_add(item.this, tables, scope, is_crossed=is_crossed), start)
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
        left = _Side([name], start)
        last = max(tables.groups.values(), default=0)
        tables.groups[name] = last + (is_crossed and not _is_of_the_row(item))
    for join in item.args.get("joins") or ():
        left.names.extend(_join(join, tables, scope, left))
    for lateral in item.args.get("laterals") or ():
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


def _seen(tables: From, scope: Scope) -> Scope:
    return replace(scope, sources=dict(tables.sources), using=dict(tables.using))


def _array_join(join: exp.Join, tables: From, scope: Scope) -> None:
    """ClickHouse's ARRAY JOIN: an element in place of the array, or beside it under an alias."""
    seen = _seen(tables, scope)
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


def _join(join: exp.Join, tables: From, scope: Scope, left: _Side) -> list[str]:
    """Add what is joined; returns its aliases."""
    if join.kind == "ARRAY":
        _array_join(join, tables, scope)
        return []
    middle = len(tables.order)
    names = _add(join.this, tables, scope, is_crossed=_is_bare(join))
    using = _common(join, names, tables, scope, left, middle)
    for condition in _conditions(join):
        inputs = inputs_of(condition, _seen(tables, scope))
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
    join: exp.Join, names: list[str], tables: From, scope: Scope, left: _Side, middle: int
) -> list[str]:
    """The columns that USING lists, or those that both sides of a NATURAL join have."""
    using = [name.name for name in join.args.get("using") or ()]
    is_natural = join.method == "NATURAL"
    if not is_natural and not using:
        return []
    if is_natural and any(tables.sources[name].is_open for name in [*left.names, *names]):
        scope.environment.findings.unknown("NaturalJoin")
    return tables.common(left.start, middle, using, join.side, scope.environment.dialect)


def _use(name: str, left: list[str], right: list[str], side: str, tables: From) -> None:
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


def _of_side(name: str, aliases: list[str], tables: From) -> Inputs:
    """A column of one side of a join: the first table's that lists it, or that of any."""
    sources = [tables.sources[alias] for alias in aliases]
    listed = [inputs for table in sources if (inputs := table.listed(name)) is not None]
    return union(*(listed[:1] or [table.column(name) or NONE for table in sources]))


# One table ------------------------------------------------------------------------------------


def relation_of(item: exp.Expr, tables: From, scope: Scope) -> Relation:
    """What stands in FROM: a table, a subquery, VALUES, or a function that returns rows."""
    inner = Scope(scope.environment, scope.query, ctes=scope.ctes, outer=scope.outer)
    if isinstance(item, (exp.Stream, exp.Final)):  # Databricks: STREAM t; ClickHouse: t FINAL
        relation = relation_of(item.this, tables, scope)
    elif isinstance(item, exp.Table):
        relation = _table(item, tables, scope)
    elif isinstance(item, (exp.Subquery, exp.Query)):
        relation = scope.query(item, inner)
    elif isinstance(item, exp.Lateral):
        relation = _lateral(item, tables, scope)
    elif isinstance(item, exp.Values):
        relation = _values(item, inner)
    else:
        relation = of_function(item, _seen(tables, scope))
    for pivot in item.args.get("pivots") or ():
        relation = pivoted(pivot, relation, scope)
    alias = item.args.get("alias")
    return relation if isinstance(item, exp.Subquery) else named_relation(relation, alias)


def named_relation(relation: Relation, alias: exp.Expr | None) -> Relation:
    """The relation with the column names that its alias gives: `t (a, b)`."""
    names = alias.args.get("columns") if isinstance(alias, exp.TableAlias) else None
    return relation.renamed(
        [name.name for name in names or () if not isinstance(name, exp.ColumnDef)]
        or [name.this.name for name in names or ()]
    )


def _table(item: exp.Table, tables: From, scope: Scope) -> Relation:
    mark(item, scope.environment.findings)
    if isinstance(item.this, exp.Func) and not isinstance(item.this, exp.DynamicIdentifier):
        read = _counted if item.args.get("ordinality") else of_function
        return read(item.this, _seen(tables, scope), item.args.get("alias"))
    file = file_of(item, scope.environment.dialect)
    if file:
        return of_files([file], scope)
    if item.args.get("rows_from"):
        return of_rows_from(item, _seen(tables, scope))
    if not isinstance(item.this, exp.Identifier):  # a name that is computed
        scope.environment.findings.unread(type(item.this or item).__name__)
        return Relation(everything=NONE)
    parts = parts_of(item)
    if len(parts) == 1 and parts[0].casefold() in scope.ctes:
        return scope.ctes[parts[0].casefold()]._replace(path=("", parts[0]))
    if len(parts) > 1 and (column := _seen(tables, scope).source(parts[0])) is not None:
        inner = column.column(parts[1])  # BigQuery's `FROM t, t.items`
        if inner is not None and scope.environment.findings is not None:
            return Relation(everything=through(TRANSFORMATION, [inner]))
    return scope.environment.lookup(parts)


def _counted(item: exp.Expr, scope: Scope, alias: exp.Expr | None) -> Relation:
    """`f(..) WITH ORDINALITY AS t (a, n)`: the last column is the number of the row."""
    names = (alias.args.get("columns") if alias else None) or [exp.to_identifier("ordinality")]
    own = exp.TableAlias(this=alias and alias.this, columns=names[:-1])
    relation = of_function(item, scope, own if names[:-1] else alias)
    return relation._replace(columns=(*relation.columns, (names[-1].name, NONE)))


def _values(item: exp.Values, scope: Scope) -> Relation:
    rows = [_cells(row) for row in item.expressions]
    width = max(map(len, rows), default=0)
    is_mysql = scope.environment.dialect == "mysql"
    names = (f"column_{at}" if is_mysql else f"column{at + 1}" for at in range(width))
    columns = [
        (name, union(*(inputs_of(row[at], scope) for row in rows if at < len(row))))
        for at, name in enumerate(names)
    ]
    return Relation(tuple(columns))


def _cells(row: exp.Expr) -> list[exp.Expr]:
    """The values of a row of VALUES; MySQL writes `ROW(1, 2)`."""
    cells = row.expressions if isinstance(row, exp.Tuple) else [row]
    first = cells[0] if len(cells) == 1 else None
    return first.expressions if first is not None and function_name(first) == "ROW" else cells


def _lateral(item: exp.Lateral, tables: From, scope: Scope) -> Relation:
    """A subquery that sees the tables before it, or LATERAL VIEW explode(..)."""
    seen = _seen(tables, scope)
    if isinstance(item.this, (exp.Subquery, exp.Query)):
        return scope.query(item.this, seen.inner())
    alias = item.args.get("alias")
    if item.args.get("ordinality"):
        return _counted(item.this, seen, alias)
    if item.args.get("view") and alias is not None and not alias.args.get("columns"):
        alias = exp.TableAlias(columns=[exp.to_identifier(name) for name in usual_names(item.this)])
    return of_function(item.this, seen, alias)
