"""The change of a job in the demo."""

from pathlib import Path

import pytest

from dev.demo_change import CHANGES, TASK, change, changed, lineage_change
from tests.store.samples import copy_event

JOB = Path(__file__).parents[1] / "dags" / "jobs" / f"{TASK}.py"


def test_the_job_is_changed_where_the_difference_says(tmp_path: Path) -> None:
    job = tmp_path / JOB.name
    job.write_text(JOB.read_text())
    lines = change(job).splitlines()
    compile(job.read_text(), str(job), "exec")
    old, new = ([line[1:] for line in lines if line[0] == sign] for sign in "-+")
    assert len(old) == len(new) == len(CHANGES) == len(lines) / 2
    assert [line for line in JOB.read_text().splitlines() if line not in old] == [
        line for line in job.read_text().splitlines() if line not in new
    ]
    with pytest.raises(ValueError, match="0 times"):
        changed(job.read_text())


def test_the_lineage_of_two_events_is_compared_line_by_line() -> None:
    before = copy_event("job", 1, "mart", {"same": "raw.a", "kind": "raw.b", "old": "raw.c"})
    fields = {"same": "raw.a", "kind": "raw.b DIRECT:TRANSFORMATION", "longer_new": "raw.c, raw.d"}
    after = copy_event("job", 2, "mart", fields)
    assert lineage_change(before, after).splitlines() == [
        "- kind       <- raw.b  DIRECT:IDENTITY",
        "+ kind       <- raw.b  DIRECT:TRANSFORMATION",
        "+ longer_new <- raw.c  DIRECT:IDENTITY",
        "+ longer_new <- raw.d  DIRECT:IDENTITY",
        "- old        <- raw.c  DIRECT:IDENTITY",
    ]
    assert lineage_change(before, before) == ""
