"""What takes a text, or puts columns together, below each other or into intervals."""

from __future__ import annotations

import ast
from typing import Any

from airflow_colgraph.collector.lineage.transformations import JOIN, Inputs, through, union
from airflow_colgraph.collector.python_functions.callee import lookup
from airflow_colgraph.collector.python_functions.calls import Arguments
from airflow_colgraph.collector.python_functions.groups import over_rows
from airflow_colgraph.collector.python_functions.library import function
from airflow_colgraph.collector.python_functions.run import Run, literal_of, names_of
from airflow_colgraph.collector.python_functions.table_methods import (
    copied,
    method,
    table_method,
)
from airflow_colgraph.collector.python_functions.tables import (
    closed_over,
    column,
    with_rows,
)
from airflow_colgraph.collector.python_functions.values import (
    Shape,
    Table,
    Value,
    decided,
    deciding_on_rows,
    either_value,
)

LOCAL = "local_variable_"  # in a text, in the place of `@`
PLAIN = (
    *(ast.Name, ast.Compare, ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Constant, ast.Expression),
    *(ast.operator, ast.cmpop, ast.boolop, ast.unaryop, ast.expr_context, ast.List, ast.Tuple),
)


@method("query")
def _query(run: Run, node: ast.AST, value: Value, table: Table, arguments: Arguments) -> Any:
    text = _text(arguments)
    by = _of_text(run, table, text) if text is not None else None
    return with_rows(run, node, table, deciding_on_rows(union(by))) if by is not None else None


@method("eval")
def _eval(run: Run, node: ast.AST, value: Value, table: Table, arguments: Arguments) -> Any:
    """A column that a text computes, or the table with that column."""
    text = _text(arguments)
    if text is None:
        return None
    target, is_set, expression = text.partition("=")
    name = target.strip()
    if not is_set or not name.isidentifier() or expression.startswith("="):
        name, expression = "", text
    by = _of_text(run, table, expression)
    if by is None:
        return None
    shape = Value(shape=table.shape)
    answer = run.computed(node, [*map(Value, by), shape])
    if not name:
        return answer._replace(inputs=union((answer.inputs, decided(run.inputs(value)))))
    result = copied(run, node, table, True)
    return result._replace(columns={**result.columns, name: answer})


def _text(arguments: Arguments) -> str | None:
    text = arguments.get(0, "expr")
    if text is None or not isinstance(text.literal, str) or len(arguments.every()) != 1:
        return None
    return str(text.literal)


def _of_text(run: Run, table: Table, text: str) -> list[Inputs] | None:
    """What each of the columns and variables of an expression depends on; None: not known."""
    try:
        tree = ast.parse(text.replace("@", LOCAL).strip(), mode="eval")
    except SyntaxError:  # a name in backticks
        return None
    every = {inner.id for inner in ast.walk(tree) if isinstance(inner, ast.Name)}
    names = {name for name in every if not name.startswith(LOCAL)}
    variables = [lookup(run, name[len(LOCAL) :]) for name in sorted(every - names)]
    if table.rest is not None or not names or not names <= set(table.columns):
        return None
    if not all(isinstance(inner, PLAIN) for inner in ast.walk(tree)):
        return None
    columns = [run.inputs(column(run, table, name)) for name in sorted(names)]
    return [*columns, *map(run.content, variables)]


# Joins ----------------------------------------------------------------------------------------


@method("merge")
def _merge(run: Run, node: ast.AST, value: Value, table: Table, arguments: Arguments) -> Any:
    other = arguments.get(0, "right")
    if other is None:
        return None
    return merged(run, node, table, other, arguments, run.inputs(value))


def merged(
    run: Run, node: ast.AST, left: Table, other: Value, arguments: Arguments, by: Inputs
) -> Table | None:
    """Two tables joined on columns."""
    right, keys = run.table(other), _keys(run, arguments)
    how = arguments.options.get("how", Value(literal="inner"))
    suffixes = arguments.options.get("suffixes", Value(literal=("_x", "_y")))
    endings = suffixes.literal if suffixes.has_literal else literal_of(run, suffixes)
    if right is None or left.rest is not None or right.rest is not None or not keys:
        return None
    if not arguments.only("right", "on", "how", "left_on", "right_on", "suffixes"):
        return None
    if how.literal not in ("inner", "left", "right", "outer") or run.inputs(how):
        return None
    if not all(first in left.columns and second in right.columns for first, second in keys):
        return None
    if not isinstance(endings, (tuple, list)) or [type(each) for each in endings] != [str, str]:
        return None
    values = [column(run, left, first) for first, _ in keys]
    values += [column(run, right, second) for _, second in keys]
    matched = through(JOIN, map(run.inputs, values))
    rows = union((left.shape.rows, right.shape.rows, matched, by, run.inputs(other)))
    shape = Shape(run.rows(node, "#merged"), deciding_on_rows(rows))
    shared = {first for first, second in keys if first == second}
    both = (set(left.columns) & set(right.columns)) - shared
    columns: list[tuple[str, Value]] = []
    for name in left.columns:
        parts = [column(run, left, name)]
        if name in shared:
            parts = [column(run, t, name) for t in (left, right)]
            parts = {"left": parts[:1], "right": parts[1:]}.get(how.literal, parts)
        columns.append((name + endings[0] * (name in both), either_value(parts)))
    for name in right.columns:
        if name not in shared:
            columns.append((name + endings[1] * (name in both), column(run, right, name)))
    if len(dict(columns)) < len(columns):
        return None
    return Table({name: each._replace(shape=shape) for name, each in columns}, shape)


def _keys(run: Run, arguments: Arguments) -> list[tuple[str, str]]:
    """The pairs of columns that a join compares; none if they are not known."""
    on, *sides = [arguments.options.get(name) for name in ("on", "left_on", "right_on")]
    if on is not None:
        if sides != [None, None]:
            return []
        sides = [on, on]
    first, second = (names_of(run, each) if each is not None else None for each in sides)
    if first is None or second is None or len(first) != len(second):
        return []
    return list(zip(first, second))


# Columns below each other -----------------------------------------------------------------------


@method("melt")
def _melt(run: Run, node: ast.AST, value: Value, table: Table, arguments: Arguments) -> Any:
    """A row for each of some columns: the values are any of theirs."""
    options = dict(zip(("id_vars", "value_vars", "var_name", "value_name"), arguments.values))
    options.update(arguments.options)
    names = [options.pop(name, Value(literal=[])) for name in ("id_vars", "value_vars")]
    lists = [each.literal if each.literal == [] else names_of(run, each) for each in names]
    labels = [options.pop("var_name", Value(literal="variable")).literal]
    labels.append(options.pop("value_name", Value(literal="value")).literal)
    kept, stacked = lists
    if options or len(arguments.values) > 4 or table.rest is not None:
        return None
    if kept is None or stacked is None or not all(isinstance(each, str) for each in labels):
        return None
    stacked = stacked or [name for name in table.columns if name not in kept]
    columns = [*kept, *labels]
    if not stacked or not {*kept, *stacked} <= {*table.columns} or len({*columns}) < len(columns):
        return None
    shape = Shape(run.rows(node, "#melted"), table.shape.rows)
    values = [column(run, table, name) for name in kept]
    values += [Value(), either_value(column(run, table, name) for name in stacked)]
    return Table({n: each._replace(shape=shape) for n, each in zip(columns, values)}, shape)


# Functions of pandas -------------------------------------------------------------------------


@function("pandas.merge")
def _pandas_merge(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    left, right = arguments.get(0, "left"), arguments.get(1, "right")
    table = run.table(left) if left is not None else None
    if left is None or right is None or table is None:
        return None
    options = {
        name: each for name, each in arguments.options.items() if name not in ("left", "right")
    }
    result = merged(run, node, table, right, Arguments([], options), run.inputs(left))
    return (
        run.new(node, result)
        if result is not None
        else closed_over(run, node, left, right, *options.values())
    )


@function("pandas.melt")
def _pandas_melt(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    frame = arguments.get(0, "frame")
    table = run.table(frame) if frame is not None else None
    if frame is None or table is None:
        return None
    options = {name: each for name, each in arguments.options.items() if name != "frame"}
    values = arguments.values[1:]
    return table_method(run, node, frame, table, "melt", Arguments(values, options))


@function("pandas.NamedAgg")
def _named_aggregate(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    column, aggregate = arguments.get(0, "column"), arguments.get(1, "aggfunc")
    if column is None or aggregate is None or len(arguments.every()) > 2:
        return None
    return run.new_items(node, "tuple", [column, aggregate])


@function("pandas.cut", "pandas.qcut")
def _binned(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    """The interval of each value: its bounds may be those of all values."""
    value, *others = arguments.values or [Value()]
    is_column = value.shape is not None and not value.refs and value.callee is None
    if not is_column or len(others) > 3 or "retbins" in arguments.options:
        return None
    return over_rows(run, value, Arguments(others, arguments.options))
