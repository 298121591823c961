"""The properties by which a Spark Connect client and the collector at its server understand each
other: Spark's own runtime configuration of the client's session. Pure.

The client sets CLIENT to a token of its own. The server then reports the session's queries as a run
of its own, as the session's other `spark.colgraph.*` properties name it, and keeps the events as
properties of the session. At the end the client sets CLIENT to `TOKEN COMPLETE` or `TOKEN FAIL`
and runs a query of one column, which it calls `ending(TOKEN)`: all queries before it have been
reported when the server comes to it and sets ENDED. What the property says of a query that ran
before tells nothing, as the server may come to that query late.
"""

from __future__ import annotations

PREFIX = "spark.colgraph.connect."
SERVER = PREFIX + "server"  # "true" at a server that has the collector
CLIENT = PREFIX + "client"
HELD = PREFIX + "events"  # how many events there are
EVENT = PREFIX + "event."  # and its number from 0 on: one event as JSON
LOST = PREFIX + "lost"  # how many were more than the server holds for a client
ENDED = PREFIX + "ended"  # the token, when all is reported


def ending(token: str) -> str:
    """The name of the column of the client's last query."""
    return f"{PREFIX}ending.{token}"


def state(value: str) -> tuple[str, str]:
    """The token in CLIENT, and how the client's task has ended, if it has.

    >>> state("4f1c"), state("4f1c FAIL")
    (('4f1c', ''), ('4f1c', 'FAIL'))
    """
    token, _, end = value.partition(" ")
    return token, end
