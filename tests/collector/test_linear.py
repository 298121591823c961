"""Every text work on users' data in the driver takes time in proportion to the text.

The patterns and functions are found in the modules (see text_work.py). What is measured is the
growth of the thread's own CPU time when the text is doubled.
"""

import re
import time
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import pytest

from airflow_colgraph.collector.events import remove_path_pattern
from airflow_colgraph.collector.lineage import sql_text
from airflow_colgraph.collector.model import Dataset
from airflow_colgraph.collector.naming.datasets import file_dataset, jdbc_dataset
from airflow_colgraph.openlineage import redaction
from tests.amount import of_all
from tests.collector.text_work import Work, functions, patterns, texts_for

MOST = 2.3  # times the work for double the text
FULL = of_all(1_000_000, 250_000)  # characters
PIECE_SIZES = 250, 500, 1_000, 2_000, 4_000, 8_000, 16_000  # so that what is cubic ends soon
NOISE_SECONDS = 0.02  # what is quicker is lost in noise; a square soon takes longer
MEASUREMENTS = 20
CLEAR = 1.5  # times MOST: no noise stays that large in a few measurements
FEW = 4

PIECES = {
    "a letter": "a",
    "digits": "0",
    "hex": "deadbeef0123456789",
    "base64": "QUJD+/9a",
    "pairs": "a=",
    "named pairs": "password=",
    "colons": "token: ",
    "quotes": "'\"",
    "doubled quotes": "''",
    "nested quotes": '\\"\'\\\\"',
    "open quotes": "a='",
    "backslashes": "\\",
    "brackets": "(",
    "closing brackets": "()",
    "calls": "sha2(",
    "spaces": " ",
    "words": "a ",
    "dots": "a.",
    "dashes": "--a",
    "slashes": "/",
    "double slashes": "//a:b ",
    "hosts": "//a:b",
    "logins": "a:b@",
    "commas": "a:1,",
    "oracle": "jdbc:oracle:thin:",
    "web tokens": "eyJ-",
    "keys": "-----BEGIN PRIVATE KEY",
    "parameters": "?a;",
    "dates": "2026-01-31",
    "partitions": "/day=1",
    "folders of dates": "/2026/01/31",
    "lines": "token=QUJDQUJDQUJDQUJDQUJD\n",
    "sealed": "aes_encrypt(",
}


def mixed(size: int) -> str:
    """All pieces, each repeated."""
    share = size // len(PIECES)
    return "".join(piece * (share // len(piece)) for piece in PIECES.values())


def repeated(before: str, piece: str, size: int) -> str:
    """A piece again and again, with an end that fits nothing."""
    return f"{before}{piece * (size // len(piece))}\0"


def seconds(work: Work, text: str) -> float:
    start = time.thread_time()
    work(text)
    return time.thread_time() - start


def most_in_turns(work: Work, small: str, large: str, most: float) -> str | None:
    """What the large text takes beyond so many times the small one's time; nothing if it does not.

    Of several measurements the shortest count: another process may have had the caches.
    """
    before, taken = seconds(work, small), seconds(work, large)
    for number in range(MEASUREMENTS):
        if taken <= max(most * before, NOISE_SECONDS):
            return None
        if number >= FEW and taken > CLEAR * max(most * before, NOISE_SECONDS):
            break
        taken, before = min(taken, seconds(work, large)), min(before, seconds(work, small))
    return f"{len(large)}: {before:.4f} -> {taken:.4f} for {large[:20]!r}..."


def assert_linear(work: Work, text: Callable[[int], str], sizes: tuple[int, ...]) -> None:
    """Doubling is tried from a small text on, so that what is not linear is found soon.

    A doubling at which the text outgrows a cache may take a little more than MOST once; what is
    not linear does so at the next doubling as well.
    """
    for half, size in pairwise(sizes):
        if most_in_turns(work, text(half), text(size), MOST):
            found = most_in_turns(work, text(half), text(2 * size), MOST**2)
            assert found is None, found


def assert_linear_in_all(work: Work, texts: set[tuple[str, str]]) -> None:
    for before, piece in texts:
        assert_linear(work, partial(repeated, before, piece), PIECE_SIZES)
    assert_linear(work, mixed, (FULL // 2, FULL))


PATTERNS = patterns()
FUNCTIONS = functions()
SHA2 = [
    {"class": "org.apache.spark.sql.catalyst.expressions.Sha2", "num-children": 2},
    {
        "class": "org.apache.spark.sql.catalyst.expressions.Literal",
        "num-children": 0,
        "dataType": "string",
    },
]


def _literal(text: str) -> str:
    literal = {**SHA2[1], "value": text}
    return sql_text.expression_text([SHA2[0], literal, literal])


OTHERS: dict[str, Work] = {
    "in_text of SQL": lambda text: redaction.in_text(text, quoted_only=True),
    "without_credentials": lambda text: redaction.without_credentials("jdbc:x//" + text),
    "without_userinfo": lambda text: redaction.without_userinfo("https://" + text),
    "shown_name": lambda text: redaction.shown_name("aes_encrypt(***) (pwd = " + text),
    "shown_names": lambda text: redaction.shown_names(text.split(" ")),
    "file_dataset": lambda text: file_dataset("s3://b/" + text),
    "jdbc_dataset": lambda text: jdbc_dataset("jdbc:oracle:thin:" + text, "t"),
    "a literal": _literal,
    "exception_text": lambda text: redaction.exception_text(ValueError(text)),
    "removePathPattern": lambda text: remove_path_pattern.without(
        Dataset("file", text), re.compile("(?P<remove>a+)b")
    ),
}


@pytest.mark.parametrize("use", PATTERNS)
def test_a_pattern_is_linear(use: str) -> None:
    pattern, work = PATTERNS[use]
    own = texts_for(pattern)
    pieces = {*PIECES.values(), *(piece for _, piece in own if piece)}
    assert_linear_in_all(work, {(head, p) for head in ("", *(h for h, _ in own)) for p in pieces})


@pytest.mark.parametrize("name", [*FUNCTIONS, *OTHERS])
def test_a_function_is_linear(name: str) -> None:
    work = FUNCTIONS.get(name) or OTHERS[name]
    assert_linear_in_all(work, {("", piece) for piece in PIECES.values()})


def test_the_walk_finds_patterns_and_functions() -> None:
    assert {use.partition(":")[0] for use in PATTERNS} >= {"naming.jdbc", "sinks.sink"}
    assert {"naming.datasets.trimmed", "redaction.texts.in_text"} <= FUNCTIONS.keys()


@pytest.mark.parametrize("pattern", ["a+b", r"\(\s*(\w+)\s*=\s*([^()]*?)\s*\)", r"[\w.-]*$"])
def test_the_check_finds_a_pattern_that_is_not_linear(pattern: str) -> None:
    compiled = re.compile(pattern)
    texts = {(head, piece) for head, piece in texts_for(compiled) if piece}
    with pytest.raises(AssertionError):
        assert_linear_in_all(compiled.search, texts)


def test_the_check_finds_a_function_that_is_not_linear() -> None:
    def trimmed(name: Any) -> None:
        while name:
            name = name.rpartition("/")[0]

    with pytest.raises(AssertionError):
        assert_linear(trimmed, lambda size: "/" * size, (32_000, 64_000))
