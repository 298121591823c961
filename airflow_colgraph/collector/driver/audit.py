"""What an application has read and written, compared with its events."""

from __future__ import annotations

from airflow_colgraph.collector.events.build import output_to
from airflow_colgraph.collector.events.completeness import Completeness, completeness
from airflow_colgraph.collector.model import Execution, Stage
from airflow_colgraph.collector.pipeline import Pipeline
from airflow_colgraph.collector.spark.jvm import Java
from airflow_colgraph.collector.spark.stages import described, named, stages_of


def audited(
    context: Java,
    session: Java | None,
    pipeline: Pipeline,
    stages: list[Stage],
    known: list[Execution],
) -> Completeness:
    """What an application has written without an event; who wrote it is asked only for a gap."""
    nameless = [output_to(sink) for sink in pipeline.nameless.elements()]
    stages = [stage for stage in stages if stage.rows or stage.bytes]
    if not stages and not nameless:
        return Completeness()
    found = completeness(stages, known, pipeline.written, (), pipeline.unplaced, nameless)
    if not found.gaps:
        return found
    of_stages = stages_of(known)
    stages = [stage if stage.number in of_stages else named(context, stage) for stage in stages]
    of_written = {stage.number for stage in stages}
    roots = {execution.root for execution in known if execution.stages & of_written}
    asked = [
        described(session, found) if found.number in roots or found.stages & of_written else found
        for found in known
    ]
    return completeness(
        stages, asked, pipeline.written, pipeline.streams, pipeline.unplaced, nameless
    )
