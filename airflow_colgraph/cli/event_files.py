"""Event files that a command is given: files, folders of part files, URIs."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any

from airflow_colgraph.cli.errors import BadInput, print_error
from airflow_colgraph.collector.sinks import sink as sinks


def read_events(files: Iterable[str]) -> tuple[list[dict[str, Any]], int]:
    """The events of all files (- is standard input); what cannot be read is reported.

    The number is the exit code: 2 if a file cannot be read, 1 if a line is no event, else 0.
    """
    events = []
    code = 0
    for file in files:
        try:
            reading = sinks.parse(sys.stdin.buffer.read()) if file == "-" else sinks.read(file)
        except FileNotFoundError:
            print_error(f"{file} does not exist.")
            code = 2
            continue
        except OSError as error:
            name = sinks.without_userinfo(file) if "://" in file else file
            print_error(f"{name} cannot be read: {error.strerror or error}")
            code = 2
            continue
        events += reading.events
        for number, why in reading.bad:
            print_error(f"{file}, line {number}: {why}")
        code = max(code, 1 if reading.bad else 0)
    return events, code


def required_events(files: Sequence[str], verb: str) -> list[dict[str, Any]]:
    """The events of all files, of which each line was read and there is at least one.

    Raises:
        BadInput: A part cannot be used, so that nothing is `verb`, such as `checked`.
    """
    events, code = read_events(files)
    if code:
        raise BadInput(f"nothing was {verb}.")
    if not events:
        raise BadInput(f"{', '.join(files)}: there are no events, so nothing was {verb}.")
    return events
