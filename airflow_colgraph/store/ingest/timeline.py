"""Occurrences: which run reported which lineage body of a dataset, each once at the first time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import bindparam, select, update
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.upsert import upsert
from airflow_colgraph.store.ingest.occurrences import Occurrence, Occurrences

_JOB_OUTPUTS = select(tables.job_output).where(
    tables.job_output.c.id.in_(bindparam("b_ids", expanding=True))
)
_MOVE = (
    update(tables.job_output)
    .where(tables.job_output.c.id == bindparam("b_id"))
    .values(last_at=bindparam("b_last_at"), last_run=bindparam("b_last_run"))
)


def record(
    connection: Connection,
    reported: Sequence[Occurrence],
    datasets: dict[int, int],
    kept: Occurrences,
) -> set[int]:
    """Write the occurrences; returns the outputs whose edges may have changed.

    A run after all others that reports the same as the latest one changes no edge: only the time of
    the output's latest run moves. `datasets`: the dataset of each output.
    """
    if not reported:
        return set()
    ids = {occurrence.job_output for occurrence in reported}
    job_outputs = {
        row.id: dict(row._mapping)
        for row in connection.execute(_JOB_OUTPUTS, {"b_ids": sorted(ids)})
    }
    changed: set[int] = set()
    moved: dict[int, dict[str, Any]] = {}
    new: list[dict[str, Any]] = []
    here: set[tuple[int, bytes]] = set()  # outputs and runs met in these occurrences
    for occurrence in sorted(
        reported, key=lambda occurrence: (occurrence.at, occurrence.run, occurrence.lineage_body)
    ):
        job_output = job_outputs.get(occurrence.job_output)
        if job_output is None:
            job_outputs[occurrence.job_output] = job_output = _new_job_output(
                occurrence, datasets[occurrence.job_output]
            )
            new.append(job_output)
            changed.add(occurrence.job_output)
        changes_nothing = (
            occurrence.job_output not in changed
            and _repeats(occurrence, job_output)
            and (occurrence.job_output, occurrence.run) not in here
            and not kept.has_reported(occurrence)
        )
        here.add((occurrence.job_output, occurrence.run))
        if changes_nothing:
            kept.add(occurrence)
            moved[occurrence.job_output] = job_output
            job_output.update(last_at=occurrence.at, last_run=occurrence.run)
        elif kept.merge(occurrence):
            changed.add(occurrence.job_output)
    upsert(connection, tables.job_output, new)
    moves = [
        {"b_id": id, "b_last_at": moved[id]["last_at"], "b_last_run": moved[id]["last_run"]}
        for id in sorted(moved.keys() - changed)
    ]
    if moves:
        connection.execute(_MOVE, moves)
    return changed


def _repeats(occurrence: Occurrence, job_output: dict[str, Any]) -> bool:
    """Whether a run after all others reports the same as the latest one."""
    return (
        bool(occurrence.run)
        and occurrence.at > job_output["last_at"]
        and occurrence.lineage_body == job_output["last_lineage_body"]
        and occurrence.replaces == job_output["last_replaces"]
    )


def _new_job_output(occurrence: Occurrence, dataset: int) -> dict[str, Any]:
    return {
        "id": occurrence.job_output,
        "job": occurrence.job,
        "dataset": dataset,
        "last_at": occurrence.at,
        "last_run": occurrence.run,
        "last_lineage_body": None,
        "last_replaces": occurrence.replaces,
    }
