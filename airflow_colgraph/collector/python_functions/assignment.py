"""What is put into a name, a tuple of names, an item or an attribute."""

from __future__ import annotations

import ast

from airflow_colgraph.collector.lineage.transformations import (
    NONE,
    TRANSFORMATION,
    Inputs,
    through,
    union,
)
from airflow_colgraph.collector.python_functions.expressions import evaluate
from airflow_colgraph.collector.python_functions.iteration import ADVANCED, ITERATED, elements_of
from airflow_colgraph.collector.python_functions.run import Run, literal_of, names_of
from airflow_colgraph.collector.python_functions.tables import (
    aligned,
    opened,
    put,
    with_column,
)
from airflow_colgraph.collector.python_functions.values import (
    Callee,
    GiveUp,
    Items,
    Ref,
    Shape,
    Table,
    Value,
    decided,
    either_value,
    joined_object,
)
from airflow_colgraph.collector.python_functions.vocabulary import TABLE_ATTRIBUTES


def assign(run: Run, target: ast.AST, value: Value) -> None:
    """Put a value somewhere; GiveUp if others may look for it there."""
    if isinstance(target, ast.Name):
        by = decided(run.state.decisions)
        names = run.state.scopes.setdefault(run.call.scope.number, {})
        if value.callee is not None and value.callee.kind in ADVANCED:
            value = value._replace(callee=Callee("held", value.callee.kind, (value,)))
        names[target.id] = value._replace(inputs=union((value.inputs, by))) if by else value
    elif isinstance(target, (ast.Tuple, ast.List)):
        _unpack(run, target, value)
    elif isinstance(target, ast.Subscript):
        container, key = evaluate(run, target.value), evaluate(run, target.slice)
        store(run, target, container, key, value)
    elif isinstance(target, ast.Attribute):
        _set_attribute(run, target, value)
    else:
        raise GiveUp(f"an assignment to {type(target).__name__.lower()}")


def _unpack(run: Run, target: ast.Tuple | ast.List, value: Value) -> None:
    items = run.items(value)
    if value.callee is not None and value.callee.kind in ITERATED:
        elements = elements_of(run, value, target)
        if elements.certain is None:
            values = elements.some()
            items = Items("list", {}, either_value(values) if values else None, elements.count_by)
        else:
            items = Items("list", dict(enumerate(elements.certain)))
        value = value._replace(callee=None)
    is_known = (
        items is not None
        and items.rest is None
        and items.kind in ("list", "tuple", "tuples", "record")
    )
    names = [isinstance(inner, ast.Starred) for inner in target.elts]
    by = decided(run.inputs(value))
    if is_known and items is not None and len(items.elements) >= len(names) - any(names):
        parts = [each._replace(inputs=union((each.inputs, by))) for each in items.elements.values()]
        if any(names):
            first, more = names.index(True), len(parts) - len(names) + 1
            rest = run.new_items(target, "list", parts[first : first + more], "#rest")
            parts[first : first + more] = [rest]
    elif any(names):
        element = _element(run, value, items)
        count = union((by, items.count_by if items is not None else run.content(value)))
        rest = run.new(target, Items("list", {}, element, count), "#rest")
        parts = [rest if is_rest else element for is_rest in names]
    else:
        parts = []
    if len(parts) == len(target.elts):
        key = f"#unpack{run.site(target)}"  # a target may make objects of the same place anew
        scope = run.state.scopes.setdefault(run.call.scope.number, {})
        scope.update({f"{key}{place}": part for place, part in enumerate(parts)})
        for place, inner in enumerate(target.elts):
            inner = inner.value if isinstance(inner, ast.Starred) else inner
            assign(run, inner, run.state.scopes[run.call.scope.number][f"{key}{place}"])
        return
    element = _element(run, value, items)
    for inner in target.elts:
        assign(run, inner, element)


def _element(run: Run, value: Value, items: Items | None) -> Value:
    """Any element of what is unpacked."""
    is_object = value.callee is not None and value.callee.kind == "object"
    if (value.callee is not None and not is_object) or (value.refs and items is None):
        raise GiveUp("an object that is unpacked")
    element = Value(run.content(value), buffers=value.buffers, callee=value.callee)
    if items is not None:
        every = items.every()
        element = either_value(every) if every else Value()
        by = decided(union((run.inputs(value), items.count_by)))
        element = element._replace(inputs=union((element.inputs, by)))
    return element


def store(run: Run, node: ast.AST, container: Value, key: Value, value: Value) -> None:
    """`container[key] = value`."""
    by = decided(union((run.state.decisions, run.inputs(container))))
    if container.callee is not None and container.callee.kind == "object":
        run.top("an item of an object that is set", key, value)
        return
    if container.callee is not None:
        if container.callee.kind != "indexer":
            raise GiveUp(f"an item of a {container.callee.kind} that is set")
        _store_located(run, node, container.callee, key, value)
        return
    for ref in container.refs:
        result = run.state.heap.get(ref)
        is_only = len(container.refs) == 1
        if isinstance(result, Table):
            _store_column(run, ref, result, key, value, by, is_only)
        elif isinstance(result, Items):
            _store_item(run, ref, result, key, value, by, is_only)
    change = union((run.content(value), decided(run.content(key)), by))
    run.change_data(container, through(TRANSFORMATION, (change,)))


def _store_column(
    run: Run, ref: Ref, table: Table, key: Value, value: Value, by: Inputs, is_only: bool
) -> None:
    names = names_of(run, key)
    if (
        names is None
        or (len(names) != 1 and isinstance(literal_of(run, key), list))
        or run.inputs(key)
    ):
        new = union((run.content(value), decided(run.content(key)), by))
        new = through(TRANSFORMATION, (new,))
        for each in table.every():
            for buffer in each.buffers:
                run.change(buffer, new)
        if key.shape is not None:  # a mask: no new columns
            columns = {
                name: each._replace(inputs=union((through(TRANSFORMATION, (each.inputs,)), new)))
                for name, each in table.columns.items()
            }
            rest = table.rest and table.rest._replace(inputs=union((table.rest.inputs, new)))
            run.state.heap[ref] = Table(columns, table.shape, rest)
        else:
            run.state.heap[ref] = opened(run, table, new)
        return
    (name,) = names
    put(run, ref, table, with_column(run, table, name, value, by), is_only)


def _store_item(
    run: Run, ref: Ref, items: Items, key: Value, value: Value, by: Inputs, is_only: bool
) -> None:
    value = value._replace(inputs=union((value.inputs, by)))
    literal = key.literal
    if isinstance(literal, int) and not isinstance(literal, bool) and literal < 0:
        literal = literal + len(items.elements) if items.rest is None else key
    is_place = items.kind in ("dict", "row", "instance") or literal in items.elements
    if isinstance(literal, (str, int)) and is_place and not run.inputs(key):
        old = items.elements.get(literal)
        if items.kind == "row" and old is not None:  # it may be a view of the table
            for buffer in old.buffers:
                run.change(buffer, through(TRANSFORMATION, (run.content(value),)))
        is_new = literal not in items.elements
        count = union((items.count_by, by)) if is_new else items.count_by
        new = items._replace(elements={**items.elements, literal: value}, count_by=count)
        is_certain = is_only and not ref.is_earlier
        run.state.heap[ref] = new if is_certain else joined_object(items, new)
        return
    value = value._replace(inputs=union((value.inputs, decided(run.content(key)))))
    for each in items.every():
        for buffer in each.buffers:
            run.change(buffer, through(TRANSFORMATION, (run.content(value),)))
    rest = either_value([*items.every(), value])
    count = union((items.count_by, run.content(key), by))
    run.state.heap[ref] = Items(items.kind, {}, rest, count)


def _store_located(run: Run, node: ast.AST, indexer: Callee, key: Value, value: Value) -> None:
    """`table.loc[rows, columns] = value`, and `iloc`, `at`, `iat`."""
    (target,) = indexer.parts
    rows, names = located(run, indexer, key)
    by = decided(union((run.state.decisions, run.inputs(target), run.content(rows))))
    if not target.refs:
        change = union((run.content(value), decided(run.content(key)), by))
        run.change_data(target, through(TRANSFORMATION, (change,)))
        return
    for ref in target.refs:
        table = run.state.heap.get(ref)
        if not isinstance(table, Table):
            if table is not None:
                raise GiveUp("an item that is set by its place")
            continue
        chosen = list(table.columns) if names is None else names
        if names is None and (table.rest is not None or len(table.columns) == 0):
            new = through(TRANSFORMATION, (union((run.content(value), run.content(key), by)),))
            run.state.heap[ref] = opened(run, table, new)
            continue
        put_in = aligned(run, value, table.shape)
        extra = NONE if names is not None else decided(run.content(key))
        columns = dict(table.columns)
        for name in chosen:
            new = union((through(TRANSFORMATION, (put_in.inputs,)), by, extra))
            old = columns.get(name, Value(shape=table.shape))
            for buffer in old.buffers:
                run.change(buffer, new)
            inputs = union((through(TRANSFORMATION, (run.inputs(old),)), new))
            columns[name] = old._replace(inputs=inputs)
        changed = Table(columns, table.shape, table.rest)
        if rows.shape is None and rows.callee is None and indexer.name in ("loc", "at"):
            grown = union((table.shape.rows, by))  # a label that is new adds a row
            shape = Shape(run.rows(node, "#grown"), grown, union((table.shape.index_by, by)))
            columns = {name: each._replace(shape=shape) for name, each in columns.items()}
            changed = Table(columns, shape, table.rest)
        if table.rest is not None and any(name not in table.columns for name in chosen):
            changed = opened(run, changed)
        put(run, ref, table, changed, len(target.refs) == 1)


def located(run: Run, indexer: Callee, key: Value) -> tuple[Value, list[str] | None]:
    """The rows and the names of the columns that `loc`, `iloc`, `at` or `iat` is asked for.

    The names are None if they are not known, or if all columns are meant.
    """
    items = run.items(key)
    if items is None or items.kind != "tuple" or items.rest is not None or len(items.elements) != 2:
        return key, None
    rows, columns = items.elements.values()
    if run.inputs(columns):
        return key, None
    if indexer.name in ("loc", "at"):
        names = names_of(run, columns)
        return (rows, names) if names is not None else (key, None)
    (target,) = indexer.parts
    table, places = run.table(target), literal_of(run, columns)
    places = [places] if isinstance(places, int) else places
    if table is None or table.rest is not None or not isinstance(places, (list, tuple)):
        return key, None
    certain = list(table.columns)
    if not all(
        isinstance(place, int) and -len(certain) <= place < len(certain) for place in places
    ):
        return key, None
    return rows, [certain[place] for place in places]


def _set_attribute(run: Run, target: ast.Attribute, value: Value) -> None:
    container = evaluate(run, target.value)
    name = target.attr
    by = decided(union((run.state.decisions, run.inputs(container))))
    if container.callee is not None or not container.refs:
        raise GiveUp(f"the attribute {name}, which is set")
    for ref in container.refs:
        table = run.state.heap.get(ref)
        is_only = len(container.refs) == 1
        if isinstance(table, Items) and table.kind == "instance" and table.rest is None:
            _store_item(run, ref, table, Value(literal=name), value, by, is_only)
            continue
        if not isinstance(table, Table):
            raise GiveUp(f"the attribute {name}, which is set")
        if name == "columns":
            wanted = literal_of(run, value)
            is_list = (
                isinstance(wanted, (list, tuple)) and table.rest is None and not run.inputs(value)
            )
            if (
                is_list
                and len(set(wanted)) == len(table.columns) == len(wanted)
                and all(isinstance(each, str) for each in wanted)
            ):
                columns = {
                    new: each._replace(inputs=union((run.inputs(each), by)))
                    for new, each in zip(wanted, table.columns.values())
                }
                put(run, ref, table, Table(columns, table.shape), is_only)
            else:
                run.state.heap[ref] = opened(run, table, union((decided(run.content(value)), by)))
        elif name == "index":
            index = union((run.content(value), by, *([] if is_only else [table.shape.index_by])))
            shape = Shape(run.rows(target, "#index"), table.shape.rows, index, None)
            columns = {each: old._replace(shape=shape) for each, old in table.columns.items()}
            rest = table.rest and table.rest._replace(shape=shape)
            put(run, ref, table, Table(columns, shape, rest), is_only)
        elif name in table.columns and name not in TABLE_ATTRIBUTES:
            put(run, ref, table, with_column(run, table, name, value, by), is_only)
        else:
            raise GiveUp(f"the attribute {name}, which is set")


def delete(run: Run, target: ast.AST) -> None:
    """`del name`, or `del container[key]`."""
    if isinstance(target, ast.Name):
        run.state.scopes.get(run.call.scope.number, {}).pop(target.id, None)
        return
    if not isinstance(target, ast.Subscript):
        raise GiveUp("del of an attribute")
    container, key = evaluate(run, target.value), evaluate(run, target.slice)
    by = decided(union((run.state.decisions, run.inputs(container), run.content(key))))
    if container.callee is not None or not container.refs:
        raise GiveUp("del of an item")
    for ref in container.refs:
        result = run.state.heap.get(ref)
        is_certain = len(container.refs) == 1 and not ref.is_earlier and not has(by)
        if isinstance(result, Table) and is_certain and key.literal in result.columns:
            columns = {name: each for name, each in result.columns.items() if name != key.literal}
            run.state.heap[ref] = result._replace(columns=columns)
        elif isinstance(result, Table):
            run.state.heap[ref] = opened(run, result, by)
        elif isinstance(result, Items):
            every = result.every()
            is_dict = (
                result.kind in ("dict", "row") and is_certain and key.literal in result.elements
            )
            if is_dict:
                elements = {k: v for k, v in result.elements.items() if k != key.literal}
                run.state.heap[ref] = result._replace(elements=elements)
            else:
                rest = either_value(every) if every else None
                run.state.heap[ref] = Items(result.kind, {}, rest, union((result.count_by, by)))


def has(inputs: Inputs) -> bool:
    """Whether there is anything among inputs."""
    return any(inputs.values())
