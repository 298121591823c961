"""URNs for the datasets, fields and jobs of a lineage."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from airflow_colgraph.exports.datahub.platform import Mapping, in_catalog, lowercases, named
from airflow_colgraph.exports.datahub.urn import DatasetUrn, FieldUrn, UrnError, encode
from airflow_colgraph.exports.lineage_model import Keys, Lineage
from airflow_colgraph.exports.path_forms import (
    Key,
    rfc_path,
    v1_path,
    v2_hive,
    v2_openlineage,
)
from airflow_colgraph.exports.schema.model import Array, Field
from airflow_colgraph.store.model.latest_lineage import Dataset
from airflow_colgraph.store.model.runs import Job

PATHS = ("v1", "v2-hive", "v2-openlineage")


class Urns:
    """The URNs of one lineage under a site's mapping and in one form of path."""

    def __init__(
        self,
        lineage: Lineage,
        mapping: Mapping,
        paths: str = "v1",
        warn: Callable[[str], None] = lambda text: None,
    ) -> None:
        """The form of paths is v1, v2-hive or v2-openlineage; `warn` gets what is left out."""
        self.mapping = mapping
        self.keys = Keys(lineage, warn)
        self.form = paths
        self.warn = warn
        self._paths: dict[Dataset, dict[Key, str]] = {}
        self._first: dict[DatasetUrn, Dataset] = {}
        self.named = cache(self._named)  # asked for each field again
        self.field = cache(self._field)
        self.dataset_field = cache(self._dataset_field)
        self._warned: set[str] = set()

    def _named(self, dataset: Dataset) -> DatasetUrn:
        """A dataset as DataHub names it; two datasets of one name are reported."""
        urn = named(dataset, self.keys.others(dataset), self.mapping)
        first = self._first.setdefault(urn, dataset)
        if first != dataset:
            self._once(
                f"{urn} stands for both {first.namespace} {first.name} and {dataset.namespace} "
                f"{dataset.name}; give one of the namespaces an instance in the mapping."
            )
        return urn

    def _once(self, text: str) -> None:
        if text not in self._warned:
            self._warned.add(text)
            self.warn(text)

    def dataset(self, dataset: Dataset) -> str:
        """The URN of a dataset."""
        return str(self.named(dataset))

    def _field(self, dataset: Dataset, name: str) -> str:
        """Today's URN of a field."""
        return str(FieldUrn(self.named(dataset), self.path(dataset, name)))

    def _dataset_field(self, dataset: Dataset, name: str) -> str | None:
        """The RFC's URN of a field; None, and reported, if it is longer than the RFC allows."""
        path = self.cased(dataset, rfc_path(self.keys.key(dataset, name)))
        try:
            return str(FieldUrn(self.named(dataset), path, "datasetField"))
        except UrnError as error:
            self._once(f"Left out: {error}")
            return None

    def path(self, dataset: Dataset, name: str) -> str:
        """The path of a field by the name that facets have for it."""
        key = self.keys.key(dataset, name)
        return self.paths(dataset).get(key) or self.cased(dataset, v1_path(key))

    def paths(self, dataset: Dataset) -> dict[Key, str]:
        """The path of each field of a dataset's schema."""
        if dataset not in self._paths:
            fields = self.keys.fields(dataset)
            write = self._form(fields)
            self._paths[dataset] = {
                f.key: self.cased(dataset, write(f)) for f in reversed(fields) if f.key
            }
        return self._paths[dataset]

    def _form(self, fields: list[Field]) -> Callable[[Field], str]:
        if self.form == "v2-hive":
            return v2_hive
        arrays = any(isinstance(t, Array) for f in fields for step in f.steps for t in step.types)
        if self.form == "v2-openlineage" and arrays:
            return v2_openlineage
        return lambda field: v1_path(field.key)

    def cased(self, dataset: Dataset, path: str) -> str:
        """The path in lower case where DataHub's source of that platform writes it so."""
        name = in_catalog(dataset, self.keys.others(dataset), self.mapping) or dataset
        return path.lower() if lowercases(name.namespace, self.mapping) else path

    def job(self, job: Job) -> str:
        """The URN of a job: the Airflow task if it is one, else what the name's first dot parts."""
        flow, _, task = job.name.partition(".")
        flow, task = (job.dag_id or flow), (job.task_id or task or flow)
        whole = f"{encode(self.mapping.orchestrator)},{encode(flow)},{encode(self.mapping.cluster)}"
        return f"urn:li:dataJob:(urn:li:dataFlow:({whole}),{encode(task)})"
