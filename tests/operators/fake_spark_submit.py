#!/usr/bin/env python3
"""Stands in for spark-submit: notes how it was called, and reports what FAKE_JOB says.

FAKE_JOB is a JSON object: {"calls": file to note the arguments in, "writes": [dataset, ...],
"exit": code}. Arguments of the application that begin with writes= name further datasets, and
fail= the file whose absence makes the first call fail.
"""

import json
import os
import sys
import uuid
from pathlib import Path

job = json.loads(os.environ.get("FAKE_JOB", "{}"))
arguments = sys.argv[1:]
if "calls" in job:
    with open(job["calls"], "a") as calls:
        calls.write(json.dumps(arguments) + "\n")

conf = dict(
    arguments[at + 1].split("=", 1) for at, name in enumerate(arguments) if name == "--conf"
)
written = [*job.get("writes", []), *(a[7:] for a in arguments if a.startswith("writes="))]
sink = conf.get("spark.colgraph.sink")
code = job.get("exit", 0)
for marker in (Path(a[5:]) for a in arguments if a.startswith("fail=")):
    if not marker.exists():
        marker.touch()
        written, code = [f"{name}-first-try" for name in written], 7

if sink and not job.get("silent"):
    run = str(uuid.uuid4())
    ns = "spark.colgraph.parent"
    facets = {"spark_applicationDetails": {"applicationId": f"fake-{run[:8]}"}}
    if conf.get(f"{ns}RunId"):
        facets["parent"] = {
            "run": {"runId": conf[f"{ns}RunId"]},
            "job": {"namespace": conf[f"{ns}JobNamespace"], "name": conf[f"{ns}JobName"]},
        }

    def event(kind, outputs=()):
        return {
            "eventType": kind,
            "eventTime": "2026-11-20T10:00:00Z",
            "producer": "urn:fake",
            "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
            "run": {"runId": run, "facets": facets},
            "job": {"namespace": conf["spark.colgraph.namespace"], "name": "fake"},
            "inputs": [{"namespace": "file", "name": "raw", "facets": {}} for _ in outputs],
            "outputs": list(outputs),
        }

    def dataset(name):
        inputs = [{"namespace": "file", "name": "raw", "field": "a", "transformations": []}]
        lineage = {"fields": {"a": {"inputFields": inputs}}, "dataset": []}
        return {"namespace": "file", "name": name, "facets": {"columnLineage": lineage}}

    Path(sink).parent.mkdir(parents=True, exist_ok=True)
    with open(sink, "a") as lines:
        for one in [
            event("START"),
            *(event("RUNNING", [dataset(name)]) for name in written),
            event("FAIL" if code else "COMPLETE"),
        ]:
            lines.write(json.dumps(one) + "\n")
sys.stdout.write("the job says hello\n")
sys.exit(code)
