"""The facets that the store keeps as they are, to answer them: of datasets, jobs and runs. Pure.

Facets of datasets and jobs hold until the next one of the same name. Those of a run are its own.
Facets with values of their own for each run (a version, a metric) are kept with whole events only,
as each would be a row for each run; so are facets that OpenLineage does not define.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import orjson

from airflow_colgraph.store.ingest import facets
from airflow_colgraph.store.model.lineage_body import LineageBody, make

OF_DATASETS = (
    "catalog",
    "dataSource",
    "datasetType",
    "documentation",
    "hierarchy",
    "lifecycleStateChange",
    "ownership",
    "storage",
    "symlinks",
    "tags",
)
OF_JOBS = (
    "documentation",
    "jobType",
    "ownership",
    "sourceCode",
    "sourceCodeLocation",
    "sql",
    "tags",
)
OF_RUNS = ("errorMessage", "executionParameters", "externalQuery", "nominalTime", "tags")
STATISTICS = {"inputs": ("inputFacets", "inputStatistics")}
STATISTICS["outputs"] = ("outputFacets", "outputStatistics")
LONGEST = 100_000  # characters of a facet; longer ones are kept with whole events only


def of_owner(names: Iterable[str], stated: Mapping[str, Any]) -> dict[str, Any]:
    """The facets of these names, one that is too long left out."""
    listed = {name: stated[name] for name in names if isinstance(stated.get(name), dict)}
    return {name: facet for name, facet in listed.items() if len(orjson.dumps(facet)) <= LONGEST}


def body(kind: str, names: tuple[str, str], kept: Mapping[str, Any]) -> LineageBody:
    """The facets of a dataset or a job, with what they are of: equal facets are not one row."""
    return make({"of": [kind, *names], "facets": kept})


def of_run(run: str, stated: Mapping[str, Any], event: Mapping[str, Any]) -> LineageBody | None:
    """The facets of a run, and how much it read and wrote of each dataset; None without any."""
    kept = of_owner(OF_RUNS, stated)
    counted = {
        side: sorted(_statistics(event.get(side), *which), key=orjson.dumps)
        for side, which in STATISTICS.items()
    }
    body = {"facets": kept, **counted}
    filled = {name: value for name, value in body.items() if value}
    return make({"of": ["run", run], **filled}) if filled else None


def _statistics(datasets: Any, which: str, name: str) -> Iterable[list[Any]]:
    for dataset in map(facets.as_dict, facets.as_list(datasets)):
        both = {**facets.as_dict(dataset.get("facets")), **facets.as_dict(dataset.get(which))}
        counts = facets.content(both.get(name))
        if counts and len(orjson.dumps(counts)) <= LONGEST:
            yield [facets.text(dataset.get("namespace")), facets.text(dataset.get("name")), counts]
