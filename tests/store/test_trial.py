from airflow_colgraph.store.admin.trial import clock_difference, try_event
from airflow_colgraph.store.store import Store
from tests.store.samples import copy_event, table_rows


def test_an_event_goes_through_and_nothing_of_it_stays(store: Store) -> None:
    store.add(copy_event("load", 1, "t", {"x": "raw.a"}))
    before = table_rows(store)
    assert try_event(store)
    assert table_rows(store) == before
    store.add(copy_event("load", 2, "t", {"x": "raw.b"}))


def test_the_clocks_of_one_machine_are_equal(store: Store) -> None:
    assert abs(clock_difference(store)) < 5
