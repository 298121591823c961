"""What a plan leaves out need not run: the tables are those of a full rerun.

The lineage is that of the tasks' own SQL, and the plan's tasks are run here, in its order. The same
with a real Airflow is in tests/airflow/test_rerun.py.
"""

import itertools
from pathlib import Path
from typing import Any

import pytest

from airflow_colgraph.check.rerun import Plan
from airflow_colgraph.check.task_runs import rerun_plan
from airflow_colgraph.sql.database import Place
from airflow_colgraph.sql.facets import Naming, datasets
from airflow_colgraph.sql.script import script
from airflow_colgraph.store.query.lookup import dotted_field
from airflow_colgraph.store.store import Store
from tests.check import twenty_tasks
from tests.check.flows import task_facets
from tests.check.twenty_tasks import CHANGES, DAGS, EXPECTED
from tests.store.samples import event, memory_store

COLUMNS = {
    ("csv",): ("id", "amount", "day"),
    ("crm",): ("id", "mail", "land"),
    ("feed",): ("id", "price"),
}


def events(naming: Naming) -> list[dict[str, Any]]:
    """The events of a run of each DAG, by the lineage of the tasks' SQL."""
    known, found, minute = dict(COLUMNS), [], itertools.count(1)
    for dag, tasks in DAGS.items():
        for task, step in tasks.items():
            inputs, outputs = [], []
            if step.table:
                resolved = script(step.statements, naming.place, known)
                known |= resolved.columns
                inputs, outputs, diagnostics = datasets(resolved, naming, {})
                assert diagnostics is None
            behind = [name for name, one in tasks.items() if task in one.before.split()]
            facets = task_facets(dag, task, "run", behind)
            one = event(f"{dag}.{task}", next(minute), outputs[-1:], **facets)
            found.append({**one, "inputs": inputs})
    return found


@pytest.fixture(scope="module")
def store() -> Store:
    store = memory_store()
    store.keep_events()
    store.add(events(Naming("n", Place("sqlite", levels=1))))
    return store


def plan_of(store: Store, column: str) -> Plan:
    with store.connection() as connection:
        return rerun_plan(connection, [dotted_field(connection, column)], None)


def test_there_are_three_dags_with_twenty_tasks() -> None:
    assert (len(DAGS), sum(map(len, DAGS.values()))) == (3, 20)
    assert CHANGES.keys() == EXPECTED.keys()
    assert len(CHANGES) == 6


@pytest.mark.parametrize("column", CHANGES)
def test_tables_are_equal_to_those_of_a_full_rerun(
    store: Store, column: str, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    twenty_tasks.furnish(home)
    twenty_tasks.run_all_here(home)
    before = twenty_tasks.contents(home)
    twenty_tasks.change(home, CHANGES[column])
    found = plan_of(store, column)
    assert {step.dag_id: {task for task, _ in step.tasks} for step in found.steps} == {
        dag: set(tasks.split()) for dag, tasks in EXPECTED[column].items()
    }
    for step in found.steps:
        twenty_tasks.run_here(home, step.dag_id, [task for task, _ in step.tasks])
    full = twenty_tasks.copy_of(home, tmp_path / "full")
    twenty_tasks.run_all_here(full)
    after = twenty_tasks.contents(home)
    assert after == twenty_tasks.contents(full)
    changed = {name for name in after if after[name] != before[name]}
    assert len(changed) > 1, "the change has no effect, so the comparison shows nothing"


@pytest.mark.parametrize("column", CHANGES)
def test_without_a_task_of_the_plan_they_are_not(store: Store, column: str, tmp_path: Path) -> None:
    last = plan_of(store, column).steps[-1]
    left = last.tasks[-1][0]
    home = tmp_path / "home"
    twenty_tasks.furnish(home)
    twenty_tasks.run_all_here(home)
    twenty_tasks.change(home, CHANGES[column])
    for step in plan_of(store, column).steps:
        tasks = [task for task, _ in step.tasks if (step.dag_id, task) != (last.dag_id, left)]
        twenty_tasks.run_here(home, step.dag_id, tasks)
    full = twenty_tasks.copy_of(home, tmp_path / "full")
    twenty_tasks.run_all_here(full)
    assert twenty_tasks.contents(home) != twenty_tasks.contents(full)
