"""The bearer token of an http(s) sink, from where no list of processes and no log shows it.

In this order: the file `sinkTokenFile`, the driver's environment COLGRAPH_SINK_TOKEN, `sinkToken`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

VARIABLE = "COLGRAPH_SINK_TOKEN"
MOST_TOKEN = 16_384  # characters

Token = Callable[[], str]


def bearer_token(file: str, token: str) -> Token:
    """How to come by the token: a file is read for each event, as short-lived ones are replaced."""
    if file:
        return partial(_in_file, Path(file))
    return partial(checked, os.environ.get(VARIABLE) or token, VARIABLE)


def _in_file(path: Path) -> str:
    with path.open(encoding="utf-8", errors="replace") as opened:
        return checked(opened.read(MOST_TOKEN + 1), str(path))


def checked(text: str, where: str) -> str:
    """The token in a text; OSError if it could not be a header."""
    token = text.strip()
    if len(token) > MOST_TOKEN or not (token.isascii() and token.isprintable()):
        raise OSError(f"The token in {where} is not one line of printable ASCII.")
    return token
