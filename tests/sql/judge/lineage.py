"""The lineage of a script as the judge sees it: each table after all statements. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from airflow_colgraph.sql.database import TableName
from airflow_colgraph.sql.script import ScriptLineage, script
from airflow_colgraph.sql.transformations import NONE, Inputs, through, union
from airflow_colgraph.sql.writes import Write
from tests.sql.judge.dialects import Dialect


class State(NamedTuple):
    """What a table comes from: its columns, and what affects its rows."""

    columns: dict[str, Inputs]
    rows: Inputs
    is_new: bool  # made by the script: no rows were there before


def lineage_of(statements: Sequence[str], dialect: Dialect) -> ScriptLineage:
    """The lineage of a script, by the schemas of the made tables."""
    schemas = {name: tuple(dialect.tables[key]) for name, key in dialect.names().items()}
    return script(";\n".join(statements), dialect.place, schemas)


def states(writes: Iterable[Write]) -> dict[TableName, State]:
    """What each table comes from after all writes, of tables as they were before the first."""
    made: dict[TableName, State] = {}
    for write in writes:
        if write.previous in made:
            made[write.table] = made.pop(write.previous)
        if write.relation is None:
            if write.lifecycle == "CREATE":  # an empty table
                made[write.table] = State({}, NONE, True)
            continue
        columns = {name: _before(inputs, made) for name, inputs in write.relation.columns}
        behind = [state.rows for state in made.values()]  # constants may come from any of these
        rows = union(_before(write.relation.rows, made), *behind)
        earlier = made.get(write.table)
        if earlier is None or write.lifecycle in ("CREATE", "OVERWRITE"):
            made[write.table] = State(columns, rows, write.lifecycle == "CREATE")
        else:
            merged = {
                name: union(columns.get(name, NONE), earlier.columns.get(name, NONE))
                for name in dict.fromkeys((*earlier.columns, *columns))
            }
            made[write.table] = State(merged, union(rows, earlier.rows), earlier.is_new)
    return made


def _before(inputs: Inputs, made: dict[TableName, State]) -> Inputs:
    """Inputs with tables that the script wrote as what these come from."""
    parts = []
    for source, step in inputs:
        state = made.get(source.table)
        if state is None:
            parts.append(frozenset({(source, step)}))
            continue
        own = NONE if state.is_new else frozenset({(source, step)})
        parts += [own, through(step, [state.columns.get(source.column, NONE)])]
    return union(*parts)


class Named:
    """The judge's tables and columns by the names that lineage has, in any case."""

    def __init__(self, dialect: Dialect) -> None:
        """What has no name here, or has it in another case, is noted."""
        self.tables = dialect.names()
        self.folded = {folded(name): key for name, key in self.tables.items()}
        self.columns = {key: list(columns) for key, columns in dialect.tables.items()}
        self.wrong: set[tuple[str, str]] = set()  # "name" or "case", and what is called so

    def table(self, name: TableName) -> str:
        """The judge's name of a table, or the whole name."""
        key = self.folded.get(folded(name))
        if key is not None and name not in self.tables:
            self.wrong.add(("case", ".".join(name)))
        return key or name[-1]

    def column(self, key: str, name: str) -> str | None:
        """A column of a table, or None if there is none of that name."""
        for column in self.columns.get(key, ()):
            if column.casefold() == name.casefold():
                self.wrong |= {("case", f"{key}.{name}")} if column != name else set()
                return column
        if name:  # what has none is unresolved
            self.wrong.add(("name", f"{key}.{name}"))
        return None


def folded(name: TableName) -> TableName:
    """A name in one case."""
    return tuple(part.casefold() for part in name)


def items(inputs: Inputs, names: Named) -> list[dict[str, Any]]:
    """Inputs as a facet lists them, of the columns that the judge has."""
    found: dict[tuple[str, str], list[dict[str, str]]] = {}
    for source, step in sorted(inputs):
        key = names.table(source.table)
        column = names.column(key, source.column)
        if column is not None:
            kind = {"type": step.type, "subtype": step.subtype}
            found.setdefault((key, column), []).append(kind)
    return [
        {"name": key, "field": column, "transformations": steps}
        for (key, column), steps in found.items()
    ]
