"""A fake spark-submit that notes how it was called, and a sink of each test's own."""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from airflow_colgraph import conf
from airflow_colgraph.get_provider_info import OPTIONS

CACHED = [getattr(conf, name) for name in OPTIONS]
FAKE = Path(__file__).with_name("fake_spark_submit.py")


class Fake:
    """The fake spark-submit on PATH, and what it saw."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._calls, self._monkeypatch = folder / "calls.ndjson", monkeypatch
        bin_folder = folder / "bin"
        bin_folder.mkdir()
        for name in ("spark-submit", "spark-pipelines"):
            shutil.copyfile(FAKE, bin_folder / name)
            (bin_folder / name).chmod(0o755)
        monkeypatch.setenv("PATH", f"{bin_folder}{os.pathsep}{os.environ['PATH']}")
        self.job()

    def job(self, **job: Any) -> None:
        """What the next calls do."""
        job["calls"] = str(self._calls)
        self._monkeypatch.setenv("FAKE_JOB", json.dumps(job))

    def calls(self) -> list[list[str]]:
        """The arguments of each call."""
        return [json.loads(line) for line in self._calls.read_text().splitlines()]


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fake:
    return Fake(tmp_path, monkeypatch)


@pytest.fixture(autouse=True)
def sink(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("AIRFLOW__COLGRAPH__SINK", str(tmp_path / "sink"))
    for option in CACHED:
        option.cache_clear()
    yield tmp_path / "sink"
    for option in CACHED:
        option.cache_clear()
