"""Names of columns without the constants that Spark puts into them. Pure.

Spark names a column without an alias after its whole expression, with each constant in it and
without quotes: `sha2(concat(s3cret, card), 256)`. A constant may hold any character, so everything
behind the bracket is hidden: `sha2(***)`. The name alone decides, so that the job that writes a
column and the job that reads it agree. A digest in its place would tell the columns apart, but a
short secret could be guessed from it: columns of one dataset whose names are shown alike have
numbers, by their order: `sha2(***)`, `sha2(***) (2)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from airflow_colgraph.openlineage.redaction.messages import in_message
from airflow_colgraph.openlineage.redaction.names import is_named
from airflow_colgraph.openlineage.redaction.salts import hidden_from, without_salts
from airflow_colgraph.openlineage.redaction.urls import without_credentials

COMPARED = re.compile(  # as Spark writes it
    r" (?:=|==|<=>|<|>|<=|>=|!=|<>|IN|R?LIKE|ILIKE) "
    r"|(?<![\w.])(?:between|contains|startswith|endswith|i?like|rlike|RLIKE|map|named_struct)\("
)
LIKE = re.compile(" (?:R?LIKE|ILIKE) ")  # the one comparison that has no brackets
WORD = re.compile(r"[\w-]+")
IN_BACKTICKS = re.compile("`([^`]*)`")
OPENING = re.compile(r"(?:CASE WHEN )?[\w.]{0,128}\(")
IN_JSON = re.compile(r'"name":"[^"\\( ]*[\\( ]')  # a name that is an expression's


def shown_name(name: str) -> str:
    """The name of a column without what may be a salt, a key or a password.

    Any part of a nested path may be such a name. A name that is shown already stays.

    >>> shown_name("upper(sha2(concat(s3cret, card), 256))")
    'upper(sha2(***))'
    >>> shown_name("(pwd = hunter2)")
    '(***)'
    """
    if compares_secret(name):
        opening = OPENING.match(name)
        return hidden_from(name, opening.end() if opening else 0)
    name = without_salts(name)
    return in_message(without_credentials(name)) if "(" in name else name


def in_backticks(text: str) -> str:
    """A message in which the names of columns that Spark quotes are those that are shown."""
    return IN_BACKTICKS.sub(lambda quoted: f"`{shown_name(quoted[1])}`", text)


def compares_secret(name: str) -> bool:
    """Whether an expression has the name of a secret and something that it is compared with."""
    if not ("(" in name or LIKE.search(name)) or not COMPARED.search(name):
        return False
    return any(is_named(word) for word in WORD.findall(name))


def shown_names(names: Iterable[str]) -> list[str]:
    """The names of one dataset's or struct's columns, with numbers where they are shown alike."""
    alike: dict[str, dict[str, int]] = {}
    texts: list[str] = []
    for name in names:
        text = shown_name(name)
        numbers = alike.setdefault(text, {})
        number = numbers.setdefault(name, len(numbers) + 1)
        texts.append(text if number == 1 else f"{text} ({number})")
    return texts


def with_shown_names(text: str, tree: Any) -> Any:
    """Spark's JSON of a plan or schema, changed in place: its names of columns as they are shown.

    Args:
        text: The JSON as text; most have no name of an expression, and stay as they are.
        tree: The same, parsed.
    """
    if not IN_JSON.search(text):
        return tree
    objects = list(_objects(tree))
    by_id: dict[int, str] = {}
    for node in reversed(objects):  # leaves first: what is above them names their columns
        for attributes in _attribute_lists(node):
            _number(attributes, by_id)
        if node.get("type") == "struct" and isinstance(node.get("fields"), list):
            fields = node["fields"]
            for field, name in zip(fields, shown_names(str(field["name"]) for field in fields)):
                field["name"] = name
    for node in objects:
        if "exprId" in node and isinstance(node.get("name"), str):
            shown = by_id.get(node["exprId"]["id"])
            node["name"] = shown or shown_name(node["name"])
    return tree


def _objects(tree: Any) -> Iterator[dict[str, Any]]:
    """Each object in a JSON value, before those within it; iterative, as plans run deep."""
    stack = [tree]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            yield value
            stack.extend(reversed(value.values()))
        elif isinstance(value, list):
            stack.extend(reversed(value))


def _attribute_lists(node: dict[str, Any]) -> Iterator[list[dict[str, Any]]]:
    """The lists of named expressions in a plan node: its output, what a Project selects."""
    for value in node.values():
        if isinstance(value, list):
            heads = [item[0] if isinstance(item, list) and item else item for item in value]
            named = [head for head in heads if isinstance(head, dict) and "exprId" in head]
            if named and len(named) == len(value):
                yield named


def _number(attributes: list[dict[str, Any]], by_id: dict[int, str]) -> None:
    """Name the attributes of one list that no node below has named."""
    names = shown_names(str(row.get("name")) for row in attributes)
    for row, name in zip(attributes, names):
        by_id.setdefault(row["exprId"]["id"], name)
