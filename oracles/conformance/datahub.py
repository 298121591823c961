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
Name = tuple[str, ...]  # a dataset, or an edge and what is done by it
GOLDEN = "metadata-integration/java/openlineage-converter/src/test/resources/compatibility-golden"
FINE = "/fineGrainedLineages/"
FIELDS = re.compile(r"/urn:li:schemaField:\((.+)\)/NONE/urn:li:schemaField:\((.+)\)$", re.DOTALL)
KIND = re.compile(r"\b(?:IN)?DIRECT:[A-Z_]+")

RAW = "the converter leaves parentheses in names of fields, which DataHub's sources escape"
READ = "the export has what jobs write, and an event without an output has nothing of it"
UNLISTED = "the dataset of an edge is an input, also where the event does not list it"
OLDER = "the converter does not read `transformationType`, the older name of a type"


class Names(NamedTuple):
    """URNs of datasets, edges as the fields of both ends without their prefix, and edges' types."""

    datasets: frozenset[Name]
    edges: frozenset[Name]
    transformations: frozenset[Name]
    written: frozenset[str] = frozenset()


def rows(checkout: Path, tests: Path) -> Iterator[Row]:
    """DataHub's answer to each event beside ours to the same event."""
    right = Counter(dict.fromkeys(("datasets", "edges", "transformations"), 0))
    reasons: dict[str, Counter[str]] = {part: Counter() for part in right}
    wrong: dict[str, list[str]] = {part: [] for part in right}
    for golden in sorted((checkout / GOLDEN).rglob("*.json")):
        event = tests / "consumer" / "scenarios" / golden.parent.name / "events" / golden.name
        theirs, ours = of_golden(json.loads(golden.read_text())), of_export(event)
        for part in right:
            stated, exported = getattr(theirs, part), getattr(ours, part)
            right[part] += len(stated & exported)
            for name, why in differences(theirs, stated, exported):
                if why:
                    reasons[part][why] += 1
                else:
                    wrong[part].append(f"{golden.parent.name}/{golden.name}: {', '.join(name)}")
    for part, count in right.items():
        yield Row(f"DataHub's golden files, {part}", count, sorted(wrong[part]), reasons[part])


def differences(
    theirs: Names, stated: frozenset[Name], exported: frozenset[Name]
) -> Iterator[tuple[Name, str]]:
    """What only one of both has, with the reason where there is one."""
    raw = {name: tuple(map(decode, name)) for name in exported - stated}
    ends = {field.rsplit(",", 1)[0] for edge in theirs.edges for field in edge}
    typed = {name[:2] for name in theirs.transformations}
    for name in sorted(exported - stated):
        if raw[name] in stated:
            yield name, RAW
        elif len(name) == 1:
            yield name, UNLISTED if name[0] in ends else ""
        else:
            older = len(name) == 3 and name[:2] in theirs.edges - typed
            yield name, OLDER if older else ""
    for name in sorted(stated - exported - set(raw.values())):
        yield name, READ if len(name) == 1 and not theirs.written else ""


def of_golden(proposed: list[Json]) -> Names:
    """What DataHub's converter proposes for an event."""
    patches = [
        patch["path"].replace("~1", "/").replace("~0", "~")
        for each in proposed
        if each["aspectName"] == "dataJobInputOutput"
        for patch in each["aspect"]
    ]
    fine = {
        (match[2], match[1], path[len(FINE) : match.start()].partition("\n")[0])
        for path in patches
        if path.startswith(FINE) and (match := FIELDS.search(path))
    }
    return Names(
        frozenset((each["entityUrn"],) for each in proposed if each["entityType"] == "dataset"),
        frozenset(edge[:2] for edge in fine),
        frozenset((*edge, kind) for *edge, text in fine for kind in KIND.findall(text)),
        frozenset(path for path in patches if path.startswith("/outputDatasetEdges/")),
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
    edges = {
        (bare(source), bare(target), entry["transformOperation"].partition(": ")[0])
        for entry in fine
        for source in entry["upstreams"]
        for target in entry["downstreams"]
    }
    return Names(
        frozenset((urn,) for urn in datasets),
        frozenset(edge[:2] for edge in edges),
        frozenset(edges),
    )


def bare(urn: str) -> str:
    """A field's URN without its prefix and parentheses."""
    return urn.removeprefix("urn:li:schemaField:(").removesuffix(")")
