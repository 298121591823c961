"""Where values of tagged fields are: each from the run that wrote it until one that replaced it.

Beside `tag_spread`, which follows the edges that hold: rows from before a column was masked stay
where the job appends, and where it reads its own table.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import pairwise

from sqlalchemy import select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.pruned import refuse_pruned
from airflow_colgraph.store.model.clock import OPEN
from airflow_colgraph.store.model.holdings import Holdings, at_time, path, spread
from airflow_colgraph.store.model.runs import Job, run_text
from airflow_colgraph.store.model.tag_travel import (
    DEFAULT_RULES,
    TravelRule,
    is_one_of,
    rule_of,
)
from airflow_colgraph.store.model.tags import SetTag, Tag
from airflow_colgraph.store.query import name_cache
from airflow_colgraph.store.query.tag_edges import Fields
from airflow_colgraph.store.query.tag_spread import LIMIT, FieldTag, Step, TagAnswer
from airflow_colgraph.store.query.tags import tags_of
from airflow_colgraph.store.query.traversal import KINDS
from airflow_colgraph.store.query.value_flows import ValueFlows


def values_at(
    connection: Connection,
    patterns: Iterable[str],
    at: int | None = None,
    rules: Sequence[TravelRule] = DEFAULT_RULES,
    limit: int = LIMIT,
) -> TagAnswer:
    """Every field that holds values of a field with one of the tags.

    Args:
        connection: A connection to the store, in a transaction.
        patterns: Patterns of KEY or KEY=VALUE.
        at: The time, in milliseconds since 1970; None for now.
        rules: How tags travel.
        limit: The number of fields at which the search ends.

    Returns:
        The tags, each with one path and the times at which the field held such values.
    """
    refuse_pruned(connection, at)
    patterns = list(patterns)
    time = OPEN - 1 if at is None else at
    set_tags: dict[Tag, list[SetTag]] = {}
    for set_tag in tags_of(connection):
        if _counts(set_tag, time) and is_one_of(set_tag.tag, patterns):
            set_tags.setdefault(set_tag.tag, []).append(set_tag)
    jobs = _jobs(connection) if set_tags else {}
    flows_by_rule: dict[tuple[TravelRule, Tag | None], ValueFlows] = {}
    answer, truncated = [], False
    for tag, origins in set_tags.items():
        rule = rule_of(tag, rules)
        key = rule, tag if rule.reviews else None
        if key not in flows_by_rule:
            kinds, ends_at = KINDS[bool(rule.indirect)], partial(rule.ends_at, tag)
            flows_by_rule[key] = ValueFlows(connection, rule.passes, kinds, ends_at)
        held, is_cut = _spread(connection, origins, flows_by_rule[key], time, limit, jobs)
        answer += held
        truncated |= is_cut
    return TagAnswer(answer, truncated)


def _counts(set_tag: SetTag, at: int) -> bool:
    """Whether values that were copied from the field have the tag.

    A tag that events no longer report was right before. One that a person removed was not.
    """
    has_changed = not set_tag.ended_by and set_tag.job is not None
    return set_tag.held(at) or (has_changed and set_tag.set_at <= at)


def _spread(
    connection: Connection,
    origins: Sequence[SetTag],
    flows: ValueFlows,
    at: int,
    limit: int,
    jobs: dict[int, Job],
) -> tuple[list[FieldTag], bool]:
    """The fields that hold values of one tag."""
    fields = Fields(connection)
    starts: dict[int, SetTag] = {}
    for set_tag in sorted(origins, key=lambda each: each.ended_at, reverse=True):
        for id in flows.around(fields.inside(set_tag.field)):
            starts.setdefault(id, set_tag)
    tagged_until = {id: set_tag.ended_at for id, set_tag in starts.items()}
    holdings, truncated = spread(
        tagged_until, flows.from_fields, flows.writes_of, limit, flows.parts_of
    )
    held = [
        id
        for id in holdings
        if tagged_until.get(id, -OPEN) <= at and at_time(holdings[id], at) is not None
    ]
    return [_field_tag(connection, holdings, id, at, flows, starts, jobs) for id in held], truncated


def _field_tag(
    connection: Connection,
    holdings: Holdings,
    id: int,
    at: int,
    flows: ValueFlows,
    starts: dict[int, SetTag],
    jobs: dict[int, Job],
) -> FieldTag:
    way = path(holdings, id, at)
    nodes = name_cache.of(connection).read_nodes(connection, {step for step, _ in way})
    origin, last = starts[way[0][0]], way[-1][1]
    steps = []
    for (source, _), (target, holding) in pairwise(way):
        assert holding.flow is not None, "only the start has none"
        write = holding.writes[-1]
        steps.append(
            Step(
                nodes[source].field,
                nodes[target].field,
                flows.transformation(holding.flow),
                jobs.get(flows.jobs[holding.flow.job_output] or 0),
                run_text(write.run),
            )
        )
    return FieldTag(
        nodes[id].field,
        origin.tag,
        origin,
        jobs.get(origin.job or 0),
        tuple(steps),
        max(origin.set_at, last.start),
        min(origin.ended_at, last.end) if origin.ended_by else last.end,
    )


def _jobs(connection: Connection) -> dict[int, Job]:
    job = tables.job.c
    rows = connection.execute(select(job.id, job.namespace, job.name, job.dag_id, job.task_id))
    return {id: Job(*named) for id, *named in rows}
