"""Runs a DAG of docs/operating.md in a real Airflow, and returns what its task made of it."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from dev.demo_airflow import environment, run_airflow

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "operating.md").read_text(encoding="utf-8")

RUN = """
import json, sys
from airflow.sdk._shared.observability.metrics.base_stats_logger import NoStatsLogger
from airflow.sdk.observability import stats
from airflow.utils.cli import get_bagged_dag
file, dag_id, task_id = sys.argv[1:]
metrics = {}
class Backend(NoStatsLogger):
    @classmethod
    def incr(cls, stat, count=1, **options):
        metrics[stat] = metrics.get(stat, 0) + count
    @classmethod
    def gauge(cls, stat, value, **options):
        metrics[stat] = value
stats.initialize(factory=Backend, export_legacy_names=False)
run = get_bagged_dag(None, dag_id).test()
(task,) = run.get_task_instances()
result = {"state": str(task.state), "report": task.xcom_pull(task_ids=task_id)}
result["metrics"] = {name: metrics[name] for name in metrics if name.startswith("colgraph")}
with open(file, "w") as out:
    json.dump(result, out)
"""


def run_documented(
    dag_id: str, task_id: str, home: Path, replaced: dict[str, str], **variables: str
) -> tuple[dict[str, Any], str]:
    """The state, report and metrics of the task, and all that was printed."""
    (dag,) = re.findall(rf'^```python\n((?:(?!^```).*\n)*?.*"{dag_id}"(?s:.*?))^```', PAGE, re.M)
    for text, other in replaced.items():
        assert text in dag
        dag = dag.replace(text, other)
    dags = home / "dags"
    dags.mkdir()
    (dags / "documented.py").write_text(dag)
    every = environment(home / "airflow", dags, PYTHONPATH=str(ROOT), **variables)
    run_airflow(every, "db", "migrate")
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(home / "result"), dag_id, task_id],
        env=every,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads((home / "result").read_text()), done.stdout + done.stderr
