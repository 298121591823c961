"""The workflow and the GitLab job of docs/workflows, copied into a repository by a new user."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("plan")]

WORKFLOWS = Path(__file__).parents[2] / "docs" / "workflows"
SCHEMAS = '{"s3a://lake/orders": "day DATE, state STRING, amount DECIMAL(10, 2)"}'
JOB = """
from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("daily").getOrCreate()
orders = spark.read.parquet("s3a://lake/orders").where("state = 'paid'")
daily = orders.groupBy("day").agg({"amount": "sum"}).toDF("day", "total")
daily.write.mode("overwrite").parquet("s3a://lake/daily")
"""
OWN = {"GIT_CONFIG_GLOBAL": "/dev/null", "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"}
OWN |= {f"GIT_{who}_NAME": "me" for who in ("AUTHOR", "COMMITTER")}
OWN |= {f"GIT_{who}_EMAIL": "me@example.org" for who in ("AUTHOR", "COMMITTER")}


def run(command: str, folder: Path, **names: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **OWN, **names}
    return subprocess.run(
        ["bash", "-e", "-c", command], cwd=folder, env=environment, capture_output=True, text=True
    )


def commit(folder: Path, job: str) -> str:
    """Commit a job; the commit's id."""
    (folder / "jobs").mkdir(exist_ok=True)
    (folder / "jobs" / "daily.py").write_text(job)
    done = run("git add --all && git commit --quiet -m change && git rev-parse HEAD", folder)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository whose main branch has one job."""
    folder = tmp_path / "repository"
    (folder / "lineage").mkdir(parents=True)
    (folder / "lineage" / "schemas.json").write_text(SCHEMAS)
    shutil.copy(WORKFLOWS / "plan.sh", folder / "lineage")
    assert run("git init --quiet --initial-branch main", folder).returncode == 0
    commit(folder, JOB)
    return folder


def test_a_pull_request_that_renames_a_column(repository: Path, tmp_path: Path) -> None:
    """Without S3A's jar: no earlier test planned a job on a file system that is not there."""
    steps = yaml.safe_load((WORKFLOWS / "github.yml").read_text())["jobs"]["check"]["steps"]
    (plan,) = [step for step in steps if "Plan" in step.get("name", "")]
    (action,) = [step for step in steps if ".github/actions/check" in step.get("uses", "")]
    changed = commit(repository, JOB.replace('.toDF("day", "total")', '.toDF("date", "total")'))
    names = {"RUNNER_TEMP": str(tmp_path), "BASE": "HEAD~1", "GITHUB_SHA": changed}
    done = run(plan["run"], repository, **names)
    assert done.returncode == 0, done.stderr
    events, base = (tmp_path / Path(action["with"][name]).name for name in ("events", "base"))
    checked = run(f"colgraph check --base {base} --format markdown {events}", repository)
    assert checked.returncode == 0, checked.stderr
    assert "column-renamed (non-breaking): <code>day -&gt; date</code>" in checked.stdout
    assert run("git rev-parse HEAD", repository).stdout.strip() == changed


@pytest.mark.long
def test_a_merge_request_that_changes_no_lineage(repository: Path) -> None:
    job = yaml.safe_load((WORKFLOWS / "gitlab.yml").read_text())["column-lineage"]
    base = run("git rev-parse HEAD", repository).stdout.strip()
    changed = commit(repository, JOB + "# a comment")
    names = {"CI_MERGE_REQUEST_DIFF_BASE_SHA": base, "CI_COMMIT_SHA": changed}
    done = run("\n".join(job["script"]), repository, **names)
    assert done.returncode == 0, done.stderr + done.stdout
    assert 'failures="0"' in (repository / job["artifacts"]["reports"]["junit"]).read_text()
