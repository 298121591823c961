"""DataHub's golden files for OpenLineage's consumer corpus: the names and edges of our export."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from airflow_colgraph.exports.datahub.platform import Mapping
from airflow_colgraph.exports.datahub.proposals import proposals
from airflow_colgraph.exports.datahub.urn import decode
from airflow_colgraph.exports.store_reader import lineage
from oracles.conformance.table import Row
from tests.store.samples import memory_store

Json = dict[str, Any]
GOLDEN = "metadata-integration/java/openlineage-converter/src/test/resources/compatibility-golden"
FIELDS = re.compile(r"urn:li:schemaField:\((.+)\)/NONE/urn:li:schemaField:\((.+)\)$", re.DOTALL)
RAW = "the converter leaves parentheses in names of fields, which DataHub's sources escape"


class Names(NamedTuple):
    """The URNs of datasets, and edges as the fields of both ends without their prefix."""

    datasets: frozenset[str]
    edges: frozenset[tuple[str, str]]


def rows(checkout: Path, tests: Path) -> Iterator[Row]:
    """DataHub's answer to each event beside ours to the same event."""
    right, escaped = {"datasets": 0, "edges": 0}, 0
    wrong: dict[str, list[str]] = {name: [] for name in right}
    for golden in sorted((checkout / GOLDEN).rglob("*.json")):
        event = tests / "consumer" / "scenarios" / golden.parent.name / "events" / golden.name
        theirs, ours = of_golden(json.loads(golden.read_text())), of_export(event)
        for part in right:
            stated, exported = getattr(theirs, part), getattr(ours, part)
            right[part] += len(stated & exported)
            raw = {each: decoded(each) for each in exported - stated}
            same = {each for each, name in raw.items() if name in stated}
            escaped += len(same)
            differing = (exported - stated - same) | (stated - exported - {raw[x] for x in same})
            wrong[part] += [f"{golden.parent.name}/{golden.name}: {x}" for x in differing]
    for part, count in right.items():
        reasons = Counter({RAW: escaped} if part == "edges" and escaped else {})
        yield Row(f"DataHub's golden files, {part}", count, sorted(wrong[part]), reasons)


def decoded(name: Any) -> Any:
    """A URN, or an edge's, as the converter writes it."""
    return decode(name) if isinstance(name, str) else tuple(map(decode, name))


def of_golden(proposed: list[Json]) -> Names:
    """What DataHub's converter proposes for an event."""
    datasets = {each["entityUrn"] for each in proposed if each["entityType"] == "dataset"}
    patches = [
        patch["path"].replace("~1", "/").replace("~0", "~")
        for each in proposed
        if each["aspectName"] == "dataJobInputOutput"
        for patch in each["aspect"]
    ]
    edges = (FIELDS.search(path) for path in patches if path.startswith("/fineGrainedLineages/"))
    return Names(
        frozenset(datasets), frozenset((edge[2], edge[1]) for edge in edges if edge is not None)
    )


def of_export(event: Path) -> Names:
    """What our export has of an event."""
    with memory_store() as store:
        store.add_valid([json.loads(event.read_text())])
        with store.connection() as connection:
            aspects = [
                (each["entityUrn"], each["aspect"]["json"])
                for each in proposals(lineage(connection), Mapping(), indirect=True)
            ]
    datasets = {urn for urn, _ in aspects if urn.startswith("urn:li:dataset:")}
    fine = [entry for _, aspect in aspects for entry in aspect.get("fineGrainedLineages", ())]
    for _, aspect in aspects:
        datasets.update(aspect.get("inputDatasets", ()), aspect.get("outputDatasets", ()))
    return Names(
        frozenset(datasets),
        frozenset(
            (bare(source), bare(target))
            for entry in fine
            for source in entry["upstreams"]
            for target in entry["downstreams"]
        ),
    )


def bare(urn: str) -> str:
    """A field's URN without its prefix and parentheses."""
    return urn.removeprefix("urn:li:schemaField:(").removesuffix(")")
