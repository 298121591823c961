"""What one attribute or expression comes from, member by member where it is a struct. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from airflow_colgraph.collector.lineage.transformations import (
    CONDITIONAL,
    CONSTANT,
    NONE,
    TRANSFORMATION,
    Inputs,
    fields_of,
    through,
    union,
)


class Value(NamedTuple):
    """The inputs of an expression, and of each member where it is a struct.

    Arrays and maps of structs have the members of their elements: `items.sku` names the member
    of every element, as Spark does.
    """

    inputs: Inputs
    members: Mapping[str, Value] | None = None
    literal: Any = None
    built: Built | None = None


class Built(NamedTuple):
    """An array or a map whose building is known; whatever changes the value forgets it.

    `keys` is what a map's keys, or an array's positions, come from; `element` is any of the
    elements. `elements` are an array's in order, a map's by literal key, and None where a key is
    no literal.
    """

    keys: Value
    element: Value
    elements: tuple[Value, ...] | Mapping[str, Value] | None = None


NOTHING = Value(NONE)  # its sources are unknown
SOURCELESS = Value(CONSTANT)  # reads no column, and known not to


def stepped(value: Value, step: int) -> Value:
    """The same value, its members too, one `step` nearer the output."""
    return changed(value, lambda inputs: through(step, (inputs,)))


def changed(value: Value, change: Callable[[Inputs], Inputs]) -> Value:
    """The same value with `change` made to its inputs and to those of its members."""
    members = value.members and {k: changed(v, change) for k, v in value.members.items()}
    return Value(change(value.inputs), members or None)


def with_indirect(value: Value, *by: Inputs) -> Value:
    """The same value, and each member of it, as something else has chosen it."""
    return changed(value, lambda inputs: union((inputs, *by))) if any(map(fields_of, by)) else value


def counted_by(arrays: Iterable[Value], value: Value) -> Value:
    """Elements built from arrays, whose lengths affect members that do not read them."""
    varying = [array for array in arrays if not (array.built and array.built.elements)]
    members: dict[str, Value] = {}
    for name, own in (value.members or {}).items():
        read = fields_of(own.inputs)
        others = (array for array in varying if not fields_of(array.inputs) & read)
        members[name] = with_indirect(own, indirect(CONDITIONAL, *others))
    return value._replace(members=members or None)


def joined(values: Iterable[Value]) -> Value:
    """Either of several: all their inputs, and members where all that have inputs have them."""
    every_value = list(values)
    sourced = [value for value in every_value if fields_of(value.inputs) or value.members]
    members = None
    if sourced and all(value.members for value in sourced):
        names = dict.fromkeys(name for value in sourced for name in value.members or ())
        every = [value.members or {} for value in sourced]
        if all(len(named) == len(every[0]) for named in every):  # as Spark does: by position
            names = dict.fromkeys(every[0])
            every = [dict(zip(names, named.values())) for named in every]
        members = {name: joined(named.get(name, NOTHING) for named in every) for name in names}
    return Value(union(value.inputs for value in every_value), members)


def indirect(subtype: int, *values: Value) -> Inputs:
    """`values` as something that only decides."""
    return through(subtype, (value.inputs for value in values))


def made_of(values: list[Value], step: int = TRANSFORMATION) -> Value:
    """A new value computed from `values`."""
    return Value(through(step, (value.inputs for value in values)))


def struct(members: Mapping[str, Value]) -> Value:
    """A struct with `members`, built by the user's own expression."""
    inputs = through(TRANSFORMATION, (value.inputs for value in members.values()))
    return Value(inputs, members)


def member(value: Value, name: str | None, ordinal: int | None) -> Value:
    """The member of a struct, by name and else by position."""
    members = value.members
    if members:
        if name is not None and name in members:
            return members[name]
        folded = (name or "").casefold()
        for spelling, own in members.items():
            if spelling.casefold() == folded:
                return own
        if ordinal is not None and ordinal < len(members):
            return list(members.values())[ordinal]
    return Value(through(TRANSFORMATION, (value.inputs,)))


def typed(value: Value, data_type: Any) -> Value:
    """The value as a column of that type: its members by position, under the type's names.

    What is not known member by member comes from the whole.
    """
    parts = members_of(data_type)
    values = list((value.members or {}).values())
    if len(values) != len(parts):
        values = [Value(through(TRANSFORMATION, (value.inputs,)))] * len(parts)
    members = {part["name"]: typed(own, part["type"]) for part, own in zip(parts, values)}
    return Value(value.inputs, members or None)


def members_of(data_type: Any) -> list[dict[str, Any]]:
    """The struct members in a Spark data type as JSON, looking into arrays and maps."""
    while isinstance(data_type, dict):
        if data_type.get("type") == "struct":
            fields: list[dict[str, Any]] = data_type["fields"]
            return fields
        data_type = data_type.get("elementType", data_type.get("valueType"))
    return []
