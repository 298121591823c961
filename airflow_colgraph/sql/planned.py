"""A script that was not run, as the OpenLineage event of a run. Pure."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlglot import exp
from sqlglot.errors import SqlglotError

from airflow_colgraph.openlineage.facets import PRODUCER, RUN_EVENT, facet
from airflow_colgraph.sql.database import Place, TableName
from airflow_colgraph.sql.parse import statements


def columns_of(ddl: str, dialect: str) -> dict[str, str] | None:
    """The columns with their types in a text like `id BIGINT, day DATE`; None if it is none.

    Names are in the case in which the database has them.
    """
    nodes = statements(f"CREATE TABLE t ({ddl})", dialect)
    if len(nodes) != 1 or not isinstance(nodes[0], exp.Create):
        return None
    columns = nodes[0].this.expressions if isinstance(nodes[0].this, exp.Schema) else []
    kinds: dict[str, str] = {}
    for column in columns:
        kind = column.args.get("kind") if isinstance(column, exp.ColumnDef) else None
        if kind is None:
            return None
        kinds[column.name] = kind.sql(dialect).lower()
    return kinds or None


def whole_name(text: str, place: Place) -> TableName | None:
    """The whole name of a table that is written as in a statement; None if it is no name."""
    try:
        nodes = statements(f"SELECT * FROM {text}", place.dialect)
    except SqlglotError:
        return None
    table = nodes[0].find(exp.Table) if len(nodes) == 1 else None
    if table is None or not all(isinstance(part, exp.Identifier) for part in table.parts):
        return None
    return place.whole(part.name for part in table.parts)


def planned_event(
    job: tuple[str, str],
    at: datetime,
    inputs: list[dict[str, Any]],
    outputs: list[dict[str, Any]],
    run_facets: Mapping[str, Any],
) -> dict[str, Any]:
    """The event of a run that did not take place, which the facet `colgraph_plan` marks."""
    namespace, name = job
    kind = facet("jobType", processingType="BATCH", integration="SQL", jobType="SCRIPT")
    return {
        "eventType": "COMPLETE",
        "eventTime": at.isoformat(),
        "producer": PRODUCER,
        "schemaURL": RUN_EVENT,
        "run": {
            "runId": str(uuid.uuid4()),
            "facets": {"colgraph_plan": facet("colgraph_plan"), **run_facets},
        },
        "job": {"namespace": namespace, "name": name, "facets": {"jobType": kind}},
        "inputs": inputs,
        "outputs": outputs,
    }
