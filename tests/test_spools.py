"""Spools on file systems that fsspec knows: what a local one does, by `colgraph deliver URL`."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import time, time_ns
from typing import Any

import fsspec
import pytest
from fsspec.core import url_to_fs
from fsspec.implementations.arrow import ArrowFSWrapper
from fsspec.implementations.memory import MemoryFileSystem
from prometheus_client.parser import text_string_to_metric_families
from pyarrow.fs import LocalFileSystem

from airflow_colgraph import delivery, spools
from airflow_colgraph.spools import RemoteSpool, open_spool, task_spool
from airflow_colgraph.store.store import Store
from tests.collector.test_outbox import NUMBER, event, serve, stored
from tests.test_delivery import colgraph, emit

AWAY = "postgresql://me@127.0.0.1:9/lineage"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(f"sqlite:///{tmp_path}/store.db") as opened:
        yield opened


class Arrow(ArrowFSWrapper):  # type: ignore[misc]
    """A file system of pyarrow's, as fsspec's hdfs:// is one."""

    protocol = "arrow"

    def __init__(self, **options: Any) -> None:
        super().__init__(LocalFileSystem(), **options)


fsspec.register_implementation("arrow", Arrow, clobber=True)


@pytest.fixture(params=["memory://lake{}/spool", "local://{}/spool", "arrow://{}/spool"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An object store, and file systems with folders whose files appear before they are whole."""
    return str(request.param).format(tmp_path)


def fill(url: str, numbers: range = range(NUMBER), inside: str = "") -> None:
    keeper = task_spool(f"{url}/{inside}" if inside else url)
    for number in numbers:
        keeper.keep(event(number))


def put(url: str, name: str, content: bytes) -> None:
    """Write a file as a writer that is not ours, or that was killed, would leave it."""
    files, root = url_to_fs(url)
    files.makedirs(root, exist_ok=True)
    files.pipe_file(f"{root}/{name}", content)


def names(url: str) -> list[str]:
    files, root = url_to_fs(url)
    files.invalidate_cache()
    return sorted(path.removeprefix(root).lstrip("/") for path in files.find(root))


def kept(url: str) -> list[str]:
    spool = open_spool(url)
    contents = spool.read(delivery.waiting_files(spool))
    return [json.loads(content or b"")["outputs"][0]["name"] for content in contents]


def test_events_are_delivered_in_order_and_once(store: Store, url: str) -> None:
    for number in range(NUMBER):
        fill(url, range(number, number + 1), inside=("", "run-b", "run-a")[number % 3])
    server = serve(store, lambda handler: False)
    address = f"http://127.0.0.1:{server.server_port}/"
    done = colgraph("deliver", url, "--to", address)
    again = colgraph("deliver", url, "--to", address)
    server.shutdown()
    assert (done.exit_code, done.output) == (0, f"{NUMBER} events delivered\n")
    assert again.output == "0 events delivered\n"
    assert server.taken == list(range(NUMBER))
    assert names(url) == []


def test_what_a_store_does_not_take_is_kept_and_delivered_later(store: Store, url: str) -> None:
    errors = emit(AWAY, url)
    assert len(errors) == NUMBER
    assert all(f"deliver it with: colgraph deliver {url}" in error for error in errors)
    done = colgraph("deliver", url, "--store", store.url)
    assert (done.exit_code, done.output) == (0, f"{NUMBER} events delivered\n")
    assert stored(store) == list(range(NUMBER))


def test_what_is_left_stays_in_order(store: Store, url: str) -> None:
    fill(url)
    server = serve(store, lambda handler: len(server.requests) > 4 and handler.answer(503))
    address = f"http://127.0.0.1:{server.server_port}/"
    done = colgraph("deliver", url, "--to", address, "--patience", "0")
    server.shutdown()
    assert done.exit_code == 1
    assert f"6 files are left in {url}: {address} answered 503." in done.output
    assert kept(url) == [f"/mart/{number}" for number in range(4, NUMBER)]
    assert colgraph("deliver", url, "--store", store.url).exit_code == 0
    assert stored(store) == list(range(NUMBER))


def test_what_is_refused_stays_with_the_answer(store: Store, url: str) -> None:
    fill(url, range(2))
    task_spool(url).keep({"run": {"runId": "no"}, "eventTime": "yesterday"})
    done = colgraph("deliver", url, "--store", store.url)
    assert done.output == f"2 events delivered, 1 refused: see {url}/refused\n"
    answer, file = names(url)
    assert answer.startswith("refused/answer-")
    assert file.startswith("refused/part-")
    assert delivery.waiting(open_spool(url))[::4] == (0, 1)
    assert colgraph("deliver", url, "--store", store.url).output == "0 events delivered\n"
    again = colgraph("deliver", f"{url}/refused", "--store", store.url)
    assert again.output == f"0 events delivered, 1 refused: see {url}/refused/refused\n"


def test_a_file_that_is_still_being_written_is_waited_for(
    store: Store, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file on HDFS or SFTP has its name before it has its content."""
    fill(url, range(1))
    name = f"part-{time_ns():020}-aaaaaaaa"
    line = json.dumps(event(1)).encode() + b"\n"
    put(url, name, line[:20])
    fill(url, range(2, 4))
    done = colgraph("deliver", url, "--store", store.url)
    assert done.exit_code == 1
    assert f"3 files are left in {url}: {name} is still being written." in done.output
    assert stored(store) == [0]
    put(url, name, b"")
    assert colgraph("deliver", url, "--store", store.url).exit_code == 1
    put(url, name, line)
    assert colgraph("deliver", url, "--store", store.url).output == "3 events delivered\n"
    assert stored(store) == [0, 1, 2, 3]
    monkeypatch.setattr(delivery, "WRITING_SECONDS", 0)
    put(url, name, b"")
    done = colgraph("deliver", url, "--store", store.url)
    assert done.output == f"0 events delivered, 1 refused: see {url}/refused\n"


def test_one_process_delivers(store: Store, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(url)
    with RemoteSpool(url).only() as renew:
        busy = colgraph("deliver", url, "--store", store.url)
        assert (busy.exit_code, len(kept(url))) == (1, NUMBER)
        assert busy.output == f"colgraph: error: Another process is delivering {url}.\n"
        renew()
        monkeypatch.setattr(spools, "LEASE_SECONDS", 0.0)  # as if it were killed long ago
        done = colgraph("deliver", url, "--store", store.url)
        assert (done.exit_code, done.output) == (0, f"{NUMBER} events delivered\n")
        with pytest.raises(spools.InUse):
            renew()
    assert names(url) == []
    put(url, ".deliver.lock", b"")  # its writer was killed
    assert colgraph("deliver", url, "--store", store.url).exit_code == 0


def test_a_lease_is_held_for_as_long_as_events_are_sent(
    store: Store, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [time()]
    monkeypatch.setattr(spools, "time", lambda: now[0])
    fill(url)
    in_use: list[str] = []

    def fault(handler: Any) -> bool:
        now[0] += spools.LEASE_SECONDS / 2
        try:
            with RemoteSpool(url).only():
                pass
        except spools.InUse as error:
            in_use.append(str(error))
        return False

    server = serve(store, fault)
    colgraph("deliver", url, "--to", f"http://127.0.0.1:{server.server_port}/")
    server.shutdown()
    assert in_use == [f"Another process is delivering {url}."] * NUMBER
    assert server.taken == list(range(NUMBER))


def test_size_age_and_count_are_metrics(url: str, tmp_path: Path) -> None:
    fill(url, range(3))
    done = colgraph("--store", f"sqlite:///{tmp_path}/none.db", "metrics", "--spool", url)
    values = {
        sample.name: sample.value
        for family in text_string_to_metric_families(done.output)
        for sample in family.samples
    }
    assert values["colgraph_spool_events"] == 3
    assert values["colgraph_spool_bytes"] == 3 * (
        len(json.dumps(event(0), separators=(",", ":"))) + 1
    )
    assert 0 < values["colgraph_spool_oldest_seconds"] < 600
    assert values["colgraph_spool_dropped"] == values["colgraph_spool_refused"] == 0
    found = colgraph("--store", f"sqlite:///{tmp_path}/none.db", "doctor", "--spool", url)
    assert f"ok       spool         {url}: 3 events wait, the oldest for 0 s" in found.output


class Broken(MemoryFileSystem):
    """A file system of which one folder cannot be listed, with an error that is no OSError."""

    protocol = "broken"

    def ls(self, path: str, detail: bool = True, **options: Any) -> Any:
        if path.endswith("run"):
            raise RuntimeError("AccessDenied for me:hunter2@host\nand more")
        return super().ls(path, detail=detail, **options)


fsspec.register_implementation("broken", Broken, clobber=True)


def test_a_folder_that_cannot_be_listed_is_an_error(store: Store) -> None:
    """fsspec's own `find` passes over it: its events would never be delivered, in silence."""
    fill("broken://spool", range(1), inside="run")
    done = colgraph("--store", store.url, "deliver", "broken://spool")
    assert done.exit_code == 1
    assert done.output.startswith("colgraph: error: broken://spool: AccessDenied for ")
    assert done.output.count("\n") == 1
    found = colgraph("--store", store.url, "doctor", "--spool", "broken://spool")
    assert "error    spool         broken://spool: AccessDenied" in found.output
    assert found.exit_code == 1

    metrics = colgraph("--store", store.url, "metrics", "--spool", "broken://spool")
    assert (metrics.exit_code, "colgraph_store_ready 1.0" in metrics.stdout) == (0, True)
    assert metrics.stderr.startswith(
        "colgraph: warning: there are no metrics of the spool: broken://spool: AccessDenied"
    )


class Unloaded(MemoryFileSystem):
    """A file system that looks for its package when it is asked for a file."""

    protocol = "unloaded"

    def pipe_file(self, path: str, value: bytes, **options: Any) -> None:
        raise ImportError("Unable to load libjvm")


fsspec.register_implementation("unloaded", Unloaded, clobber=True)


def test_a_task_does_not_fail_for_a_package_that_is_missing() -> None:
    (error, *_) = emit(AWAY, "unloaded://lake/spool")
    lost = "The event is lost: it cannot be kept in unloaded://lake/spool either: "
    assert f"{lost}The spool unloaded://lake/spool cannot be opened: Unable to load" in error


@pytest.mark.parametrize("url", ["gs://lake/spool", "hdfs://me:hunter2@lake/spool"])
def test_a_spool_that_cannot_be_opened_hides_no_metrics_of_the_store(
    url: str, store: Store, tmp_path: Path
) -> None:
    file = tmp_path / "colgraph.prom"
    done = colgraph("--store", store.url, "metrics", "--spool", url, str(file))
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr.startswith("colgraph: warning: there are no metrics of the spool: ")
    assert (done.stderr.count("\n"), "hunter2" in done.stderr) == (1, False)
    assert "colgraph_store_ready 1.0" in file.read_text()
    assert "colgraph_spool" not in file.read_text()


def test_a_missing_fsspec_is_named(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    done = colgraph("deliver", "s3://lake/spool", "--store", store.url)
    assert (done.exit_code, done.output) == (
        2,
        "colgraph: error: The spool s3://lake/spool needs fsspec: pip install 'colgraph[fsspec]',"
        " and the package for its file system, e.g. s3fs.\n",
    )
    (error, *_) = emit(AWAY, "s3://me:hunter2@lake/spool")
    assert "The event is lost: it cannot be kept in s3://lake/spool either: The spool" in error
    assert "hunter2" not in error


@pytest.mark.parametrize(
    ("url", "exit_code", "message"),
    [
        ("gs://lake/spool", 2, "The spool gs://lake/spool cannot be opened: "),
        ("nope://me:hunter2@lake/spool", 1, "nope://lake/spool: Protocol not known: nope"),
        ("memory:spool", 1, "memory:spool is no URL. Expected e.g. s3://bucket/folder."),
    ],
)
def test_a_url_that_cannot_be_opened(url: str, exit_code: int, message: str, store: Store) -> None:
    done = colgraph("deliver", url, "--store", store.url)
    assert done.exit_code == exit_code
    assert done.output.startswith(f"colgraph: error: {message}")
    assert done.output.count("\n") == 1


def test_names_that_fsspec_takes_as_patterns_are_delivered(store: Store, url: str) -> None:
    """One such file stopped the whole delivery; as a pattern it also matches files of others."""
    fill(url, range(1), inside="a")
    fill(url, range(1, 3), inside="[ab]")
    fill(url, range(3, 4), inside="what?*")
    task_spool(f"{url}/[ab]").keep({"run": {"runId": "no"}, "eventTime": "yesterday"})
    done = colgraph("deliver", url, "--store", store.url)
    assert (done.exit_code, done.output) == (
        0,
        f"4 events delivered, 1 refused: see {url}/refused\n",
    )
    assert stored(store) == list(range(4))
    assert [name.rpartition("/")[0] for name in names(url)] == ["refused", "refused"]

    put(f"{url}/[ab]", "part-1", b"{}")
    gone = open_spool(url).kept()
    open_spool(url).remove(gone)
    assert open_spool(url).read(gone) == [None, None]


LOCAL = """
import sys
from pathlib import Path
from airflow_colgraph import delivery
from airflow_colgraph.spools import open_spool, task_spool
from airflow_colgraph.store.store import Store
task_spool(sys.argv[1]).keep({"run": {"runId": "no"}})
with Store.open("sqlite://") as store:
    print(delivery.deliver(open_spool(sys.argv[1]), delivery.into_store(store)).refused)
print("fsspec" in sys.modules)
"""


def test_a_local_spool_does_not_load_fsspec(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOCAL, str(tmp_path / "spool")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["1", "False"]
