"""Aliases of a SELECT that its other columns can name, as ClickHouse and SQLite see them. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from airflow_colgraph.sql.aggregates import is_aggregated
from airflow_colgraph.sql.expressions import inputs_of
from airflow_colgraph.sql.names import alias_of
from airflow_colgraph.sql.relation import Findings
from airflow_colgraph.sql.scope import Scope
from airflow_colgraph.sql.transformations import CONDITIONAL, NONE, Inputs, through, union


@dataclass(eq=False)
class Aliases(Mapping[str, Inputs]):
    """ClickHouse's aliases, which are seen in the whole SELECT before the tables' columns.

    Each is what its expression means; a name that is being read already is a column there.
    """

    expressions: Mapping[str, exp.Expr]  # by folded name
    scope: Scope
    outer: Mapping[str, Inputs]
    reading: frozenset[str] = frozenset()
    read: dict[str, Inputs] = field(default_factory=dict)
    met: set[str] = field(default_factory=set)  # names that were being read already

    def __getitem__(self, name: str) -> Inputs:
        """What an alias comes from."""
        if name in self.reading:
            self.met.add(name)
        if name in self.reading or name not in self.expressions:
            return self.outer[name]
        if name not in self.read:
            before = set(self.met)
            self.met.clear()
            inner = replace(self.scope, aliases=self.without(name))
            inputs = inputs_of(self.expressions[name], inner)
            if self.met - {name}:  # it is that only while these are being read
                self.met.update(before)
                return inputs
            self.met.update(before)
            self.read[name] = inputs
        return self.read[name]

    def __iter__(self) -> Iterator[str]:
        """The names that can be seen."""
        return iter({**self.expressions, **self.outer})

    def __len__(self) -> int:
        """How many names can be seen."""
        return len({**self.expressions, **self.outer})

    def without(self, name: str) -> Aliases:
        """The aliases as the expression of one of them sees them."""
        return replace(self, reading=self.reading | {name})


def with_aliases(node: exp.Select, scope: Scope) -> Scope:
    """The scope in which all aliases of a SELECT can be seen."""
    expressions = {
        alias_of(item).casefold(): item.this for item in node.expressions if alias_of(item)
    }
    unheard = replace(scope.environment, findings=Findings())  # each is read again afterwards
    trial = replace(scope, aliases_first=True, environment=unheard)
    return replace(scope, aliases_first=True, aliases=Aliases(expressions, trial, scope.aliases))


def without_own(item: exp.Expr, scope: Scope) -> Scope:
    """The scope of an item: in `upper(a) AS a` the inner name is the column."""
    name = alias_of(item).casefold()
    if not scope.aliases_first or not name or not isinstance(scope.aliases, Aliases):
        return scope
    return replace(scope, aliases=scope.aliases.without(name))


def picked_rows(node: exp.Select, scope: Scope) -> Inputs:
    """What picks the row of SQLite's bare columns: `SELECT a, max(b)` has the a of that row."""
    if scope.environment.dialect != "sqlite":
        return NONE
    aggregates = [
        call
        for item in (*node.expressions, node.args.get("having"))
        if item is not None
        for call in item.find_all(exp.Min, exp.Max)
        if not call.expressions and not call.find_ancestor(exp.Window)
        and call.find_ancestor(exp.Select) is node
    ]  # fmt: skip
    return through(CONDITIONAL, [inputs_of(call.this, scope) for call in aggregates])


def is_bare(item: exp.Expr, keys: Sequence[exp.Expr], scope: Scope) -> bool:
    """Whether a selected item has a column that is neither aggregated nor a key.

    A key is a column's name, or else an alias.
    """
    value = item.unalias()
    names = {key.name.casefold() for key in keys if isinstance(key, exp.Column)}
    own = {name.casefold() for source in scope.sources.values() for name, _ in source.columns}
    if value in keys or item.alias_or_name.casefold() in names - (own if item.alias else set()):
        return False
    columns = [value] if isinstance(value, exp.Column) else value.find_all(exp.Column)
    columns_of_keys = names if scope.is_open else names & own
    bare = (column for column in columns if column.name.casefold() not in columns_of_keys)
    return any(not is_aggregated(column, scope.environment.dialect) for column in bare)


def with_picked(columns: Sequence[tuple[str, Inputs]], picked: Inputs) -> list[tuple[str, Inputs]]:
    """Bare columns with what picks their row."""
    return [(name, union(inputs, picked)) for name, inputs in columns]
