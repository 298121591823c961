import bz2
import csv
import gzip
import io
import json
import lzma
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from airflow_colgraph.cli import main
from tests.graph_answers import edges_of

EVENT = {
    "eventType": "COMPLETE",
    "eventTime": "2026-11-20T10:00:00Z",
    "run": {"runId": "0199aaaa-0000-7000-8000-000000000001"},
    "job": {"namespace": "default", "name": "shop.daily"},
    "inputs": [{"namespace": "file", "name": "/orders"}],
    "outputs": [
        {
            "namespace": "file",
            "name": "/mart",
            "facets": {
                "columnLineage": {
                    "fields": {
                        "total": {
                            "inputFields": [
                                {
                                    "namespace": "file",
                                    "name": "/orders",
                                    "field": "amount",
                                    "transformations": [
                                        {
                                            "type": "DIRECT",
                                            "subtype": "AGGREGATION",
                                            "description": "sum(amount)",
                                            "masking": False,
                                        }
                                    ],
                                }
                            ]
                        }
                    },
                    "dataset": [
                        {
                            "namespace": "file",
                            "name": "/orders",
                            "field": "state",
                            "transformations": [{"type": "INDIRECT", "subtype": "FILTER"}],
                        }
                    ],
                }
            },
        }
    ],
}


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/colgraph.db"


def colgraph(url: str, *words: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(main, ["--store", url, *words], input=stdin)


@pytest.fixture
def filled(url: str) -> str:
    result = colgraph(url, "ingest", "-", stdin=json.dumps(EVENT))
    assert (result.exit_code, result.output) == (0, "1 events added\n")
    return url


def test_ingest_keeps_what_is_good_and_names_the_rest(url: str, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    good.write_text(json.dumps(EVENT) + "\n\n")
    bad.write_text("\n".join(["{}", json.dumps(EVENT), '{"half', "[]"]))
    result = colgraph(url, "ingest", str(good), str(bad))
    assert result.exit_code == 1
    assert result.stdout == "2 events added, 3 lines skipped\n"
    lines = result.stderr.splitlines()
    assert (
        lines[0]
        == f"colgraph: error: {bad}, line 1: The event has no 'eventTime': it is not OpenLineage."
    )
    assert lines[1].startswith(f"colgraph: error: {bad}, line 3: not JSON: ")
    assert lines[2] == f"colgraph: error: {bad}, line 4: The event is list. Expected a JSON object."
    assert len(lines) == 3
    assert colgraph(url, "upstream", "--name", "/mart", "--field", "total").exit_code == 0


def test_a_line_that_is_still_being_written_is_ingested_later(url: str, tmp_path: Path) -> None:
    file, line = tmp_path / "events.jsonl", json.dumps(EVENT) + "\n"
    file.write_text(line + line[:50])
    result = colgraph(url, "ingest", str(file))
    assert (result.exit_code, result.stdout) == (1, "1 events added, 1 lines skipped\n")
    assert result.stderr.startswith(f"colgraph: error: {file}, line 2: not JSON: ")
    why = "; the line has no end: it is still being written, or its writer was killed\n"
    assert result.stderr.endswith(why)
    file.write_text(line + line)
    assert colgraph(url, "ingest", str(file)).output == "2 events added\n"


def test_ingest_of_a_missing_file_is_wrong_usage(url: str, tmp_path: Path) -> None:
    result = colgraph(url, "ingest", str(tmp_path / "none.jsonl"))
    assert (result.exit_code, result.stderr) == (
        2,
        f"colgraph: error: {tmp_path}/none.jsonl does not exist.\n",
    )
    assert not (tmp_path / "colgraph.db").exists()


def test_ingest_of_a_spool_reads_the_events_of_all_runs(url: str, tmp_path: Path) -> None:
    """Only files could be named; a spool has one for each event, in a folder for each run."""
    spool = tmp_path / "spool"
    for run in ("a", "b"):
        (spool / run).mkdir(parents=True)
        (spool / run / f"part-{run}").write_text(json.dumps(EVENT) + "\n")
        (spool / run / f".part-{run}").write_text('{"half')  # not whole yet
    assert colgraph(url, "ingest", str(spool)).output == "2 events added\n"


def test_ingest_of_a_folder_without_events_is_wrong_usage(url: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    result = colgraph(url, "ingest", str(tmp_path / "empty"))
    assert result.exit_code == 2
    assert f"{tmp_path}/empty is a folder without files of events (part-*, *.json," in result.stderr
    assert not (tmp_path / "colgraph.db").exists()


def test_ingest_of_a_uri_that_cannot_be_read_is_one_line(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("SPARK_HOME", raising=False)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    result = colgraph(url, "ingest", "hdfs://nn/spool")
    assert result.exit_code == 2
    assert "hdfs://nn/spool can only be read with Spark" in result.stderr


def events(count: int) -> list[dict[str, Any]]:
    """Runs of one job, each of its own."""
    run = "0190a1b2-0000-7000-8000-0000000000{:02}"
    return [{**EVENT, "run": {**EVENT["run"], "runId": run.format(at)}} for at in range(count)]


LINES = "".join(json.dumps(event) + "\n" for event in events(3)).encode()
INDENTED = b"\n".join(json.dumps(event, indent=2).encode() for event in events(3))


FORMS = {
    "lines.jsonl": LINES,
    "bom.jsonl": b"\xef\xbb\xbf" + LINES,
    "list.json": json.dumps(events(3)).encode(),
    "list_over_lines.json": json.dumps(events(3), indent=1).encode(),
    "list_begun_with_an_event.json": b"[" + LINES.strip().replace(b"\n", b",\n") + b"]",
    "three_over_lines.json": INDENTED,
    "blank_lines.json": b"\n\n" + INDENTED + b"\n\n",
    "lines.jsonl.gz": gzip.compress(LINES),
    "lines.jsonl.bz2": bz2.compress(LINES),
    "over_lines.json.xz": lzma.compress(INDENTED),
}


@pytest.mark.parametrize("name", FORMS)
def test_the_forms_in_which_events_come(url: str, tmp_path: Path, name: str) -> None:
    """Only one event a line was tried; REST takes a list and an event over several lines."""
    (tmp_path / "in" / "below").mkdir(parents=True)
    file = tmp_path / "in" / "below" / name
    file.write_bytes(FORMS[name])
    for argument in (file, tmp_path / "in"):
        result = colgraph(url, "ingest", str(argument))
        assert (result.exit_code, result.output) == (0, "3 events added\n")
    piped = CliRunner().invoke(main, ["--store", url, "ingest", "-"], input=FORMS[name])
    assert (piped.exit_code, piped.output) == (0, "3 events added\n")
    shown = CliRunner().invoke(main, ["show", str(file)])
    assert (shown.exit_code, shown.stderr) == (0, "")


@pytest.mark.parametrize(
    ("content", "added", "error"),
    [
        (INDENTED[:-40], 2, r"line \d+: not JSON: .* at column \d+"),
        (json.dumps([*events(2), 7]).encode(), 2, r"line 1, event 3: The event is int\..*"),
        (b'{\n "eventTime": nothing\n}', 0, r"line 2: not JSON: Expecting value at column 15"),
        (b"\xff" + LINES, 2, r"line 1: not JSON: .*"),
    ],
    ids=["indented", "list", "word", "no text"],
)
def test_a_broken_document_is_named_by_its_place(
    url: str, tmp_path: Path, content: bytes, added: int, error: str
) -> None:
    file = tmp_path / "events.json"
    file.write_bytes(content)
    result = colgraph(url, "ingest", str(file))
    assert (result.exit_code, result.stdout) == (1, f"{added} events added, 1 lines skipped\n")
    assert re.fullmatch(f"colgraph: error: {re.escape(str(file))}, {error}\n", result.stderr)


def test_a_compressed_file_that_is_cut_off_is_one_line(url: str, tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl.gz"
    file.write_bytes(gzip.compress(LINES)[:-6])
    result = colgraph(url, "ingest", str(file))
    assert (result.exit_code, result.stdout) == (1, "3 events added, 1 lines skipped\n")
    assert result.stderr == (
        f"colgraph: error: {file}, the rest: cannot be read: "
        "Compressed file ended before the end-of-stream marker was reached\n"
    )


def test_ingest_quietly(url: str) -> None:
    result = colgraph(url, "ingest", "--quiet", "-", stdin=json.dumps(EVENT))
    assert (result.exit_code, result.output) == (0, "")


def test_upstream_as_a_tree(filled: str) -> None:
    result = colgraph(filled, "upstream", "--namespace", "file", "--name", "/mart", "--indirect")
    assert result.exit_code == 0
    assert result.output == (
        "file /mart: *\n"
        "└─ file /orders: state  INDIRECT FILTER  <shop.daily>\n"
        "file /mart: total\n"
        "├─ file /orders: amount  DIRECT AGGREGATION [sum(amount)]  <shop.daily>\n"
        "└─ file /orders: state  INDIRECT FILTER  <shop.daily>\n"
    )


def test_downstream_as_a_tree(filled: str) -> None:
    result = colgraph(filled, "downstream", "--name", "/orders", "--field", "amount")
    assert result.output == (
        "file /orders: amount\n"
        "└─ file /mart: total  DIRECT AGGREGATION [sum(amount)]  <shop.daily>\n"
    )


def test_a_field_without_lineage(filled: str) -> None:
    result = colgraph(filled, "downstream", "--name", "/mart", "--field", "total")
    assert (result.exit_code, result.output) == (
        0,
        "file /mart: total  has no known downstream fields\n",
    )


def test_other_formats(filled: str) -> None:
    def ask(form: str) -> str:
        words = ("upstream", "--name", "/mart", "--field", "total", "--format", form)
        result = colgraph(filled, *words)
        assert result.exit_code == 0
        return result.output

    found: dict[str, Any] = json.loads(ask("json"))
    assert [(e["input"]["field"], e["output"]["field"]) for e in edges_of(found)] == [
        ("amount", "total")
    ]
    (row,) = csv.DictReader(io.StringIO(ask("csv")))
    assert (row["input_field"], row["output_field"], row["job"]) == (
        "amount",
        "total",
        "shop.daily",
    )
    assert ask("mermaid").startswith("flowchart LR\n")
    assert ask("dot").startswith("digraph lineage {\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("--name", "/mart", "--field", "totl"),
            "Field 'totl' is not in /mart. Similar names: total.",
        ),
        (("--name", "/mrt"), "Dataset '/mrt' is not in the store. Similar names: /mart."),
        (
            ("--name", "/mart", "--start", "2026-02-01", "--end", "2026-01-01"),
            "Start 2026-02-01 is after end 2026-01-01.",
        ),
    ],
)
def test_wrong_questions_are_one_line(filled: str, words: tuple[str, ...], message: str) -> None:
    result = colgraph(filled, "upstream", *words)
    assert (result.exit_code, result.stdout, result.stderr) == (
        2,
        "",
        f"colgraph: error: {message}\n",
    )


def test_times(filled: str) -> None:
    def nothing(*when: str) -> bool:
        result = colgraph(filled, "upstream", "--name", "/mart", "--field", "total", *when)
        assert result.exit_code == 0
        return result.output.endswith("has no known upstream fields\n")

    assert [nothing("--at", f"2026-11-{day}") for day in (20, 21)] == [True, False]
    assert [nothing("--end", f"2026-11-{day}") for day in (20, 21)] == [True, False]
    assert [nothing("--start", f"2026-11-{day}") for day in (20, 21)] == [False, True]


def test_a_truncated_answer_is_reported(filled: str) -> None:
    words = ("upstream", "--name", "/mart", "--indirect", "--limit", "1")
    assert colgraph(filled, *words).output.endswith(
        "Truncated: 1 more fields were not followed (limit 1 edges).\n"
    )
    other = colgraph(filled, *words, "--format", "csv")
    assert (
        other.stderr == "colgraph: warning: truncated: 1 fields were not followed; raise --limit.\n"
    )


def test_a_store_that_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = colgraph(f"sqlite:///{tmp_path}/file/x.db", "db", "migrate")
    assert result.exit_code == 1
    assert (
        result.stderr
        == f"colgraph: error: The store's folder {tmp_path}/file cannot be created: File exists.\n"
    )


@pytest.mark.parametrize("command", ["ingest", "upstream", "downstream", "db migrate"])
def test_each_command_shows_an_example(command: str) -> None:
    result = CliRunner().invoke(main, [*command.split(), "--help"])
    assert result.exit_code == 0
    assert "Example: colgraph " in result.output
