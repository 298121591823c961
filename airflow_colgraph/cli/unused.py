"""`colgraph unused`: the fields that no job uses."""

from __future__ import annotations

from typing import Any

import click

from airflow_colgraph.cli.rows import print_rows, row_format
from airflow_colgraph.cli.store_access import (
    open_store,
    require_datasets,
    store_errors,
    store_option,
)
from airflow_colgraph.exports.formats.text_tree import field_label
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.query.unused import DAYS, UnusedField
from airflow_colgraph.store.query.unused import unused as unused_fields


@click.command()
@click.option(
    "--days",
    type=click.IntRange(1, 36_500),
    default=DAYS,
    show_default=True,
    help="Only uses in the last so many days count.",
)
@click.option("--namespace", default="", metavar="NS", help="Only datasets in this namespace.")
@click.option("--name", default="", help="Only this dataset.")
@row_format
@store_option
@click.pass_context
def unused(context: click.Context, days: int, namespace: str, name: str, format_: str) -> None:
    """List the fields that no job has used for some time, by DIRECT or INDIRECT lineage.

    First those of datasets that jobs do read. A field is perhaps used if a job reads its dataset
    and nobody knows which columns.

    Example: colgraph unused --days 30 --name /lake/mart
    """
    asked: dict[str, Any] = {"namespace": namespace, "name": name}
    with store_errors(), open_store(context).connection() as connection:
        require_datasets(connection)
        fields = unused_fields(connection, clock.parse(f"now-{days}d"), **asked).fields
    rows = [field._asdict() for field in fields]
    lines = [_line(field) for field in fields] or ["Every field is used."]
    print_rows(format_, UnusedField._fields, rows, lines)


def _line(field: UnusedField) -> str:
    used = f"last used {field.last_used}" if field.last_used else "never used"
    reads = f"{field.readers} job{'' if field.readers == 1 else 's'} read the dataset"
    unknown = (
        f"; columns unknown: {', '.join(field.unknown_readers)}" if field.unknown_readers else ""
    )
    return f"{field_label(Field(*field[:3]))}  {field.status}  {used}; {reads}{unknown}"
