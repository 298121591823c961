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
    ids = {one.job_output for one in reported}
    job_outputs = {
        row.id: dict(row._mapping)
        for row in connection.execute(_JOB_OUTPUTS, {"b_ids": sorted(ids)})
    }
    changed: set[int] = set()
    moved: dict[int, dict[str, Any]] = {}
    new: list[dict[str, Any]] = []
    here: set[tuple[int, bytes]] = set()  # outputs and runs met in these occurrences
    for one in sorted(reported, key=lambda one: (one.at, one.run, one.lineage_body)):
        job_output = job_outputs.get(one.job_output)
        if job_output is None:
            job_outputs[one.job_output] = job_output = _new_job_output(
                one, datasets[one.job_output]
            )
            new.append(job_output)
            changed.add(one.job_output)
        repeats = (
            one.run
            and one.job_output not in changed
            and one.at > job_output["last_at"]
            and one.lineage_body == job_output["last_lineage_body"]
            and one.replaces == job_output["last_replaces"]
            and (one.job_output, one.run) not in here
            and not kept.has_reported(one)
        )
        here.add((one.job_output, one.run))
        if repeats:
            kept.add(one)
            moved[one.job_output] = job_output
            job_output.update(last_at=one.at, last_run=one.run)
        elif kept.merge(one):
            changed.add(one.job_output)
    upsert(connection, tables.job_output, new)
    moves = [
        {"b_id": id, "b_last_at": moved[id]["last_at"], "b_last_run": moved[id]["last_run"]}
        for id in sorted(moved.keys() - changed)
    ]
    if moves:
        connection.execute(_MOVE, moves)
    return changed


def _new_job_output(one: Occurrence, dataset: int) -> dict[str, Any]:
    return {
        "id": one.job_output,
        "job": one.job,
        "dataset": dataset,
        "last_at": one.at,
        "last_run": one.run,
        "last_lineage_body": None,
        "last_replaces": one.replaces,
    }
