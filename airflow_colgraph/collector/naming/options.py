"""Options of reads and writes, whose names Spark compares without their case. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

Value = TypeVar("Value")


def lowered(options: Mapping[str, Value]) -> dict[str, Value]:
    """Options by their names in lower case. Source: Spark's `CaseInsensitiveMap`."""
    return {name.lower(): value for name, value in options.items()}
