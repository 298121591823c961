"""The columnLineage facet 1-2-0 of an output, and the `lineage` job facet 1-0-0. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from airflow_colgraph.collector.events.facets import facet
from airflow_colgraph.collector.lineage.query_lineage import QueryLineage
from airflow_colgraph.collector.lineage.transformations import (
    IDENTITY,
    MASKING,
    TRANSFORMATION,
    TRANSFORMATIONS,
    Inputs,
    bits,
)
from airflow_colgraph.collector.lineage.values import SOURCELESS, Value, typed
from airflow_colgraph.collector.model import Columns, Field, Write
from airflow_colgraph.collector.openlineage import (
    ColumnLineageFacet,
    Dataset,
    InputField,
    LineageEntry,
    LineageFacet,
    LineageInput,
    LineageJobInput,
    Transformation,
)
from airflow_colgraph.collector.settings import Settings


class ColumnLineage(NamedTuple):
    """The columns of an output with their lineage facet, and what is missing in it."""

    columns: Columns
    facet: ColumnLineageFacet | None
    is_mismatched: bool = False  # the plan has another number of columns
    left_out: int = 0  # columns above `maxEdges`


def column_lineage(write: Write, lineage: QueryLineage, settings: Settings) -> ColumnLineage:
    """The columnLineage facet of what a query writes, as the settings ask for it."""
    names = write.columns or ()
    values = list(lineage.frame.in_order())
    if not (write.has_rows or values):
        return ColumnLineage(names, None)
    is_mismatched = len(values) != len(names)
    if is_mismatched:
        values = []
    elif write.constants:
        names = (*names, *write.constants)
        values += [SOURCELESS] * len(write.constants)
    written = (*names, *write.generated)
    nested = bool(settings["nestedFields"])
    columns = [(name, value.inputs) for (name, _), value in zip(names, values)]
    if nested:
        columns = [
            (path, value.inputs)
            for (name, data_type), column_value in zip(names, values)
            for path, value in flattened(name, typed(column_value, data_type))
        ]
    rows = lineage.frame.rows
    if settings["legacyIndirect"]:
        columns = [(name, _with_rows(inputs, rows)) for name, inputs in columns]
        rows = {}
    columns, left_out = within(columns, settings["maxEdges"])
    if not columns:
        return ColumnLineage(written, None, is_mismatched, left_out)
    texts = texts_of(write, lineage)

    def entries(inputs: Inputs, text: str) -> list[InputField]:
        return input_fields(inputs, lineage.fields, nested, description_of(lineage, text))

    body: ColumnLineageFacet = {
        **facet("columnLineage"),
        "fields": {
            name: {"inputFields": entries(inputs, texts.get(name, ""))} for name, inputs in columns
        },
        "dataset": entries(rows, ""),
    }
    return ColumnLineage(written, body, is_mismatched, left_out)


Describe = Callable[[int, int], str]
"""The text of an edge, by its transformation and the bit of its field."""


def no_description(transformation: int, bit: int) -> str:
    """No description: the option is off."""
    return ""


def input_fields(
    inputs: Inputs,
    fields: Sequence[Field],
    nested: bool = False,
    describe: Describe = no_description,
) -> list[InputField]:
    """Input fields with their transformations and the text of each, by dataset and field."""
    steps_by_field: dict[tuple[str, str, str], set[tuple[int, str]]] = {}
    for transformation, members in inputs.items():
        for bit in bits(members):
            (space, name), path = fields[bit]
            shown, step = rolled_up(path, transformation, nested)
            steps_by_field.setdefault((space, name, shown), set()).add((step, describe(step, bit)))
    return [
        {
            "namespace": space,
            "name": name,
            "field": path,
            "transformations": [as_json(*step) for step in sorted(steps)],
        }
        for (space, name, path), steps in sorted(steps_by_field.items())
    ]


def rolled_up(path: tuple[str, ...], transformation: int, nested: bool) -> tuple[str, int]:
    """A struct's member as its top-level column: taking a part of a column is no IDENTITY."""
    if nested or len(path) == 1:
        return ".".join(path), transformation
    if transformation % MASKING == IDENTITY:
        transformation += TRANSFORMATION - IDENTITY
    return path[0], transformation


def as_json(transformation: int, description: str = "") -> Transformation:
    """One entry of `transformations[]`."""
    kind, subtype, masking = TRANSFORMATIONS[transformation]
    return {"type": kind, "subtype": subtype, "description": description, "masking": masking}


def flattened(name: str, value: Value) -> Iterator[tuple[str, Value]]:
    """An output column and its members."""
    yield name, value
    for part, inner in (value.members or {}).items():
        yield from flattened(f"{name}.{part}", inner)


def description_of(lineage: QueryLineage, column: str) -> Describe:
    """The descriptions of the edges of a column whose expression is `column`."""
    if lineage.descriptions is None:
        return no_description
    descriptions = lineage.descriptions
    return lambda transformation, bit: descriptions.of_edge(transformation, bit, column)


def within(columns: list[tuple[str, Inputs]], most: int) -> tuple[list[tuple[str, Inputs]], int]:
    """The first columns that have at most so many edges together, and how many are left out."""
    total = 0
    for index, (_, inputs) in enumerate(columns):
        total += sum(bin(fields).count("1") for fields in inputs.values())
        if total > most:
            return columns[:index], len(columns) - index
    return columns, 0


def _with_rows(inputs: Inputs, rows: Inputs) -> Inputs:
    merged = dict(inputs)
    for transformation, fields in rows.items():
        merged[transformation] = merged.get(transformation, 0) | fields
    return merged


def texts_of(write: Write, lineage: QueryLineage) -> dict[str, str]:
    """The expression of each output column, where they are asked for."""
    if lineage.descriptions is None:
        return {}
    names = [name for name, _ in write.columns or ()]
    return dict(zip(names, map(lineage.descriptions.of_column, lineage.frame.output)))


def lineage_facet(outputs: Iterable[Dataset]) -> LineageFacet:
    """The `lineage` job facet 1-0-0: the same edges, by output dataset."""
    entries: list[LineageEntry] = []
    for output in outputs:
        lineage = output["facets"].get("columnLineage")
        if lineage is None:
            continue
        entries.append(
            {
                "type": "DATASET",
                "namespace": output["namespace"],
                "name": output["name"],
                "inputs": [_lineage_input(item) for item in lineage["dataset"]],
                "fields": {
                    name: {"inputs": _lineage_inputs(field["inputFields"])}
                    for name, field in lineage["fields"].items()
                },
            }
        )
    return {**facet("lineage"), "entries": entries}


def _lineage_inputs(fields: list[InputField]) -> list[LineageInput | LineageJobInput]:
    """A column's inputs; one without any is made by the job itself."""
    return [_lineage_input(item) for item in fields] or [{"type": "JOB"}]


def _lineage_input(item: InputField) -> LineageInput:
    return {"type": "DATASET", **item}
