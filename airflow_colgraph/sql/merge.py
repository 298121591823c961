"""MERGE: a condition between two tables, and what its clauses set and insert. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from sqlglot import exp

from airflow_colgraph.sql.accounts import mark_all
from airflow_colgraph.sql.assignments import assignments
from airflow_colgraph.sql.ctes import with_ctes
from airflow_colgraph.sql.database import Database, TableName
from airflow_colgraph.sql.expressions import function_name, inputs_of
from airflow_colgraph.sql.from_items import from_items
from airflow_colgraph.sql.names import parts_of
from airflow_colgraph.sql.relation import Relation
from airflow_colgraph.sql.scope import Scope
from airflow_colgraph.sql.transformations import (
    CONDITIONAL,
    FILTER,
    JOIN,
    NONE,
    Inputs,
    through,
    union,
)
from airflow_colgraph.sql.views import shown_by
from airflow_colgraph.sql.writes import Write, kept

_Kind = tuple[bool, bool]  # matched, by source: a row is taken by the first clause that fits


def merge(node: exp.Merge, scope: Scope, database: Database) -> list[Write]:
    """MERGE: each column comes from what the clauses put there."""
    scope = with_ctes(node, scope)
    name = database.whole(parts_of(shown_by(node.this, "", database)[0]))
    tables = from_items([node.this, node.args["using"]], [], scope)
    database.findings.read(name, -1)
    both = replace(scope, sources=tables.sources)
    target, *others = tables.sources
    source = replace(scope, sources={alias: tables.sources[alias] for alias in others})
    into = _Target(name, node.this, database, bool(node.meta.get("schema_evolution")))
    on = [inputs_of(node.args.get("on"), both)]
    on += [
        tables.sources[key].column(column.name) or NONE
        for column in node.args.get("using_cond") or ()
        for key in (target, *others)
    ]
    rows = [tables.rows, through(JOIN, on)]
    earlier: dict[_Kind, list[Inputs]] = {}  # conditions of clauses before
    kept_rows: dict[_Kind, list[Inputs]] = {}  # of those that leave the row in the table
    whens = node.args.get("whens")
    for when in whens.expressions if whens else node.expressions:
        act, kind = (
            when.args.get("then"),
            (bool(when.args.get("matched")), bool(when.args.get("source"))),
        )
        seen = both
        if database.place.dialect == "oracle" and not isinstance(act, (exp.Update, exp.Insert)):
            updated = into.after(tables.sources[target])  # DELETE WHERE sees what UPDATE has set
            seen = replace(both, sources={**tables.sources, target: updated})
        own = [inputs_of(condition, seen) for condition in _conditions(when)]
        earlier.setdefault(kind, []).extend(own)
        if isinstance(act, exp.Update):
            conditions = [*kept_rows.get(kind, ()), *own]
            into.update(_assigned(act, both, tables.sources[others[-1]], into), conditions)
        elif not _does_nothing(act):
            rows.append(through(FILTER, earlier[kind]))
        if isinstance(act, exp.Insert):
            into.add(_inserted(act, source, tables.sources[others[-1]], into))
        if isinstance(act, exp.Update) or _does_nothing(act):
            kept_rows.setdefault(kind, []).extend(own)
    columns = into.inputs or dict(kept(name, database))  # rows are only deleted
    return [Write(name, Relation(tuple(columns.items()), union(*rows)), sources=tables.sources)]


Pairs = Iterable[tuple[str, Inputs]]


@dataclass
class _Target:
    """The table that is changed: what its columns come from so far."""

    name: TableName
    table: exp.Table  # or the view that shows it
    database: Database
    evolves: bool  # it gets the columns of the source that it does not have
    inputs: dict[str, Inputs] = field(default_factory=dict)

    @property
    def columns(self) -> tuple[str, ...]:
        """Its columns, as far as they are known."""
        return self.database.columns_of(self.name) or ()

    def add(self, pairs: Pairs) -> None:
        """The columns have these inputs as well."""
        for column, inputs in pairs:
            own = self.spelled(column)
            self.inputs[own] = union(self.inputs.get(own, NONE), inputs)

    def spelled(self, column: str) -> str:
        """A column as the table has it, of the name that a view may give it."""
        own = shown_by(self.table, column, self.database)[1]
        return self.database.spelled(self.name, own)

    def after(self, before: Relation) -> Relation:
        """The table with what its columns come from so far."""
        return before._replace(columns=tuple({**dict(before.columns), **self.inputs}.items()))

    def update(self, pairs: Pairs, conditions: list[Inputs]) -> None:
        """The columns are set where the conditions say so; the others are left alone."""
        decided = through(CONDITIONAL, conditions)
        changed = {name: union(inputs, decided) for name, inputs in pairs}
        own = {self.spelled(name) for name in changed}
        self.add(changed.items())
        for name, inputs in kept(self.name, self.database):
            if name not in own:
                self.inputs[name] = union(self.inputs.get(name, NONE), inputs)


def _conditions(when: exp.When) -> list[exp.Expr]:
    """A clause's own condition, and Oracle's WHERE behind what it does."""
    where = when.args["then"].args.get("where") if when.args.get("then") else None
    return [part for part in (when.args.get("condition"), where and where.this) if part]


def _does_nothing(act: exp.Expr | None) -> bool:
    return isinstance(act, exp.Var) and act.name.upper() == "DO NOTHING"


def _same_names(star: exp.Expr | None, source: Relation, into: _Target, scope: Scope) -> Pairs:
    """`UPDATE SET *` and `INSERT *`: the target's columns, each from the source's of its name.

    Those of `* EXCEPT (a)` are left out.
    """
    excluded = star.args.get("except_") or () if isinstance(star, exp.Star) else ()
    mark_all(star, scope.environment.findings)
    left_out = {column.name.casefold() for column in excluded}
    if not into.columns:
        scope.environment.findings.unknown("TargetColumns")
        return [pair for pair in source.columns if pair[0].casefold() not in left_out]
    names = [name for name in into.columns if name.casefold() not in left_out]
    missing = [name for name in names if source.column(name) is None and not into.evolves]
    for name in missing:
        scope.environment.findings.unknown("Column", name)
    if source.is_open and into.evolves:  # which columns it has besides, and which it lacks
        scope.environment.findings.unknown("Star", "*")
    pairs = [(name, source.column(name)) for name in names]
    own = {name.casefold() for name in into.columns} | left_out
    more = [pair for pair in source.columns if into.evolves and pair[0].casefold() not in own]
    return [*((name, inputs) for name, inputs in pairs if inputs is not None), *more]


def _assigned(act: exp.Update, scope: Scope, source: Relation, into: _Target) -> Pairs:
    items = act.args.get("expressions") or ()
    star = items if isinstance(items, exp.Star) or not items else items[0]
    if not items or isinstance(star, exp.Star):
        return _same_names(star or None, source, into, scope)
    return assignments(items, scope)


def _inserted(act: exp.Insert, scope: Scope, source: Relation, into: _Target) -> Pairs:
    """What INSERT of a clause puts into the target's columns."""
    target, values, names = act.this, act.expression, []
    if isinstance(target, exp.Tuple) and not values:  # Teradata: INSERT (s.a, s.b)
        first = next(iter(target.expressions), None)
        is_whole = isinstance(first, exp.Alias) or function_name(first) == "VALUES"
        values = first if is_whole else target
    elif isinstance(target, (exp.Tuple, exp.Schema)):
        names = [column.name for column in target.expressions]
    is_by_name = isinstance(values, exp.Alias) and values.alias.upper() == "NAME"
    if is_by_name or isinstance(target, exp.Star):
        return _same_names(target, source, into, scope)
    if not names and not into.columns:
        scope.environment.findings.unknown("TargetColumns")
    if not values or isinstance(values, exp.Alias):  # INSERT ROW, and DuckDB's INSERT BY POSITION
        if source.is_open:
            scope.environment.findings.unknown("Star", "ROW")
        return source.renamed(into.columns).columns
    inputs = (inputs_of(part, scope) for part in _row_of(values))
    return list(zip(names or into.columns, inputs, strict=False))


def _row_of(values: exp.Expr) -> list[exp.Expr]:
    """The values of the only row of VALUES."""
    parts = values.expressions
    is_nested = isinstance(values, exp.Values) and parts and isinstance(parts[0], exp.Tuple)
    return parts[0].expressions if is_nested else parts
