"""The warehouse's errors; the text of each is one line."""

from __future__ import annotations


class WarehouseError(Exception):
    """A folder, question or commit that cannot be used; its text is one line for the user."""
