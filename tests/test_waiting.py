"""Reading what another process still writes, and waiting for it."""

import json
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from airflow_colgraph.store.store import Store
from dev import demo
from dev.waiting import (
    Event,
    WaitError,
    missing_ends,
    missing_in_store,
    read_events,
    wait_for,
    wait_for_ends,
    whole_lines,
)
from tests.store.samples import copy_event


def ended(job: str, minute: int = 1, kind: str = "COMPLETE") -> Event:
    return {**copy_event(job, minute, "mart", {"t": "raw.x"}), "eventType": kind}


def test_a_torn_last_line_is_left_for_the_next_time(tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    assert read_events(file) == []
    line = json.dumps(ended("a")) + "\n"
    for end in range(len(line)):
        file.write_text(line + line[:end])
        assert read_events(file) == [ended("a")]
    file.write_text(line + line)
    assert read_events(file) == [ended("a")] * 2


def test_a_character_that_is_half_there_is_left_too(tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_bytes("whole ü\n".encode() + "ü".encode()[:1])
    assert whole_lines(file) == ["whole ü"]


def test_a_wait_ends_when_nothing_is_missing() -> None:
    left = ["b", "a"]
    wait_for(lambda: left.pop() if left else "", seconds=60, pause=0)
    assert left == []


def test_a_wait_in_vain_names_what_is_missing_in_one_line() -> None:
    with pytest.raises(WaitError, match=r"^Waited 0 s in vain for the end of the world\.$"):
        wait_for(lambda: "the end of the world", seconds=0)


def test_which_ends_are_missing() -> None:
    events = [ended("a"), ended("b", kind="FAIL"), ended("b", kind="START")]
    assert missing_ends(events, {"a": 1, "b": 1}) == ""
    assert missing_ends(events, {"a": 1, "b": 1, "c": 1}, ["COMPLETE"]) == (
        "the COMPLETE event of b, c"
    )
    assert missing_ends(events, {"a": 1, "b": 3}) == (
        "the COMPLETE or FAIL event of b (1 of 3 are there)"
    )


def test_which_ends_are_not_in_the_store_yet(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/store.db"
    first, corrected = ended("a"), ended("a", minute=2, kind="FAIL")
    corrected["run"] = first["run"]
    late = f"the end of a in the store {url}"
    store = Store.open(url)
    assert missing_in_store([{**first, "eventType": "START"}], url) == ""
    assert missing_in_store([first], url) == late
    store.add(first)
    assert missing_in_store([first], url) == ""
    assert missing_in_store([corrected, first], url) == late
    store.add(corrected)
    assert missing_in_store([corrected, first], url) == ""


def test_a_store_that_cannot_be_asked_is_waited_for(tmp_path: Path) -> None:
    (tmp_path / "store.db").mkdir()
    found = missing_in_store([ended("a")], f"sqlite:///{tmp_path}/store.db")
    assert found.startswith("the store (")


def test_ends_are_waited_for_in_the_file_and_in_the_store(tmp_path: Path) -> None:
    """The file is written in two parts, and the store later."""
    file, url = tmp_path / "events.jsonl", f"sqlite:///{tmp_path}/store.db"
    line = json.dumps(ended("a")) + "\n"
    steps: list[str] = []

    def write() -> None:
        with file.open("a", buffering=1) as out:
            for part in (line[:50], line[50:]):
                out.write(part)
                out.flush()
                steps.append("file")
                time.sleep(0.3)
        Store.open(url).add(ended("a"))
        steps.append("store")

    writer = threading.Thread(target=write)
    writer.start()
    assert wait_for_ends(file, url, {"a": 1}, seconds=60) == [ended("a")]
    writer.join()
    assert steps == ["file", "file", "store"]


class Quick:
    """An Airflow whose run is over at once, and that sends nothing."""

    def __init__(self, *_: Any) -> None:
        pass

    def __enter__(self) -> "Quick":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def start(self) -> None:
        pass

    def trigger(self, dag: str) -> str:
        return dag

    def clear(self, dag: str, run: str, task: str) -> None:
        pass

    def wait(self, dag: str, run: str, seen: Any) -> dict[str, str]:
        return {"": "success", "mart": "success"}


def test_a_demo_that_waits_in_vain_says_so_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    places = {"DEMO": "", "DAGS": "dags", "EVENTS": "events.jsonl", "STORE": "store.db"}
    for name, place in places.items():
        monkeypatch.setattr(demo, name, tmp_path / place)
    monkeypatch.setattr(demo, "Airflow", Quick)
    monkeypatch.setattr(demo, "LATEST", 0.0)
    monkeypatch.setattr(sys, "argv", ["demo"])
    before = demo.signal.getsignal(demo.signal.SIGTERM)
    try:
        assert demo.main() == 1
    finally:
        demo.signal.signal(demo.signal.SIGTERM, before)
    *_, last = capsys.readouterr().out.splitlines()
    late = ", ".join(f"{job} (0 of 2 are there)" for job in ("flights", "flights.mart"))
    assert last == f"demo: Waited 0 s in vain for the COMPLETE event of {late}."
