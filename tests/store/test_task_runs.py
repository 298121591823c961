"""What has to run again is the same from both databases."""

from airflow_colgraph.store.store import Store
from tests.check.flows import events
from tests.check.test_rerun import EXPECTED, ask, kept, tasks
from tests.store.samples import at


def test_both_databases_plan_the_same(store: Store) -> None:
    store.keep_events()
    store.add([*events(0), *events(1)])
    there = kept([*events(0), *events(1)])
    for column, expected in EXPECTED.items():
        found = ask(store, column)
        assert found == ask(there, column)
        assert set(tasks(found)) == set(expected)
        assert ask(store, column, since=at(0)) == ask(there, column, since=at(0))
