"""The elements of RDDs, and what the rules of their methods do with them. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Union

from airflow_colgraph.collector.lineage.transformations import Inputs, union
from airflow_colgraph.collector.python_functions.calls import Arguments, applied, call
from airflow_colgraph.collector.python_functions.interpretation import NODE
from airflow_colgraph.collector.python_functions.iteration import repeat
from airflow_colgraph.collector.python_functions.run import FOLLOWED, Run
from airflow_colgraph.collector.python_functions.values import (
    GiveUp,
    Items,
    Value,
    decided,
    deciding_on_rows,
    joined_value,
)

SEQUENCES = ("tuple", "list", "record")
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
    """Any element of an RDD, by the name of its variable, and what the rows depend on."""

    variable: str
    rows: Inputs


# Elements: as variables, because what a function does may leave them to an earlier self ---------


def put(run: Run, place: str, value: Value, rows: Inputs) -> Elements:
    """Elements for which one value stands."""
    run.state.scopes[run.call.scope.number][f"#element{place}"] = value
    return Elements(f"#element{place}", rows)


def value_of(run: Run, elements: Elements) -> Value:
    """The value that stands for any of the elements."""
    return run.state.scopes[run.call.scope.number][elements.variable]


def new_object(run: Run, items: Items, place: str) -> Value:
    """A new list, tuple or row, of a place in the chain."""
    return run.new(NODE, items, f"#{place}")


def pair_of(run: Run, elements: Elements) -> tuple[Value, Value]:
    """The key and the value of a pair."""
    element = value_of(run, elements)
    items = run.items(element)
    is_open = items is None or items.rest is not None or bool(items.count_by)
    if is_open or items is None or len(items.elements) != 2 or items.kind not in SEQUENCES:
        raise GiveUp("elements that are no pairs")
    by = decided(run.inputs(element))
    key, value = (
        each._replace(inputs=union((each.inputs, by))) for each in items.elements.values()
    )
    return key, value


def applied_to(run: Run, step: Step, values: list[Value], place: str) -> Value:
    """What the function of a call makes of values."""
    return answer_of(run, run.kept(step.function), values, place)


def answer_of(run: Run, function: Value, values: list[Value], place: str) -> Value:
    """What a function makes of values; GiveUp if it is computed later."""
    answer = applied(run, NODE, function, values, f"#{place}")
    items = run.items(answer)
    for value in [answer, *(items.every() if items is not None else [])]:
        if value.callee is not None and value.callee.kind in FOLLOWED:
            raise GiveUp("an element that is computed later")
    return answer


Rule = Callable[[Run, Step, "list[Elements]", str], "tuple[Value, Inputs]"]
METHODS: dict[str, Rule] = {}
"""What an RDD's method makes of any element, and what its rows depend on."""


def method(*names: str) -> Callable[[Rule], Rule]:
    """File a function as the rule of some methods."""
    return lambda act: METHODS.update(dict.fromkeys(names, act)) or act


def new_tuple(run: Run, place: str, *values: Value) -> Value:
    """A new tuple, of a place in the chain."""
    return new_object(run, Items("tuple", dict(enumerate(values))), f"{place}#tuple")


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
    """Any element of what a function returns or yields, and what their number depends on."""
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
