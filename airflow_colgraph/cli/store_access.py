"""The store that a command works on: the option `--store`, opening it, and its errors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import click
from click.core import ParameterSource
from sqlalchemy.engine import Connection

from airflow_colgraph.cli.errors import BadInput, Failed, print_warning
from airflow_colgraph.store.default_url import default_url
from airflow_colgraph.store.errors import (
    BadStoreUrl,
    EventError,
    QuestionError,
    StoreError,
    UnknownNode,
)
from airflow_colgraph.store.model.latest_lineage import Dataset
from airflow_colgraph.store.query import listing
from airflow_colgraph.store.store import Store

Function = TypeVar("Function", bound=Callable[..., Any])
AFTER = "colgraph.store"  # in a context's `meta`: the URL behind the command
PLANNED = "colgraph.planned"  # likewise: the files of `--planned`


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

    Only the commands that write pass `create`: the others make nothing at a mistyped URL. With
    `--planned` it is a copy.
    """
    store = Store.open(context.obj or default_url(), create=create)
    return _as_if_run(context, store) if PLANNED in context.meta else store


def require_datasets(connection: Connection) -> None:
    """Raise BadInput if the store is empty: a question about all datasets looks at nothing."""
    if not listing.datasets(connection, "", limit=1):
        raise BadInput("The store is empty: it has no dataset.")


def _plan(context: click.Context, _: click.Parameter, files: tuple[str, ...]) -> None:
    if files:
        context.meta[PLANNED] = files


planned_option = click.option(
    "--planned",
    metavar="FILE",
    multiple=True,
    expose_value=False,
    callback=_plan,
    help="Events of colgraph plan: as if these jobs had run now; may be given again.",
)


def _as_if_run(context: click.Context, store: Store) -> Store:
    """A copy of the store in which the jobs of `--planned` have run, until the command ends."""
    from airflow_colgraph.check.planned import as_if_run
    from airflow_colgraph.check.settings import read
    from airflow_colgraph.check.toml_file import SettingsError
    from airflow_colgraph.cli.event_files import required_events
    from airflow_colgraph.queries import with_tables

    events = with_tables(required_events(context.meta[PLANNED], "asked"))
    try:
        settings = read(None)
    except SettingsError as error:
        raise BadInput(str(error)) from None
    trial = context.with_resource(as_if_run(store, events, settings))
    for reason in trial.gaps:
        print_warning(f"the plan may not have all lineage: {reason}")
    warn_of_new(trial.new_sources)
    return trial.store


def warn_of_new(sources: Iterable[Dataset]) -> None:
    """Name the datasets that a plan reads and the store does not have."""
    names = ", ".join(f"{source.namespace} {source.name}" for source in sources)
    if names:
        print_warning(
            f"the store does not have {names}, which the plan reads: what is upstream is not known."
            " [[check.datasets]] maps names of CI to names in the store."
        )


@contextmanager
def store_errors() -> Iterator[None]:
    """The store's errors as one line: exit code 2 for wrong usage, 1 for a failing store."""
    try:
        yield
    except (BadStoreUrl, EventError, QuestionError, UnknownNode) as error:
        raise BadInput(str(error)) from None
    except StoreError as error:
        raise Failed(str(error)) from None
