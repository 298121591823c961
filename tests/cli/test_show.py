from pathlib import Path

import pytest
from click.testing import CliRunner

from airflow_colgraph.cli import main
from airflow_colgraph.collector.sinks import sink as sinks

X = {"namespace": "file", "name": "/a", "field": "x", "transformations": [{"type": "DIRECT"}]}
EVENT = {
    "run": {"runId": "1"},
    "inputs": [{"namespace": "file", "name": "/a"}],
    "outputs": [
        {
            "namespace": "file",
            "name": "/b",
            "facets": {"columnLineage": {"fields": {"y": {"inputFields": [X]}}}},
        }
    ],
}
SHOWN = "/b  (file /b)\n  y <- /a.x  DIRECT:?\n"


@pytest.fixture
def good(tmp_path: Path) -> Path:
    file = tmp_path / "good.jsonl"
    file.write_bytes(sinks.line_of(EVENT))
    return file


def show(*files: object) -> tuple[int, str, str]:
    ran = CliRunner().invoke(main, ["show", *map(str, files)])
    return ran.exit_code, ran.stdout, ran.stderr


def test_the_lineage_in_a_file(good: Path) -> None:
    assert show(good) == (0, SHOWN, "")


TIMED = {
    **EVENT,
    "eventTime": "2026-11-20T10:00:00Z",
    "run": {"runId": "0199aaaa-0000-7000-8000-000000000001"},
    "job": {"namespace": "n", "name": "shop.daily"},
}


@pytest.mark.parametrize(
    ("format_", "start", "part"),
    [
        ("json", "{", '"output": {"namespace": "file", "name": "/b", "field": "y"}'),
        ("compact", "{", '"field": ["x", "y"]'),
        ("csv", "direction,depth,input_namespace", "file,/a,x,file,/b,y,DIRECT"),
        ("mermaid", "flowchart LR", '["file /b"]'),
        ("dot", "digraph lineage {", 'label="file /b"'),
    ],
)
def test_the_lineage_as_a_graph(tmp_path: Path, format_: str, start: str, part: str) -> None:
    file = tmp_path / "timed.jsonl"
    file.write_bytes(sinks.line_of(TIMED))
    code, out, err = show("--format", format_, file)
    assert (code, err) == (0, "")
    assert out.startswith(start)
    assert part in out


def test_events_that_no_store_takes_have_no_graph(good: Path) -> None:
    assert show("--format", "dot", good) == (
        2,
        "",
        "colgraph: error: The event has no 'eventTime': it is not OpenLineage.\n",
    )


def test_a_folder_of_part_files(good: Path) -> None:
    good.rename(good.parent / "part-00000")
    assert show(good.parent) == (0, SHOWN, "")


def test_bad_lines_are_named_and_hide_nothing(good: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(b"\nlog line\n" + sinks.line_of(EVENT) + b'{"level": 1}\n{"run"')
    why = (
        f"colgraph: error: {bad}, line 2: not JSON: "
        "unexpected character, expected a JSON value at column 1\n"
        f"colgraph: error: {bad}, line 4: "
        "not an OpenLineage event: it has no run, job or dataset\n"
        f"colgraph: error: {bad}, line 5: not JSON: unexpected end of data at column 7; "
        "the line has no end: it is still being written, or its writer was killed\n"
    )
    assert show(bad) == (1, SHOWN, why)
    assert show(bad, good) == (1, SHOWN, why)


def test_a_missing_file_does_not_hide_the_others(good: Path) -> None:
    missing = good.parent / "missing"
    assert show(missing, good) == (2, SHOWN, f"colgraph: error: {missing} does not exist.\n")


def test_what_cannot_be_read(good: Path) -> None:
    code, out, err = show(good, "https://me:SECRET@host/events")
    assert (code, out) == (2, SHOWN)
    assert err == (
        "colgraph: error: https://host/events cannot be read:"
        " https://host/events only accepts events; read them from its store.\n"
    )


def test_an_empty_file_has_no_lineage(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    why = f"colgraph: error: {tmp_path}/empty: there are no events.\n"
    assert show(tmp_path / "empty") == (2, "", why)


def test_no_file_is_wrong_usage() -> None:
    code, out, err = show()
    assert (code, out) == (2, "")
    assert err.endswith("colgraph: error: Missing argument 'FILE...'.\n")


def test_help_has_an_example() -> None:
    code, out, _ = show("--help")
    assert code == 0
    assert "colgraph show colgraph-events.jsonl" in out
