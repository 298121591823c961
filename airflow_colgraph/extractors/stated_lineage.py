"""Lineage that a person states, in the text form of the terminal, as that of a task. Pure.

daily
  day   <- orders.day     DIRECT:IDENTITY
  total <- orders.amount  DIRECT:AGGREGATION
  load  <-
  *     <- orders.state   INDIRECT:FILTER
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from airflow_colgraph.collector.events import render
from airflow_colgraph.collector.events.facets import facet
from airflow_colgraph.collector.lineage.transformations import TRANSFORMATIONS
from airflow_colgraph.extractors.task_lineage import Lineage
from airflow_colgraph.openlineage.input_fields import united

Json = dict[str, Any]
Datasets = Mapping[str, tuple[str, str]]

STEPS = {str(step): step for step in TRANSFORMATIONS}
ROWS = "*"


class StatedLineageError(ValueError):
    """A text that states no lineage; the message says what is wrong and in which line."""


def parse(text: str, datasets: Datasets) -> Lineage:
    """The lineage that a text states.

    Args:
        text: For each dataset that is written a line with its name, and below it a line for each
            input of each column, as `colgraph show` prints them.
        datasets: The OpenLineage namespace and name of each name in the text.

    Returns:
        Inputs and outputs as OpenLineage's dicts, the outputs with `columnLineage` facets.

    Raises:
        StatedLineageError: The text is not of this form, or a name is missing in one of the two.
    """
    for label, names in datasets.items():
        if not (isinstance(names, tuple) and len(names) == 2 and all(map(_is_name, names))):
            raise StatedLineageError(
                f"{label!r} is {names!r}. Expected the dataset's namespace and name: "
                "('postgres://db:5432', 'shop.public.orders')."
            )
    written: dict[str, dict[str, list[Json]]] = {}
    read: dict[str, None] = {}
    columns: dict[str, list[Json]] | None = None
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            if not render.is_edge(line):
                columns = written.setdefault(_known(line.strip(), datasets), {})
                continue
            if columns is None:
                raise StatedLineageError("it is below no dataset.")
            column, source, steps = render.parsed_line(line)
            entries = columns.setdefault(_column(column), [])
            if source or steps:
                label, field = _split(source, datasets)
                read[label] = None
                entries.append(_input(column, datasets[label], field, steps))
        except StatedLineageError as error:
            raise StatedLineageError(f"Line {number}, {line.strip()!r}: {error}") from None
    if not written:
        raise StatedLineageError("The text names no dataset.")
    if unused := sorted(datasets.keys() - written.keys() - read.keys()):
        raise StatedLineageError(f"The text does not name {', '.join(unused)}.")
    inputs = [_dataset(datasets[label]) for label in read if label not in written]
    return Lineage(inputs, [_output(datasets[label], of) for label, of in written.items()], {})


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _known(label: str, datasets: Datasets) -> str:
    if label not in datasets:
        raise StatedLineageError(f"no dataset is called that; known are {', '.join(datasets)}.")
    return label


def _column(name: str) -> str:
    if not name:
        raise StatedLineageError("there is no column before the arrow.")
    return name


def _split(source: str, datasets: Datasets) -> tuple[str, str]:
    """`orders.header.day` as a dataset and its field, by the longest name of a dataset."""
    fitting = [label for label in datasets if source.startswith(f"{label}.")]
    label = max(fitting, key=len, default="")
    field = source[len(label) + 1 :]
    if not fitting or not field:
        raise StatedLineageError(
            f"{source!r} is no field of a dataset; known are {', '.join(datasets)}."
        )
    return label, field


def _input(column: str, dataset: tuple[str, str], field: str, steps: str) -> Json:
    names = steps.split(", ") if steps else []
    unknown = [step for step in names if step not in STEPS]
    if unknown or not names:
        raise StatedLineageError(
            f"{unknown[0]!r} is no transformation."
            if unknown
            else "it has no transformation. Expected e.g. DIRECT:IDENTITY."
        )
    parsed = [STEPS[step] for step in names]
    if column == ROWS and any(step.type == "DIRECT" for step in parsed):
        raise StatedLineageError("values go into columns; for all rows it must be INDIRECT.")
    transformations = [{**step._asdict(), "description": ""} for step in parsed]
    namespace, name = dataset
    return {
        "namespace": namespace,
        "name": name,
        "field": field,
        "transformations": transformations,
    }


def _dataset(names: tuple[str, str]) -> Json:
    return {"namespace": names[0], "name": names[1], "facets": {}}


def _output(names: tuple[str, str], columns: Mapping[str, list[Json]]) -> Json:
    fields = {
        name: {"inputFields": united(entries)} for name, entries in columns.items() if name != ROWS
    }
    output = _dataset(names)
    if columns:
        rows = united(columns.get(ROWS, ()))
        body = {**facet("columnLineage"), "fields": fields, "dataset": rows}
        output["facets"]["columnLineage"] = body
    return output
