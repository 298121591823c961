"""Run one export from options as users give them: check them, then write a file or send it."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from airflow_colgraph.exports.datahub import platform
from airflow_colgraph.exports.export_state import State, StateError, parse_state
from airflow_colgraph.exports.exporters import FORMATS, Options, send_all
from airflow_colgraph.exports.http_client import SendError, check_url
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.store import Store


class WrongUse(ValueError):
    """Options that cannot be used together or at all; the text is one line."""


class NothingExported(WrongUse):
    """The store has nothing that the export is of; the text is one line."""


@dataclass(frozen=True)
class Target:
    """Where an export goes: a file, a file that is open, or a server. `state` is a file, too."""

    output: str | BinaryIO | None = None
    url: str | None = None
    token: str = ""
    state: str | None = None


def check(name: str, target: Target, fields: Mapping[str, Any]) -> None:
    """WrongUse if the format does not exist or does not know one of the options given."""
    if name not in FORMATS:
        raise WrongUse(f"There is no format '{name}'. One of: {', '.join(FORMATS)}.")
    for option, value in {**fields, "url": target.url, "state": target.state}.items():
        if value and option not in FORMATS[name].options:
            users = [other for other in FORMATS if option in FORMATS[other].options]
            if not users:
                raise WrongUse(f"There is no option '{option}'.")
            raise WrongUse(
                f"Option '{option}' does not apply to {name}. It applies to: {', '.join(users)}."
            )
    if target.output and target.url:
        raise WrongUse("Both a path and a URL are given. Expected one.")


def export(
    store: Store,
    name: str,
    target: Target,
    fields: Mapping[str, Any],
    warn: Callable[[str], None],
) -> int:
    """Write the store's lineage to a file, or send it to a server.

    Args:
        store: An open `Store`.
        name: A key of `exporters.FORMATS`, e.g. `datahub`.
        target: The file or the server, and the file of the export's state.
        fields: The fields of `exporters.Options` by name; empty values count as not given. `since`
            is a time as users type it (`now-7d`), `mapping` a file or its content as a dict.
        warn: Called with a line for everything that is left out.

    Returns:
        The number of units written or taken: events, aspects, documents or edges. Files are
        written atomically.

    Raises:
        WrongUse: An unknown format, or options that the format does not accept.
        NothingExported: There is nothing to export, and neither `since` nor a state was given.
        MappingError: The mapping is invalid.
        StateError: The state's file is no state of an export.
        SendError: The server did not take a document.
    """
    check(name, target, fields)
    if target.url:
        try:
            check_url(target.url)
        except SendError as error:
            raise WrongUse(str(error)) from None
    seen = _state(target.state)
    options = _options({option: value for option, value in fields.items() if value})
    options = replace(options, warn=warn, state=seen)
    with store.connection() as connection:
        if target.url:
            try:
                count = send_all(connection, name, options, target.url, target.token)
                _require(count, name, options)
                return count
            finally:  # what a server took before it failed is not sent again
                _write_state(target.state, seen)
        if target.output is None:
            raise WrongUse("Neither a path nor a URL is given. Expected one.")
        with _file(target.output) as file:
            count = FORMATS[name].write(connection, options, file)
            _require(count, name, options)
        _write_state(target.state, seen)
        return count


def _require(count: int, name: str, options: Options) -> None:
    """An export of everything that is nothing was of a wrong store, or left all of it out."""
    if not count and options.since is None and options.state is None:
        raise NothingExported(f"There are no {FORMATS[name].unit} to export: nothing was exported.")


def _options(options: dict[str, Any]) -> Options:
    if "since" in options:
        options["since"] = clock.parse(options["since"])
    if "mapping" in options:
        options["mapping"] = _mapping(options["mapping"])
    if "aspects" in options:
        options["aspects"] = tuple(options["aspects"])
    return Options(**options)


def _mapping(source: Any) -> platform.Mapping:
    if not isinstance(source, str):
        return platform.parse_mapping(json.dumps(source))
    try:
        return platform.parse_mapping(Path(source).read_bytes())
    except platform.MappingError as error:
        raise platform.MappingError(f"{source}: {error}") from None


@contextmanager
def _file(output: str | BinaryIO) -> Iterator[BinaryIO]:
    if not isinstance(output, str):
        yield output
        output.flush()
        return
    path = Path(output)
    if not path.parent.is_dir():
        raise WrongUse(f"There is no folder {path.parent}.")
    descriptor, part = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
        os.chmod(part, 0o666 & ~_umask())
        os.replace(part, path)
    except BaseException:
        os.unlink(part)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _state(file: str | None) -> State | None:
    if file is None:
        return None
    path = Path(file)
    try:
        return parse_state(path.read_bytes()) if path.exists() else {}
    except StateError as error:
        raise StateError(f"{file}: {error}") from None


def _write_state(file: str | None, state: State | None) -> None:
    if file is not None:
        with _file(file) as stream:
            stream.write(json.dumps(state, indent=0, sort_keys=True).encode())
