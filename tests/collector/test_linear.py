"""Every text work on users' data in the driver takes time in proportion to the text."""

import json
import re
import time
from collections.abc import Callable
from typing import Any

import pytest

from airflow_colgraph.collector import redaction
from airflow_colgraph.collector.naming.datasets import file_dataset, jdbc_dataset

SIZE = 250_000
FLOOR_SECONDS = 0.4  # below this a measurement says nothing of growth
GROWTH = 2.3

PIECES = {
    "a letter": "a",
    "hex": "deadbeef0123456789",
    "base64": "QUJD+/9a",
    "pairs": "a=",
    "named pairs": "password=",
    "colons": "token: ",
    "quotes": "'\"",
    "nested quotes": '\\"\'\\\\"',
    "open quotes": "a='",
    "brackets": "(",
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
    "lines": "token=QUJDQUJDQUJDQUJDQUJD\n",
}


def seconds(work: Callable[[str], Any], text: str) -> float:
    start = time.process_time()
    work(text)
    return time.process_time() - start


def assert_linear(work: Callable[[str], Any], piece: str) -> None:
    """Doubling is tried from a small text on, so that what is not linear is found soon."""
    before = 0.0
    size = SIZE // 4
    while size <= 2 * SIZE:
        text = piece * (size // len(piece))
        taken = min(seconds(work, text), seconds(work, text) if before > FLOOR_SECONDS else 1e9)
        assert taken <= max(GROWTH * before, FLOOR_SECONDS), f"{size}: {before:.2f} -> {taken:.2f}"
        before, size = taken, size * 2


WORK: dict[str, Callable[[str], Any]] = {
    "in_text": redaction.in_text,
    "in_text of SQL": lambda text: redaction.in_text(text, quoted_only=True),
    "without_credentials": lambda text: redaction.without_credentials("jdbc:x//" + text),
    "without_userinfo": lambda text: redaction.without_userinfo("https://" + text),
    "without_keys": lambda text: redaction.without_keys(json.dumps("aes_encrypt(" + text)),
    "without_keys of no JSON": lambda text: redaction.without_keys("aes_encrypt(" + text),
    "file_dataset": lambda text: file_dataset("s3://b/" + text.replace("/", "")),
    "jdbc_dataset": lambda text: jdbc_dataset("jdbc:oracle:thin:" + text, "t"),
}


@pytest.mark.parametrize("piece", PIECES.values(), ids=PIECES)
@pytest.mark.parametrize("work", WORK.values(), ids=WORK)
def test_a_function_is_linear(work: Callable[[str], Any], piece: str) -> None:
    assert_linear(work, piece)


def test_the_check_finds_a_pattern_that_is_not_linear() -> None:
    with pytest.raises(AssertionError):
        assert_linear(re.compile("a+b").search, "a")
