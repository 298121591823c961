"""Attributes and items: `value.name` and `value[key]`."""

from __future__ import annotations

import ast
from typing import Any

from airflow_colgraph.collector.lineage.transformations import (
    FILTER,
    NONE,
    TRANSFORMATION,
    Inputs,
    through,
    union,
)
from airflow_colgraph.collector.python_functions.assignment import located, store
from airflow_colgraph.collector.python_functions.callee import is_certain
from airflow_colgraph.collector.python_functions.calls import bound_to
from airflow_colgraph.collector.python_functions.expressions import evaluate, rule
from airflow_colgraph.collector.python_functions.groups import AGGREGATED
from airflow_colgraph.collector.python_functions.run import Run, literal_of, names_of
from airflow_colgraph.collector.python_functions.source import Captured
from airflow_colgraph.collector.python_functions.tables import (
    any_column,
    closed_over,
    column,
    label_of,
    opened,
    picked,
    with_rows,
)
from airflow_colgraph.collector.python_functions.values import (
    UNKNOWN,
    Callee,
    Defaulting,
    GiveUp,
    Items,
    Shape,
    Table,
    Value,
    decided,
    deciding_on_rows,
    either_value,
)
from airflow_colgraph.collector.python_functions.vocabulary import (
    ACCESSORS,
    CONSTANTS,
    ELEMENT_ATTRIBUTES,
    SAME_ATTRIBUTES,
    TABLE_ATTRIBUTES,
)


@rule(ast.Attribute)
def _attribute(run: Run, node: ast.Attribute) -> Value:
    return attribute(run, node, evaluate(run, node.value), node.attr)


def attribute(run: Run, node: ast.AST, value: Value, name: str) -> Value:
    """`value.name`: a column, a part of a library, or a method to be called."""
    callee = value.callee
    if callee is not None:
        return _of_callee(run, node, value, callee, name)
    if value.refs:
        table, items = run.table(value), run.items(value)
        if table is not None:
            return _of_table(run, node, value, table, name)
        if items is not None and items.kind in ("row", "tuples", "record"):
            if name in items.elements and not (name in ("count", "index") or name.startswith("_")):
                return _chosen(items.elements[name], run.inputs(value))
            if items.kind == "tuples" and items.elements and name not in ("_asdict", "_fields"):
                every = items.every()  # `Index`, or a column by its place
                return Value(union((*map(run.content, every), run.content(value))))
        if items is not None and items.kind == "instance":
            if name not in items.elements or items.rest is not None:
                raise GiveUp(f"the attribute {name} of an object")
            return _chosen(bound_to(items.elements[name], value), run.inputs(value))
        return Value(callee=Callee("method", name, (value,)))
    if name in SAME_ATTRIBUTES:
        return value._replace(label="")
    if name in ELEMENT_ATTRIBUTES:
        return run.computed(node, [value])
    if name in ACCESSORS and value.shape is not None:
        return Value(callee=Callee("accessor", name, (value,)))
    if name in ("iloc", "loc", "at", "iat") and value.shape is not None:
        return Value(callee=Callee("indexer", name, (value,)))
    if name == "index" and value.shape is not None:
        return Value(value.shape.index_values, value.shape)
    if name in ("size", "shape", "empty") and value.shape is not None:
        return Value(value.shape.rows)
    if name in ("dtype", "name", "ndim"):
        return Value(run.content(value))
    return Value(callee=Callee("method", name, (value,)))


ARROW_ATTRIBUTES = {"num_rows": "shape", "column_names": "columns"}  # as a DataFrame has them


def _of_callee(run: Run, node: ast.AST, value: Value, callee: Callee, name: str) -> Value:
    if callee.kind == "module" and callee.parts:
        function = dict(callee.parts).get(name)
        if isinstance(function, Captured) and is_certain(function, name, function):
            return run.kept(function)
    if callee.kind == "module":
        root = callee.name.partition(".")[0]
        path = f"{root}.{name}"
        if path in CONSTANTS:
            return Value(callee=Callee("library", path)) if name[-2:].isdigit() else Value()
        return Value(callee=Callee("library", path))
    if callee.kind == "library":
        return Value(callee=Callee("library", f"{callee.name}.{name}"))
    if callee.kind == "accessor" and name in ELEMENT_ATTRIBUTES:
        (owner,) = callee.parts
        return Value(
            through(TRANSFORMATION, (run.inputs(owner),)), owner.shape, buffers=owner.buffers
        )
    batch = run.table(callee.parts[0]) if callee.kind == "arrow" else None
    if batch is not None and name in ARROW_ATTRIBUTES:
        return _of_table(run, node, callee.parts[0], batch, ARROW_ATTRIBUTES[name])
    if callee.kind == "grouped":
        table = run.table(callee.parts[0])
        others = TABLE_ATTRIBUTES | AGGREGATED
        if table is not None and name in table.columns and name not in others:
            return Value(callee=callee._replace(parts=(*callee.parts[:2], (name,), True)))
    return Value(callee=Callee("method", name, (value,)))


def _chosen(value: Value, by: Inputs) -> Value:
    return value._replace(inputs=union((value.inputs, decided(by)))) if by else value


def _of_table(run: Run, node: ast.AST, value: Value, table: Table, name: str) -> Value:
    by = decided(run.inputs(value))
    if name in ("loc", "iloc", "at", "iat"):
        return Value(callee=Callee("indexer", name, (value,)))
    if name in ("columns", "dtypes"):
        if table.rest is None:
            names = [Value(by, literal=each) for each in table.columns]
            return run.new_items(node, "list", names, "#columns")
        return Value(run.content(value))
    if name == "index":
        return Value(union((table.shape.index_values, by)), table.shape)
    if name in ("values", "array"):
        every = any_column(run, table, by)
        return Value(every.inputs, table.shape, buffers=every.buffers)
    if name in ("shape", "empty", "size"):
        return Value(union((table.shape.rows, by, *([run.content(value)] if table.rest else []))))
    if name == "T":
        return closed_over(run, node, value)
    if name in TABLE_ATTRIBUTES:
        return Value(callee=Callee("method", name, (value,)))
    if name in table.columns:
        return column(run, table, name, by)
    if table.rest is not None and not name.startswith("_"):
        return any_column(run, table, by)
    return Value(callee=Callee("method", name, (value,)))


# Items ----------------------------------------------------------------------------------------


@rule(ast.Subscript)
def _subscript(run: Run, node: ast.Subscript) -> Value:
    return item(run, node, evaluate(run, node.value), evaluate(run, node.slice))


@rule(ast.Index) if hasattr(ast, "Index") else (lambda act: act)
def _index(run: Run, node: Any) -> Value:
    return evaluate(run, node.value)


def item(run: Run, node: ast.AST, value: Value, key: Value) -> Value:
    """`value[key]`."""
    callee = value.callee
    if callee is not None:
        if callee.kind == "indexer":
            return _located(run, node, callee, key)
        if callee.kind == "grouped":
            names = names_of(run, key)
            if names is not None and not run.inputs(key):
                is_one = isinstance(literal_of(run, key), str)
                parts = (*callee.parts[:2], tuple(names), is_one)
                return Value(callee=callee._replace(parts=parts))
        if callee.kind == "accessor":
            (owner,) = callee.parts
            return run.computed(node, [owner, key])
        if callee.kind == "object":
            return run.top("an item of an object", value, key)
        if callee.kind == "arrow":
            return _of_arrow(run, callee.parts[0], key)
        if callee.kind == "library" and callee.name.startswith(
            ("typing.", "builtins.", "collections.")
        ):
            return value  # a type
        raise GiveUp(f"an item of a {callee.kind} {callee.name}".rstrip())
    if value.refs:
        table, items = run.table(value), run.items(value)
        if table is not None:
            return _of_table_item(run, node, value, table, key)
        if items is not None:
            default = [o.kind.default for o in run.objects(value) if _is_defaulting(o)]  # type: ignore[union-attr]
            is_there = isinstance(key.literal, (str, int)) and key.literal in items.elements
            if default and not is_there:
                rest = [items.rest] if items.rest is not None else []
                store(run, node, value, key, either_value([*default, *rest]))
                items = run.items(value) or items
            return _of_items(run, node, value, items, key)
        return Value(union((run.content(value), run.content(key))))
    if key.shape is not None:  # a column's mask
        rows = deciding_on_rows(
            union((run.content(key), run.content(value) if value.shape is None else NONE))
        )
        base = value.shape or key.shape
        shape = Shape(
            run.rows(node),
            union((base.rows, rows, key.shape.rows)),
            union((base.index_by, key.shape.index_by)),
            base.labels,
        )
        return Value(run.inputs(value), shape, buffers=value.buffers)
    if value.shape is not None and key.callee is not None and key.callee.kind == "slice":
        shape = Shape(
            run.rows(node),
            union((value.shape.rows, deciding_on_rows(run.content(key)))),
            value.shape.index_by,
        )
        return Value(run.inputs(value), shape, buffers=value.buffers)
    if value.shape is not None:  # an element, by its label or place
        by = union((value.shape.rows, value.shape.index_by, run.content(key)))
        return Value(
            union((through(TRANSFORMATION, (run.inputs(value),)), decided(by))),
            buffers=value.buffers,
        )
    inputs = union((run.content(value), decided(run.content(key))))
    return Value(through(TRANSFORMATION, (inputs,)), buffers=value.buffers)


def _is_defaulting(result: object) -> bool:
    return isinstance(result, Items) and isinstance(result.kind, Defaulting)


def _of_arrow(run: Run, batch: Value, key: Value) -> Value:
    table = run.table(batch)
    label = label_of(run, table, key) if table is not None else None
    if table is None or label is None:
        raise GiveUp("an item of an Arrow table")
    return column(run, table, label, decided(run.inputs(batch)))


def _of_table_item(run: Run, node: ast.AST, value: Value, table: Table, key: Value) -> Value:
    by = decided(run.inputs(value))
    if isinstance(key.literal, str) and not run.inputs(key):
        return column(run, table, key.literal, by)
    names = names_of(run, key) if not run.content(key) and not key.has_literal else None
    if names is not None:
        return run.new(node, picked(run, table, names, by))
    if key.shape is not None:
        rows = union((deciding_on_rows(run.content(key)), by))
        return run.new(node, with_rows(run, node, table, rows, key.shape.index_by))
    if key.callee is not None and key.callee.kind == "slice":
        rows = deciding_on_rows(union((run.content(key), by)))
        return run.new(node, with_rows(run, node, table, rows))
    if key.refs and run.table(key) is not None:
        return closed_over(run, node, value, key)
    if key.refs:  # a list of names, or a list that is a mask
        changed = opened(run, table, union((by, decided(run.content(key)))))
        rows = deciding_on_rows(run.content(key))
        return run.new(node, with_rows(run, node, changed, rows))
    entry = any_column(run, table, union((by, decided(run.content(key)))))
    return entry if isinstance(key.literal, str) else closed_over(run, node, value, key)


def _of_items(run: Run, node: ast.AST, value: Value, items: Items, key: Value) -> Value:
    by = decided(union((run.inputs(value), run.content(key))))
    literal: Any = key.literal
    if isinstance(literal, (str, int)) and not isinstance(literal, bool):
        if isinstance(literal, int) and items.kind == "record" and items.rest is None:
            names = list(items.elements)
            literal = names[literal] if -len(names) <= literal < len(names) else UNKNOWN
        elif (isinstance(literal, int) and items.kind == "row") or (
            isinstance(literal, int) and items.kind == "tuples"
        ):
            literal = UNKNOWN
        elif (
            isinstance(literal, int) and literal < 0 and items.rest is None and items.kind != "dict"
        ):
            literal += len(items.elements)
        if literal is not UNKNOWN and literal in items.elements and not items.count_by:
            return _chosen(items.elements[literal], by)
        if literal in items.elements and items.kind in ("dict", "row", "record"):
            return _chosen(items.elements[literal], by)
    every = items.every()
    if key.callee is not None and key.callee.kind == "slice" and every:
        return run.new(
            node, Items(items.kind, {}, either_value(every), union((items.count_by, by)))
        )
    if not every:
        return Value(by)
    return _chosen(either_value(every), union((by, items.count_by)))


def _located(run: Run, node: ast.AST, indexer: Callee, key: Value) -> Value:
    """Some rows, and perhaps some columns, of a table or a column."""
    (target,) = indexer.parts
    if not target.refs:
        if key.callee is not None or key.shape is not None:
            return item(run, node, target, key)
        if key.refs:
            by_key = deciding_on_rows(run.content(key))
            shape = Shape(run.rows(node), union((target.shape.rows, by_key)), target.shape.index_by)
            return Value(run.inputs(target), shape, buffers=target.buffers)
        return item(run, node, target, key)
    table = run.table(target)
    if table is None:
        return Value(union((run.content(target), run.content(key))))
    by = decided(run.inputs(target))
    pair = run.items(key)
    is_pair = pair is not None and pair.kind == "tuple" and len(pair.elements) == 2
    rows, names = located(run, indexer, key)
    if names is None and is_pair and pair is not None:
        rows, wanted = pair.elements.values()
        if wanted.callee is None or wanted.callee.kind != "slice" or run.content(wanted):
            return closed_over(run, node, target, key)
        names = list(table.columns) if table.rest is None else None
    is_single = rows.shape is None and rows.callee is None and not rows.refs
    chosen = rows_of_table(run, node, table, rows)
    if names is None:
        if is_single:
            return _single_row(run, node, chosen, by)
        return run.new(
            node,
            chosen._replace(
                columns={name: _chosen(each, by) for name, each in chosen.columns.items()}
            ),
        )
    is_one = pair is not None and names_literal(run, pair)
    if is_one and len(names) == 1:
        entry = column(run, chosen, names[0], by)
        if is_single:
            extra = union((chosen.shape.rows, chosen.shape.index_by))
            return Value(
                union((through(TRANSFORMATION, (run.inputs(entry),)), decided(extra))),
                buffers=entry.buffers,
            )
        return entry
    if is_single:
        return _single_row(run, node, picked(run, chosen, names, by), by)
    return run.new(node, picked(run, chosen, names, by))


def names_literal(run: Run, pair: Items) -> bool:
    """Whether the columns of an indexer's key are one name or place."""
    return isinstance(list(pair.elements.values())[1].literal, (str, int))


def rows_of_table(run: Run, node: ast.AST, table: Table, rows: Value) -> Table:
    """The rows of a table that an indexer is asked for."""
    by = union((deciding_on_rows(run.content(rows)),))
    if not rows.has_literal and rows.callee is None and rows.shape is None and rows.refs:
        by = union((by, through(FILTER, (table.shape.index_by,))))
    index = rows.shape.index_by if rows.shape is not None else NONE
    return with_rows(run, node, table, by, index)


def _single_row(run: Run, node: ast.AST, table: Table, by: Inputs) -> Value:
    extra = decided(union((table.shape.rows, table.shape.index_by, by)))
    columns = {
        name: Value(union((run.inputs(each), extra)), buffers=each.buffers)
        for name, each in table.columns.items()
    }
    rest = table.rest and Value(union((run.inputs(table.rest), extra)), buffers=table.rest.buffers)
    return run.new(node, Items("row", columns, rest), "#row")
