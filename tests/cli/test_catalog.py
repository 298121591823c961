import csv
import io
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


def test_a_dataset_that_was_renamed_is_named(tmp_path: Path) -> None:
    """Its lineage is under the other name, and nothing said so."""
    url = f"sqlite:///{tmp_path / 'renamed.db'}"
    was = {"namespace": "n", "name": "old"}
    life = {"lifecycleStateChange": "RENAME", "previousIdentifier": was}
    rename = event("swap", 2, [output("new", lifecycleStateChange=life)])
    read = copy_event("read", 3, "end", {"y": "new.x"})
    Store.open(url).add([copy_event("load", 1, "old", {"x": "raw.a"}), rename, read])
    for words, text in (
        (
            "downstream --name old --field x",
            "old was renamed to n new at 2026-11-20T12:02:00.000Z.",
        ),
        ("history --name new", "new was renamed from n old at 2026-11-20T12:02:00.000Z."),
    ):
        result = CliRunner().invoke(main, [*words.split(), "--store", url])
        assert (result.exit_code, result.stderr) == (0, f"colgraph: warning: {text}\n")
    result = CliRunner().invoke(
        main, ["downstream", "--name", "new", "--field", "x", "--store", url]
    )
    assert result.stderr == ""


def test_find(url: str) -> None:
    assert run(url, "find", "rt") == "n mart\nn report\n"
    assert run(url, "find", "tot") == "n report: total\n"
    assert run(url, "find", "zzz") == "No name contains 'zzz'.\n"
    found = json.loads(run(url, "find", "tot", "--format", "json"))
    times = {"created_at": None, "updated_at": None, "other_names": None}
    assert found == [{"namespace": "n", "name": "report", "field": "total", **times}]


@pytest.mark.parametrize(
    ("words", "columns"),
    [
        (("find", "rt"), ["namespace", "name", "field", "created_at", "updated_at", "other_names"]),
        (
            ("fields", "--name", "mart"),
            ["name", "type", "created_at", "updated_at", "updated_by", "dropped"],
        ),
        (
            ("history", "--name", "mart"),
            [
                *("checksum", "job_namespace", "job", "first_at", "last_at"),
                *("last_run", "runs", "edges"),
            ],
        ),
        (("diff", "--name", "mart", "--before", at(20)), ["change", "field", "before", "after"]),
        (
            ("db", "key", "list"),
            [
                *("name", "scopes", "created_at", "expires_at", "revoked_at", "used_at"),
                *("namespaces", "rate", "max_body", "max_depth"),
            ],
        ),
    ],
)
def test_rows_are_the_same_as_json_and_csv(
    url: str, words: tuple[str, ...], columns: list[str]
) -> None:
    run(url, "db", "key", "add", "airflow")
    rows = json.loads(run(url, *words, "--format", "json"))
    heading, *lines = csv.reader(io.StringIO(run(url, *words, "--format", "csv")))
    assert [list(row) for row in rows] == [columns] * len(rows)
    assert (heading, len(lines)) == (columns, len(rows))
    assert rows


def test_a_difference_as_rows(url: str) -> None:
    rows = json.loads(run(url, *["diff", "--name", "mart", "--format", "json", "--before"], at(20)))
    assert [(row["change"], row["field"]) for row in rows] == [
        ("sources-changed", "t"),
        ("type-changed", "t"),
        ("edge removed", "t"),
        ("edge added", "t"),
    ]
    assert (rows[0]["before"], rows[1]["after"]) == ("raw.a", "bigint")
    assert rows[2]["before"] == "t <- n raw: a  DIRECT IDENTITY"


def test_fields(url: str) -> None:
    assert run(url, "fields", "--name", "mart") == f"t  bigint  {at(10)} to {at(30)}\n"


def test_history(url: str) -> None:
    assert run(url, "history", "--name", "mart", "--field", "t") == (
        f"{at(10)} to {at(20)}  2 runs of job\n"
        "  t <- n raw: a  DIRECT IDENTITY\n"
        f"{at(30)} to {at(30)}  1 runs of job\n"
        "  t <- n raw: b  DIRECT AGGREGATION\n"
    )
    assert run(url, "history", "--name", "report").endswith("  has no inputs\n")
    assert run(url, "history", "--name", "mart", "--end", at(5)) == (
        "No run has reported its lineage.\n"
    )


def test_diff(url: str) -> None:
    assert run(url, "diff", "--name", "mart", "--before", at(20)) == (
        "sources-changed t: raw.a -> raw.b\n"
        "type-changed t: int -> bigint\n"
        "- t <- n raw: a  DIRECT IDENTITY\n"
        "+ t <- n raw: b  DIRECT AGGREGATION\n"
    )
    assert run(url, "diff", "--name", "mart", "--before", at(30)) == "Nothing has changed.\n"


@pytest.mark.parametrize("command", ["find", "fields", "history", "diff", "serve", "db prune"])
def test_each_command_shows_an_example(command: str) -> None:
    result = CliRunner().invoke(main, [*command.split(), "--help"])
    assert "Example: colgraph " in result.output


COMPUTED = "1 more field has values computed from these: --through transformation"
AGGREGATES = "1 more field has aggregates of these: --through aggregation"
ENDS = {
    "copies raw.a": [COMPUTED, AGGREGATES],
    "copies raw.a --through transformation": [AGGREGATES],
    "copies raw.a --through aggregation": [],
    "copies raw.a --limit 1": ["warning: truncated: there are more fields; raise --limit."],
    "copies copy.a": [
        COMPUTED,
        AGGREGATES,
        "1 more field has the value by what it was copied from: --origins",
    ],
    "copies copy.a --origins --through aggregation": [],
    "copies masked.m": [],
    "copies raw.a --format json": [],
}


@pytest.mark.parametrize(("words", "hints"), ENDS.items(), ids=ENDS)
def test_where_copies_end_and_how_to_go_on(tmp_path: Path, words: str, hints: list[str]) -> None:
    """Nothing said that the value goes on in what is computed from it."""
    url = f"sqlite:///{tmp_path / 'copies.db'}"
    Store.open(url).add(
        [
            copy_event("load", 1, "copy", {"a": "raw.a"}),
            copy_event("lower", 2, "lower", {"x": "copy.a DIRECT:TRANSFORMATION"}),
            copy_event("most", 3, "most", {"y": "copy.a DIRECT:AGGREGATION"}),
            copy_event("mask", 4, "masked", {"m": "copy.a DIRECT:TRANSFORMATION:masking"}),
        ]
    )
    result = CliRunner().invoke(main, [*words.split(), "--store", url])
    assert (result.exit_code, result.stderr) == (
        0,
        "".join(f"colgraph: {each}\n" for each in hints),
    )
