"""Writes the OpenLineage events of a whole company: daily jobs, with what makes lineage hard.

python -m bench.company --columns 1000000 --edges 10000000 --days 30 --jobs 100000 --to FOLDER

The shape, from the same layers and names as `bench.synthetic`:

* Ten layers of datasets. Those of the first are sources; each other one is written by one job,
  daily, from 2 to 4 datasets, nine times of ten of the layer below, else of any below.
* Hubs: one dataset of a hundred; every third input is one of them.
* A dataset has half, one or one and a half times the mean number of columns, a column from 1 to
  twice the mean number of inputs, and three columns affect all rows.
* Of the runs 97 % report what the run before did. Of a hundred runs two fail first and run again.
* From the middle day on, one dataset of a hundred has another name, with a symlink to the old one.
* Jobs are the tasks of DAGs of twenty.

Columns and edges are those in force on one day; the same seed gives the same events.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from airflow_colgraph.store.model.clock import iso
from bench.synthetic import (
    DAY,
    FIRST,
    LAYERS,
    NAMESPACE,
    SUBTYPES,
    input_field,
    lineage,
    name,
    run_id,
    schema,
)

CHANGED, FAILED, RENAMED, HUBS = 0.03, 0.02, 0.01, 0.01
TASKS = 20  # of a DAG
PRODUCER = "https://example.org/company"


class Shape(NamedTuple):
    """So many columns, edges in force, days and jobs."""

    columns: int
    edges: int
    days: int
    jobs: int

    @property
    def width(self) -> int:
        """The datasets of a layer."""
        return max(-(-self.jobs // (LAYERS - 1)), 1)

    @property
    def datasets(self) -> int:
        """All datasets, with the sources."""
        return self.width + self.jobs


class Company:
    """Its datasets and the lineage that each job reports now."""

    def __init__(self, shape: Shape, seed: int = 1) -> None:
        """The same seed gives the same company."""
        self.shape = shape
        self._choose = random.Random(seed)
        mean = shape.columns / shape.datasets
        self.columns = [
            max(round(mean * self._choose.choice((0.5, 1, 1.5))), 1) for _ in range(shape.datasets)
        ]
        width = shape.width
        hubs = max(round(width * HUBS), 1)
        self._hubs = [
            at for layer in range(LAYERS) for at in range(layer * width, layer * width + hubs)
        ]
        self._facets: dict[int, tuple[list[int], Any]] = {}
        self._runs = 0

    def days(self) -> Iterator[list[bytes]]:
        """The lines of each day's events."""
        for day in range(self.shape.days):
            yield [line for job in self.jobs() for line in self._lines(day, job)]

    def jobs(self) -> range:
        """The numbers of the datasets that jobs write."""
        return range(self.shape.width, self.shape.datasets)

    def name(self, dataset: int) -> str:
        """The name of a dataset."""
        return name(dataset, self.shape.width)

    def _lines(self, day: int, job: int) -> Iterator[bytes]:
        at = FIRST + day * DAY + job * 500 % (DAY // 2)
        choose = self._choose
        if job not in self._facets or choose.random() < CHANGED:
            inputs = self._inputs(job)
            self._facets[job] = inputs, orjson.Fragment(orjson.dumps(self._lineage(job, inputs)))
        attempt = 1
        if choose.random() < FAILED:
            yield self._line(job, at, "FAIL", attempt, [])
            at, attempt = at + 60_000, 2
        yield self._line(job, at, "COMPLETE", attempt, [self._output(day, job)])

    def _inputs(self, job: int) -> list[int]:
        choose, width = self._choose, self.shape.width
        layer = job // width
        found = set()
        for _ in range(choose.randint(2, 4)):
            lowest = 0 if choose.random() < 0.1 else layer - 1
            hubs = [hub for hub in self._hubs if lowest * width <= hub < layer * width]
            from_hubs = choose.random() < 1 / 3
            found.add(
                choose.choice(hubs)
                if from_hubs
                else choose.randrange(lowest * width, layer * width)
            )
        return sorted(found)

    def _lineage(self, job: int, inputs: list[int]) -> dict[str, Any]:
        choose = self._choose
        most = max(round(2 * self.shape.edges / self.shape.columns) - 1, 1)

        def field(kind: str, subtype: str) -> dict[str, Any]:
            source = choose.choice(inputs)
            number = choose.randrange(self.columns[source])
            return input_field(self.name(source), number, kind, subtype)

        columns = (
            [field("DIRECT", choose.choice(SUBTYPES)) for _ in range(choose.randint(1, most))]
            for _ in range(self.columns[job])
        )
        rows = (field("INDIRECT", one) for one in ("FILTER", "JOIN", "GROUP_BY"))
        return lineage(PRODUCER, columns, rows)

    def _output(self, day: int, job: int) -> dict[str, Any]:
        facets = {"schema": schema(self.columns[job]), "columnLineage": self._facets[job][1]}
        written = self.name(job)
        if job % round(1 / RENAMED) == 0 and day >= self.shape.days // 2:
            identifier = {"namespace": NAMESPACE, "name": written, "type": "TABLE"}
            facets["symlinks"] = {"identifiers": [identifier]}
            written += "_renamed"
        return {"namespace": NAMESPACE, "name": written, "facets": facets}

    def _line(self, job: int, at: int, state: str, attempt: int, outputs: list[Any]) -> bytes:
        self._runs += 1
        inputs = [{"namespace": NAMESPACE, "name": self.name(one)} for one in self._facets[job][0]]
        airflow = {
            "dag": {"dag_id": f"dag_{job // TASKS:05}"},
            "task": {"task_id": f"task_{job:06}"},
            "taskInstance": {"try_number": attempt},
        }
        event = {
            "eventType": state,
            "eventTime": iso(at),
            "producer": PRODUCER,
            "run": {"runId": run_id(at, self._runs), "facets": {"airflow": airflow}},
            "job": {"namespace": "company", "name": f"job_{job:06}"},
            "inputs": inputs,
            "outputs": outputs,
        }
        return orjson.dumps(event, option=orjson.OPT_APPEND_NEWLINE)


def write(shape: Shape, folder: Path, seed: int = 1) -> int:
    """A file of events for each day; how many events they have."""
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    for day, lines in enumerate(Company(shape, seed).days()):
        with open(folder / f"day-{day:03}.jsonl", "wb") as file:
            file.writelines(lines)
        count += len(lines)
    return count


def main() -> None:
    """Write the files."""
    parser = argparse.ArgumentParser(prog="python -m bench.company", description=__doc__)
    for option, most in (
        ("columns", 1_000_000),
        ("edges", 10_000_000),
        ("days", 30),
        ("jobs", 100_000),
    ):
        parser.add_argument(f"--{option}", type=int, default=most)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--to", type=Path, required=True, metavar="FOLDER")
    options = parser.parse_args()
    shape = Shape(options.columns, options.edges, options.days, options.jobs)
    print(f"{write(shape, options.to, options.seed)} events")


if __name__ == "__main__":
    main()
