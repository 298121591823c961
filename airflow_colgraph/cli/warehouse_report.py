"""`colgraph warehouse report`: what a warehouse holds and answers, on one page."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from airflow_colgraph.cli.errors import Failed
from airflow_colgraph.cli.warehouse_answers import Row, read
from airflow_colgraph.cli.warehouse_spark import (
    Steps,
    open_spark,
    spark_options,
    warehouse_option,
)
from airflow_colgraph.store.model import clock
from airflow_colgraph.warehouse.closure import current
from airflow_colgraph.warehouse.coverage import coverage
from airflow_colgraph.warehouse.difference import difference
from airflow_colgraph.warehouse.folder import Folder
from airflow_colgraph.warehouse.impact import impact
from airflow_colgraph.warehouse.unused import unused

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MOST = 10  # rows of a part
WIDTH = 30  # characters of the longest bar
DAY = 86_400_000
COUNTED = ("files", "rejected", "runs", "jobs", "datasets", "fields", "bodies", "edges")
# Each part: its title, the column that is plotted, and those that name a row.
PARTS = {
    "coverage": ("Writes without column lineage, by DAG", "none", ("dag_id", "namespace")),
    "impact": ("Columns that depend on a dataset", "columns", ("namespace", "name")),
    "unused": ("Unused fields of a dataset that jobs read", "fields", ("namespace", "name")),
    "changes": ("Changes of a dataset's lineage and schema", "changes", ("namespace", "name")),
}
STYLE = (
    "body{font:14px system-ui;margin:2em auto;max-width:60em}td{padding:2px 8px}"
    "td.n{text-align:right}rect{fill:#4a7dbd}h2{margin-top:1.6em}"
)


@click.command()
@warehouse_option
@click.option(
    "--days",
    type=click.IntRange(1, 36_500),
    default=30,
    show_default=True,
    help="The changes of the last so many days, and the fields that were not used in them.",
)
@click.option("--html", metavar="FILE", help="Also write the report as a page with charts.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(("text", "json")),
    default="text",
    show_default=True,
    help="The output format.",
)
@spark_options
def report(
    path: str, days: int, html: str | None, format_: str, conf: tuple[str, ...], quiet: bool
) -> None:
    """Print what the warehouse holds: sizes, coverage, impact, unused fields and changes.

    \b
    Example:
      colgraph warehouse report --warehouse /lake/lineage --html lineage.html
    """
    steps = Steps(quiet)
    with open_spark(conf) as spark:
        figures = _collected(spark, path, days, steps)
        steps.end()
    if html:
        try:
            Path(html).write_text(page(figures), "utf-8")
        except OSError as error:
            raise Failed(f"{html} cannot be written: {error.strerror}.") from None
    click.echo(json.dumps(figures, indent=2) if format_ == "json" else "\n".join(lines(figures)))


Answer = Callable[[], str]  # the path of a table


def _collected(spark: SparkSession, path: str, days: int, steps: Steps) -> dict[str, Any]:
    folder = Folder(spark, path)
    version = current(folder)
    steps.show("sizes")
    figures: dict[str, Any] = {
        "version": version.number,
        "days": days,
        "sizes": {name: version.table(spark, name).count() for name in COUNTED},
    }
    now = clock.parse("now") // DAY * DAY
    since = now - days * DAY
    answers: dict[str, Answer] = {
        "coverage": lambda: coverage(spark, path),
        "impact": lambda: impact(spark, path),
        "unused": lambda: unused(spark, path, since),
        "changes": lambda: difference(spark, path, since, now),
    }
    for part, answer in answers.items():
        steps.show(part)
        figures[part] = _part(spark, part, answer())
    return figures


def _part(spark: SparkSession, part: str, answer: str) -> list[Row]:
    _, column, names = PARTS[part]
    if part in ("coverage", "impact"):
        order = f"{column} DESC, {', '.join(names)}"
        rows, _ = read(spark, answer, order, MOST)
        return [row for row in rows if row[column] or part == "coverage"]
    chosen = "WHERE status = 'unused' AND readers > 0 " if part == "unused" else ""
    text = (
        f"SELECT namespace, name, count(*) AS {column} FROM {{answers}} {chosen}"
        f"GROUP BY namespace, name ORDER BY {column} DESC, namespace, name LIMIT {MOST}"
    )
    frame = spark.sql(text, answers=spark.read.parquet(answer))
    return [row.asDict() for row in frame.collect()]


def lines(figures: dict[str, Any]) -> list[str]:
    """The report for a terminal."""
    sizes = ", ".join(f"{count} {name}" for name, count in figures["sizes"].items())
    shown = [f"version {figures['version']}: {sizes}"]
    for part, (title, column, names) in PARTS.items():
        shown += ["", _title(part, title, figures)]
        most = max((row[column] for row in figures[part]), default=0)
        for row in figures[part]:
            bar = "#" * (-(-WIDTH * row[column] // most) if most else 0)
            shown.append(f"{row[column]:>9}  {bar:<{WIDTH}}  {_name(row, names)}")
        if not figures[part]:
            shown.append("none")
    return shown


def page(figures: dict[str, Any]) -> str:
    """The report as an HTML page that needs nothing else."""
    sizes = "".join(
        f"<tr><td>{name}</td><td class=n>{count}</td></tr>"
        for name, count in figures["sizes"].items()
    )
    parts = [f"<h1>Lineage, version {figures['version']}</h1><table>{sizes}</table>"]
    for part, (title, column, names) in PARTS.items():
        most = max((row[column] for row in figures[part]), default=0)
        rows = "".join(
            f"<tr><td>{escape(_name(row, names))}</td><td class=n>{row[column]}</td>"
            f'<td><svg width="300" height="12"><rect width="{300 * row[column] // (most or 1)}" '
            f'height="12"/></svg></td></tr>'
            for row in figures[part]
        )
        parts.append(
            f"<h2>{escape(_title(part, title, figures))}</h2><table>{rows or 'none'}</table>"
        )
    return (
        "<!doctype html><html lang=en><meta charset=utf-8><title>Lineage</title>"
        f"<style>{STYLE}</style>{''.join(parts)}</html>\n"
    )


def _title(part: str, title: str, figures: dict[str, Any]) -> str:
    return f"{title}, last {figures['days']} days" if part in ("unused", "changes") else title


def _name(row: Row, names: Sequence[str]) -> str:
    return "  ".join(str(row[name] or "(none)") for name in names)
