"""What a task's event costs Airflow's OpenLineage listener, which has ten seconds for it.

python -m bench.events [--runs N]

From the extractor to a file transport, as in the listener's process: the seconds of one core, and
the event's size; first of an event without lineage, then with the limits as they are by default,
then of the same lineage uncut. No database and no Spark is needed.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
import uuid
from pathlib import Path
from types import SimpleNamespace
from typing import Any

STEP = {"type": "DIRECT", "subtype": "IDENTITY", "description": "", "masking": False}
SHAPES = {  # outputs, columns of each, input fields of each column
    "1,000 columns x 100 inputs": (1, 1000, 100),
    "10,000 outputs of 2 columns": (10_000, 2, 1),
}
UNCUT = str(10**9)
SCHEMA_URL = "https://openlineage.io/spec/facets/1-2-0/DatasetFacet.json#/$defs/DatasetFacet"


def collected(outputs: int, columns: int, inputs: int) -> Any:
    """An operator whose job has reported so much."""
    from airflow_colgraph.extractors.task_lineage import Lineage

    made_of = [
        {"namespace": "file", "name": "raw", "field": f"c{n}", "transformations": [STEP]}
        for n in range(inputs)
    ]
    names = [f"a{n}" for n in range(columns)]
    common = {"_producer": "urn:bench", "_schemaURL": SCHEMA_URL}
    facets = {
        "schema": {**common, "fields": [{"name": name, "type": "int"} for name in names]},
        "columnLineage": {**common, "fields": {name: {"inputFields": made_of} for name in names}},
    }
    written = [{"namespace": "file", "name": f"o{n}", "facets": facets} for n in range(outputs)]
    return SimpleNamespace(colgraph_lineage=Lineage([], written, {}), colgraph_sink="/sink")


def emit(operator: Any, file: Path) -> float:
    """Emit the operator's event as Airflow does; the seconds of one core that it took."""
    from airflow.providers.openlineage.plugins.adapter import OpenLineageAdapter
    from openlineage.client import OpenLineageClient
    from openlineage.client.event_v2 import Job, Run, RunEvent, RunState

    from airflow_colgraph.extractors.spark import operator_lineage

    transport = {"type": "file", "log_file_path": str(file), "append": True}
    adapter = OpenLineageAdapter(OpenLineageClient(config={"transport": transport}))
    started = time.process_time()
    lineage = operator_lineage(operator)
    event = RunEvent(
        eventType=RunState.COMPLETE,
        eventTime="2026-11-20T10:00:00Z",
        run=Run(runId=str(uuid.uuid4()), facets=lineage.run_facets),
        job=Job(namespace="bench", name="task", facets=lineage.job_facets),
        inputs=lineage.inputs,
        outputs=lineage.outputs,
        producer="urn:bench",
    )
    adapter.emit(event)
    return time.process_time() - started


def row(name: str, shape: tuple[int, int, int] | None, runs: int) -> None:
    """Measure one event and print it."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "events.jsonl"
        operator = SimpleNamespace() if shape is None else collected(*shape)
        seconds = [emit(operator, file) for _ in range(runs)]
        size = file.stat().st_size / runs / 1e6
    print(
        f"{name:<44} {statistics.median(seconds):8.2f} {max(seconds):8.2f} {size:8.2f}", flush=True
    )


def main() -> None:
    """Measure and print one line an event."""
    parser = argparse.ArgumentParser(prog="python -m bench.events", description=__doc__)
    parser.add_argument("--runs", type=int, default=3, help="events of each kind")
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as home:
        os.environ.update(AIRFLOW_HOME=home, AIRFLOW__LOGGING__LOGGING_LEVEL="ERROR")
        print(f"{'event':<44} {'cpu s':>8} {'most':>8} {'MB':>8}")
        row("no lineage", None, runs)
        for name, shape in SHAPES.items():
            row(name, shape, runs)
        uncut(runs)


def uncut(runs: int) -> None:
    """The same without limits."""
    from airflow_colgraph import conf

    for option in ("max_input_fields", "max_event_bytes"):
        os.environ[f"AIRFLOW__COLGRAPH__{option.upper()}"] = UNCUT
        getattr(conf, option).cache_clear()
    for name, shape in SHAPES.items():
        row(f"{name}, uncut", shape, runs)


if __name__ == "__main__":
    sys.exit(main())
