"""Jobs and their runs: as one event reports them, and as the store returns them. Pure."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.lineage_body import Field, key

# `run.state`, in the order in which one supersedes another.
STATES = ("OTHER", "START", "RUNNING", "ABORT", "FAIL", "COMPLETE")
TERMINAL = STATES.index("ABORT")
COMPLETE = STATES.index("COMPLETE")


def event_state(text: object) -> int:
    """The state of an event's `eventType`."""
    name = str(text).upper()
    return STATES.index(name) if name in STATES else 0


def rank(ended_at: int | None, state: int) -> tuple[bool, int, int]:
    """The state with the highest rank is the run's: its last end, else the furthest."""
    return ended_at is not None, ended_at or 0, state


class Job(NamedTuple):
    """A job under its OpenLineage name, and the Airflow task that it is."""

    namespace: str
    name: str
    dag_id: str | None = None
    task_id: str | None = None

    @property
    def id(self) -> int:
        """The job's id in every store."""
        return key("job", self.namespace, self.name)


def job_output_id(job: Job | None, output: Field) -> int:
    """The id, in every store, of a job that writes a dataset; no job: a DatasetEvent."""
    return key("job_output", str(job.id if job else None), str(output.id))


class ReportedRun(NamedTuple):
    """One attempt of a job, as a single event reports it; times in milliseconds since 1970."""

    id: bytes
    job: Job
    at: int
    state: int
    parent: bytes | None = None
    attempt: int | None = None
    map_index: int | None = None
    name: str | None = None

    @property
    def ended_at(self) -> int | None:
        """The event's time if it is the run's last one."""
        return self.at if self.state >= TERMINAL else None


class Run(NamedTuple):
    """One attempt of a job, as the store returns it; ids as OpenLineage writes them, ISO 8601."""

    id: str
    started_at: str
    ended_at: str | None
    state: str
    attempt: int | None
    map_index: int | None
    parent: str | None


@lru_cache(8_192)  # by all the values of the row, so it is never out of date; about 8 MB
def stored_run(
    id: bytes,
    started_at: int,
    ended_at: int | None,
    state: int,
    attempt: int | None,
    map_index: int | None,
    parent: bytes | None,
) -> Run:
    """The run in a row of the table."""
    return Run(
        run_id(id),
        clock.iso(started_at),
        None if ended_at is None else clock.iso(ended_at),
        STATES[state],
        attempt,
        map_index,
        None if parent is None else run_id(parent),
    )


class Report(NamedTuple):
    """Which job reported an edge (None: a DatasetEvent), in which latest run, and when."""

    job: Job | None
    run: Run | None
    first_seen: str
    last_seen: str
    closed_at: str | None


def run_id(id: bytes) -> str:
    """The 16 bytes as OpenLineage's runId.

    >>> run_id(bytes(range(16)))
    '00010203-0405-0607-0809-0a0b0c0d0e0f'
    """
    text = bytes(id).hex()  # uuid.UUID takes longer, and answers have hundreds
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def run_text(run: bytes | None) -> str | None:
    """The run's id as OpenLineage writes it; None where no run reported (a DatasetEvent)."""
    return run_id(run) if run else None
