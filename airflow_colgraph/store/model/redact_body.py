"""A lineage body without what is to be forgotten. Pure.

Where a column's sources are forgotten in part, the descriptions of the others go, too: an
expression over both names the columns of both. So do all operations of the body.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

FORGOTTEN = "***"
DESCRIPTION = 6  # of a row: namespace, name, field, type, subtype, masking, description


class Unwanted(NamedTuple):
    """Datasets by namespace and name, and a text in expressions and descriptions."""

    datasets: frozenset[tuple[str, str]]
    text: str = ""


def without(body: Mapping[str, Any], unwanted: Unwanted) -> dict[str, Any] | None:
    """The body without what is unwanted; None if nothing of it is."""
    if "output" not in body:
        return _reading(body, unwanted)
    named = {
        key: [pair for pair in body[key] if tuple(pair) not in unwanted.datasets]
        for key in ("inputs", "unordered")
        if key in body
    }
    fields = [[name, _rows(rows, unwanted)] for name, rows in body["fields"] or ()]
    dataset = _rows(body["dataset"], unwanted)
    operations = body["operations"]
    if names_dataset(operations, unwanted.datasets) or (
        unwanted.text and mentions(operations, unwanted.text)
    ):
        operations = []
    changed = {
        **body,
        **named,
        "fields": None if body["fields"] is None else fields,
        "dataset": dataset,
        "operations": operations,
    }
    if changed == body:
        return None
    return {**changed, "operations": []}


def _reading(body: Mapping[str, Any], unwanted: Unwanted) -> dict[str, Any] | None:
    changed = {
        **body,
        **{
            key: [item for item in value if not _is_unwanted(item, unwanted)]
            for key, value in body.items()
            if isinstance(value, list)
        },
    }
    return None if changed == body else changed


def _is_unwanted(item: Any, unwanted: Unwanted) -> bool:
    if isinstance(item, list) and tuple(item[:2]) in unwanted.datasets:
        return True
    named = names_dataset(item, unwanted.datasets)
    return named or bool(unwanted.text and mentions(item, unwanted.text))


def _rows(rows: list[list[Any]], unwanted: Unwanted) -> list[list[Any]]:
    kept = [row for row in rows if tuple(row[:2]) not in unwanted.datasets]
    is_cut = len(kept) < len(rows)
    return sorted(map(list, {tuple(_described(row, unwanted.text, is_cut)) for row in kept}))


def _described(row: list[Any], text: str, is_cut: bool) -> list[Any]:
    is_unwanted = is_cut or bool(text and text in row[DESCRIPTION])
    return [*row[:DESCRIPTION], FORGOTTEN] if row[DESCRIPTION] and is_unwanted else row


def _datasets_in(value: Any) -> set[tuple[str, str]]:
    """Every namespace and name that stand together anywhere in a JSON value."""
    pairs: set[tuple[str, str]] = set()
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            pair = item.get("namespace"), item.get("name")
            if isinstance(pair[0], str) and isinstance(pair[1], str):
                pairs.add((pair[0], pair[1]))
            stack.extend(item.values())
        elif isinstance(item, list):
            if len(item) >= 2 and isinstance(item[0], str) and isinstance(item[1], str):
                pairs.add((item[0], item[1]))
            stack.extend(item)
    return pairs


def mentions(value: Any, text: str) -> bool:
    """Whether a JSON value has the text in one of its strings."""
    if isinstance(value, str):
        return text in value
    if isinstance(value, dict):
        return any(mentions(item, text) for item in value.values())
    return isinstance(value, list) and any(mentions(item, text) for item in value)


def masked(value: Any, text: str) -> Any:
    """A JSON value, with FORGOTTEN for each of its strings that has the text."""
    if isinstance(value, str):
        return FORGOTTEN if text in value else value
    if isinstance(value, dict):
        return {key: masked(item, text) for key, item in value.items()}
    return [masked(item, text) for item in value] if isinstance(value, list) else value


def names_dataset(value: Any, datasets: Collection[tuple[str, str]]) -> bool:
    """Whether a JSON value names one of the datasets."""
    return not _datasets_in(value).isdisjoint(datasets)
