"""The methods of columns, and of scalars: the table COLUMN_METHODS."""

from __future__ import annotations

import ast
from collections.abc import Callable

from airflow_colgraph.collector.lineage.transformations import (
    AGGREGATION,
    CONDITIONAL,
    MASKING,
    NONE,
    SORT,
    TRANSFORMATION,
    Inputs,
    through,
    union,
)
from airflow_colgraph.collector.python_functions.calls import Arguments, applied, call, callee_name
from airflow_colgraph.collector.python_functions.groups import over_rows
from airflow_colgraph.collector.python_functions.run import Run, literal_of
from airflow_colgraph.collector.python_functions.values import (
    Callee,
    GiveUp,
    Items,
    Shape,
    Table,
    Value,
    decided,
    deciding_on_rows,
    shape_of_any,
)
from airflow_colgraph.collector.python_functions.vocabulary import (
    AGGREGATES,
    ELEMENTWISE,
    IN_ORDER,
    MASKED_METHODS,
    OTHER_ROWS,
    SAME_VALUES,
    SCALAR_METHODS,
    WINDOWS,
)

ColumnRule = Callable[[Run, ast.AST, Value, Arguments], "Value | None"]
COLUMN_METHODS: dict[str, ColumnRule] = {}


def method(*names: str) -> Callable[[ColumnRule], ColumnRule]:
    """File a function as the rule of some methods."""
    return lambda act: COLUMN_METHODS.update(dict.fromkeys(names, act)) or act


def column_method(run: Run, node: ast.AST, value: Value, name: str, arguments: Arguments) -> Value:
    """The answer of a method of a column or a scalar; in place its data is changed."""
    options = dict(arguments.options)
    in_place = options.pop("inplace", Value(literal=False))
    act = COLUMN_METHODS.get(name)
    answer = None
    if act is not None:
        answer = act(run, node, value, Arguments(arguments.values, options))
    if answer is None:
        if any(each.callee is not None for each in arguments.every()):
            raise GiveUp(f"{name} with a function")
        run.unknown(f"the method {name}")
        inputs = union((run.content(value), *map(run.content, arguments.every())))
        shape = shape_of_any(inputs) if value.shape is not None else None
        answer = Value(through(TRANSFORMATION, (inputs,)), shape, buffers=value.buffers)
        run.must_share(value, inputs)
        for each in arguments.every():
            run.spoil(each)
        for buffer in value.buffers:
            run.change(buffer, answer.inputs)
    answer = answer._replace(buffers=answer.buffers | value.buffers)
    if in_place.literal is not False and name == "rename":
        raise GiveUp("rename in place")
    if in_place.literal is not False:
        run.change_data(value, through(TRANSFORMATION, (run.content(answer),)))
        return Value(literal=None)
    return answer


@method(*ELEMENTWISE)
def _elementwise(run: Run, node: ast.AST, value: Value, arguments: Arguments) -> Value | None:
    callees = [each.callee for each in arguments.every() if each.callee is not None]
    if any(callee.kind != "library" for callee in callees):  # a type is no input
        return None
    is_alone = all(each.shape is None and not each.refs for each in arguments.every())
    answer = run.computed(node, [value, *arguments.every()])
    return answer._replace(label=value.label if is_alone else "")


@method("item")
def _item(run: Run, node: ast.AST, value: Value, arguments: Arguments) -> Value:
    return Value(run.element(value), buffers=value.buffers)


@method("get")
def _get(run: Run, node: ast.AST, value: Value, arguments: Arguments) -> Value | None:
    """An element by its label."""
    if not arguments.values or any(each.callee is not None for each in arguments.every()):
        return None
    if value.shape is None:
        return run.computed(node, [value, *arguments.every()])
    key, *default = arguments.values
    inputs = through(TRANSFORMATION, (run.element(value), *map(run.element, default)))
    return Value(union((inputs, decided(run.content(key)))), buffers=value.buffers)


@method(*SCALAR_METHODS)
def _part(run: Run, node: ast.AST, value: Value, arguments: Arguments) -> Value | None:
    if value.shape is not None or any(each.callee is not None for each in arguments.every()):
        return _same(run, node, value, arguments) if callee_name(node) == "copy" else None
    return run.computed(node, [value, *arguments.every()])


@method("update")
def _update(run: Run, node: ast.AST, value: Value, arguments: Arguments) -> Value | None:
    """The data of a hash, or of a dict of a text, gets more."""
    if value.shape is not None or not value.buffers:
        return None
    for buffer in value.buffers:
        run.change(buffer, through(TRANSFORMATION, map(run.content, arguments.every())))
    return Value(literal=None)


@method("pipe")
def _pipe(run: Run, node: ast.AST, value: Value, arguments: Arguments) -> Value | None:
    if not arguments.values:
        return None
    function, *more = arguments.values
    return call(run, node, function, Arguments([value, *more], arguments.options))


@method(*SAME_VALUES)
def _same(run: Run, node: ast.AST, value: Value, arguments: Arguments) -> Value:
    label = value.label if callee_name(node) == "copy" else ""
    return value._replace(inputs=run.inputs(value), label=label)


@method("to_frame")
def _to_frame(run: Run, node: ast.AST, value: Value, arguments: Arguments) -> Value | None:
    name = arguments.get(0, "name")
    label = value.label if name is None else name.literal
    if value.shape is None or not isinstance(label, str) or not label:
        return None
    return run.new(node, Table({label: value}, value.shape))


@method("fillna")
def _fillna(run: Run, node: ast.AST, value: Value, arguments: Arguments) -> Value | None:
    if any(each.callee is not None for each in arguments.every()):
        return None
    if "method" in arguments.options and value.shape is not None:
        return over_rows(run, value, arguments)
    by = decided(run.inputs(value)) if any(map(run.content, arguments.every())) else NONE
    return run.computed(node, [value, *arguments.every()], by=by)


@method("where", "mask")
def _where(run: Run, node: ast.AST, value: Value, arguments: Arguments) -> Value | None:
    condition = arguments.get(0, "cond")
    if condition is None or any(each.callee is not None for each in arguments.every()):
        return None
    others = [each for each in arguments.every() if each is not condition]
    chosen = condition._replace(inputs=NONE, buffers=frozenset(), refs=frozenset())
    by = decided(run.content(condition) if condition.shape is None else run.inputs(condition))
    return run.computed(node, [value, *others, chosen], by=by)


@method("combine_first")
def _combined(run: Run, node: ast.AST, value: Value, arguments: Arguments) -> Value | None:
    by = through(CONDITIONAL, (run.inputs(value),))
    return run.computed(node, [value, *arguments.every()], by=by)


@method("map", "apply")
def _applied(run: Run, node: ast.AST, value: Value, arguments: Arguments) -> Value | None:
    """A function, or a dict or a column that is looked up, for each element."""
    if len(arguments.values) != 1 or not arguments.only("na_action"):
        return None
    (function,) = arguments.values
    if function.callee is None:
        looked_up = run.content(function)
        return run.computed(node, [value], by=looked_up)
    element = Value(run.inputs(value), buffers=value.buffers)
    answer = applied(run, node, function, [element])
    inputs = run.element(answer)
    if "na_action" in arguments.options:
        inputs = union((inputs, run.inputs(value)))
    return Value(inputs, value.shape, buffers=value.buffers)


@method(*IN_ORDER)
def _in_order(run: Run, node: ast.AST, value: Value, arguments: Arguments) -> Value | None:
    if value.shape is None:
        return None
    return over_rows(run, value, arguments, callee_name(node) == "interpolate")


@method(*AGGREGATES)
def _aggregate(run: Run, node: ast.AST, value: Value, arguments: Arguments) -> Value:
    answer = aggregated(run, [value, *arguments.every()])
    if value.shape is not None and callee_name(node) in ("idxmax", "idxmin"):
        label = through(AGGREGATION, (value.shape.index_values,))
        return answer._replace(inputs=union((answer.inputs, label)))
    return answer


def aggregated(run: Run, values: list[Value]) -> Value:
    """One value for many: rows affect it, too."""
    inputs: list[Inputs] = []
    for value in values:
        inputs.append(through(AGGREGATION, (run.deep(value),)))
        if value.shape is not None:
            inputs += [decided(value.shape.index_by), deciding_on_rows(value.shape.rows)]
    return Value(union(inputs))


@method("unique", "drop_duplicates", "dropna", *OTHER_ROWS)
def _some_rows(run: Run, node: ast.AST, value: Value, arguments: Arguments) -> Value | None:
    if value.shape is None:
        return None
    by = union((run.inputs(value), *map(run.content, arguments.every())))
    shape = value.shape
    labels = (shape.labels or None) if callee_name(node) != "unique" else None
    shape = Shape(run.rows(node), union((shape.rows, deciding_on_rows(by))), shape.index_by, labels)
    return Value(run.inputs(value), shape, label=value.label if labels is not None else "")


@method("sort_values")
def _sorted(run: Run, node: ast.AST, value: Value, arguments: Arguments) -> Value | None:
    if value.shape is None or any(each.callee is not None for each in arguments.every()):
        return None
    by = through(SORT, (run.inputs(value), *map(run.content, arguments.every())))
    shape = value.shape
    labels = shape.labels or None  # plain ones are in another order
    shape = Shape(run.rows(node), union((shape.rows, by)), shape.index_by, labels)
    return Value(run.inputs(value), shape, label=value.label)


@method("reset_index")
def _reset_index(run: Run, node: ast.AST, value: Value, arguments: Arguments) -> Value | None:
    if value.shape is None:
        return None
    drop = arguments.options.get("drop")
    if drop is not None and drop.literal is True:
        return Value(run.inputs(value), Shape(run.rows(node), value.shape.rows))
    name, labels = arguments.options.get("name"), value.shape.labels
    is_named = name is not None and isinstance(name.literal, str)
    if (name is not None and not is_named) or not arguments.only("name") or not labels:
        return None
    shape = Shape(run.rows(node), value.shape.rows)
    columns = {label: Value(of, shape) for label, of in labels}
    column = Value(run.inputs(value), shape)
    own = value.label if name is None else name.literal
    if not own:
        return run.new(node, Table(columns, shape, column))
    if own in columns:
        return None
    return run.new(node, Table({**columns, own: column}, shape))


@method("tolist", "to_list", "to_pylist")
def _listed(run: Run, node: ast.AST, value: Value, arguments: Arguments) -> Value:
    count = union((value.shape.rows,)) if value.shape is not None else run.content(value)
    return run.new(node, Items("list", {}, Value(run.inputs(value)), count))


@method("rename")
def _renamed(run: Run, node: ast.AST, value: Value, arguments: Arguments) -> Value | None:
    if len(arguments.values) != 1 or not isinstance(arguments.values[0].literal, str):
        return None
    return value._replace(label=arguments.values[0].literal)


@method(*WINDOWS)
def _window(run: Run, node: ast.AST, value: Value, arguments: Arguments) -> Value | None:
    if value.shape is None:
        return None
    over = over_rows(run, value, arguments, True)
    return Value(callee=Callee("window", "", (over,)))


@method(*MASKED_METHODS)
def _masked(run: Run, node: ast.AST, value: Value, arguments: Arguments) -> Value:
    return run.computed(node, [value, *arguments.every()], TRANSFORMATION)


MASKED = TRANSFORMATION + MASKING


def text_method(
    run: Run, node: ast.AST, value: Value, name: str, arguments: Arguments
) -> Value | None:
    """A method of a constant text whose answer is known; None for others."""
    act = getattr(str, name, None) if name in FOLDED else None
    literals = [literal_of(run, each) for each in arguments.values]
    if (
        act is None
        or arguments.options
        or not all(isinstance(each, (str, int)) for each in literals)
    ):
        return None
    try:
        answer = act(value.literal, *literals)
    except (TypeError, ValueError):
        return None
    is_short = isinstance(answer, bool) or (isinstance(answer, str) and len(answer) < 1000)
    return Value(run.inputs(value), literal=answer) if is_short else None


FOLDED = frozenset(
    {
        *("upper", "lower", "strip", "lstrip", "rstrip", "replace", "startswith", "endswith"),
        *("title", "capitalize", "removeprefix", "removesuffix"),
    }
)
