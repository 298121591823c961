"""What functions reach beside Spark, by their source: nothing of them is run."""

# ruff: noqa: C417, SIM115, UP020 -- functions as people write them

import gzip
import io
import os
from collections.abc import Callable, Iterable
from functools import partial, wraps
from os import remove
from pathlib import Path
from shutil import move
from typing import Any

import pytest

from airflow_colgraph.collector.dry_run.python_effects import CHANGES as OF_PLANS
from airflow_colgraph.collector.python_functions.effects import CHANGES, effects_of, named_with


def reads(path: str, mode: str = "w") -> None:
    open(path)
    open(path, "rb")
    gzip.open(path)
    Path(path).read_text()
    os.path.join(path, "a")
    path.replace("a", "b")


def writes(path: str, mode: str, options: Any) -> None:
    open(path, "a")
    open(path, mode=mode)
    open(path, **options)
    io.open(path, "x")
    gzip.open(path, "wt")
    Path(path).open("w")
    Path(path).write_text("a")
    os.remove(path)
    remove(path)
    move(path, path)


def imports(rows: Iterable[Any]) -> None:
    import sqlite3 as database
    from subprocess import run

    run(["true"])
    database.connect("a")


def shadows(open: Callable[[str, str], None]) -> None:
    open("a", "w")


def helper() -> None:
    remove("a")


def calls(rows: Iterable[Any]) -> None:
    list(map(lambda row: helper(), rows))


def logged(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def inner(*arguments: Any) -> Any:
        return function(*arguments)

    return inner


class Writer:
    def open(self, partition: int, epoch: int) -> bool:
        return True

    def process(self, row: Any) -> None:
        self.keep(row)

    @staticmethod
    def keep(row: Any) -> None:
        row.frame.to_parquet("a")
        row.frame.to_parquet(path="a")
        row.frame.to_json(orient="records")


def names(function: Any) -> list[str]:
    return [effect.partition(" at ")[0] for effect in effects_of(function)]


@pytest.mark.parametrize(
    ("function", "effects"),
    [
        (reads, []),
        (
            writes,
            [
                *("open", "open", "open", "io.open", "gzip.open", "open", "write_text"),
                *("os.remove", "os.remove", "shutil.move"),
            ],
        ),
        (imports, ["subprocess.run", "sqlite3.connect"]),
        (shadows, []),
        (calls, ["os.remove"]),
        (partial(partial(calls), []), ["os.remove"]),
        (logged(imports), ["subprocess.run", "sqlite3.connect"]),
        (Writer(), ["to_parquet", "to_parquet"]),
        (Writer().process, ["to_parquet", "to_parquet"]),
        (Writer, ["to_parquet", "to_parquet"]),
        (print, []),
        (eval("lambda row: remove(row)"), []),  # it has no source
        (None, []),
    ],
)
def test_what_a_function_reaches(function: Any, effects: list[str]) -> None:
    assert names(function) == effects


def test_an_effect_has_its_place() -> None:
    line = helper.__code__.co_firstlineno + 1
    assert effects_of(calls) == (f"os.remove at test_effects.py:{line}",)
    assert named_with("foreach", effects_of(reads)) == "foreach"


def test_plans_know_the_same_changes() -> None:
    assert OF_PLANS is CHANGES
