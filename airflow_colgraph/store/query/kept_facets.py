"""The facets of datasets, jobs and runs that hold now, as OpenLineage writes them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.id_lists import rows_in
from airflow_colgraph.store.db.symlinks import members_of
from airflow_colgraph.store.model.lineage_body import Field, unpack

Facets = dict[str, Any]


class RunReport(NamedTuple):
    """The facets of a run, and its statistics of datasets: namespace, name, counts."""

    facets: Facets
    inputs: list[list[Any]]
    outputs: list[list[Any]]


def facets_of(connection: Connection, owner_ids: Collection[int]) -> Facets:
    """The facets of a dataset under all its names, or of a job; of each name the latest."""
    (facets,) = _facets_of_each(connection, [owner_ids])
    return facets


def facets_of_datasets(connection: Connection, datasets: Iterable[Field]) -> list[Facets]:
    """The same of many datasets, in their order."""
    ids = [dataset.id for dataset in datasets]
    names = members_of(connection, ids)
    return _facets_of_each(connection, [names[id] for id in ids])


def life_cycle_states(
    connection: Connection, datasets: Iterable[Field]
) -> dict[Field, tuple[str, int]]:
    """The last life cycle change of datasets that have one, under any name, and when it was."""
    fields = list(datasets)
    names = members_of(connection, [dataset.id for dataset in fields])
    table = tables.facets.c
    query = select(table.owner, table.last_at, table.body)
    states: dict[int, tuple[int, str]] = {}
    for owner, at, body in rows_in(connection, query, table.owner, set().union(*names.values())):
        facet = unpack(body)["facets"].get("lifecycleStateChange") or {}
        if state := str(facet.get("lifecycleStateChange") or "").upper():
            states[owner] = max((at, state), states.get(owner, (at, state)))
    last = {
        dataset: max((states[id] for id in names[dataset.id] if id in states), default=None)
        for dataset in fields
    }
    return {dataset: (each[1], each[0]) for dataset, each in last.items() if each}


def _facets_of_each(connection: Connection, owners: Sequence[Collection[int]]) -> list[Facets]:
    table = tables.facets.c
    query = select(table.last_at, table.id, table.owner, table.body)
    reports: dict[int, list[tuple[Any, ...]]] = {}
    ids = set[int]().union(*owners)
    for row in map(tuple, rows_in(connection, query, table.owner, ids)):
        reports.setdefault(row[2], []).append(row)
    return [_latest(row for id in names for row in reports.get(id, ())) for names in owners]


def _latest(reports: Iterable[tuple[Any, ...]]) -> Facets:
    latest: Facets = {}
    for *_, body in sorted(reports):
        latest.update(unpack(body)["facets"])
    return {name: facet for name, facet in latest.items() if facet.get("_deleted") is not True}


def reports_of_runs(connection: Connection, runs: Iterable[bytes]) -> dict[bytes, RunReport]:
    """What is known of the runs; of a facet that was reported twice the latest."""
    table = tables.run_facets.c
    query = select(table.last_at, table.id, table.run, table.body)
    reports: dict[bytes, RunReport] = {}
    for _, _, run, body in sorted(map(tuple, rows_in(connection, query, table.run, runs))):
        stated = unpack(body)
        report = reports.setdefault(bytes(run), RunReport({}, [], []))
        report.facets.update(stated.get("facets", {}))
        _merge(report.inputs, stated.get("inputs", ()))
        _merge(report.outputs, stated.get("outputs", ()))
    return reports


def _merge(counted: list[list[Any]], later: Iterable[list[Any]]) -> None:
    for row in later:
        counted[:] = [other for other in counted if other[:2] != row[:2]] + [row]
