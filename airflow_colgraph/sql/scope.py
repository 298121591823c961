"""What a name means at a place in a query. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field, replace

from sqlglot import exp

from airflow_colgraph.sql.relation import Findings, Lookup, Relation
from airflow_colgraph.sql.transformations import NONE, TRANSFORMATION, Inputs, through, union


@dataclass(frozen=True)
class Environment:
    """What a whole statement shares: the tables there are, and what was met on the way."""

    lookup: Lookup
    findings: Findings
    statement: Callable[[exp.Expression, Scope], Relation]
    """A statement inside a query: `WITH moved AS (DELETE ... RETURNING *)`."""
    dialect: str = ""
    variables: Mapping[str, Inputs] = field(default_factory=dict)
    """What the session's variables were set from so far, by folded name."""


@dataclass(frozen=True)
class Scope:
    """The names that can be seen in one SELECT, and those around it."""

    environment: Environment
    query: Callable[[exp.Expression, Scope], Relation]
    sources: Mapping[str, Relation] = field(default_factory=dict)
    using: Mapping[str, Inputs] = field(default_factory=dict)
    aliases: Mapping[str, Inputs] = field(default_factory=dict)
    windows: Mapping[str, exp.Expression] = field(default_factory=dict)
    parameters: Mapping[str, Inputs] = field(default_factory=dict)
    ctes: Mapping[str, Relation] = field(default_factory=dict)
    outer: Scope | None = None
    unqualified: frozenset[str] = frozenset()  # sources whose columns need their name before them

    def inner(self) -> Scope:
        """The scope of a query inside this one."""
        return Scope(self.environment, self.query, ctes=self.ctes, outer=self)

    def with_parameters(self, names: list[str], inputs: Inputs) -> Scope:
        """The scope of a lambda's body: its parameters are parts of the other arguments."""
        return replace(self, parameters={**self.parameters, **dict.fromkeys(names, inputs)})

    def source(self, name: str) -> Relation | None:
        """The table or subquery of that alias, here or around."""
        scope: Scope | None = self
        while scope is not None:
            for alias, relation in scope.sources.items():
                if alias.casefold() == name.casefold():
                    return relation
            scope = scope.outer
        return None

    def column(self, node: exp.Column, *, aliases_first: bool = False) -> Inputs:
        """What a column reference means."""
        parts = [part.name for part in node.parts]
        found = self._of_source(parts) if len(parts) > 1 else None
        if found is None and len(parts) > 1:  # a member of a struct
            inner = self._unqualified(parts[0], aliases_first)
            found = None if inner is None else through(TRANSFORMATION, [inner])
        if len(parts) == 1:
            found = self._unqualified(parts[0], aliases_first)
        if found is None:
            self.environment.findings.unknown("Column")
        return found or NONE

    def _of_source(self, parts: list[str]) -> Inputs | None:
        """`alias.column`, `schema.table.column`, or a member: `alias.column.member`."""
        for at in range(len(parts) - 2, -1, -1):
            relation = self.source(parts[at])
            if relation is None:
                continue
            inputs = relation.column(parts[at + 1])
            if inputs is None:
                return None
            return inputs if at == len(parts) - 2 else through(TRANSFORMATION, [inputs])
        return None

    def _unqualified(self, name: str, aliases_first: bool) -> Inputs | None:
        scope: Scope | None = self
        while scope is not None:
            found = scope._own(name, aliases_first)
            if found is not None:
                return found
            scope = scope.outer
        relation = self.source(name)  # a whole row, by the name of its table
        return (
            self.environment.variables.get(name.casefold())
            if relation is None
            else (relation.of_all())
        )

    def star(self, table: str, left_out: Set[str]) -> Inputs:
        """All columns of a table, or of all tables, as one value: `struct(*)`."""
        source = self.source(table) if table else None
        relations = [source] if source else [] if table else list(self.sources.values())
        if any(one.is_open for one in relations):
            self.environment.findings.unknown("Star")
        columns = [pair for one in relations for pair in one.columns]
        kept = [inputs for name, inputs in columns if name.casefold() not in left_out]
        opened = [one.of_all() for one in relations if one.is_open and one.columns == ()]
        return through(TRANSFORMATION, [*kept, *opened])

    def position(self, number: str, table: str = "") -> Inputs:
        """The column at a position, from 1 on: Snowflake's `$1`."""
        source = self.source(table) if table else None
        relations = [source] if source else list(self.sources.values())
        if not relations and self.outer is not None:
            return self.outer.position(number)
        columns = [inputs for one in relations for _, inputs in one.columns]
        at = int(number) - 1 if number.isdigit() else -1
        if any(one.is_open for one in relations) or not 0 <= at < len(columns):
            self.environment.findings.unknown("Position")
            return union(*(one.everything or NONE for one in relations))
        return columns[at]

    def _own(self, name: str, aliases_first: bool) -> Inputs | None:
        folded = name.casefold()
        if name in self.parameters:
            return self.parameters[name]
        if aliases_first and folded in self.aliases:
            return self.aliases[folded]
        if folded in self.using:
            return self.using[folded]
        sources = [one for at, one in self.sources.items() if at not in self.unqualified]
        listed = [one.listed(name) for one in sources]
        known = [inputs for inputs in listed if inputs is not None]
        if known:
            if len(known) > 1:
                self.environment.findings.unknown("AmbiguousColumn")
            return union(*known)
        if folded in self.aliases:
            return self.aliases[folded]
        opened = [one for one in sources if one.is_open]
        if len(opened) > 1:  # it is a column of one of them
            self.environment.findings.unknown("AmbiguousColumn")
        inner = [inputs for one in opened if (inputs := one.column(name)) is not None]
        return union(*inner) if inner else None
