"""`colgraph policy check`: no dataset has a tag that it must not have."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from airflow_colgraph.check.policy import FORMATS
from airflow_colgraph.check.policy import check as run
from airflow_colgraph.cli.errors import BadInput
from airflow_colgraph.cli.options import format_option
from airflow_colgraph.cli.store_access import open_store, store_errors, store_option
from airflow_colgraph.cli.tags import config_option, tag_settings
from airflow_colgraph.store.model import clock


@click.group()
def policy() -> None:
    """Check that no dataset has a tag that it must not have."""


@policy.command()
@config_option
@click.option("--at", metavar="TIME", help="The tags as of TIME. Default: now.")
@format_option(FORMATS, "How to print the result.")
@store_option
@click.pass_context
def check(context: click.Context, config: Path | None, at: str | None, format_: str) -> None:
    """Check the store by the rules [[policy.rules]]; each tag has the path by which it came.

    The exit code is 1 if a rule with the severity error is broken, and 2 if undetermined: a
    rule's pattern matches nothing, there are too many edges, or the rules cannot be used.

    Example: colgraph policy check --config colgraph.toml
    """
    settings = tag_settings(config)
    if not settings.policies:
        raise BadInput("There is no policy. Write [[policy.rules]] into colgraph.toml.")
    with store_errors():
        report = run(open_store(context), settings, clock.parse_given(at))
    click.echo(FORMATS[format_](report), nl=False)
    sys.exit(report.exit_code)
