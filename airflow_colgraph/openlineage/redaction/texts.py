"""Any text that leaves the driver: messages, SQL, exceptions, options. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

from airflow_colgraph.openlineage.redaction.columns import in_backticks
from airflow_colgraph.openlineage.redaction.messages import in_message, without_tokens
from airflow_colgraph.openlineage.redaction.names import REDACTED, is_secret
from airflow_colgraph.openlineage.redaction.salts import in_calls
from airflow_colgraph.openlineage.redaction.sql import in_sql
from airflow_colgraph.openlineage.redaction.urls import without_credentials


def in_text(text: str, *, quoted_only: bool = False) -> str:
    """A message, or with `quoted_only` a SQL text, without the secrets that can be recognised.

    In SQL a name beside an unquoted value is a column: only what is in quotes is a secret, and so
    is each string within a call that hashes.
    """
    if quoted_only:
        return without_tokens(in_sql(without_credentials(text)))
    return without_tokens(in_message(in_calls(in_backticks(without_credentials(text)))))


MOST_LETTERS = 300  # of a failure's text


def exception_text(error: BaseException) -> str:
    """An exception's class and message without secrets; of a Java one its first line, too."""
    lines = [line.strip() for line in str(error).splitlines()[:2]]
    text = re.sub(r"\bo[0-9]+\b", "an object", " ".join(lines))  # py4j's names of objects
    return f"{type(error).__name__}: {in_text(text)}"[:MOST_LETTERS].rstrip(": ")


def without_secrets(options: Mapping[str, str]) -> dict[str, str]:
    """The options with secrets replaced by `***`, and without credentials in their URLs."""
    return {
        name: REDACTED if is_secret(name) else without_credentials(value)
        for name, value in options.items()
    }
