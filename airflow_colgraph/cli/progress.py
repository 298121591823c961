"""A bar or a line for long work, where standard error is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click


@contextmanager
def progress(label: str) -> Iterator[Callable[[int, int], None]]:
    """A function to call with how much is done, and with how much there is."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    with click.progressbar(length=1, label=label, file=sys.stderr) as bar:

        def show(done: int, total: int) -> None:
            bar.length = total
            bar.update(done - bar.pos)

        yield show


@contextmanager
def status_line(quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """A function to call with a text that takes the place of the one before; "" clears the line."""
    if quiet or not sys.stderr.isatty():
        yield lambda text: None
        return

    def show(text: str) -> None:
        click.echo(f"\r\x1b[K{text}", err=True, nl=False)

    try:
        yield show
    finally:
        show("")
