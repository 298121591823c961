"""Spark's golden SQL files: their statements, settings and expected outputs, read from its jar.

Maven fetches the jar of the tests of the Spark that is installed. The files are read as
`SQLQueryTestSuite` of the same jar reads them.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import NamedTuple
from zipfile import ZipFile

from tests.spark.jars import JARS

GOAL = "org.apache.maven.plugins:maven-dependency-plugin:copy"
ARTIFACT = "org.apache.spark:{module}_{scala}:{version}:jar:tests"
INPUTS, RESULTS = "sql-tests/inputs/", "sql-tests/results/"
TPC = ("tpcds", "tpcds-v2.7.0", "tpch")
Settings = tuple[tuple[str, str], ...]


def jar(version: str, scala: str = "2.13", module: str = "spark-sql") -> Path:
    """The jar of the tests of a Spark's module; Maven is asked when it is not here yet."""
    found = JARS / f"{module}_{scala}-{version}-tests.jar"
    if not found.exists():
        target = JARS.with_name(f"golden-{os.getpid()}")  # two processes may ask at once
        artifact = ARTIFACT.format(module=module, scala=scala, version=version)
        options = [f"-Dartifact={artifact}", f"-DoutputDirectory={target}"]
        subprocess.run(["mvn", "-q", "-B", GOAL, *options], check=True, timeout=600)
        JARS.mkdir(parents=True, exist_ok=True)
        (target / found.name).replace(found)
        target.rmdir()
    return found


class Expected(NamedTuple):
    """What a golden file expects of one statement."""

    statement: str
    schema: str
    output: str


class File(NamedTuple):
    """One file of statements."""

    suite: str
    name: str
    statements: tuple[str, ...]
    settings: Settings = ()
    dimensions: tuple[tuple[Settings, ...], ...] = ()
    expected: tuple[Expected, ...] = ()

    def variants(self) -> Iterator[Settings]:
        """The settings of each run of the file: one of each dimension."""
        for chosen in product(*self.dimensions):
            yield (*self.settings, *(pair for part in chosen for pair in part))


class Suite:
    """All files of one jar."""

    def __init__(self, path: Path) -> None:
        """`path` is the jar's."""
        self.path = path

    def files(self) -> list[File]:
        """Every file, in the order of their names; those of TPC as files of one query."""
        return [self.file(name) for name in self.names] + [*self.tpc()]

    @cached_property
    def texts(self) -> dict[str, str]:
        """The texts of the jar that are SQL or its results."""
        with ZipFile(self.path) as archive:
            wanted = [n for n in archive.namelist() if n.endswith((".sql", ".sql.out"))]
            return {name: archive.read(name).decode() for name in wanted}

    @cached_property
    def names(self) -> list[str]:
        """The names of the golden files."""
        found = (name for name in self.texts if name.startswith(INPUTS))
        return sorted(name.removeprefix(INPUTS) for name in found if name.endswith(".sql"))

    def file(self, name: str) -> File:
        """A golden file, with what it imports."""
        comments, code = parted(self.texts[INPUTS + name])
        imported = [line[9:].strip() for line in comments if line.startswith("--IMPORT ")]
        before = [line for other in imported for line in parted(self.texts[INPUTS + other])[1]]
        folder = name.rpartition("/")[0] or "sql"
        return File(
            folder,
            name,
            tuple(statements([*before, *code])),
            tuple(pair for line in comments for pair in set_by(line, "--SET ")),
            tuple(dimensions(comments)),
            tuple(expected(self.texts.get(f"{RESULTS}{name}.out", ""))),
        )

    def tpc(self) -> Iterator[File]:
        """The queries of TPC-DS and TPC-H."""
        for name in sorted(self.texts):
            folder, _, rest = name.partition("/")
            if folder in TPC and rest.endswith(".sql"):
                yield File(folder, name, tuple(statements(parted(self.texts[name])[1])))

    def data(self, name: str, target: Path) -> Path:
        """A file of test data, put into a folder."""
        with ZipFile(self.path) as archive:
            return Path(archive.extract(f"test-data/postgresql/{name}", target))


def parted(text: str) -> tuple[list[str], list[str]]:
    """The lines that are comments, and the others."""
    comments, code = [], []
    for line in text.split("\n"):
        start = line.strip()
        is_comment = start.startswith("--") and not start.startswith("--QUERY-DELIMITER")
        (comments if is_comment else code).append(line)
    return comments, code


def statements(code: Iterable[str]) -> Iterator[str]:
    """The statements of a file: by semicolons, or as their delimiters say."""
    for found in delimited(code):
        lines = (line for line in found.strip().split("\n") if not line.startswith("--"))
        statement = "\n".join(lines).strip()
        if statement:
            yield statement


def delimited(code: Iterable[str]) -> Iterator[str]:
    """The parts between semicolons; what is between delimiters is one part."""
    outside: list[str] = []
    inside: list[str] | None = None
    for line in code:
        mark = line.strip()
        if mark.startswith("--QUERY-DELIMITER-START"):
            yield from re.split(r"(?<=[^\\]);", "\n".join(outside))
            outside, inside = [], []
        elif mark.startswith("--QUERY-DELIMITER-END"):
            yield "\n".join(inside or []).removesuffix(";")
            inside = None
        elif inside is not None:
            inside.append(line)
        else:
            outside.append(line)
    yield from re.split(r"(?<=[^\\]);", "\n".join(outside))


def set_by(line: str, mark: str) -> Settings:
    """The settings that a comment makes."""
    if not line.startswith(mark):
        return ()
    parts = (pair.partition("=") for pair in line.removeprefix(mark).split(","))
    return tuple((name.strip(), value.strip()) for name, _, value in parts)


def dimensions(comments: Iterable[str]) -> Iterator[tuple[Settings, ...]]:
    """The settings of each dimension, of which each run has one."""
    found: dict[str, list[Settings]] = {}
    for line in comments:
        if line.startswith("--CONFIG_DIM"):
            mark = line.split(" ")[0]
            found.setdefault(mark, []).append(set_by(line, f"{mark} "))
    yield from map(tuple, found.values())


def expected(text: str) -> Iterator[Expected]:
    """What a results file expects of each statement."""
    parts = re.split(r"-- !query.*\n", text)[1:]
    for statement, schema, output in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        yield Expected(statement.strip(), schema.strip(), output.rstrip())
