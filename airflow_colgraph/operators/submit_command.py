"""Parse a spark-submit command line, and assemble it again with the collector. Pure.

In:  --master local[2] --py-files lib.zip job.py 2026-01-31
Out: --master local[2] --conf spark.colgraph.sink=... --py-files collector.zip,lib.zip job.py ...
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from airflow_colgraph.operators.submit_arguments import NotPossible, SubmitArguments, with_collector

# spark-submit's options that take a value; its others are switches.
VALUED = {
    "--archives",
    "--class",
    "--conf",
    "--deploy-mode",
    "--driver-class-path",
    "--driver-cores",
    "--driver-java-options",
    "--driver-library-path",
    "--driver-memory",
    "--exclude-packages",
    "--executor-cores",
    "--executor-memory",
    "--files",
    "--jars",
    "--keytab",
    "--kill",
    "--master",
    "--name",
    "--num-executors",
    "--packages",
    "--principal",
    "--properties-file",
    "--proxy-user",
    "--py-files",
    "--queue",
    "--remote",
    "--repositories",
    "--status",
    "--total-executor-cores",
}
SWITCHES = {"--load-spark-defaults", "--supervise", "--verbose", "-v"}
NO_JOB = {"--help", "-h", "--version", "--usage-error", "--kill", "--status"}
ALIASES = {"-c": "--conf"}

SINK = "spark.colgraph.sink"
APP_NAME = "spark.app.name"
JARS = "spark.jars"


class Command(NamedTuple):
    """spark-submit's options in order, and what they are for."""

    options: tuple[tuple[str, str | None], ...]
    application: str | None
    application_args: tuple[str, ...]

    def value(self, name: str) -> str | None:
        """The value of an option; of several, the last counts."""
        return dict(self.options).get(name)

    def properties(self) -> dict[str, str]:
        """What the `--conf` options set."""
        pairs = [value or "" for name, value in self.options if name == "--conf"]
        return {name.strip(): value for name, _, value in (p.partition("=") for p in pairs)}


def parse(args: Sequence[str]) -> Command:
    """A command line as spark-submit reads it; no application if there is none to follow."""
    options: list[tuple[str, str | None]] = []
    position = 0
    while position < len(args):
        name, value = args[position], None
        together = re.fullmatch(r"(--[^=]+)=(.+)", name, re.DOTALL)
        if together:
            name, value = together.groups()
        name = ALIASES.get(name, name)
        if name in VALUED:
            if value is None:
                position += 1
                if position == len(args):
                    return Command(tuple(options), None, ())
                value = args[position]
            options.append((name, value))
        elif name in SWITCHES:
            options.append((name, None))
        elif name.startswith("-"):
            return Command(tuple(options), None, ())  # help, or spark-submit's error to report
        else:
            break
        position += 1
    named = {name for name, _ in options}
    if position == len(args) or named & NO_JOB:
        return Command(tuple(options), None, ())
    return Command(tuple(options), args[position], tuple(args[position + 1 :]))


def parse_defaults(text: str) -> dict[str, str]:
    """The properties in a `spark-defaults.conf`."""
    properties = {}
    for line in text.splitlines():
        line = line.strip()
        if line and line[0] not in "#!":
            name, *value = re.split(r"\s*[=:\s]\s*", line, maxsplit=1)
            properties[name] = "".join(value)
    return properties


class Place(NamedTuple):
    """Where a job's driver runs."""

    master: str
    deploy_mode: str


def place(command: Command, defaults: Mapping[str, str], environment: Mapping[str, str]) -> Place:
    """Where the driver will run, by the order in which spark-submit looks."""
    properties = {**defaults, **command.properties()}
    master = (
        command.value("--master") or properties.get("spark.master") or environment.get("MASTER")
    )
    mode = (
        command.value("--deploy-mode")
        or properties.get("spark.submit.deployMode")
        or environment.get("DEPLOY_MODE")
    )
    return Place(master or "local[*]", mode or "client")


def add_collector(
    command: Command,
    defaults: Mapping[str, str],
    at: Place,
    *,
    ours: Mapping[str, str],
    archive: str,
    launcher: str,
) -> list[str]:
    """The command line with the collector and `ours`, the properties that configure it."""
    if command.application is None:
        raise NotPossible("there is no application")
    properties = {**defaults, **command.properties()}
    job = SubmitArguments(
        application=command.application,
        application_args=list(command.application_args),
        py_files=command.value("--py-files"),
        jars=command.value("--jars") or properties.get(JARS),
        java_class=command.value("--class"),
        name=command.value("--name") or properties.get(APP_NAME),
        properties=dict(properties),
    )
    adding = with_collector(
        job, archive=archive, launcher=launcher, master=at.master, deploy_mode=at.deploy_mode
    )
    return assemble(command, adding, ours)


def assemble(command: Command, job: SubmitArguments, ours: Mapping[str, str]) -> list[str]:
    """The command line for `job`, which is the command's with the collector."""
    changed = {"--py-files": job.py_files}
    if job.application != command.application:
        changed |= {"--jars": job.jars, "--name": job.name, "--class": None}
    options = [option for option in command.options if option[0] not in changed]
    options += [("--conf", f"{name}={value}") for name, value in ours.items()]
    options += [(name, value) for name, value in changed.items() if value]
    words = [word for option in options for word in option if word is not None]
    return [*words, str(job.application), *map(str, job.application_args)]
