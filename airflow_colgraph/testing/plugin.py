"""The pytest plugin: the fixtures `assert_lineage` and `lineage_text`.

pytest loads this file in every session, so it imports the rest only as a fixture is used.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.fixture
def assert_lineage() -> Callable[..., None]:
    """Asserts the column lineage of a DataFrame, of a job or of events, as a whole."""
    from airflow_colgraph.testing import assertion

    return assertion.assert_lineage


@pytest.fixture
def lineage_text() -> Callable[..., str]:
    """Returns the text of that lineage, for `==` with a snapshot."""
    from airflow_colgraph.testing import assertion

    return assertion.lineage_text
