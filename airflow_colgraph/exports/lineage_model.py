"""The model of an export: for each job and dataset that it wrote, where the fields come from.

Plain values that every exporter takes; `store_reader` reads them from the store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from airflow_colgraph.exports.path_forms import Key, v1_path
from airflow_colgraph.exports.schema.model import Field, SchemaError, fields
from airflow_colgraph.exports.schema.openlineage import from_openlineage
from airflow_colgraph.store.model.latest_lineage import Dataset, Input, JobOutput
from airflow_colgraph.store.model.runs import Job

GLUE_TABLE = "table/"  # begins the name of a table in AWS Glue


class JobRead(NamedTuple):
    """What a run read that wrote no dataset: a dashboard, a query."""

    job: Job
    run: str
    inputs: tuple[Dataset, ...]
    at: int


class Tagged(NamedTuple):
    """The tags that are set on a dataset and its fields; `at` is when they changed last.

    `tags` are field (empty for the dataset), key, value and source; none: all have ended.
    """

    dataset: Dataset
    at: int
    tags: tuple[tuple[str, str, str, str], ...]


def is_table(name: str) -> bool:
    """Whether a symlink's name is that of a table in a catalog, and not a path.

    >>> [is_table(name) for name in ("db.orders", "table/db/orders", "/lake/orders.v2", "/")]
    [True, True, False, False]
    """
    return name.startswith(GLUE_TABLE) or ("." in name and "/" not in name)


@dataclass(frozen=True)
class Lineage:
    """All that one export reads. `schemas` holds the fields of OpenLineage's schema facet.

    `unchanged` are the datasets whose schema is only here to read the names of their fields.
    `tags` are those of fields, by their names; the empty name is the dataset as a whole, which is
    there without a tag where all its tags have ended. `tagged` are the tags that are set, without
    those that travelled. `symlinks` are other names of datasets. `producer` has stated the columns,
    if we have not; `left_out` counts what the lineage has not of its source, by the reason.
    """

    outputs: tuple[JobOutput, ...] = ()
    schemas: Mapping[Dataset, list[dict[str, Any]]] = field(default_factory=dict)
    unchanged: frozenset[Dataset] = frozenset()
    tags: Mapping[Dataset, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    symlinks: Mapping[Dataset, tuple[Dataset, ...]] = field(default_factory=dict)
    reads: tuple[JobRead, ...] = ()
    tagged: tuple[Tagged, ...] = ()
    producer: str = ""
    left_out: Mapping[str, int] = field(default_factory=dict)

    def by_dataset(self) -> list[tuple[Dataset, list[JobOutput]]]:
        """The outputs by dataset."""
        outputs: dict[Dataset, list[JobOutput]] = {}
        for output in self.outputs:
            outputs.setdefault(output.dataset, []).append(output)
        return sorted(outputs.items(), key=lambda pair: pair[0])


class Keys:
    """Names of fields in facets as tuples of names, by the schemas that are known."""

    def __init__(self, lineage: Lineage, warn: Callable[[str], None] = lambda text: None) -> None:
        """A schema is read when its dataset is asked for; `warn` is called for invalid ones."""
        self.lineage = lineage
        self.warn = warn
        self._found: dict[Dataset, list[Field]] = {}
        self._by_name: dict[Dataset, dict[str, set[Key]]] = {}

    def others(self, dataset: Dataset) -> tuple[Dataset, ...]:
        """The other names of a dataset."""
        return self.lineage.symlinks.get(dataset, ())

    def fields(self, dataset: Dataset) -> list[Field]:
        """The fields of a dataset; none if no schema of it is known or if it makes no sense."""
        if dataset not in self._found:
            columns = self.lineage.schemas.get(dataset)
            try:
                inside = list(fields(from_openlineage({"fields": columns}))) if columns else []
            except SchemaError as error:
                self.warn(f"Left out: the schema of {dataset.namespace} {dataset.name}. {error}")
                inside = []
            self._found[dataset] = inside
        return self._found[dataset]

    def key(self, dataset: Dataset, name: str) -> Key:
        """The key of a field; without a schema that has it the name stays one, dots and all."""
        if dataset not in self._by_name:
            named = self._by_name[dataset] = {}
            for field in self.fields(dataset):
                named.setdefault(v1_path(field.key), set()).add(field.key)
        keys = self._by_name[dataset].get(name, set())
        return next(iter(keys)) if len(keys) == 1 else (name,)


def grouped(inputs: Iterable[Input]) -> list[tuple[str, list[Input]]]:
    """Inputs by what is done to them, in a fixed order."""
    groups: dict[str, list[Input]] = {}
    for each in sorted(set(inputs)):
        groups.setdefault(each.operation, []).append(each)
    return sorted(groups.items())
