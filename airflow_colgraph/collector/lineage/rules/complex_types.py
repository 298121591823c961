"""Expressions that build structs, arrays and maps, change them and extract their parts. Pure.

Arrays and maps have the members of their elements: see `Value`.
"""

from __future__ import annotations

from airflow_colgraph.collector.lineage.evaluation import EXPRESSIONS, evaluate
from airflow_colgraph.collector.lineage.resolution import Scope
from airflow_colgraph.collector.lineage.transformations import (
    CONDITIONAL,
    NONE,
    TRANSFORMATION,
    union,
)
from airflow_colgraph.collector.lineage.values import (
    SOURCELESS,
    Built,
    Value,
    counted_by,
    indirect,
    joined,
    made_of,
    member,
    stepped,
    struct,
    typed,
    with_indirect,
)
from airflow_colgraph.collector.plan import Row, as_rows, kind
from airflow_colgraph.collector.registry import register

# Structs --------------------------------------------------------------------------------------


@register(EXPRESSIONS, "GetStructField")
def _get_struct_field(row: Row, scope: Scope, children: list[Value]) -> Value:
    return member(children[0], row.get("name"), row.get("ordinal"))


@register(EXPRESSIONS, "GetArrayStructFields")
def _get_array_struct_fields(row: Row, scope: Scope, children: list[Value]) -> Value:
    return member(children[0], row["field"]["name"], row.get("ordinal"))


@register(EXPRESSIONS, "CreateNamedStruct")
def _named_struct(row: Row, scope: Scope, children: list[Value]) -> Value:
    """A struct; one more child is the struct that Spark rebuilt from its members."""
    pairs = len(children) // 2 * 2
    names, values = [str(name.literal) for name in children[0:pairs:2]], children[1:pairs:2]
    if len(set(names)) < len(names):  # struct(t1.id, t2.id): the name does not identify the member
        return made_of(values)
    whole = struct(dict(zip(names, values)))
    return Value(children[-1].inputs, whole.members) if children[pairs:] else whole


@register(EXPRESSIONS, "Cast")
def _cast(row: Row, scope: Scope, children: list[Value]) -> Value:
    (value,) = children
    return stepped(typed(value, row.get("dataType")) if value.members else value, TRANSFORMATION)


@register(EXPRESSIONS, "WithField")
def _with_field(row: Row, scope: Scope, children: list[Value]) -> Value:
    return children[0]._replace(literal=row["name"])


@register(EXPRESSIONS, "DropField")
def _drop_field(row: Row, scope: Scope, children: list[Value]) -> Value:
    return DROPPED._replace(literal=row["name"])


DROPPED = Value(NONE, {})  # by identity of its members: what DropField answers


@register(EXPRESSIONS, "UpdateFields")
def _update_fields(row: Row, scope: Scope, children: list[Value]) -> Value:
    old, *operations = children
    if not old.members:
        return made_of(children)
    members = dict(old.members)
    for operation in operations:
        spellings = {name.casefold(): name for name in members}
        name = spellings.get(operation.literal.casefold(), operation.literal)
        if operation.members is DROPPED.members:
            members.pop(name, None)
        else:
            members[name] = operation._replace(literal=None)
    return struct(members)


# Elements -------------------------------------------------------------------------------------


@register(EXPRESSIONS, "Concat", "ArrayAppend", "ArrayPrepend", "MapConcat")
def _joined(row: Row, scope: Scope, children: list[Value]) -> Value:
    return stepped(joined(children), TRANSFORMATION)


@register(EXPRESSIONS, "CreateArray")
def _array(row: Row, scope: Scope, children: list[Value]) -> Value:
    value = stepped(joined(children), TRANSFORMATION)
    return value._replace(built=Built(SOURCELESS, value, tuple(map(as_element, children))))


def as_element(value: Value) -> Value:
    """A value as it is inside an array or a map, with what it is itself built of."""
    return stepped(value, TRANSFORMATION)._replace(literal=value.literal, built=value.built)


@register(EXPRESSIONS, "CreateMap")
def _map(row: Row, scope: Scope, children: list[Value]) -> Value:
    return map_of(children[0::2], children[1::2])


def map_of(keys: list[Value], values: list[Value]) -> Value:
    """A map from some keys to some values.

    It comes from both. Where keys are equal the last value is kept: the keys affect an element
    that is taken, and on its members, but not on the map as a whole.
    """
    whole = stepped(joined(values), TRANSFORMATION)
    value = with_indirect(whole, indirect(CONDITIONAL, *keys))
    names = [key.literal for key in keys]
    is_known = None not in names and len(set(names)) == len(names)
    elements = dict(zip(names, map(as_element, values))) if is_known else None
    of_keys = made_of(keys)
    built = Built(of_keys, value, elements)
    return Value(union((whole.inputs, of_keys.inputs)), value.members, built=built)


@register(EXPRESSIONS, "MapFromArrays")
def _map_from_arrays(row: Row, scope: Scope, children: list[Value]) -> Value:
    keys, values = (value.built.elements if value.built else None for value in children)
    if isinstance(keys, tuple) and isinstance(values, tuple) and len(keys) == len(values):
        return map_of(list(keys), list(values))
    return made_of(children)


@register(EXPRESSIONS, "ElementAt", "Get", "GetArrayItem", "GetMapValue")
def _element(row: Row, scope: Scope, children: list[Value]) -> Value:
    """One element; of what was built from others only that one, where a literal selects it."""
    if len(children) == 1:  # `get` of Spark 3.5, as what it is replaced by
        return children[0]
    value, place, *_ = children
    elements = value.built.elements if value.built else None
    if value.built:
        value = with_indirect(value, indirect(CONDITIONAL, value.built.keys))
    if elements is None or place.literal is None:
        return _some_elements(row, scope, [value, *children[1:]])
    if not isinstance(elements, tuple):
        element = elements.get(place.literal)
        return element or _some_elements(row, scope, [value, *children[1:]])
    position = int(place.literal)
    if kind(row) == "ElementAt":  # counts from one, and from the end
        position += len(elements) if position < 0 else -1
    return elements[position] if 0 <= position < len(elements) else SOURCELESS


@register(EXPRESSIONS, "MapKeys", "Size")
def _keys(row: Row, scope: Scope, children: list[Value]) -> Value:
    """The keys of a map, or how many elements there are: no element affects that."""
    (value,) = children
    return value.built.keys if value.built else made_of(children)


@register(EXPRESSIONS, "MapValues")
def _values(row: Row, scope: Scope, children: list[Value]) -> Value:
    (value,) = children
    return value.built.element if value.built else made_of(children)


@register(EXPRESSIONS, "NthValue", "ArrayRepeat", "Reverse", "Slice", "Shuffle", "Flatten")
def _some_elements(row: Row, scope: Scope, children: list[Value]) -> Value:
    """Elements of the first argument; the others say which."""
    value, *others = children
    return with_indirect(stepped(value, TRANSFORMATION), made_of(others).inputs)


@register(
    EXPRESSIONS,
    "CollectSet",
    "Mode",
    "ArrayDistinct",
    "ArrayExcept",
    "ArrayIntersect",
    "ArrayRemove",
)
def _unlike(row: Row, scope: Scope, children: list[Value]) -> Value:
    """Elements that are equal to no other, or to one: each member is kept as all members decide."""
    value, *others = children
    return by_all_members(with_indirect(stepped(value, TRANSFORMATION), made_of(others).inputs))


@register(EXPRESSIONS, "ArrayUnion")
def _array_union(row: Row, scope: Scope, children: list[Value]) -> Value:
    return by_all_members(stepped(joined(children), TRANSFORMATION))


def by_all_members(value: Value) -> Value:
    """The same value, each member of it as the others have decided."""
    members = value.members or {}
    decided = {
        name: with_indirect(
            own, indirect(CONDITIONAL, *(members[other] for other in members if other != name))
        )
        for name, own in members.items()
    }
    return value._replace(members=decided or None)


@register(EXPRESSIONS, "Max", "Min", "Greatest", "Least", "ArrayMax", "ArrayMin", "SortArray")
def _by_order(row: Row, scope: Scope, children: list[Value]) -> Value:
    """The first of several in their order: a struct's earlier members affect its later ones."""
    value = stepped(joined(children), TRANSFORMATION)
    if not value.members:
        return value
    members: dict[str, Value] = {}
    for name, own in value.members.items():
        members[name] = with_indirect(own, indirect(CONDITIONAL, *members.values()))
    return Value(value.inputs, members)


@register(EXPRESSIONS, "ArraysZip")
def _arrays_zip(row: Row, scope: Scope, children: list[Value]) -> Value:
    names = [str(evaluate(as_rows(name), scope).literal) for name in row["names"]]
    whole = made_of(children)
    members = {name: stepped(value, TRANSFORMATION) for name, value in zip(names, children)}
    return counted_by(children, Value(whole.inputs, members))
