"""`colgraph warehouse diff|unused|coverage`: answers about every dataset."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from airflow_colgraph.cli.errors import print_warning
from airflow_colgraph.cli.rows import print_rows, row_format
from airflow_colgraph.cli.warehouse_spark import (
    moment,
    open_spark,
    spark_options,
    warehouse_option,
)
from airflow_colgraph.store.model import clock
from airflow_colgraph.warehouse import coverage as coverages
from airflow_colgraph.warehouse import difference as differences
from airflow_colgraph.warehouse import unused as unused_fields

Row = dict[str, Any]
DAYS = 90

_limit = click.option(
    "--limit",
    type=click.IntRange(0),
    default=1000,
    show_default=True,
    help="The number of rows to print; all are in the table that the command names.",
)


@click.command()
@warehouse_option
@click.option("--before", required=True, metavar="TIME", help="2026-11-20T10:00Z or now-7d.")
@click.option("--after", default="now", show_default=True, metavar="TIME", help="A later time.")
@_limit
@row_format
@spark_options
def diff(
    path: str,
    before: str,
    after: str,
    limit: int,
    format_: str,
    conf: tuple[str, ...],
    quiet: bool,
) -> None:
    """Show what changed in the lineage and schema of every dataset between two times.

    \b
    Example:
      colgraph warehouse diff --warehouse /lake/lineage --before now-7d
    """
    times = moment("--before", before), moment("--after", after)
    with open_spark(conf) as spark:
        answer = differences.difference(spark, path, *times)
        order = "namespace, name, change, field, input_name, input_field, subtype, description"
        rows, total = read(spark, answer, order, limit)
    _print(format_, differences.COLUMNS, rows, changed_line, total, answer)


@click.command()
@warehouse_option
@click.option(
    "--days",
    type=click.IntRange(1, 36_500),
    default=DAYS,
    show_default=True,
    help="Only uses in the last so many days count.",
)
@_limit
@row_format
@spark_options
def unused(
    path: str, days: int, limit: int, format_: str, conf: tuple[str, ...], quiet: bool
) -> None:
    """List the fields of every dataset that no job has used for some time.

    As `colgraph unused`: a field is perhaps used if a job reads its dataset and nobody knows which
    columns. Days are whole ones, so that the same question on a day is answered once.

    \b
    Example:
      colgraph warehouse unused --warehouse /lake/lineage --days 30
    """
    day = 86_400_000
    since = clock.parse(f"now-{days}d") // day * day
    with open_spark(conf) as spark:
        answer = unused_fields.unused(spark, path, since)
        order = "readers = 0, status DESC, namespace, name, field"
        rows, total = read(spark, answer, order, limit)
    _print(format_, unused_fields.COLUMNS, rows, unused_line, total, answer)


@click.command()
@warehouse_option
@click.option("--since", metavar="TIME", help="Only writes from TIME on: 2026-11-20 or now-7d.")
@_limit
@row_format
@spark_options
def coverage(
    path: str, since: str | None, limit: int, format_: str, conf: tuple[str, ...], quiet: bool
) -> None:
    """Count the writes with exact, conservative and no column lineage, by DAG and namespace.

    \b
    Example:
      colgraph warehouse coverage --warehouse /lake/lineage --since now-7d
    """
    at = clock.EARLIEST if since is None else moment("--since", since)
    with open_spark(conf) as spark:
        answer = coverages.coverage(spark, path, at)
        rows, total = read(spark, answer, "dag_id NULLS LAST, namespace", limit)
    _print(format_, coverages.COLUMNS, rows, covered_line, total, answer)


def read(spark: Any, answer: str, order: str, limit: int) -> tuple[list[Row], int]:
    """The first rows of an answer's table, with times as ISO 8601, and how many it has."""
    table = spark.read.parquet(answer)
    if not limit:
        return [], table.count()
    times = [name for name, type in table.dtypes if type == "timestamp"]
    shown = [f"unix_millis({name}) AS {name}" if name in times else name for name in table.columns]
    text = f"SELECT {', '.join(shown)} FROM {{answers}} AS a ORDER BY {order} LIMIT {limit}"
    rows = [row.asDict() for row in spark.sql(text, answers=table).collect()]
    for row in rows:
        row.update({name: None if row[name] is None else clock.iso(row[name]) for name in times})
    return rows, table.count()


def changed_line(row: Row) -> str:
    """A change with its dataset, under the names that `colgraph diff` has for kinds."""
    where = f"{row['namespace']} {row['name']}"
    if row["change"].startswith("edge"):
        how = ":".join(filter(None, (row["type"], row["subtype"])))
        source = f"{row['input_namespace']} {row['input_name']}: {row['input_field'] or '*'}"
        sign = "+" if row["change"] == "edge added" else "-"
        return f"{sign} {where}: {row['field'] or '*'} <- {source}  {how}"
    types = " -> ".join(filter(None, (row["before"], row["after"])))
    return f"{row['change']} {where}: {row['field']}  {types}"


def unused_line(row: Row) -> str:
    """A field as `colgraph unused` prints it."""
    used = f"last used {row['last_used']}" if row["last_used"] else "never used"
    reads = f"{row['readers']} job{'' if row['readers'] == 1 else 's'} read the dataset"
    unknown = row["unknown_readers"]
    words = f"; columns unknown: {', '.join(unknown)}" if unknown else ""
    where = f"{row['namespace']} {row['name']}: {row['field']}"
    return f"{where}  {row['status']}  {used}; {reads}{words}"


def covered_line(row: Row) -> str:
    """A DAG's writes into a namespace."""
    counts = ", ".join(f"{row[name]} {name}" for name in ("exact", "conservative", "none"))
    dag = row["dag_id"] or "(no DAG)"
    return f"{dag}  {row['namespace']}  {row['writes']} writes: {counts}"


def _print(
    format_: str,
    columns: Sequence[str],
    rows: list[Row],
    line: Callable[[Row], str],
    total: int,
    answer: str,
) -> None:
    print_rows(format_, columns, rows, [*map(line, rows), f"{total} rows: {answer}"])
    if len(rows) < total and rows and format_ != "table":
        print_warning(f"{total - len(rows)} rows are only in {answer}; raise --limit.")
