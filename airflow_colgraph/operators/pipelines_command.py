"""Parse a spark-pipelines command line, and assemble it again with the collector. Pure.

In:  run --spec shop.yml --py-files lib.zip
Out: run --spec shop.yml --conf spark.colgraph.sink=... --py-files collector.zip,lib.zip

`spark-pipelines` is spark-submit with an application of its own: options of spark-submit and words
of its own may be mixed, and it hands each on to whom it belongs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from airflow_colgraph.operators.submit_arguments import NotPossible, SubmitArguments, with_collector
from airflow_colgraph.operators.submit_command import (
    ALIASES,
    NO_JOB,
    SWITCHES,
    VALUED,
    Command,
    Place,
)

PIPELINES = "spark-pipelines"
COMMANDS = ("run", "dry-run")  # those that resolve a pipeline
APPLICATION = "cli.py"  # of PySpark: what spark-submit runs


def parse(args: Sequence[str]) -> Command:
    """A command line as spark-pipelines reads it; no application if it resolves no pipeline."""
    options: list[tuple[str, str | None]] = []
    words: list[str] = []
    rest = iter(args)
    for word in rest:
        together = re.fullmatch(r"(--[^=]+)=(.+)", word, re.DOTALL)
        name = ALIASES.get(word, together[1] if together else word)
        if name in VALUED and name != "--name":
            options.append((name, together[2] if together else next(rest, "")))
        elif name in SWITCHES or name in NO_JOB:
            options.append((name, None))
        else:
            words.append(word)
    is_job = words[:1] and words[0] in COMMANDS and not {name for name, _ in options} & NO_JOB
    return Command(tuple(options), words[0] if is_job else None, tuple(words[1:]))


def add_collector(
    command: Command,
    properties: Mapping[str, str],
    at: Place,
    *,
    ours: Mapping[str, str],
    archive: str,
) -> list[str]:
    """The arguments with the collector and `ours`; NotPossible where a driver could not read it.

    `properties` are all of the job's, those of its defaults file among them.
    """
    if command.application is None:
        raise NotPossible("no pipeline is run")
    py_files = py_files_with(archive, command.value("--py-files"), properties, at)
    options = [option for option in command.options if option[0] != "--py-files"]
    options += [("--conf", f"{name}={value}") for name, value in ours.items()]
    options.append(("--py-files", py_files))
    words = [word for option in options for word in option if word is not None]
    return [command.application, *command.application_args, *words]


def py_files_with(
    archive: str, py_files: str | None, properties: Mapping[str, str], at: Place
) -> str:
    """The value of `--py-files` with the collector's zip."""
    if at.master.startswith("sc:"):
        raise NotPossible("the driver of a Spark Connect server runs elsewhere")
    job = SubmitArguments(
        application=APPLICATION,
        application_args=[],
        py_files=py_files,
        jars=None,
        java_class=None,
        name=None,
        properties=dict(properties),
    )
    ours = with_collector(
        job, archive=archive, launcher="", master=at.master, deploy_mode=at.deploy_mode
    )
    return str(ours.py_files)


def accepted(command: Sequence[str]) -> list[str]:
    """A command line of the provider's hook in the form that spark-pipelines accepts.

    The hook gives every job a `--master` and a `--name`. Spark refuses the first beside the
    `--remote` that it adds itself; a local one is the same as a local master. `run` has no
    name.

    >>> accepted(["spark-pipelines", "run", "--master", "local[2]", "--name", "default-name"])
    ['spark-pipelines', 'run', '--remote', 'local[2]']
    """
    words: list[str] = []
    rest = iter(command)
    for word in rest:
        value = next(rest, "") if word in ("--master", "--name") else ""
        if word == "--master":
            words += ["--remote" if value.startswith("local") else word, value]
        elif word != "--name":
            words.append(word)
    return words
