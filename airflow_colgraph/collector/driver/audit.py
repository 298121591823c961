"""What an application has written, compared with its events."""

from __future__ import annotations

from airflow_colgraph.collector.events.build import output_to
from airflow_colgraph.collector.events.completeness import Completeness, completeness
from airflow_colgraph.collector.model import Stage
from airflow_colgraph.collector.pipeline import Pipeline
from airflow_colgraph.collector.spark.jvm import Java
from airflow_colgraph.collector.spark.written_stages import described, executions, named


def audited(
    context: Java, session: Java | None, pipeline: Pipeline, stages: list[Stage]
) -> Completeness:
    """What an application has written without an event; who wrote it is asked only for a gap.

    Without a session there are no SQL executions: RDDs have written.
    """
    nameless = [output_to(sink) for sink in pipeline.nameless.elements()]
    if not stages and not nameless:
        return Completeness()
    known = [] if session is None else executions(context, session)
    found = completeness(stages, known, pipeline.written, (), pipeline.unplaced, nameless)
    if not found.gaps:
        return found
    of_stages = {stage for execution in known for stage in execution.stages}
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
