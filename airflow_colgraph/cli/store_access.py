"""The store that a command works on: the option `--store`, opening it, and its errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import click
from click.core import ParameterSource
from sqlalchemy.engine import Connection

from airflow_colgraph.cli.errors import BadInput, Failed
from airflow_colgraph.store.default_url import default_url
from airflow_colgraph.store.errors import (
    BadStoreUrl,
    EventError,
    QuestionError,
    StoreError,
    UnknownNode,
)
from airflow_colgraph.store.query import listing
from airflow_colgraph.store.store import Store

Function = TypeVar("Function", bound=Callable[..., Any])
AFTER = "colgraph.store"  # in a context's `meta`: the URL behind the command


def _use(context: click.Context, _: click.Parameter, url: str | None) -> None:
    if url:
        context.obj = context.meta[AFTER] = url


def store_option(command: Function) -> Function:
    """Accept `--store` after the command's name, too; it wins over the one before."""
    return click.option(
        "--store",
        metavar="URL",
        expose_value=False,
        callback=_use,
        help="The store's database URL; may also precede the command. The last one is used.",
    )(command)


def named_store(context: click.Context) -> str | None:
    """The URL of `--store`, before or after the command; None if only the environment has one."""
    root = context.find_root()
    is_named = root.get_parameter_source("store") is ParameterSource.COMMANDLINE
    url = context.meta.get(AFTER) or (root.params["store"] if is_named else None)
    return str(url) if url else None


def open_store(context: click.Context, *, create: bool = False) -> Store:
    """The store that `--store` names, else the configured or the default one.

    Only the commands that write pass `create`: the others make nothing at a mistyped URL.
    """
    return Store.open(context.obj or default_url(), create=create)


def require_datasets(connection: Connection) -> None:
    """Raise BadInput if the store is empty: a question about all datasets looks at nothing."""
    if not listing.datasets(connection, "", limit=1):
        raise BadInput("The store is empty: it has no dataset.")


@contextmanager
def store_errors() -> Iterator[None]:
    """The store's errors as one line: exit code 2 for wrong usage, 1 for a failing store."""
    try:
        yield
    except (BadStoreUrl, EventError, QuestionError, UnknownNode) as error:
        raise BadInput(str(error)) from None
    except StoreError as error:
        raise Failed(str(error)) from None
