"""Add the collector to spark-submit's arguments. Pure."""

from __future__ import annotations

import zipfile
from typing import Any, NamedTuple

PY_FILES = "spark.submit.pyFiles"
UPLOAD_PATH = "spark.kubernetes.file.upload.path"


class SubmitArguments(NamedTuple):
    """The spark-submit arguments that attaching the collector reads or changes."""

    application: str
    application_args: list[Any]
    py_files: str | None
    jars: str | None
    java_class: str | None
    name: str | None
    properties: dict[Any, Any]


class NotPossible(ValueError):
    """The collector cannot be attached to this job; the message says why."""


def with_collector(
    job: SubmitArguments, *, archive: str, launcher: str, master: str, deploy_mode: str | None
) -> SubmitArguments:
    """Attach the collector: to a PySpark application as a Python file, to a jar by the launcher.

    The application, its arguments and its exit code are unchanged. `master` is empty where a
    service decides. NotPossible, if the driver could not read or run the collector there.
    """
    cluster = deploy_mode == "cluster"
    ships = job.properties.get(UPLOAD_PATH) or "://" in archive
    if cluster and "k8s" in master and not ships:
        raise NotPossible(
            f"Kubernetes in cluster mode needs {UPLOAD_PATH}, or [colgraph] collector_path, "
            "to ship the collector"
        )
    # An argument --py-files would hide the property of the same meaning: keep what it names.
    own = job.py_files or job.properties.get(PY_FILES)
    job = job._replace(py_files=_joined(archive, own))
    if job.application.endswith(".py"):
        return job
    if not job.application.endswith(".jar"):
        raise NotPossible(f"{job.application!r} is neither a Python file nor a jar")
    if cluster and master.startswith("spark://"):
        raise NotPossible("a standalone cluster cannot start the Python launcher in cluster mode")
    main = job.java_class or _main_class(job.application)
    return job._replace(
        application=launcher,
        application_args=[main, *job.application_args],
        jars=_joined(job.jars, job.application),
        java_class=None,
        name=job.name or main,
    )


def _joined(*names: str | None) -> str:
    return ",".join(name for name in names if name)


def _main_class(jar: str) -> str:
    """The class that the jar's manifest names, as spark-submit would find it."""
    try:
        with zipfile.ZipFile(jar.removeprefix("file:")) as opened:
            manifest = opened.read("META-INF/MANIFEST.MF").decode()
    except (OSError, KeyError, zipfile.BadZipFile):
        manifest = ""
    for line in manifest.replace("\r", "").replace("\n ", "").splitlines():
        if line.startswith("Main-Class:"):
            return line.partition(":")[2].strip()
    raise NotPossible(f"{jar!r} has no main class that can be read here; set java_class")
