"""The pytest plugin: the fixture `assert_lineage` and the option `--update-lineage`.

pytest loads this file in every session, so it imports the rest only as the fixture is used.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from airflow_colgraph.testing.assertion import AssertLineage
    from airflow_colgraph.testing.updates import Updates


def pytest_addoption(parser: pytest.Parser) -> None:
    """The plugin's option."""
    parser.getgroup("colgraph", "column lineage").addoption(
        "--update-lineage",
        action="store_true",
        help="Write the lineage that is found into the tests or files that assert another one.",
    )


@pytest.fixture(scope="session")
def _lineage_updates(request: pytest.FixtureRequest) -> Iterator[Updates | None]:
    """Where new texts are collected; None without `--update-lineage`."""
    if not request.config.getoption("update_lineage"):
        yield None
        return
    from airflow_colgraph.testing.updates import Updates

    updates = Updates()
    yield updates
    updates.write()


@pytest.fixture
def assert_lineage(_lineage_updates: Updates | None) -> AssertLineage:
    """Asserts the column lineage of a DataFrame, of a job or of events, as a whole."""
    from airflow_colgraph.testing.assertion import AssertLineage

    return AssertLineage(_lineage_updates)
