"""What a request selects: a dataset, a time range and a direction.

The dependencies that the catalog's routes and those of `api.compat` share:

    def history(dataset: DatasetQuery, span: WholeSpan) -> Response: ...
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

from fastapi import Depends, Query
from sqlalchemy.engine import Connection

from airflow_colgraph.api.access import Access, hidden_jobs
from airflow_colgraph.store.errors import QuestionError
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.query.endpoint import INCOMING, OUTGOING, EndPoint
from airflow_colgraph.store.query.lookup import find_dataset
from airflow_colgraph.store.query.operations import Step, backward, forward, steps

Span = tuple[int, int]  # [start, end) in milliseconds since 1970

Start = Annotated[str, Query(description="Seconds since 1970, or e.g. now-7d; inclusive.")]
End = Annotated[str, Query(description="Seconds since 1970, or e.g. now; exclusive.")]

DIRECTIONS = {
    **dict.fromkeys(("incoming", "backward", "upstream"), (INCOMING,)),
    **dict.fromkeys(("outgoing", "forward", "downstream"), (OUTGOING,)),
    "both": (INCOMING, OUTGOING),
}


class DatasetName(NamedTuple):
    """A dataset as a request names it; an empty namespace is looked up by the name."""

    namespace: str
    name: str


# Dependencies are async, as each plain function that a route depends on costs a change of thread.
async def dataset_query(
    name: Annotated[str, Query(description="The dataset's name.")],
    namespace: Annotated[str, Query(description="The dataset's namespace.")] = "",
) -> DatasetName:
    """The dataset in the query string."""
    return DatasetName(namespace, name)


async def dataset_path(namespace: str, dataset: str) -> DatasetName:
    """The dataset in the path: `/namespaces/{namespace}/datasets/{dataset}`."""
    return DatasetName(namespace, dataset)


async def endpoint_path(namespace: str, endpoint: str) -> DatasetName:
    """The dataset in the path under CDAP's other word for it."""
    return DatasetName(namespace, endpoint)


def span_of(start: str, end: str) -> Span:
    """The range in milliseconds; QuestionError if it ends before it starts."""
    times = clock.parse(start), clock.parse(end)
    if times[0] > times[1]:
        raise QuestionError(f"Start {start} is after end {end}.")
    return times


async def required_span(start: Start, end: End) -> Span:
    """A range whose ends must be given."""
    return span_of(start, end)


async def whole_span(start: Start = "0", end: End = "now+1d") -> Span:
    """A range that is all time unless it is given."""
    return span_of(start, end)


DatasetQuery = Annotated[DatasetName, Depends(dataset_query)]
DatasetPath = Annotated[DatasetName, Depends(dataset_path)]
EndpointPath = Annotated[DatasetName, Depends(endpoint_path)]
RequiredSpan = Annotated[Span, Depends(required_span)]
WholeSpan = Annotated[Span, Depends(whole_span)]


def directions(direction: str) -> tuple[str, ...]:
    """The directions that a word of any vocabulary means."""
    sides = DIRECTIONS.get(direction.lower())
    if not sides:
        raise QuestionError(
            f"Direction is {direction!r}. Expected one of: {', '.join(DIRECTIONS)}."
        )
    return sides


def end_point(connection: Connection, access: Access, name: DatasetName, span: Span) -> EndPoint:
    """The dataset in the range, as far as the caller may see what was reported about it."""
    dataset = find_dataset(connection, *name)
    return EndPoint(connection, dataset, *span, hidden_jobs(connection, access))


def reduced(point: EndPoint, direction: str, field: str, body: dict[str, object]) -> list[Step]:
    """The operations of a lineage body that the field needs, or that need the field."""
    walk = backward if direction == INCOMING else forward
    return walk(steps(body), point.has, field)
