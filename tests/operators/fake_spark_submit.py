#!/usr/bin/env python3
"""Stands in for spark-submit: notes how it was called, and reports what FAKE_JOB says.

FAKE_JOB is a JSON object: {"calls": file to note the arguments in, "writes": [dataset, ...],
"reads": {dataset: what it comes from, if not raw}, "exit": code, "time": the events' time,
"late": another job's conf and writes, reported after this one, "token": file to note
COLGRAPH_SINK_TOKEN in}. Arguments of the application that
begin with writes= name further datasets, fail= the file whose absence makes the first call fail,
hold= a file that it makes and then waits for somebody to delete, together= the folder and number
of jobs that wait for each other, and later= a file for the configuration, to be reported from by
whoever plays the driver on the cluster.
"""

import json
import os
import sys
import time
import uuid
from pathlib import Path

PARENT = "spark.colgraph.parent"


def main(job, arguments):
    """Run the job, and return its exit code."""
    if "calls" in job:
        with open(job["calls"], "a") as calls:
            calls.write(json.dumps(arguments) + "\n")
    if "token" in job:
        Path(job["token"]).write_text(os.environ.get("COLGRAPH_SINK_TOKEN", ""))
    pairs = [arguments[at + 1] for at, name in enumerate(arguments) if name == "--conf"]
    conf = dict(pair.split("=", 1) for pair in pairs)
    written = [*job.get("writes", []), *(a[7:] for a in arguments if a.startswith("writes="))]
    code = job.get("exit", 0)
    for marker in (Path(a[5:]) for a in arguments if a.startswith("fail=")):
        if not marker.exists():
            marker.touch()
            written, code = [f"{name}-first-try" for name in written], 7
    for file in (Path(a[5:]) for a in arguments if a.startswith("hold=")):
        file.touch()
        wait(lambda file=file: not file.exists())
    for folder, _, count in (a[9:].rpartition("/") for a in arguments if a.startswith("together=")):
        Path(folder, str(os.getpid())).touch()
        wait(lambda at=folder, of=int(count): len(os.listdir(at)) >= of)
    for file in (a[6:] for a in arguments if a.startswith("later=")):
        Path(file).write_text(json.dumps({"conf": conf, "written": written}))
        sys.stdout.write("Submitted application application_1_0001\n")
        return code
    if conf.get("spark.colgraph.sink") and not job.get("silent"):
        more = {key: job[key] for key in ("reads", "time") if key in job}
        write_events(conf, written, code, **more)
        if "late" in job:
            write_events(job["late"]["conf"], job["late"]["writes"])
    return code


def wait(until, seconds=600):
    """Wait for something, but not forever."""
    end = time.monotonic() + seconds
    while not until():
        if time.monotonic() > end:
            sys.exit("nothing happened")
        time.sleep(0.05)


def write_events(conf, written, code=0, reads=None, time="2026-11-20T10:00:00Z"):
    """What the collector reports of a job with this configuration that wrote these datasets."""
    run = str(uuid.uuid4())
    facets = {"spark_applicationDetails": {"applicationId": f"fake-{run[:8]}"}}
    if conf.get(f"{PARENT}RunId"):
        facets["parent"] = {
            "run": {"runId": conf[f"{PARENT}RunId"]},
            "job": {"namespace": conf[f"{PARENT}JobNamespace"], "name": conf[f"{PARENT}JobName"]},
        }

    def source(name):
        return (reads or {}).get(name, "raw")

    def event(kind, outputs=()):
        return {
            "eventType": kind,
            "eventTime": time,
            "producer": "urn:fake",
            "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
            "run": {"runId": run, "facets": facets},
            "job": {"namespace": conf["spark.colgraph.namespace"], "name": "fake"},
            "inputs": [
                {"namespace": "file", "name": source(output["name"]), "facets": {}}
                for output in outputs
            ],
            "outputs": list(outputs),
        }

    def dataset(name):
        entry = {"namespace": "file", "name": source(name), "field": "a", "transformations": []}
        lineage = {"fields": {"a": {"inputFields": [entry]}}, "dataset": []}
        return {"namespace": "file", "name": name, "facets": {"columnLineage": lineage}}

    sink = Path(conf["spark.colgraph.sink"])
    sink.parent.mkdir(parents=True, exist_ok=True)
    with sink.open("a") as lines:
        for one in [
            event("START"),
            *(event("RUNNING", [dataset(name)]) for name in written),
            event("FAIL" if code else "COMPLETE"),
        ]:
            lines.write(json.dumps(one) + "\n")


if __name__ == "__main__":
    code = main(json.loads(os.environ.get("FAKE_JOB", "{}")), sys.argv[1:])
    sys.stdout.write("the job says hello\n")
    sys.exit(code)
