"""`colgraph doctor`: look at a deployment, and say what is wrong with it and where."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, entry_points, version
from time import time
from typing import NamedTuple

import click

from airflow_colgraph import __version__, delivery
from airflow_colgraph.cli.rows import print_rows, row_format
from airflow_colgraph.cli.store_access import named_store, store_errors, store_option
from airflow_colgraph.collector.sinks.file import is_local
from airflow_colgraph.spools import open_spool
from airflow_colgraph.store import readiness
from airflow_colgraph.store.admin.trial import clock_difference, try_event
from airflow_colgraph.store.default_url import airflow_option, default_url
from airflow_colgraph.store.errors import StoreError
from airflow_colgraph.store.query.freshness import newest
from airflow_colgraph.store.store import Store

OK, WARNING, ERROR = "ok", "warning", "error"
SECONDS = 10.0  # that the database may take for each statement
CLOCK = 60.0  # seconds by which clocks may differ
LATE = 86_400.0  # seconds after which lineage or a spooled event is late
SPARK = {"spark-submit": "of a worker that runs Spark jobs", "java": "that spark-submit needs"}


class Finding(NamedTuple):
    """What was looked at, whether it is well, and what to do if it is not."""

    check: str
    status: str
    text: str


@click.command()
@click.option("--spool", metavar="FOLDER", help="Default: as for `colgraph deliver`.")
@row_format
@store_option
@click.pass_context
def doctor(context: click.Context, spool: str | None, format_: str) -> None:
    """Look at the store, the spool, Airflow and Spark here, and name what is wrong.

    Run it where the lineage is missing: on a worker, or where `colgraph serve` runs. An event goes
    through the store and is rolled back. The exit code is 1 if there is an error.

    Example: colgraph doctor
    """
    with store_errors():
        url = context.obj or default_url()
    findings = [
        *_of_store(url, _origin(named_store(context))),
        *_of_spool(spool or delivery.configured_spool()),
        *_of_airflow(),
        *_of_spark(),
    ]
    lines = (f"{each.status:8} {each.check:13} {each.text}" for each in findings)
    print_rows(format_, Finding._fields, [each._asdict() for each in findings], lines)
    context.exit(int(any(each.status == ERROR for each in findings)))


def _origin(named: str | None) -> str:
    """Where the store's URL is from."""
    if named:
        return "--store"
    if os.environ.get("COLGRAPH_STORE"):
        return "COLGRAPH_STORE"
    return "[colgraph] store" if airflow_option("store") else "the default"


def _of_store(url: str, origin: str) -> Iterator[Finding]:
    store = Store(url, seconds=SECONDS)
    try:
        yield Finding("store", OK, f"{store.shown_url}, from {origin}")
        problems = readiness.checks(store)
        told: set[str] = set()
        for name, problem in problems.items():
            if problem not in told:
                yield Finding(name, ERROR if problem else OK, problem or "fine")
            told.update(filter(None, [problem]))
        if not any(problems.values()):
            yield from _of_ready_store(store)
    except StoreError as error:
        yield Finding("store", ERROR, str(error))
    finally:
        store.close()


def _of_ready_store(store: Store) -> Iterator[Finding]:
    if try_event(store):
        yield Finding("event", OK, "an event was written, read and rolled back")
    else:
        yield Finding("event", ERROR, "an event was written, and its edges cannot be read")
    ahead = clock_difference(store)
    status = OK if abs(ahead) <= CLOCK else ERROR
    yield Finding("clock", status, f"the database's is {ahead:+.1f} s from this machine's")
    with store.connection() as connection:
        times = newest(connection)
    if not times:
        yield Finding("lineage", WARNING, "the store has none: no event has arrived")
        return
    name, at = max(times.items(), key=lambda item: item[1])
    age = time() - at / 1000
    text = f"the newest is {_duration(age)} old, of namespace {name}"
    yield Finding("lineage", OK if age <= LATE else WARNING, text)


def _of_spool(uri: str) -> Iterator[Finding]:
    try:
        spool = open_spool(uri)
        folder, waiting = spool.name, delivery.waiting(spool)
    except OSError as error:
        yield Finding("spool", ERROR, str(error))
        return
    if not spool.exists():
        yield Finding("spool", OK, f"{folder} is empty")
        return
    if is_local(uri) and not os.access(folder, os.W_OK):
        yield Finding("spool", ERROR, f"{folder} is read-only, so events may be lost")
    text = f"{folder}: {waiting.events} events wait, the oldest for {_duration(waiting.seconds)}"
    if waiting.seconds > LATE:
        yield Finding("spool", ERROR, f"{text}; run `colgraph deliver`")
    else:
        yield Finding("spool", OK, text)
    if waiting.refused:
        yield Finding("refused", WARNING, f"{waiting.refused} events: see {folder}/refused")
    if waiting.dropped:
        yield Finding("dropped", ERROR, f"{waiting.dropped} events: the spool was full")


def _duration(seconds: float) -> str:
    """Seconds, minutes, hours or days, in a whole number.

    >>> _duration(59), _duration(7300)
    ('59 s', '2 h')
    """
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= length:
            return f"{int(seconds // length)} {unit}"
    return f"{int(seconds)} s"


def _of_airflow() -> Iterator[Finding]:
    airflow = _version("apache-airflow") or _version("apache-airflow-core")
    if airflow is None:
        yield Finding("airflow", OK, "is not installed here")
        return
    provider = _version("apache-airflow-providers-openlineage") or _version("openlineage-airflow")
    yield Finding("airflow", OK, f"{airflow} with colgraph {__version__}")
    if not any("airflow_colgraph" in each.value for each in entry_points(group="airflow.plugins")):
        yield Finding("plugin", ERROR, "is not installed: pip install airflow-colgraph")
    if provider is None:
        text = "no provider: pip install apache-airflow-providers-openlineage"
        yield Finding("openlineage", ERROR, text)
        return
    yield from _of_transport(provider)


def _of_transport(provider: str) -> Iterator[Finding]:
    from airflow.configuration import conf

    if conf.getboolean("openlineage", "disabled", fallback=False):
        yield Finding("openlineage", ERROR, "[openlineage] disabled is true, so tasks send nothing")
        return
    transports = {
        "[colgraph] store": conf.get("colgraph", "store", fallback=""),
        "[openlineage] transport": conf.get("openlineage", "transport", fallback=""),
        "[openlineage] config_path": conf.get("openlineage", "config_path", fallback=""),
        "OPENLINEAGE_URL": os.environ.get("OPENLINEAGE_URL", ""),
        "OPENLINEAGE_CONFIG": os.environ.get("OPENLINEAGE_CONFIG", ""),
    }
    there = [name for name, value in transports.items() if value]
    if there:
        yield Finding("openlineage", OK, f"{provider}; events go by {', '.join(there)}")
    else:
        text = f"{provider}; events go nowhere: set [colgraph] store or [openlineage] transport"
        yield Finding("openlineage", ERROR, text)


def _of_spark() -> Iterator[Finding]:
    spark = _version("pyspark")
    if spark is not None:
        yield Finding("pyspark", OK, spark)
    for program, what in SPARK.items():
        path = shutil.which(program)
        missing = f"is not on the PATH {what}"
        yield Finding(program, OK if path else WARNING, path or missing)


def _version(distribution: str) -> str | None:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None
