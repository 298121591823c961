"""Makes expressions of SQL at random, from a seed. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from random import Random
from typing import NamedTuple

from tests.spark.perturb.grammar import LITERALS, SCALARS
from tests.spark.perturb.tables import TABLES

HOLE = re.compile(r"\{(?:(\w+): (\w+) => )?(agg |group )?([a-z]+)\}")
NAMES = {"decimal(10,2)": "decimal"}
SIMPLE = ("int", "string", "date", "decimal", "double", "boolean", "timestamp")


class Column(NamedTuple):
    """How a column is written, and its type by the grammar's name."""

    text: str
    kind: str


Scope = list[Column]


def kind_of(kind: object) -> str:
    """The grammar's name of a table's type."""
    if isinstance(kind, str):
        return NAMES.get(kind, kind)
    if isinstance(kind, dict):
        return "struct" if "x" in kind else "item"
    if isinstance(kind, tuple):
        return "map"
    return "items" if isinstance(kind[0], dict) else "array"  # type: ignore[index]


COLUMNS = {t: [Column(n, kind_of(k)) for n, k in cs.items()] for t, cs in TABLES.items()}


class Expressions:
    """The expressions of one query in the making."""

    scalars: Mapping[str, tuple[str, ...]] = SCALARS
    literals: Mapping[str, tuple[str, ...]] = LITERALS

    def __init__(self, seed: object) -> None:
        """The same seed makes the same query."""
        self.random = Random(f"query {seed}")
        self._names = 0
        self.more: Mapping[str, tuple[str, ...]] = {}  # templates that only this query has

    def name(self, prefix: str = "q") -> str:
        self._names += 1
        return f"{prefix}{self._names}"

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    # Expressions

    def expression(self, kind: str, scope: Scope, depth: int) -> str:
        """An expression of a type; at depth 0 a column or a literal."""
        known = [column.text for column in scope if column.kind == kind]
        if depth <= 0 or self.chance(0.25):
            if known and not self.chance(0.08):
                return self.random.choice(known)
            if depth <= -2 or (kind in SIMPLE and self.chance(0.2)):
                return self.random.choice(self.literals[kind])
        templates = self.more.get(kind, ())
        template = self.random.choice(
            templates if templates and self.chance(0.25) else self.scalars[kind]
        )
        if template.startswith("inline_scalar"):
            return self.scalar(kind, scope)
        return self.filled(template, scope, depth)

    def filled(self, template: str, scope: Scope, depth: int, groups: Scope | None = None) -> str:
        """A template with expressions in its holes."""

        def fill(hole: re.Match[str]) -> str:
            variable, variable_kind, where, kind = hole.groups()
            seen = groups or scope if where == "group " else scope
            if where == "group " and not any(column.kind == kind for column in seen):
                return self.random.choice(self.literals[kind])
            if where == "group ":
                return self.random.choice([c.text for c in seen if c.kind == kind])
            if variable:
                seen = [*seen, *[Column(variable, variable_kind)] * 5]
            return self.expression(kind, seen, depth - 1)

        return HOLE.sub(fill, template)

    def kind(self, nested: float = 0.25) -> str:
        if self.chance(nested):
            return self.random.choice(("struct", "item", "items", "array", "map", "words"))
        return self.random.choice((*SIMPLE, "int", "string", "int", "string"))

    def correlated(self, scope: Scope) -> tuple[str, Scope, str]:
        """A table and a condition of its rows on the query around it."""
        table = self.random.choice(("t1", "t2", "t4"))
        alias = self.name("y")
        inner = [Column(f"{alias}.{c.text}", c.kind) for c in COLUMNS[table]]
        kind = self.random.choice(("int", "string"))
        outer = self.outer(kind, scope)
        own = self.random.choice([c.text for c in inner if c.kind in (kind,)])
        condition = f"{own} = {self.random.choice(outer)}" if outer else "true"
        if self.chance(0.3):
            condition += f" AND {self.expression('boolean', inner, 1)}"
        return f"@{table} AS {alias}", inner, condition

    def outer(self, kind: str, scope: Scope) -> list[str]:
        """The columns of a type that a subquery sees in the query around it."""
        return [column.text for column in scope if column.kind == kind and "." in column.text]

    def scalar(self, kind: str, scope: Scope) -> str:
        """A scalar subquery."""
        outer = self.outer(kind, scope)
        if outer and self.chance(0.1):
            return f"(SELECT {self.random.choice(outer)})"
        source, inner, condition = self.correlated(scope)
        what = self.random.choice(("max", "min")) if kind == "string" else "sum"
        return f"(SELECT {what}({self.expression(kind, inner, 1)}) FROM {source} WHERE {condition})"

    def predicate(self, scope: Scope, depth: int = 1) -> str:
        """A condition on rows; sometimes with a query inside."""
        if self.chance(0.75):
            return self.expression("boolean", scope, depth)
        source, inner, condition = self.correlated(scope)
        negated = self.random.choice(("", "NOT "))
        bare = self.outer("int", scope) if self.chance(0.3) else []
        if self.chance(0.5):
            item = self.random.choice(bare) if bare else "1"
            found = f"{negated}EXISTS (SELECT {item} FROM {source} WHERE {condition})"
        else:
            own = self.random.choice(bare) if bare else self.expression("int", inner, 1)
            value = self.expression("int", scope, 1)
            where = condition if self.chance(0.5) else self.expression("boolean", inner, 1)
            found = f"{value} {negated}IN (SELECT {own} FROM {source} WHERE {where})"
        if self.chance(0.3):
            found = f"({found} OR {self.expression('boolean', scope, 1)})"
        return found
