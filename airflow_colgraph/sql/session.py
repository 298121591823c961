"""A script that is being read: what its statements have made and written so far. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlglot import exp

from airflow_colgraph.sql.changes import delete, returned, update
from airflow_colgraph.sql.column_types import output_types
from airflow_colgraph.sql.computed import with_computed
from airflow_colgraph.sql.database import Database
from airflow_colgraph.sql.merge import merge
from airflow_colgraph.sql.names import parts_of, told_apart
from airflow_colgraph.sql.partition_columns import with_partitions
from airflow_colgraph.sql.queries import query
from airflow_colgraph.sql.relation import Relation
from airflow_colgraph.sql.scope import Environment, Function, Scope
from airflow_colgraph.sql.targets import Target
from airflow_colgraph.sql.transformations import NONE, Inputs, union
from airflow_colgraph.sql.writes import Write, insert, inserts

DML: dict[type[exp.Expr], Callable[[Any, Scope, Database], list[Write]]] = {
    exp.Insert: insert,
    exp.Update: update,
    exp.Delete: delete,
    exp.Merge: merge,
    exp.MultitableInserts: inserts,
}


class Carried(NamedTuple):
    """What a round of a script's loops has left behind for the next."""

    variables: Mapping[str, Inputs] = {}
    temporary: Mapping[tuple[str, ...], Relation] = {}


@dataclass
class Session:
    """A script that is being read."""

    database: Database
    writes: list[Write] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    variables: dict[str, Inputs] = field(default_factory=dict)  # by folded name
    functions: dict[str, Function] = field(default_factory=dict)  # by name in capitals
    cursors: dict[str, Relation] = field(default_factory=dict)  # by folded name
    loops: list[Inputs] = field(default_factory=list)  # conditions of each loop's rows
    fetched: dict[str, Inputs] = field(default_factory=dict)  # likewise, of each cursor
    carried: Carried | None = None  # until the first loop starts
    is_branched: bool = False  # whether statements may be left out: what was before stays

    def enter_loop(self) -> None:
        """Begin with what is there, or with what an earlier round of the loop has left."""
        carried, self.carried = self.carried or Carried(), None
        for name, inputs in carried.variables.items():
            self.variables[name] = union(self.variables.get(name, NONE), inputs)
        for table, relation in carried.temporary.items():
            before = self.database.temporary.get(table)
            if before is not None:
                self.database.temporary[table] = with_rows(before, relation)

    def set_variable(self, target: Target, inputs: Inputs) -> None:
        """Give a variable a value; in a branch and beside other elements it has the earlier too."""
        is_added = self.is_branched or target.is_element
        before = self.variables.get(target.name, NONE) if is_added else NONE
        for name in () if is_added else tuple(self.variables):
            if name.startswith(f"{target.name}."):
                del self.variables[name]  # a member of what the record was before
        self.variables[target.name] = union(inputs, before)

    def set_temporary(self, name: tuple[str, ...], relation: Relation) -> None:
        """Make or replace a temporary table."""
        name = self.database.temporary_name(name)
        before = self.database.temporary.get(name) if self.is_branched else None
        self.database.temporary[name] = with_rows(before, relation) if before else relation

    def scope(self) -> Scope:
        """The scope of a statement: the database's tables."""
        environment = Environment(
            self.database.lookup,
            self.database.findings,
            self.inside,
            self.database.place.dialect,
            self.variables,
            self.functions,
        )
        return Scope(environment, query)

    def inside(self, node: exp.Expr, scope: Scope) -> Relation:
        """A statement inside a query."""
        writes = DML[type(node)](node, scope, self.database)
        for write in writes:
            self.add(write)
        if not writes:
            return Relation(everything=NONE)
        return returned(node, writes[0], scope, self.database)

    def add(self, write: Write) -> None:
        """Note a write; one to a temporary table is part of what later statements read."""
        write = self._with_computed(write)
        decided = union(*self.loops, *self.fetched.values())
        if decided and write.relation is not None:
            rows = union(write.relation.rows, decided)
            write = write._replace(relation=write.relation._replace(rows=rows))
        name = self.database.is_temporary(write.table)
        if name is None and write.table and write.table[-1][:1] in ("#", "@"):
            name = write.table[-1:]  # made before the script
            self.database.temporary[name] = Relation()
        if name is None:
            self._write(write)
            return
        before = self.database.temporary[name]
        self.database.temporary[name] = with_rows(before, write.relation or Relation())

    def _with_computed(self, write: Write) -> Write:
        """A write with the columns that the table computes from those that are written."""
        columns = self.database.computed.get(write.table)
        if not columns or write.relation is None:
            return write
        temporary = self.database.temporary.get(write.table, Relation()).columns
        names = self.database.columns_of(write.table) or tuple(name for name, _ in temporary)
        relation = with_computed(write.relation, columns, write.table, names, self.scope())
        return write._replace(relation=relation)

    def _write(self, write: Write) -> None:
        """Note a write, with the columns in the case in which the table has them."""
        is_instead = self.database.triggers.get(write.table)
        if is_instead is not None and write.lifecycle in ("", "OVERWRITE"):
            self.database.findings.unread("TRIGGER")
            if is_instead:
                return
        if write.relation is not None and self.database.columns_of(write.table):
            columns: dict[str, Inputs] = {}
            for name, inputs in write.relation.columns:
                own = self.database.spelled(write.table, name)
                columns[own] = union(columns.get(own, NONE), inputs)
            relation = write.relation._replace(columns=tuple(columns.items()))
            write = write._replace(relation=relation)
        self.writes.append(write)
        if write.lifecycle != "ALTER":
            self.database.findings.written.add(write.table)


def with_rows(before: Relation, more: Relation) -> Relation:
    """A temporary table with more rows in it."""
    columns = dict(before.columns)
    for name, inputs in more.columns:
        columns[name] = union(columns.get(name, NONE), inputs)
    behind = (*before.behind, *((more,) if more.is_open else ()))
    return Relation(tuple(columns.items()), union(before.rows, more.rows), behind=behind)


def make(
    table: exp.Table,
    relation: Relation,
    session: Session,
    statement: exp.Expr,
    *,
    temporary: bool,
    lifecycle: str = "",
    is_empty: bool = False,
) -> None:
    """A table or view that a statement makes of a query, or of its columns without rows."""
    names = told_apart([column for column, _ in relation.columns], session.database.place.dialect)
    inputs = (inputs for _, inputs in relation.columns)
    relation = relation._replace(columns=tuple(zip(names, inputs, strict=True)))
    session.database.views.pop(session.database.whole(parts_of(table)), None)
    if temporary:
        names_only = Relation(tuple((column, NONE) for column in names), behind=relation.behind)
        session.set_temporary(parts_of(table), names_only if is_empty else relation)
        return
    name = session.database.created(parts_of(table))
    session.add(Write(name, None if is_empty else relation, lifecycle or "CREATE"))
    columns, last = with_partitions(names, statement, session.database.place)
    session.database.script_columns[name] = None if relation.is_open else columns
    session.database.last[name] = last
    session.database.script_types[name] = output_types(statement, relation, session.database)
    session.database.made.add(name)
