"""What `colgraph plan` refuses before anything is submitted."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from airflow_colgraph.cli import main
from airflow_colgraph.cli.plan_application import NOTED
from airflow_colgraph.cli.plan_output import noted_events
from airflow_colgraph.cli.plan_store import stored_rows
from airflow_colgraph.collector.dry_run.known_sources import KnownSources, missing_source
from airflow_colgraph.collector.dry_run.notes import Notes
from airflow_colgraph.collector.dry_run.shown_results import shown_lines
from airflow_colgraph.store.store import Store
from tests.graph_answers import edges_of
from tests.store.samples import copy_event, event, memory_store, output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--", "job.jar"], "job.jar cannot be planned: only Python applications can."),
        (["--", "--class", "a.B", "s3a://b/a.jar"], "only Python applications can."),
        (["--", "hdfs://there/job.py"], "hdfs://there/job.py is not a file here."),
        (["--", "--remote", "sc://there", "job.py"], "its server would run it"),
        (["--output", "https://there/x", "--", "job.py"], "a plan sends nothing"),
        (["--schemas", "list.json", "--", "job.py"], "list.json is not an object like"),
        (["--schemas", "job.py", "--", "job.py"], "job.py cannot be read"),
        (["--rows", "list.json", "--", "job.py"], "list.json is not an object like"),
        (["--rows", "flat.json", "--", "job.py"], "flat.json is not an object like"),
        (["--"], "Give spark-submit's arguments"),
    ],
)
def test_what_cannot_be_planned_is_refused_in_one_line(
    words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("job.py").write_text("open('HARM', 'w')")
    Path("list.json").write_text("[]")
    Path("flat.json").write_text('{"raw.a": {"id": 1}}')
    result = CliRunner().invoke(main, ["plan", *words])
    assert result.exit_code == 2
    assert message in result.output
    assert not Path("HARM").exists()


def test_a_store_without_types_is_refused_before_anything_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("job.py").write_text("open('HARM', 'w')")
    store = f"sqlite:///{tmp_path}/lineage.db"
    opened = Store.open(store)
    opened.add(copy_event("daily", 1, "mart", {"x": "raw.x"}))
    opened.close()
    result = CliRunner().invoke(main, ["plan", "--store", store, "--", "job.py"])
    assert result.exit_code == 2
    assert result.output.startswith("colgraph: error: the store knows no types of any dataset.")
    assert len(result.output.splitlines()) == 1
    assert not Path("HARM").exists()


def test_the_store_names_columns_by_all_names_of_a_dataset() -> None:
    store = memory_store()
    links = {"identifiers": [{"namespace": "hive", "name": "raw.orders", "type": "TABLE"}]}
    fields = [
        {"name": "id", "type": "long"},
        {"name": "a b", "type": "map<string,decimal(10,2)>"},
        {"name": "who", "type": "struct", "fields": [{"name": "mail", "type": "string"}]},
        {
            "name": "items",
            "type": "array",
            "fields": [
                {
                    "name": "_element",
                    "type": "struct",
                    "fields": [{"name": "sku", "type": "string"}],
                }
            ],
        },
    ]
    orders = output("lake/orders", schema={"fields": fields}, symlinks=links)
    notes = output("notes", schema={"fields": [{"name": "id", "type": "serial"}]})
    for dataset in (orders, notes):
        store.add({"eventTime": "2026-11-20T12:01:00Z", "dataset": dataset})
    ddl = (
        "`id` long, `a b` map<string,decimal(10,2)>, `who` struct<`mail`:string>, "
        "`items` array<struct<`sku`:string>>"
    )
    assert sorted(stored_rows(store)) == [
        ("hive", "raw.orders", ddl),
        ("n", "lake/orders", ddl),
        ("n", "notes", None),
    ]


def test_sources_are_found_by_path_and_by_table() -> None:
    notes = Notes("job.py")
    rows = [
        ("s3://lake", "orders", "id long"),
        ("file", "/lake/days", "day date"),
        ("hive", "raw.orders", "id long"),
        ("glue", "raw.orders", "id long"),
        ("hive", "raw.days", "day date"),
        ("glue", "raw.days", "day string"),
        ("file", "/lake/notes", None),
    ]
    found = KnownSources(rows, [], notes)
    assert found.path("s3a://lake/orders") == "id long"
    assert found.path("file:/lake/days/day=2026-01-01") == "day date"
    assert found.table("RAW.orders", "default") == found.table("orders", "raw") == "id long"
    assert found.path("file:/lake/none") is None
    assert list(notes.unknown) == []
    assert found.table("raw.days", "default") is None  # two, which differ
    assert found.path("file:/lake/notes") is None
    assert list(notes.unknown) == ["raw.days", "/lake/notes"]


def test_what_an_earlier_plan_would_have_written_counts_before_the_store() -> None:
    stored = [("file", "/lake/days", "old int"), ("hive", "raw.days", "old int")]
    planned = [("file", "/lake/days", "new int"), ("hive", "raw.days", "new int")]
    found = KnownSources(stored, planned, Notes("job.py"))
    assert found.planned_path("file:/lake/days") == "new int"
    assert found.planned_path("file:/lake/other") is None
    assert found.table("days", "raw") == "new int"


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ("[PATH_NOT_FOUND] Path does not exist: file:/a/b.csv. SQLSTATE: 42K03", "file:/a/b.csv"),
        ("Path does not exist: s3a://lake/a;", "s3a://lake/a"),
        ("[TABLE_OR_VIEW_NOT_FOUND] The table or view `raw`.`a b` cannot be found.", "raw.a b"),
        ("The table or view `spark_catalog`.`raw`.`a` cannot be found. Verify", "raw.a"),
        ("Table or view not found: raw.a; line 1 pos 14;", "raw.a"),
        ("[UNRESOLVED_COLUMN] A column with name `x` cannot be resolved.", ""),
    ],
)
def test_the_source_that_spark_has_not_found(message: str, name: str) -> None:
    assert missing_source(message) == name


# A spark-submit that does what the start of a plan does, without Spark: notes, and a run's events.
SPARK_SUBMIT = """#!{python}
import json, sys

words = sys.argv[1:]
sink = next(word.partition("=")[2] for word in words if word.startswith("spark.colgraph.sink="))
notes = next(word for word in words if word.endswith("notes.json"))
print("the application prints")
print("Spark warns", file=sys.stderr)
with open(notes, "w") as file:
    parts = {{name: [] for name in {noted!r}}}
    json.dump({{**parts, "inputRecords": 0}}, file)
with open(sink, "a") as file:
    file.write({event!r} + "\\n")
sys.exit({code})
"""
PLANNED = event(
    "job.py", 1, [output("mart", {"t": "raw.a"})], state="RUNNING", colgraph_plan={"_producer": "p"}
)


def planned(folder: Path, *words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    """A plan with the stand-in, in a process of its own: its streams are those of a user."""
    program = folder / "spark-submit"
    program.write_text(
        SPARK_SUBMIT.format(
            python=sys.executable, noted=list(NOTED), event=json.dumps(PLANNED), code=code
        )
    )
    program.chmod(0o755)
    (folder / "job.py").touch()
    return subprocess.run(
        [Path(sys.executable).with_name("colgraph"), "plan", *words, "--", "job.py"],
        cwd=folder,
        env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_standard_output_is_lineage_and_nothing_else(tmp_path: Path) -> None:
    """What the application printed was among it, so that no program could read a plan."""
    done = planned(tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "mart  (n mart)\n  t <- raw.a  DIRECT:IDENTITY\n"
    for text in ("the application prints", "Spark warns", "2 events are in", "0 rows"):
        assert text in done.stderr
    quiet = planned(tmp_path, "--quiet")
    assert (quiet.stdout, quiet.stderr) == ("", "")
    piped = planned(tmp_path, "--quiet", "--output", "-")
    assert [json.loads(line)["eventType"] for line in piped.stdout.splitlines()] == [
        "RUNNING",
        "COMPLETE",
    ]
    assert piped.stderr == ""
    other = planned(tmp_path, "--format", "json", "--output", "other.jsonl")
    graph = json.loads(other.stdout)
    assert [one["output"]["field"] for one in edges_of(graph)] == ["t"]


def test_a_quiet_plan_that_fails_shows_why(tmp_path: Path) -> None:
    done = planned(tmp_path, "--quiet", code=3)
    assert (done.returncode, done.stdout) == (3, "")
    assert "the application prints" in done.stderr
    assert "Spark warns" in done.stderr


def test_actions_without_rows_are_in_the_last_event_of_a_run() -> None:
    events = [event("job.py", 1, [output("mart", {"t": "raw.a"})], state="COMPLETE")]
    notes = {"actions": ["DataFrame.count at job.py:3"], "assumed": []}
    (noted,) = noted_events(events, notes)
    assert (noted["eventType"], noted["outputs"]) == ("COMPLETE", [])
    assert noted["run"]["facets"]["colgraph_plan"]["withoutRows"] == notes["actions"]
    assert noted_events(events, {"actions": [], "assumed": []}) == []


def test_the_lines_that_only_show_a_result_are_those_without_a_branch() -> None:
    program = """
frame.count()
print(f"{frame.where('a > 1').count()} rows")
log.info("%s", str(frame.count()))
if frame.count(): print(frame.count())
n = frame.count()
print(helper(frame))
print(frame.count() or stop())
[frame.count() for frame in frames]
print(
    frame.count())
"""
    assert shown_lines(program) == {2, 3, 4, 10, 11}
