"""A relation: what each of its columns is made of, and what decides on its rows. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from airflow_colgraph.sql.transformations import (
    IDENTITY,
    NONE,
    TRANSFORMATION,
    Inputs,
    Source,
    through,
    union,
)

Columns = tuple[tuple[str, Inputs], ...]


class Relation(NamedTuple):
    """A table, a subquery or a statement's result.

    `columns` are in their order, and two may have the same name. The columns of a table whose
    schema is unknown are not listed: it has any column that is asked for. `behind` are such tables
    that a `*` stands for, and `everything` is what every column is made of where the names alone
    are unknown.
    """

    columns: Columns = ()
    rows: Inputs = NONE
    table: tuple[str, ...] | None = None
    behind: tuple[Relation, ...] = ()
    everything: Inputs | None = None

    @property
    def is_open(self) -> bool:
        """Whether it may have columns that are not listed."""
        return bool(self.table or self.behind or self.everything is not None)

    def listed(self, name: str) -> Inputs | None:
        """A column whose name is known."""
        for match in (str, str.casefold):
            for column, inputs in self.columns:
                if match(column) == match(name):
                    return inputs
        return None

    def column(self, name: str) -> Inputs | None:
        """A column by its name, or None if there is no such column."""
        found = self.listed(name)
        if found is not None:
            return found
        if self.table:
            return frozenset({(Source(self.table, name), IDENTITY)})
        inner = [inputs for one in self.behind if (inputs := one.column(name)) is not None]
        return union(*inner) if inner else self.everything

    def of_all(self) -> Inputs:
        """What all its columns together are made of, as one value."""
        inner = (one.of_all() for one in self.behind)
        listed = (inputs for _, inputs in self.columns)
        return through(TRANSFORMATION, (*listed, *inner, self.everything or NONE))

    def renamed(self, names: Iterable[str]) -> Relation:
        """The first columns under other names."""
        given = list(names)
        if not given:
            return self
        if self.is_open and len(self.columns) < len(given):
            every = self.everything
            if every is None:  # which column of the table is meant is unknown
                return self
            return Relation(tuple((name, every) for name in given), self.rows)
        pairs = [
            (given[at] if at < len(given) else name, inputs)
            for at, (name, inputs) in enumerate(self.columns)
        ]
        return self._replace(columns=tuple(pairs))


def file_name(uri: str) -> tuple[str, ...]:
    """Files as a table: what stands for the name of one."""
    return ("", uri)


def base_table(name: tuple[str, ...], columns: Iterable[str] | None) -> Relation:
    """A table of the database; without `columns` its schema is unknown."""
    if columns is None:
        return Relation(table=name)
    return Relation(
        tuple((column, frozenset({(Source(name, column), IDENTITY)})) for column in columns)
    )


@dataclass
class Findings:
    """What was met on the way: tables read, and what could not be resolved exactly."""

    reads: dict[tuple[str, ...], set[str]] = field(default_factory=dict)
    unresolved: dict[str, int] = field(default_factory=dict)
    opaque: dict[str, int] = field(default_factory=dict)

    def count(self, found: dict[str, int], kind: str) -> None:
        """One more of a kind."""
        found[kind] = found.get(kind, 0) + 1

    def unknown(self, kind: str) -> None:
        """Something whose meaning depends on a schema that is unknown."""
        self.count(self.unresolved, kind)

    def unread(self, kind: str) -> None:
        """Something that is run and can't be looked into."""
        self.count(self.opaque, kind)


Lookup = Callable[[tuple[str, ...]], Relation]
"""A table's relation, by the parts of its name as the text has it."""
