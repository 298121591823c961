"""Files that Python code looks for in a plan."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import pytest

from airflow_colgraph.collector.dry_run.notes import Notes
from airflow_colgraph.collector.dry_run.python_files import listed, looked_for


@pytest.fixture
def notes() -> Notes:
    return Notes(__file__)


def test_what_the_plan_has_written_or_a_schema_describes_is_there(
    notes: Notes, tmp_path: Path
) -> None:
    scratch, lake = tmp_path / "scratch", tmp_path / "lake"
    (Path(f"{scratch}/file{lake}") / "written").mkdir(parents=True)
    (lake / "own").mkdir(parents=True)
    look = partial(looked_for, os.stat, notes, str(scratch), {f"{lake}/described"})
    for name in ("own", "written", "described"):
        assert look(lake / name).st_mode == os.stat(lake).st_mode
    listing = partial(looked_for, os.listdir, notes, str(scratch), ())
    assert sorted(listed(listing, str(scratch), lake)) == ["own", "written"]
    assert notes.effects == {}


def test_what_is_not_there_is_named_with_its_line(notes: Notes, tmp_path: Path) -> None:
    look = partial(looked_for, os.stat, notes, str(tmp_path / "scratch"), ())
    with pytest.raises(FileNotFoundError):
        look(tmp_path / "flag")
    (effect,) = notes.effects
    assert effect.startswith(f"looked for {tmp_path}/flag, which is not there, at test_plan_files")
