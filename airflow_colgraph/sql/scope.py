"""What a name means at a place in a query. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from sqlglot import exp

from airflow_colgraph.sql.accounts import mark
from airflow_colgraph.sql.pseudo_columns import (
    SEQUENCE,
    SEQUENCE_DIALECTS,
    is_function,
    is_pseudo,
)
from airflow_colgraph.sql.relation import Findings, Lookup, Relation, folded
from airflow_colgraph.sql.transformations import NONE, TRANSFORMATION, Inputs, through, union

BARE_VARIABLES = (  # without `@`
    "bigquery", "databricks", "mysql", "oracle", "postgres", "redshift", "spark",
)  # fmt: skip
WHOLE_ROWS = ("bigquery", "duckdb", "postgres")  # where a table's name is a row of it
WITHOUT_FROM = ("teradata",)  # where `a.b` may be of a table that FROM lacks
PATTERNS = ("databricks", "hive", "spark")  # where `(a|b)?+.+` may be all columns but some
EXACT = ("postgres", "oracle", "snowflake", "clickhouse")  # names in another case are others
Using = Mapping[str, tuple[str, Inputs]]
"""The columns of USING by folded name: each with its own name."""


class Function(NamedTuple):
    """A function that the script has made: its text, or None where that can't be read."""

    parameters: tuple[str, ...]
    body: exp.Expr | None
    is_text: bool = False  # whose parameters may be numbered


@dataclass(frozen=True)
class Environment:
    """What a whole statement shares: the tables there are, and what was met on the way."""

    lookup: Lookup
    findings: Findings
    statement: Callable[[exp.Expr, Scope], Relation]
    """A statement inside a query: `WITH moved AS (DELETE ... RETURNING *)`."""
    dialect: str = ""
    variables: dict[str, Inputs] = field(default_factory=dict)
    """What the session's variables were set from so far, by folded name."""
    functions: Mapping[str, Function] = field(default_factory=dict)
    """The functions that the script has made, by name in capitals."""


@dataclass(frozen=True)
class Scope:
    """The names that can be seen in one SELECT, and those around it."""

    environment: Environment
    query: Callable[[exp.Expr, Scope], Relation]
    sources: Mapping[str, Relation] = field(default_factory=dict)
    using: Using = field(default_factory=dict)
    aliases: Mapping[str, Inputs] = field(default_factory=dict)
    structs: Mapping[str, Relation] = field(default_factory=dict)  # those that aliases name
    windows: Mapping[str, exp.Expr] = field(default_factory=dict)
    parameters: Mapping[str, Inputs] = field(default_factory=dict)
    ctes: Mapping[str, Relation] = field(default_factory=dict)
    outer: Scope | None = None
    unqualified: frozenset[str] = frozenset()  # sources whose columns need their name before them
    aliases_first: bool = False  # an alias counts before a column of its name
    read: frozenset[str] = frozenset()  # names that the SELECT has read as columns of its tables
    hidden: frozenset[str] = frozenset()  # aliases that an unknown column of their name would hide

    def inner(self) -> Scope:
        """The scope of a query inside this one."""
        return Scope(self.environment, self.query, ctes=self.ctes, outer=self)

    def of_function(self, name: str, arguments: list[Inputs]) -> Scope:
        """The scope of a function's text: its parameters, and no names around the call."""
        functions = {
            other: function
            for other, function in self.environment.functions.items()
            if other != name
        }
        names = self.environment.functions[name].parameters
        parameters = {**dict.fromkeys(names, NONE), **dict(zip(names, arguments, strict=False))}
        environment = replace(self.environment, functions=functions)
        return Scope(environment, self.query, parameters=parameters)

    def with_parameters(self, names: list[str], inputs: Inputs) -> Scope:
        """The scope of a lambda's body: its parameters are parts of the other arguments."""
        return replace(self, parameters={**self.parameters, **dict.fromkeys(folded(names), inputs)})

    def source(self, *qualifier: str, is_inner: bool = False) -> Relation | None:
        """The table or subquery that stands before a column, here or (if not `is_inner`) around."""
        scope: Scope | None = self
        while scope is not None:
            sources = scope.called(qualifier)
            if len(sources) > 1:
                self.environment.findings.unknown("AmbiguousColumn", ".".join(qualifier))
            if sources:
                return sources[0] if len(sources) == 1 else Relation(everything=NONE)
            scope = None if is_inner else scope.outer
        return None

    def called(self, qualifier: tuple[str, ...]) -> list[Relation]:
        """The sources of that alias or name: `t`, `schema.t`."""
        wanted = qualifier[-1].casefold()
        by_alias = [
            relation
            for alias, relation in self.sources.items()
            if len(qualifier) == 1 and not relation.path and alias.casefold() == wanted
        ]
        called = [of for of in self.sources.values() if of.is_called(qualifier)]
        named = [of for of in self.sources.values() if of.is_named(qualifier)]
        if named and not (by_alias or any(of.path[0] == "" for of in called)):
            return named[:1]  # ClickHouse: of several tables of that name the first
        return by_alias or called

    def column(self, node: exp.Column, *, aliases_first: bool = False) -> Inputs:
        """What a column reference means."""
        mark(node, self.environment.findings)
        parts = tuple(part.name for part in node.parts)
        if is_function(node, self.environment.dialect) or self._is_sequence(parts):
            return NONE
        if self.environment.dialect in PATTERNS and re.search(r"\.[*+]", parts[-1]):
            self.environment.findings.unknown("Columns", parts[-1])
            return NONE
        inputs = self._of_source(parts) if len(parts) > 1 else None
        if inputs is None and len(parts) == 1:
            inputs = self._unqualified(parts[0], aliases_first)
        elif inputs is None:
            row = self.environment.variables.get(".".join(parts).casefold())
            inputs = self._member(parts, aliases_first) if row is None else row
        if inputs is None and is_pseudo(parts, self.environment.dialect):
            return NONE
        if inputs is None:
            self.environment.findings.unknown("Column", ".".join(parts))
        return inputs or NONE

    def _is_sequence(self, parts: tuple[str, ...]) -> bool:
        """Whether it is the value of a sequence, `s.nextval`, and no column of a table `s`."""
        is_word = parts[-1].upper() in SEQUENCE and self.environment.dialect in SEQUENCE_DIALECTS
        return len(parts) > 1 and is_word and self.source(*parts[:-1]) is None

    def spelled(self, node: exp.Column) -> str:
        """A column's name as its table has it, if that is known."""
        *before, name = (str(part.name) for part in node.parts)
        owner = self.source(*before) if before else None
        for relation in [owner] if owner else [] if before else self.sources.values():
            if relation.listed(name) is not None:
                return relation.spelled(name)
        return name

    def _of_source(self, parts: tuple[str, ...]) -> Inputs | None:
        """`alias.column`, `schema.table.column`, or a member: `alias.column.member`.

        A table that surely lacks the column does not hide another one of its name around it.
        """
        for at in range(len(parts) - 1, 0, -1):
            scope: Scope | None = self
            while scope is not None:
                relation = scope.source(*parts[:at], is_inner=True)
                inputs = scope._of_relation(relation, parts[at:]) if relation else None
                if inputs is not None:
                    return inputs
                scope = scope.outer
        return None

    def _of_relation(self, relation: Relation, parts: tuple[str, ...]) -> Inputs | None:
        """A column of a relation, or a member of one."""
        name, *members = parts
        if members and (dotted := self._dotted(parts, [relation])) is not None:
            return dotted
        if (
            relation.is_open
            and relation.listed(name) is None
            and is_pseudo(parts, self.environment.dialect, is_open=True)
        ):
            return NONE
        inputs = relation.column(name)
        if not members or inputs is None:
            return inputs
        return _deepest(parts, inputs, lambda names: _inside(relation, names))

    def _dotted(self, parts: tuple[str, ...], relations: Iterable[Relation]) -> Inputs | None:
        """ClickHouse's column whose name has its table's in it, to tell it from another."""
        if self.environment.dialect != "clickhouse":
            return None
        columns = (relation.listed(".".join(parts)) for relation in relations)
        return next((inputs for inputs in columns if inputs is not None), None)

    def _member(self, parts: tuple[str, ...], aliases_first: bool) -> Inputs | None:
        """A member of a struct in a column without a table before it."""
        if self.environment.dialect in WITHOUT_FROM and not self.has_column(parts[:1]):
            return None
        whole = self._own_or_outer(parts[0], aliases_first)
        if whole is None:
            return self._dotted(parts, self.sources.values())
        return _deepest(parts, whole, self.struct)

    def struct(self, parts: tuple[str, ...]) -> Relation | None:
        """The members of a struct, or of a whole row by its table's name, if they are known."""
        members = _inside(Relation(structs=self.structs), parts)
        if members and self.aliases_first:
            return members
        for at in range(len(parts) - 1, 0, -1):
            relation = self.source(*parts[:at])
            if relation is not None:
                return _inside(relation, parts[at:])
        scope: Scope | None = self
        while scope is not None:
            for relation in scope.sources.values():
                if relation.listed(parts[0]) is not None:
                    return _inside(relation, parts)
            scope = scope.outer
        return members or (self.source(*parts) if len(parts) == 1 else None)

    @property
    def is_open(self) -> bool:
        """Whether a table of the query has unknown columns."""
        return any(relation.is_open for relation in self.sources.values())

    def has_column(self, parts: tuple[str, ...]) -> bool:
        """Whether names are a column, or a member of one, as far as the columns are known."""
        scope: Scope | None = self
        while scope is not None:
            own = {*scope.parameters, *scope.using, *scope.aliases}
            listed = (of.listed(parts[0]) for of in scope.sources.values())
            is_qualified = any(scope.called(parts[:at]) for at in range(1, len(parts)))
            if is_qualified or parts[0].casefold() in own or any(of is not None for of in listed):
                return True
            scope = scope.outer
        return False

    def _own_or_outer(self, name: str, aliases_first: bool) -> Inputs | None:
        scope: Scope | None = self
        while scope is not None and self.environment.dialect in EXACT:
            inputs = scope._exactly(name, aliases_first)
            if inputs is not None:
                return inputs
            scope = None if scope.is_open else scope.outer
        scope = self
        while scope is not None:
            inputs = scope._own(name, aliases_first)
            if inputs is not None:
                return inputs
            scope = scope.outer
        return None

    def _unqualified(self, name: str, aliases_first: bool) -> Inputs | None:
        inputs = None if self._is_element(name) else self._own_or_outer(name, aliases_first)
        if inputs is not None:
            return inputs
        relation = self.source(name)  # a whole row, by the name of its table
        if relation is not None:
            if relation.table or relation.behind:
                self.environment.findings.unknown("Star", f"{name}.*")
            return relation.of_all()
        return self.environment.variables.get(name.casefold())

    def _is_element(self, name: str) -> bool:
        """Whether it is BigQuery's `s` of `UNNEST(..) AS s`, and no column that is listed."""
        if self.environment.dialect != "bigquery" or self.has_column((name,)):
            return False
        return any(each.columns and not each.is_open for each in self.called((name,)))

    def star(self, table: str, left_out: Set[str]) -> Inputs:
        """All columns of a table, or of all tables, as one value: `struct(*)`."""
        source = self.source(table) if table else None
        relations = [source] if source else [] if table else list(self.sources.values())
        opened = [relation for relation in relations if relation.is_open]
        if opened:
            self.environment.findings.unknown("Star", f"{table}.*" if table else "*")
        columns = [pair for relation in relations for pair in relation.columns]
        kept = [inputs for name, inputs in columns if name.casefold() not in left_out]
        kept += [relation.of_all() for relation in opened if relation.columns == ()]
        return through(TRANSFORMATION, kept)

    def position(self, number: str, table: str = "") -> Inputs:
        """The column at a position, from 1 on: Snowflake's `$1`."""
        source = self.source(table) if table else None
        relations = [source] if source else list(self.sources.values())
        if not relations and self.outer is not None:
            return self.outer.position(number)
        columns = [inputs for relation in relations for _, inputs in relation.columns]
        at = int(number) - 1 if number.isdigit() else -1
        is_open = any(relation.is_open for relation in relations)
        if is_open or not 0 <= at < len(columns):
            self.environment.findings.unknown("Position", f"${number}")
            return union(*(relation.everything or NONE for relation in relations))
        return columns[at]

    def _exactly(self, name: str, aliases_first: bool) -> Inputs | None:
        """What a name means here if something is called exactly so."""
        if name.casefold() in {*self.parameters, *self.using, *self.aliases}:
            return self._own(name, aliases_first)
        listed = (column for relation in self._searched() for column, _ in relation.columns)
        return self._own(name, aliases_first) if name in listed else None

    def _own(self, name: str, aliases_first: bool) -> Inputs | None:
        key = name.casefold()
        if key in self.parameters:
            return self.parameters[key]
        if (aliases_first or self.aliases_first) and key in self.aliases:
            return self.aliases[key]
        if key in self.using:
            return self.using[key][1]
        listed = _listed(name, self._searched())
        if listed:
            return self._only(listed, name)
        if key in self.hidden and self.may_have(name):
            self.environment.findings.unknown("AmbiguousColumn", name)
        is_column = key not in self.aliases or (key in self.read and self.may_have(name))
        return self._of_open(name) if is_column else self.aliases[key]

    def may_have(self, name: str) -> bool:
        """Whether a column that no table of the query lists may be of one of them all the same."""
        relations = self._searched()
        columns = (relation.column(name) for relation in relations)
        return not _listed(name, relations) and any(inputs is not None for inputs in columns)

    def _searched(self) -> list[Relation]:
        """The sources in which a column without a name before it is looked up."""
        return [of for at, of in self.sources.items() if at not in self.unqualified]

    def _of_open(self, name: str) -> Inputs | None:
        """A column that no source lists: one of those whose columns are unknown may have it."""
        columns = [of for source in self._searched() if (of := source.column(name)) is not None]
        member = self._of_element(name)
        if not columns:
            columns, member = ([member], None) if member is not None else ([], None)
        if not columns:
            return None
        if is_pseudo((name,), self.environment.dialect, is_open=True):
            return NONE
        is_other = self._is_around(name) or self._is_other(name) or member is not None
        if len(columns) == 1 and is_other:  # most likely its
            self.environment.findings.unknown("AmbiguousColumn", name)
        return self._only(columns, name)

    def _of_element(self, name: str) -> Inputs | None:
        """The inputs of a member of BigQuery's `UNNEST(..) AS s`, if a name may be one."""
        structs = (
            of.structs.get(of.columns[0][0].casefold())
            for of in self.sources.values()
            if of.columns and not (of.is_open or of.path)
        )
        elements = [of.everything for of in structs if of and of.everything is not None]
        is_variable = name.casefold() in self.environment.variables
        is_around = self.outer is not None and self.outer.has_column((name,))
        if len(elements) != 1 or is_variable or is_around or self.source(name) is not None:
            return None
        return elements[0]

    def _is_other(self, name: str) -> bool:
        """Whether it may be a variable of the script, or a row of the table."""
        dialect = self.environment.dialect
        is_variable = dialect in BARE_VARIABLES and name.casefold() in self.environment.variables
        return is_variable or (dialect in WHOLE_ROWS and bool(self.called((name,))))

    def _is_around(self, name: str) -> bool:
        """Whether it may be a column of a table in a query around this one, or a parameter."""
        scope = self.outer
        while scope is not None:
            columns = (relation.column(name) for relation in scope.sources.values())
            if name.casefold() in scope.parameters or any(of is not None for of in columns):
                return True
            scope = scope.outer
        return False

    def _only(self, columns: list[Inputs], name: str) -> Inputs:
        """The column of one of several tables: which one is not guessed."""
        if len(columns) == 1:
            return columns[0]
        self.environment.findings.unknown("AmbiguousColumn", name)
        return NONE


def _deepest(
    parts: tuple[str, ...], whole: Inputs, struct_of: Callable[[tuple[str, ...]], Relation | None]
) -> Inputs:
    """A member of a member of a column: the innermost that is known."""
    for at in range(len(parts) - 1, 0, -1):
        struct = struct_of(parts[:at])
        member = struct.column(parts[at]) if struct else None
        if member is not None:
            is_last = at == len(parts) - 1
            return member if is_last else through(TRANSFORMATION, [member])
    return through(TRANSFORMATION, [whole])


def _inside(relation: Relation, names: tuple[str, ...]) -> Relation | None:
    """The members of a struct in a column, or in a member of one."""
    struct: Relation | None = relation
    for name in names:
        struct = struct.structs.get(name.casefold()) if struct else None
    return struct


def _listed(name: str, sources: list[Relation]) -> list[Inputs]:
    """The columns of that name; those in another case only if none is called exactly so."""
    every = [
        (relation.spelled(name), inputs)
        for relation in sources
        if (inputs := relation.listed(name)) is not None
    ]
    exact = [inputs for own, inputs in every if own == name]
    return exact or [inputs for _, inputs in every]
