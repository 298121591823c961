"""A relation: what each of its columns comes from, and what affects its rows. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from sqlglot import exp

from airflow_colgraph.sql.transformations import (
    IDENTITY,
    NONE,
    TRANSFORMATION,
    Inputs,
    Source,
    Step,
    through,
    union,
)

Columns = tuple[tuple[str, Inputs], ...]


class Relation(NamedTuple):
    """A table, a subquery or a statement's result.

    `columns` are in their order, and two may have the same name. The columns of a table whose
    schema is unknown are not listed: it has any column that is asked for. `behind` are such tables
    that a `*` stands for, and `everything` is what every column comes from where the names alone
    are unknown. `path` is what can stand before its columns: `schema.table`, or an alias behind "".
    `aliased` is the path of a table that has an alias where this does not hide its name.
    `structs` are the members of columns, by folded name, where they are known.
    """

    columns: Columns = ()
    rows: Inputs = NONE
    table: tuple[str, ...] | None = None
    behind: tuple[Relation, ...] = ()
    everything: Inputs | None = None
    path: tuple[str, ...] = ()
    structs: Mapping[str, Relation] = {}
    aliased: tuple[str, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether it may have columns that are not listed."""
        return bool(self.table or self.behind or self.everything is not None)

    def listed(self, name: str) -> Inputs | None:
        """A column whose name is known."""
        own = self.spelled(name)
        return next((inputs for column, inputs in self.columns if column == own), None)

    def spelled(self, name: str) -> str:
        """A column's name as the table has it: exactly so, or in another case."""
        return spelled(name, (column for column, _ in self.columns))

    def is_called(self, qualifier: tuple[str, ...]) -> bool:
        """Whether its columns can have this before them: `t`, `schema.t`, or more than its name."""
        return _ends_alike(self.path, qualifier)

    def is_named(self, qualifier: tuple[str, ...]) -> bool:
        """Whether this is the table's own name, which an alias does not hide."""
        return _ends_alike(self.aliased, qualifier)

    def column(self, name: str) -> Inputs | None:
        """A column by its name, or None if there is no such column."""
        listed = self.listed(name)
        if listed is not None:
            return listed
        if self.table:
            return frozenset({(Source(self.table, name), IDENTITY)})
        inner = [inputs for table in self.behind if (inputs := table.column(name)) is not None]
        return union(*inner) if inner else self.everything

    def with_column(self, name: str, inputs: Inputs) -> Relation:
        """The same relation with other inputs of a column, or with one more."""
        columns = {**dict(self.columns), self.spelled(name): inputs}
        return self._replace(columns=tuple(columns.items()))

    def of_all(self) -> Inputs:
        """What all its columns together come from, as one value."""
        inner = (table.of_all() for table in self.behind)
        listed = (inputs for _, inputs in self.columns)
        return through(TRANSFORMATION, (*listed, *inner, self.everything or NONE))

    def renamed(self, names: Iterable[str]) -> Relation:
        """The first columns under other names."""
        wanted = list(names)
        if not wanted:
            return self
        if self.is_open and len(self.columns) < len(wanted):
            every = self.everything
            if every is None:  # which column of the table is meant is unknown
                return self
            return Relation(tuple((name, every) for name in wanted), self.rows)
        pairs = [
            (wanted[at] if at < len(wanted) else name, inputs)
            for at, (name, inputs) in enumerate(self.columns)
        ]
        structs = {
            name.casefold(): self.structs[old.casefold()]
            for (name, _), (old, _) in zip(pairs, self.columns, strict=True)
            if old.casefold() in self.structs
        }
        return self._replace(columns=tuple(pairs), structs=structs)

    def named(self, alias: exp.Expr | None) -> Relation:
        """The relation with the column names that its alias gives: `t (a, b)`."""
        names = alias.args.get("columns") if isinstance(alias, exp.TableAlias) else None
        return self.renamed(
            [name.name for name in names or () if not isinstance(name, exp.ColumnDef)]
            or [name.this.name for name in names or ()]
        )

    def through(self, step: Step) -> Relation:
        """The same columns, one `step` nearer the output."""
        return self._replace(
            columns=tuple((name, through(step, [inputs])) for name, inputs in self.columns),
            everything=None if self.everything is None else through(step, [self.everything]),
            structs={name: struct.through(step) for name, struct in self.structs.items()},
        )


def _ends_alike(path: tuple[str, ...], qualifier: tuple[str, ...]) -> bool:
    """Whether two names are the same, as far as both of them go from the end on."""
    size = min(len(path), len(qualifier))
    return size > 0 and folded(path[-size:]) == folded(qualifier[-size:])


def folded(name: Iterable[str]) -> tuple[str, ...]:
    """The parts of a name, without their case."""
    return tuple(part.casefold() for part in name)


def spelled(name: str, names: Iterable[str]) -> str:
    """The one of some names that is meant, in its own case; the name itself if there is none."""
    similar, wanted = name, name.casefold()
    for each in names:
        if each == name:
            return name
        if similar == name and each.casefold() == wanted:
            similar = each
    return similar


def either(relations: Iterable[Relation]) -> tuple[Relation, ...]:
    """What is behind a `*` over tables with unknown columns: of several, nobody knows which."""
    opened = tuple(relation for relation in relations if relation.is_open)
    return opened if len(opened) < 2 else (Relation(everything=NONE),)


def file_name(uri: str) -> tuple[str, ...]:
    """Files as a table: what stands for the name of one."""
    return ("", uri)


def base_table(name: tuple[str, ...], columns: Iterable[str] | None) -> Relation:
    """A table of the database; without `columns` its schema is unknown."""
    if columns is None:
        return Relation(table=name, path=name)
    own = tuple((column, frozenset({(Source(name, column), IDENTITY)})) for column in columns)
    return Relation(own, path=name)


@dataclass
class Findings:
    """What was met on the way: tables read, and what could not be resolved exactly."""

    reads: dict[tuple[str, ...], int] = field(default_factory=dict)  # how often
    written: set[tuple[str, ...]] = field(default_factory=set)
    unresolved: dict[str, int] = field(default_factory=dict)
    opaque: dict[str, int] = field(default_factory=dict)
    where: dict[str, list[str]] = field(default_factory=dict)  # by kind: what, in which statement
    statement: int = 0  # the one that is being read, from 1 on
    line: int = 0  # on which it begins
    marked: set[int] = field(default_factory=set)  # places of what its rules have dealt with

    def read(self, table: tuple[str, ...], times: int = 1) -> None:
        """A table is read, unless the script has made it; -1 for one that is only written."""
        if table not in self.written and (times > 0 or table in self.reads):
            self.reads[table] = self.reads.get(table, 0) + times

    def count(self, counts: dict[str, int], kind: str, what: str) -> None:
        """One more of a kind."""
        counts[kind] = counts.get(kind, 0) + 1
        line = f", line {self.line}" if self.line else ""
        at = f"statement {self.statement}{line}" if self.statement else ""
        text = f"{what} ({at})" if what and at else what or at
        if text and text not in self.where.setdefault(kind, []):
            self.where[kind].append(text)

    def unknown(self, kind: str, what: str = "") -> None:
        """Something whose meaning depends on a schema that is unknown."""
        self.count(self.unresolved, kind, what)

    def unread(self, kind: str, what: str = "") -> None:
        """Something that is run and can't be looked into."""
        self.count(self.opaque, kind, what)


Lookup = Callable[[tuple[str, ...]], Relation]
"""A table's relation, by the parts of its name as the text has it."""
