"""The command line: `colgraph submit`, `show`, `ingest`, `upstream`, `downstream`, ...

Each command lives in the module that COMMANDS names and is imported when it is asked for, so that
`colgraph submit` starts without loading the store.
"""

from __future__ import annotations

import ast
import importlib
from importlib.util import find_spec
from pathlib import Path

import click

from airflow_colgraph import __version__

COMMANDS = {
    "submit": "airflow_colgraph.cli.submit",
    "bundle": "airflow_colgraph.cli.bundle",
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


def summaries(commands: dict[str, str]) -> dict[str, str]:
    """The first sentence of each command's docstring, read without importing its module."""
    functions: dict[str, dict[str, str]] = {}
    for module in dict.fromkeys(commands.values()):
        spec = find_spec(module)
        assert spec is not None
        assert spec.origin is not None
        body = ast.parse(Path(spec.origin).read_text(encoding="utf-8")).body
        functions[module] = {
            item.name: (ast.get_docstring(item) or "").partition("\n\n")[0].replace("\n", " ")
            for item in body
            if isinstance(item, ast.FunctionDef)
        }
    return {name: functions[module][name] for name, module in commands.items()}


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

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands of `colgraph --help` without importing any of them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(summaries(COMMANDS).items()))


@click.group(cls=Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--store", "store", envvar="COLGRAPH_STORE", metavar="URL", help="The store's database."
)
@click.version_option(__version__)
@click.pass_context
def main(context: click.Context, store: str | None) -> None:
    """Column-level lineage of Spark jobs."""
    context.obj = store
