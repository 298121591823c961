"""The tables that a script can see: those of a schema, and those that it made itself. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from sqlglot import exp

from airflow_colgraph.openlineage.redaction import shown_names
from airflow_colgraph.sql.computed import Computed
from airflow_colgraph.sql.names import path_of
from airflow_colgraph.sql.relation import (
    Findings,
    Relation,
    base_table,
    file_name,
    folded,
    spelled,
)
from airflow_colgraph.sql.scope import EXACT
from airflow_colgraph.sql.transformations import NONE

TableName = tuple[str, ...]

IN_SCHEMAS = ("hive", "mysql", "oracle", "snowflake", "teradata")  # where temporary tables are
USUAL_SCHEMAS = {"snowflake": "PUBLIC", "tsql": "dbo"}  # of `catalog..table`
FIRST_SCHEMAS = {  # the one that is used when the catalog changes; else it stays as it was
    **{"databricks": "default", "spark": "", "spark2": ""},
    "snowflake": "PUBLIC",
}
USUAL_CATALOG = "spark_catalog"
CATALOGS = ("spark", "spark2")  # a table may be in another catalog than the usual one
TEMPORARY = {  # schemas that have no other tables
    **dict.fromkeys(("postgres", "redshift"), ("pg_temp",)),
    **dict.fromkeys(("duckdb", "sqlite"), ("temp",)),
    **{"bigquery": ("_session",), "databricks": ("session", "global_temp")},
    "spark": ("global_temp",),
}


class Place(NamedTuple):
    """Where a connection's tables are, unless they say otherwise."""

    dialect: str
    catalog: str = ""
    schema: str = ""
    levels: int = 3  # parts of a whole name: 3 catalog.schema.table, 2 schema.table, 1 table
    path: tuple[str, ...] = ()  # the schemas after it in which a table without one is looked up

    def whole(self, parts: Iterable[str]) -> TableName:
        """The whole name of a table, or of files; what the connection does not say stays away."""
        named = list(parts)
        if path := path_of(named, self.dialect):
            return file_name(path)
        own = [part or USUAL_SCHEMAS.get(self.dialect, self.schema) for part in named]
        if self.levels == 2 and self.dialect in CATALOGS:
            own = [*(self.catalog, self.schema)[: max(3 - len(own), 0)], *own]
            is_usual = own[0].casefold() == USUAL_CATALOG
            return tuple(part for part in own[is_usual:] if part)
        own = own[-self.levels :]
        if self.levels == 1:  # SQLite: a table of an attached database has its name before it
            before = [part for part in named[-2:-1] if part.casefold() not in ("main", "temp")]
            own = [*before, *named[-1:]]
        defaults = [self.catalog, self.schema][-self.levels + 1 :] if self.levels > 1 else []
        missing = self.levels - len(own)
        return tuple(part for part in [*defaults[: max(missing, 0)], *own] if part)

    def candidates(self, parts: Iterable[str]) -> list[TableName]:
        """The whole names that a table may have: those of each schema of the search path."""
        named = tuple(parts)
        others = self.path if len(named) == 1 else ()
        return [place.whole(named) for place in (self, *map(self.in_schema, others))]

    def in_catalog(self, catalog: str) -> Place:
        """The same place in another catalog, whose first schema is the dialect's."""
        schema = FIRST_SCHEMAS.get(self.dialect, self.schema)
        is_usual = catalog.casefold() == USUAL_CATALOG
        return self._replace(catalog=catalog, schema="default" if is_usual else schema, path=())

    def in_schema(self, schema: str) -> Place:
        """The same place with another schema."""
        return self._replace(schema=schema)


@dataclass
class Database:
    """The tables of a connection, as a script changes them.

    `columns` are those of tables whose schema is known, by whole name, with their types in `types`
    where these are known; `script_columns` those of
    tables that the script has made or changed, None where they are unknown. A temporary table or
    view is a relation: what reads it reads what it came from.
    """

    place: Place
    columns: Mapping[TableName, Iterable[str]] = field(default_factory=dict)
    findings: Findings = field(default_factory=Findings)
    script_columns: dict[TableName, tuple[str, ...] | None] = field(default_factory=dict)
    script_types: dict[TableName, dict[str, str]] = field(default_factory=dict)
    made: set[TableName] = field(default_factory=set)
    temporary: dict[TableName, Relation] = field(default_factory=dict)
    views: dict[TableName, tuple[exp.Expr, list[str]]] = field(default_factory=dict)
    """The queries of views that the script has made, with the columns that they list."""
    last: dict[TableName, tuple[str, ...]] = field(default_factory=dict)
    """The partition columns that the script's tables have behind all others."""
    computed: dict[TableName, dict[str, Computed]] = field(default_factory=dict)
    """The columns that the script's tables compute from others."""
    triggers: dict[TableName, bool] = field(default_factory=dict)
    """The tables to which the script adds a trigger, and whether it is run INSTEAD OF a write."""
    types: dict[TableName, dict[str, str]] = field(init=False)

    def __post_init__(self) -> None:
        """Name their columns as events do, and index the tables by folded name."""
        self.types = {
            name: dict(zip(shown_names(own), own.values(), strict=True))
            for name, own in self.columns.items()
            if isinstance(own, Mapping)
        }
        self._columns = {name: tuple(shown_names(own)) for name, own in self.columns.items()}
        self._by_folded = {folded(name): name for name in self._columns}

    def whole(self, parts: Iterable[str]) -> TableName:
        """The whole name of a table: of the first schema of the search path that has it.

        A temporary table has the name under which the script made it.
        """
        parts = tuple(parts)
        temporary = self.is_temporary(parts)
        if temporary is not None:
            return temporary
        names = self.place.candidates(parts)
        owners = (own for name in names if (own := self._own_name(name)) is not None)
        return next(owners, names[0])

    def created(self, parts: Iterable[str]) -> TableName:
        """The whole name of a table that is made: in the first schema of the search path."""
        name = self.place.whole(parts)
        return self._own_name(name) or name

    def columns_of(self, name: TableName) -> tuple[str, ...] | None:
        """A table's columns, if they are known."""
        own = self._own_name(name)
        return None if own is None else self.script_columns.get(own, self._columns.get(own))

    def rename(self, old: TableName, new: TableName) -> None:
        """A table has another name from here on; what had that name is gone."""
        self.script_columns[new], self.script_columns[old] = self.columns_of(old), None
        self.script_types[new] = self.script_types.pop(old, {})
        self.last[new] = self.last.pop(old, ())
        self.computed[new] = self.computed.pop(old, {})
        self.made |= {old, new}

    def type_of(self, table: TableName, column: str) -> str:
        """The type of a table's column, or ""."""
        before = {} if table in self.made else self.types.get(table, {})
        return {**before, **self.script_types.get(table, {})}.get(column, "")

    def spelled(self, name: TableName, column: str) -> str:
        """A column of a table in the case in which the table has it."""
        return spelled(column, self.columns_of(name) or ())

    def _own_name(self, name: TableName) -> TableName | None:
        """A known table's name in its own case: exactly that name, or one in another case."""
        if name in self.script_columns or name in self._columns:
            return name
        if self.place.dialect in EXACT:
            return None
        wanted = folded(name)
        created = (own for own in self.script_columns if folded(own) == wanted)
        return next(created, self._by_folded.get(wanted))

    def is_temporary(self, parts: Iterable[str]) -> TableName | None:
        """The name under which the script made a temporary table of that name."""
        wanted = folded(self.temporary_name(parts))
        return next((own for own in self.temporary if folded(own) == wanted), None)

    def temporary_name(self, parts: Iterable[str]) -> TableName:
        """The name of a temporary table: whole where it is in a schema, otherwise its last part.

        In a schema that has others as well, `public.t`, it is no temporary table's.
        """
        name = tuple(parts)
        if name[-1][:1] in ("#", "@"):
            return name[-1:]
        if self.place.dialect in IN_SCHEMAS:
            return self.place.whole(name)
        return name[-1:] if len(name) == 1 or self.is_in_temporary(name) else name

    def is_in_temporary(self, parts: Iterable[str]) -> bool:
        """Whether the schema of a table has temporary ones only: `pg_temp.t`."""
        *before, _ = folded(parts)
        return not {*before}.isdisjoint(TEMPORARY.get(self.place.dialect, ()))

    def lookup(self, parts: TableName) -> Relation:
        """The relation of a table, or of files, that a query reads."""
        if not parts[0]:
            self.findings.read(parts)
            return base_table(parts, self.columns_of(parts))
        temporary = self.is_temporary(parts)
        if temporary is not None:
            # sqlglot leaves `#` out of `#t.a`, but for Redshift.
            marks = "" if self.place.dialect == "redshift" else "#"
            called = (*temporary[:-1], temporary[-1].lstrip(marks))
            return self.temporary[temporary]._replace(path=called)
        if parts[-1][:1] in ("#", "@"):  # made before the script
            self.findings.unknown("TemporaryTable", parts[-1])
            return Relation(everything=NONE)
        name = self.whole(parts)
        self.findings.read(name)
        is_dual = self.place.dialect == "oracle" and name[-1] == "DUAL"
        return base_table(name, self.columns_of(name) or (("DUMMY",) if is_dual else None))
