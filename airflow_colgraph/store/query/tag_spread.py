"""Where tags are at a time: where they are set, and where they travelled to, by which runs.

with store.connection() as connection:
    for one in tags_at(connection, find_dataset(connection, "", "mart")).tags:
        print(one.field.field, one.tag.text, [step.run for step in one.path])
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, cast

from sqlalchemy import select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.id_lists import rows_in
from airflow_colgraph.store.db.pruned import refuse_pruned
from airflow_colgraph.store.model.clock import OPEN
from airflow_colgraph.store.model.lineage_body import Field, Transformation
from airflow_colgraph.store.model.question import DOWN, UP
from airflow_colgraph.store.model.runs import Job, run_text
from airflow_colgraph.store.model.tag_travel import (
    DEFAULT_RULES,
    Spread,
    TagEdge,
    TravelRule,
    is_one_of,
    path,
    rule_of,
    spread,
)
from airflow_colgraph.store.model.tags import SetTag, Tag
from airflow_colgraph.store.query import tag_edges
from airflow_colgraph.store.query.edge_cache import (
    CLOSED_AT,
    FIRST_SEEN,
    JOB_OUTPUT,
    LAST_SEEN,
    Row,
)
from airflow_colgraph.store.query.provenance import Times, reported_by
from airflow_colgraph.store.query.tags import tags_of

LIMIT = 100_000  # edges


class Step(NamedTuple):
    """An edge that a tag travelled along: the job, and the last run by then that wrote it."""

    input: Field
    output: Field
    transformation: Transformation
    job: Job | None
    run: str | None


class FieldTag(NamedTuple):
    """A tag of a field (or of a dataset as a whole) at a time.

    `path` is empty where the tag is set; else it leads from `origin`, the first field of it being
    `origin.field` or nested with it. `job` is the one whose events have the tag. The tag is there
    from `since` until `until` (OPEN: no end is known) by this path; there may be others.
    """

    field: Field
    tag: Tag
    origin: SetTag
    job: Job | None
    path: tuple[Step, ...]
    since: int
    until: int


class TagAnswer(NamedTuple):
    """Tags in the order of fields; `truncated`: some are missing, the limit was reached."""

    tags: list[FieldTag]
    truncated: bool


def tags_at(
    connection: Connection,
    dataset: Field,
    at: int | None = None,
    rules: Sequence[TravelRule] = DEFAULT_RULES,
    limit: int = LIMIT,
) -> TagAnswer:
    """The tags of a dataset and of its fields.

    Args:
        connection: A connection to the store, in a transaction.
        dataset: The dataset, as `lookup.find_dataset` returns it.
        at: The time, in milliseconds since 1970; None for now.
        rules: How tags travel.
        limit: The number of edges upstream at which the search ends.

    Returns:
        The tags that are set there and those that travelled there, each with one path.
    """
    held = _held(connection, at)
    if not held:
        return TagAnswer([], False)
    edges = tag_edges.read(connection, [dataset], UP, at, _any(held, rules), limit)
    return _answer(connection, held, edges, at, rules, lambda field: field.dataset == dataset)


def tagged(
    connection: Connection,
    patterns: Iterable[str],
    at: int | None = None,
    rules: Sequence[TravelRule] = DEFAULT_RULES,
    limit: int = LIMIT,
) -> TagAnswer:
    """Every field and dataset with one of the tags.

    Args:
        connection: As for `tags_at`.
        patterns: Patterns of KEY or KEY=VALUE.
        at: As for `tags_at`.
        rules: As for `tags_at`.
        limit: The number of edges downstream at which the search ends.

    Returns:
        As `tags_at`.
    """
    patterns = list(patterns)
    held = [set_tag for set_tag in _held(connection, at) if is_one_of(set_tag.tag, patterns)]
    if not held:
        return TagAnswer([], False)
    starts = {set_tag.field for set_tag in held}
    edges = tag_edges.read(connection, starts, DOWN, at, _any(held, rules), limit)
    return _answer(connection, held, edges, at, rules, lambda _: True)


def _held(connection: Connection, at: int | None) -> list[SetTag]:
    refuse_pruned(connection, at)
    time = OPEN - 1 if at is None else at
    return [set_tag for set_tag in tags_of(connection) if set_tag.held(time)]


def _any(held: Iterable[SetTag], rules: Sequence[TravelRule]) -> Callable[[Transformation], bool]:
    """Whether at least one of the tags travels along an edge."""
    used = {rule_of(set_tag.tag, rules) for set_tag in held}
    return lambda step: any(rule.passes(step) for rule in used)


def _answer(
    connection: Connection,
    held: Sequence[SetTag],
    travelled: tag_edges.Edges,
    at: int | None,
    rules: Sequence[TravelRule],
    is_asked: Callable[[Field], bool],
) -> TagAnswer:
    origins: dict[tuple[Field, Tag], SetTag] = {}
    for set_tag in held:
        origins.setdefault((set_tag.field, set_tag.tag), set_tag)
    reached = spread(origins, travelled.edges, rules)
    paths = {
        (field, tag): path(reached, field, tag) for field, tag in sorted(reached) if is_asked(field)
    }
    writers = _writers(connection, {_row(edge) for edges in paths.values() for edge in edges}, at)
    jobs = _jobs(connection, {set_tag.job for set_tag in held if set_tag.job is not None})
    answer = []
    for (field, tag), edges in paths.items():
        origin = origins[_origin(reached, field, tag), tag]
        rows = [_row(edge) for edge in edges]
        answer.append(
            FieldTag(
                field,
                tag,
                origin,
                None if origin.job is None else jobs.get(origin.job),
                tuple(Step(*edge[:3], *writers[_row(edge)]) for edge in edges),
                max([origin.set_at, *(row[FIRST_SEEN] for row in rows)]),
                min([origin.ended_at, *(row[CLOSED_AT] for row in rows)]),
            )
        )
    return TagAnswer(answer, travelled.truncated)


def _origin(reached: Spread, field: Field, tag: Tag) -> Field:
    while (arrival := reached[field, tag]) is not None:
        field = arrival.holder
    return field


def _row(edge: TagEdge) -> Row:
    return cast("Row", edge.key)


def _writers(
    connection: Connection, rows: Iterable[Row], at: int | None
) -> dict[Row, tuple[Job | None, str | None]]:
    """The job of each edge and the last run by then that wrote it."""
    rows = list(rows)
    reports = reported_by(connection, rows)
    runs: dict[tuple[int, int], str | None] = {}
    writers = {}
    for row in rows:
        report = reports[cast("Times", row[JOB_OUTPUT:])]
        run = report.run.id if report.run else None
        if at is not None:
            written = row[JOB_OUTPUT], min(at, row[LAST_SEEN])
            if written not in runs:
                runs[written] = _run_at(connection, *written)
            run = runs[written]
        writers[row] = report.job, run
    return writers


def _jobs(connection: Connection, ids: set[int]) -> dict[int, Job]:
    table = tables.job
    columns = (table.c.namespace, table.c.name, table.c.dag_id, table.c.task_id)
    rows = rows_in(connection, select(table.c.id, *columns), table.c.id, ids)
    return {id: Job(*job) for id, *job in rows}


def _run_at(connection: Connection, job_output: int, at: int) -> str | None:
    """The latest run by the time that wrote the output."""
    table = tables.occurrence
    query = (
        select(table.c.run)
        .where(table.c.job_output == job_output, table.c.at <= at)
        .order_by(table.c.at.desc(), table.c.run.desc())
        .limit(1)
    )
    return run_text(connection.execute(query).scalar())
