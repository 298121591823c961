"""Errors of a command that reads a spool."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from airflow_colgraph.cli.errors import BadInput, Failed
from airflow_colgraph.spools import NoFsspec


@contextmanager
def spool_errors() -> Iterator[None]:
    """Fail in one line: with exit code 1 if the spool cannot be reached, 2 if a package is missing.

    Raises:
        BadInput: fsspec, or its package for the file system, is not installed.
        Failed: The spool cannot be reached, or another process delivers it.
    """
    try:
        yield
    except NoFsspec as error:
        raise BadInput(str(error)) from None
    except OSError as error:
        raise Failed(str(error)) from None
