"""A lineage as OpenMetadata's `PUT /api/v1/lineage` takes it: one edge between two tables each.

Tables, containers (paths) and topics are known by fully qualified name, which for a table is
service.database.schema.table. A server wants their ids: `with_ids` puts them in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from airflow_colgraph.exports.datahub.platform import BUCKETS, Mapping, in_catalog, named
from airflow_colgraph.exports.datahub.urn import DatasetUrn
from airflow_colgraph.exports.lineage_model import Keys, Lineage
from airflow_colgraph.store.model.latest_lineage import Dataset, Input, JobOutput

Json = dict[str, Any]

# What OpenMetadata calls the datasets of a platform, where it is not a table.
KINDS = {
    **dict.fromkeys((*BUCKETS, "abs", "hdfs", "file", "dbfs"), "container"),
    **dict.fromkeys(("kafka", "kinesis", "pulsar", "pubsub"), "topic"),
}


def edges(lineage: Lineage, mapping: Mapping, *, indirect: bool = False) -> Iterator[Json]:
    """A payload for each pair of datasets, with the columns of the output and what they are of."""
    names = Names(lineage, mapping)
    pairs: dict[tuple[Dataset, Dataset], list[JobOutput]] = {}
    for output in lineage.outputs:
        for made_of in output.inputs:
            if made_of != output.dataset:
                pairs.setdefault((made_of, output.dataset), []).append(output)
    for made_of, dataset in sorted(pairs, key=lambda pair: pair[::-1]):
        outputs = pairs[made_of, dataset]
        jobs = sorted({output.job.name for output in outputs if output.job})
        yield {
            "edge": {
                "fromEntity": names.entity(made_of),
                "toEntity": names.entity(dataset),
                "description": f"Written by {', '.join(jobs)}." if jobs else "",
                "lineageDetails": {
                    "source": "SparkLineage",
                    "columnsLineage": _columns(made_of, outputs, names, indirect),
                },
            }
        }


def _columns(
    made_of: Dataset, outputs: list[JobOutput], names: Names, indirect: bool
) -> list[Json]:
    """One entry for each output column and what is done to its inputs of this dataset."""
    sources_of: dict[tuple[str, str], set[str]] = {}
    for output in outputs:
        for name, inputs in (output.fields or {}).items():
            for i in inputs:
                if i.dataset == made_of and i.field and (i.direct or indirect):
                    column = names.column(output.dataset, name)
                    sources = sources_of.setdefault((column, _function(i)), set())
                    sources.add(names.column(made_of, i.field))
    return [
        {"fromColumns": sorted(sources), "toColumn": column, "function": function}
        for (column, function), sources in sorted(sources_of.items())
    ]


def _function(made_of: Input) -> str:
    return made_of.description or made_of.operation


class Names:
    """OpenMetadata's fully qualified names of the datasets and fields of a lineage."""

    def __init__(self, lineage: Lineage, mapping: Mapping) -> None:
        """The instance of a namespace in the mapping is the name of its service."""
        self.keys = Keys(lineage)
        self.mapping = mapping
        self.dataset = cache(self._dataset)  # asked for each field again
        self.column = cache(self._column)

    def entity(self, dataset: Dataset) -> Json:
        """The dataset as an entity reference without an id."""
        return {"type": self._kind(dataset), "fullyQualifiedName": self.dataset(dataset)}

    def _kind(self, dataset: Dataset) -> str:
        return KINDS.get(self._named(dataset).platform, "table")

    def _named(self, dataset: Dataset) -> DatasetUrn:
        return named(dataset, self.keys.others(dataset), self.mapping)

    def _dataset(self, dataset: Dataset) -> str:
        """The fully qualified name; a table that has no database or schema is in `default`."""
        table = in_catalog(dataset, self.keys.others(dataset), self.mapping) or dataset
        site, urn = self.mapping.site(table.namespace), self._named(dataset)
        name = urn.name.removeprefix(f"{site.instance}." if site.instance else "")
        service = site.instance or urn.platform
        parts = _padded(name) if self._kind(dataset) == "table" else [name]
        return ".".join(map(quoted, [service, *parts]))

    def _column(self, dataset: Dataset, name: str) -> str:
        """The fully qualified name of a field; one inside a struct follows the struct."""
        return ".".join([self.dataset(dataset), *map(quoted, self.keys.key(dataset, name))])


def _padded(name: str) -> list[str]:
    parts = name.split(".")
    return ["default"] * (3 - len(parts)) + parts


def quoted(part: str) -> str:
    """A part of a fully qualified name, in quotes if it has a dot or a quote."""
    return '"' + part.replace('"', '\\"') + '"' if "." in part or '"' in part else part


def with_ids(payload: Json, find: Callable[[str, str], str]) -> Json:
    """The payload with the ids that `find` gives for an entity's type and name."""
    edge = dict(payload["edge"])
    for end in ("fromEntity", "toEntity"):
        kind = edge[end]["type"]
        edge[end] = {"id": find(kind, edge[end]["fullyQualifiedName"]), "type": kind}
    return {"edge": edge}
