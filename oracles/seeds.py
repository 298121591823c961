"""The seeds of made histories that a judge's command line asks for."""

from __future__ import annotations

import argparse
from collections.abc import Iterable


def seeds(description: str | None, number: int, arguments: Iterable[str] | None = None) -> range:
    """The seeds from `--first` on, as many as `--histories` says."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--histories", type=int, default=number)
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    options = parser.parse_args(None if arguments is None else list(arguments))
    return range(options.first, options.first + options.histories)
