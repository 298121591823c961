"""The methods of DataFrames: the table TABLE_METHODS."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from airflow_colgraph.collector.lineage.transformations import (
    AGGREGATION,
    FILTER,
    NONE,
    SORT,
    TRANSFORMATION,
    through,
    union,
)
from airflow_colgraph.collector.python_functions.calls import (
    Arguments,
    applied,
    call,
    callee_name,
)
from airflow_colgraph.collector.python_functions.columns import column_method
from airflow_colgraph.collector.python_functions.groups import grouped
from airflow_colgraph.collector.python_functions.iteration import row_of
from airflow_colgraph.collector.python_functions.run import Run, literal_of, names_of
from airflow_colgraph.collector.python_functions.tables import (
    any_column,
    closed_over,
    column,
    mapped,
    opened,
    picked,
    put,
    renamed,
    with_column,
    with_rows,
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
    deciding_on_rows,
    either_value,
)
from airflow_colgraph.collector.python_functions.vocabulary import (
    AGGREGATES,
    ELEMENTWISE,
    IN_ORDER,
    OTHER_ROWS,
    TABLE_ATTRIBUTES,
)

TableRule = Callable[[Run, ast.AST, Value, Table, Arguments], "Table | Value | None"]
TABLE_METHODS: dict[str, TableRule] = {}
"""What a method makes of a table: another table or a value; None where that is not known."""


def method(*names: str) -> Callable[[TableRule], TableRule]:
    """File a function as the rule of some methods."""
    return lambda act: TABLE_METHODS.update(dict.fromkeys(names, act)) or act


def table_method(
    run: Run, node: ast.AST, value: Value, table: Table, name: str, arguments: Arguments
) -> Value:
    """The answer of a DataFrame's method; with `inplace` the table is changed."""
    options = dict(arguments.options)
    in_place = options.pop("inplace", Value(literal=False))
    act = TABLE_METHODS.get(name)
    answer: Table | Value | None = None
    if in_place.literal in (True, False) and act is not None:
        answer = act(run, node, value, table, Arguments(arguments.values, options))
    if answer is None:
        if in_place.literal is not False:
            raise GiveUp(f"pandas.DataFrame.{name} in place")
        return unknown_method(run, node, value, name, arguments)
    if in_place.literal is False:
        return answer if isinstance(answer, Value) else run.new(node, answer, by=run.inputs(value))
    result = run.table(answer) if isinstance(answer, Value) else answer
    if result is None:
        raise GiveUp(f"pandas.DataFrame.{name} in place")
    change_in_place(run, value, result)
    return Value(literal=None)


def change_in_place(run: Run, value: Value, result: Table) -> None:
    """Let the objects of a value be another table, as decisions and the value's choice have it."""
    by = decided(union((run.state.decisions, run.inputs(value))))
    shape = result.shape._replace(rows=union((result.shape.rows, deciding_on_rows(by))))
    columns = {
        name: Value(union((run.inputs(each), by)), shape, buffers=each.buffers)
        for name, each in result.columns.items()
    }
    rest = result.rest and result.rest._replace(
        inputs=union((run.inputs(result.rest), by)), shape=shape
    )
    for ref in value.refs:
        old = run.state.heap.get(ref)
        if not isinstance(old, Table):
            continue
        for name, each in old.columns.items():  # views of its data may see the change
            new = columns.get(name, rest)
            if new is None or (new.inputs == each.inputs and new.buffers & each.buffers):
                continue
            for buffer in each.buffers:
                run.change(buffer, through(TRANSFORMATION, (new.inputs,)))
        columns = {
            name: each._replace(buffers=each.buffers - _buffers(old))
            for name, each in columns.items()
        }
        put(run, ref, old, Table(columns, shape, rest), len(value.refs) == 1)


def _buffers(table: Table) -> frozenset[Any]:
    return frozenset(buffer for each in table.every() for buffer in each.buffers)


def unknown_method(run: Run, node: ast.AST, value: Value, name: str, arguments: Arguments) -> Value:
    """A method of pandas that has no rule: a table of all that went in; any other is unknown."""
    if name not in TABLE_ATTRIBUTES or name.startswith("to_") or name in ("eval", "query", "pipe"):
        return run.top(f"pandas.DataFrame.{name}", value, *arguments.every())
    run.unknown(f"pandas.DataFrame.{name}")
    if any(each.callee is not None for each in arguments.every()):
        raise GiveUp(f"pandas.DataFrame.{name} with a function")
    answer = closed_over(run, node, value, *arguments.every())
    inputs = run.content(answer)
    for result in run.objects(value):
        for each in result.every() if isinstance(result, Table) else []:
            for buffer in each.buffers:
                run.change(buffer, inputs)
    return answer


# Columns --------------------------------------------------------------------------------------


@method("copy", "infer_objects", "convert_dtypes", "pandas_on_spark")
def _copy(run: Run, node: ast.AST, value: Value, table: Table, arguments: Arguments) -> Any:
    deep = arguments.get(0, "deep")
    return copied(run, node, table, deep is None or deep.literal is True)


def copied(run: Run, node: ast.AST, table: Table, is_deep: bool) -> Table:
    """The same table, with data of its own if it is a deep copy."""

    def own(name: str) -> frozenset[Ref]:
        return frozenset({Ref(run.site(node, f"#copy of {name}"))})

    return Table(
        {
            name: each._replace(
                inputs=run.inputs(each), buffers=own(name) if is_deep else each.buffers
            )
            for name, each in table.columns.items()
        },
        table.shape,
        table.rest and table.rest._replace(inputs=run.inputs(table.rest)),
    )


@method("assign")
def _assign(run: Run, node: ast.AST, value: Value, table: Table, arguments: Arguments) -> Any:
    if arguments.values:
        return None
    result = copied(run, node, table, True)
    for name, new in arguments.options.items():
        if new.callee is not None:
            key = f"#assign{run.site(node)}"
            names = run.state.scopes[run.call.scope.number]
            names[key] = run.new(node, result, f"#{name}", run.inputs(value))
            new = call(run, node, new, Arguments([names[key]], {}))
            names = run.state.scopes[run.call.scope.number]
            inner = run.table(names.pop(key))
            if inner is None:
                return None
            result = inner
        result = with_column(run, result, name, new)
    return result


@method("drop")
def _drop(run: Run, node: ast.AST, value: Value, table: Table, arguments: Arguments) -> Any:
    columns, axis = arguments.options.get("columns"), arguments.options.get("axis")
    if columns is None and axis is not None and axis.literal in (1, "columns"):
        columns = arguments.get(0, "labels")
    if columns is not None and not arguments.options.get("index"):
        names = names_of(run, columns)
        if names is None or run.content(columns):
            return opened(run, table, decided(run.content(columns)))
        if table.rest is not None:
            return opened(run, table)
        return picked(run, table, [name for name in table.columns if name not in names])
    by = union(map(run.content, arguments.every()))
    return with_rows(
        run, node, table, union((deciding_on_rows(by), through(FILTER, (table.shape.index_by,))))
    )


@method("rename")
def _rename(run: Run, node: ast.AST, value: Value, table: Table, arguments: Arguments) -> Any:
    columns = arguments.options.get("columns")
    if columns is None or not arguments.only("columns", "copy", "errors"):
        return None
    names = literal_of(run, columns)
    if isinstance(names, dict) and all(isinstance(name, str) for name in names.values()):
        return renamed(run, table, names) if not run.content(columns) else None
    if columns.callee is not None and table.rest is None:
        wanted = [
            call(run, node, columns, Arguments([Value(literal=name)], {})) for name in table.columns
        ]
        if all(isinstance(each.literal, str) for each in wanted):
            return renamed(run, table, dict(zip(table.columns, (w.literal for w in wanted))))
        return opened(run, table, union(map(run.content, wanted)))
    return opened(run, table, decided(run.content(columns)))


@method("add_prefix", "add_suffix")
def _affixed(run: Run, node: ast.AST, value: Value, table: Table, arguments: Arguments) -> Any:
    (text, *more) = arguments.every() or [Value()]
    if more or not isinstance(text.literal, str) or run.inputs(text):
        return opened(run, table, decided(union(map(run.content, arguments.every()))))
    before, after = (text.literal, "") if callee_name(node) == "add_prefix" else ("", text.literal)
    return renamed(run, table, {name: f"{before}{name}{after}" for name in table.columns})


@method("filter")
def _filter(run: Run, node: ast.AST, value: Value, table: Table, arguments: Arguments) -> Any:
    items = arguments.get(0, "items")
    names = names_of(run, items) if items is not None else None
    if names is None or not arguments.only("items") or table.rest is not None:
        return None
    return picked(run, table, [name for name in names if name in table.columns])


@method("insert")
def _insert(run: Run, node: ast.AST, value: Value, table: Table, arguments: Arguments) -> Any:
    name, new = arguments.get(1, "column"), arguments.get(2, "value")
    place = arguments.get(0, "loc")
    if name is None or new is None or place is None:
        return None
    by = decided(union((run.state.decisions, run.inputs(value))))
    for ref in value.refs:
        old = run.state.heap.get(ref)
        if not isinstance(old, Table):
            continue
        if (
            isinstance(name.literal, str)
            and isinstance(place.literal, int)
            and name.literal not in old.columns
        ):
            result = with_column(run, old, name.literal, new, by)
            if result.rest is None:
                names = list(old.columns)
                names.insert(place.literal, name.literal)
                result = result._replace(columns={each: result.columns[each] for each in names})
            put(run, ref, old, result, len(value.refs) == 1)
        else:
            run.state.heap[ref] = opened(run, old, union((run.content(new), run.content(name), by)))
    return Value(literal=None)


@method("pop")
def _pop(run: Run, node: ast.AST, value: Value, table: Table, arguments: Arguments) -> Any:
    name = arguments.get(0, "item")
    if name is None or not isinstance(name.literal, str) or run.inputs(name):
        return None
    answer = column(run, table, name.literal, decided(run.inputs(value)))
    by = union((run.state.decisions, run.inputs(value)))
    for ref in value.refs:
        old = run.state.heap.get(ref)
        if isinstance(old, Table):
            columns = {each: old.columns[each] for each in old.columns if each != name.literal}
            if by or old.rest is not None:
                run.state.heap[ref] = opened(run, old, decided(by))
            else:
                put(run, ref, old, old._replace(columns=columns), len(value.refs) == 1)
    return answer


@method("update")
def _update(run: Run, node: ast.AST, value: Value, table: Table, arguments: Arguments) -> Any:
    new = through(
        TRANSFORMATION, (union(map(run.content, arguments.every())), table.shape.index_by)
    )
    columns = {
        name: each._replace(inputs=union((through(TRANSFORMATION, (run.inputs(each),)), new)))
        for name, each in table.columns.items()
    }
    rest = table.rest and table.rest._replace(inputs=union((table.rest.inputs, new)))
    change_in_place(run, value, Table(columns, table.shape, rest))
    return Value(literal=None)


# Values of the same rows ----------------------------------------------------------------------


def is_function(value: Value) -> bool:
    """Whether a value is called; a type of a library, as `astype` takes, is not."""
    return value.callee is not None and value.callee.kind != "library"


def _by_column(name: str) -> TableRule:
    def act(run: Run, node: ast.AST, value: Value, table: Table, arguments: Arguments) -> Any:
        if any(each.refs or each.shape or is_function(each) for each in arguments.every()):
            return None
        return mapped(
            run, node, value, lambda _, each: column_method(run, node, each, name, arguments)
        )

    return act


TABLE_METHODS.update(
    {name: _by_column(name) for name in (ELEMENTWISE | IN_ORDER) & TABLE_ATTRIBUTES}
)


def _by_name(name: str) -> TableRule:
    """A method whose argument is for all columns, or a dict of arguments by column."""

    def act(run: Run, node: ast.AST, value: Value, table: Table, arguments: Arguments) -> Any:
        argument = arguments.values[0] if arguments.values else None
        items = run.items(argument) if argument is not None else None
        if items is None:
            return _by_column(name)(run, node, value, table, arguments)
        assert argument is not None
        if items.kind != "dict" or items.rest is not None or run.inputs(argument) or items.count_by:
            return None

        def change(label: str, each: Value) -> Value:
            if label not in items.elements and label:
                return each
            own = items.elements.get(label, either_value([*items.elements.values(), Value()]))
            return column_method(run, node, each, name, Arguments([own], arguments.options))

        return mapped(run, node, value, change)

    return act


TABLE_METHODS.update({name: _by_name(name) for name in ("astype", "fillna", "round")})


@method("applymap", "map")
def _applymap(run: Run, node: ast.AST, value: Value, table: Table, arguments: Arguments) -> Any:
    if len(arguments.values) != 1 or not arguments.only("na_action"):
        return None
    return mapped(
        run, node, value, lambda name, each: column_method(run, node, each, "apply", arguments)
    )


@method("apply")
def _apply(run: Run, node: ast.AST, value: Value, table: Table, arguments: Arguments) -> Any:
    function, axis = arguments.get(0, "func"), arguments.get(1, "axis")
    if function is None or function.callee is None or not arguments.only("func", "axis"):
        return None
    if axis is None or axis.literal not in (1, "columns"):
        return None
    row = row_of(run, value, node)
    answer = applied(run, node, function, [row])
    return Value(run.element(answer), table.shape)


@method("isin")
def _isin(run: Run, node: ast.AST, value: Value, table: Table, arguments: Arguments) -> Any:
    by = union(map(run.content, arguments.every()))
    return mapped(run, node, value, lambda _, each: run.computed(node, [each], by=by))


@method("where", "mask")
def _where(run: Run, node: ast.AST, value: Value, table: Table, arguments: Arguments) -> Any:
    if any(each.callee is not None for each in arguments.every()):
        return None
    by = through(TRANSFORMATION, map(run.content, arguments.every()))
    return mapped(run, node, value, lambda _, each: run.computed(node, [each], by=by))


# Other rows -----------------------------------------------------------------------------------


@method(*OTHER_ROWS)
def _some_rows(run: Run, node: ast.AST, value: Value, table: Table, arguments: Arguments) -> Any:
    by = union(map(run.content, arguments.every()))
    names = [each for every in arguments.every() for each in names_of(run, every) or []]
    inputs = union(run.inputs(column(run, table, name)) for name in names)
    index = table.shape.index_by if arguments.options else NONE
    return with_rows(run, node, table, deciding_on_rows(union((by, inputs, index))))


@method("sort_values")
def _sort(run: Run, node: ast.AST, value: Value, table: Table, arguments: Arguments) -> Any:
    by = arguments.get(0, "by")
    if by is None or arguments.options.get("key") is not None:
        return None
    names = names_of(run, by)
    keys = [column(run, table, name) for name in names or []] or table.every()
    inputs = through(SORT, (union((*map(run.inputs, keys), *map(run.content, arguments.every()))),))
    inputs = union((inputs, through(SORT, (table.shape.index_by,)))) if names is None else inputs
    is_reset = arguments.options.get("ignore_index")
    result = with_rows(run, node, table, inputs)
    return _plain(result) if is_reset is not None and is_reset.literal is True else result


@method("sort_index")
def _sort_index(run: Run, node: ast.AST, value: Value, table: Table, arguments: Arguments) -> Any:
    if arguments.every():
        return None
    return with_rows(run, node, table, through(SORT, (table.shape.index_by,)))


def _plain(table: Table) -> Table:
    """The table with an index that counts its rows."""
    shape = table.shape._replace(index_by=NONE, labels=())
    columns = {name: each._replace(shape=shape) for name, each in table.columns.items()}
    return Table(columns, shape, table.rest and table.rest._replace(shape=shape))


@method("reset_index")
def _reset_index(run: Run, node: ast.AST, value: Value, table: Table, arguments: Arguments) -> Any:
    drop = arguments.options.get("drop", Value(literal=False))
    if arguments.values or not arguments.only("drop") or drop.literal not in (True, False):
        return None
    labels, index = table.shape.labels, table.shape.index_by
    result = _plain(with_rows(run, node, table))
    if drop.literal:
        return result
    if labels is None:
        inputs = through(TRANSFORMATION, (table.shape.index_values, table.shape.rows))
        return opened(run, result, inputs)
    inputs = union((index, decided(table.shape.rows)))
    new = {name: Value(of, result.shape) for name, of in labels or (("index", inputs),)}
    if set(new) & set(result.columns):
        return opened(run, result, union(each.inputs for each in new.values()))
    return result._replace(columns={**new, **result.columns})


@method("set_index")
def _set_index(run: Run, node: ast.AST, value: Value, table: Table, arguments: Arguments) -> Any:
    keys = arguments.get(0, "keys")
    names = names_of(run, keys) if keys is not None else None
    if names is None or not arguments.only("keys") or not set(names) <= set(table.columns):
        return None
    labels = tuple((name, run.inputs(column(run, table, name))) for name in names)
    shape = Shape(run.rows(node, "#index"), table.shape.rows, union(of for _, of in labels), labels)
    columns = {
        name: column(run, table, name)._replace(shape=shape)
        for name in table.columns
        if name not in names
    }
    rest = any_column(run, table)._replace(shape=shape) if table.rest is not None else None
    return Table(columns, shape, rest)


@method("dropna", "drop_duplicates")
def _drop_rows(run: Run, node: ast.AST, value: Value, table: Table, arguments: Arguments) -> Any:
    is_by_place = callee_name(node) == "drop_duplicates" and len(arguments.values) == 1
    if not arguments.only("subset", "how", "keep", "ignore_index", "thresh"):
        return None
    if arguments.values and not is_by_place:
        return None
    subset = arguments.get(0, "subset")
    names = names_of(run, subset) if subset is not None else None
    keys = [column(run, table, name) for name in names] if names is not None else table.every()
    by = union((*map(run.inputs, keys), *map(run.content, arguments.every())))
    result = with_rows(run, node, table, deciding_on_rows(by))
    return _plain(result) if "ignore_index" in arguments.options else result


@method("explode")
def _explode(run: Run, node: ast.AST, value: Value, table: Table, arguments: Arguments) -> Any:
    what = arguments.get(0, "column")
    names = names_of(run, what) if what is not None else None
    if names is None or not set(names) <= set(table.columns):
        return None
    by = union(run.inputs(column(run, table, name)) for name in names)
    result = with_rows(run, node, table, deciding_on_rows(by))
    columns = {
        name: each._replace(inputs=through(TRANSFORMATION, (each.inputs,)))
        if name in names
        else each
        for name, each in result.columns.items()
    }
    result = result._replace(columns=columns)
    return _plain(result) if "ignore_index" in arguments.options else result


# Values, rows and groups ----------------------------------------------------------------------


@method(*(AGGREGATES & TABLE_ATTRIBUTES))
def _aggregate(run: Run, node: ast.AST, value: Value, table: Table, arguments: Arguments) -> Any:
    inputs = union((any_column(run, table).inputs, *map(run.content, arguments.every())))
    by = decided(union((table.shape.rows, run.inputs(value), table.shape.index_by)))
    if arguments.get(0, "axis") is not None:  # perhaps one for each row
        return Value(union((through(AGGREGATION, (inputs,)), by)), table.shape)
    return Value(union((through(AGGREGATION, (inputs,)), by)))


@method("iterrows")
def _iterrows(run: Run, node: ast.AST, value: Value, table: Table, arguments: Arguments) -> Any:
    return Value(callee=Callee("iterrows", "", (value,)))


@method("itertuples")
def _itertuples(run: Run, node: ast.AST, value: Value, table: Table, arguments: Arguments) -> Any:
    return Value(callee=Callee("itertuples", "", (value,)))


@method("items")
def _items(run: Run, node: ast.AST, value: Value, table: Table, arguments: Arguments) -> Any:
    if table.rest is not None:
        return None
    by = decided(run.inputs(value))
    pairs = tuple((Value(literal=name), column(run, table, name, by)) for name in table.columns)
    return Value(callee=Callee("pairs", "", pairs))


@method("keys")
def _keys(run: Run, node: ast.AST, value: Value, table: Table, arguments: Arguments) -> Any:
    if table.rest is not None:
        return None
    return run.new_items(node, "list", [Value(literal=name) for name in table.columns])


@method("get")
def _get(run: Run, node: ast.AST, value: Value, table: Table, arguments: Arguments) -> Any:
    name = arguments.get(0, "key")
    if name is None or name.literal not in table.columns:
        return None
    return column(run, table, name.literal, decided(run.inputs(value)))


@method("to_dict")
def _to_dict(run: Run, node: ast.AST, value: Value, table: Table, arguments: Arguments) -> Any:
    kind = arguments.get(0, "orient")
    if kind is None or kind.literal != "records" or table.rest is not None:
        return Value(run.content(value))
    columns = {name: Value(run.inputs(each)) for name, each in table.columns.items()}
    row = run.one_of_many(run.new(node, Items("dict", columns), "#record"))
    return run.new(node, Items("list", {}, row, table.shape.rows), "#records")


@method("to_numpy")
def _to_numpy(run: Run, node: ast.AST, value: Value, table: Table, arguments: Arguments) -> Any:
    every = any_column(run, table)
    return Value(through(TRANSFORMATION, (every.inputs,)), table.shape, buffers=every.buffers)


@method("groupby")
def _groupby(run: Run, node: ast.AST, value: Value, table: Table, arguments: Arguments) -> Any:
    return grouped(run, node, value, arguments)


@method("pipe")
def _pipe(run: Run, node: ast.AST, value: Value, table: Table, arguments: Arguments) -> Any:
    if not arguments.values:
        return None
    function, *more = arguments.values
    return call(run, node, function, Arguments([value, *more], arguments.options))


@method("reindex")
def _reindex(run: Run, node: ast.AST, value: Value, table: Table, arguments: Arguments) -> Any:
    columns = arguments.options.get("columns")
    names = names_of(run, columns) if columns is not None else None
    if names is None or not arguments.only("columns") or table.rest is not None:
        return None
    if arguments.values or len(set(names)) < len(names) or run.content(columns or Value()):
        return None
    return Table({n: column(run, table, n)._replace(shape=table.shape) for n in names}, table.shape)
