"""Which tasks have to run again because a column has changed, and in which order. Pure.

By what really ran: a run is affected if its own lineage leads from a changed column, or if it read
an affected dataset by unknown columns. Tasks without lineage that come after an affected one in its
DAG run are included, as nobody knows what they do.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

from airflow_colgraph.store.model.field_path import Copied, is_part, wholes
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.model.walk import walk

BY_LINEAGE, UNKNOWN_COLUMNS, NO_LINEAGE = "lineage", "columns unknown", "no lineage"


class Task(NamedTuple):
    """A task in a DAG run; a job that is no Airflow task has an empty DAG and its own name.

    All are empty for what no job has reported.
    """

    dag_id: str
    run_id: str
    task_id: str

    @property
    def of_any_run(self) -> Task:
        """The task in all runs of its DAG."""
        return self._replace(run_id="")


@dataclass(frozen=True)
class TaskWrite:
    """What a run of a task wrote: the inputs of each field, of all rows, and the unknown ones.

    `copies` are the pairs of a field's name and an input that it is a copy of; without names: of a
    dataset with all its fields. `replaces`: no row is left of those that earlier runs of the task
    wrote; `replaces_all`: nor of any others. From `started` on the run may have read.
    """

    task: Task
    at: int
    output: Field
    fields: Mapping[str, frozenset[Field]]
    rows: frozenset[Field] = frozenset()
    unknown: frozenset[Field] = frozenset()  # datasets
    copies: frozenset[tuple[str, Field]] = frozenset()
    replaces: bool = False
    replaces_all: bool = False
    run: bytes = b""
    started: int | None = None  # None: `at`

    @property
    def inputs(self) -> set[Field]:
        """The datasets that it read."""
        copied = {source for _, source in self.copies}
        every = (*self.fields.values(), self.rows, self.unknown, copied)
        return {field.dataset for inputs in every for field in inputs}

    @cached_property
    def nested(self) -> list[str]:
        """The fields that may be parts of others."""
        return [name for name in self.fields if "." in name]


@dataclass(frozen=True)
class DagRun:
    """All tasks of a DAG run with the times of their runs, and those that reported what they wrote.

    `after`: a task -> those right behind it. None: unknown, so that the times stand for it.
    """

    started: Mapping[str, int]
    reported: frozenset[str] = frozenset()
    after: Mapping[str, frozenset[str]] | None = None

    def behind(self, tasks: Iterable[str]) -> set[str]:
        """The tasks that come after some."""
        tasks = set(tasks)
        if self.after is None:
            first = min(self.started[task] for task in tasks)
            return {task for task, at in self.started.items() if at > first} - tasks
        after = self.after
        levels = walk(
            tasks, lambda new: [later for task in new for later in after.get(task, ())], set
        )
        return {later for _, followers in levels for later in followers}


class Step(NamedTuple):
    """Tasks of one DAG run that are cleared together; the next step waits for them."""

    dag_id: str
    run_id: str
    tasks: tuple[tuple[str, str], ...]  # name and reason


@dataclass(frozen=True)
class Plan:
    """The steps in order; what is no Airflow task has to be run by other means."""

    steps: tuple[Step, ...] = ()
    others: tuple[str, ...] = ()
    downstream: int = 0  # tasks that clearing the first affected ones with their downstream takes
    unordered: tuple[str, ...] = ()  # DAGs whose order of tasks is not known
    left_out: int | None = None  # affected DAG runs of other data intervals; None: no interval
    without_interval: int = 0  # DAG runs in it whose data interval is not known

    @property
    def count(self) -> int:
        """How many task instances are cleared."""
        return sum(len(step.tasks) for step in self.steps)


class _Affected:
    """Columns, and datasets with all their columns."""

    def __init__(self, columns: Iterable[Field]) -> None:
        """Those that have changed."""
        self.columns: set[Field] = set()
        self.wholes: set[Field] = set()
        self._changed = frozenset(columns)
        self._parts: dict[Field, set[Field]] = {}  # the affected ones, by struct
        self._copied = Copied()
        # By dataset, for its columns and for all of it: the tasks and runs that wrote such rows
        self._makers: dict[Field, dict[Field, set[tuple[Task, bytes]]]] = {}
        for column in self._changed:
            self._add(column)

    def end_rows(self, write: TaskWrite, still: Collection[Field]) -> None:
        """End what a run has replaced, but for the columns that `still` are affected.

        Where each task that had written affected rows has replaced them, none of them is left.
        """
        task, run = write.task.of_any_run, write.run
        places = self._makers.get(write.output, {})
        for place in [place for place in places if place not in still]:
            makers = {each for each in places[place] if each[0] != task or each[1] == run}
            if makers and not write.replaces_all:
                places[place] = makers
            else:
                del places[place]
                self._end(place)

    def _end(self, place: Field) -> None:
        self.wholes.discard(place)
        if place in self.columns and place not in self._changed:
            self.columns.remove(place)
            for whole in wholes(place):
                self._parts[whole].remove(place)
                if not self._parts[whole]:
                    del self._parts[whole]

    def _add(self, column: Field) -> None:
        self.columns.add(column)
        for whole in wholes(column):
            self._parts.setdefault(whole, set()).add(column)

    def _is_wholly(self, field: Field) -> bool:
        """Whether a column, the struct that it is in or all of its dataset is affected."""
        around = {field, *wholes(field)}
        return not around.isdisjoint(self.columns) or field.dataset in self.wholes

    def has(self, field: Field) -> bool:
        """Whether a column, the struct that it is in or a part of it is affected.

        For a dataset: whether any of its columns is.
        """
        if self._is_wholly(field):
            return True
        if not field.field:
            return any(other.dataset == field for other in self.columns)
        return field in self._parts

    def add(self, write: TaskWrite) -> tuple[str, set[Field]]:
        """Add what the write makes of affected columns; why (or an empty text), and which."""
        reason, places = self._made_of(write)
        makers = self._makers.setdefault(write.output, {})
        for place in places:
            makers.setdefault(place, set()).add((write.task.of_any_run, write.run))
            if place.field:
                self._add(place)
            else:
                self.wholes.add(place)
        return reason, places

    def _made_of(self, write: TaskWrite) -> tuple[str, set[Field]]:
        """Why a write makes columns, or the whole dataset, of affected ones; and which."""
        if any(map(self.has, write.unknown)):
            return UNKNOWN_COLUMNS, {write.output}
        if any(map(self.has, write.rows)):
            return BY_LINEAGE, {write.output}
        columns = {
            column
            for name, inputs in write.fields.items()
            for source in filter(self.has, inputs)
            for column in self._made(write, name, source)
        }
        for name, source in write.copies:
            if not name and self.has(source):
                columns |= self._renamed(source, write.output)
        return BY_LINEAGE if columns else "", columns

    def _renamed(self, before: Field, after: Field) -> set[Field]:
        """What is affected of a dataset, under its new name."""
        columns = {after._replace(field=c.field) for c in self.columns if c.dataset == before}
        return columns | ({after} if before in self.wholes else set())

    def _made(self, write: TaskWrite, name: str, source: Field) -> set[Field]:
        """What of a field is affected as its source is: of a copy only the same parts.

        A struct that also names the source for one of its parts only sums up what its parts say.
        """
        column = write.output._replace(field=name)
        if any(source in write.fields[part] for part in write.nested if is_part(part, name)):
            return set()
        if (name, source) in write.copies and not self._is_wholly(source):
            return {self._copied.place(part, source, column) for part in self._parts[source]}
        return {column}


def plan(
    changed: Iterable[Field],
    writes: Sequence[TaskWrite],
    dag_runs: Mapping[tuple[str, str], DagRun],
    *,
    in_time: bool,
) -> Plan:
    """Return the tasks to run again, in order.

    Args:
        changed: The columns that have changed.
        writes: What the runs in question wrote.
        dag_runs: Every task of each DAG run, by DAG and run.
        in_time: Whether only runs after an affected one can be affected by it, until what it wrote
            is replaced, column by column. Without it the writes are those in force, of whichever
            time.

    Returns:
        The plan. A task of several writes is in it once.
    """
    reasons = affected(changed, writes, in_time=in_time)
    others = tuple(sorted({task.task_id for task in reasons if not task.dag_id} - {""}))
    tasks_again = {task: reason for task, reason in reasons.items() if task.dag_id}
    by_run: dict[tuple[str, str], set[str]] = {}
    for task in tasks_again:
        by_run.setdefault(task[:2], set()).add(task.task_id)
    downstream = 0
    for key, tasks in by_run.items():
        behind = dag_runs[key].behind(tasks)
        downstream += len(behind | tasks)
        silent = [Task(*key, task_id) for task_id in behind - tasks - dag_runs[key].reported]
        tasks_again.update(dict.fromkeys(silent, NO_LINEAGE))
    needs = _dependencies(tasks_again, writes, dag_runs, in_time)
    order = _ordered(tasks_again, needs, writes, dag_runs)
    steps: list[Step] = []
    for task in order:
        named = (task.task_id, tasks_again[task])
        if steps and steps[-1][:2] == task[:2]:
            steps[-1] = steps[-1]._replace(tasks=(*steps[-1].tasks, named))
        else:
            steps.append(Step(*task[:2], (named,)))
    unordered = {key[0] for key in by_run if dag_runs[key].after is None}
    return Plan(tuple(steps), others, downstream, tuple(sorted(unordered)))


def affected(
    changed: Iterable[Field], writes: Sequence[TaskWrite], *, in_time: bool
) -> dict[Task, str]:
    """The affected tasks, each with the reason."""
    reached = _Affected(changed)
    reasons: dict[Task, str] = {}
    running = _running(writes) if in_time else {}
    ordered = sorted(writes, key=lambda write: write.at)
    together = groupby(ordered, key=lambda write: write.at if in_time else 0)
    for same_time in (list(group) for _, group in together):
        places: set[Field] = set()
        size = -1
        while size < len(places):  # nothing orders the writes of one time
            size = len(places)
            for write in same_time:
                reason, affected_by_it = reached.add(write)
                places |= affected_by_it
                if reason and reasons.get(write.task) != BY_LINEAGE:
                    reasons[write.task] = reason
        for write in same_time:
            if in_time and write.replaces and not _is_read(write, running):
                reached.end_rows(write, places)
    return reasons


def _running(writes: Iterable[TaskWrite]) -> dict[Field, list[TaskWrite]]:
    """For each dataset those that read it at some time between the start of their run and `at`."""
    readers: dict[Field, list[TaskWrite]] = {}
    for write in writes:
        if write.started is not None and write.started < write.at:
            for dataset in write.inputs:
                readers.setdefault(dataset, []).append(write)
    return readers


def _is_read(write: TaskWrite, running: Mapping[Field, Sequence[TaskWrite]]) -> bool:
    """Whether another run may have read what a write replaces, and reports it afterwards."""
    return any(
        (other.started or 0) <= write.at < other.at and other.run != write.run
        for other in running.get(write.output, ())
    )


Needs = dict[Task, set[Task]]


def _dependencies(
    affected: Iterable[Task],
    writes: Sequence[TaskWrite],
    dag_runs: Mapping[tuple[str, str], DagRun],
    in_time: bool,
) -> Needs:
    """The affected tasks that each affected task has to wait for."""
    needs: Needs = {task: set() for task in affected}
    writers: dict[Field, list[TaskWrite]] = {}
    for write in writes:
        if write.task in needs:
            writers.setdefault(write.output, []).append(write)
    for write in writes:
        for dataset in write.inputs if write.task in needs else ():
            needs[write.task] |= {
                other.task
                for other in writers.get(dataset, ())
                if other.task != write.task and (other.at < write.at or not in_time)
            }
    for task in needs:
        run = dag_runs[task[:2]]
        if run.after is not None:
            for behind in run.behind({task.task_id}):
                if Task(*task[:2], behind) in needs:
                    needs[Task(*task[:2], behind)].add(task)
    return needs


def _ordered(
    affected: Iterable[Task],
    needs: Needs,
    writes: Sequence[TaskWrite],
    dag_runs: Mapping[tuple[str, str], DagRun],
) -> list[Task]:
    """The tasks, each after what it needs, and those of one DAG run together where possible."""
    at = {task: dag_runs[task[:2]].started.get(task.task_id, 0) for task in affected}
    at.update((write.task, write.at) for write in writes if write.task in at)
    open_ones = sorted(affected, key=lambda task: (at[task], task))
    done: list[Task] = []
    while open_ones:
        waiting = set(open_ones)
        ready = [task for task in open_ones if not needs[task] & waiting] or open_ones
        same = [task for task in ready if done and task[:2] == done[-1][:2]]
        next_one = (same or ready)[0]
        done.append(next_one)
        open_ones.remove(next_one)
    return done
