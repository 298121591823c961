"""`airflow colgraph ...`: our command line under Airflow's, with the same commands and options."""

from __future__ import annotations

import argparse
from typing import Any


def get_cli_commands() -> list[Any]:
    """The command that Airflow 3.2 and later add to theirs."""
    from airflow.cli.cli_config import ActionCommand, Arg, lazy_load_command

    return [
        ActionCommand(
            name="colgraph",
            help="Column lineage of Spark jobs",
            description="Run a `colgraph` command: ARGUMENTS are the command and its options.",
            epilog="examples:\n"
            "  airflow colgraph upstream --namespace file --name /lake/mart --field total\n"
            "  airflow colgraph -- --help",
            func=lazy_load_command("airflow_colgraph.airflow_cli.run"),
            args=(
                Arg(
                    ("arguments",),
                    nargs=argparse.REMAINDER,
                    metavar="ARGUMENTS",
                    help="e.g. upstream, downstream, show, ingest; -- --help lists them",
                ),
            ),
        )
    ]


def run(namespace: argparse.Namespace) -> None:
    """Run `colgraph` with these arguments; it ends the process with its exit code."""
    from airflow_colgraph.cli import main

    arguments = namespace.arguments
    main(arguments[1:] if arguments[:1] == ["--"] else arguments, prog_name="airflow colgraph")
