import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from airflow_colgraph.cli import main
from airflow_colgraph.store.store import Store
from tests.store.samples import at, copy_event, event, output


@pytest.fixture
def url(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path}/colgraph.db"
    schemas = [{"fields": [{"name": "t", "type": kind}]} for kind in ("int", "bigint")]
    early, late = schemas
    Store.open(url).add(
        [
            event("job", 10, [output("mart", {"t": "raw.a"}, schema=early)]),
            event("job", 20, [output("mart", {"t": "raw.a"}, schema=early)]),
            event("job", 30, [output("mart", {"t": "raw.b DIRECT:AGGREGATION"}, schema=late)]),
            copy_event("other", 40, "report", {"total": ""}),
        ]
    )
    return url


def run(url: str, *words: str) -> str:
    result = CliRunner().invoke(main, ["--store", url, *words])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_find(url: str) -> None:
    assert run(url, "find", "rt") == "n mart\nn report\n"
    assert run(url, "find", "tot") == "n report: total\n"
    assert run(url, "find", "zzz") == "Nothing is called like 'zzz'.\n"
    found = json.loads(run(url, "find", "tot", "--json"))
    assert found == [{"namespace": "n", "name": "report", "field": "total"}]


def test_fields(url: str) -> None:
    assert run(url, "fields", "--name", "mart") == f"t  bigint  {at(10)} to {at(30)}\n"


def test_history(url: str) -> None:
    assert run(url, "history", "--name", "mart", "--field", "t") == (
        f"{at(10)} to {at(20)}  2 runs of job\n"
        "  t <- n raw: a  DIRECT IDENTITY\n"
        f"{at(30)} to {at(30)}  1 runs of job\n"
        "  t <- n raw: b  DIRECT AGGREGATION\n"
    )
    assert run(url, "history", "--name", "report").endswith("  made of no field\n")
    assert run(url, "history", "--name", "mart", "--end", at(5)) == (
        "No run has said how it is made.\n"
    )


def test_diff(url: str) -> None:
    assert run(url, "diff", "--name", "mart", "--before", at(20)) == (
        "- t <- n raw: a  DIRECT IDENTITY\n"
        "+ t <- n raw: b  DIRECT AGGREGATION\n"
        "~ field t  int -> bigint\n"
    )
    assert run(url, "diff", "--name", "mart", "--before", at(30)) == "Nothing has changed.\n"


@pytest.mark.parametrize("command", ["find", "fields", "history", "diff", "serve", "db prune"])
def test_each_command_shows_an_example(command: str) -> None:
    result = CliRunner().invoke(main, [*command.split(), "--help"])
    assert "Example: colgraph " in result.output
