"""Deletes the rules for SQL text one by one: `python -m oracles.mutate_sql`.

Each entry of the tables of rules in `airflow_colgraph/sql/` is deleted in turn, and the cases that
have its class are read again. The lineage must then be the same, or larger, or what is missing must
be reported. The command prints the survivors: edges that were lost in silence.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from airflow_colgraph.sql import commands, expressions, rewrites, script, session, structs
from airflow_colgraph.sql.parse import statements
from airflow_colgraph.sql.relation import Relation
from airflow_colgraph.sql.script import ScriptLineage
from tests.sql.texts import PLACES, by_dialect, schemas

RULES: dict[str, MutableMapping[Any, Any]] = {
    "expressions": expressions.RULES,
    "statements that change rows": session.DML,
    "other statements": script.OTHERS,
    "members of structs": structs.MEMBERS,
    "words in place of others": rewrites.CHANGES,
    "tables that exchange rows": commands.EXCHANGES,
}
Edge = tuple[str, ...]


class Outcome(NamedTuple):
    """What is told of a script: its edges and tables, and what is reported as not known."""

    edges: frozenset[Edge]
    reports: Counter[str]


class Loss(NamedTuple):
    """An edge that is lost in silence without a rule."""

    rule: str
    text: str
    edge: Edge


def outcome(found: ScriptLineage) -> Outcome:
    """What is told of a script."""
    edges: set[Edge] = {("read", *name) for name in found.reads}
    for write in found.writes:
        name = ".".join(filter(None, write.table))
        edges.add(("written", name))
        relation = write.relation or Relation()
        for column, inputs in (*relation.columns, ("*", relation.rows)):
            edges.update((name, column, *source.table, source.column) for source, _ in inputs)
    return Outcome(frozenset(edges), Counter(found.unresolved) + Counter(found.opaque))


def lost(before: Outcome, after: Outcome) -> list[Edge]:
    """The edges that are gone without a report; one of a column may be one of all rows now."""
    if after.reports - before.reports:
        return []
    return sorted(
        edge
        for edge in before.edges - after.edges
        if edge[0] == "read" or (edge[0], "*", *edge[2:]) not in after.edges
    )


@contextmanager
def without(rules: MutableMapping[Any, Any], key: Any) -> Iterator[None]:
    """As if there were no such rule; their order may count."""
    every = dict(rules)
    del rules[key]
    try:
        yield
    finally:
        rules.clear()
        rules.update(every)


def named(key: Any) -> str:
    """A rule's key: a class, several, a function or a pattern."""
    keys = key if isinstance(key, tuple) else (key,)
    return ", ".join(getattr(each, "__name__", None) or each.pattern for each in keys)


def concerns(key: Any, rule: Any, dialect: str, text: str, classes: Container[Any]) -> bool:
    """Whether a rule can be used for a text."""
    if isinstance(key, re.Pattern):
        return key.search(text) is not None
    if isinstance(rule, tuple):  # dialects
        return dialect in rule
    return any(kind in classes for kind in (key if isinstance(key, tuple) else (key,)))


def losses(step: int = 1) -> Iterator[tuple[str, list[Loss]]]:
    """Each rule with what is lost in silence without it, in every `step`-th case."""
    cases = by_dialect().items()
    texts = [(dialect, text) for dialect, of in cases for text, _ in of][::step]
    known = {dialect: schemas(PLACES[dialect]) for dialect in PLACES}

    def read(dialect: str, text: str) -> Outcome:
        return outcome(script.script(text, PLACES[dialect], known[dialect]))

    before = {(dialect, text): read(dialect, text) for dialect, text in texts}
    classes = {
        (dialect, text): {
            kind
            for tree in statements(text, dialect)
            for node in tree.walk()
            for kind in type(node).__mro__
        }
        for dialect, text in texts
    }
    for title, rules in RULES.items():
        for key, does in list(rules.items()):
            rule = f"{title}: {named(key)}"
            with without(rules, key):
                found = [
                    Loss(rule, text, edge)
                    for dialect, text in texts
                    if concerns(key, does, dialect, text, classes[dialect, text])
                    for edge in lost(before[dialect, text], read(dialect, text))[:1]
                ]
            yield rule, found


VARIABLE = (
    "a variable is neither a table nor a column: what it was set from is only known by its rule"
)
KNOWN = {  # survivors, and why nothing could tell
    "expressions: Columns": "a pattern names no column",
    "expressions: Dot": VARIABLE,
    "expressions: Parameter": VARIABLE,
    "expressions: Placeholder": VARIABLE,
    "expressions: PropertyEQ": VARIABLE,
    "words in place of others: _bracketed_value": VARIABLE,
    "other statements: Set": "what a name means is changed by a setting, which names no table",
    "expressions: Star": "a star in a function has no name and no place",
    "words in place of others: _without_top": "sqlglot reads TOP as the name of the table",
    "words in place of others: _without_row": "sqlglot reads the row as one value",
    "words in place of others: pipe_operator": "sqlglot drops the word DISTINCT, which is no name",
    **dict.fromkeys(
        (f"expressions: {name}" for name in ("Boolean", "CurrentDate", "CurrentUser")),
        "sqlglot has the column as a function without brackets",
    ),
    "statements that change rows: Update": "the statement is reported with the rule as well",
}


def main() -> None:
    """Print the table of survivors."""
    tried = 0
    for rule, found in losses():
        tried += 1
        if found:
            first = found[0]
            why = KNOWN.get(rule, "LOST IN SILENCE")
            print(f"{rule} | {len(found)} | {first.text} | {'.'.join(first.edge)} | {why}")
    print(f"{tried} rules")


if __name__ == "__main__":
    main()
