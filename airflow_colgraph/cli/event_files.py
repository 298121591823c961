"""Event files that a command is given: files, folders of part files, URIs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from airflow_colgraph.cli.errors import BadInput, print_error
from airflow_colgraph.collector.sinks.ndjson import event_of

if TYPE_CHECKING:
    from airflow_colgraph.cli.event_documents import Document


def read_events(files: Iterable[str]) -> tuple[list[dict[str, Any]], int]:
    """The events of all files (- is standard input); what cannot be read is reported.

    The number is the exit code: 2 if a file cannot be read, 1 if a line is no event, else 0.
    """
    from airflow_colgraph.cli.event_documents import files_of, read_documents  # not for --help

    events = []
    code = 0
    for file in files:
        try:
            documents = [part for name in files_of(file) for part in read_documents(name)]
        except BadInput as error:
            print_error(error.message)
            code = 2
            continue
        for document in documents:
            try:
                events.append(event_in(document))
            except ValueError as error:
                print_error(f"{file}, {error}")
                code = max(code, 1)
    return events, code


def event_in(document: Document) -> dict[str, Any]:
    """The event that a document is; ValueError says where it stands and why it is none."""
    if document.problem:
        raise ValueError(f"{document.place}: {document.problem}")
    try:
        return event_of(document.value)
    except ValueError as error:
        raise ValueError(f"{document.place}: {error}") from None


def required_events(files: Sequence[str], verb: str) -> list[dict[str, Any]]:
    """The events of all files; BadInput says that nothing was `verb` if a part cannot be used."""
    events, code = read_events(files)
    if code:
        raise BadInput(f"nothing was {verb}.")
    if not events:
        raise BadInput(f"{', '.join(files)}: there are no events, so nothing was {verb}.")
    return events
