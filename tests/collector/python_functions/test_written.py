"""Functions as they are written in notebooks and tutorials, each beside its lineage.

What is told must have each edge of the docstring, and each one that changed rows show; it must pass
on only what is passed on. `CONSERVATIVE` has the functions of which more is told.
"""

from __future__ import annotations

import inspect
import random
import warnings
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa
import pytest

from airflow_colgraph.collector.lineage.transformations import (
    CONDITIONAL,
    IDENTITY,
    MASKING,
    Inputs,
    bits,
    fields_of,
)
from airflow_colgraph.collector.python_functions.interpretation import (
    Outcome,
    of_batches,
    of_column_batches,
    of_scalars,
    of_tables,
)
from airflow_colgraph.collector.python_functions.source import captured
from tests.collector.python_functions.written import batches, columns, groups, notebooks, values

NAMES = ("id", "name", "amount", "quantity", "day", "note", "extra")
PLACES = {name: place for place, name in enumerate(NAMES)}
COLUMNS = [(name, {IDENTITY: 1 << place}) for place, name in enumerate(NAMES)]
Function = Callable[..., Any]


class Edges(NamedTuple):
    """What a column has of its inputs: what it comes from, what only decides, whether as it is."""

    direct: frozenset[str]
    indirect: frozenset[str] = frozenset()
    is_same: bool = False


def written(text: str) -> dict[str, Edges]:
    """The lineage that a docstring has, by column."""
    edges = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        name, is_same, told = line.partition("=")
        if not is_same:
            name, _, told = line.partition("<-")
        direct, indirect = (
            frozenset(filter(None, map(str.strip, each.split(","))))
            for each in f"{told}|".split("|")[:2]
        )
        edges[name.strip()] = Edges(direct, indirect, bool(is_same))
    return edges


def told(outcome: Outcome, names: list[str]) -> dict[str, Edges]:
    """What is told, in the same form."""
    inputs = {name: outcome.columns.get(name, outcome.rest) for name in names if name != "*"}
    assert None not in inputs.values(), f"no columns {inputs}"
    return {**{n: edges(i or {}) for n, i in inputs.items()}, "*": rows_of(outcome.rows)}


def edges(inputs: Inputs) -> Edges:
    direct = named({k: v for k, v in inputs.items() if k % MASKING < CONDITIONAL})
    is_same = bool(direct) and all(k == IDENTITY or k % MASKING >= CONDITIONAL for k in inputs)
    return Edges(direct, named(inputs) - direct, is_same)


def rows_of(inputs: Inputs) -> Edges:
    return Edges(named(inputs))


def named(inputs: Inputs) -> frozenset[str]:
    return frozenset(NAMES[place] for place in bits(fields_of(inputs)))


def of_values(function: Function) -> Outcome:
    parameters = list(inspect.signature(function).parameters.values())
    if parameters[0].kind is inspect.Parameter.VAR_POSITIONAL:
        return of_scalars(captured(function), [each for _, each in COLUMNS])
    if parameters[0].kind is inspect.Parameter.VAR_KEYWORD:
        return of_scalars(captured(function), [each for _, each in COLUMNS], names=NAMES)
    return of_scalars(captured(function), [COLUMNS[PLACES[each.name]][1] for each in parameters])


def of_columns(function: Function) -> Outcome:
    parameters = list(inspect.signature(function).parameters)
    if parameters == ["parts"]:
        inputs = [COLUMNS[1][1], COLUMNS[2][1]]
        return of_column_batches(captured(function), inputs[: 1 + (function.__name__ == "pairs")])
    return of_scalars(captured(function), [COLUMNS[PLACES[n]][1] for n in parameters], True)


def of_iterators(function: Function) -> Outcome:
    return of_batches(captured(function), COLUMNS, arrow=function.__name__.startswith("arrow_"))


def of_groups(function: Function) -> Outcome:
    return of_tables(captured(function), [COLUMNS], [COLUMNS[0][1]])


# What they do with rows -----------------------------------------------------------------------


def rows(chance: random.Random) -> dict[str, list[Any]]:
    """Rows of the input columns."""
    texts = ("12 red", "k=1;b=2", "blue eye", "7", "3.5", "red red x")
    return {
        "id": [chance.choice([1, 2]) for _ in range(10)],
        "name": [chance.choice(["ann", "bob", "cy lee"]) for _ in range(10)],
        "amount": [chance.choice([1.5, 7.0, 12.0, 30.0, 55.5]) for _ in range(10)],
        "quantity": [chance.randint(0, 5) for _ in range(10)],
        "day": [f"2024-01-{chance.randint(1, 28):02d}" for _ in range(10)],
        "note": [chance.choice(texts) for _ in range(10)],
        "extra": [
            f'{{"k": {chance.randint(0, 9)}, "m": {chance.randint(0, 3)}}}' for _ in range(10)
        ],
    }


def run_groups(function: Function, frame: pd.DataFrame) -> pd.DataFrame:
    is_keyed = len(inspect.signature(function).parameters) == 2
    parts = [(key, part.reset_index(drop=True)) for key, part in frame.groupby("id")]
    results = [function((key,), part) if is_keyed else function(part) for key, part in parts]
    return pd.concat(results, ignore_index=True)


def run_iterators(function: Function, frame: pd.DataFrame) -> pd.DataFrame:
    parts = [frame.iloc[:5].reset_index(drop=True), frame.iloc[5:].reset_index(drop=True)]
    if function.__name__.startswith("arrow_"):
        given = iter([pa.RecordBatch.from_pandas(part) for part in parts])
        return pa.Table.from_batches(list(function(given))).to_pandas()
    return pd.concat(list(function(iter(parts))), ignore_index=True)


def run_values(function: Function, frame: pd.DataFrame) -> pd.DataFrame:
    parameters = list(inspect.signature(function).parameters.values())
    if parameters[0].kind is inspect.Parameter.VAR_KEYWORD:
        return pd.DataFrame({"": [function(**row) for row in frame.to_dict("records")]})
    names = [each.name for each in parameters if each.name in NAMES] or list(NAMES)
    return pd.DataFrame({"": [function(*row) for row in frame[names].to_numpy(dtype=object)]})


def run_columns(function: Function, frame: pd.DataFrame) -> pd.DataFrame:
    names = list(inspect.signature(function).parameters)
    if names == ["parts"]:
        given = (frame["name"], frame["amount"]) if function.__name__ == "pairs" else frame["name"]
        return pd.DataFrame({"": next(iter(function(iter([given]))))})
    answer = function(*(frame[name] for name in names))
    return pd.DataFrame(
        {"": repr(answer) if isinstance(answer, pd.DataFrame) else answer},
        index=[0] if not isinstance(answer, pd.Series) else None,
    )


class Kind(NamedTuple):
    """How functions of a module are interpreted and run."""

    interpret: Callable[[Function], Outcome]
    run: Callable[[Function, pd.DataFrame], pd.DataFrame]


KINDS: dict[ModuleType, Kind] = {
    groups: Kind(of_groups, run_groups),
    notebooks: Kind(of_groups, run_groups),
    batches: Kind(of_iterators, run_iterators),
    values: Kind(of_values, run_values),
    columns: Kind(of_columns, run_columns),
}
CONSERVATIVE = {  # by module: more is told of these
    "batches": """
        as_json_by_row
    """,
    "columns": """
        correlated looked_up weighted
    """,
    "groups": """
        argsorted cleaned described early_return fitted from_an_array pivoted resampled
        set_at_labels several_columns_by_row sorted_records stacked summed_and_spread
        spread_by_day summed_by_function totals_side_by_side unpacked_values
    """,
    "notebooks": "fill_days fitted_trend moving_features ranked",
    "values": """
        default_of_later factorial rest_of_three running_into second_of_two sorted_words switched
        weekend written_over
    """,
}
RANDOM = {"random_id"}  # other values each time


def functions() -> Iterator[tuple[str, Kind, Function]]:
    """The functions that have a lineage, by the names of module and function."""
    for module, kind in KINDS.items():
        for name, function in list(vars(module).items()):
            is_own = inspect.isfunction(function) and function.__module__ == module.__name__
            if is_own and ("<-" in (function.__doc__ or "") or "=" in (function.__doc__ or "")):
                yield f"{module.__name__.rpartition('.')[2]}.{name}", kind, function


def changed_by(kind: Kind, function: Function) -> tuple[dict[str, set[str]], pd.DataFrame, Any]:
    """By output column the inputs whose change changes it, the output, and what went in."""
    chance = random.Random(6)
    data = rows(chance)
    base = kind.run(function, pd.DataFrame(data))
    seen: dict[str, set[str]] = {str(name): set() for name in base.columns}
    changes = 0 if function.__name__ in RANDOM else 1
    for name in NAMES[1:] if kind.run is run_groups else NAMES:
        for _ in range(changes):
            other = {**data, name: rows(chance)[name]}
            try:
                now = kind.run(function, pd.DataFrame(other))
            except Exception:  # noqa: BLE001 - the job would write nothing
                continue
            for column in seen:
                if column not in now or repr([*now[column]]) != repr([*base[column]]):
                    seen[column].add(name)
    return seen, base, data


def problems(kind: Kind, function: Function) -> tuple[list[str], bool]:
    """What is wrong with what is told, and whether it is exact."""
    expected = written(function.__doc__ or "")
    outcome = kind.interpret(function)
    answer = told(outcome, list(expected))
    expected.setdefault("*", Edges(frozenset()))
    wrong = []
    for name, want in expected.items():
        have = answer[name]
        lost = (want.direct | want.indirect) - have.direct - have.indirect
        wrong += [f"{name} lost {sorted(lost)}"] if lost else []
        wrong += [f"{name} is not passed on"] if have.is_same and not want.is_same else []
        wrong += [f"{name} is not made of {lost}" for lost in [want.direct - have.direct] if lost]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seen, _, _ = changed_by(kind, function)
    group = {"id"} if kind.run is run_groups else set()
    for name, inputs in seen.items():
        if name not in answer:
            continue
        lost = inputs - answer[name].direct - answer[name].indirect - answer["*"].direct - group
        wrong += [f"{name} changes with {sorted(lost)}"] if lost else []
        want = expected[name]
        more = inputs - want.direct - want.indirect - expected["*"].direct - group
        wrong += [f"the docstring of {name} lacks {sorted(more)}"] if more else []
    return wrong, answer == expected and not outcome.opaque


@pytest.mark.parametrize(("name", "kind", "function"), [*functions()])
def test_a_function_as_it_is_written(name: str, kind: Kind, function: Function) -> None:
    wrong, is_exact = problems(kind, function)
    assert wrong == []
    module, _, own = name.partition(".")
    assert is_exact == (own not in CONSERVATIVE.get(module, "").split())
