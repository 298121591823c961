"""Patterns that callers give for names."""

import re
import time
from collections.abc import Callable
from functools import partial

import pytest

from airflow_colgraph.store.errors import QuestionError
from airflow_colgraph.store.model.name_pattern import name_pattern
from tests.collector.test_linear import NOISE_SECONDS, PIECE_SIZES, assert_linear, repeated

CATASTROPHES = [
    "(a+)+$",
    "(a|a)*$",
    "(a|aa)+$",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
    "(.*a){12}$",
    "a*a*a*a*a*a*b",
    "(a?){20}a{20}$",
    "[a-q][^u-z]{13}x",
]


def assert_quick(work: Callable[[str], object]) -> None:
    """Names that grow a letter at a time, so that what is exponential is found at once."""
    before = 0.0
    for size in range(10, 60):
        start = time.process_time()
        work("a" * size + "!")
        taken = time.process_time() - start
        assert taken <= max(1.3 * before, NOISE_SECONDS), size
        before = taken


@pytest.mark.parametrize("pattern", CATASTROPHES)
def test_no_pattern_takes_more_than_linear_time(pattern: str) -> None:
    matches = name_pattern(pattern)
    assert_quick(matches)
    assert_linear(matches, partial(repeated, "", "a"), PIECE_SIZES)


def test_the_check_finds_pythons_own_patterns() -> None:
    with pytest.raises(AssertionError):
        assert_quick(re.compile("(a+)+$").search)


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("(", "missing ): ("),
        ("(?=a)", "invalid perl operator: (?="),
        ("(?<!a)b", "invalid perl operator: (?<!"),
        (r"(a)\1", r"invalid escape sequence: \1"),
        ("a++", "bad repetition operator: ++"),
        ("a{1001}", "invalid repetition size: {1001}"),
        ("((a{100}){100}){100}", "invalid repetition size: {100}"),
        (r"\pL{900}", "pattern too large - compile failed"),
        ("\ud800", "it is not Unicode"),
    ],
)
def test_a_pattern_that_is_refused_says_why(
    pattern: str, why: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(QuestionError) as raised:
        name_pattern(pattern)
    assert str(raised.value).startswith(f"{pattern!r} is not a regular expression")
    assert str(raised.value).endswith(f": {why}.")
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("pattern", "name", "found"),
    [
        ("/tmp/|_staging$", "/lake/tmp/x", True),
        ("/tmp/|_staging$", "orders_staging", True),
        ("^tmp$", "tmp2", False),
        ("(?i)STAGE", "a.stage.b", True),
        ("größe$", "schema.größe", True),
        ("^.$", "ß", True),
        ("b$", "a\ud800b", True),  # a name that is no Unicode
    ],
)
def test_what_a_pattern_finds(pattern: str, name: str, found: bool) -> None:
    assert name_pattern(pattern)(name) is found
