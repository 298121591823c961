"""What a caller may do: scopes, the namespaces that it may write, and its limits. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from airflow_colgraph.store.errors import NamespaceRefused, QuestionError

EVERY = "*"
SHOWN = 200  # characters of a namespace that an error names


class Limits(NamedTuple):
    """The most that a caller may ask for; None: what the server allows."""

    rate: int | None = None  # requests a minute
    body: int | None = None  # bytes
    depth: int | None = None  # hops


NO_LIMITS = Limits()


class Grant(NamedTuple):
    """The scopes; the patterns of namespaces that may be written, None: all; and the limits."""

    scopes: frozenset[str]
    namespaces: tuple[str, ...] | None = None
    limits: Limits = NO_LIMITS


def require_patterns(patterns: Iterable[str]) -> tuple[str, ...]:
    """The patterns, in order and once; QuestionError if one is none.

    >>> require_patterns(["s3://b*", "file", "file"])
    ('file', 's3://b*')
    """
    unique = sorted(set(patterns))
    for pattern in unique:
        if not pattern.isprintable() or not pattern or EVERY in pattern[:-1]:
            raise QuestionError(
                f"Namespace is {pattern[:SHOWN]!r}. Expected a namespace, or how it begins with a "
                "* at the end, e.g. s3://sales*."
            )
    return tuple(unique)


def matches(patterns: Sequence[str], namespace: str) -> bool:
    """Whether a pattern is the namespace, or ends in * and is how it begins.

    >>> [matches(["file", "s3://b*"], name) for name in ("file", "file2", "s3://b", "s3://b1")]
    [True, False, True, True]
    """
    return any(
        namespace.startswith(pattern[:-1]) if pattern.endswith(EVERY) else namespace == pattern
        for pattern in patterns
    )


def require_namespaces(patterns: Sequence[str] | None, namespaces: Iterable[str]) -> None:
    """NamespaceRefused, which names the first namespace that matches no pattern; None: all do."""
    if patterns is None:
        return
    for namespace in sorted(set(namespaces)):
        if not matches(patterns, namespace):
            raise NamespaceRefused(f"The namespace {namespace[:SHOWN]!r} may not be written.")


def granted(grants: Sequence[Grant], scope: str) -> Grant | None:
    """What several grants allow together of one scope; None: nothing.

    >>> some, all_ = Grant(frozenset({"ingest"}), ("a",)), Grant(frozenset({"ingest", "tag"}))
    >>> granted([some], "ingest").namespaces, granted([some, all_], "ingest").namespaces
    (('a',), None)
    >>> granted([some], "tag")
    """
    allowing = [grant.namespaces for grant in grants if scope in grant.scopes]
    if not allowing:
        return None
    if None in allowing:
        return Grant(frozenset({scope}))
    namespaces = {name for names in allowing for name in names or ()}
    return Grant(frozenset({scope}), tuple(sorted(namespaces)))
