"""JSON documents in a text: one, a list of them, or one a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any


class AspectError(ValueError):
    """A document that is not of the expected kind; the text says what is wrong and where."""


def documents_in(text: str | bytes) -> Iterator[tuple[str, Any]]:
    """Each document with its place, as an AspectError names it."""
    try:
        whole = json.loads(text)
    except UnicodeDecodeError:
        raise AspectError("The file is not UTF-8 text.") from None
    except json.JSONDecodeError:
        yield from _lines(text)
        return
    for number, document in enumerate(whole if isinstance(whole, list) else [whole], 1):
        yield f"Document {number}", document


def _lines(text: str | bytes) -> Iterator[tuple[str, Any]]:
    lines = text.decode() if isinstance(text, bytes) else text
    for number, line in enumerate(lines.splitlines(), 1):
        if line.strip():
            try:
                document = json.loads(line)
            except json.JSONDecodeError as error:
                raise AspectError(f"Line {number} is not JSON: {error.msg}.") from None
            yield f"Line {number}", document
