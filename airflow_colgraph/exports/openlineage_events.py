"""A lineage as OpenLineage events, for any consumer of them: Marquez, DataHub, OpenMetadata, ours.

The lineage is written as one of FACETS:

    columnLineage  version 1-2-0; what concerns all rows is stated once, in `dataset`
    legacy         for consumers that do not read `dataset`: it is copied into every field
    lineage        the newer facet, on the job
    both           columnLineage and lineage
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta, timezone
from typing import Any

from airflow_colgraph.exports.lineage_model import JobRead, Lineage, Tagged, is_table
from airflow_colgraph.openlineage.facets import DATASET_EVENT, PRODUCER, RUN_EVENT, facet
from airflow_colgraph.store.model.latest_lineage import Dataset, Input, JobOutput
from airflow_colgraph.store.model.runs import Job

Json = dict[str, Any]

FACETS = ("columnLineage", "legacy", "lineage", "both")
EVENTS = {"run": RUN_EVENT, "dataset": DATASET_EVENT}


def events(lineage: Lineage, facets: str = "columnLineage") -> Iterator[Json]:
    """Make OpenLineage RunEvents (2-0-2) for a lineage, one for each job and dataset it wrote.

    There is one more for what a run read beside. Events of one run share its id, the last one
    is COMPLETE, the ones before it RUNNING. Without a known job it is a DatasetEvent, whose
    inputs' schemas are in DatasetEvents of their own.
    """
    yield from _input_schemas(lineage)
    last = {output.run: output for output in lineage.outputs}
    for read in lineage.reads:
        yield _read_event(read, lineage, "RUNNING" if read.run in last else "COMPLETE")
    for output in lineage.outputs:
        if output.job is None or not output.run:
            yield _dataset_event(output, lineage, facets)
        else:
            state = "COMPLETE" if last[output.run] is output else "RUNNING"
            yield _run_event(output, lineage, facets, state)
    yield from map(_tag_event, lineage.tagged)


def _input_schemas(lineage: Lineage) -> Iterator[Json]:
    without_run = [output for output in lineage.outputs if output.job is None or not output.run]
    at = {name: output.at for output in without_run for name in output.inputs}
    for name in sorted(at.keys() - {output.dataset for output in lineage.outputs}):
        if name in lineage.schemas:
            yield {**_event("dataset", at[name]), "dataset": _dataset(name, lineage)}


def _run_event(output: JobOutput, lineage: Lineage, facets: str, state: str) -> Json:
    assert output.job is not None
    stated = facets in ("lineage", "both")
    job_facets = {"lineage": facet("lineage", entries=[_entry(output)])} if stated else {}
    columns = _column_lineage(output, facets, lineage.producer)
    return {
        "eventType": state,
        **_event("run", output.at),
        "run": {"runId": output.run, "facets": _task(output.job)},
        "job": _job(output.job, job_facets),
        "inputs": [_dataset(name, lineage) for name in output.inputs],
        "outputs": [_dataset(output.dataset, lineage, columns)],
    }


def _read_event(read: JobRead, lineage: Lineage, state: str) -> Json:
    return {
        "eventType": state,
        **_event("run", read.at),
        "run": {"runId": read.run, "facets": _task(read.job)},
        "job": _job(read.job, {}),
        "inputs": [_dataset(name, lineage) for name in read.inputs],
        "outputs": [],
    }


def _job(job: Job, facets: Json) -> Json:
    """The job with its facets, which consumers expect to be there even if there are none."""
    return {"namespace": job.namespace, "name": job.name, "facets": facets}


def _task(job: Job) -> Json:
    """Which Airflow task the job is, if it is one: who may see it can depend on that."""
    if not job.dag_id:
        return {}
    named = {"dag": {"dag_id": job.dag_id}, "task": {"task_id": job.task_id or ""}}
    return {"airflow": facet("airflow", **named)}


def _dataset_event(output: JobOutput, lineage: Lineage, facets: str) -> Json:
    extra = _column_lineage(output, facets, lineage.producer)
    if facets in ("lineage", "both"):
        entry = _entry(output)
        stated = {name: entry[name] for name in ("inputs", "fields") if name in entry}
        extra["lineage"] = facet("dataset lineage", **stated)
    return {**_event("dataset", output.at), "dataset": _dataset(output.dataset, lineage, extra)}


def _tag_event(tagged: Tagged) -> Json:
    tags = [
        {
            "key": key,
            "value": value,
            **({"source": source} if source else {}),
            **({"field": field} if field else {}),
        }
        for field, key, value, source in tagged.tags
    ]
    facets = {"tags": facet("tags", tags=tags)}
    return {
        **_event("dataset", tagged.at),
        "dataset": {**tagged.dataset._asdict(), "facets": facets},
    }


def _event(kind: str, at: int) -> Json:
    moment = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(milliseconds=at)
    return {
        "eventTime": moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "producer": PRODUCER,
        "schemaURL": EVENTS[kind],
    }


def _dataset(name: Dataset, lineage: Lineage, extra: Json | None = None) -> Json:
    columns = lineage.schemas.get(name)
    facets = {"schema": facet("schema", fields=columns)} if columns else {}
    if name in lineage.symlinks:
        identifiers = [_identifier(other) for other in lineage.symlinks[name]]
        facets["symlinks"] = facet("symlinks", identifiers=identifiers)
    return {"namespace": name.namespace, "name": name.name, "facets": {**facets, **(extra or {})}}


def _identifier(name: Dataset) -> Json:
    kind = "TABLE" if is_table(name.name) else "LOCATION"
    return {"namespace": name.namespace, "name": name.name, "type": kind}


def _column_lineage(output: JobOutput, facets: str, producer: str) -> Json:
    if output.fields is None or facets == "lineage":
        return {}
    copied = output.rows if facets == "legacy" else ()
    body: Json = {
        "fields": {
            name: {"inputFields": _inputs([*inputs, *copied])}
            for name, inputs in output.fields.items()
        }
    }
    if facets != "legacy":
        body["dataset"] = _inputs(output.rows)
    if producer:
        body["_producer"] = producer
    return {"columnLineage": facet("columnLineage", **body)}


def _inputs(inputs: Iterable[Input], **more: str) -> list[Json]:
    """The inputs by field, each with all that is done to it."""
    entries: dict[tuple[Dataset, str], list[Json]] = {}
    for i in sorted(set(inputs)):
        entries.setdefault((i.dataset, i.field), []).append(
            {
                "type": i.type,
                "subtype": i.subtype,
                "description": i.description,
                "masking": i.masking,
            }
        )
    return [
        {
            **more,
            "namespace": dataset.namespace,
            "name": dataset.name,
            "field": field,
            "transformations": done,
        }
        for (dataset, field), done in entries.items()
    ]


def _entry(output: JobOutput) -> Json:
    """The dataset's entry in the `lineage` facet. A field of no column has its own job as input."""
    with_fields = {i.dataset for inputs in (output.fields or {}).values() for i in inputs}
    with_fields |= {i.dataset for i in output.rows}
    whole = [
        {"type": "DATASET", "namespace": name.namespace, "name": name.name}
        for name in output.inputs
        if name not in with_fields
    ]
    entry: Json = {
        "type": "DATASET",
        "namespace": output.dataset.namespace,
        "name": output.dataset.name,
        "inputs": [*_inputs(output.rows, type="DATASET"), *whole],
    }
    if output.fields is not None:
        constant = [{"type": "JOB"}] if output.job else []
        entry["fields"] = {
            name: {"inputs": _inputs(inputs, type="DATASET") or constant}
            for name, inputs in output.fields.items()
        }
    return entry
