"""Options that several commands have, and what an extra is asked for by."""

from __future__ import annotations

import getpass
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from airflow_colgraph.cli.errors import BadInput

Function = TypeVar("Function", bound=Callable[..., Any])

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
namespace_option = click.option(
    "--namespace", default="", metavar="NS", help="The dataset's namespace."
)
name_option = click.option("--name", required=True, help="The dataset's name.")
by_option = click.option("--by", metavar="NAME", help="Who asks for it. Default: the login name.")


def login() -> str:
    """The login name; none in a container whose user has no name."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return ""


def format_option(
    formats: Collection[str], help: str, default: str = "table"
) -> Callable[[Function], Function]:
    """Accept `--format`, one of the formats."""
    choice = click.Choice(list(formats))
    return click.option(
        "--format", "format_", type=choice, default=default, show_default=True, help=help
    )


def all_of(*options: Callable[[Function], Function]) -> Callable[[Function], Function]:
    """Accept several options, in this order."""

    def add(command: Function) -> Function:
        for option in reversed(options):
            command = option(command)
        return command

    return add


@contextmanager
def extra(name: str, what: str) -> Iterator[None]:
    """Import what an extra of the distribution brings; BadInput names it where it is missing."""
    try:
        yield
    except ImportError as error:
        raise BadInput(
            f"{what} needs the extra '{name}' ({error}): pip install 'colgraph[{name}]'."
        ) from None
