"""`colgraph convert --from dbt`: the events of a dbt project's target folder."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from airflow_colgraph.cli.errors import BadInput, print_warning
from airflow_colgraph.cli.plan_sql import listed, reasons
from airflow_colgraph.cli.store_access import store_errors
from airflow_colgraph.operators.store_writer import known_fields
from airflow_colgraph.sql.dbt import DbtError, Target, events, nothing

NAMESPACES = "postgres://HOST:5432, snowflake://ACCOUNT or duckdb:///PATH"


def events_of(
    folder: Path, namespace: str | None, store: str | None, left_out: Counter[str]
) -> Iterator[dict[str, Any]]:
    """The events of the models that the run in the target folder has built.

    `store` is the URL of a store that knows columns of tables which the folder does not. What is
    run and has no event is counted in `left_out`; what events do not say is a warning.

    Raises:
        BadInput: There is no such run, or a file cannot be used.
    """
    manifest = _read(folder / "manifest.json")
    if not namespace and (manifest.get("metadata") or {}).get("adapter_type") == "bigquery":
        namespace = "bigquery"
    if not namespace:
        raise BadInput(
            f"dbt's files do not name the server. Expected --namespace NAME: {NAMESPACES}."
        )
    catalog = folder / "catalog.json"
    target = Target(
        manifest, _read(folder / "run_results.json"), _read(catalog) if catalog.exists() else {}
    )
    try:
        with store_errors():
            stored = partial(known_fields, store) if store else nothing
            incomplete: dict[str, list[str]] = {}
            for event in events(target, namespace, stored, left_out=left_out):
                for reason, _ in reasons(event):
                    incomplete.setdefault(reason, []).append(event["job"]["name"])
                yield event
            for reason, jobs in incomplete.items():
                print_warning(f"{reason}: {listed(jobs)}")
    except DbtError as error:
        raise BadInput(f"{folder}: {error}") from None


def _read(file: Path) -> dict[str, Any]:
    try:
        artifact = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadInput(
            f"{file} is not there. Expected the target folder of dbt run or build."
        ) from None
    except (OSError, ValueError) as error:
        raise BadInput(f"{file} cannot be read: {error}") from None
    if not isinstance(artifact, dict):
        raise BadInput(f"{file} is not a JSON object.")
    return artifact
