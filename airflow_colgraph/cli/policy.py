"""`colgraph policy check`: no dataset has a tag that it must not have."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from airflow_colgraph.check.planned import check_planned
from airflow_colgraph.check.policy import FORMATS, PolicyReport
from airflow_colgraph.check.policy import check as run
from airflow_colgraph.check.tag_settings import TagSettings
from airflow_colgraph.cli.check import check_settings
from airflow_colgraph.cli.errors import BadInput
from airflow_colgraph.cli.event_files import required_events
from airflow_colgraph.cli.options import format_option
from airflow_colgraph.cli.store_access import open_store, store_errors, store_option, warn_of_new
from airflow_colgraph.cli.tags import config_option, tag_settings
from airflow_colgraph.queries import with_tables
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.store import Store


@click.group()
def policy() -> None:
    """Check that no dataset has a tag that it must not have."""


@policy.command()
@config_option
@click.option("--at", metavar="TIME", help="The tags as of TIME. Default: now.")
@click.option(
    "--planned",
    metavar="FILE",
    multiple=True,
    help="Events of colgraph plan: as if these jobs had run now; may be given again.",
)
@format_option(FORMATS, "How to print the result.")
@store_option
@click.pass_context
def check(
    context: click.Context,
    config: Path | None,
    at: str | None,
    planned: tuple[str, ...],
    format_: str,
) -> None:
    """Check the store by the rules [[policy.rules]]; each tag has the path by which it came.

    The exit code is 1 if a rule with the severity error is broken, and 2 if undetermined: a
    rule's pattern matches nothing, there are too many edges, a planned job may write more than
    its plan tells, or the rules cannot be used. --planned changes nothing in the store.

    \b
    Example:
      colgraph policy check --config colgraph.toml
      colgraph policy check --planned colgraph-plan.jsonl
    """
    if planned and at:
        raise BadInput("--planned is about now; leave out --at.")
    settings = tag_settings(config)
    if not settings.policies:
        raise BadInput("There is no policy. Write [[policy.rules]] into colgraph.toml.")
    with store_errors():
        if planned:
            report = _planned(open_store(context), settings, planned, config)
        else:
            report = run(open_store(context), settings, clock.parse_given(at))
    click.echo(FORMATS[format_](report), nl=False)
    sys.exit(report.exit_code)


def _planned(
    store: Store, settings: TagSettings, files: tuple[str, ...], config: Path | None
) -> PolicyReport:
    events = with_tables(required_events(files, "checked"))
    report, new_sources = check_planned(store, settings, events, check_settings(config))
    warn_of_new(new_sources)
    return report
