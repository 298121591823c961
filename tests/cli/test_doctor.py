"""`colgraph doctor` on deployments with one fault each."""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from airflow_colgraph.cli import doctor, main
from airflow_colgraph.collector.sinks.spool import Spool
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.store import Store
from tests.store.samples import copy_event

NOW = clock.iso(int(time.time() * 1000))
EVENT = {**copy_event("load", 1, "raw", {"x": "csv.a"}), "eventTime": NOW}


@pytest.fixture
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A deployment without faults, and its store."""
    url = f"sqlite:///{tmp_path}/store.db"
    Store.open(url).add(EVENT)
    for name in [name for name in os.environ if name.startswith("OPENLINEAGE_")]:
        monkeypatch.delenv(name)
    monkeypatch.delenv("COLGRAPH_STORE", raising=False)
    monkeypatch.setenv("AIRFLOW__COLGRAPH__STORE", url)
    monkeypatch.setenv("AIRFLOW__COLGRAPH__SPOOL", str(tmp_path / "spool"))
    for program in doctor.SPARK:
        (tmp_path / program).touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    return url


def asked(*words: str) -> tuple[int, dict[str, dict[str, Any]]]:
    """The exit code, and what is not fine, by what was looked at."""
    done = CliRunner().invoke(main, ["doctor", "--format", "json", *words])
    findings = json.loads(done.stdout)
    assert [each["check"] for each in findings][:1] == ["store"]
    return done.exit_code, {each["check"]: each for each in findings if each["status"] != "ok"}


def test_nothing_is_wrong(url: str) -> None:
    assert asked() == (0, {})
    lines = CliRunner().invoke(main, ["doctor"]).output.splitlines()
    assert lines[0] == f"ok       store         {url}, from [colgraph] store"
    assert "ok       event         an event was written, read and rolled back" in lines


def test_a_store_that_is_not_there_is_named_and_not_made(url: str, tmp_path: Path) -> None:
    missing = tmp_path / "typo.db"
    code, wrong = asked("--store", f"sqlite:///{missing}")
    assert code == 1
    assert "does not exist" in wrong["schema"]["text"]
    assert "event" not in wrong
    assert not missing.exists()


def test_a_store_without_lineage_is_a_warning(url: str, tmp_path: Path) -> None:
    Store.open(f"sqlite:///{tmp_path}/empty.db").close()
    code, wrong = asked("--store", f"sqlite:///{tmp_path}/empty.db")
    assert (code, set(wrong)) == (0, {"lineage"})


def test_events_that_wait_for_long_and_that_were_refused(url: str, tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    keeper = Spool(str(spool))
    kept = [Path(keeper.keep(EVENT)) for _ in range(2)]
    assert asked() == (0, {}), "they have just come"
    (spool / "refused").mkdir()
    kept[0].rename(spool / "refused" / kept[0].name)
    (spool / "dropped.log").write_text(json.dumps({"at": 1, "events": 7}) + "\n")
    code, wrong = asked()
    assert code == 1
    assert {name: each["status"] for name, each in wrong.items()} == {
        "refused": "warning",
        "dropped": "error",
    }
    assert wrong["dropped"]["text"] == "7 events: the spool was full"


def test_tasks_that_send_nothing(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW__OPENLINEAGE__DISABLED", "True")
    code, wrong = asked()
    assert (code, set(wrong)) == (1, {"openlineage"})
    monkeypatch.setenv("AIRFLOW__OPENLINEAGE__DISABLED", "False")
    monkeypatch.delenv("AIRFLOW__COLGRAPH__STORE")
    code, wrong = asked("--store", url)
    assert code == 1
    assert "events go nowhere" in wrong["openlineage"]["text"]


def test_a_worker_without_spark(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    code, wrong = asked()
    assert (code, set(wrong)) == (0, {"spark-submit", "java"})


def test_no_secret_is_shown(url: str) -> None:
    done = CliRunner().invoke(
        main, ["doctor", "--store", "postgresql://user:s3cret@localhost:1/db"]
    )
    assert done.exit_code == 1
    assert "s3cret" not in done.output
