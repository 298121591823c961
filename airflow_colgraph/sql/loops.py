"""What a loop of a script hands to its next round: variables and temporary tables. Pure.

A statement may read what a later one of the loop sets. All that comes after the start of a script's
first loop counts as its body.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from sqlglot import exp

from airflow_colgraph.sql.relation import Relation
from airflow_colgraph.sql.session import Session, with_rows
from airflow_colgraph.sql.transformations import NONE, Inputs, union

ROUNDS = 8  # after which what is handed on is taken as it is


class Carried(NamedTuple):
    """What a round of a loop has left behind."""

    variables: Mapping[str, Inputs] = {}
    temporary: Mapping[tuple[str, ...], Relation] = {}


def carried(
    statements: Callable[[], Iterable[exp.Expr]],
    session: Callable[[], Session],
    run: Callable[[exp.Expr, Session], None],
) -> Carried:
    """What the rounds of a script's loops hand on; nothing if it has none."""
    left = Carried()
    for _ in range(ROUNDS):
        current, is_inside = session(), False
        for node in statements():
            if node.meta.get("loop") and not is_inside:
                enter(current, left)
                is_inside = True
            run(node, current)
        before = left
        left = Carried(current.variables, current.database.temporary)
        if not is_inside or left == before:
            break
    return left if is_inside else Carried()


def enter(session: Session, left: Carried) -> None:
    """Begin a loop's body with what is there, or with what an earlier round has left."""
    for name, inputs in left.variables.items():
        session.variables[name] = union(session.variables.get(name, NONE), inputs)
    for table, relation in left.temporary.items():
        if table in session.database.temporary:
            session.database.temporary[table] = with_rows(
                session.database.temporary[table], relation
            )
