"""README's code blocks run, and every option, command and target is in it."""

import configparser
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import click
import pytest

from airflow_colgraph.cli import COMMANDS, main
from airflow_colgraph.collector.settings import OPTIONS, PREFIX
from airflow_colgraph.get_provider_info import OPTIONS as AIRFLOW_OPTIONS

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", README, flags=re.M | re.S)
ORDERS = "id,day,amount,state\n1,2026-01-01,2.5,paid\n2,2026-01-01,1.5,open\n"


def blocks(language: str, containing: str = "") -> list[str]:
    return [text for kind, text in BLOCKS if kind == language and containing in text]


def documented(first_cell: str) -> bool:
    return re.search(rf"^\| `{re.escape(first_cell)}`", README, flags=re.M) is not None


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_every_spark_property_is_documented(option: SimpleNamespace) -> None:
    default = str(option.default).lower() if isinstance(option.default, bool) else option.default
    shown = f"`{default}`" if default not in ("", (), None) else ""
    assert f"| `{PREFIX}{option.name}` | {shown} | {option.help} |" in README


@pytest.mark.parametrize("option", AIRFLOW_OPTIONS)
def test_every_airflow_option_is_documented(option: str) -> None:
    assert documented(option)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_documented_and_has_an_example(name: str) -> None:
    assert documented(f"colgraph {name}")
    command = main.get_command(click.Context(main), name)
    assert command is not None
    assert command.help
    assert isinstance(command, click.Group) or "xample" in (command.help + (command.epilog or ""))


def targets() -> set[str]:
    return set(re.findall(r"^([a-z]+):.*?## ", (ROOT / "Makefile").read_text(), flags=re.M))


def test_every_make_target_is_documented() -> None:
    assert {name for name in targets() if not documented(f"make {name}")} == set()


def test_the_shell_blocks_name_what_there_is() -> None:
    lines = [line for block in blocks("bash") for line in block.splitlines()]
    assert {line.split()[1] for line in lines if line.startswith("make ")} <= targets()
    installs = [line for line in lines if line.startswith("pip install")]
    assert installs == ["pip install 'airflow-colgraph[openlineage]'"]


def test_every_relative_link_leads_somewhere() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    assert [link for link in links if not (ROOT / link).exists()] == []
    assert links


def test_the_ini_block_is_an_openlineage_transport() -> None:
    from openlineage.client.transport import get_default_factory

    (text,) = blocks("ini")
    parser = configparser.ConfigParser()
    parser.read_string(text)
    import json

    config = json.loads(parser["openlineage"]["transport"])
    config["url"] = "sqlite://"
    assert get_default_factory().create(config).kind == "colgraph"


def test_the_sql_block_is_one_of_the_cases() -> None:
    (text,) = blocks("sql")
    cases = (ROOT / "tests/collector/cases/transformations.sql").read_text()
    assert text in cases


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
def test_the_console_block_prints_what_it_says(tmp_path: Path) -> None:
    folder = tmp_path.resolve()
    (job,) = blocks("python", "getOrCreate")
    (folder / "job.py").write_text(job)
    (folder / "orders.csv").write_text(ORDERS)
    (console,) = blocks("console")
    env = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    for part in re.split(r"^\$ ", console, flags=re.M)[1:]:
        command, _, expected = part.replace("/data", str(folder)).partition("\n")
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            env=env,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        if expected:
            assert squeezed(done.stdout) == squeezed(expected)
    assert "orders.csv" in done.stdout


def squeezed(text: str) -> list[str]:
    """Lines without their alignment, which depends on the folder's length."""
    return [" ".join(line.split()) for line in text.splitlines()]


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
