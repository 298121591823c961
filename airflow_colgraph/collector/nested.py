"""Expressions that build structs, arrays and maps, change them and take them apart. Pure.

Arrays and maps have the members of their elements: see `Value`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from airflow_colgraph.collector.expressions import expression, indirect, made_of
from airflow_colgraph.collector.plan import Row, as_rows
from airflow_colgraph.collector.transformations import CONDITIONAL, NONE, TRANSFORMATION, union
from airflow_colgraph.collector.values import (
    Value,
    decided,
    joined,
    member,
    stepped,
    struct,
    typed,
)

if TYPE_CHECKING:
    from airflow_colgraph.collector.frames import Scope


# Structs --------------------------------------------------------------------------------------


@expression("GetStructField")
def _get_struct_field(row: Row, scope: Scope, children: list[Value]) -> Value:
    return member(children[0], row.get("name"), row.get("ordinal"))


@expression("GetArrayStructFields")
def _get_array_struct_fields(row: Row, scope: Scope, children: list[Value]) -> Value:
    return member(children[0], row["field"]["name"], row.get("ordinal"))


@expression("CreateNamedStruct")
def _named_struct(row: Row, scope: Scope, children: list[Value]) -> Value:
    """A struct; one more child is the struct that Spark took apart to put it together again."""
    pairs = len(children) // 2 * 2
    names, values = [str(name.literal) for name in children[0:pairs:2]], children[1:pairs:2]
    if len(set(names)) < len(names):  # struct(t1.id, t2.id): no name says which is meant
        return made_of(values)
    made = struct(dict(zip(names, values)))
    return Value(children[-1].inputs, made.members) if children[pairs:] else made


@expression("Cast")
def _cast(row: Row, scope: Scope, children: list[Value]) -> Value:
    (value,) = children
    return stepped(typed(value, row.get("dataType")) if value.members else value, TRANSFORMATION)


@expression("WithField")
def _with_field(row: Row, scope: Scope, children: list[Value]) -> Value:
    return children[0]._replace(literal=row["name"])


@expression("DropField")
def _drop_field(row: Row, scope: Scope, children: list[Value]) -> Value:
    return DROPPED._replace(literal=row["name"])


DROPPED = Value(NONE, {})  # by identity of its members: what DropField answers


@expression("UpdateFields")
def _update_fields(row: Row, scope: Scope, children: list[Value]) -> Value:
    old, *operations = children
    if not old.members:
        return made_of(children)
    members = dict(old.members)
    for operation in operations:
        known = {name.casefold(): name for name in members}
        name = known.get(operation.literal.casefold(), operation.literal)
        if operation.members is DROPPED.members:
            members.pop(name, None)
        else:
            members[name] = operation._replace(literal=None)
    return struct(members)


# Elements -------------------------------------------------------------------------------------


@expression("CreateArray", "Concat", "ArrayAppend", "ArrayPrepend", "MapConcat")
def _array(row: Row, scope: Scope, children: list[Value]) -> Value:
    return stepped(joined(children), TRANSFORMATION)


@expression("CreateMap")
def _map(row: Row, scope: Scope, children: list[Value]) -> Value:
    keys, values = children[0::2], children[1::2]
    value = stepped(joined(values), TRANSFORMATION)
    found = decided(value, indirect(CONDITIONAL, *keys))  # where keys are equal, the last is kept
    return Value(union((value.inputs, made_of(keys).inputs)), found.members)


@expression("Get", "GetArrayItem", "GetMapValue", "ElementAt", "NthValue", "ArrayRepeat")
@expression("Reverse", "Slice", "Shuffle", "Flatten")
def _some_elements(row: Row, scope: Scope, children: list[Value]) -> Value:
    """Elements of the first argument; the others say which."""
    value, *others = children
    return decided(stepped(value, TRANSFORMATION), made_of(others).inputs)


@expression("CollectSet", "Mode", "ArrayDistinct", "ArrayExcept", "ArrayIntersect", "ArrayRemove")
def _unlike(row: Row, scope: Scope, children: list[Value]) -> Value:
    """Elements that are equal to no other, or to one: each member is kept as all members decide."""
    value, *others = children
    return by_all_members(decided(stepped(value, TRANSFORMATION), made_of(others).inputs))


@expression("ArrayUnion")
def _array_union(row: Row, scope: Scope, children: list[Value]) -> Value:
    return by_all_members(stepped(joined(children), TRANSFORMATION))


def by_all_members(value: Value) -> Value:
    """The same value, each member of it as the others have decided."""
    members = value.members or {}
    found = {
        name: decided(
            known, indirect(CONDITIONAL, *(members[other] for other in members if other != name))
        )
        for name, known in members.items()
    }
    return value._replace(members=found or None)


@expression("Max", "Min", "Greatest", "Least", "ArrayMax", "ArrayMin", "SortArray")
def _by_order(row: Row, scope: Scope, children: list[Value]) -> Value:
    """The first of several in their order: a struct's earlier members decide on its later ones."""
    value = stepped(joined(children), TRANSFORMATION)
    if not value.members:
        return value
    members: dict[str, Value] = {}
    for name, found in value.members.items():
        members[name] = decided(found, indirect(CONDITIONAL, *members.values()))
    return Value(value.inputs, members)


@expression("ArraysZip")
def _arrays_zip(row: Row, scope: Scope, children: list[Value]) -> Value:
    names = [str(as_rows(name)[0].get("value")) for name in row["names"]]
    whole = made_of(children)
    members = {name: stepped(value, TRANSFORMATION) for name, value in zip(names, children)}
    return Value(whole.inputs, members)
