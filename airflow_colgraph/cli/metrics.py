"""`colgraph metrics`: the store and a spool, for Prometheus' textfile collector."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from time import time

import click

from airflow_colgraph import delivery
from airflow_colgraph.cli.errors import print_warning
from airflow_colgraph.cli.options import extra
from airflow_colgraph.cli.store_access import store_option
from airflow_colgraph.spools import open_spool
from airflow_colgraph.store.admin.size import sizes
from airflow_colgraph.store.default_url import default_url
from airflow_colgraph.store.errors import StoreError
from airflow_colgraph.store.query.freshness import jobs_by_completeness, newest
from airflow_colgraph.store.readiness import checks
from airflow_colgraph.store.store import Store

SECONDS = 30.0  # that the database may take for each statement

HELP = {
    "colgraph_spool_events": "Events that wait in the spool.",
    "colgraph_spool_bytes": "The size of the events that wait in the spool.",
    "colgraph_spool_oldest_seconds": "The age of the oldest event in the spool.",
    "colgraph_spool_dropped": "Events that were dropped as the spool was full.",
    "colgraph_spool_refused": "Events that were refused for what they are.",
    "colgraph_store_ready": "Whether the store has this version's tables, takes writes, has room.",
    "colgraph_store_rows": "Rows by table.",
    "colgraph_store_bytes": "The space of a table with its indexes.",
    "colgraph_jobs": "Jobs by whether the lineage of their latest run is complete.",
    "colgraph_newest_lineage_age_seconds": "The age of the newest lineage, by its job's namespace.",
}
Values = dict[str, dict[tuple[str, str] | None, float]]  # by metric, then by label and its value


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False))
@click.option("--spool", metavar="FOLDER", help="Default: as for `colgraph deliver`.")
@store_option
@click.pass_context
def metrics(context: click.Context, file: Path | None, spool: str | None) -> None:
    """Write the metrics of the store and of a spool to FILE, or to standard output.

    They are for machines without `colgraph serve`, whose /metrics has what the server counts. A
    store that does not answer is a metric, too: `colgraph_store_ready` is 0. A spool that cannot be
    reached has no metrics but a warning.

    Example: colgraph metrics /var/lib/node_exporter/textfile/colgraph.prom
    """
    values = {
        **_of_spool(spool or delivery.configured_spool()),
        **_of_store(Store(context.obj or default_url(), seconds=SECONDS)),
    }
    with extra("api", "This"):
        text = _text(values)
    if file is None:
        click.echo(text, nl=False)
        return
    with tempfile.NamedTemporaryFile("w", dir=file.parent, delete=False, suffix=".tmp") as whole:
        whole.write(text)
    os.chmod(whole.name, 0o644)  # the collector is another user
    os.replace(whole.name, file)


def _of_spool(uri: str) -> Values:
    try:
        waiting = delivery.waiting(open_spool(uri))
    except OSError as error:  # also: its package is missing
        print_warning(f"there are no metrics of the spool: {error}")
        return {}
    return {name: {None: value} for name, value in delivery.spool_metrics(waiting).items()}


def _of_store(store: Store) -> Values:
    try:
        if any(checks(store).values()):
            return {"colgraph_store_ready": {None: 0}}
        tables = sizes(store, 0)
        with store.connection() as connection:
            times, jobs = newest(connection), jobs_by_completeness(connection)
    except StoreError:
        return {"colgraph_store_ready": {None: 0}}
    finally:
        store.close()
    return {
        "colgraph_store_ready": {None: 1},
        "colgraph_store_rows": {("table", row.table): row.rows for row in tables},
        "colgraph_store_bytes": {("table", row.table): row.bytes for row in tables},
        "colgraph_jobs": {("lineage", name): count for name, count in jobs.items()},
        "colgraph_newest_lineage_age_seconds": {
            ("namespace", name): time() - at / 1000 for name, at in times.items()
        },
    }


def _text(values: Values) -> str:
    from prometheus_client import CollectorRegistry, Gauge, generate_latest

    registry = CollectorRegistry()
    for name, by_label in values.items():
        labels = sorted({label[0] for label in by_label if label})
        gauge = Gauge(name, HELP[name], labels, registry=registry)
        for label, value in by_label.items():
            (gauge.labels(label[1]) if label else gauge).set(value)
    return generate_latest(registry).decode()
