"""Digests of a statement's expressions and conditions, as the collector has those of plans. Pure.

Formatting, aliases, the order of conditions and whether a column is computed in one step or two
make no difference, nor do days and times, which a job is often given. Literals that are secrets do
not count: in hashes, and beside passwords.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from sqlglot import exp
from sqlglot.errors import OptimizeError
from sqlglot.optimizer.scope import traverse_scope

from airflow_colgraph.openlineage.digests import digest, shown, shown_steps, without_dates
from airflow_colgraph.openlineage.redaction import is_named
from airflow_colgraph.sql.expressions import step_of
from airflow_colgraph.sql.parse import quiet
from airflow_colgraph.sql.places import (
    CHANGES,
    RANK,
    SIDE,
    TABLE,
    UNSAID,
    is_turned,
    mark,
    sources,
)

SIDED = {"ANTI", "LEFT", "RIGHT", "SEMI"}
COMPARED = (exp.Predicate, exp.EQ, exp.PropertyEQ, exp.In, exp.Between)
WITH_CONDITION = (exp.Having, exp.PreWhere, exp.Qualify, exp.Where)
CLAUSES = dict.fromkeys(("having", "prewhere", "qualify", "where"), "FILTER")
LISTS = {
    "conflict": "ON CONFLICT",
    "connect": "CONNECT BY",
    "group": "GROUP BY",
    "order": "SORT",
    "windows": "WINDOW",
}
ROWS = (exp.Lateral, exp.Pivot, exp.Table, exp.TableFromRows, exp.Unnest, exp.Values)
NAMES = {"alias", "catalog", "db", "hints", "indexed", "joins", "laterals", "pivots", "sample"}
MOST = 1000  # rows that are written in the text, after which only their number counts


class Digests(NamedTuple):
    """Digests of columns and of steps, with their names.

    Those of a query's columns go into the columns of a table in their order.
    """

    columns: tuple[tuple[str, str], ...]
    steps: tuple[tuple[str, str], ...]
    is_ordered: bool = True


class Statements:
    """The statements of a script so far: what later ones may read through temporary tables."""

    def __init__(self) -> None:
        """Nothing is computed yet."""
        self._columns: dict[str, set[str]] = {}
        self._steps: dict[str, list[str]] = {}

    def add(self, statement: exp.Expr, *, is_written: bool) -> Digests | None:
        """Those of a statement, None if its names are ambiguous; kept if it writes no table."""
        columns = {name: set(of) for name, of in self._columns.items()}
        steps = {name: list(of) for name, of in self._steps.items()}
        try:
            digests = _Fold(columns, steps).of(statement)
        except OptimizeError:
            return None
        if not is_written:
            self._columns, self._steps = columns, steps
        return digests


class _Fold(NamedTuple):
    """The digests so far: of computed columns and of steps, by their names."""

    columns: dict[str, set[str]]
    steps: dict[str, list[str]]

    def of(self, statement: exp.Expr) -> Digests:
        query = statement if isinstance(statement, exp.Query) else statement.args.get("expression")
        mark(statement)
        for part in (*(cte.this for cte in getattr(statement, "ctes", ())), query):
            with quiet():
                scopes = traverse_scope(part) if isinstance(part, exp.Query) else []
            for scope in scopes:
                self._define(scope.expression)
        for node in statement.find_all(exp.Query, *CHANGES):
            self._observe(node)
        for node in statement.find_all(*ROWS):
            self._rows(node)
            if isinstance(node, exp.Table):  # in parentheses, or in a change
                self._joins(node)
        rows = self._set(statement) or [*self._written(query)]
        is_ordered = not isinstance(statement, exp.Update)
        return Digests(tuple(rows), tuple(shown_steps(self.steps)), is_ordered)

    def _define(self, query: Any) -> None:
        """Keep what a query's columns stand for, by their names."""
        for item in query.selects if isinstance(query, exp.Select) else ():
            if isinstance(item, exp.Alias) and item.alias:
                own = self._tree(item)
                self.columns.setdefault(item.alias.casefold(), set()).add(own)

    def _written(self, query: Any) -> Iterator[tuple[str, str]]:
        """The columns of what a query returns; empty digests for those taken as they are."""
        branches = list(_branches(query))
        width = max((len(branch.selects) for branch in branches), default=0)
        for position in range(width):
            items = [
                branch.selects[position] for branch in branches if position < len(branch.selects)
            ]
            yield items[0].alias_or_name, self._column(items)

    def _column(self, items: list[exp.Expr]) -> str:
        bare = [item.unalias().unnest() for item in items]
        if all(isinstance(each, (exp.Column, exp.Star)) and SIDE not in each.meta for each in bare):
            names = [each.name.casefold() for each in bare]
            if not any(name in self.columns for name in names):
                return ""
        return shown(digest(*map(self._tree, items)))

    def _set(self, statement: exp.Expr) -> list[tuple[str, str]]:
        """The columns that an UPDATE sets."""
        if not isinstance(statement, exp.Update):
            return []
        pairs = [each for each in statement.expressions if isinstance(each, exp.EQ)]
        return [(each.this.name, shown(digest(self._tree(each.expression)))) for each in pairs]

    def _observe(self, node: exp.Expr) -> None:
        """Keep the joins, conditions and other steps of a query or a change."""
        for name, label in CLAUSES.items():
            condition = node.args.get(name)
            for part in _conjuncts(condition) if condition else ():
                self._step(label, self._tree(part))
        for name, label in LISTS.items():
            if clause := node.args.get(name):
                self._step(label, self._tree(clause))
        self._joins(node)
        if isinstance(node, exp.SetOperation):
            is_distinct = node.args.get("distinct")
            self._step(f"{node.key.upper()}{'' if is_distinct else ' ALL'}", "")
        elif node.args.get("distinct"):
            self._step("DISTINCT", self._tree(node.args["distinct"]))
        for name in ("limit", "offset"):
            if clause := node.args.get(name):
                self._step(_as_limit(clause).sql().strip(), "")
        if isinstance(node, exp.Merge):
            self._step("MERGE", self._tree(node.args["on"]), self._tree(node.args["whens"]))
        for sample in node.find_all(exp.TableSample) if isinstance(node, exp.Select) else ():
            if sample.find_ancestor(exp.Select) is node:
                self._step("SAMPLE", self._tree(sample))

    def _rows(self, node: exp.Expr) -> None:
        """Keep what FROM has beside tables: functions, rows in the text, versions of tables."""
        parts = {name: part for name, part in node.args.items() if part and name not in NAMES}
        if isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier):
            del parts["this"]
        if len(parts.get("expressions") or ()) > MOST:
            parts["expressions"] = len(parts["expressions"])
        if parts:
            texts = (f"{name} {self._tree(part)}" for name, part in sorted(parts.items()))
            self._step(node.key.upper(), *texts)

    def _joins(self, node: exp.Expr) -> None:
        tables = sources(node)
        for place, join in enumerate(node.args.get("joins") or ()):
            turned = not place and is_turned(node)
            side = "LEFT" if turned else join.side
            kinds = [join.method, side, "" if join.kind in ("CROSS", "OUTER") else join.kind]
            label = " ".join(part for part in kinds if part) or "INNER"
            condition = join.args.get("on")
            equalities = _conjuncts(condition) if condition else join.meta.get(UNSAID, ())
            texts = sorted(map(self._tree, equalities))
            if UNSAID not in join.meta:
                texts += [each.name.casefold() for each in join.args.get("using") or ()]
            if SIDED & {side, join.kind}:
                first = node.args.get("from_")
                other = (first.this if first else node) if turned else join.this
                texts += [each.name for each in (*tables[:1], other)]
            self._step(f"{label} JOIN", *texts)

    def _step(self, name: str, *texts: str) -> None:
        self.steps.setdefault(name, []).append(digest(*texts))

    def _tree(self, value: Any, is_hidden: bool = False) -> str:
        """The digest of an expression by its operators, its literals and its columns' digests."""
        if isinstance(value, list):
            return digest(*(self._tree(each, is_hidden) for each in value))
        if not isinstance(value, exp.Expression):
            return str(value)
        if isinstance(value, (exp.Paren, exp.Alias)):
            return self._tree(value.this, is_hidden or is_named(value.alias))
        if isinstance(value, exp.Column) and not isinstance(value.this, exp.Star):
            name = value.name.casefold()
            own = self.columns.get(name, {name})
            text = next(iter(own)) if len(own) == 1 else digest(*sorted(own))
            marks = [value.meta[name] for name in (SIDE, RANK, TABLE) if name in value.meta]
            return digest(text, *marks) if marks else text
        if isinstance(value, exp.Identifier):
            return value.name.casefold()
        if isinstance(value, exp.Literal):
            text = without_dates(value.name)
            return "***" if is_hidden and value.is_string else digest(value.key, text)
        if isinstance(value, exp.Query):
            return digest(*(own for _, own in self._written(value)))
        is_hidden = is_hidden or hides(value)
        value = _as_bounds(value)
        if isinstance(value, exp.EQ) and TABLE in value.this.meta:  # whichever side is first
            return digest(value.key, *sorted(map(self._tree, (value.this, value.expression))))
        parts = ((name, part) for name, part in sorted(value.args.items()) if part)
        return digest(value.key, *(f"{n} {self._tree(part, is_hidden)}" for n, part in parts))


def hides(node: exp.Expr) -> bool:
    """Whether the literals in an expression are secrets: a salt, or what a password is."""
    if isinstance(node, COMPARED):
        return any(is_named(column.name) for column in node.find_all(exp.Column))
    return isinstance(node, exp.Func) and step_of(node).masking


def _as_limit(clause: exp.Expr) -> exp.Expr:
    """FETCH FIRST n ROWS ONLY as LIMIT n."""
    options = clause.args.get("limit_options")
    is_other = options and (options.args.get("percent") or options.args.get("with_ties"))
    if is_other or not isinstance(clause, exp.Fetch):
        return clause
    return exp.Limit(expression=clause.args.get("count") or exp.Literal.number(1))


def _as_bounds(value: exp.Expr) -> exp.Expr:
    """BETWEEN as its two comparisons, which are conditions of their own."""
    if not isinstance(value, exp.Between) or value.args.get("symmetric"):
        return value
    low = exp.GTE(this=value.this.copy(), expression=value.args["low"].copy())
    high = exp.LTE(this=value.this.copy(), expression=value.args["high"].copy())
    return exp.And(this=low, expression=high)


def _branches(query: Any) -> Iterator[exp.Select]:
    """The SELECTs whose rows a query returns."""
    if isinstance(query, exp.Subquery):
        yield from _branches(query.this)
    elif isinstance(query, exp.SetOperation):
        yield from _branches(query.this)
        yield from _branches(query.expression)
    elif isinstance(query, exp.Select):
        yield query


def _conjuncts(condition: exp.Expr) -> Iterable[exp.Expr]:
    condition = (condition.this if isinstance(condition, WITH_CONDITION) else condition).unnest()
    parts = condition.flatten() if isinstance(condition, exp.And) else (condition,)
    for part in map(_as_bounds, parts):
        yield from part.flatten() if isinstance(part, exp.And) else (part,)
