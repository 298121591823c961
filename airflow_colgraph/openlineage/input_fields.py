"""Input fields of the `columnLineage` facet, as dictionaries."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

InputField = dict[str, Any]


def united(entries: Iterable[InputField]) -> list[InputField]:
    """List each input field once, with the transformations of all its entries."""
    fields: dict[tuple[str, str, str], InputField] = {}
    for entry in entries:
        key = entry["namespace"], entry["name"], entry["field"]
        steps = list(fields.get(key, {}).get("transformations") or [])
        for step in entry.get("transformations") or []:
            if step not in steps:
                steps.append(step)
        fields[key] = {**entry, "transformations": steps}
    return list(fields.values())
