"""Which branch a plan takes where a program asks whether there are rows."""

from __future__ import annotations

import linecache
import sys
from contextlib import suppress
from textwrap import dedent, indent
from typing import Any

import pytest

from airflow_colgraph.collector.dry_run.branches import is_for_rows, is_indexed, number_for

CASES = {
    "what ends without rows": ("if count() == 0:\n    return", True),
    "an exit after a message": ("if count() == 0:\n    print()\n    sys.exit(0)", True),
    "what ends with rows": ("if count() > 0:\n    raise ValueError", False),
    "what is written if there are rows": ("if count():\n    write()", True),
    "what is written if there are none": ("if count():\n    pass\nelse:\n    return", True),
    "not empty": ("if not isEmpty():\n    write()", True),
    "empty": ("if isEmpty():\n    return", True),
    "an assertion": ("assert count() > 0, 'empty'", True),
    "an assertion that there are none": ("assert count() == 0", False),
    "a variable": ("rows = count()\nprint(rows)\nif rows == 0:\n    return", True),
    "a variable that two tests look at": (
        "rows = count()\nif rows == 0:\n    return\nif rows > 0:\n    raise ValueError",
        False,
    ),
    "a variable with a limit": (
        "rows = count()\nif rows == 0:\n    return\nif rows > 9:\n    return",
        True,
    ),
    "a walrus": ("if (rows := count()) > 0:\n    write(rows)", True),
    "beside another test": ("if count() == 0 or sys.argv is None:\n    return", True),
    "a conditional expression": ("x = 1 if count() else 2", True),
    "a loop that ends without rows": (
        "for _ in (1,):\n    if count() == 0:\n        continue",
        True,
    ),
    "a loop as long as there are rows": ("while count() > 0:\n    break", False),
    "a test in such a loop": ("while True:\n    if count() == 0:\n        break\n    break", False),
    "a function that tells": ("def none(): return count() == 0\nif none():\n    return", True),
    "a function of a function": (
        "def some(): return count() > 0\ndef none(): return not some()\nif none():\n    return",
        True,
    ),
    "a function that tells of bad rows": (
        "def some():\n    rows = 0\n    return count() > 0\nif some():\n    raise ValueError",
        False,
    ),
    "the length of rows": ("if len(take(1)) == 0:\n    return", True),
    "rows themselves": ("if not take(1):\n    return", True),
    "no row": ("if first() is None:\n    return", True),
    "rows that the program may compute with": ("rows = take(1)\nif not rows:\n    return", False),
    "a number": ("x = count() / 2", False),
    "a number that is compared with another": ("if count() == len(sys.argv):\n    return", False),
}


@pytest.mark.parametrize("case", CASES)
def test_the_branch_for_rows_is_planned_unless_it_is_the_one_that_ends(case: str) -> None:
    body, is_row_planned = CASES[case]
    answers = []

    def count() -> int:
        answers.append(is_for_rows(sys._getframe(1), "count"))
        return 0

    def isEmpty() -> bool:
        answers.append(is_for_rows(sys._getframe(1), "isEmpty"))
        return True

    def take(number: int) -> list[None]:
        answers.append(is_for_rows(sys._getframe(1), "take"))
        return []

    def first() -> None:
        answers.append(is_for_rows(sys._getframe(1), "first"))

    rows = {"take": take, "first": first}
    names = {**rows, "count": count, "isEmpty": isEmpty, "sys": sys, "write": lambda *_: None}
    run(case, body, names)
    assert answers == [is_row_planned]


INDEXED = {
    "a row's column": ("x = first()['a']", True),
    "a row's attribute": ("x = first().a", True),
    "a row in a variable": ("row = first()\nx = row[0], row.b", True),
    "a row that is tested": ("row = first()\nx = row[0] if row else None", False),
    "a row that is not used": ("row = first()", False),
    "the first of rows": ("x = collect()[0]['a']", True),
    "the second of rows": ("x = collect()[1]", False),
    "rows in a variable": ("rows = collect()\nx = rows[0].a", True),
    "rows of which there may be more": ("rows = collect()\nx = [rows[0], *rows]", False),
    "rows in a loop": ("for row in collect():\n    x = row[0]", False),
}


@pytest.mark.parametrize("case", INDEXED)
def test_a_row_is_returned_if_the_program_would_end_without(case: str) -> None:
    body, is_row_returned = INDEXED[case]
    answers = []

    def first() -> SimpleRow:
        answers.append(is_indexed(sys._getframe(1), "first", is_row=True))
        return SimpleRow()

    def collect() -> list[SimpleRow]:
        answers.append(is_indexed(sys._getframe(1), "collect", is_row=False))
        return [SimpleRow(), SimpleRow()]

    run(case, body, {"first": first, "collect": collect})
    assert answers == [is_row_returned]


NUMBERS = {
    "a value that may be another": ("x = collect()[0][0] or 0", None),
    "a value in a list": ("x = [collect()[0][0]]", 1),
    "a comparison with None": ("if collect()[0].a is None:\n    return", None),
    "a comparison with a number": ("x = collect()[0].a == 3", 1),
    "a variable": ("row = collect()[0]\nx = row['a']\ny = 1 if x else 2", None),
    "a variable that is not tested": ("row = collect()[0]\nx = row['a']\ny = [x]", 1),
    "several variables": ("a, b = collect()[0] or (1, 2)\nif not b:\n    return", None),
    "one of several variables": ("a, b = (1, 2)\na = collect()[0][0]\nif b:\n    return", 1),
    "a method": ("x = collect()[0].get('a') or 1", None),
    "a function that returns it": ("def last(): return collect()[0][0]\nx = last() or 1", None),
    "a function whose value is not tested": ("def last(): return collect()[0][0]\nlast()", 1),
    "a limit": ("share = collect()[0]['a']\nif share > 0.5:\n    raise ValueError", 0),
    "a limit below": ("if collect()[0].a >= 9:\n    raise ValueError", 1),
    "a limit at which others are written": ("if collect()[0].a > 0.5:\n    write()", 1),
    "an assertion": ("assert collect()[0].a == 0", 0),
}


@pytest.mark.parametrize("case", NUMBERS)
def test_the_number_that_a_program_goes_on_with(case: str) -> None:
    body, number = NUMBERS[case]
    answers = []

    def collect() -> list[SimpleRow]:
        answers.append(number_for(sys._getframe(1), "collect"))
        return [SimpleRow(number)]

    run(case, body, {"collect": collect, "write": lambda: None})
    assert set(answers) == {number}


class SimpleRow(dict[Any, Any]):
    """A row with any column."""

    def __init__(self, value: int | None = None) -> None:
        """Each column has the value."""
        self.a = self.b = value

    def __missing__(self, key: Any) -> int | None:
        """Whatever it is asked for."""
        return self.a


def run(case: str, body: str, names: dict[str, Any]) -> None:
    """Run a program's text as a function, as if it were in a file."""
    file = f"{case}.py"
    text = dedent(f"def job():\n{indent(body, '    ')}\n")
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), names)
    with suppress(AssertionError, SystemExit, ValueError):
        names["job"]()
