"""Nothing looked at is never green: exit code 2 and one line that says why, for every command.

No earlier test could see it: each asked about a store and files that had what was asked for.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from airflow_colgraph.cli import main
from airflow_colgraph.store.store import Store
from tests.store.samples import copy_event

EVENTS = [
    copy_event("daily", 10, "mart", {"total": "orders.amount", "mail": "orders.mail"}),
    copy_event("report", 11, "report", {"total": "mart.total"}),
]
START = {**EVENTS[0], "eventType": "START", "outputs": []}
SILENT = {**EVENTS[0], "eventType": "COMPLETE", "outputs": [], "inputs": []}
FAILED = {**SILENT, "eventType": "FAIL"}


def colgraph(*words: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(main, words, input=stdin)


def lines(*events: dict[str, object]) -> str:
    return "".join(json.dumps(one) + "\n" for one in events)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A store, and files beside it, in the current folder."""
    monkeypatch.chdir(tmp_path)
    files = {
        "empty.jsonl": "",
        "events.jsonl": lines(*EVENTS),
        "start.jsonl": lines(START),
        "silent.jsonl": lines(SILENT),
        "failed.jsonl": lines(FAILED),
        "typo.toml": '[[policy.rules]]\ndatasets = ["*/reprot"]\ntags = ["pii"]\n',
        "tag.toml": '[[policy.rules]]\ndatasets = ["*/report"]\ntags = ["pij"]\n',
        "typo.sql": "CREATE TABEL x SELEC 1",
        "comment.sql": "-- nothing\n",
        "rows.csv": "source_table_full_name,target_table_full_name,event_time\n",
    }
    for name, text in files.items():
        Path(name).write_text(text)
    Path("full").mkdir()
    url = "sqlite:///full/colgraph.db"
    Store.open(url).add(EVENTS)
    tagged = colgraph("tags", "add", "pii", "--name", "orders", "--field", "mail", "--store", url)
    assert tagged.exit_code == 0, tagged.output
    return url


NO_FIELD = "Field 'totl' is not in mart. Similar names: total."
NO_DATASET = "Dataset 'mrat' is not in the store. Similar names: mart."
# Every command that takes a field.
OF_FIELDS = {
    "upstream": "--name {dataset} --field {field}",
    "downstream": "--name {dataset} --field {field}",
    "history": "--name {dataset} --field {field}",
    "tags show": "--name {dataset} --field {field}",
    "tags add": "pii --name {dataset} --field {field}",
    "tags remove": "pii --name {dataset} --field {field}",
    "copies": "{dataset}.{field}",
    "why": "{dataset}.{field} --since now-1d",
    "rerun": "--changed {dataset}.{field} --dry-run",
}
NOTHING = [
    *(
        (f"{command} {words.format(dataset=dataset, field=field)}", why)
        for command, words in OF_FIELDS.items()
        for dataset, field, why in (("mart", "totl", NO_FIELD), ("mrat", "total", NO_DATASET))
    ),
    ("check empty.jsonl", "empty.jsonl: there are no events, so nothing was checked."),
    ("check --base empty.jsonl events.jsonl", "empty.jsonl: there are no events, so nothing was"),
    ("check --base start.jsonl events.jsonl", "There is no lineage to compare with"),
    ("show empty.jsonl", "empty.jsonl: there are no events."),
    ("show start.jsonl", "start.jsonl: 1 events have no lineage."),
    ("show --format dot start.jsonl", "start.jsonl: 1 events have no lineage."),
    ("ingest empty.jsonl", "empty.jsonl: there are no events, so nothing was added."),
    ("db import empty.jsonl", "empty.jsonl: there are no rows, so nothing was added."),
    ("db events", "The store has no whole events."),
    ("upstream --name mrat", "Dataset 'mrat' is not in the store. Similar names: mart."),
    ("fields --name mrat", "Dataset 'mrat' is not in the store. Similar names: mart."),
    ("history --name mrat", "Dataset 'mrat' is not in the store. Similar names: mart."),
    ("diff --name mrat --before now-1d", "Dataset 'mrat' is not in the store. Similar names: mart"),
    ("diff --name mart --before 1999-01-01 --after 2000-01-01", "No run had reported how mart is"),
    ("tags show --name mrat", "Dataset 'mrat' is not in the store. Similar names: mart."),
    ("tags find pij", "No tag that matches 'pij' is or was set. Similar tags: pii."),
    ("tags history pij", "No tag that matches 'pij' is or was set. Similar tags: pii."),
    ("unused --name mrat", "Dataset 'mrat' is not in the store. Similar names: mart."),
    ("unused --namespace flie", "No dataset is in namespace 'flie'. "),
    ("why mart.total --since 1999-01-01 --until 2000-01-01", "No lineage of mart.total is known"),
    (
        "rerun --changed mart.total --interval 2026-11-01 --dry-run",
        "'2026-11-01' is not an interval. Expected START/END.",
    ),
    (
        "rerun --changed mart.total --interval 2026-11-02/2026-11-01 --dry-run",
        "'2026-11-02/2026-11-01' ends before it starts.",
    ),
    ("convert --from unity-catalog rows.csv", "rows.csv: there is no lineage in it"),
    ("plan --sql typo.sql --dialect postgres", "typo.sql, line 1: the statement cannot be parsed."),
    ("plan --sql comment.sql --dialect postgres", "comment.sql has no statement."),
]


def every_command(
    group: click.Group = main, above: str = ""
) -> Iterator[tuple[str, click.Command]]:
    """The whole name of each command, and the command; those of `warehouse` are one."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command, whole = group.get_command(context, name), f"{above}{name}"
        if isinstance(command, click.Group) and name != "warehouse":
            yield from every_command(command, f"{whole} ")
        elif command:
            yield whole, command


def test_every_command_that_takes_a_field_is_tried_with_a_mistyped_one() -> None:
    assert {
        name
        for name, command in every_command()
        if {parameter.name for parameter in command.params} & {"field", "fields", "changed"}
    } == OF_FIELDS.keys()


@pytest.mark.parametrize(("words", "why"), NOTHING, ids=[words for words, _ in NOTHING])
def test_a_command_that_has_looked_at_nothing(store: str, words: str, why: str) -> None:
    result = colgraph("--store", store, *words.split())
    errors = [line for line in result.stderr.splitlines() if "error:" in line]
    assert (result.exit_code, len(errors)) == (2, 1), result.output
    assert errors[0].startswith(f"colgraph: error: {why}")


@pytest.mark.parametrize("file", ["start.jsonl", "silent.jsonl", "failed.jsonl"])
@pytest.mark.parametrize("form", ["table", "json", "markdown", "sarif", "junit"])
def test_a_check_of_runs_without_outputs_is_undetermined(store: str, file: str, form: str) -> None:
    result = colgraph("check", "--store", store, "--format", form, file)
    assert result.exit_code == 2
    assert "lineage-missing" in result.stdout
    assert "reported no output" in result.stdout or "has no output yet" in result.stdout


def test_a_rule_says_that_a_job_writes_nothing(store: str) -> None:
    """What it wrote before is gone then, and that is found."""
    rule = "[[check.rules]]\nkinds = ['lineage-missing']\ndatasets = ['{}']\nseverity = 'ignore'\n"
    Path("colgraph.toml").write_text(rule.format("*/daily"))
    result = colgraph("check", "--store", store, "silent.jsonl")
    assert (result.exit_code, result.stdout.splitlines()[0].split()[:3]) == (
        1,
        ["error", "dataset-removed", "mart"],
    )
    Path("new.jsonl").write_text(lines({**SILENT, "job": {"namespace": "n", "name": "cleanup"}}))
    assert colgraph("check", "--store", store, "new.jsonl").exit_code == 2
    Path("colgraph.toml").write_text(rule.format("n/cleanup"))
    result = colgraph("check", "--store", store, "new.jsonl")
    assert (result.exit_code, result.stdout) == (0, "nothing compared: no change\n")


def test_a_writer_that_is_silent_beside_others_is_undetermined(store: str) -> None:
    Path("both.jsonl").write_text(lines(SILENT, EVENTS[1]))
    result = colgraph("check", "--store", store, "both.jsonl")
    assert result.exit_code == 2
    assert result.stdout.startswith("error    lineage-missing")
    other = {**SILENT, "job": {"namespace": "n", "name": "never wrote"}}
    Path("both.jsonl").write_text(lines(other, EVENTS[1]))
    assert colgraph("check", "--store", store, "both.jsonl").exit_code == 0


@pytest.mark.parametrize(
    ("file", "why"),
    [
        ("typo.toml", "1 policy checked: no dataset of the store matches '*/reprot'"),
        ("tag.toml", "1 policy checked: no tag that matches 'pij' is or was set"),
    ],
)
def test_a_policy_whose_pattern_matches_nothing(store: str, file: str, why: str) -> None:
    result = colgraph("policy", "check", "--store", store, "--config", file)
    assert (result.exit_code, result.stdout) == (2, f"{why}\n")
    Path(file).write_text(f"{Path(file).read_text()}optional = true\n")
    result = colgraph("policy", "check", "--store", store, "--config", file, "--format", "json")
    assert (result.exit_code, json.loads(result.stdout)["exitCode"]) == (0, 0)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (
            "history --name mart --start 2026-12-02 --end 2026-12-01",
            "Start 2026-12-02 is after end 2026-12-01.",
        ),
        (
            "diff --name mart --before 2026-12-02 --after 2026-12-01",
            "2026-12-02T00:00:00.000Z is after 2026-12-01T00:00:00.000Z.",
        ),
        ("why mart.total --since 2020-01-01", "is known at 2020-01-01T00:00:00.000Z."),
        ("retire --namespace n --job j --at now+1d", "expected a time that is not after now."),
    ],
)
def test_times_that_cannot_be_answered(store: str, words: str, why: str) -> None:
    result = colgraph(*words.split(), "--store", store)
    assert result.exit_code == 2
    assert result.stderr.strip().endswith(why)


ASKED = [
    "check events.jsonl",
    "policy check --config typo.toml",
    "upstream --name mart",
    "downstream --name mart",
    "find mart",
    "fields --name mart",
    "history --name mart",
    "diff --name mart --before now-1d",
    "tags show --name mart",
    "tags find pii",
    "tags history",
    "tags add pii --name mart",
    "tags remove pii --name mart",
    "unused",
    "copies mart.total",
    "why mart.total --since now-1d",
    "rerun --changed mart.total --dry-run",
    *(f"export {name}" for name in ("openlineage", "datahub", "openmetadata", "csv", "dot")),
    "db events",
    "db export",
    "db prune --before now",
    "db key list",
    "db size",
    "db backup new.db",
    "forget --namespace n --dataset mart",
    "retire --dag daily",
    "audit",
    "db key revoke nobody",
    "db key rotate nobody",
    "plan --sql typo.sql --dialect postgres",
    "convert --from dbt target --namespace postgres://db:5432",
    "mcp",
]
CREATE = {
    "serve",
    "ingest",
    "deliver",
    "consume",
    "db migrate",
    "db import",
    "db restore",
    "db keep-events",
    "db key add",
}
WITHOUT_STORE = {
    "doctor",
    "metrics",
    "submit",
    "pipelines",
    "connect-server",
    "collector",
    "show",
    "paths",
}


@pytest.mark.parametrize("words", ASKED)
@pytest.mark.parametrize("place", ["typo/x.db", "empty.db"])
def test_a_command_that_reads_creates_nothing(store: str, words: str, place: str) -> None:
    """Neither a folder, a file nor tables: a mistyped store stays a mistake that is seen."""
    Path("empty.db").touch()
    Path("target").mkdir()
    for name in ("manifest", "run_results"):
        Path("target", f"{name}.json").write_text(DBT[name])
    before = sorted(set(Path().rglob("*")) - set(Path("full").rglob("*")))
    result = colgraph(*words.split(), "--store", f"sqlite:///{place}")
    assert result.exit_code == 2
    (line,) = [line for line in result.stderr.splitlines() if "error:" in line]
    why = "does not exist" if place == "typo/x.db" else "has no tables"
    hint = "Check the URL, or create it: colgraph db migrate."
    assert line == f"colgraph: error: The store sqlite:///{place} {why}. {hint}"
    assert sorted(set(Path().rglob("*")) - set(Path("full").rglob("*"))) == before
    assert Path("empty.db").stat().st_size == 0


DBT = {
    "manifest": json.dumps(
        {
            "metadata": {"adapter_type": "postgres", "generated_at": "2026-11-20T10:00:00Z"},
            "nodes": {
                "model.p.m": {
                    "resource_type": "model",
                    "unique_id": "model.p.m",
                    "name": "m",
                    "database": "d",
                    "schema": "s",
                    "alias": "m",
                    "compiled_code": "SELECT a FROM d.s.raw",
                    "depends_on": {"nodes": []},
                    "config": {"materialized": "table"},
                    "columns": {},
                }
            },
            "sources": {},
        }
    ),
    "run_results": json.dumps(
        {
            "metadata": {"generated_at": "2026-11-20T10:00:00Z", "invocation_id": "i"},
            "args": {"which": "run"},
            "results": [{"unique_id": "model.p.m", "status": "success", "timing": []}],
        }
    ),
}


def test_each_command_is_in_a_table_here(store: str) -> None:
    """A new command has to say what it does with nothing; the warehouse has its own test."""

    names = {name for name, _ in every_command()}
    asked = {*ASKED, *(words for words, _ in NOTHING)}
    shown = {name for name in names if any(f"{one} ".startswith(f"{name} ") for one in asked)}
    assert names - shown - CREATE - WITHOUT_STORE == {"warehouse"}


def test_an_empty_store_answers_no_question(store: str) -> None:
    url = "sqlite:///new.db"
    Store.open(url).close()
    assert colgraph("--store", url, "check", "events.jsonl").exit_code == 2
    for words in ("unused", "find mart", "export openlineage", "export csv", "export dot"):
        assert colgraph("--store", url, *words.split()).exit_code == 2, words
    assert colgraph("--store", url, "export", "openlineage", "--since", "now-1d").exit_code == 0


def test_events_are_read_from_standard_input(store: str) -> None:
    shown = colgraph("show", "-", stdin=lines(*EVENTS))
    assert shown.output == colgraph("show", "events.jsonl").output
    checked = colgraph("check", "--store", store, "-", stdin=lines(*EVENTS))
    assert (checked.exit_code, checked.stdout) == (0, "2 datasets compared: no change\n")


def test_a_new_dataset_is_not_called_compared(store: str) -> None:
    """The names of CI may differ from those of the store by mistake: then nothing is compared."""
    Path("new.jsonl").write_text(lines(copy_event("other", 12, "other", {"x": "orders.amount"})))
    result = colgraph("check", "--store", store, "new.jsonl")
    assert result.stdout.splitlines()[-1] == "nothing compared: 1 dataset new: 1 note"


def test_a_field_has_the_tags_of_its_parts(store: str) -> None:
    Store.open(store).add([copy_event("nested", 13, "people", {"c.mail": "orders.mail"})])
    for field in ("c.mail", "c"):
        result = colgraph("tags", "show", "--store", store, "--name", "people", "--field", field)
        assert result.stdout.splitlines()[0] == "n people: c.mail  pii"
