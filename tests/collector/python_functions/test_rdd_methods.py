"""The calls of RDDs that are followed are those whose elements are known."""

from airflow_colgraph.collector.driver.bootstrap import FOLLOWED_CALLS
from airflow_colgraph.collector.python_functions import rdd_chains as rdd_chains
from airflow_colgraph.collector.python_functions.rdd_elements import METHODS


def test_each_call_that_is_followed_has_a_rule() -> None:
    """`partitionBy` had a rule, and its calls were not remembered: what it made was not known."""
    assert sorted(FOLLOWED_CALLS) == sorted(METHODS)
