"""The tables that a script can see: those of a schema, and those that it made itself. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from airflow_colgraph.sql.relation import Findings, Relation, base_table

TableName = tuple[str, ...]


class Place(NamedTuple):
    """Where a connection's tables are, unless they say otherwise."""

    dialect: str
    catalog: str = ""
    schema: str = ""
    levels: int = 3  # parts of a whole name: 3 catalog.schema.table, 2 schema.table, 1 table

    def whole(self, parts: Iterable[str]) -> TableName:
        """The whole name of a table; what the connection does not say stays away."""
        given = list(parts)[-self.levels :]
        defaults = [self.catalog, self.schema][-self.levels + 1 :] if self.levels > 1 else []
        missing = self.levels - len(given)
        return tuple(part for part in [*defaults[:missing], *given] if part)


@dataclass
class Database:
    """The tables of a connection, as a script changes them.

    `columns` are those of tables whose schema is known, by whole name. A temporary table or view
    is a relation: what reads it reads what it was made of.
    """

    place: Place
    columns: Mapping[TableName, tuple[str, ...]] = field(default_factory=dict)
    findings: Findings = field(default_factory=Findings)
    made: dict[TableName, tuple[str, ...]] = field(default_factory=dict)
    temporary: dict[TableName, Relation] = field(default_factory=dict)

    def whole(self, parts: Iterable[str]) -> TableName:
        """The whole name of a table."""
        return self.place.whole(parts)

    def known(self, name: TableName) -> tuple[str, ...] | None:
        """A table's columns, if they are known."""
        for listed in (self.made, self.columns):
            if name in listed:
                return listed[name]
        folded = tuple(part.casefold() for part in name)
        for table, columns in self.columns.items():
            if tuple(part.casefold() for part in table) == folded:
                return columns
        return None

    def is_temporary(self, parts: Iterable[str]) -> TableName | None:
        """The name under which the script made a temporary table of that name."""
        name = tuple(parts)
        return next((one for one in (name, name[-1:]) if one in self.temporary), None)

    def lookup(self, parts: TableName) -> Relation:
        """The relation of a table that a query reads."""
        temporary = self.is_temporary(parts)
        if temporary is not None:
            return self.temporary[temporary]
        name = self.whole(parts)
        columns = self.known(name)
        self.findings.reads.setdefault(name, set())
        return base_table(name, columns)
