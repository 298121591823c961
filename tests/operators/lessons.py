"""Runs DAGs in this process, one after the other: `python -m tests.operators.lessons FILE DAG ...`.

FILE gets the state of each task instance, as JSON.
"""

import json
import os
import sys
from pathlib import Path

from airflow.utils.cli import get_bagged_dag

FAKED = {"first", "mapped_tasks", "cluster_mode"}  # with the spark-submit of FAKE_BIN
REAL = os.environ["PATH"]

states = {}
file, *names = sys.argv[1:]
for name in names:
    os.environ["PATH"] = os.environ["FAKE_BIN"] + os.pathsep + REAL if name in FAKED else REAL
    run = get_bagged_dag(None, name).test()
    for ti in run.get_task_instances():
        index = "" if ti.map_index < 0 else f"[{ti.map_index}]"
        states[f"{name}.{ti.task_id}{index}"] = str(ti.state)
Path(file).write_text(json.dumps(states))
