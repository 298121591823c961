"""README names what there is; test_readme_blocks.py runs it."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)[^\n]*\n(.*?)^```", README, flags=re.M | re.S)


def blocks(language: str, containing: str = "") -> list[str]:
    return [text for kind, text in BLOCKS if kind == language and containing in text]


def test_it_is_a_page_for_newcomers() -> None:
    assert len(README.splitlines()) <= 161


def test_every_page_of_the_documentation_is_linked() -> None:
    pages = {f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md")} - {"docs/index.md"}
    assert {page for page in pages if f"]({page})" not in README} == set()


@pytest.mark.airflow
@pytest.mark.xdist_group("airflow")
def test_the_first_dag_can_be_imported(tmp_path: Path) -> None:
    (text,) = blocks("python", "DAG(")
    (tmp_path / "first.py").write_text(text)
    code = (
        "from airflow.dag_processing.dagbag import DagBag\n"
        f"bag = DagBag({str(tmp_path)!r})\n"
        "print(bag.import_errors, [t.task_type for t in bag.dags['orders'].tasks])"
    )
    home = {"AIRFLOW_HOME": str(tmp_path / "home"), "AIRFLOW__CORE__LOAD_EXAMPLES": "False"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **home},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.stdout.splitlines()[-1:] == ["{} ['ColgraphSparkSubmitOperator']"], done.stderr


@pytest.mark.spark
@pytest.mark.xdist_group("spark-readme")
def test_the_notebook_block_collects(tmp_path: Path) -> None:
    (text,) = blocks("python", "install(spark)")
    sink = tmp_path / "events.jsonl"
    code = f"""
from pyspark.sql import SparkSession
spark = (SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
         .config("spark.colgraph.sink", {str(sink)!r}).getOrCreate())
{text}
spark.range(2).write.parquet({str(tmp_path / "out")!r})
from airflow_colgraph.collector import finish
finish()
"""
    assert shutil.which("java")
    subprocess.run([sys.executable, "-c", code], check=True, timeout=300, cwd=tmp_path)
    kinds = re.findall(r'"eventType": ?"(\w+)"', sink.read_text())
    assert kinds == ["START", "RUNNING", "COMPLETE"]
