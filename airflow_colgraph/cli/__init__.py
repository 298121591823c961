"""The command line: `colgraph submit`, `show`, `ingest`, `upstream`, `downstream`, ...

Each command lives in a module that is imported when it is asked for, so that `colgraph submit`
starts without loading the store.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from functools import partial
from textwrap import shorten
from typing import Any

import click

from airflow_colgraph import __version__
from airflow_colgraph.cli.errors import print_error, show_error

# The commands with their summaries in `colgraph --help`, which would otherwise import each of them.
COMMANDS = {
    "submit": "Run spark-submit so that the job reports its column lineage.",
    "pipelines": "Run spark-pipelines so that the pipeline reports its column lineage.",
    "connect-server": "Start a Spark Connect server that reports the lineage of its clients.",
    "collector": "Write the collector's two files into FOLDER, and print their paths.",
    "show": "Print the lineage in OpenLineage event files: one JSON document a line.",
    "plan": "Show the column lineage of a PySpark job, a SQL script or a DAG, without its data.",
    "check": "Compare a changed job's lineage with the store's, and judge the changes by rules.",
    "ingest": "Add the OpenLineage events in FILEs (- is standard input).",
    "deliver": "Deliver the events in the folder SPOOL, the oldest first, and remove them from it.",
    "consume": "Add the OpenLineage events in Kafka topics, until interrupted.",
    "upstream": "Trace a field upstream, across jobs, to its sources.",
    "downstream": "Trace a field downstream, across jobs.",
    "find": "Find datasets and fields whose name contains TEXT.",
    "fields": "List a dataset's fields: type, first and last time, and those that were dropped.",
    "history": "Show each distinct lineage of a field over time, the oldest first.",
    "diff": "Show what changed in a dataset's lineage and schema between two times.",
    "tags": "Set, remove and show tags of fields and datasets, and where they travelled.",
    "policy": "Check that no dataset has a tag that it must not have.",
    "unused": "List the fields that no job has used for some time, by DIRECT or INDIRECT lineage.",
    "copies": "List every field that holds the value of DATASET.FIELD without masking.",
    "why": "Show what changed upstream of DATASET.FIELD since a time or a run.",
    "rerun": "Run the tasks again that depend on changed columns, over all DAGs, and only those.",
    "serve": "Serve the store over REST until interrupted.",
    "mcp": "Answer an agent's questions about lineage, as an MCP server.",
    "db": "Manage the store's database.",
    "doctor": "Look at the store, the spool, Airflow and Spark here, and name what is wrong.",
    "metrics": "Write the metrics of the store and of a spool to FILE, or to standard output.",
    "forget": "Delete a dataset, job, run, namespace or text from the store: its lineage too.",
    "retire": "End the lineage of a deleted DAG's or of another job's from a time on.",
    "audit": "List who forgot, retired, pruned, changed tags or keys, or read tagged columns.",
    "paths": "Print the field paths of SCHEMA, one a line.",
    "export": "Write the store's lineage as FORMAT, or send it to a server.",
    "convert": "Print lineage or tags in another system's FILE as OpenLineage events, one a line.",
    "warehouse": "Build tables of the lineage of many jobs, and query all of it, with Spark.",
}
ELSEWHERE = {  # the modules of commands that have another name
    **dict.fromkeys(("upstream", "downstream"), "lineage"),
    **dict.fromkeys(("find", "fields", "history", "diff"), "catalog"),
    **{"db": "database", "audit": "forget", "convert": "export"},
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
        function = name.replace("-", "_")
        module = importlib.import_module(f"airflow_colgraph.cli.{ELSEWHERE.get(name, function)}")
        command = getattr(module, function)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands with COMMANDS, a line each."""
        limit = formatter.width - 6 - max(map(len, COMMANDS))
        rows = [(name, shorten(text, limit, placeholder="...")) for name, text in COMMANDS.items()]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is called; for a name that is none, an error that names a near one."""
        near = get_close_matches(args[0], COMMANDS, n=1)
        if args[0] not in COMMANDS and near and not args[0].startswith("-"):
            context.fail(f"No such command {args[0]!r}. Did you mean {near[0]!r}?")
        return super().resolve_command(context, args)

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run the command line; errors of click's own have our prefix, too."""
        run: Callable[[], Any] = partial(
            super().main, args, prog_name, complete_var, standalone_mode=False, **extra
        )
        if not standalone_mode:
            return run()
        try:
            code = run()
        except click.ClickException as error:
            show_error(error)
            code = error.exit_code
        except click.Abort:
            print_error("Interrupted.")
            code = 1
        sys.exit(code if isinstance(code, int) else 0)


@click.group(cls=Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--store",
    "store",
    envvar="COLGRAPH_STORE",
    metavar="URL",
    help="The store's database URL; may also follow the command. The last one is used.",
)
@click.version_option(__version__)
@click.pass_context
def main(context: click.Context, store: str | None) -> None:
    """Column-level lineage of Spark jobs.

    \f
    Args:
        context: Click's context; its `obj` becomes the store's URL for the command.
        store: The URL of `--store` or of the environment variable COLGRAPH_STORE, or None.

    Raises:
        SystemExit: 0 for success, 1 if the store or a server failed, 2 for invalid input.
    """
    context.obj = store
