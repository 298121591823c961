"""A sample of `oracles.why_histories`: what changed upstream, against definitions of tables."""

import pytest

from oracles.why_histories import difference
from tests.amount import of_all


@pytest.mark.sampled
@pytest.mark.parametrize("seed", range(1, 1 + of_all(300, 20)))
def test_each_change_upstream_is_a_reason_and_no_other(seed: int) -> None:
    compared = difference(seed)
    assert (compared.missing, compared.invented) == (set(), set())


@pytest.mark.parametrize("seed", [98, 123])
def test_a_column_that_its_job_did_not_write_before(seed: int) -> None:
    """Of a column that readers had used before its job wrote it nothing was said."""
    compared = difference(seed)
    assert (compared.missing, compared.right > 0) == (set(), True)
