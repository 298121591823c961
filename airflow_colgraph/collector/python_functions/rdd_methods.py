"""What methods of RDDs make of any element, and what its rows depend on. Pure."""

from __future__ import annotations

from airflow_colgraph.collector.lineage.transformations import SORT, Inputs, through, union
from airflow_colgraph.collector.python_functions.rdd_elements import (
    Elements,
    Step,
    any_given,
    applied_to,
    method,
    new_object,
    new_tuple,
    pair_of,
    value_of,
)
from airflow_colgraph.collector.python_functions.run import Run
from airflow_colgraph.collector.python_functions.values import (
    Items,
    Value,
    deciding_on_rows,
    either_value,
)


@method("repartition", "coalesce", "sample")
def _same(run: Run, step: Step, parents: list[Elements], place: str) -> tuple[Value, Inputs]:
    (parent,) = parents
    return value_of(run, parent), parent.rows


@method("map")
def _map(run: Run, step: Step, parents: list[Elements], place: str) -> tuple[Value, Inputs]:
    (parent,) = parents
    return applied_to(run, step, [value_of(run, parent)], place), parent.rows


@method("filter")
def _filter(run: Run, step: Step, parents: list[Elements], place: str) -> tuple[Value, Inputs]:
    (parent,) = parents
    test = applied_to(run, step, [value_of(run, parent)], place)
    rows = union((parent.rows, deciding_on_rows(run.content(test))))
    return value_of(run, parent), rows


@method("partitionBy")
def _partition(run: Run, step: Step, parents: list[Elements], place: str) -> tuple[Value, Inputs]:
    """The keys decide which elements are in a partition, and on the order of all."""
    (parent,) = parents
    by = through(SORT, (run.content(pair_of(run, parent)[0]),))
    return value_of(run, parent), union((parent.rows, by))


@method("zipWithIndex", "zipWithUniqueId")
def _number(run: Run, step: Step, parents: list[Elements], place: str) -> tuple[Value, Inputs]:
    """An element and its number, which depends on all that decides how many rows there are."""
    (parent,) = parents
    return new_tuple(run, place, value_of(run, parent), Value(parent.rows)), parent.rows


@method("glom")
def _glom(run: Run, step: Step, parents: list[Elements], place: str) -> tuple[Value, Inputs]:
    (parent,) = parents
    return new_object(
        run, Items("list", {}, value_of(run, parent), parent.rows), place
    ), parent.rows


@method("flatMap", "mapPartitions", "mapPartitionsWithIndex")
def _flat_map(run: Run, step: Step, parents: list[Elements], place: str) -> tuple[Value, Inputs]:
    """What a function makes of an element, or of all of a partition."""
    (parent,) = parents
    values = [value_of(run, parent)]
    if step.method != "flatMap":
        part = Items("list", {}, values[0], parent.rows)
        values = [new_object(run, part, f"{place}#partition")]
    if step.method == "mapPartitionsWithIndex":
        values = [Value(parent.rows), *values]
    return any_given(run, step.function, values, parent.rows, place)


@method("cartesian", "zip")
def _cross(run: Run, step: Step, parents: list[Elements], place: str) -> tuple[Value, Inputs]:
    pair = [value_of(run, each) for each in parents]
    return new_tuple(run, place, *pair), union(each.rows for each in parents)


@method("subtract", "intersection")
def _common(run: Run, step: Step, parents: list[Elements], place: str) -> tuple[Value, Inputs]:
    """Elements that are in both, or only in the first: either may be the one that is kept."""
    values = [value_of(run, each) for each in parents]
    by = deciding_on_rows(union(map(run.content, values)))
    kept = either_value(values) if step.method == "intersection" else values[0]
    return kept, union((*(each.rows for each in parents), by))


@method("union")
def _union(run: Run, step: Step, parents: list[Elements], place: str) -> tuple[Value, Inputs]:
    values = [value_of(run, each) for each in parents]
    return either_value(values), union(each.rows for each in parents)


@method("distinct")
def _distinct(run: Run, step: Step, parents: list[Elements], place: str) -> tuple[Value, Inputs]:
    (parent,) = parents
    element = value_of(run, parent)
    return element, union((parent.rows, deciding_on_rows(run.content(element))))


@method("sortBy", "sortByKey")
def _sort(run: Run, step: Step, parents: list[Elements], place: str) -> tuple[Value, Inputs]:
    (parent,) = parents
    if step.method == "sortByKey":
        key = pair_of(run, parent)[0]
    else:
        key = applied_to(run, step, [value_of(run, parent)], place)
    return value_of(run, parent), union((parent.rows, through(SORT, (run.content(key),))))
