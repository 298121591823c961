"""What is killed while it writes keeps what it acknowledged: a sample of `oracles.kill_store`."""

import pytest

from oracles.kill_store import database, run


@pytest.mark.parametrize(
    "postgres",
    [False, pytest.param(True, marks=pytest.mark.postgres)],
    ids=["sqlite", "postgresql"],
)
def test_what_was_acknowledged_before_a_kill_stays(
    postgres: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    with database(postgres) as victim:
        found = run(victim, len(victim.targets), seed=1, targets=victim.targets)
    assert found.kills == dict.fromkeys(victim.targets, 1)
    assert found.acknowledged >= len(victim.targets)
    assert found.lost == []
    assert "Traceback" not in capfd.readouterr().err
