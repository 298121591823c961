"""The store's errors; the text of each is one line."""

from __future__ import annotations


class StoreError(Exception):
    """The base of the store's errors; its text is one line for the user."""


class StoreFull(StoreError):
    """The database has no space left; what was acknowledged before is safe."""


class StoreUnavailable(StoreError):
    """The database cannot be reached, or is busy; the same may succeed later."""


class BadStoreUrl(StoreError, ValueError):
    """A URL that names no store; the text shows nothing of it that may be a secret."""


class NoStore(BadStoreUrl):
    """A URL where no store is: who only reads creates none."""


class EventError(StoreError, ValueError):
    """A JSON value that is not an OpenLineage event; the text says what is missing."""


class QuestionError(StoreError, ValueError):
    """An invalid question: a bad time, depth or direction."""


class UnknownNode(StoreError, LookupError):
    """A dataset, field, job or run that the store does not know; the text names similar ones."""


class NamespaceRefused(StoreError):
    """What would be written is of a namespace that the caller may not write; the text names it."""
