import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from airflow_colgraph.cli import main
from airflow_colgraph.store.admin import audit
from airflow_colgraph.store.db import engine
from airflow_colgraph.store.store import Store
from tests.store.conftest import postgres_store_url, postgres_url  # noqa: F401
from tests.store.samples import at, copy_event, table_rows


def run(url: str, *words: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["--store", url, "db", *words])
    return result.exit_code, result.stdout, result.stderr


def test_migrate(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/colgraph.db"
    for _ in range(2):
        assert run(url, "migrate") == (0, f"{url} is up to date\n", "")
    assert (tmp_path / "colgraph.db").exists()


def test_prune(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/colgraph.db"
    Store.open(url).add([copy_event("load", m, "raw", {"x": f"csv.{m}"}) for m in (1, 2)])
    answer = "1 runs, 1 occurrences, 1 lineage bodies and 1 edges deleted\n"
    assert run(url, "prune", "--before", "2026-11-21") == (0, answer, "")
    code, _, error = run(url, "prune", "--before", "then")
    assert (code, error.startswith("colgraph: error: --before: 'then' is not a time.")) == (2, True)
    with Store(url).connection() as connection:
        (row,) = audit.read(connection)
    assert row.result == "1 outputs of jobs have older runs"


def test_prune_of_audited_reads(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/colgraph.db"
    with Store.open(url) as store:
        store.add([copy_event("load", m, "raw", {"x": f"csv.{m}"}) for m in (1, 2)])
        with engine.writing(store.engine) as connection:
            for at in (1, 2):
                audit.write(connection, "read", "dataset n raw", "ann", "x (pii)", at)
    code, text, _ = run(url, "size", "--format", "json")
    old = {row["table"]: row["old_rows"] for row in json.loads(text)}
    assert (code, old["audit"]) == (0, 2)
    code, text, _ = run(url, "prune", "--reads-before", "2026-01-01")
    assert (code, text) == (0, "2 audited reads deleted\n")
    code, text, _ = run(url, "prune", "--before", "2026-11-21", "--reads-before", "2026-01-01")
    assert text == (
        "1 runs, 1 occurrences, 1 lineage bodies and 1 edges deleted\n0 audited reads deleted\n"
    )
    message = "colgraph: error: Expected --before TIME, --reads-before TIME or both.\n"
    assert run(url, "prune") == (2, "", message)
    later = "colgraph: error: --reads-before is 2999-01-01: expected a time that is not after now."
    assert run(url, "prune", "--reads-before", "2999-01-01") == (2, "", f"{later}\n")


@pytest.mark.parametrize("time", ["now+3650d", "now+1m", "2999-01-01"])
def test_a_time_in_the_future_is_not_pruned(tmp_path: Path, time: str) -> None:
    """Each question about now would be refused until then."""
    url = f"sqlite:///{tmp_path}/colgraph.db"
    Store.open(url).add([copy_event("load", m, "raw", {"x": f"csv.{m}"}) for m in (1, 2)])
    message = f"colgraph: error: --before is {time}: expected a time that is not after now.\n"
    assert run(url, "prune", "--before", time) == (2, "", message)
    with Store(url).connection() as connection:
        assert audit.read(connection) == []


def test_export_and_import(tmp_path: Path) -> None:
    one, two = (f"sqlite:///{tmp_path}/{name}.db" for name in ("one", "two"))
    Store.open(one).add(copy_event("load", 1, "raw", {"x": "csv.a"}))
    file = str(tmp_path / "lineage.jsonl")
    assert run(one, "export", file) == (0, "", "")
    assert run(two, "import", file) == (0, "13 rows read\n", "")
    assert table_rows(Store(two)) == table_rows(Store(one))
    bad = tmp_path / "bad.jsonl"
    bad.write_text("[]\n")
    assert run(two, "import", str(bad)) == (
        2,
        "",
        "colgraph: error: Line 1 is not from an export of a store.\n",
    )


def test_events_are_kept_and_given_back(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/colgraph.db"
    events = [copy_event("load", minute, "raw", {"x": "csv.a"}) for minute in (1, 2, 3)]
    assert run(url, "keep-events") == (0, "whole events are stored from now on\n", "")
    Store(url).add(events)
    code, given, _ = run(url, "events", "--start", at(2))
    assert (code, [json.loads(line) for line in given.splitlines()]) == (0, events[1:])
    assert run(url, "keep-events", "--off")[1] == "whole events are no longer stored from now on\n"
    Store(url).add(copy_event("load", 4, "raw", {"x": "csv.a"}))
    assert len(run(url, "events")[1].splitlines()) == 3


@pytest.mark.parametrize(
    "database", ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)]
)
def test_size(database: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """The rows that are counted as old are those that pruning takes, or more."""
    url = f"sqlite:///{tmp_path}/colgraph.db"
    if database == "postgresql":
        url = request.getfixturevalue("postgres_store_url")
    Store.open(url).add([copy_event("load", m, "raw", {"x": "csv.a"}) for m in range(1, 200)])
    code, text, _ = run(url, "size", "--before", "2026-11-21", "--format", "json")
    rows = {row["table"]: row for row in json.loads(text)}
    assert (code, rows["run"]["rows"], rows["run"]["old_rows"]) == (0, 199, 199)
    assert rows["run"]["bytes"] >= 8192
    assert max(row["bytes"] for row in rows.values()) < 10_000_000
    head, first, *_, last = run(url, "size")[1].splitlines()
    assert head.split() == ["BYTES", "ROWS", "OLD", "TABLE"]
    assert len(first.split()) == 4
    assert last.endswith(" in all")
    Store(url).close()
