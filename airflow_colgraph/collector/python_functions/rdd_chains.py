"""What an RDD's functions make of the rows of DataFrames: `df.rdd.map(..)...toDF(..)`. Pure.

A chain is the calls that have made an RDD, down to frames that were used as RDDs. An element is a
value of the interpreter: a row, a tuple, a dict, a text. A call or an element that is not known
gives no answer: the RDD then keeps the rule that makes each column depend on all inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from airflow_colgraph.collector.lineage.transformations import IDENTITY, NONE, Inputs, union
from airflow_colgraph.collector.python_functions import rdd_by_key as rdd_by_key
from airflow_colgraph.collector.python_functions import rdd_methods as rdd_methods
from airflow_colgraph.collector.python_functions.interpretation import Outcome, of_program
from airflow_colgraph.collector.python_functions.rdd_elements import (
    METHODS,
    SEQUENCES,
    Chain,
    Elements,
    FrameRows,
    new_object,
    put,
    value_of,
)
from airflow_colgraph.collector.python_functions.run import Run
from airflow_colgraph.collector.python_functions.values import (
    GiveUp,
    Items,
    Value,
    decided,
    deciding_on_rows,
    either_value,
)

NAMED = ("record", "dict")  # kinds of elements


def frames_of(chain: Chain) -> list[FrameRows]:
    """The frames that a chain starts from, each once."""
    if isinstance(chain, FrameRows):
        return [chain]
    every = [frame for parent in chain.parents for frame in frames_of(parent)]
    return list(dict.fromkeys(every))


def of_chain(chain: Chain, names: list[str], has_schema: bool = True) -> Outcome | None:
    """What the columns of a frame that comes from an RDD depend on, by the bits of all columns of
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
    items = run.items(value_of(run, elements))
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
    element = value_of(run, elements)
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
