"""`colgraph tags` and `colgraph policy check`."""

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from airflow_colgraph.cli import main
from airflow_colgraph.store.store import Store
from tests.store.samples import NOON, copy_event, run_id

RULES = """
[[tags.rules]]
tags = ["pii=email"]
masking = true

[[policy.rules]]
datasets = ["n/mart*"]
tags = ["pii"]
"""


@pytest.fixture
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    url = f"sqlite:///{tmp_path}/colgraph.db"
    masked = "raw.mail DIRECT:TRANSFORMATION:masking"
    Store.open(url).add(
        [
            copy_event("load", 10, "raw", {"mail": "csv.mail"}),
            copy_event("mart", 20, "mart", {"m": "raw.mail", "h": masked}),
        ]
    )
    return url


def run(url: str, *words: str, code: int = 0) -> str:
    result = CliRunner().invoke(main, ["--store", url, *words])
    assert result.exit_code == code, result.output
    return result.output


def add(url: str, *tags: str) -> str:
    return run(url, "tags", "add", *tags, "--name", "raw", "--field", "mail", "--by", "anna")


def test_add_show_and_remove(url: str) -> None:
    assert add(url, "pii=email", "gdpr") == "+ n raw: mail  pii=email\n+ n raw: mail  gdpr\n"
    shown = run(url, "tags", "show", "--name", "mart").splitlines()
    assert shown[0] == "n mart: m  gdpr"
    assert shown[1] == f"  <- n raw: mail  DIRECT IDENTITY  mart run {run_id(20)}"
    assert shown[2].startswith("  set on n raw: mail by anna at 20")
    assert len(shown) == 6
    assert run(url, "tags", "show", "--name", "mart", "--field", "h") == ("n mart: h has no tag.\n")
    removed = run(url, "tags", "remove", "gdpr", "--name", "raw", "--field", "mail")
    assert removed == "- n raw: mail  gdpr\n"
    assert "gdpr" not in run(url, "tags", "show", "--name", "mart")
    past = json.loads(run(url, "tags", "history", "gdpr", "--format", "json"))
    assert [(one["by"], one["ended_at"] is None) for one in past] == [("anna", False)]
    assert "pii=email" in run(url, "tags", "history")


def test_find_as_json_and_csv(url: str) -> None:
    add(url, "pii=email")
    assert run(url, "tags", "find", "pii", "--at", "0") == "No field or dataset has such a tag.\n"
    found = json.loads(run(url, "tags", "find", "pii", "--format", "json"))
    assert [(one["name"], one["field"], len(one["path"])) for one in found] == [
        ("mart", "m", 1),
        ("raw", "mail", 0),
    ]
    assert found[0]["path"][0]["run"] == run_id(20)
    assert found[0]["set"]["by"] == "anna"
    rows = list(csv.DictReader(io.StringIO(run(url, "tags", "find", "p*", "--format", "csv"))))
    assert [row["tag"] for row in rows] == ["pii=email", "pii=email"]
    assert rows[0]["path"].startswith("<- n raw: mail")


def test_tags_as_of_a_time(url: str) -> None:
    add(url, "pii")
    assert "No field" in run(url, "tags", "find", "pii", "--at", str(NOON // 1000 - 10**8))


def test_rules_are_read(url: str) -> None:
    add(url, "pii=email")
    Path("colgraph.toml").write_text(RULES)
    assert "n mart: h  pii=email" in run(url, "tags", "find", "pii")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["add", "pii", "--name", "nowhere"], "Dataset 'nowhere' is not in the store."),
        (["add", "=x", "--name", "raw"], "Tag is '=x'. Expected KEY or KEY=VALUE"),
        (["remove", "pii", "--name", "raw"], "Tag 'pii' is not on raw."),
        (["show", "--name", "raw", "--at", "noon"], "'noon' is not a time."),
        (["show", "--name", "raw", "--config", "no.toml"], "no.toml: No such file"),
    ],
)
def test_errors_are_one_line(url: str, words: list[str], message: str) -> None:
    shown = run(url, "tags", *words, code=2)
    assert shown.startswith(f"colgraph: error: {message}")
    assert shown.count("\n") == 1


def policy(url: str, rules: str, *words: str, code: int) -> str:
    Path("colgraph.toml").write_text(rules)
    return run(url, "policy", "check", *words, code=code)


def test_a_policy_fails_warns_or_passes(url: str) -> None:
    passed = "1 policy checked: no tag where it must not be\n"
    assert policy(url, f"{RULES}optional = true", code=0) == passed
    add(url, "pii=name")
    shown = policy(url, RULES, code=1).splitlines()
    assert shown[0] == "error    n mart: m  pii=name"
    assert shown[1] == f"           <- n raw: mail  DIRECT IDENTITY  mart run {run_id(20)}"
    assert shown[-1] == "1 policy checked: 1 error"
    warned = policy(url, RULES + 'severity = "warning"', code=0)
    assert warned.endswith("1 policy checked: 1 warning\n")
    elsewhere = f"{RULES.replace('n/mart*', 'n/other*')}optional = true"
    assert policy(url, elsewhere, code=0) == passed
    found = json.loads(policy(url, RULES, "--format", "json", code=1))
    assert [(one["severity"], one["field"]) for one in found["violations"]] == [("error", "m")]
    before = str(NOON // 1000)
    assert policy(url, RULES, "--at", before, code=0) == passed


def test_without_a_policy_nothing_is_decided(url: str) -> None:
    shown = run(url, "policy", "check", code=2)
    assert shown == (
        "colgraph: error: There is no policy. Write [[policy.rules]] into colgraph.toml.\n"
    )
