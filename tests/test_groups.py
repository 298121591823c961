"""Tests that share a Spark or an Airflow stay in one process: pytest-xdist marks them by name."""

import os

import pytest


@pytest.mark.xdist_group("together")
def test_groups_are_kept_together(request: pytest.FixtureRequest) -> None:
    in_parallel = "PYTEST_XDIST_WORKER" in os.environ
    assert request.node.nodeid.endswith("@together") == in_parallel
