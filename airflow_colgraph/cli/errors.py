"""How a command says in one line that its input is wrong."""

from __future__ import annotations

from typing import IO, Any

import click


class BadInput(click.ClickException):
    """Input or options that cannot be used: one line, exit code 2."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the line on standard error."""
        click.echo(f"colgraph: {self.message}", file=file, err=True)


class Failed(BadInput):
    """Something that went wrong although the input was fine: one line, exit code 1."""

    exit_code = 1
