"""`colgraph check`: a changed job's lineage against the lineage in force."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from airflow_colgraph.check.change import Report
from airflow_colgraph.check.formats import FORMATS, report_keys
from airflow_colgraph.check.run import in_memory, run
from airflow_colgraph.check.settings import Settings, read
from airflow_colgraph.check.toml_file import SettingsError
from airflow_colgraph.cli.errors import BadInput, Failed, print_warning
from airflow_colgraph.cli.event_files import required_events
from airflow_colgraph.cli.options import format_option
from airflow_colgraph.cli.store_access import open_store, store_errors, store_option
from airflow_colgraph.queries import with_tables
from airflow_colgraph.store.model.tag_travel import without_match
from airflow_colgraph.store.query.dataset_details import owners
from airflow_colgraph.store.query.listing import column_names, every_dataset
from airflow_colgraph.store.query.tags import unmatched
from airflow_colgraph.store.store import Store


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option(
    "--base",
    "bases",
    metavar="FILE",
    multiple=True,
    help="Compare with the events in FILE, not with the store; may be given again.",
)
@click.option(
    "--config",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The rules. Default: colgraph.toml, else [tool.colgraph] in pyproject.toml.",
)
@click.option(
    "--baseline",
    metavar="FILE",
    help="A report in JSON: what it has already is a note, unless it is undetermined.",
)
@format_option(FORMATS, "How to print the changes; markdown is a comment for a pull request.")
@click.option("-o", "--output", metavar="FILE", help="Write to FILE and not to standard output.")
@click.option("--source", metavar="PATH", default="", help="The job's file, for sarif.")
@store_option
@click.pass_context
def check(
    context: click.Context,
    files: tuple[str, ...],
    bases: tuple[str, ...],
    config: Path | None,
    baseline: str | None,
    format_: str,
    output: str | None,
    source: str,
) -> None:
    """Compare a changed job's lineage with the store's, and judge the changes by rules.

    The FILEs (- is standard input) are the events of a run of the changed job, e.g. of `colgraph
    submit --output FILE`. The exit code is 1 if a change is an error by the rules, and 2 if
    undetermined: lineage is not wholly known, nothing was compared, or the input cannot be used.

    \b
    Example:
      colgraph check --format markdown events.jsonl
      colgraph check --base main.jsonl --config colgraph.toml events.jsonl
    """
    settings = replace(check_settings(config), baseline=_baseline(baseline))
    new = _events(files)
    with store_errors():
        base = in_memory(_events(bases)) if bases else open_store(context)
        report = run(base, new, settings, source)
        if not bases:  # which may have some of the datasets only
            _warn_of_patterns(base, report, settings)
    text = FORMATS[format_](report)
    if output:
        try:
            Path(output).write_text(text, encoding="utf-8")
        except OSError as error:
            raise Failed(f"{output}: {error.strerror}.") from None
    else:
        click.echo(text, nl=False)
    sys.exit(report.exit_code)


def _warn_of_patterns(base: Store, report: Report, settings: Settings) -> None:
    """Name the patterns that match nothing: they are probably mistyped."""
    columns, owned = settings.patterns("columns"), settings.patterns("owners")
    with base.connection() as connection:
        datasets = {(namespace, name) for _, namespace, name in every_dataset(connection)}
        datasets.update((dataset.namespace, dataset.name) for dataset in report.jobs)
        names = column_names(connection) if columns else set()
        names.update(name for change in report.changes for name in change.columns)
        without = {
            "dataset": settings.unmatched(datasets),
            "tag": unmatched(connection, settings.patterns("tags")),
            "column": without_match(columns, names),
            "owner": without_match(owned, owners(connection) if owned else ()),
        }
    for what, patterns in without.items():
        for pattern in patterns:
            print_warning(f"no {what} of the store matches {pattern!r} of the rules or exports.")


def check_settings(config: Path | None) -> Settings:
    """The rules of checks in the file, or in the first of the current folder that has any."""
    try:
        return read(config)
    except SettingsError as error:
        raise BadInput(str(error)) from None


def _baseline(file: str | None) -> frozenset[tuple[str, ...]]:
    """The keys of the changes in a report."""
    if file is None:
        return frozenset()
    try:
        return report_keys(Path(file).read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInput(f"{file}: {error.strerror}.") from None
    except ValueError as error:
        raise BadInput(f"{file}: {error}") from None


def _events(files: tuple[str, ...]) -> list[dict[str, Any]]:
    """The files' events; a check that read only some of them could let anything pass."""
    return with_tables(required_events(files, "checked"))
