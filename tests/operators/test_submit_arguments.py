import zipfile
from pathlib import Path
from typing import Any

import pytest

from airflow_colgraph.operators.submit_arguments import NotPossible, SubmitArguments, with_collector

PYTHON = SubmitArguments("job.py", ["2026"], None, None, None, None, {})
JAR = SubmitArguments("job.jar", ["2026"], None, "lib.jar", "shop.Main", "load", {})


def going_along(
    given: SubmitArguments, master: str = "local[1]", deploy_mode: str | None = None
) -> SubmitArguments:
    return with_collector(
        given,
        archive="/c.zip",
        launcher="/launcher.py",
        master=master,
        deploy_mode=deploy_mode,
    )


def test_a_python_job_gets_one_more_python_file() -> None:
    assert going_along(PYTHON) == PYTHON._replace(py_files="/c.zip")


def test_a_jar_goes_through_the_launcher() -> None:
    assert going_along(JAR) == SubmitArguments(
        application="/launcher.py",
        application_args=["shop.Main", "2026"],
        py_files="/c.zip",
        jars="lib.jar,job.jar",
        java_class=None,
        name="load",
        properties={},
    )


@pytest.mark.parametrize(
    ("given", "py_files"),
    [
        (PYTHON._replace(py_files="a.zip,b.py"), "/c.zip,a.zip,b.py"),
        (PYTHON._replace(properties={"spark.submit.pyFiles": "a.zip"}), "/c.zip,a.zip"),
        (
            PYTHON._replace(py_files="b.py", properties={"spark.submit.pyFiles": "a.zip"}),
            "/c.zip,b.py",  # spark-submit's own order: the argument hides the property
        ),
    ],
)
def test_the_users_python_files_stay(given: SubmitArguments, py_files: str) -> None:
    assert going_along(given).py_files == py_files


@pytest.mark.parametrize(
    "manifest",
    [b"Main-Class: shop.Main\r\n", b"Manifest-Version: 1.0\nMain-Class: shop.\n Main\n"],
)
def test_a_jar_may_name_its_main_class_itself(tmp_path: Path, manifest: bytes) -> None:
    jar = tmp_path / "job.jar"
    with zipfile.ZipFile(jar, "w") as opened:
        opened.writestr("META-INF/MANIFEST.MF", manifest)
    launched = going_along(JAR._replace(application=str(jar), java_class=None, name=None))
    assert (launched.application_args, launched.name) == (["shop.Main", "2026"], "shop.Main")


@pytest.mark.parametrize(
    ("given", "where", "why"),
    [
        (PYTHON, {"master": "k8s://x", "deploy_mode": "cluster"}, "file.upload.path"),
        (
            JAR,
            {"master": "spark://x", "deploy_mode": "cluster"},
            "cannot start the Python launcher",
        ),
        (JAR._replace(java_class=None), {}, "set java_class"),
        (JAR._replace(application="job.R"), {}, "neither a Python file nor a jar"),
        (JAR._replace(application=""), {}, "neither a Python file nor a jar"),
    ],
)
def test_what_is_not_possible_says_why(
    given: SubmitArguments, where: dict[str, Any], why: str
) -> None:
    with pytest.raises(NotPossible, match=why):
        going_along(given, **where)


@pytest.mark.parametrize(
    ("given", "master"),
    [
        (
            PYTHON._replace(properties={"spark.kubernetes.file.upload.path": "s3a://up"}),
            "k8s://x",
        ),
        (PYTHON, "yarn"),
        (JAR, "yarn"),
    ],
)
def test_cluster_mode_is_possible(given: SubmitArguments, master: str) -> None:
    assert going_along(given, master, "cluster").py_files == "/c.zip"
