"""The JSON documents in files of events: lines, lists, indented documents, compressed files."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import re
import sys
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator
from io import SEEK_CUR, BytesIO
from pathlib import Path
from typing import IO, Any, NamedTuple

import click
import orjson

from airflow_colgraph.cli.errors import BadInput
from airflow_colgraph.cli.progress import progress
from airflow_colgraph.collector.sinks import sink as sinks
from airflow_colgraph.collector.sinks.ndjson import UNFINISHED
from airflow_colgraph.collector.sinks.sink import is_local, local_path

DECOMPRESSORS: dict[bytes, Callable[[IO[bytes]], Iterable[bytes]]] = {
    b"\x1f\x8b": lambda stream: gzip.GzipFile(fileobj=stream),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\x00": lzma.LZMAFile,
}
EVENT_FILES = ("part-*", "*.json", "*.jsonl", "*.ndjson")  # in a folder, compressed ones too
INK = re.compile(r"\S")
COMPRESSED = ("", ".gz", ".bz2", ".xz")
BROKEN = (OSError, EOFError, lzma.LZMAError, zlib.error)  # what decompressors raise


class Document(NamedTuple):
    """A document: where it stands, such as `line 3`, and its value or why it has none."""

    place: str
    value: Any = None
    problem: str = ""


def files_of(file: str) -> list[str]:
    """The file itself, or the files of events in a folder and below it, in the order of names."""
    if file == "-" or not is_local(file):
        return [file]
    path = local_path(file)
    if not path.exists():
        raise BadInput(f"{file} does not exist.")
    if not path.is_dir():
        return [file]
    patterns = [name + suffix for name in EVENT_FILES for suffix in COMPRESSED]
    parts = {part for pattern in patterns for part in path.rglob(pattern) if part.is_file()}
    if not parts:
        names = ", ".join(EVENT_FILES)
        raise BadInput(f"{file} is a folder without files of events ({names}).")
    return [str(part) for part in sorted(parts, key=lambda part: (part.name, part))]


def read_documents(file: str, *, bar: bool = False) -> Iterator[Document]:
    """The documents in a file, in standard input (-), or below a URI of a Hadoop file system."""
    try:
        stream = _open(file)
    except OSError as error:
        name = sinks.without_userinfo(file)
        raise BadInput(f"{name} cannot be read: {error.strerror or error}") from None
    with stream:
        raw = _raw(stream)
        try:
            yield from documents(_lines(raw, stream, file) if bar else raw)
        except BROKEN as error:  # a compressed file that is cut off: what came before counts
            yield Document("the rest", problem=f"cannot be read: {error}")


def documents(lines: Iterable[bytes]) -> Iterator[Document]:
    """The documents in lines: one a line, a JSON list, or documents over several lines."""
    numbered = enumerate(lines, 1)
    for number, line in numbered:
        if number == 1:
            line = line.removeprefix(BOM_UTF8)
        if not line.strip():
            continue
        if line.strip() in (b"{", b"[") or (number == 1 and _is_begun(line)):
            text = line + b"".join(rest for _, rest in numbered)
            yield from _over_lines(text, number)
            return
        yield from _in_line(line, number)


def _in_line(line: bytes, number: int) -> Iterator[Document]:
    place = f"line {number}"
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        torn = "" if line.endswith(b"\n") else UNFINISHED
        yield Document(place, problem=f"not JSON: {error.msg} at column {error.colno}{torn}")
        return
    yield from _each(value, place)


def _each(value: Any, place: str) -> Iterator[Document]:
    """A document, or those of a list that is one."""
    if not isinstance(value, list) or not value:
        yield Document(place, value)
        return
    for position, item in enumerate(value, 1):
        yield Document(f"{place}, event {position}", item)


def _is_begun(line: bytes) -> bool:
    """Whether a first line is the begin of a document that goes on in the next ones."""
    if line.lstrip()[:1] not in (b"{", b"["):
        return False
    try:
        orjson.loads(line)
    except orjson.JSONDecodeError as error:
        return line.endswith(b"\n") and error.pos >= len(line.rstrip().decode(errors="replace"))
    return False


def _over_lines(text: bytes, first: int) -> Iterator[Document]:
    """The documents of a text that begins in line `first`, whatever lines they take."""
    try:
        rest = text.decode("utf-8")
    except UnicodeDecodeError as error:
        yield Document(f"line {first}", problem=f"not UTF-8 text: byte {error.start + 1}")
        return
    decoder = json.JSONDecoder()
    position = _next(rest, 0)
    line = first
    while position < len(rest):
        start = position
        try:
            value, position = decoder.raw_decode(rest, position)
        except json.JSONDecodeError as error:
            where = f"line {first + error.lineno - 1}"
            yield Document(where, problem=f"not JSON: {error.msg} at column {error.colno}")
            return
        yield from _each(value, f"line {line}")
        position = _next(rest, position)
        line += rest.count("\n", start, position)


def _next(text: str, position: int) -> int:
    """Where the next character is that is no space, else the text's end."""
    match = INK.search(text, position)
    return match.start() if match else len(text)


def _open(file: str) -> IO[bytes]:
    if file == "-":
        return click.open_file(file, "rb")
    if is_local(file):
        return local_path(file).open("rb")
    return BytesIO(sinks.content(file))


def _raw(stream: IO[bytes]) -> Iterable[bytes]:
    """The stream, decompressed where its first bytes say that it is compressed."""
    if stream.seekable():
        start = stream.read(6)
        stream.seek(-len(start), SEEK_CUR)
    else:  # a pipe, whose reader can look at bytes without taking them
        start = stream.peek(6)  # type: ignore[attr-defined]
    for magic, opened in DECOMPRESSORS.items():
        if start.startswith(magic):
            return opened(stream)
    return stream


def _lines(raw: Iterable[bytes], stream: IO[bytes], file: str) -> Iterator[bytes]:
    """The lines, with a bar on a terminal that follows what is read of the file."""
    if not sys.stderr.isatty() or not Path(file).is_file():
        yield from raw
        return
    size = Path(file).stat().st_size
    with progress(Path(file).name) as show:
        for line in raw:
            yield line
            show(stream.tell(), size)
