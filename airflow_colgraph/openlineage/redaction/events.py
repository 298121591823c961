"""The last look at an event before it leaves the driver. Pure.

Whatever part of the collector put a text there: this is the one place that all events pass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar

from airflow_colgraph.openlineage.redaction.messages import without_tokens
from airflow_colgraph.openlineage.redaction.salts import without_salts
from airflow_colgraph.openlineage.redaction.texts import in_text

Event = TypeVar("Event", bound=Mapping[str, Any])  # dicts, by whichever name of their type


def _name(text: str) -> str:
    """A name has no salt and no key in it; else it stays, as other events must have the same."""
    return without_tokens(without_salts(text))


def _sql(text: str) -> str:
    return in_text(text, quoted_only=True)


BY_KEY: dict[str, Callable[[str], str]] = {
    "description": _sql,
    "query": _sql,
    "message": in_text,
    "stackTrace": in_text,
    "truncated": in_text,
    "class": in_text,
}


def redacted(event: Event) -> Event:
    """The event, changed in place, in which no text and no name holds a secret.

    An event repeats its texts, as each input of a column names its dataset: each is looked at once.
    """

    @cache
    def shown(redact: Callable[[str], str], text: str) -> str:
        return redact(text)

    stack: list[Any] = [event]
    while stack:
        container = stack.pop()
        places = list(container.items() if isinstance(container, dict) else enumerate(container))
        is_renamed = False
        for key, value in places:
            if isinstance(value, str):
                container[key] = shown(BY_KEY.get(key, _name), value)
            elif isinstance(value, (dict, list)):
                stack.append(value)
            is_renamed |= isinstance(key, str) and shown(_name, key) != key
        if is_renamed:
            items = [(shown(_name, key), value) for key, value in container.items()]
            container.clear()
            container.update(items)
    return event
