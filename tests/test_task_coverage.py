"""The table of kinds of tasks in docs/coverage.md names tests that there are."""

from pathlib import Path

import pytest

from dev.task_coverage import KINDS, Kind

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.task[:30])
def test_what_shows_a_kind_of_task_exists(kind: Kind) -> None:
    assert kind.shown
    assert [name for name in kind.shown if not (ROOT / name).exists()] == []
