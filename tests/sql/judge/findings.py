"""What the judge found and what became of it: `findings.sql`, a block for each minimal statement.

    -- postgres: a name in a CTE that is not recursive
    -- lost: out_1.id <- orders.id
    -- open
    CREATE TABLE out_1 AS WITH orders AS (SELECT id FROM orders) SELECT * FROM orders

The tables are those of `dialects`. Whether a defect is there is read off the lineage, so no
database is needed. A finding that is mended loses its line `-- open` and stays as a case.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.sql.judge.dialects import DIALECTS, TABLES
from tests.sql.judge.judge import Finding, facet_of
from tests.sql.judge.lineage import Named, lineage_of, states

FILE = Path(__file__).parents[1] / "findings.sql"
ARROW = " <- "


class Block(NamedTuple):
    """A minimal statement with what was found in it."""

    database: str
    title: str
    findings: tuple[Finding, ...]
    is_open: bool
    statements: tuple[str, ...]

    def text(self) -> str:
        """The block as the file has it."""
        lines = [f"{self.database}: {self.title}"]
        lines += [f"{f.kind}: {f.column}{ARROW * bool(f.source)}{f.source}" for f in self.findings]
        lines += ["open"] * self.is_open
        return "\n".join([*(f"-- {line}" for line in lines), ";\n".join(self.statements)])


def blocks(path: Path = FILE) -> list[Block]:
    """All findings of the file."""
    return [block_of(text) for text in path.read_text().strip().split("\n\n") if text]


def block_of(text: str) -> Block:
    """A block of the file."""
    lines = text.split("\n")
    (database, _, title), *more = (
        line[3:].partition(": ") for line in lines if line.startswith("-- ")
    )
    found = [Finding(kind, *told.partition(ARROW)[::2]) for kind, colon, told in more if colon]
    is_open = any(kind == "open" for kind, colon, _ in more if not colon)
    statements = "\n".join(line for line in lines if not line.startswith("-- ")).split(";\n")
    return Block(database, title, tuple(found), is_open, tuple(statements))


def silent(block: Block) -> list[Finding]:
    """Those findings of a block that the lineage still has, and does not report."""
    dialect = DIALECTS[block.database]
    lineage = lineage_of(block.statements, dialect)
    if lineage.unresolved or lineage.opaque:
        return []
    names = Named(dialect)
    facets = {}
    for table, state in states(lineage.writes).items():
        key = names.table(table)
        columns = list(dialect.tables.get(key, state.columns))
        facets[key] = (columns, facet_of(state, columns, key, False, names))
    return [found for found in block.findings if is_there(found, facets, names)]


def is_there(found: Finding, facets: dict[str, Any], names: Named) -> bool:
    """Whether lineage has a defect."""
    own = (key for key in facets if found.column.startswith(f"{key}."))
    key = next(own, found.column.rpartition(".")[0])
    column = found.column.removeprefix(f"{key}.")
    if found.kind == "unwritten":
        return found.column not in facets
    if found.kind == "name" and key in facets and key not in TABLES:  # a column that is not made
        return column in facets[key][0]
    if found.kind in ("name", "case"):
        return (found.kind, found.column) in names.wrong
    columns, facet = facets.get(key, ([], {"fields": {}, "dataset": []}))
    position = next((at for at, name in enumerate(columns) if name.lower() == column.lower()), -1)
    entry = facet["fields"].get(str(position), {"inputFields": []})
    steps = steps_of(entry["inputFields"], found.source)
    if found.kind == "lost":
        return not steps and not steps_of(facet["dataset"], found.source)
    direct = {subtype for kind, subtype in steps if kind == "DIRECT"}
    if found.kind == "carried":
        return not direct
    return direct == {"IDENTITY"} if found.kind == "changed" else bool(direct)


def steps_of(items: Sequence[dict[str, Any]], source: str) -> set[tuple[str, str]]:
    """The transformations from a source among inputs."""
    return {
        (step["type"], step["subtype"])
        for item in items
        if f"{item['name']}.{item['field']}" == source
        for step in item["transformations"]
    }
