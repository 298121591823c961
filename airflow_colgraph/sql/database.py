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
    path: tuple[str, ...] = ()  # the schemas after it in which a table without one is looked up

    def whole(self, parts: Iterable[str]) -> TableName:
        """The whole name of a table; what the connection does not say stays away."""
        given = list(parts)[-self.levels :]
        if self.levels == 1:  # SQLite: a table of an attached database has its name before it
            given = [part for part in list(parts)[-2:] if part.casefold() not in ("main", "temp")]
        defaults = [self.catalog, self.schema][-self.levels + 1 :] if self.levels > 1 else []
        missing = self.levels - len(given)
        return tuple(part for part in [*defaults[: max(missing, 0)], *given] if part)

    def candidates(self, parts: Iterable[str]) -> list[TableName]:
        """The whole names that a table may have: those of each schema of the search path."""
        given = tuple(parts)
        others = self.path if len(given) == 1 else ()
        return [place.whole(given) for place in (self, *map(self.in_schema, others))]

    def in_schema(self, schema: str) -> Place:
        """The same place with another schema."""
        return self._replace(schema=schema)


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
        """The whole name of a table: of the first schema of the search path that has it."""
        names = self.place.candidates(parts)
        return next((name for name in names if self._listed(name) is not None), names[0])

    def known(self, name: TableName) -> tuple[str, ...] | None:
        """A table's columns, if they are known."""
        found = self._listed(name)
        if found is not None:
            return found
        folded = tuple(part.casefold() for part in name)
        for table, columns in self.columns.items():
            if tuple(part.casefold() for part in table) == folded:
                return columns
        return None

    def _listed(self, name: TableName) -> tuple[str, ...] | None:
        return self.made.get(name, self.columns.get(name))

    def is_temporary(self, parts: Iterable[str]) -> TableName | None:
        """The name under which the script made a temporary table of that name."""
        name = tuple(parts)
        return next((one for one in (name, name[-1:]) if one in self.temporary), None)

    def lookup(self, parts: TableName) -> Relation:
        """The relation of a table, or of files, that a query reads."""
        if not parts[0]:
            self.findings.reads.setdefault(parts, set())
            return base_table(parts, None)
        temporary = self.is_temporary(parts)
        if temporary is not None:
            return self.temporary[temporary]
        name = self.whole(parts)
        columns = self.known(name)
        self.findings.reads.setdefault(name, set())
        return base_table(name, columns)
