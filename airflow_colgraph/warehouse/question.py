"""Which edges closures and impact follow: those of `store.query.graph`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from airflow_colgraph.store.model.question import UP

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class Question(NamedTuple):
    """Which edges are followed.

    Attributes:
        direction: "upstream" or "downstream".
        at: Those that held at this time, in milliseconds since 1970; None: those that hold now.
        indirect: Also edges of type INDIRECT (filters, joins, grouping).
        depth: At most so many hops; None: all.
    """

    direction: str = UP
    at: int | None = None
    indirect: bool = False
    depth: int | None = None

    def edges(self, edges: DataFrame) -> DataFrame:
        """The edges that count, each from a field that was reached (`near`) to the next (`far`)."""
        near, far = ("output", "input") if self.direction == UP else ("input", "output")
        kinds = "('DIRECT', 'INDIRECT')" if self.indirect else "('DIRECT')"
        when = "is_current"
        if self.at is not None:
            time = f"timestamp_millis({self.at})"
            when = f"first_seen <= {time} AND (is_current OR closed_at > {time})"
        followed = edges.where(f"kind IN {kinds} AND {when}")
        return followed.selectExpr(
            f"{near} AS near",
            f"{far} AS far",
            "job",
            "job_output",
            "transformation",
            "false AS is_moved",
        )
