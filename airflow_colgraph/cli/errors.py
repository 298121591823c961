"""Errors and warnings of the command line: one line each, under one prefix."""

from __future__ import annotations

from typing import IO, Any

import click

PREFIX = "colgraph: "


class BadInput(click.ClickException):
    """Input or options that cannot be used: one line, exit code 2."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the line on standard error."""
        print_error(self.message)


class Failed(BadInput):
    """A failure although the input was right: one line, exit code 1."""

    exit_code = 1


def print_error(message: str) -> None:
    """Print `colgraph: error: ...` on standard error."""
    click.echo(f"{PREFIX}error: {message}", err=True)


def print_warning(message: str) -> None:
    """Print `colgraph: warning: ...` on standard error."""
    click.echo(f"{PREFIX}warning: {message}", err=True)


def show_error(error: click.ClickException) -> None:
    """Print any error of click's under our prefix; usage errors with the usage first."""
    if isinstance(error, click.UsageError) and error.ctx is not None:
        click.echo(error.ctx.get_usage(), err=True)
        help_option = error.ctx.help_option_names[-1:]
        if help_option:
            path = error.ctx.command_path
            click.echo(f"Try '{path} {help_option[0]}' for help.\n", err=True)
    print_error(error.format_message())
