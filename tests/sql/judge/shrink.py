"""Makes a script smaller as long as what was found in it stays: by its parse tree.

A part is left out, or replaced by a part of its own. What sqlglot does not write again as it was is
tried as it is written; where the defect is gone then, it is not taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

TRIES = 250
OPTIONAL = (
    "with_", "where", "group", "having", "order", "limit", "qualify", "windows", "distinct",
    "joins", "laterals", "conflict", "returning", "partition_by", "spec", "alias",
)  # fmt: skip

Script = tuple[str, ...]


def shrunk(script: Sequence[str], dialect: str, holds: Callable[[Script], bool]) -> Script:
    """The smallest script that was reached for which `holds`."""
    best, tries = tuple(script), 0
    seen = {best}
    while True:
        for smaller in candidates(best, dialect):
            if smaller in seen or size(smaller) >= size(best):
                continue
            seen.add(smaller)
            tries += 1
            if tries > TRIES:
                return best
            if holds(smaller):
                best = smaller
                break
        else:
            return best


def size(script: Script) -> int:
    """How long a script is."""
    return sum(map(len, script)) + 20 * len(script)


def candidates(script: Script, dialect: str) -> Iterator[Script]:
    """Smaller scripts: without a statement, or with a smaller one."""
    for at in range(len(script)):
        if len(script) > 1:
            yield script[:at] + script[at + 1 :]
    for at, text in enumerate(script):
        for smaller in smaller_texts(text, dialect):
            yield (*script[:at], smaller, *script[at + 1 :])


def smaller_texts(text: str, dialect: str) -> Iterator[str]:
    """A statement with one part less, large parts first."""
    try:
        tree = sqlglot.parse_one(text, dialect=dialect)
    except SqlglotError:
        return
    count = sum(1 for _ in tree.bfs())
    for at in range(count):
        for change in CHANGES:
            copy = tree.copy()
            node = next(node for place, node in enumerate(copy.bfs()) if place == at)
            yield from change(copy, node, dialect)


def without_option(tree: exp.Expression, node: exp.Expression, dialect: str) -> Iterator[str]:
    """Without one of a node's clauses."""
    for name in OPTIONAL:
        value = node.args.get(name)
        if value:
            node.set(name, None)
            yield tree.sql(dialect=dialect)
            node.set(name, value)


def without_item(tree: exp.Expression, node: exp.Expression, dialect: str) -> Iterator[str]:
    """Without one item of a node's lists."""
    for name, value in list(node.args.items()):
        for at in range(len(value)) if isinstance(value, list) and len(value) > 1 else ():
            node.set(name, value[:at] + value[at + 1 :])
            yield tree.sql(dialect=dialect)
            node.set(name, value)


def with_part(tree: exp.Expression, node: exp.Expression, dialect: str) -> Iterator[str]:
    """With a part of a node in its place: a query's side, a subquery's table, a call's argument."""
    if node.parent is None or isinstance(node, (exp.Identifier, exp.Literal, exp.Table)):
        return
    if isinstance(node, exp.Query):
        parts = [part for part in node.find_all(exp.Query) if part is not node]
    elif isinstance(node, exp.Condition):
        parts = [part for part in node.iter_expressions() if isinstance(part, exp.Condition)]
        parts += [exp.Literal.number(1), exp.Literal.string("a")]
    else:
        return
    for part in parts[:4]:
        new = part.copy()
        if isinstance(node, exp.Subquery) and isinstance(part, exp.Subquery):
            new.set("alias", node.args.get("alias"))
        old = node
        old.replace(new)
        yield tree.sql(dialect=dialect)
        new.replace(old)


CHANGES = (without_option, without_item, with_part)
