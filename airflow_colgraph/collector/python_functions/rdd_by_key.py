"""What methods of RDDs of pairs make of any element, and what its rows depend on. Pure."""

from __future__ import annotations

from typing import Any

from airflow_colgraph.collector.lineage.transformations import (
    AGGREGATION,
    FILTER,
    GROUP_BY,
    JOIN,
    NONE,
    Inputs,
    through,
    union,
)
from airflow_colgraph.collector.python_functions.rdd_elements import (
    MOST_ROUNDS,
    Elements,
    Step,
    answer_of,
    any_given,
    applied_to,
    method,
    new_object,
    new_tuple,
    pair_of,
    put,
    value_of,
)
from airflow_colgraph.collector.python_functions.run import Run
from airflow_colgraph.collector.python_functions.values import (
    GiveUp,
    Items,
    Value,
    decided,
    either_value,
)


@method("mapValues")
def _map_values(run: Run, step: Step, parents: list[Elements], place: str) -> tuple[Value, Inputs]:
    (parent,) = parents
    _, value = pair_of(run, parent)
    new = put(run, f"{place}#value", applied_to(run, step, [value], place), NONE)
    key, _ = pair_of(run, parent)
    return new_tuple(run, place, key, value_of(run, new)), parent.rows


@method("flatMapValues")
def _flat_map_values(
    run: Run, step: Step, parents: list[Elements], place: str
) -> tuple[Value, Inputs]:
    (parent,) = parents
    values = [pair_of(run, parent)[1]]
    new = put(run, f"{place}#value", *any_given(run, step.function, values, parent.rows, place))
    return new_tuple(run, place, pair_of(run, parent)[0], value_of(run, new)), new.rows


@method("keyBy")
def _key_by(run: Run, step: Step, parents: list[Elements], place: str) -> tuple[Value, Inputs]:
    (parent,) = parents
    key = applied_to(run, step, [value_of(run, parent)], place)
    return new_tuple(run, place, key, value_of(run, parent)), parent.rows


@method("keys", "values")
def _key_or_value(
    run: Run, step: Step, parents: list[Elements], place: str
) -> tuple[Value, Inputs]:
    (parent,) = parents
    return pair_of(run, parent)[step.method == "values"], parent.rows


@method("groupByKey", "groupBy")
def _group(run: Run, step: Step, parents: list[Elements], place: str) -> tuple[Value, Inputs]:
    (parent,) = parents
    if step.method == "groupBy":
        key = applied_to(run, step, [value_of(run, parent)], place)
        value = value_of(run, parent)
    else:
        key, value = pair_of(run, parent)
    count = union((parent.rows, through(GROUP_BY, (run.content(key),))))
    values = new_object(run, Items("list", {}, value, count), f"{place}#values")
    return new_tuple(run, place, key, values), count


def _plain_keys(pairs: list[tuple[Value, Value]]) -> list[Value]:
    """The keys on which pairs are joined; GiveUp if one is an object."""
    keys = [key for key, _ in pairs]
    if any(key.refs or key.callee for key in keys):
        raise GiveUp("a join on objects")
    return keys


@method("cogroup")
def _cogroup(run: Run, step: Step, parents: list[Elements], place: str) -> tuple[Value, Inputs]:
    pairs = [pair_of(run, each) for each in parents]
    keys = _plain_keys(pairs)
    count = union((*(each.rows for each in parents), through(GROUP_BY, map(run.inputs, keys))))
    lists = [
        new_object(run, Items("list", {}, value, count), f"{place}#values{number}")
        for number, (_, value) in enumerate(pairs)
    ]
    return new_tuple(run, place, either_value(keys), new_tuple(run, f"{place}#both", *lists)), count


@method("subtractByKey")
def _subtract(run: Run, step: Step, parents: list[Elements], place: str) -> tuple[Value, Inputs]:
    keys = [run.content(pair_of(run, each)[0]) for each in parents]
    by = through(FILTER, keys)
    return value_of(run, parents[0]), union((*(each.rows for each in parents), by))


ROUNDS = {  # of an aggregation: its functions by place, and whether they merge two totals
    "reduceByKey": ((0, False), (0, True)),
    "foldByKey": ((1, False), (1, True)),
    "aggregateByKey": ((1, False), (2, True)),
    "combineByKey": ((1, False), (2, True)),
}


@method(*ROUNDS)
def _reduce(run: Run, step: Step, parents: list[Elements], place: str) -> tuple[Value, Inputs]:
    """Values of a key, and then totals of it, are put together until one is left."""
    (parent,) = parents
    total = put(run, f"{place}#total", _first(run, step, parent, place), NONE)
    for _ in range(MOST_ROUNDS):
        before = _shown(run, value_of(run, total))
        for number, is_of_totals in ROUNDS[step.method]:
            other = value_of(run, total) if is_of_totals else pair_of(run, parent)[1]
            values = [value_of(run, total), other]
            answer = answer_of(run, _part(run, step, number), values, f"{place}#{number}")
            aggregate = _aggregated(run, value_of(run, total), answer, place)
            total = put(run, f"{place}#total", aggregate, NONE)
        if before == _shown(run, value_of(run, total)):
            break
    else:
        raise GiveUp("an aggregation that does not settle")
    key, _ = pair_of(run, parent)
    rows = union((parent.rows, through(GROUP_BY, (run.content(key),))))
    return new_tuple(run, place, key, value_of(run, total)), rows


def _first(run: Run, step: Step, parent: Elements, place: str) -> Value:
    """What the total of a key starts as."""
    value = pair_of(run, parent)[1]
    if step.method == "reduceByKey":
        return value
    first = _part(run, step, 0)
    if step.method == "combineByKey":
        return answer_of(run, first, [value], f"{place}#first")
    return first


def _part(run: Run, step: Step, number: int) -> Value:
    """An argument of the call."""
    kept = run.kept(step.function)
    items = run.items(kept)
    if step.method == "reduceByKey":
        return kept
    if items is None or number not in items.elements:
        raise GiveUp(f"other arguments of {step.method}")
    return items.elements[number]


def _shown(run: Run, value: Value) -> Any:
    """What is compared of two rounds."""
    items = run.items(value)
    parts = items.every() if items is not None else [value]
    return [run.inputs(each) for each in parts]


def _aggregated(run: Run, first: Value, second: Value, place: str) -> Value:
    """Either of two values, or of two tuples or rows part by part, as one of many."""
    pair = [run.items(first), run.items(second)]
    if not any(pair):
        return _aggregate(run, either_value([first, second]))
    by = decided(union((run.inputs(first), run.inputs(second))))
    objects = [items for items in pair if items is not None and is_closed(items)]
    kinds = {(items.kind, tuple(items.elements)) for items in objects}
    if len(objects) < 2 or len(kinds) > 1:
        raise GiveUp("an aggregation of objects")
    totals = {}
    for key in objects[0].elements:
        total = either_value(items.elements[key] for items in objects)
        totals[key] = _aggregate(run, total._replace(inputs=union((total.inputs, by))))
    return new_object(run, Items(objects[0].kind, totals), f"{place}#total#tuple")


def is_closed(items: Items) -> bool:
    """Whether a tuple or a row has these elements, and no others."""
    return items.kind in ("tuple", "record") and items.rest is None and not items.count_by


def _aggregate(run: Run, value: Value) -> Value:
    if value.refs or value.callee is not None:
        raise GiveUp("an aggregation of objects")
    return Value(through(AGGREGATION, (run.inputs(value),)))


@method("join", "leftOuterJoin", "rightOuterJoin", "fullOuterJoin")
def _join(run: Run, step: Step, parents: list[Elements], place: str) -> tuple[Value, Inputs]:
    left, right = parents
    pairs = [pair_of(run, left), pair_of(run, right)]
    by = through(JOIN, map(run.inputs, _plain_keys(pairs)))
    values = [value for _, value in pairs]
    both = put(run, f"{place}#both", new_tuple(run, f"{place}#both", *values), NONE)
    keys = [pair_of(run, each)[0] for each in parents]
    return new_tuple(run, place, either_value(keys), value_of(run, both)), union(
        (left.rows, right.rows, by)
    )
