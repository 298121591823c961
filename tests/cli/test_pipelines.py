"""`colgraph pipelines` with a spark-pipelines that only tells how it was called."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from airflow_colgraph.operators.collector_archive import compiled_archive
from tests.cli.test_submit import COLGRAPH, SPARK_SUBMIT, event


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    programs = tmp_path / "bin"
    programs.mkdir()
    program = programs / "spark-pipelines"
    program.write_text(SPARK_SUBMIT.format(python=sys.executable))
    program.chmod(0o755)
    return tmp_path


def ran(folder: Path, *words: str, how: str = "0", **options: Any) -> Any:
    (folder / "bin" / "how").write_text(how)
    environment = {**os.environ, "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(
        [*COLGRAPH, "pipelines", *words],
        cwd=folder,
        env={**environment, **options},
        capture_output=True,
        text=True,
        errors="replace",
        input="",
        timeout=60,
        check=False,
    )


def called(folder: Path) -> list[str]:
    return list(json.loads((folder / "bin" / "called.json").read_text()))


def test_a_run_has_the_collector_and_its_lineage_is_shown(folder: Path) -> None:
    output = {"namespace": "file", "name": "/b", "facets": {}}
    events = [event("START"), event("RUNNING", outputs=[output]), event("COMPLETE")]
    (folder / "bin" / "events").write_text("".join(json.dumps(one) + "\n" for one in events))
    words = ["--job-name", "shop", "--output", "e.jsonl", "--", "run", "--spec", "s.yml"]
    found = ran(folder, *words)
    assert found.returncode == 0
    assert found.stdout.startswith("job ")
    assert "/b  (file /b)" in found.stderr
    assert called(folder) == [
        *("run", "--spec", "s.yml"),
        *("--conf", f"spark.colgraph.sink={folder}/e.jsonl"),
        *("--conf", "spark.colgraph.jobName=shop"),
        *("--py-files", str(compiled_archive())),
    ]


@pytest.mark.parametrize("line", ["name: shop # x", "name: 'shop'", 'name: "shop" # x'])
@pytest.mark.parametrize("words", ["run", "dry-run --spec below/s.yml", "run --spec=below/s.yml"])
def test_a_job_is_called_by_its_specification(folder: Path, line: str, words: str) -> None:
    place = folder / "below" if "below" in words else folder
    place.mkdir(exist_ok=True)
    name = "s.yml" if "below" in words else "spark-pipeline.yml"
    (place / name).write_text(f"storage: file:///s\nlibraries:\n{line}\n")
    ran(folder, "--", *words.split())
    assert "spark.colgraph.jobName=shop" in called(folder)


def test_the_exit_code_is_that_of_spark_pipelines(folder: Path) -> None:
    assert ran(folder, "--", "dry-run", "--spec", "s.yml", how="3").returncode == 3


@pytest.mark.parametrize("words", [["init", "--name", "shop"], ["run", "--help"]])
def test_what_runs_no_pipeline_is_passed_on(folder: Path, words: list[str]) -> None:
    found = ran(folder, "--", *words)
    assert (found.returncode, found.stderr) == (0, "log\n")
    assert called(folder) == words


def test_a_remote_driver_costs_one_line(folder: Path) -> None:
    words = ["run", "--remote", "sc://server"]
    found = ran(folder, "--", *words)
    assert found.returncode == 0
    assert "lineage is off for this pipeline: the driver of a Spark Connect server" in found.stderr
    assert called(folder) == words


def test_without_spark_pipelines_it_says_what_to_do(folder: Path) -> None:
    program = (
        "import importlib.util as u, sys; u.find_spec = lambda name: None\n"
        "from airflow_colgraph.cli import main; main()"
    )
    found = subprocess.run(
        [sys.executable, "-c", program, "pipelines", "run"],
        env={"PATH": str(folder), "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (found.returncode, found.stdout) == (127, "")
    assert found.stderr.startswith("colgraph: error: spark-pipelines was not found on PATH")
    assert "pyspark[pipelines]" in found.stderr
