"""The command line: `colgraph submit`, `show`, `ingest`, `upstream`, `downstream`, ...

Each command lives in the module that COMMANDS names and is imported when it is asked for, so that
`colgraph submit` starts without loading the store.
"""

from __future__ import annotations

import importlib

import click

COMMANDS = {
    "submit": "airflow_colgraph.cli.submit",
    "collector": "airflow_colgraph.cli.collector",
    "show": "airflow_colgraph.cli.show",
    "ingest": "airflow_colgraph.cli.store",
    "upstream": "airflow_colgraph.cli.store",
    "downstream": "airflow_colgraph.cli.store",
    "find": "airflow_colgraph.cli.catalog",
    "fields": "airflow_colgraph.cli.catalog",
    "history": "airflow_colgraph.cli.catalog",
    "diff": "airflow_colgraph.cli.catalog",
    "serve": "airflow_colgraph.cli.serve",
    "db": "airflow_colgraph.cli.database",
    "paths": "airflow_colgraph.cli.paths",
    "export": "airflow_colgraph.cli.export",
    "convert": "airflow_colgraph.cli.export",
}


class Lazy(click.Group):
    """A group whose commands are imported one at a time: the function is named as the command."""

    def list_commands(self, context: click.Context) -> list[str]:
        """Every command, in the order of COMMANDS."""
        return list(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """The command `name`, imported now."""
        if name not in COMMANDS:
            return None
        command = getattr(importlib.import_module(COMMANDS[name]), name)
        assert isinstance(command, click.Command)
        return command


@click.group(cls=Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--store", "store", envvar="COLGRAPH_STORE", metavar="URL", help="The store's database."
)
@click.version_option(package_name="airflow-colgraph")
@click.pass_context
def main(context: click.Context, store: str | None) -> None:
    """Column-level lineage of Spark jobs."""
    context.obj = store
