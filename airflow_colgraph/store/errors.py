"""What can go wrong with the store, each said in one line."""

from __future__ import annotations


class StoreError(Exception):
    """The root of the store's errors; its text is one line for a person."""


class StoreFull(StoreError):
    """The database has no room for what is to be kept: what was kept before is safe."""


class EventError(StoreError, ValueError):
    """A JSON value that is not an OpenLineage event; the text says what is missing."""


class QuestionError(StoreError, ValueError):
    """A question that cannot be answered as put: a bad time, depth or direction."""


class UnknownNode(StoreError, LookupError):
    """A dataset, field, job or run that the store has never seen; the text names near ones."""
