"""Policies as if planned jobs had run: `colgraph policy check --planned`."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from airflow_colgraph.check.planned import as_if_run
from airflow_colgraph.check.settings import Settings
from airflow_colgraph.cli import main
from airflow_colgraph.store.query.listing import every_dataset
from airflow_colgraph.store.store import Store
from tests.store.samples import event, output, table_rows

Json = dict[str, Any]
POLICY = '[[policy.rules]]\ndatasets = ["n/report"]\ntags = ["pii"]\n'
TAG = {"tags": {"tags": [{"key": "pii", "value": "email", "field": "mail"}]}}
RAW = event("load", 1, [{**output("raw", {"mail": ""}), "facets": TAG}])
RAW["outputs"][0]["facets"] |= output("raw", {"mail": ""})["facets"]
MASKED = "raw.mail DIRECT:TRANSFORMATION:masking"
MAPPING = '[[check.datasets]]\nfrom = ["file", "/ci/"]\nto = ["n", ""]\n'


def report(source: str, minute: int, **more: Any) -> Json:
    return event("shop.report", minute, [output("report", {"contact": source})], **more)


def planned(source: str, minute: int = -600, **more: Any) -> Json:
    """An event of a plan that was made before the runs in the store."""
    facets = {"colgraph_plan": more.pop("plan", {})}
    return report(source, minute, reads=["raw"], run=99, **facets, **more)


def in_namespace(job: str, some: Json) -> Json:
    return {**some, "job": {**some["job"], "namespace": job}}


def in_ci(some: Json) -> Json:
    """The event with the names that the datasets have in CI."""
    text = json.dumps([some["outputs"], some["inputs"]])
    outputs, inputs = json.loads(text.replace('"n", "name": "', '"file", "name": "/ci/'))
    return {**some, "outputs": outputs, "inputs": inputs}


@pytest.fixture
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "colgraph.toml").write_text(POLICY)
    return f"sqlite:///{tmp_path}/x.db"


def check(url: str, runs: list[Json], plan: list[Json], *more: str) -> Result:
    with Store.open(url) as store:
        store.add(runs)
    Path("plan.jsonl").write_text("".join(json.dumps(some) + "\n" for some in plan))
    words = ["policy", "check", "--planned", "plan.jsonl", *more, "--store", url]
    return CliRunner().invoke(main, words)


CASES = {
    "a plan that shows the value": (MASKED, planned("raw.mail"), 1),
    "a plan that masks it": ("raw.mail", planned(MASKED), 0),
    "a plan in CI's namespace of jobs": ("raw.mail", in_namespace("ci", planned(MASKED)), 0),
    "a plan that failed": (MASKED, planned(MASKED, state="FAIL"), 2),
    "a plan without rows": (MASKED, planned(MASKED, plan={"withoutRows": ["count"]}), 2),
    "a plan whose sources have other names": (MASKED, in_ci(planned("raw.mail")), 2),
}


@pytest.mark.parametrize(("before", "plan", "code"), CASES.values(), ids=list(CASES))
def test_a_change_is_checked_before_it_runs(url: str, before: str, plan: Json, code: int) -> None:
    result = check(url, [RAW, report(before, 2)], [plan])
    assert result.exit_code == code, result.output


def test_the_reasons_why_it_is_undetermined_are_named(url: str) -> None:
    failed = check(url, [RAW, report(MASKED, 2)], [planned(MASKED, state="FAIL")])
    assert failed.stdout == (
        "1 policy checked: lineage-missing shop.report: its run failed, so it may write more\n"
    )
    answer = check(url, [], [planned(MASKED, state="FAIL")], "--format", "json")
    assert json.loads(answer.stdout)["gaps"] == [
        "lineage-missing shop.report: its run failed, so it may write more"
    ]


def test_names_of_ci_are_mapped(url: str) -> None:
    Path("colgraph.toml").write_text(POLICY + MAPPING)
    result = check(url, [RAW, report(MASKED, 2)], [in_ci(planned("raw.mail"))])
    assert result.exit_code == 1, result.output


def test_a_source_that_the_store_does_not_have_is_named(url: str) -> None:
    plan = planned(MASKED)
    plan["inputs"].append({"namespace": "n", "name": "elsewhere"})
    result = check(url, [RAW, report(MASKED, 2)], [plan])
    assert result.exit_code == 0
    assert "the store does not have n elsewhere, which the plan reads" in result.stderr


def test_the_store_is_not_changed(url: str) -> None:
    with Store.open(url) as store:
        store.add([RAW, report(MASKED, 2)])
        before = table_rows(store)
    assert check(url, [], [planned("raw.mail")]).exit_code == 1
    with Store.open(url) as store:
        assert table_rows(store) == before


ASKED = {
    "upstream": ("upstream", "--name", "report", "--field", "contact"),
    "downstream": ("downstream", "--name", "raw", "--field", "mail"),
    "copies": ("copies", "raw.mail"),
    "tags show": ("tags", "show", "--name", "report"),
    "tags find": ("tags", "find", "pii"),
    "why": ("why", "report.contact", "--since", "now-1d"),
}


@pytest.mark.parametrize("words", ASKED.values(), ids=list(ASKED))
def test_questions_are_answered_as_if_it_had_run(
    url: str, tmp_path: Path, words: tuple[str, ...]
) -> None:
    def asked(*more: str) -> Result:
        result = CliRunner().invoke(main, [*words, *more, "--store", url])
        assert result.exit_code == 0, result.output
        return result

    plan = planned("raw.mail")
    with Store.open(url) as store:
        store.add([RAW, report(MASKED, 2)])
        before = table_rows(store)
    Path("plan.jsonl").write_text(json.dumps(plan))
    now, then = asked(), asked("--planned", "plan.jsonl")
    assert then.stdout != now.stdout
    with Store.open(url) as store:
        assert table_rows(store) == before
    broken = planned("raw.mail", state="FAIL")
    Path("plan.jsonl").write_text(json.dumps(broken))
    assert "its run failed, so it may write more" in asked("--planned", "plan.jsonl").stderr


def test_writers_do_not_wait_for_it(url: str) -> None:
    """It held the write lock of SQLite, which one transaction of all has."""
    with Store.open(url) as store, Store.open(url, seconds=1) as other:
        store.add([RAW, report(MASKED, 2)])
        with as_if_run(store, [planned("raw.mail")], Settings()) as trial:
            other.add(event("load", 3, [output("more", {"x": "raw.mail"})]))
            with trial.store.connection() as connection:
                assert "more" not in {row[2] for row in every_dataset(connection)}


def test_a_time_is_refused(url: str) -> None:
    result = check(url, [RAW], [planned("raw.mail")], "--at", "now-1d")
    assert result.exit_code == 2
    assert "--planned is about now; leave out --at." in result.stderr
