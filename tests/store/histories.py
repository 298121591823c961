"""Generated histories of a pipeline with one fault in it, as OpenLineage events.

Four layers of datasets, written daily; each column comes from columns of the layer below. There is
noise, as anywhere: numbers of rows vary, code versions change without effect, a run fails and is
repeated, a column is added, and columns that do not matter are made otherwise.
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from airflow_colgraph.store.model import clock

DAY = 86_400_000
FIRST = 1_780_000_000_000 // DAY * DAY
LAYERS, WIDTH, COLUMNS = 4, 4, 5
FAULT_DAY, DAYS = 12, 16
COMPLETE, FAIL = "COMPLETE", "FAIL"


class Source(NamedTuple):
    """An input of a column."""

    dataset: str
    column: str
    subtype: str
    description: str = ""
    masking: bool = False


@dataclass
class Job:
    """How a dataset is made; `factor` times the rows of its first input."""

    name: str
    output: str
    inputs: list[str]
    columns: dict[str, list[Source]]
    rows: list[Source]  # what affects all rows
    factor: float = 1.0
    code: str = "v1"
    fails: bool = False
    paused: bool = False
    appends: bool = False
    only_code: list[str] = field(default_factory=list)


@dataclass
class Pipeline:
    """The sources with their columns' types and rows, and the jobs in order."""

    sources: dict[str, dict[str, str]]
    volumes: dict[str, float]
    jobs: dict[str, Job]  # by output

    def made_of(self, start: tuple[str, str]) -> set[tuple[str, str]]:
        """The columns that a column comes from; what affects rows counts."""
        found = {start}
        new = [start]
        while new:
            dataset, column = new.pop()
            job = self.jobs.get(dataset)
            for one in [*job.columns.get(column, ()), *job.rows] if job else ():
                if one[:2] not in found:
                    found.add(one[:2])
                    new.append(one[:2])
        return found


def table(layer: int, number: int) -> str:
    return f"layer{layer}/table{number}"


def pipeline(choose: random.Random) -> Pipeline:
    names = [f"c{number}" for number in range(COLUMNS)]
    sources = {
        table(0, n): {name: choose.choice(("int", "string")) for name in names}
        for n in range(WIDTH)
    }
    volumes = {name: choose.uniform(1e4, 1e5) for name in sources}
    jobs = {}
    for layer in range(1, LAYERS):
        for number in range(WIDTH):
            below = [table(layer - 1, n) for n in choose.sample(range(WIDTH), 2)]
            columns = {
                name: [_source(choose, below, names) for _ in range(choose.choice((1, 1, 2)))]
                for name in names
            }
            rows = [
                Source(choose.choice(below), choose.choice(names), "FILTER", "x > 0"),
                Source(choose.choice(below), choose.choice(names), "JOIN"),
            ]
            output = table(layer, number)
            factor = choose.uniform(0.5, 1.0)
            jobs[output] = Job(f"job_{layer}_{number}", output, below, columns, rows, factor)
    return Pipeline(sources, volumes, jobs)


def _source(choose: random.Random, below: list[str], names: list[str]) -> Source:
    subtype = choose.choice(("IDENTITY", "IDENTITY", "TRANSFORMATION"))
    description = "" if subtype == "IDENTITY" else f"f{choose.randrange(9)}(x)"
    return Source(choose.choice(below), choose.choice(names), subtype, description)


class Truth(NamedTuple):
    """The cause that was put in: the kind of change, and where; any column if it is empty."""

    kind: str
    dataset: str
    column: str = ""


class History(NamedTuple):
    """The events, the column that is asked about, the times, and the true cause."""

    events: list[dict[str, Any]]
    asked: tuple[str, str]
    since: int
    until: int
    truth: Truth


def history(kind: str, seed: int) -> History:
    """A history in which a fault of the kind begins on FAULT_DAY."""
    choose = random.Random(f"{kind} {seed}")
    flow = pipeline(choose)
    asked = table(LAYERS - 1, choose.randrange(WIDTH)), f"c{choose.randrange(COLUMNS)}"
    cone = flow.made_of(asked)
    teller = _Teller(choose)
    truth = None
    days = FAULT_DAY + choose.choice((1, 2, 3, 4))
    for day in range(days):
        if day == FAULT_DAY:
            _distract(choose, flow, cone)
            truth = FAULTS[kind](choose, flow, sorted(cone))
        teller.tell(flow, day, cone)
    assert truth is not None
    since = FIRST + FAULT_DAY * DAY - 1
    return History(teller.events, asked, since, FIRST + days * DAY - DAY // 4, truth)


def _distract(choose: random.Random, flow: Pipeline, cone: set[tuple[str, str]]) -> None:
    """Columns outside the cone are made otherwise, and a source has a new column."""
    for name, job in flow.jobs.items():
        for column, sources in job.columns.items():
            if (name, column) not in cone and choose.random() < 0.3:
                job.columns[column] = [one._replace(description="g(x)") for one in sources]
    flow.sources[choose.choice(sorted(flow.sources))]["added"] = "string"


class _Teller:
    """Makes the events of one day after the other."""

    def __init__(self, choose: random.Random) -> None:
        self.events: list[dict[str, Any]] = []
        self._choose = choose
        self._types: dict[str, dict[str, str]] = {}
        self._volumes: dict[str, float] = {}
        self._number = 0

    def tell(self, flow: Pipeline, day: int, cone: set[tuple[str, str]]) -> None:
        """The runs of a day; what a failing or paused job writes stays as it was."""
        choose = self._choose
        for name, columns in flow.sources.items():
            self._types[name] = dict(columns)
            self._volumes[name] = flow.volumes[name] * choose.uniform(0.93, 1.07)
        self._audit(flow, day)
        recovers = choose.choice(sorted(flow.jobs)) if day == FAULT_DAY else ""
        for number, job in enumerate(flow.jobs.values()):
            at = FIRST + day * DAY + (1 + number) * 1_800_000
            if choose.random() < 0.05:
                job.code = f"v{day}.{choose.randrange(10)}"
            if job.paused:
                continue
            if job.output == recovers or job.fails:
                self.events.append(self._event(job, at, FAIL))
            if not job.fails:
                self._write(job)
                self.events.append(self._event(job, at + 600_000, COMPLETE))

    def _write(self, job: Job) -> None:
        rows = self._volumes[job.inputs[0]] * job.factor
        self._volumes[job.output] = rows
        self._types[job.output] = {
            name: self._types[one.dataset].get(one.column, "string")
            if (one := sources[0]).subtype == "IDENTITY"
            else "double"
            for name, sources in job.columns.items()
        }

    def _dataset(self, name: str) -> dict[str, Any]:
        columns = [{"name": column, "type": kind} for column, kind in self._types[name].items()]
        return {"namespace": "n", "name": name, "facets": {"schema": {"fields": columns}}}

    def _event(self, job: Job, at: int, state: str) -> dict[str, Any]:
        self._number += 1
        event: dict[str, Any] = {
            "eventType": state,
            "eventTime": clock.iso(at),
            "producer": "https://example.org/histories",
            "run": {
                "runId": str(uuid.UUID(int=(at << 80) | (7 << 76) | (2 << 62) | self._number)),
                "facets": {},
            },
            "job": {
                "namespace": "jobs",
                "name": job.name,
                "facets": {"sourceCodeLocation": {"version": job.code}},
            },
            "inputs": [],
            "outputs": [],
        }
        if state == COMPLETE:
            for name in job.inputs:
                count = round(self._volumes[name])
                statistics = {"inputFacets": {"inputStatistics": {"rowCount": count}}}
                event["inputs"].append({**self._dataset(name), **statistics})
            output = self._dataset(job.output)
            output["facets"]["columnLineage"] = {
                "fields": {
                    name: {"inputFields": [_input("DIRECT", one) for one in sources]}
                    for name, sources in job.columns.items()
                },
                "dataset": [_input("INDIRECT", one) for one in job.rows],
            }
            if job.appends:
                output["facets"]["lifecycleStateChange"] = {"lifecycleStateChange": "APPEND"}
            count = round(self._volumes[job.output])
            output["outputFacets"] = {"outputStatistics": {"rowCount": count}}
            event["outputs"].append(output)
        return event

    def _audit(self, flow: Pipeline, day: int) -> None:
        """A job that reads the schemas of all sources."""
        for number, name in enumerate(flow.sources):
            audit = Job(f"audit_{number}", f"audit/{number}", [name], {}, [])
            self._volumes[audit.output] = 1
            self._types[audit.output] = {}
            at = FIRST + day * DAY + number * 1000
            self.events.append(self._event(audit, at, COMPLETE))


def _input(kind: str, one: Source) -> dict[str, Any]:
    how = {
        "type": kind,
        "subtype": one.subtype,
        "description": one.description,
        "masking": one.masking,
    }
    return {
        "namespace": "n",
        "name": one.dataset,
        "field": one.column,
        "transformations": [how],
    }


Cone = list[tuple[str, str]]
Fault = Callable[[random.Random, Pipeline, Cone], Truth]


def _made(choose: random.Random, flow: Pipeline, cone: Cone) -> tuple[Job, str]:
    """A column of the cone that a job makes."""
    dataset, column = choose.choice([one for one in cone if one[0] in flow.jobs])
    return flow.jobs[dataset], column


def _read(choose: random.Random, flow: Pipeline, cone: Cone) -> tuple[str, str]:
    """A column of the cone in a source."""
    return choose.choice([one for one in cone if one[0] in flow.sources])


def _another_expression(choose: random.Random, flow: Pipeline, cone: Cone) -> Truth:
    job, column = _made(choose, flow, cone)
    job.columns[column] = [one._replace(description="h(x)") for one in job.columns[column]]
    return Truth("expression-changed", job.output, column)


def _another_column(choose: random.Random, flow: Pipeline, cone: Cone) -> Truth:
    job, column = _made(choose, flow, cone)
    first, *rest = job.columns[column]
    others = {f"c{n}" for n in range(COLUMNS)} - {one.column for one in job.columns[column]}
    job.columns[column] = [first._replace(column=choose.choice(sorted(others))), *rest]
    return Truth("sources-changed", job.output, column)


def _another_source(choose: random.Random, flow: Pipeline, cone: Cone) -> Truth:
    job, column = _made(choose, flow, cone)
    old = job.columns[column][0].dataset
    layer = old.split("/")[0]
    new = choose.choice(
        [f"{layer}/table{n}" for n in range(WIDTH) if f"{layer}/table{n}" not in job.inputs]
    )
    job.inputs = [new if one == old else one for one in job.inputs]
    job.columns = {
        name: [one._replace(dataset=new) if one.dataset == old else one for one in sources]
        for name, sources in job.columns.items()
    }
    job.rows = [one._replace(dataset=new) if one.dataset == old else one for one in job.rows]
    return Truth("sources-changed", job.output)


def _masked(choose: random.Random, flow: Pipeline, cone: Cone) -> Truth:
    job, column = _made(choose, flow, cone)
    job.columns[column] = [one._replace(masking=True) for one in job.columns[column]]
    return Truth("masking-added", job.output, column)


def _computed(choose: random.Random, flow: Pipeline, cone: Cone) -> Truth:
    job, column = _made(choose, flow, cone)
    sources = job.columns[column]
    new = "TRANSFORMATION" if sources[0].subtype == "IDENTITY" else "AGGREGATION"
    job.columns[column] = [one._replace(subtype=new, description="k(x)") for one in sources]
    return Truth("transformation-changed", job.output, column)


def _filtered(choose: random.Random, flow: Pipeline, cone: Cone) -> Truth:
    job, _ = _made(choose, flow, cone)
    job.rows = [*job.rows, Source(job.inputs[0], f"c{choose.randrange(COLUMNS)}", "FILTER", "y")]
    job.factor *= choose.uniform(0.2, 0.6)
    return Truth("filter-changed", job.output)


def _joined(choose: random.Random, flow: Pipeline, cone: Cone) -> Truth:
    job, _ = _made(choose, flow, cone)
    job.rows = [one for one in job.rows if one.subtype != "JOIN"]
    job.factor *= choose.uniform(1.8, 4)
    return Truth("join-changed", job.output)


def _typed(choose: random.Random, flow: Pipeline, cone: Cone) -> Truth:
    dataset, column = _read(choose, flow, cone)
    flow.sources[dataset][column] = "decimal(10,2)"
    return Truth("type-changed", dataset, column)


def _renamed(choose: random.Random, flow: Pipeline, cone: Cone) -> Truth:
    dataset, column = _read(choose, flow, cone)
    columns = flow.sources[dataset]
    columns["renamed"] = columns.pop(column)

    def now(one: Source) -> Source:
        return one._replace(column="renamed") if one[:2] == (dataset, column) else one

    for job in flow.jobs.values():
        job.columns = {name: list(map(now, some)) for name, some in job.columns.items()}
        job.rows = list(map(now, job.rows))
    return Truth("column-removed", dataset, column)


def _dropped(choose: random.Random, flow: Pipeline, cone: Cone) -> Truth:
    dataset, column = _read(choose, flow, cone)
    del flow.sources[dataset][column]
    for job in flow.jobs.values():
        used = [one[:2] for some in (*job.columns.values(), job.rows) for one in some]
        job.fails = (dataset, column) in used
    return Truth("column-removed", dataset, column)


def _fewer_rows(choose: random.Random, flow: Pipeline, cone: Cone) -> Truth:
    dataset, _ = _read(choose, flow, cone)
    flow.volumes[dataset] *= choose.uniform(0, 0.5)
    return Truth("volume-changed", dataset)


def _twice_the_rows(choose: random.Random, flow: Pipeline, cone: Cone) -> Truth:
    dataset, _ = _read(choose, flow, cone)
    flow.volumes[dataset] *= 2
    return Truth("volume-changed", dataset)


def _failing(choose: random.Random, flow: Pipeline, cone: Cone) -> Truth:
    job, _ = _made(choose, flow, cone)
    job.fails = True
    return Truth("run-failed", job.output)


def _paused(choose: random.Random, flow: Pipeline, cone: Cone) -> Truth:
    job, _ = _made(choose, flow, cone)
    job.paused = True
    return Truth("run-missing", job.output)


def _a_bug(choose: random.Random, flow: Pipeline, cone: Cone) -> Truth:
    """Another version loses rows; its lineage is the same."""
    job, _ = _made(choose, flow, cone)
    job.code = "v99"
    job.factor *= choose.uniform(0.2, 0.6)
    return Truth("code-changed", job.output)


def _a_silent_bug(choose: random.Random, flow: Pipeline, cone: Cone) -> Truth:
    """Another version of the code, and nothing else to be seen."""
    job, _ = _made(choose, flow, cone)
    job.code = "v99"
    return Truth("code-changed", job.output)


def _second_writer(choose: random.Random, flow: Pipeline, cone: Cone) -> Truth:
    job, _ = _made(choose, flow, cone)
    other = replace(job, name="backfill", appends=True, columns=dict(job.columns))
    flow.jobs[f"{job.output} again"] = other
    return Truth("writer-added", job.output)


FAULTS: dict[str, Fault] = {
    "another expression": _another_expression,
    "another column": _another_column,
    "another source": _another_source,
    "masked": _masked,
    "computed": _computed,
    "filtered": _filtered,
    "joined": _joined,
    "typed": _typed,
    "renamed": _renamed,
    "dropped": _dropped,
    "fewer rows": _fewer_rows,
    "twice the rows": _twice_the_rows,
    "failing": _failing,
    "paused": _paused,
    "a bug": _a_bug,
    "a silent bug": _a_silent_bug,
    "a second writer": _second_writer,
}
