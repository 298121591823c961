"""Patterns for names, as callers give them: RE2's, which search in time linear in the name.

RE2 has no lookaround and no backreferences; Python's own patterns may take forever.
"""

from __future__ import annotations

from collections.abc import Callable

from airflow_colgraph.store.errors import QuestionError

MOST_MEMORY = 1 << 18  # bytes of a compiled pattern: it bounds the steps that a character takes


def name_pattern(pattern: str) -> Callable[[str], bool]:
    """Whether a name contains the pattern; QuestionError if it is none of RE2's.

    >>> matches = name_pattern("/tmp/|_stage$")
    >>> matches("lake.orders_stage"), matches("lake.orders")
    (True, False)
    """
    try:
        import re2
    except ImportError:
        raise QuestionError(
            "A pattern for names needs google-re2: pip install 'colgraph[api]'."
        ) from None
    options = re2.Options()
    options.log_errors = False
    options.max_mem = MOST_MEMORY
    try:
        compiled = re2.compile(pattern, options)
    except UnicodeEncodeError:
        raise QuestionError(
            f"{pattern!r} is not a regular expression: it is not Unicode."
        ) from None
    except re2.error as error:
        why = error.args[0].decode("utf-8", "replace")
        raise QuestionError(
            f"{pattern!r} is not a regular expression of RE2, which has no lookaround and no "
            f"backreferences: {why}."
        ) from None
    return lambda name: compiled.search(name.encode("utf-8", "replace")) is not None
