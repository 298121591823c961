"""What a lineage body tells of the columns that a job writes and reads. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from sys import intern
from typing import Any, NamedTuple

from airflow_colgraph.store.model.field_path import prefixes
from airflow_colgraph.store.model.lineage_body import key


class BodyContents(NamedTuple):
    """The columns that a body names, and the ids of the datasets that it reads.

    `unknown`: those inputs for which it does not tell all columns that it uses; `unordered`: those
    that the run may have read before or after it wrote them itself.
    """

    columns: tuple[str, ...]
    inputs: frozenset[int]
    unknown: frozenset[int]
    unordered: frozenset[int] = frozenset()


class Coverage(NamedTuple):
    """How many columns a body names, and of how many of them it tells the sources, or that none."""

    columns: int
    stated: int


def contents(body: Mapping[str, Any]) -> BodyContents:
    """The contents of the body of an output, or of one that lists what a run read."""
    rows = (*(body.get("schema") or ()), *(body.get("fields") or ()))
    columns = dict.fromkeys(intern(name) for name, *_ in rows)
    if "output" not in body:
        return BodyContents((), frozenset(key(*name) for name in body["reads"]), frozenset())
    inputs = {(namespace, name): key(namespace, name) for namespace, name in body["inputs"]}
    unknown = frozenset(inputs[name] for name in unknown_inputs(body))
    unordered = frozenset(key(*name) for name in body.get("unordered") or ())
    return BodyContents(tuple(columns), frozenset(inputs.values()), unknown, unordered)


def unknown_inputs(body: Mapping[str, Any]) -> set[tuple[str, str]]:
    """The datasets that a body reads without telling all columns that it uses.

    A column of the schema without an entry is not known to come from nothing. A dataset whose
    columns are not used may have been read for its rows only, or by code that nobody can look into.

    >>> unknown_inputs({"output": ["n", "o"], "inputs": [["n", "i"]], "fields": None,
    ...     "dataset": [], "schema": None})
    {('n', 'i')}
    """
    inputs = {(namespace, name) for namespace, name in body["inputs"]}
    if body["fields"] is None or unknown_columns(body):
        return inputs
    every = (body["dataset"], *(rows for _, rows in body["fields"]))
    return inputs - {(row[0], row[1]) for rows in every for row in rows if row[2]}


def unknown_columns(body: Mapping[str, Any]) -> set[str]:
    """The columns of the schema without an entry; a struct's entry is one for its members."""
    stated = {name for name, _ in body["fields"] or ()}
    others = {name for name, *_ in body["schema"] or ()} - stated
    if not others:
        return set()
    parents = {parent for name in stated for parent in prefixes(name)}
    return {name for name in others - parents if not stated.intersection(prefixes(name))}


def column_coverage(body: Mapping[str, Any]) -> Coverage:
    """How much the body of an output tells of its columns.

    >>> column_coverage({"schema": [["a", "int"], ["b", "int"]], "fields": [["a", []]]})
    Coverage(columns=2, stated=1)
    """
    names = {name for rows in (body["schema"], body["fields"]) for name, *_ in rows or ()}
    return Coverage(len(names), len(names) - len(unknown_columns(body)))
