"""The tables of a FROM clause, and the columns behind its `*`. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

from sqlglot import exp

from airflow_colgraph.sql.relation import Relation, either
from airflow_colgraph.sql.scope import Scope
from airflow_colgraph.sql.transformations import NONE, Inputs


class _Shown(NamedTuple):
    """A column behind a `*`: that at a place of a table, or one of USING."""

    alias: str = ""
    place: int = 0
    merged: tuple[str, Inputs] | None = None


class Side(NamedTuple):
    """The left side of a join: its tables, and where their columns start in `FromClause.order`."""

    names: list[str]
    start: int


@dataclass
class FromClause:
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

    def seen(self, scope: Scope) -> Scope:
        """The scope in which these tables can be read."""
        return replace(scope, sources=dict(self.sources), using=dict(self.using))

    def key(self, qualifier: tuple[str, ...]) -> str:
        """The key of the table that is called so, or ""."""
        return next((key for key, of in self.sources.items() if of.is_called(qualifier)), "")
