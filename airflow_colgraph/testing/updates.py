"""Texts of lineage that `--update-lineage` writes: into files, and into the tests themselves."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import NamedTuple

import pytest


class Replacement(NamedTuple):
    """A string of a test's source, by its offsets in bytes, and what it becomes."""

    start: int
    end: int
    text: str


class Updates:
    """What is to be written when all tests have run: until then line numbers stay as they are."""

    def __init__(self) -> None:
        """Nothing yet."""
        self._sources: dict[Path, set[Replacement]] = {}

    def put_file(self, file: Path, text: str) -> None:
        """Write a file's text now."""
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{text}\n", encoding="utf-8")

    def put_text(self, file: Path, line: int, expected: str, text: str) -> None:
        """Replace the string in the call at a line of a test."""
        source = file.read_bytes()
        place = string_at(source, line, expected)
        if place is None:
            pytest.fail(
                f"{file}:{line}: only a string that is written in the call itself, and only once,"
                " can be updated",
                pytrace=False,
            )
        start, end, indent = place
        replacement = Replacement(start, end, literal(text, indent))
        self._sources.setdefault(file, set()).add(replacement)

    def write(self) -> None:
        """Write the tests' files, from the last string to the first."""
        for file, replacements in self._sources.items():
            source = file.read_bytes()
            for start, end, text in sorted(replacements, reverse=True):
                source = source[:start] + text.encode() + source[end:]
            file.write_bytes(source)


def string_at(source: bytes, line: int, expected: str) -> tuple[int, int, int] | None:
    """Where the string `expected` is in the innermost call at a line, and the line's indent."""
    lines = source.splitlines(keepends=True)
    starts = [0]
    for each in lines:
        starts.append(starts[-1] + len(each))
    strings = [
        argument
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and node.lineno <= line <= (node.end_lineno or line)
        for argument in (*node.args, *(keyword.value for keyword in node.keywords))
        if isinstance(argument, ast.Constant) and argument.value == expected
    ]
    if len(strings) != 1:
        return None
    (string,) = strings
    first = lines[string.lineno - 1]
    indent = len(first) - len(first.lstrip(b" "))
    start = starts[string.lineno - 1] + string.col_offset
    return start, starts[(string.end_lineno or 0) - 1] + (string.end_col_offset or 0), indent


def literal(text: str, indent: int) -> str:
    """A text as a string of Python, indented as the line that it is in."""
    escaped = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    margin = " " * (indent + 4)
    body = "\n".join(f"{margin}{line}".rstrip() for line in escaped.splitlines())
    return f'"""\n{body}\n{" " * (indent + 4)}"""'
