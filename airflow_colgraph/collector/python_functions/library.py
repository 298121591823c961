"""Calls of the libraries' functions: of Python itself, of pandas, numpy and Arrow."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from airflow_colgraph.collector.lineage.transformations import (
    MASKING,
    NONE,
    SORT,
    TRANSFORMATION,
    through,
    union,
)
from airflow_colgraph.collector.python_functions.access import attribute
from airflow_colgraph.collector.python_functions.calls import Arguments, applied, called
from airflow_colgraph.collector.python_functions.columns import aggregated, column_method
from airflow_colgraph.collector.python_functions.comprehensions import (
    key_content,
    listed,
    settled,
    with_item,
)
from airflow_colgraph.collector.python_functions.iteration import (
    ITERATED,
    elements_of,
    hidden,
    set_hidden,
)
from airflow_colgraph.collector.python_functions.run import Run, names_of
from airflow_colgraph.collector.python_functions.tables import (
    aligned,
    beside,
    closed_over,
    common_labels,
    mapped,
    picked,
    stacked,
)
from airflow_colgraph.collector.python_functions.values import (
    Callee,
    GiveUp,
    Items,
    Shape,
    Table,
    Value,
    decided,
    deciding_on_rows,
    either_value,
    shape_of_any,
)
from airflow_colgraph.collector.python_functions.vocabulary import (
    FUNCTIONS_BY_ELEMENT,
    FUNCTIONS_OF_A_VALUE,
    FUNCTIONS_OF_ALL,
    IMPURE,
    INPUTS_BEFORE_OUT,
    MASKING_FUNCTIONS,
    NOTHING,
    PURE,
    SOURCELESS_FUNCTIONS,
    WITHOUT_OUT,
)

FunctionRule = Callable[[Run, ast.AST, Arguments], "Value | None"]
FUNCTIONS: dict[str, FunctionRule] = {}


def function(*names: str) -> Callable[[FunctionRule], FunctionRule]:
    """File a function as the rule of some functions of libraries."""
    return lambda act: FUNCTIONS.update(dict.fromkeys(names, act)) or act


@called("library")
def _library(run: Run, node: ast.AST, callee: Callee, arguments: Arguments) -> Value:
    name = callee.name
    act = FUNCTIONS.get(name)
    if act is None:
        arguments = settled(run, node, arguments)
    method = name.partition("builtins.str.")[2]
    if method and arguments.values:
        return column_method(
            run, node, arguments.values[0], method, arguments._replace(values=arguments.values[1:])
        )
    if act is not None:
        answer = act(run, node, arguments)
        if answer is not None:
            return answer
    elif any(each.callee is not None for each in arguments.every()) or changes(
        run, name, arguments
    ):
        pass
    elif name in FUNCTIONS_BY_ELEMENT:
        return by_element(run, node, arguments.every())
    elif name in FUNCTIONS_OF_A_VALUE:
        return run.single(node, arguments.every())
    elif name in MASKING_FUNCTIONS:
        return run.computed(node, arguments.every(), TRANSFORMATION + MASKING)
    elif name in FUNCTIONS_OF_ALL:
        return aggregated(run, arguments.every())
    elif name in SOURCELESS_FUNCTIONS:
        is_constant = name in NOTHING or not arguments.every()
        return Value() if is_constant else run.single(node, arguments.every())
    elif name.partition(".")[0] in PURE:
        return computed_somehow(run, name, arguments.every())
    return run.top(name, *arguments.every())


def changes(run: Run, name: str, arguments: Arguments) -> bool:
    """Whether a function may change its arguments, or what others see."""
    others = arguments.values[INPUTS_BEFORE_OUT.get(name, 1) :]
    if name.startswith("numpy.") and name not in WITHOUT_OUT and any(map(run.buffers, others)):
        return True
    if name == "numpy.nan_to_num" and len(arguments.values) > 1:  # the second one is `copy`
        return True
    return name.startswith(IMPURE) or name.endswith(".at") or "copy" in arguments.options


def computed_somehow(run: Run, name: str, values: list[Value]) -> Value:
    """What an unknown function makes of values that it only reads; it may share their data."""
    run.unknown(name)
    inputs = through(TRANSFORMATION, map(run.content, values))
    buffers = frozenset(buffer for value in values for buffer in run.buffers(value))
    return Value(inputs, shape_of_any(inputs), buffers=buffers)


def by_element(run: Run, node: ast.AST, values: list[Value]) -> Value:
    """A function of columns or scalars; of a table one of each column."""
    tables = [value for value in values if run.table(value) is not None]
    if len(tables) == 1 and all(not v.refs and v.shape is None for v in values if v not in tables):
        others = [value for value in values if value not in tables]
        return mapped(run, node, tables[0], lambda _, each: run.computed(node, [each, *others]))
    return run.computed(node, values)


# Python ---------------------------------------------------------------------------------------


@function("builtins.len")
def _len(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    if len(arguments.values) != 1:
        return None
    (value,) = arguments.values
    table, items = run.table(value), run.items(value)
    by = run.inputs(value)
    if table is not None:
        return Value(union((table.shape.rows, by)))
    if items is not None:
        if items.rest is None and items.kind != "set" and not items.count_by:
            return Value(by, literal=len(items.elements))
        every = NONE if items.kind == "list" else union(map(run.content, items.every()))
        return Value(union((items.count_by, by, every)))
    if value.shape is not None:
        return Value(value.shape.rows)
    return run.computed(node, [value])


@function("builtins.list", "builtins.tuple", "builtins.set", "builtins.frozenset")
def _list(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    name = _name(node)
    if not arguments.values:
        return run.new_items(node, "set" if name.endswith("set") else name, [])
    return listed(run, node, arguments.values[0], "set" if name.endswith("set") else name)


def _name(node: ast.AST) -> str:
    function = getattr(node, "func", None)
    return getattr(function, "id", None) or getattr(function, "attr", "") or "list"


@function("builtins.dict")
def _dict(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    elements = dict(arguments.options)
    if arguments.values:
        (pairs,) = arguments.values
        items = run.items(pairs)
        is_dict = items is not None and items.kind in ("dict", "row")
        if items is None or not is_dict:
            return None if elements or pairs.shape else _of_pairs(run, node, pairs)
        if run.inputs(pairs):
            return None
        return run.new(node, items._replace(kind="dict", elements={**items.elements, **elements}))
    return run.new(node, Items("dict", elements))


def _of_pairs(run: Run, node: ast.AST, pairs: Value) -> Value | None:
    """A dict of pairs of a key and a value."""
    elements = elements_of(run, pairs, node)
    some = elements.every()
    result = Items("dict", {}, None, elements.count_by)
    for each in some:
        pair = run.items(each)
        if pair is None or pair.kind not in ("tuple", "list") or len(pair.elements) != 2:
            inside = run.content(each)
            pair = Items("tuple", {0: Value(inside), 1: Value(inside)})
        key, value = pair.every()
        is_known = elements.certain is not None and not run.inputs(each)
        by = Value(union((run.inputs(each), elements.count_by)))
        result = with_item(run, result, key if is_known else run.single(node, [key, by]), value)
    return run.new(node, result, "#pairs")


@function("builtins.range")
def _range(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    return Value(callee=Callee("range", "", tuple(arguments.values)))


@function("builtins.enumerate")
def _enumerate(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    start = arguments.get(1, "start") or Value(literal=0)
    if not arguments.values or not arguments.only("start"):
        return None
    return Value(callee=Callee("enumerate", "", (arguments.values[0], start)))


@function("builtins.zip")
def _zip(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    if not arguments.only("strict"):
        return None
    return Value(callee=Callee("zip", "", tuple(arguments.values)))


@function("builtins.map")
def _map(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    return Value(callee=Callee("lazy", "map", tuple(arguments.values)))


@function("builtins.filter")
def _filter(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    return Value(callee=Callee("lazy", "filter", tuple(arguments.values)))


@function("builtins.iter")
def _iter(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    if len(arguments.values) != 1:
        return None
    (value,) = arguments.values
    if value.callee is not None:
        return value if value.callee.kind in ITERATED else None
    elements = listed(run, node, value)
    items = run.items(elements)
    if items is None or items.rest is not None or not items.elements:
        return elements
    return run.new(node, Items("list", {}, either_value(items.every()), items.count_by), "#iter")


@function("builtins.next")
def _next(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    source, *default = arguments.values
    elements = elements_of(run, source, node)
    some = elements.every()
    run.state.decisions = union((run.state.decisions, decided(elements.count_by)))
    return either_value([*some, *default]) if some or default else Value()


@function("builtins.sorted", "builtins.reversed")
def _sorted(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    options = dict(arguments.options)
    key = options.pop("key", None)
    if not arguments.values:
        return None
    elements = elements_of(run, arguments.values[0], node)
    some = elements.every()
    if not some:
        return run.new_items(node, "list", [])
    literals = [each.literal for each in some]
    is_known = elements.certain is not None and not arguments.options and _name(node) == "sorted"
    is_known = is_known and not any(run.inputs(each) for each in some)
    if is_known and all(isinstance(each, str) for each in literals):
        return run.new_items(node, "list", [Value(literal=each) for each in sorted(literals)])
    value = _kept(run, node, either_value(some))
    by = key_content(run, node, key, [value])
    inside = through(SORT, (by, *map(run.content, options.values())))
    value = _kept(run, node)
    value = value._replace(inputs=union((value.inputs, inside)))
    return run.new(node, Items("list", {}, value, union((elements.count_by, inside))), "#sorted")


def _kept(run: Run, node: ast.AST, value: Value | None = None) -> Value:
    """A value that a variable holds while other objects of its place may be made."""
    key = f"#kept{run.site(node)}"
    if value is not None:
        set_hidden(run, key, value)
    return hidden(run, key)


@function("builtins.isinstance", "builtins.type", "builtins.hasattr", "builtins.callable")
def _isinstance(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    if _name(node) != "isinstance" or len(arguments.values) != 2:
        return Value(run.content(arguments.values[0])) if len(arguments.values) > 1 else None
    value, kind = arguments.values
    if run.table(value) is not None and kind.callee is not None:
        name = kind.callee.name
        if name in ("pandas.DataFrame", "pandas.Series"):
            return Value(run.inputs(value), literal=name == "pandas.DataFrame")
    return Value(run.content(value))


@function("builtins.getattr")
def _getattr(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    if len(arguments.values) != 2 or not isinstance(arguments.values[1].literal, str):
        return None
    return attribute(run, node, arguments.values[0], arguments.values[1].literal)


@function("logging.getLogger")
def _logger(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    return Value(callee=Callee("library", "logging.Logger"))


@function("builtins.print")
def _print(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    if "file" in arguments.options or any(each.callee for each in arguments.every()):
        return None
    return Value(literal=None)


@function("builtins.max", "builtins.min", "builtins.sum", "builtins.any", "builtins.all")
def _of_all(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    options = dict(arguments.options)
    key = options.pop("key", None)
    if len(arguments.values) == 1 and (arguments.values[0].callee is not None or key is not None):
        elements = elements_of(run, arguments.values[0], node)
        some = elements.every()
        values, count = [*some], elements.count_by
    else:
        values, count = arguments.values, NONE
    if key is None or key.literal is None or not values:
        return aggregated(run, [*values, Value(count), *options.values()])
    value = _kept(run, node, either_value([*values, *options.values()]))
    by = decided(union((key_content(run, node, key, [value]), count)))
    value = _kept(run, node)
    return value._replace(inputs=union((value.inputs, by)))


@function(
    *(f"builtins.{name}" for name in ("exec", "eval", "compile", "locals", "globals", "vars")),
    *(f"builtins.{name}" for name in ("__import__", "super", "breakpoint", "delattr", "setattr")),
)
def _reflection(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    raise GiveUp(f"builtins.{_name(node)}")


# numpy ----------------------------------------------------------------------------------------


@function("numpy.where")
def _where(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    if len(arguments.values) != 3 or arguments.options:
        return None
    condition, *values = arguments.values
    by = decided(run.deep(condition))
    shapes = condition._replace(inputs=NONE, buffers=frozenset(), refs=frozenset(), callee=None)
    return run.computed(node, [*values, shapes], by=by)


@function("numpy.select")
def _select(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    lists = [run.items(each) for each in arguments.values]
    if len(lists) < 2 or lists[0] is None or lists[1] is None or not arguments.only("default"):
        return None
    conditions, choices = lists[0].every(), lists[1].every()
    others = [*arguments.values[2:], *arguments.options.values()]
    by = decided(union((*map(run.deep, conditions), lists[0].count_by, lists[1].count_by)))
    shapes = [each._replace(inputs=NONE, buffers=frozenset()) for each in conditions]
    return run.computed(node, [*choices, *others, *shapes], by=by)


@function("numpy.array", "numpy.asarray", "pandas.Index")
def _array(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    if len(arguments.values) != 1:
        return None
    (value,) = arguments.values
    if value.refs or value.callee is not None:
        return Value(
            through(TRANSFORMATION, (run.content(value),)), buffers=_site(run, node, value)
        )
    return value


def _site(run: Run, node: ast.AST, value: Value) -> Any:
    """The data of a copy of a list: its own, and what its elements share."""
    return run.computed(node, []).buffers | value.buffers


@function("numpy.vectorize")
def _vectorize(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    function = arguments.get(0, "pyfunc")
    is_plain = len(arguments.values) < 2 and arguments.only("pyfunc", "otypes")
    if function is None or function.callee is None or not is_plain:
        raise GiveUp("numpy.vectorize")
    return Value(callee=Callee("vectorized", "", (function,)))


@called("vectorized")
def _vectorized(run: Run, node: ast.AST, callee: Callee, arguments: Arguments) -> Value:
    """What a function makes of the elements of columns: its first answer determines the type."""
    values = arguments.values
    if arguments.options or not values or any(each.refs or each.callee for each in values):
        raise GiveUp("numpy.vectorize of other arguments")
    elements = [Value(run.inputs(each), buffers=each.buffers) for each in values]
    answer = applied(run, node, callee.parts[0], elements)
    if answer.refs or answer.callee is not None:
        raise GiveUp("numpy.vectorize of several answers")
    shapes = [each._replace(inputs=NONE, buffers=frozenset()) for each in values]
    result = run.computed(node, shapes)
    inputs = through(TRANSFORMATION, (run.element(answer),))
    return result._replace(inputs=union((result.inputs, inputs)))


@function("numpy.apply_along_axis", "numpy.frompyfunc")
def _along_axis(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    raise GiveUp("numpy.apply_along_axis")


@function("pyspark.Row")
def _row(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    if arguments.options:
        return run.new(node, Items("record", dict(arguments.options)))
    return run.new_items(node, "tuple", arguments.values)


# pandas ---------------------------------------------------------------------------------------


@function("pandas.DataFrame")
def frame_of(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    """A table of a dict of columns, of rows, or of another table."""
    data, names = arguments.get(0, "data"), arguments.options.get("columns")
    if data is None or not arguments.only("data", "columns") or len(arguments.values) > 1:
        return None
    wanted = names_of(run, names) if names is not None else None
    if names is not None and (wanted is None or run.content(names)):
        return closed_over(run, node, data, names)
    table = run.table(data)
    if table is not None:
        result = picked(run, table, wanted, run.inputs(data)) if wanted is not None else table
        return run.new(node, result, by=run.inputs(data))
    items = run.items(data)
    if items is None or run.inputs(data):
        return None if data.callee is not None else closed_over(run, node, data)
    if items.kind == "dict" and items.rest is None and not items.count_by and names is None:
        return run.new(node, _of_columns(run, node, items))
    if items.kind == "list" and items.every():
        made_rows = _of_rows(run, node, items, wanted)
        return (made_rows and run.new(node, made_rows)) or closed_over(run, node, data)
    if items.kind == "list" and not items.every():
        shape = Shape(run.rows(node), deciding_on_rows(items.count_by))
        return run.new(node, Table(dict.fromkeys(wanted or (), Value(shape=shape)), shape))
    return closed_over(run, node, data)


def _of_columns(run: Run, node: ast.AST, items: Items) -> Table:
    """A table of a dict of columns, lists and scalars."""
    if not all(isinstance(name, str) for name in items.elements):
        inputs = union(map(run.content, items.every()))
        shape = Shape(run.rows(node), deciding_on_rows(inputs), decided(inputs), None)
        return Table({}, shape, Value(through(TRANSFORMATION, (inputs,)), shape))
    shapes = [each.shape for each in items.every() if each.shape is not None]
    counts = [_count(run, each) for each in items.every() if each.refs or each.callee]
    if shapes and not counts and all(shapes[0].is_same(each) for each in shapes):
        shape = shapes[0]
    else:
        single = [] if shapes or counts else [run.content(each) for each in items.every()]
        rows = union((*(each.rows for each in shapes), *counts, *single))
        index = union(each.index_by for each in shapes)
        labels = common_labels(shapes)
        if len(shapes) > 1:  # aligned by their index
            rows = union((rows, deciding_on_rows(index)))
        shape = Shape(run.rows(node), deciding_on_rows(rows), index, labels)
    columns = {name: _column(run, each, shape) for name, each in items.elements.items()}
    return Table(columns, shape)


def _count(run: Run, value: Value) -> Any:
    items = run.items(value)
    return union((items.count_by, run.inputs(value))) if items is not None else run.content(value)


def _column(run: Run, value: Value, shape: Shape) -> Value:
    """A list as a column: any of its elements."""
    items = run.items(value)
    if items is None or items.kind not in ("list", "tuple"):
        return aligned(run, value, shape)
    every = items.every()
    if not every:
        return Value(shape=shape)
    element = either_value(every)
    by = decided(run.inputs(value))
    return Value(union((run.element(element), by)), shape, buffers=element.buffers)


def _of_rows(run: Run, node: ast.AST, items: Items, wanted: list[str] | None) -> Table | None:
    """A table of a list of dicts, or of tuples whose names are told."""
    every = [run.items(each) for each in items.every()]
    by = decided(union(run.inputs(each) for each in items.every()))
    first = every[0]
    if first is None or any(
        each is None
        or each.rest is not None
        or each.count_by
        or each.kind != first.kind
        or list(each.elements) != list(first.elements)
        for each in every
    ):
        return None
    shape = Shape(run.rows(node, "#listed"), deciding_on_rows(items.count_by))
    labels = list(first.elements)
    if first.kind in ("tuple", "list", "tuples"):
        if wanted is None or len(wanted) != len(labels) or len(set(wanted)) < len(wanted):
            return None
    elif first.kind not in ("dict", "row") or not all(isinstance(each, str) for each in labels):
        return None
    columns = {}
    for place, label in enumerate(labels):
        values = [each.elements[label] for each in every if each is not None]
        parts = [
            _column(run, each, shape) if not each.refs else aligned(run, each, shape)
            for each in values
        ]
        value = either_value(parts)
        name = wanted[place] if wanted is not None and first.kind not in ("dict", "row") else label
        columns[name] = value._replace(inputs=union((value.inputs, by)), shape=shape)
    result = Table(columns, shape)
    if wanted is not None and first.kind in ("dict", "row"):
        return picked(run, result, wanted)
    return result


@function("pandas.Series")
def _series(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    data = arguments.get(0, "data")
    if data is None or not arguments.only("data", "name", "dtype"):
        return None
    items, name = run.items(data), arguments.options.get("name")
    label = data.label if name is None else name.literal
    if not isinstance(label, str):
        label = ""
    if items is not None and items.kind in ("dict", "row"):
        return run.new(node, items._replace(kind="row"), by=run.inputs(data))
    if items is not None and items.kind in ("list", "tuple"):
        shape = Shape(run.rows(node), deciding_on_rows(union((items.count_by, run.inputs(data)))))
        return _column(run, data, shape)._replace(refs=frozenset(), callee=None, label=label)
    if data.refs or data.callee is not None:
        return None
    if "dtype" in arguments.options:
        return run.computed(node, [data, arguments.options["dtype"]])
    return data._replace(label=label)


def _as_table(run: Run, value: Value) -> Table | None:
    """A table, or a column with its name as one."""
    if value.shape is not None and value.label and not value.refs and value.callee is None:
        return Table({value.label: value}, value.shape)
    return run.table(value)


@function("pandas.concat")
def _concat(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    frames, axis = arguments.get(0, "objs"), arguments.options.get("axis", Value(literal=0))
    if frames is None or not arguments.only("objs", "axis", "ignore_index", "sort"):
        return None
    items = run.items(frames)
    if items is None or items.kind not in ("list", "tuple") or axis.literal not in (0, 1):
        return None
    as_table = _as_table if axis.literal == 1 else Run.table
    tables = [as_table(run, each) for each in items.every()]
    certain = [table for table in tables if table is not None]
    choices = [run.inputs(each) for each in items.every() if each.refs or axis.literal == 0]
    by = union((items.count_by, run.inputs(frames), *choices))
    if len(certain) < len(tables) or not certain or run.content(axis):
        return closed_over(run, node, frames)
    if axis.literal == 1:
        if items.rest is not None or by:
            return closed_over(run, node, frames)
        return run.new(node, beside(run, node, certain))
    result = stacked(run, node, certain, deciding_on_rows(by))
    ignore = arguments.options.get("ignore_index")
    if ignore is not None and ignore.literal is True:
        shape = result.shape._replace(index_by=NONE, labels=())
        columns = {name: each._replace(shape=shape) for name, each in result.columns.items()}
        result = Table(columns, shape, result.rest and result.rest._replace(shape=shape))
    return run.new(node, result)


@function("pandas.to_datetime", "pandas.to_numeric", "pandas.to_timedelta")
def _converted(run: Run, node: ast.AST, arguments: Arguments) -> Value | None:
    return run.computed(node, arguments.every())
