"""`colgraph submit`: spark-submit with the collector, and the lineage as text."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from types import FrameType, MappingProxyType
from typing import IO, Any

import click

from airflow_colgraph.cli.errors import print_error, print_warning
from airflow_colgraph.collector.sinks import sink as sinks
from airflow_colgraph.operators import submit_command
from airflow_colgraph.operators.collector_archive import compiled_archive, launcher
from airflow_colgraph.operators.submit_arguments import NotPossible
from airflow_colgraph.queries import with_tables

OUTPUT = "colgraph-events.jsonl"
NOT_FOUND = 127  # as in a shell
ENDS = {"COMPLETE", "FAIL", "ABORT"}

Event = dict[str, Any]


@click.command(context_settings={"allow_interspersed_args": False})
@click.option(
    "--output",
    metavar="FILE|URI",
    help="Where the OpenLineage events go, one JSON document a line: a file (events are appended),"
    " an http(s) URL that accepts them, or a folder on any file system that Spark can write to."
    f"  [default: {OUTPUT} in the current folder]",
)
@click.option("--namespace", metavar="NS", help="The namespace of the OpenLineage job.")
@click.option("--job-name", metavar="NAME", help="Its name.  [default: the application's name]")
@click.option("--quiet", is_flag=True, help="Print only the job's own output.")
@click.argument("args", metavar="-- SPARK_SUBMIT_ARGS...", nargs=-1, type=click.UNPROCESSED)
def submit(
    output: str | None,
    namespace: str | None,
    job_name: str | None,
    quiet: bool,
    args: tuple[str, ...],
) -> None:
    """Run spark-submit so that the job reports its column lineage.

    The job, its arguments, what it prints and its exit code are those of spark-submit. Afterwards
    the lineage is printed: to the terminal, else to standard error.

    \b
    Example:
      colgraph submit -- --master local[2] job.py 2026-01-31
      colgraph submit --output s3a://lineage/events -- --deploy-mode cluster job.py
    """
    spark_submit = find_spark_submit()
    if spark_submit is None:
        print_error(
            "spark-submit was not found on PATH, in SPARK_HOME/bin or in the pyspark package."
            " Install Spark, set SPARK_HOME, or run `pip install pyspark`."
        )
        sys.exit(NOT_FOUND)
    command = submit_command.parse(args)
    defaults = spark_defaults(command, spark_submit)
    properties = {**defaults, **command.properties()}
    target = output or properties.get(submit_command.SINK) or OUTPUT
    at = submit_command.place(command, defaults, os.environ)
    if is_local(target):
        target = str(sinks.local_path(target).absolute())
        if at.deploy_mode == "cluster" and command.application is not None:
            raise click.UsageError(
                f"In cluster mode the driver cannot write to {target} here. Give an --output that"
                " it can reach, such as hdfs://, s3a:// or https://."
            )
    ours = {submit_command.SINK: target}
    if namespace:
        ours["spark.colgraph.namespace"] = namespace
    if job_name:
        ours["spark.colgraph.jobName"] = job_name
    words = list(args)
    if command.application is not None:
        try:
            words = submit_command.add_collector(
                command,
                defaults,
                at,
                ours=ours,
                archive=str(compiled_archive()),
                launcher=str(launcher()),
            )
        except (NotPossible, OSError) as error:
            print_warning(f"lineage is off for this application: {error}")
            command = command._replace(application=None)
    if command.application is None:
        sys.exit(run([spark_submit, *words]))
    sys.exit(run_and_report([spark_submit, *words], target, quiet=quiet))


def run_and_report(command: Sequence[str], target: str, *, quiet: bool) -> int:
    """Run it, end and print the lineage that it has left in `target`; its exit code."""
    earlier_runs = runs_in(read_events(target)) if is_local(target) else set()
    code = run(command)
    try:
        report(target, earlier_runs, code, quiet=quiet)
    except (OSError, ValueError, LookupError, TypeError) as error:
        print_warning(f"{target} cannot be shown: {error}")
    return code


def find_spark_submit() -> str | None:
    """spark-submit on PATH, in SPARK_HOME, or in the pyspark package."""
    on_path = shutil.which("spark-submit")
    if on_path:
        return on_path
    homes = [os.environ.get("SPARK_HOME")]
    package = importlib.util.find_spec("pyspark")
    if package is not None and package.origin:
        homes.append(str(Path(package.origin).parent))
    for home in filter(None, homes):
        script = Path(home, "bin", "spark-submit")
        if os.access(script, os.X_OK):
            return str(script)
    return None


def run(
    command: Sequence[str],
    without: Sequence[str] = (),
    stdout: int | IO[bytes] | None = None,
    stderr: int | IO[bytes] | None = None,
) -> int:
    """Run it, pass on signals; the exit code as a shell would say it.

    `without` are environment variables that it does not get. The streams are ours by default.
    """
    environment = {name: value for name, value in os.environ.items() if name not in without}
    # Spark's scripts and drivers look for `python3`: let them find the one we run on, if none.
    path = environment.get("PATH", os.defpath)
    environment["PATH"] = f"{path}{os.pathsep}{Path(sys.executable).parent}"
    process = subprocess.Popen(command, env=environment, stdout=stdout, stderr=stderr)

    def pass_on(number: int, frame: FrameType | None) -> None:
        process.send_signal(number)

    before = {number: signal.signal(number, pass_on) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        code = process.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return code if code >= 0 else 128 - code


def is_local(target: str) -> bool:
    """Whether the events are in a file here that can be read back at once."""
    scheme = target.partition(":")[0] if ":" in target.split("/")[0] else ""
    return scheme.lower() in ("", "file")


def ends(events: Sequence[Event], code: int) -> list[Event]:
    """The last events of runs that the driver could not end itself: it was killed, or exited hard.

    spark-submit's exit code tells how they ended.
    """
    open_runs: dict[str, Event] = {}
    for event in events:
        if "run" not in event:  # of a job that was not run
            continue
        run_id = event["run"].get("runId", "")
        if event.get("eventType") in ENDS:
            open_runs.pop(run_id, None)
        else:
            open_runs[run_id] = event
    ending = "FAIL" if code else "COMPLETE"
    return [{**later(event), "eventType": ending} for event in open_runs.values()]


def later(event: Event, facets: Mapping[str, Any] = MappingProxyType({})) -> Event:
    """An event of the same run, now, about no datasets, and with more facets of the run."""
    earlier = dict(event["run"].get("facets", {}))
    earlier.pop("colgraph_diagnostics", None)  # of one query
    return {
        **event,
        "eventTime": datetime.now(timezone.utc).isoformat(),
        "run": {**event["run"], "facets": {**earlier, **facets}},
        "inputs": [],
        "outputs": [],
    }


def spark_defaults(command: submit_command.Command, spark_submit: str) -> dict[str, str]:
    """The properties in the defaults file that the command uses."""
    folder = os.environ.get("SPARK_CONF_DIR") or str(spark_home(spark_submit) / "conf")
    file = command.value("--properties-file") or str(Path(folder, "spark-defaults.conf"))
    try:
        return submit_command.parse_defaults(Path(file).read_text(errors="replace"))
    except OSError:
        return {}  # none there; or not readable, which spark-submit will say


def spark_home(spark_submit: str) -> Path:
    """The Spark that a spark-submit is of: pip puts the script of the package elsewhere."""
    if os.environ.get("SPARK_HOME"):
        return Path(os.environ["SPARK_HOME"])
    beside = Path(spark_submit).resolve().parent.parent
    package = importlib.util.find_spec("pyspark")
    if (beside / "jars").is_dir() or package is None or not package.origin:
        return beside
    return Path(package.origin).parent


def read_events(target: str) -> list[Event]:
    """The events in a local target; none if it cannot be read."""
    path = sinks.local_path(target)
    if path.exists() and not (path.is_file() or path.is_dir()):
        return []  # a pipe or a device, which is only written
    try:
        return sinks.read(target).events
    except OSError:
        return []


def runs_in(events: Sequence[Event]) -> set[str]:
    """The ids of the events' runs; the times of events without one."""
    return {str(event.get("run", {}).get("runId") or event.get("eventTime")) for event in events}


def ended_events(target: str, earlier_runs: set[str], code: int) -> list[Event]:
    """The events of the runs after `earlier_runs`; each open one is ended."""
    events = [event for event in read_events(target) if not runs_in([event]) <= earlier_runs]
    closing = ends(events, code)
    append_events(target, closing)
    return events + closing


def append_events(target: str, events: Sequence[Event]) -> None:
    """Append events to a file; without any, it need not be there."""
    if events:
        file = sinks.open_sink(target)
        for event in events:
            file.write(event)
        file.close()


def report(target: str, earlier_runs: set[str], code: int, *, quiet: bool) -> None:
    """End what the driver left open, and print the lineage of the runs after `earlier_runs`."""
    if is_local(target):
        events = ended_events(target, earlier_runs, code)
    if quiet:
        return
    shown = sys.stdout.isatty()
    if not is_local(target):
        click.echo(f"colgraph: the events' sink is {sinks.without_userinfo(target)}", err=not shown)
        return
    from airflow_colgraph.collector.events.render import render

    text = render(with_tables(events))
    if text:
        click.echo(text, err=not shown)
    click.echo(counted(events, target), err=not shown)


def counted(events: Sequence[Event], target: str) -> str:
    """How many events of a job are in the file, as a line."""
    count = "1 event is in" if len(events) == 1 else f"{len(events)} events are in"
    return f"colgraph: {count if events else 'no events of this job in'} {target}"
