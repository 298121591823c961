"""Tests that share a Spark or an Airflow stay in one process: pytest-xdist marks them by name."""

import pytest


@pytest.mark.xdist_group("together")
def test_groups_are_kept_together(request: pytest.FixtureRequest) -> None:
    asked = request.config.getoption("loadgroup", default=False)  # a worker of --dist loadgroup
    assert request.node.nodeid.endswith("@together") == asked
