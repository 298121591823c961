"""A sample of `python -m oracles.harm`: one fault, and what the command would call harm."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from oracles.harm import Ran, attempt, harms, reports
from oracles.harm_faults import FAULTS
from tests.spark.test_submit import PYSPARK

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("submit")]

SAMPLE = ("named_like_a_module",)
FOLDER = Path("/harm")


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[list[str], list[str]]]:
    """The cells and the harms of each fault of the sample."""
    with pytest.MonkeyPatch.context() as patch:
        folders = (PYSPARK / "bin", Path(sys.executable).parent, os.environ["PATH"])
        patch.setenv("PATH", os.pathsep.join(map(str, folders)))
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        root = tmp_path_factory.mktemp("harm")
        for name in SAMPLE:
            (root / name).mkdir()
        with ThreadPoolExecutor(2) as pool:
            found = pool.map(lambda name: attempt(FAULTS[name], 0, root / name), SAMPLE)
            return dict(zip(SAMPLE, found, strict=True))


def test_modules_of_the_job_called_as_standard_ones(rows: Any) -> None:
    (_, _, events), found = rows["named_like_a_module"]
    assert (events, found) == ("2 of 2 edges", [])


def ran(**changed: Any) -> Ran:
    """A run of a job whose events have the whole lineage."""
    fields = {
        column: {
            "inputFields": [{"namespace": "file", "name": f"{FOLDER}/source", "field": column}]
        }
        for column in ("c0", "c1")
    }
    output = {"name": f"{FOLDER}/out/out", "facets": {"columnLineage": {"fields": fields}}}
    event = {"run": {"facets": {}}, "outputs": [output]}
    whole = Ran(0, b"x", "No space left", [b"out row"], 10.0, 10.0, 500.0, [event])
    return whole._replace(**changed)


HARMS: dict[str, tuple[dict[str, Any], str]] = {
    "code": ({"code": 1}, "exit code 1 instead of 0"),
    "output": ({"out": b"y"}, "another standard output"),
    "results": ({"results": []}, "other results"),
    "time": ({"wall": 31.0}, "wall 31.0 s instead of 10.0"),
    "work": ({"cpu": 31.0}, "cpu 31.0 s instead of 10.0"),
    "memory": ({"memory": 951.0}, "memory 951 MB instead of 500"),
    "traceback": ({"err": "Traceback"}, "a traceback"),
    "silence": ({"events": []}, "2 edges are missing in silence"),
    "a line": ({"events": [], "err": "colgraph: lineage is off"}, "2 edges are missing"),
}


@pytest.mark.parametrize(("changed", "why"), HARMS.values(), ids=HARMS.keys())
def test_what_is_harm(changed: dict[str, Any], why: str) -> None:
    fault = FAULTS["full_checkpoint"]
    assert harms(fault, 0, ran(), ran(), FOLDER) == []
    assert harms(fault, 0, ran(), ran(**changed), FOLDER) == [why]


def test_a_fault_that_the_job_did_not_meet_shows_nothing() -> None:
    found = harms(FAULTS["full_checkpoint"], 0, ran(err=""), ran(), FOLDER)
    assert found == ["the plain job did not meet the fault"]


def test_missing_lineage_may_be_reported_where_it_has_to_be_missing() -> None:
    full = FAULTS["full_sink"]
    assert harms(full, 1, ran(), ran(events=[], err="colgraph: full"), FOLDER) == []
    assert harms(full, 1, ran(), ran(events=[]), FOLDER) == ["3 edges are missing in silence"]
    diagnostics = {
        "colgraph_diagnostics": {"truncated": "cut", "opaque": [{"class": "X", "count": 2}]}
    }
    event = {"run": {"facets": diagnostics}, "outputs": []}
    assert reports(ran(events=[event, event])) == ["cut", "2 X"]
