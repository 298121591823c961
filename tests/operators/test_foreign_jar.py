"""OpenLineage's own jar in the same job: both work, and name the same datasets."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from airflow_colgraph.operators.spark_submit import ColgraphSparkSubmitOperator
from airflow_colgraph.version_compat import identity
from tests.operators.test_inject import context
from tests.spark.jars import jars

pytestmark = [pytest.mark.spark, pytest.mark.jars, pytest.mark.xdist_group("submit")]

JOBS = Path(__file__).parent.parent.parent / "dags" / "jobs"


def named(datasets: list[dict[str, Any]]) -> set[tuple[str, str]]:
    return {(dataset["namespace"], dataset["name"]) for dataset in datasets}


def test_both_work_and_name_the_same_datasets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    theirs = tmp_path / "theirs.ndjson"
    operator: Any = ColgraphSparkSubmitOperator(
        task_id="load",
        application=str(JOBS / "daily.py"),
        application_args=[str(JOBS / "orders.csv"), str(tmp_path / "daily")],
        conf={
            "spark.ui.enabled": "false",
            "spark.jars": ",".join(jars("openlineage-spark_2.13")),
            "spark.extraListeners": "io.openlineage.spark.agent.OpenLineageSparkListener",
            "spark.openlineage.transport.type": "file",
            "spark.openlineage.transport.location": str(theirs),
        },
        openlineage_inject_parent_job_info=True,
    )
    operator.execute(context())
    lineage = operator.colgraph_lineage
    inputs, outputs = named(lineage.inputs), named(lineage.outputs)
    assert outputs == {("file", str(tmp_path / "daily"))}
    assert (len(lineage.inputs), len(lineage.outputs)) == (1, 1)
    columns = lineage.outputs[0]["facets"]["columnLineage"]["fields"]
    assert set(columns) == {"day", "total", "orders"}

    events = [json.loads(line) for line in theirs.read_text().splitlines()]
    assert {name for e in events for name in named(e["outputs"])} == outputs
    # It also names the folder, for the job in which Spark looks for the CSV's columns.
    assert {name for e in events for name in named(e["inputs"])} >= inputs
    task = identity(context()["ti"])
    parents = {e["run"]["facets"]["parent"]["root"]["run"]["runId"] for e in events}
    assert parents == {task.root_run_id}
