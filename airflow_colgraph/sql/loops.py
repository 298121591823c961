"""What a loop of a script hands to its next round: variables and temporary tables. Pure.

A statement may read what a later one of the loop sets. All that comes after the start of a script's
first loop counts as its body.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sqlglot import exp

from airflow_colgraph.sql.session import Carried, Session

ROUNDS = 8  # after which what is handed on is taken as it is


def carried(
    nodes: Iterable[exp.Expr],
    begin: Callable[[Carried], Session],
    run: Callable[[exp.Expr, Session], None],
) -> Carried:
    """What the rounds of a script's loops hand on, as `begin` starts a session with it."""
    left = Carried()
    for _ in range(ROUNDS):
        session = begin(left)
        for node in nodes:
            run(node.copy(), session)
        before, left = left, Carried(session.variables, session.database.temporary)
        if left == before:
            break
    return left
