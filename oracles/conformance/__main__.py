"""Other projects' suites on this one: make conformance, or

    python -m oracles.conformance --openlineage DIR --compatibility DIR --marquez DIR --kyuubi DIR
        --datahub DIR --hive DIR

Each DIR is a checkout (OpenLineage/OpenLineage, OpenLineage/compatibility-tests,
MarquezProject/marquez, apache/kyuubi, datahub-project/datahub, apache/hive or a fork of it);
nothing of it is kept, and a suite without one is left out. The table is printed, and with --record
kept for docs/coverage.md. The exit code is 1 if an answer is wrong, and 2 if no checkout is named.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from oracles.conformance import datahub, hive, kyuubi, marquez, openlineage, spark_scripts
from oracles.conformance.table import Row, as_results, keep, lines, recorded
from tests.collector.recorded_events import events_of_all_cases

RAW = argparse.RawDescriptionHelpFormatter
Checkouts = dict[str, Path]


# By the checkouts that a suite needs; its version is that of the first.
SUITES: dict[tuple[str, ...], Callable[..., Iterable[Row]]] = {
    ("compatibility", "openlineage"): lambda tests, spec: [
        openlineage.validated(tests, spec, events_of_all_cases())
    ],
    ("compatibility",): openlineage.accepted,
    ("openlineage",): lambda spec: [openlineage.examples(spec), *spark_scripts.rows(spec)],
    ("marquez", "compatibility"): lambda document, tests: marquez.rows(
        document, openlineage.events_of(tests)
    ),
    ("kyuubi",): kyuubi.rows,
    ("datahub", "compatibility"): datahub.rows,
    ("hive",): hive.rows,
}


def main(arguments: list[str] | None = None) -> int:
    """Run each suite that has its checkouts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=RAW)
    for name in sorted({name for names in SUITES for name in names}):
        parser.add_argument(f"--{name}", type=folder, metavar="DIR")
    parser.add_argument("--record", action="store_true", help="keep the counts")
    options = vars(parser.parse_args(arguments))
    record = options.pop("record")
    judged = list(run({name: path for name, path in options.items() if path}))
    if not judged:
        parser.error("no suite has its checkouts: name at least one")
    wrong = [f"{row.suite}: {text}" for rows, _ in judged for row in rows for text in row.wrong]
    results = {}
    for rows, version in judged:
        results.update(as_results(rows, version))
    print("\n".join([*lines(results), *wrong]))
    if record:
        keep({**recorded(), **results})
    return 1 if wrong else 0


def run(checkouts: Checkouts) -> Iterator[tuple[list[Row], str]]:
    """The rows of each suite, and the version of its checkout."""
    for names, suite in SUITES.items():
        if all(name in checkouts for name in names):
            print(f"== {', '.join(names)}", file=sys.stderr, flush=True)
            commit = version(checkouts[names[0]])  # before the suite runs for minutes
            yield list(suite(*(checkouts[name] for name in names))), commit


def version(checkout: Path) -> str:
    """The short id of a checkout's commit."""
    command = ["git", "-C", str(checkout), "rev-parse", "--short=10", "HEAD"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def folder(text: str) -> Path:
    """A folder that is there."""
    if not Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"{text} is no folder. Expected a checkout.")
    return Path(text)


if __name__ == "__main__":
    sys.exit(main())
