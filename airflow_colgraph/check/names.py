"""The names under which the base has the datasets of a changed job."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from sqlalchemy.engine import Connection

from airflow_colgraph.exports.lineage_model import Lineage
from airflow_colgraph.store.model.latest_lineage import Dataset, Input, JobOutput
from airflow_colgraph.store.query.latest_lineage import all_names, names_in_force

Name = Callable[[Dataset], Dataset]


def names_in(base: Connection, changed: Connection, name: Name) -> Name:
    """The name that a dataset of the changed job has in the base: `name`, or what a symlink says.

    Either side may know that two names are one dataset.
    """
    aliases = {
        dataset: [name(alias) for alias in (dataset, *sorted(others - {dataset}))]
        for dataset, others in all_names(changed).items()
    }
    in_force = names_in_force(base, {alias for names in aliases.values() for alias in names})
    kept = {
        dataset: next((in_force[alias] for alias in names if alias in in_force), names[0])
        for dataset, names in aliases.items()
    }
    return lambda dataset: kept.get(dataset, name(dataset))


def renamed(lineage: Lineage, name: Name) -> Lineage:
    """The lineage with other names of datasets."""
    return Lineage(
        tuple(_output(output, name) for output in lineage.outputs),
        {name(dataset): fields for dataset, fields in lineage.schemas.items()},
        frozenset(map(name, lineage.unchanged)),
    )


def _output(output: JobOutput, name: Name) -> JobOutput:
    fields = output.fields and {
        column: _inputs(inputs, name) for column, inputs in output.fields.items()
    }
    return replace(
        output,
        dataset=name(output.dataset),
        fields=fields,
        rows=_inputs(output.rows, name),
        inputs=tuple(map(name, output.inputs)),
    )


def _inputs(inputs: Iterable[Input], name: Name) -> tuple[Input, ...]:
    return tuple(source._replace(dataset=name(source.dataset)) for source in inputs)
