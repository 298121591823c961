"""OpenLineage's validator on our events, and its consumer corpus and examples in our store."""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import shutil
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from airflow_colgraph.exports.store_reader import lineage
from airflow_colgraph.store.store import Store
from oracles.conformance.table import Row
from tests.store.samples import event, memory_store, output

Json = dict[str, Any]
Edge = tuple[str, ...]  # namespace, name and field of both ends
INVALID = "an event without a valid run id is refused"
# Where a facet is, by the end of its definition's name.
PLACES = {
    "RunFacet": ("run", "facets"),
    "JobFacet": ("job", "facets"),
    "InputDatasetFacet": ("inputs", "inputFacets"),
    "OutputDatasetFacet": ("outputs", "outputFacets"),
    "DatasetFacet": ("outputs", "facets"),
}


def validated(checkout: Path, spec: Path, events: Iterable[Json]) -> Row:
    """Our events in the validator of OpenLineage's compatibility tests, with the spec's schemas."""
    with TemporaryDirectory() as folder:
        target = Path(folder) / "spec"
        shutil.copytree(spec / "spec" / "facets", target)
        shutil.copy(spec / "spec" / "OpenLineage.json", target)
        sys.modules.setdefault("jsonc", json)  # JSON with comments, which events have not
        sys.path.insert(0, str(checkout / "scripts"))
        warnings.simplefilter("ignore", DeprecationWarning)  # of jsonschema, in the script
        module = importlib.import_module("validate_ol_events")
        validator = module.OLSyntaxValidator.get_validator(folder, "spec")
        errors = [text_of(validator, event) for event in events]
    wrong = [text for text in errors if text]
    return Row("OpenLineage's event validator", len(errors) - len(wrong), wrong)


def text_of(validator: Any, event: Json) -> str:
    """What the validator says of an event, without what it prints meanwhile."""
    with contextlib.redirect_stdout(io.StringIO()):
        return "; ".join(validator.validate(json.loads(json.dumps(event)), "event"))


def accepted(checkout: Path) -> Iterator[Row]:
    """The consumer corpus: events that our store takes, and edges of theirs that it answers."""
    events = events_of(checkout)
    store = memory_store()
    outcome = [refusal(store, event) for event in events]
    reasons = Counter(INVALID for text in outcome if "runId" in text)
    wrong = [text for text in outcome if text and "runId" not in text]
    yield Row("OpenLineage's consumer events, accepted", outcome.count(""), wrong, reasons)
    with store.connection() as connection:
        answered = edges_of_store(connection)
    stated = {edge for event in events for edge in edges_of(event)}
    missing = sorted(map(str, stated - answered))
    yield Row("OpenLineage's consumer events, edges kept", len(stated & answered), missing)


def events_of(checkout: Path) -> list[Json]:
    """The events of the corpus."""
    files = sorted((checkout / "consumer" / "scenarios").rglob("events/*.json"))
    return [json.loads(file.read_text()) for file in files]


def refusal(store: Store, event: Json) -> str:
    """Why the store does not take an event, or leaves out a part of it; empty where it takes it."""
    added = store.add_valid([event])
    return "; ".join(text for _, text in [*added.refused, *added.malformed])


def edges_of(event: Json) -> Iterator[Edge]:
    """The edges of an event's columnLineage facets."""
    for target in event.get("outputs", ()):
        facet = target.get("facets", {}).get("columnLineage", {})
        for field, entry in facet.get("fields", {}).items():
            for item in entry["inputFields"]:
                source = (item["namespace"], item["name"], item["field"])
                yield (*source, target["namespace"], target["name"], field)


def edges_of_store(connection: Any) -> set[Edge]:
    """The edges that an export of the whole store has."""
    return {
        (*source.dataset, source.field, *output.dataset, field)
        for output in lineage(connection).outputs
        for field, sources in (output.fields or {}).items()
        for source in sources
    }


def examples(spec: Path) -> Row:
    """The specification's examples of facets, each in an event, taken without a malformed part."""
    outcome = []
    for file in sorted((spec / "spec" / "tests").rglob("*.json")):
        with memory_store() as store:
            outcome.append(refusal(store, example(file)))
    wrong = [text for text in outcome if text]
    return Row("OpenLineage's examples of facets", outcome.count(""), wrong)


def example(file: Path) -> Json:
    """An event that has an example's facet in its place; an example that is an event as it is."""
    facets = json.loads(file.read_text())
    if "eventTime" in facets:
        return dict(facets)
    url = str(next(iter(facets.values()))["_schemaURL"])
    definition = url.rsplit("/", 1)[-1].removesuffix(".json")
    entity, key = next(place for name, place in PLACES.items() if definition.endswith(name))
    written = event("example", 1, [output("target", {})], reads=["source"])
    holder = written[entity] if isinstance(written[entity], dict) else written[entity][0]
    holder[key] = {**holder.get(key, {}), **facets}
    return written
