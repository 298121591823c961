"""CONTRIBUTING's worked example: its case fails without the rule and passes with it."""

import re
from pathlib import Path

import pytest

from airflow_colgraph.collector.rule_api import EXPRESSIONS
from tests.collector.cases.loader import Case, lineage_in, lineage_of, recorded_cases
from tests.collector.test_cases import RECORDED, events_of

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
EXAMPLE = TEXT[TEXT.index("## Worked example") :]
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", EXAMPLE, flags=re.M | re.S)
CASE = "expressions_more_ranks_and_nanvl"


def block(language: str, number: int = 0) -> str:
    return [text for kind, text in BLOCKS if kind == language][number]


def lineage(version: str) -> frozenset[str]:
    (case,) = (case for case in recorded_cases() if case.name == CASE)
    return lineage_of(events_of(RECORDED[version][CASE], case), "")


def documented_case() -> Case:
    (case,) = (case for case in recorded_cases() if case.name == CASE)
    return case


@pytest.mark.parametrize("version", RECORDED)
def test_the_rule_turns_the_failing_case_into_a_passing_one(
    version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = documented_case().lineage
    monkeypatch.delitem(EXPRESSIONS, "NaNvl")
    failing = lineage(version)
    assert failing - expected == lineage_in(block("text"))
    exec(compile(block("python"), "CONTRIBUTING.md", "exec"), {})
    assert EXPRESSIONS["NaNvl"].__code__.co_filename == "CONTRIBUTING.md"
    assert lineage(version) == expected


def test_the_case_and_the_coverage_row_are_the_repository_s() -> None:
    assert block("sql") in (ROOT / "tests/collector/cases/expressions.sql").read_text()
    assert block("text", 1) in (ROOT / "docs/coverage.md").read_text()


def test_the_places_that_it_names_exist() -> None:
    package = ROOT / "airflow_colgraph"
    named = re.findall(r"`((?:collector|tests|airflow_colgraph|dev)/[\w./-]*)", TEXT)
    assert named
    built = {"airflow_colgraph/ui/dist"}  # by `make ui`
    missing = {n for n in named if not ((ROOT / n).exists() or (package / n).exists())}
    assert missing <= built
