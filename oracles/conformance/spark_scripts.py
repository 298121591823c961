"""The programs of OpenLineage's own Spark integration tests, beside the events that these expect.

Each program that needs no broker and no cloud runs with `colgraph submit`. Each dataset and each
edge of a column in the expected events must be in ours, wherever in the run they are.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from oracles.conformance.table import Row

Json = dict[str, Any]
SUITE = "OpenLineage's Spark integration tests, local programs"
APP = Path("integration/spark/app")
TESTS = APP / "src/test/java/io/openlineage/spark/agent/SparkContainerIntegrationTest.java"
RESOURCES = APP / "src/test/resources"
EXPECTED = APP / "integrations/container"
NAMED = re.compile(r'"(?:[\w/]*/)?(\w+\.py)"|"(\w+\.json)"|void \w+\(')
ABSOLUTE = re.compile(r"(?<!\w)/(tmp|test_data)(?=[/\"'])")
NOT_RUN = {
    "spark_kafka.py": "a broker",
    "spark_kafk_assign_read.py": "a broker",
    "spark_hive_catalog.py": "a metastore",
}
ARGUMENTS = {"spark_word_count.py": ["/test_data/data.txt"]}


def rows(checkout: Path) -> Iterator[Row]:
    """The row of the suite."""
    right, wrong = 0, []
    tests = programs((checkout / TESTS).read_text())
    for program in tests.keys() - NOT_RUN.keys():
        with TemporaryDirectory() as folder:
            root = Path(folder)
            events = run(checkout, program, root)
            expected = [
                json.loads(moved((checkout / EXPECTED / name).read_text(), root))
                for name in tests[program]
            ]
            for statement in sorted({each for event in expected for each in statements(event)}):
                text = f"{program}: {statement}".replace(folder, "")
                if any(fits(statement, other) for event in events for other in statements(event)):
                    right += 1
                else:
                    wrong.append(f"missing {text}")
    unread = [f"{program} needs {need}" for program, need in NOT_RUN.items() if program in tests]
    yield Row(SUITE, right, wrong, unread=unread)


def programs(text: str) -> dict[str, list[str]]:
    """By program the files of the events that a test expects of it."""
    tests: dict[str, list[str]] = {}
    program = ""
    for match in NAMED.finditer(text):
        if match[2] and program:
            tests.setdefault(program, []).append(match[2])
        elif not match[2]:
            program = match[1] or ""
    return tests


def moved(text: str, root: Path) -> str:
    """A program, or expected events, with the absolute folders below another one."""
    return ABSOLUTE.sub(rf"{root}/\1", text)


def run(checkout: Path, program: str, root: Path) -> list[Json]:
    """The events of a program that runs with the collector."""
    shutil.copytree(checkout / RESOURCES / "test_data", root / "test_data")
    (root / "tmp").mkdir()
    script, events = root / program, root / "events.ndjson"
    script.write_text(moved((checkout / RESOURCES / "spark_scripts" / program).read_text(), root))
    metastore = f"jdbc:derby:;databaseName={root}/metastore;create=true"
    conf = {
        "spark.ui.enabled": "false",
        "spark.sql.warehouse.dir": f"{root}/tmp/warehouse",
        "spark.hadoop.javax.jdo.option.ConnectionURL": metastore,
    }
    command = [str(Path(sys.executable).with_name("colgraph")), "submit", "--quiet"]
    command += ["--output", str(events), "--", "--master", "local[2]"]
    command += [part for name, value in conf.items() for part in ("--conf", f"{name}={value}")]
    command += [
        str(script),
        *(moved(f"'{a}'", root).strip("'") for a in ARGUMENTS.get(program, ())),
    ]
    subprocess.run(command, cwd=root, capture_output=True, check=False, timeout=300)
    return [json.loads(line) for line in events.read_text().splitlines()] if events.exists() else []


def statements(event: Json) -> Iterator[tuple[str, ...]]:
    """What an event states: its datasets, their columns, and the edges of their columns."""
    for kind in ("inputs", "outputs"):
        for dataset in event.get(kind) or ():
            place = (dataset["namespace"], dataset["name"])
            yield (kind, *place)
            facets = dataset.get("facets") or {}
            for field in (facets.get("schema") or {}).get("fields") or ():
                yield ("column", *place, field["name"])
            lineage = facets.get("columnLineage") or {}
            for name, entry in (lineage.get("fields") or {}).items():
                for source in (*entry["inputFields"], *(lineage.get("dataset") or ())):
                    origin = (source["namespace"], source["name"], source["field"])
                    yield ("edge", *place, name, "from", *origin)


def fits(expected: tuple[str, ...], stated: tuple[str, ...]) -> bool:
    """Whether a statement is the expected one; `${json-unit..}` stands for any text."""
    return len(expected) == len(stated) and all(
        part == other or "${json-unit" in part for part, other in zip(expected, stated, strict=True)
    )
