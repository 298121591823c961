"""Facets and events held against the classes that OpenLineage's client generates from its schemas.

The schemas are no files of the client, and no test may fetch them from the web; its classes have
their keys, types and URLs.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import attr
from openlineage.client import generated
from openlineage.client.generated import base

KINDS = (str, int, float, bool)
types_of: Callable[[type], dict[str, Any]] = cache(get_type_hints)


@cache
def by_url() -> dict[str, type]:
    """The classes of facets, by their `_schemaURL`."""
    names = [module.name for module in pkgutil.iter_modules(generated.__path__)]
    modules = [importlib.import_module(f"{generated.__name__}.{name}") for name in names]
    classes = [kind for module in modules for kind in vars(module).values() if attr.has(kind)]
    return {kind._get_schema(): kind for kind in classes if hasattr(kind, "_get_schema")}


def of_event(event: dict[str, Any]) -> Iterator[str]:
    """What is wrong with an event apart from its facets."""
    kind = base.RunEvent if "run" in event else base.JobEvent
    yield from of_value(event, kind, "event")


def of_facet(name: str, facet: dict[str, Any]) -> Iterator[str]:
    """What is wrong with a facet of the specification: its URL, and each key of it."""
    kind = by_url().get(facet["_schemaURL"])
    if kind is None:
        yield f"{name}: {facet['_schemaURL']} is none of the client's"
    else:
        yield from of_value(facet, kind, name)


def of_value(value: Any, kind: Any, path: str) -> Iterator[str]:
    """What is wrong with a value of some type; a class may have further keys."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        outcomes = [list(of_value(value, part, path)) for part in parts]
        yield from min(outcomes, key=len)
    elif origin is Literal:
        if value not in parts:
            yield f"{path}: {value!r} is none of {parts}"
    elif attr.has(kind):
        yield from of_object(value, kind, path)
    elif origin is list and isinstance(value, list):
        for number, item in enumerate(value):
            yield from of_value(item, parts[0], f"{path}[{number}]")
    elif origin is dict and isinstance(value, dict):
        for key, item in value.items():
            yield from of_value(item, parts[1], f"{path}.{key}")
    elif not is_a(value, kind):
        yield f"{path}: {value!r} is no {kind}"


def of_object(value: Any, kind: type, path: str) -> Iterator[str]:
    """What is wrong with an object of one of the client's classes."""
    if not isinstance(value, dict):
        yield f"{path}: {value!r} is no {kind.__name__}"
        return
    types = types_of(kind)
    for field in attr.fields(kind):
        if field.name in value:
            yield from of_value(value[field.name], types[field.name], f"{path}.{field.name}")
        elif field.default is attr.NOTHING:
            yield f"{path}: {field.name} is missing"


def is_a(value: Any, kind: Any) -> bool:
    """Whether a value without parts has a type; a number without a fraction is a float, too."""
    if kind is Any:
        return True
    if kind is None or kind is NoneType:
        return value is None
    if kind is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if issubclass(kind, Enum):
        return value in [member.value for member in kind]
    return type(value) is kind if kind in KINDS else False
