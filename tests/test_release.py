"""`make release-check`, and the workflows: what they promise is what the pins and targets have."""

import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml

from airflow_colgraph import __version__
from dev import release
from dev.build_ui import ROOT

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
ACTION = ROOT / ".github/actions/check/action.yml"
# The newest Python that each project names in the metadata of the version that is pinned.
NEWEST = {
    "spark": {"3.5": 11, "4.0": 13, "4.1": 13, "4.3": 13},
    "airflow": {"2.11": 12, "3.1": 13, "3.3": 13},
}


def test_a_release_has_notes_with_its_date() -> None:
    assert release.notes_problems("# Changelog\n\n## 1.2.0 (2026-11-26)\n", "1.2.0") == []
    unreleased = release.notes_problems("## 1.2.0 (unreleased)\n", "1.2.0")
    assert unreleased == ["CHANGELOG.md has no date for 1.2.0: 'unreleased'."]
    other = release.notes_problems("## 1.1.0 (2026-11-26)\n", "1.2.0")
    assert other == ["CHANGELOG.md does not begin with version 1.2.0, which __version__ is."]
    assert release.notes_problems((ROOT / "CHANGELOG.md").read_text(), __version__) in (
        [],
        [f"CHANGELOG.md has no date for {__version__}: 'unreleased'."],
    )


def test_a_tag_is_the_version() -> None:
    assert release.tag_problems("", "1.2.0") == release.tag_problems("v1.2.0", "1.2.0") == []
    assert release.tag_problems("1.2.0", "1.2.0") == ["The tag is 1.2.0. Expected v1.2.0."]


def test_the_files_have_to_be_built(tmp_path: Path) -> None:
    assert len(release.file_problems(tmp_path)) == 4
    (tmp_path / f"colgraph-{__version__}.tar.gz").touch()
    assert len(release.file_problems(tmp_path)) == 3


def test_the_version_is_written_in_one_place() -> None:
    """It was also in the provider's dependencies, where a release could forget it."""
    files = [*ROOT.glob("*.toml"), ROOT / "distributions/colgraph/pyproject.toml"]
    assert [file for file in files if __version__ in re.sub("#.*", "", file.read_text())] == []


@pytest.fixture(scope="module")
def matrix() -> dict[str, Any]:
    jobs = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text())["jobs"]
    return jobs["leg"]["strategy"]["matrix"]  # type: ignore[no-any-return]


def legs(matrix: dict[str, Any]) -> set[tuple[str, str, str]]:
    names = ("python", "spark", "airflow")
    return {
        leg
        for leg in product(*(matrix[name] for name in names))
        if not any(
            all(dict(zip(names, leg, strict=True))[key] == value for key, value in one.items())
            for one in matrix["exclude"]
        )
    }


def test_the_matrix_leaves_out_what_the_projects_do_not_publish_for(matrix: dict[str, Any]) -> None:
    assert legs(matrix) == {
        (f"3.{python}", spark, airflow)
        for python in range(10, 14)
        for spark, newest in NEWEST["spark"].items()
        for airflow, newest_of_airflow in NEWEST["airflow"].items()
        if python <= min(newest, newest_of_airflow)
    }


@pytest.mark.parametrize(("part", "package"), [("spark", "pyspark"), ("airflow", "apache-airflow")])
def test_each_leg_has_pins(matrix: dict[str, Any], part: str, package: str) -> None:
    for version in matrix[part]:
        own = ROOT / f"dev/constraints-{part}-{version}.txt"
        file = own if own.exists() else ROOT / "constraints.txt"
        assert re.search(rf"^{package}=={re.escape(version)}\.", file.read_text(), re.MULTILINE)


@pytest.mark.parametrize("file", [*WORKFLOWS, ACTION], ids=lambda file: file.name)
def test_actions_are_pinned_and_targets_are_there(file: Path) -> None:
    text = file.read_text()
    for action in re.findall(r"uses: (\S+)", text):
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action)
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for line in re.findall(r"run: make (.+)", text):
        assert {word for word in line.split() if "=" not in word} <= targets
