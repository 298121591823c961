"""`colgraph warehouse publish`: a warehouse's lineage as a store."""

from __future__ import annotations

import click

from airflow_colgraph.cli.progress import status_line
from airflow_colgraph.cli.warehouse_spark import (
    moment,
    numbered,
    open_spark,
    spark_options,
    warehouse_option,
)
from airflow_colgraph.warehouse.kept_history import ALL, LATEST_ONLY


@click.command()
@warehouse_option
@click.option(
    "--since",
    metavar="TIME",
    help="Also the history from TIME on (2026-11-20T10:00Z or now-30d), or `all` of it.",
)
@click.option(
    "--replace", is_flag=True, help="Also a store that knows what the warehouse does not know."
)
@click.option(
    "--store",
    "url",
    metavar="URL",
    help="The store's database URL; may also precede the commands.",
)
@spark_options
@click.pass_context
def publish(
    context: click.Context,
    path: str,
    since: str | None,
    replace: bool,
    url: str | None,
    conf: tuple[str, ...],
    quiet: bool,
) -> None:
    """Replace a store's lineage by the warehouse's current state.

    The page and the REST API answer from the old state until the new one takes its place, whole.
    API keys, tags that people have set and stored events stay. Into PostgreSQL Spark's tasks write
    in parallel; a SQLite file is written by this process.

    \b
    Example:
      colgraph warehouse publish --warehouse /lake/lineage --store postgresql://team@db/lineage
      colgraph warehouse publish --warehouse /lake/lineage --store sqlite:///lineage.db --since all
    """
    from airflow_colgraph.cli.store_access import store_errors  # not for `--help`: SQLAlchemy
    from airflow_colgraph.publish.publish import publish as publish_as
    from airflow_colgraph.store.default_url import default_url

    kept = LATEST_ONLY
    if since is not None:
        kept = ALL if since == "all" else moment("--since", since)
    with store_errors(), open_spark(conf) as spark, status_line(quiet) as show:
        published = publish_as(
            spark,
            path,
            url or context.obj or default_url(),
            since=kept,
            replace=replace,
            progress=numbered(show),
        )
    rows = published.rows
    click.echo(
        f"version {published.version}: {rows['dataset']} datasets, {rows['edge']} edges, "
        f"{rows['run']} runs"
    )
