"""`colgraph warehouse`: the lineage of many jobs as tables, built and asked by Spark."""

from __future__ import annotations

from typing import Any

import click

from airflow_colgraph.cli.errors import BadInput, print_warning
from airflow_colgraph.cli.progress import status_line
from airflow_colgraph.cli.rows import print_rows, row_format
from airflow_colgraph.cli.warehouse_publish import publish
from airflow_colgraph.cli.warehouse_spark import (
    numbered,
    open_spark,
    past,
    spark_options,
    warehouse_option,
)
from airflow_colgraph.store.errors import QuestionError
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.question import DOWN, UP
from airflow_colgraph.warehouse.build import build as build_tables
from airflow_colgraph.warehouse.closure import closure as closure_of
from airflow_colgraph.warehouse.formats import FORMATS
from airflow_colgraph.warehouse.impact import impact as impact_of
from airflow_colgraph.warehouse.prune import prune as prune_tables
from airflow_colgraph.warehouse.question import Question
from airflow_colgraph.warehouse.starts import listed, named
from airflow_colgraph.warehouse.topics import parsed

IMPACT_COLUMNS = ("namespace", "name", "columns", "datasets", "jobs", "dags")
COLUMNS = ("set", "namespace", "name", "field", "depth")

_at = click.option(
    "--at", metavar="TIME", help="The lineage as of TIME: 2026-11-20T10:00Z or now-7d."
)
_indirect = click.option(
    "--indirect", is_flag=True, help="Also INDIRECT edges: filters, joins, conditions."
)


@click.group()
def warehouse() -> None:
    """Build tables of the lineage of many jobs, and query all of it, with Spark.

    \b
    Example:
      colgraph warehouse build --events s3a://logs/lineage --to s3a://lake/lineage
      colgraph warehouse closure --warehouse s3a://lake/lineage --from raw/orders.email --downstream
    """


warehouse.add_command(publish)


@warehouse.command()
@click.option(
    "--events",
    multiple=True,
    metavar="PATH",
    help="A file or folder of events, one JSON event a line; may be repeated.",
)
@click.option(
    "--from-store",
    "stores",
    multiple=True,
    metavar="URL",
    help="A store that keeps whole events (colgraph db keep-events); may be repeated.",
)
@click.option(
    "--topic",
    "topics",
    multiple=True,
    metavar="URL",
    help="A Kafka topic of events, kafka://HOST:PORT/TOPIC; may be repeated.",
)
@click.option("--to", required=True, metavar="PATH", help="The warehouse's folder.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(sorted(FORMATS)),
    help="The format of the tables.  [default: as before, at first parquet]",
)
@spark_options
def build(
    events: tuple[str, ...],
    stores: tuple[str, ...],
    topics: tuple[str, ...],
    to: str,
    format_: str | None,
    conf: tuple[str, ...],
    quiet: bool,
) -> None:
    """Read the events that are new into the tables of a warehouse.

    Files and messages that were read before are left out, so the command can be repeated, and
    repeated or late events change nothing that is right. Paths are of any file system that Hadoop
    knows. A line or message that is no OpenLineage event is kept in the table `rejected`, with the
    reason; the exit code is 0.

    \b
    Example:
      colgraph warehouse build --events /logs/lineage --to /lake/lineage
      colgraph warehouse build --events hdfs:///logs --to hdfs:///lineage --conf spark.master=yarn
    """
    if not events and not stores and not topics:
        raise BadInput("Expected --events, --from-store or --topic.")
    with open_spark(conf) as spark, status_line(quiet) as show:
        built = build_tables(
            spark,
            [*events, *(_stored(spark, url, to) for url in stores)],
            to,
            numbered(show),
            format_,
            [parsed(url) for url in topics],
        )
    if not built.path:
        raise BadInput(f"There are no events to read, so no warehouse was built at {to}.")
    if not built.files and not built.messages:
        click.echo("no new messages" if topics else "no new files")
    else:
        partial = f", {built.partial} of them in part" if built.partial else ""
        sources = f"{built.files} files"
        if topics:
            sources += f" and {built.messages} messages"
        click.echo(f"{built.events} events of {sources}{partial}")
    click.echo(f"tables: {built.path}")
    if built.rejected:
        print_warning(f"{built.rejected} lines are no events; see the table `rejected`.")


@warehouse.command()
@warehouse_option
@click.option("--before", required=True, metavar="TIME", help="2026-11-20T10:00Z or now-90d.")
@spark_options
def prune(path: str, before: str, conf: tuple[str, ...], quiet: bool) -> None:
    """Leave out what was reported before TIME; what the latest lineage needs is kept.

    As `colgraph db prune` in a store. The tables before are kept until the next build.

    \b
    Example:
      colgraph warehouse prune --warehouse /lake/lineage --before now-90d
    """
    at = past("--before", before)
    with open_spark(conf) as spark, status_line(quiet) as show:
        tables = prune_tables(
            spark,
            path,
            at,
            numbered(show),
        )
    click.echo(f"tables: {tables}")


@warehouse.command()
@warehouse_option
@click.option(
    "--from",
    "starts",
    multiple=True,
    metavar="DATASET[.FIELD]",
    help="Where to start; may be repeated. Without a field: all fields of the dataset.",
)
@click.option(
    "--sets",
    metavar="FILE",
    help="Up to 1,024 sets of starts: a CSV file with the columns set, namespace, name, field.",
)
@click.option("--namespace", metavar="NS", help="The namespace of the datasets in --from.")
@click.option("--upstream", "direction", flag_value=UP, default=UP, help="The default.")
@click.option("--downstream", "direction", flag_value=DOWN, help="What is derived from the starts.")
@_at
@_indirect
@click.option("--depth", type=click.IntRange(1), metavar="HOPS", help="Follow at most HOPS.")
@click.option(
    "--limit",
    type=click.IntRange(0),
    default=1000,
    show_default=True,
    help="The number of rows to print; all are in the table that the command names.",
)
@row_format
@spark_options
def closure(
    path: str,
    starts: tuple[str, ...],
    sets: str | None,
    namespace: str | None,
    direction: str,
    at: str | None,
    indirect: bool,
    depth: int | None,
    limit: int,
    format_: str,
    conf: tuple[str, ...],
    quiet: bool,
) -> None:
    """Find every field that the starts are derived from, or that is derived from them.

    Each --from, or each set of --sets, is traversed for itself, all at once.

    \b
    Example:
      colgraph warehouse closure --warehouse /lake/lineage --from mart/daily.total
      colgraph warehouse closure --warehouse /lake/lineage --sets tags.csv --downstream --limit 0
    """
    if bool(starts) == bool(sets):
        raise BadInput("Expected either --from or --sets.")
    question = Question(direction, _time(at), indirect, depth)
    chosen = listed(sets) if sets else named(starts, namespace)
    with open_spark(conf) as spark, status_line(quiet) as show:
        answer = closure_of(spark, path, chosen, question, show)
        table = spark.read.parquet(answer)
        ordered = table.orderBy("set", "depth", "namespace", "name", "field")
        rows = [row.asDict() for row in ordered.limit(limit).collect()] if limit else []
        total = table.count()
    print_rows(format_, COLUMNS, rows, [*map(_line, rows), f"{total} rows: {answer}"])
    if len(rows) < total and limit and format_ != "table":
        print_warning(f"{total - len(rows)} rows are only in {answer}; raise --limit.")


@warehouse.command()
@warehouse_option
@_at
@_indirect
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="The number of datasets to print; all are in the table that the command names.",
)
@row_format
@spark_options
def impact(
    path: str,
    at: str | None,
    indirect: bool,
    limit: int,
    format_: str,
    conf: tuple[str, ...],
    quiet: bool,
) -> None:
    """Count the columns, datasets, jobs and DAGs that depend on each dataset, the most first.

    \b
    Example:
      colgraph warehouse impact --warehouse /lake/lineage
      colgraph warehouse impact --warehouse /lake/lineage --indirect --format csv --limit 1000
    """
    time = _time(at)
    with open_spark(conf) as spark, status_line(quiet) as show:
        answer = impact_of(
            spark,
            path,
            time,
            indirect,
            lambda counted, total: show(f"{counted} of {total} datasets"),
        )
        table = spark.read.parquet(answer)
        ordered = table.orderBy(table["columns"].desc(), "namespace", "name")
        rows = [row.asDict() for row in ordered.limit(limit).collect()]
        total = table.count()
    lines = ["columns  datasets  jobs  DAGs  dataset"]
    lines += [
        f"{row['columns']:>7}  {row['datasets']:>8}  {row['jobs']:>4}  {row['dags']:>4}  "
        f"{row['namespace']}  {row['name']}"
        for row in rows
    ]
    print_rows(format_, IMPACT_COLUMNS, rows, [*lines, f"{total} datasets: {answer}"])


def _stored(spark: Any, url: str, to: str) -> str:
    from airflow_colgraph.cli.store_access import store_errors  # not for `--help`: SQLAlchemy
    from airflow_colgraph.publish.stored_events import stored_events

    with store_errors():
        return stored_events(spark, url, to)


def _time(at: str | None) -> int | None:
    try:
        return None if at is None else clock.parse(at)
    except QuestionError as error:
        raise BadInput(str(error)) from None


def _line(row: dict[str, Any]) -> str:
    field = f"{row['name']}.{row['field']}" if row["field"] else row["name"]
    return f"{row['set']}  {row['depth']:>3}  {row['namespace']}  {field}"
