"""`colgraph check` on event files, with a base file and with a store."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from airflow_colgraph.cli import main

AT = "2026-11-20T10:00:00Z"


def event(run: int, output: str, columns: dict[str, str], **facets: object) -> dict[str, object]:
    """A run that made each column of `output` of a column of /orders."""

    def made_of(field: str) -> list[dict[str, object]]:
        step = {"type": "DIRECT", "subtype": "IDENTITY", "description": "", "masking": False}
        source = "/orders" if output == "/daily" else "/daily"
        return [{"namespace": "file", "name": source, "field": field, "transformations": [step]}]

    fields = {name: {"inputFields": made_of(field)} for name, field in columns.items()}
    return {
        "eventTime": AT,
        "eventType": "COMPLETE",
        "run": {"runId": f"0199aaaa-0000-7000-8000-{run:012}", "facets": facets},
        "job": {"namespace": "shop", "name": f"job{output}"},
        "outputs": [
            {"namespace": "file", "name": output, "facets": {"columnLineage": {"fields": fields}}}
        ],
    }


BASE = [
    event(1, "/daily", {"total": "amount", "day": "day"}),
    event(2, "/report", {"total": "total"}),
]
DIAGNOSTICS = {
    "colgraph_diagnostics": {"unresolved": [{"class": "Odd", "count": 1}], "truncated": ""}
}


def write(file: Path, *events: dict[str, object]) -> str:
    file.write_text("".join(json.dumps(one) + "\n" for one in events))
    return str(file)


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    return write(tmp_path / "base.jsonl", *BASE)


def check(*given: str) -> Result:
    return CliRunner().invoke(main, ["check", *given])


def test_a_plan_is_taken_as_a_run(base: str) -> None:
    planned = event(3, "/daily", {"total": "amount"}, colgraph_plan={})
    ran = check("--base", base, write(Path("new.jsonl"), planned), "--format", "json")
    (found,) = [one for one in json.loads(ran.stdout)["changes"] if one["column"]]
    assert (found["kind"], found["column"]) == ("column-removed", "day")


def test_a_plan_whose_actions_had_no_rows_is_undetermined(base: str) -> None:
    facet = {"withoutRows": ["DataFrame.count at daily.py:12"]}
    planned = {**BASE[0], "run": {**BASE[0]["run"], "facets": {"colgraph_plan": facet}}}
    new = write(Path("new.jsonl"), planned)
    ran = check("--base", base, new)
    assert ran.exit_code == 2
    assert "plan-incomplete" in ran.stdout
    assert "DataFrame.count at daily.py:12" in ran.stdout
    Path("colgraph.toml").write_text(
        '[[check.rules]]\nkinds = ["plan-incomplete"]\nseverity = "ignore"\n'
    )
    assert check("--base", base, new).exit_code == 0


def test_nothing_has_changed(base: str) -> None:
    ran = check("--base", base, write(Path("new.jsonl"), BASE[0]))
    assert (ran.exit_code, ran.output) == (0, "1 dataset compared: no change\n")


def test_a_column_that_is_gone(base: str) -> None:
    ran = check("--base", base, write(Path("new.jsonl"), event(3, "/daily", {"day": "day"})))
    assert ran.exit_code == 1
    assert ran.stdout.splitlines() == [
        "error    column-removed          /daily.total  came from /orders.amount",
        "                                 1 column of /report, by job/report",
        "1 dataset compared: 1 error",
    ]


def test_a_pattern_that_matches_no_dataset_is_named(base: str) -> None:
    """A mistyped export depends on nothing, and the check was green without a word."""
    store = "sqlite:///lineage.db"
    assert CliRunner().invoke(main, ["--store", store, "ingest", "-q", base]).exit_code == 0
    new = write(Path("new.jsonl"), event(3, "/new", {"day": "day"}))
    Path("colgraph.toml").write_text(
        "[[check.exports]]\nname = 'x'\ndatasets = ['*/reprot', '*/report']\n"
        "[[check.rules]]\ndatasets = ['*/new', '*/dialy']\nseverity = 'error'\n"
        "[[check.rules]]\nkinds = ['lineage-missing']\ndatasets = ['shop/*']\nseverity = 'note'\n"
    )
    ran = check("--store", store, new)
    assert [line.split("matches ")[1].split()[0] for line in ran.stderr.splitlines()] == [
        "'*/dialy'",
        "'*/reprot'",
    ]
    assert check("--base", base, new).stderr == ""


def test_the_store_is_the_base_by_default(base: str) -> None:
    store = "sqlite:///lineage.db"
    assert CliRunner().invoke(main, ["--store", store, "ingest", "-q", base]).exit_code == 0
    new = write(Path("new.jsonl"), event(3, "/daily", {"day": "day"}))
    ran = check("--store", store, "--format", "json", new)
    assert ran.exit_code == 1
    found = json.loads(ran.stdout)
    assert found["exitCode"] == 1
    assert found["datasets"] == ["file /daily"]
    assert found["changes"] == [
        {
            "kind": "column-removed",
            "severity": "error",
            "class": "breaking",
            "waived": None,
            "expired": None,
            "namespace": "file",
            "name": "/daily",
            "column": "total",
            "before": "/orders.amount",
            "after": None,
            "dependents": {
                "columns": [{"namespace": "file", "name": "/report", "column": "total"}],
                "jobs": ["job/report"],
                "dags": [],
                "owners": [],
                "exports": [],
                "truncated": False,
            },
        }
    ]


def test_who_is_concerned(tmp_path: Path, base: str) -> None:
    airflow = {"dag": {"dag_id": "shop"}, "task": {"task_id": "report"}}
    report = event(2, "/report", {"total": "total"}, airflow=airflow)
    owner = {"owners": [{"name": "team:finance", "type": "MAINTAINER"}]}
    report["outputs"][0]["facets"]["ownership"] = owner  # type: ignore[index]
    owned = write(Path("owned.jsonl"), BASE[0], report)
    gone = write(Path("new.jsonl"), event(3, "/daily", {"day": "day"}))
    Path("colgraph.toml").write_text(
        "[[check.exports]]\nname = 'dashboard: revenue'\ndatasets = ['file//report']\n"
        "[[check.exports]]\nname = 'feed'\ndatasets = ['file//other']\n"
    )
    shown = "1 column of /report, by job/report; used by dashboard: revenue; owned by team:finance"
    assert check("--base", owned, gone).stdout.splitlines()[1].strip() == shown
    assert shown in check("--base", owned, gone, "--format", "markdown").stdout
    found = json.loads(check("--base", owned, gone, "--format", "json").stdout)
    (dependents,) = [one["dependents"] for one in found["changes"]]
    assert (dependents["dags"], dependents["owners"], dependents["exports"]) == (
        ["shop"],
        ["team:finance"],
        ["dashboard: revenue"],
    )


def test_a_change_that_only_an_export_depends_on_is_an_error(base: str) -> None:
    gone = write(Path("new.jsonl"), event(3, "/report", {"other": "total"}))
    warned = check("--base", base, gone, "--format", "json")
    assert {one["severity"] for one in json.loads(warned.stdout)["changes"]} == {"warning"}
    Path("colgraph.toml").write_text(
        "[[check.exports]]\nname = 'feed'\ndatasets = ['file//report']\n"
    )
    ran = check("--base", base, gone)
    assert ran.exit_code == 1
    assert ran.stdout.splitlines()[1].strip() == "used by feed"


def test_lineage_that_is_not_known_is_exit_code_2(base: str) -> None:
    columns = {"total": "amount", "day": "day"}
    new = write(Path("new.jsonl"), event(3, "/daily", columns, **DIAGNOSTICS))
    ran = check("--base", base, new)
    assert ran.exit_code == 2
    assert "lineage-unknown         /daily  not resolved: Odd" in ran.stdout
    both = write(Path("both.jsonl"), event(3, "/daily", {"day": "day"}, **DIAGNOSTICS))
    assert check("--base", base, both).exit_code == 1


def test_junit(base: str) -> None:
    gone = event(3, "/daily", {"day": "day"})
    unknown = event(4, "/other", {"x": "day"}, **DIAGNOSTICS)
    ran = check("--base", base, "--format", "junit", write(Path("new.jsonl"), gone, unknown))
    suite = ElementTree.fromstring(ran.stdout)
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("2", "1", "1")
    daily, other = suite
    assert daily.get("name") == "file /daily"
    assert daily[0].get("message") == (
        "column-removed /daily.total: came from /orders.amount."
        " Depends on it: 1 column of /report, by job/report"
    )
    assert other[0].tag == "error"
    assert other[1].text.startswith("dataset-added /other")


def test_names_mean_nothing_in_markdown_and_xml(base: str) -> None:
    new = event(3, "/daily", {"total": "amount", "day": "day", "<b>|`@me`\x01": "day"})
    file = write(Path("new.jsonl"), new)
    text = check("--base", base, "--format", "markdown", file).stdout
    (row,) = [line for line in text.splitlines() if "column-added" in line]
    assert row.count("|") == 5
    assert "@me" not in row
    assert "<b>" not in row
    assert "`" not in row
    ElementTree.fromstring(check("--base", base, "--format", "junit", file).stdout)


def test_a_file(base: str) -> None:
    new = write(Path("new.jsonl"), BASE[0])
    assert check("--base", base, "--output", "out.txt", new).output == ""
    assert Path("out.txt").read_text() == "1 dataset compared: no change\n"
    ran = check("--base", base, "--output", "none/out.txt", new)
    assert (ran.exit_code, ran.stderr) == (
        1,
        "colgraph: error: none/out.txt: No such file or directory.\n",
    )


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (["none.jsonl"], "none.jsonl does not exist."),
        (["torn.jsonl"], "torn.jsonl, line 1"),
        (["--base", "none.jsonl", "base.jsonl"], "none.jsonl does not exist."),
        (["--config", "none.toml", "base.jsonl"], "none.toml: No such file"),
        (["--baseline", "none.json", "base.jsonl"], "none.json: No such file"),
        (["--baseline", "torn.jsonl", "base.jsonl"], "torn.jsonl: it is no report"),
    ],
)
def test_input_that_cannot_be_used(base: str, given: list[str], text: str) -> None:
    Path("torn.jsonl").write_text('{"run": ')
    ran = check(*given)
    assert ran.exit_code == 2
    assert text in ran.stderr
    assert "Traceback" not in ran.stderr


RULES = """
[[check.rules]]
severity = "error"
datasets = ["*/daily", "*/dayly"]
columns = ["tot*", "totla", "fresh"]
tags = ["pii", "pi"]
owners = ["team:bi", "team:ib"]
"""


def test_patterns_that_match_nothing_are_named(base: str) -> None:
    """A mistyped tag, owner or column let every change pass without a word."""
    store = f"sqlite:///{Path('s.db').absolute()}"
    known = event(1, "/daily", {"total": "amount"})
    (output,) = known["outputs"]  # type: ignore[misc]
    output["facets"] |= {
        "ownership": {"owners": [{"name": "team:bi", "type": "OWNER"}]},
        "tags": {"tags": [{"key": "pii", "value": "true", "field": "total"}]},
    }
    CliRunner().invoke(main, ["--store", store, "ingest", write(Path("known.jsonl"), known)])
    Path("rules.toml").write_text(RULES)
    new = write(Path("new.jsonl"), event(2, "/daily", {"total": "amount", "fresh": "day"}))
    ran = CliRunner().invoke(main, ["--store", store, "check", "--config", "rules.toml", new])
    assert [line for line in ran.stderr.splitlines() if "warning" in line] == [
        f"colgraph: warning: no {what} of the store matches {pattern!r} of the rules or exports."
        for what, pattern in (
            ("dataset", "*/dayly"),
            ("tag", "pi"),
            ("column", "totla"),
            ("owner", "team:ib"),
        )
    ]
