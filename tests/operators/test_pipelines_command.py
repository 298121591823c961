import pytest

from airflow_colgraph.operators.pipelines_command import accepted, add_collector, parse
from airflow_colgraph.operators.submit_arguments import NotPossible
from airflow_colgraph.operators.submit_command import Place

HERE = Place("local", "client")


def added(words: str, at: Place = HERE, properties: dict[str, str] | None = None) -> str:
    command = parse(words.split())
    properties = {**(properties or {}), **command.properties()}
    ours = {"spark.colgraph.sink": "E"}
    return " ".join(add_collector(command, properties, at, ours=ours, archive="C.zip"))


OURS = "--conf spark.colgraph.sink=E --py-files C.zip"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("run", f"run {OURS}"),
        ("run --spec s.yml", f"run --spec s.yml {OURS}"),
        ("--master yarn dry-run --spec s", f"dry-run --spec s --master yarn {OURS}"),
        ("run --full-refresh a,b --py-files x.zip", f"run --full-refresh a,b {OURS},x.zip"),
        ("run --conf a=b -c c=d=e --verbose", f"run --conf a=b --conf c=d=e --verbose {OURS}"),
        ("run --conf=spark.submit.pyFiles=y", f"run --conf spark.submit.pyFiles=y {OURS},y"),
    ],
)  # fmt: skip
def test_the_collector_is_one_more_python_file(words: str, expected: str) -> None:
    assert added(words) == expected


def test_python_files_of_the_defaults_are_kept() -> None:
    assert added("run", properties={"spark.submit.pyFiles": "d.zip"}) == f"run {OURS},d.zip"


@pytest.mark.parametrize(
    "words", ["init --name shop", "--help", "run --help", "-h", "", "--spec s"]
)
def test_what_resolves_no_pipeline_is_left_alone(words: str) -> None:
    assert parse(words.split()).application is None


@pytest.mark.parametrize(
    ("at", "why"),
    [
        (Place("sc://server:15002", "client"), "Spark Connect"),
        (Place("k8s://server", "cluster"), "collector_path"),
    ],
)
def test_a_driver_that_cannot_have_the_collector(at: Place, why: str) -> None:
    with pytest.raises(NotPossible, match=why):
        added("run", at)


def test_a_master_elsewhere_is_left_to_spark() -> None:
    words = "spark-pipelines dry-run --spec s --master yarn --verbose"
    assert accepted(words.split()) == words.split()
