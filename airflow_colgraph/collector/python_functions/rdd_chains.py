"""What an RDD's functions make of the rows of DataFrames: `df.rdd.map(..)...toDF(..)`. Pure.

A chain is the calls that have made an RDD, down to frames that were used as RDDs. An element is a
value of the interpreter: a row, a tuple, a dict, a text. A call or an element that is not known
gives no answer: the RDD then keeps the rule that makes each column depend on all inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Union

from airflow_colgraph.collector.lineage.transformations import (
    AGGREGATION,
    GROUP_BY,
    IDENTITY,
    JOIN,
    NONE,
    SORT,
    Inputs,
    through,
    union,
)
from airflow_colgraph.collector.python_functions.calls import Arguments, applied, call
from airflow_colgraph.collector.python_functions.interpretation import (
    NODE,
    Outcome,
    of_program,
)
from airflow_colgraph.collector.python_functions.iteration import repeat
from airflow_colgraph.collector.python_functions.run import FOLLOWED, Run
from airflow_colgraph.collector.python_functions.values import (
    GiveUp,
    Items,
    Value,
    decided,
    deciding_on_rows,
    either_value,
    joined_value,
)

SEQUENCES = ("tuple", "list", "record")
NAMED = ("record", "dict")  # kinds of elements
MOST_ROUNDS = 8  # of an aggregation, until what it gives does not change


class FrameRows(NamedTuple):
    """The rows of a frame that was used as an RDD: its number, and the names of its columns."""

    number: int
    names: tuple[str, ...]


class Step(NamedTuple):
    """A call of a method of an RDD: its RDDs and its function, captured."""

    method: str
    parents: tuple[Chain, ...]
    function: Any = None


Chain = Union[FrameRows, Step]


class Elements(NamedTuple):
    """Any element of an RDD, by the name of a variable that holds it, and what decides on rows."""

    variable: str
    rows: Inputs


def frames_of(chain: Chain) -> list[FrameRows]:
    """The frames that a chain starts from, each once."""
    if isinstance(chain, FrameRows):
        return [chain]
    every = [frame for parent in chain.parents for frame in frames_of(parent)]
    return list(dict.fromkeys(every))


def of_chain(chain: Chain, names: list[str], has_schema: bool = True) -> Outcome | None:
    """What the columns of a frame that is made of an RDD depend on, by the bits of all columns of
    `frames_of`, in order; None if that is not known."""
    return _interpreted(chain, lambda run, elements: of_columns(run, elements, names, has_schema))


def of_columns(run: Run, elements: Elements, names: list[str], is_by_name: bool = False) -> Outcome:
    """What the columns depend on that Spark makes of elements; of dicts by name, if that is known.

    A list of names renames a dict's columns in the order of its keys, a schema finds them by name.
    """
    columns = _columns(run, elements, names, is_by_name or names == sorted(names))
    return Outcome(columns, deciding_on_rows(elements.rows))


def names_of_elements(chain: Chain) -> list[str]:
    """The names that Spark takes for the columns of a frame, of rows or dicts; none: not known."""
    outcome = _interpreted(chain, of_names)
    return list(outcome.columns) if outcome is not None else []


def of_names(run: Run, elements: Elements) -> Outcome:
    """The columns that Spark makes of rows or dicts, without what they depend on."""
    items = run.items(_get(run, elements))
    if items is None or items.rest is not None or items.kind not in NAMED:
        raise GiveUp("elements without names")
    names = sorted(items.elements) if items.kind == "dict" else items.elements
    return Outcome(dict.fromkeys(names, NONE), NONE)


def _interpreted(chain: Chain, act: Callable[[Run, Elements], Outcome]) -> Outcome | None:
    first: dict[FrameRows, int] = {}
    width = 0
    for frame in frames_of(chain):
        first[frame] = width
        width += len(frame.names)
    return of_program(
        _functions(chain), width, lambda run: act(run, _elements(run, chain, first, "0"))
    )


def _functions(chain: Chain) -> list[Any]:
    if isinstance(chain, FrameRows):
        return []
    return [chain.function, *(each for parent in chain.parents for each in _functions(parent))]


def _columns(
    run: Run, elements: Elements, names: list[str], is_by_name: bool
) -> Mapping[str, Inputs]:
    """The columns that Spark makes of an element: by place, of a dict by name."""
    element = _get(run, elements)
    items = run.items(element)
    if items is None and not element.refs and element.callee is None and len(names) == 1:
        return {names[0]: run.element(element)}
    if items is None or items.rest is not None or items.count_by:
        raise GiveUp("elements of unknown columns")
    by = decided(run.inputs(element))
    if items.kind == "dict":
        if not set(items.elements) <= set(names) or not is_by_name:
            raise GiveUp("elements of other columns")
        values = [items.elements.get(name, Value()) for name in names]
    elif items.kind in SEQUENCES and len(items.elements) == len(names):
        values = [*items.elements.values()]
        if items.kind == "record" and set(items.elements) == set(names):  # perhaps by name
            named = [items.elements[name] for name in names]
            values = [either_value(pair) for pair in zip(values, named)]
    else:
        raise GiveUp("elements of other columns")
    return {name: union((run.element(each), by)) for name, each in zip(names, values)}


# Elements: as variables, because what a function does may leave them to an earlier self ---------


def put(run: Run, place: str, value: Value, rows: Inputs) -> Elements:
    """Elements for which one value stands."""
    run.state.scopes[run.call.scope.number][f"#element{place}"] = value
    return Elements(f"#element{place}", rows)


def _get(run: Run, elements: Elements) -> Value:
    return run.state.scopes[run.call.scope.number][elements.variable]


def _elements(run: Run, chain: Chain, first: Mapping[FrameRows, int], place: str) -> Elements:
    """Any element of the chain's RDD; `place` tells the chains of a join apart."""
    if isinstance(chain, FrameRows):
        columns = {
            name: Value({IDENTITY: 1 << at}) for at, name in enumerate(chain.names, first[chain])
        }
        return put(run, place, new_object(run, Items("record", columns), place), NONE)
    act = METHODS.get(chain.method)
    if act is None:
        raise GiveUp(f"RDD.{chain.method}")
    parents = [
        _elements(run, parent, first, f"{place}.{number}")
        for number, parent in enumerate(chain.parents)
    ]
    value, rows = act(run, chain, parents, place)
    return put(run, place, value, rows)


def new_object(run: Run, items: Items, place: str) -> Value:
    """A new list, tuple or row, of a place in the chain."""
    return run.new(NODE, items, f"#{place}")


def _pair(run: Run, elements: Elements) -> tuple[Value, Value]:
    """The key and the value of a pair."""
    element = _get(run, elements)
    items = run.items(element)
    is_open = items is None or items.rest is not None or bool(items.count_by)
    if is_open or items is None or len(items.elements) != 2 or items.kind not in SEQUENCES:
        raise GiveUp("elements that are no pairs")
    by = decided(run.inputs(element))
    key, value = (
        each._replace(inputs=union((each.inputs, by))) for each in items.elements.values()
    )
    return key, value


def _applied(run: Run, step: Step, values: list[Value], place: str) -> Value:
    answer = applied(run, NODE, run.kept(step.function), values, f"#{place}")
    items = run.items(answer)
    for value in [answer, *(items.every() if items is not None else [])]:
        if value.callee is not None and value.callee.kind in FOLLOWED:
            raise GiveUp("an element that is computed later")
    return answer


Rule = Callable[[Run, Step, "list[Elements]", str], "tuple[Value, Inputs]"]
METHODS: dict[str, Rule] = {}
"""What an RDD's method makes of any element, and what decides on rows."""


def method(*names: str) -> Callable[[Rule], Rule]:
    """File a function as the rule of some methods."""
    return lambda act: METHODS.update(dict.fromkeys(names, act)) or act


@method("repartition", "coalesce", "partitionBy")
def _same(run: Run, step: Step, parents: list[Elements], place: str) -> tuple[Value, Inputs]:
    (parent,) = parents
    return _get(run, parent), parent.rows


@method("map")
def _map(run: Run, step: Step, parents: list[Elements], place: str) -> tuple[Value, Inputs]:
    (parent,) = parents
    return _applied(run, step, [_get(run, parent)], place), parent.rows


@method("filter")
def _filter(run: Run, step: Step, parents: list[Elements], place: str) -> tuple[Value, Inputs]:
    (parent,) = parents
    test = _applied(run, step, [_get(run, parent)], place)
    rows = union((parent.rows, deciding_on_rows(run.content(test))))
    return _get(run, parent), rows


def _until_settled(run: Run, function: Value, values: list[Value]) -> None:
    """Call a function whose answers are read as it gives them, until another call adds nothing."""
    head = run.state.copy()
    for _ in range(MOST_ROUNDS):
        run.state.take(head)
        call(run, NODE, function, Arguments(values, {}))
        after = head.joined(run.state)
        if after.is_as(head):
            run.state.take(head)
            return
        head = after
    raise GiveUp("a function whose effects do not settle")


def any_given(
    run: Run, function: Any, values: list[Value], rows: Inputs, place: str
) -> tuple[Value, Inputs]:
    """Any element of what a function returns or yields, and what decides on their number."""
    name, outer = f"#given{place}", run.call.scope.number
    decisions = [rows]

    def give(value: Value) -> None:
        names = run.state.scopes[outer]
        names[name] = joined_value(names[name], value) if name in names else value
        decisions.append(deciding_on_rows(run.state.decisions))

    before = run.give, run.returned
    run.give, run.returned = give, lambda answer: repeat(run, answer, NODE, give)
    _until_settled(run, run.kept(function), values)
    run.give, run.returned = before
    if name not in run.state.scopes[outer]:
        raise GiveUp("no elements")
    return run.state.scopes[outer][name], union(decisions)


@method("flatMap", "mapPartitions")
def _flat_map(run: Run, step: Step, parents: list[Elements], place: str) -> tuple[Value, Inputs]:
    """What a function makes of an element, or of all of a partition."""
    (parent,) = parents
    value = _get(run, parent)
    if step.method == "mapPartitions":
        value = new_object(run, Items("list", {}, value, parent.rows), f"{place}#partition")
    return any_given(run, step.function, [value], parent.rows, place)


@method("mapValues")
def _map_values(run: Run, step: Step, parents: list[Elements], place: str) -> tuple[Value, Inputs]:
    (parent,) = parents
    _, value = _pair(run, parent)
    new = put(run, f"{place}#value", _applied(run, step, [value], place), NONE)
    key, _ = _pair(run, parent)
    return _tuple(run, place, key, _get(run, new)), parent.rows


def _tuple(run: Run, place: str, *values: Value) -> Value:
    return new_object(run, Items("tuple", dict(enumerate(values))), f"{place}#tuple")


@method("keyBy")
def _key_by(run: Run, step: Step, parents: list[Elements], place: str) -> tuple[Value, Inputs]:
    (parent,) = parents
    key = _applied(run, step, [_get(run, parent)], place)
    return _tuple(run, place, key, _get(run, parent)), parent.rows


@method("keys", "values")
def _part(run: Run, step: Step, parents: list[Elements], place: str) -> tuple[Value, Inputs]:
    (parent,) = parents
    return _pair(run, parent)[step.method == "values"], parent.rows


@method("groupByKey")
def _group(run: Run, step: Step, parents: list[Elements], place: str) -> tuple[Value, Inputs]:
    (parent,) = parents
    key, value = _pair(run, parent)
    by = through(GROUP_BY, (run.content(key),))
    count = union((parent.rows, by))
    values = new_object(run, Items("list", {}, value, count), f"{place}#values")
    return _tuple(run, place, key, values), count


@method("reduceByKey")
def _reduce(run: Run, step: Step, parents: list[Elements], place: str) -> tuple[Value, Inputs]:
    """Values of a key are put together until one is left, which may be as it was."""
    (parent,) = parents
    total = put(run, f"{place}#total", _pair(run, parent)[1], NONE)
    for _ in range(MOST_ROUNDS):
        values = [_get(run, total), _pair(run, parent)[1]]
        answer = _applied(run, step, values, place)
        before = _get(run, total)
        contents = [_shown(run, each) for each in (before, answer)]
        after = put(run, f"{place}#total", _aggregated(run, before, answer, place), NONE)
        if contents[0] == _shown(run, _get(run, after)):
            break
    else:
        raise GiveUp("an aggregation that does not settle")
    key, _ = _pair(run, parent)
    rows = union((parent.rows, through(GROUP_BY, (run.content(key),))))
    return _tuple(run, place, key, _get(run, total)), rows


def _shown(run: Run, value: Value) -> Any:
    """What is compared of two rounds."""
    items = run.items(value)
    parts = items.every() if items is not None else [value]
    return [run.inputs(each) for each in parts]


def _aggregated(run: Run, first: Value, second: Value, place: str) -> Value:
    """Either of two values, or of two tuples part by part, as one of many."""
    pair = [run.items(first), run.items(second)]
    by = union((run.inputs(first), run.inputs(second)))
    kinds = {(each.kind, len(each.elements), each.rest is None) for each in pair if each}
    if all(pair) and len(kinds) == 1 and not by:
        (kind, _, is_known), *_ = kinds
        if kind == "tuple" and is_known:
            parts = [
                _aggregate(run, either_value(each))
                for each in zip(*(items.every() for items in pair if items is not None))
            ]
            return _tuple(run, f"{place}#total", *parts)
    if any(pair):
        raise GiveUp("an aggregation of objects")
    return _aggregate(run, either_value([first, second]))


def _aggregate(run: Run, value: Value) -> Value:
    if value.refs or value.callee is not None:
        raise GiveUp("an aggregation of objects")
    return Value(through(AGGREGATION, (run.inputs(value),)))


@method("join", "leftOuterJoin", "rightOuterJoin", "fullOuterJoin")
def _join(run: Run, step: Step, parents: list[Elements], place: str) -> tuple[Value, Inputs]:
    left, right = parents
    pairs = [_pair(run, left), _pair(run, right)]
    keys = [key for key, _ in pairs]
    if any(key.refs or key.callee for key in keys):
        raise GiveUp("a join on objects")
    by = through(JOIN, map(run.inputs, keys))
    values = [value for _, value in pairs]
    both = put(run, f"{place}#both", _tuple(run, f"{place}#both", *values), NONE)
    keys = [_pair(run, each)[0] for each in parents]
    return _tuple(run, place, either_value(keys), _get(run, both)), union(
        (left.rows, right.rows, by)
    )


@method("union")
def _union(run: Run, step: Step, parents: list[Elements], place: str) -> tuple[Value, Inputs]:
    values = [_get(run, each) for each in parents]
    return either_value(values), union(each.rows for each in parents)


@method("distinct")
def _distinct(run: Run, step: Step, parents: list[Elements], place: str) -> tuple[Value, Inputs]:
    (parent,) = parents
    element = _get(run, parent)
    return element, union((parent.rows, deciding_on_rows(run.content(element))))


@method("sortBy", "sortByKey")
def _sort(run: Run, step: Step, parents: list[Elements], place: str) -> tuple[Value, Inputs]:
    (parent,) = parents
    if step.method == "sortByKey":
        key = _pair(run, parent)[0]
    else:
        key = _applied(run, step, [_get(run, parent)], place)
    return _get(run, parent), union((parent.rows, through(SORT, (run.content(key),))))
