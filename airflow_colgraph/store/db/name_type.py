"""The type of columns that hold names: what PostgreSQL refuses in a text is replaced."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Text
from sqlalchemy.types import TypeDecorator


class Name(TypeDecorator[str]):
    """A text whose NUL characters are U+FFFD, when it is written and when it is looked for."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Any) -> str | None:
        """The text as both databases take it."""
        return value.replace("\0", "\ufffd") if value is not None and "\0" in value else value
