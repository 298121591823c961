"""`colgraph plan` of programs that fit models: pyspark.ml fits none to a frame without rows.

A plan ended at the first `fit`, and had none of the lineage after it.
"""

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.spark.test_python_functions import outputs_of

pytestmark = [pytest.mark.long, pytest.mark.spark, pytest.mark.xdist_group("plan")]

PROGRAM = """
import sys

from pyspark.ml import Pipeline
from pyspark.ml.classification import LogisticRegression
from pyspark.ml.clustering import KMeans
from pyspark.ml.evaluation import BinaryClassificationEvaluator
from pyspark.ml.feature import OneHotEncoder, StandardScaler, StringIndexer, VectorAssembler
from pyspark.ml.recommendation import ALS
from pyspark.sql import SparkSession

out = sys.argv[1]
spark = SparkSession.builder.getOrCreate()
rows = [(n % 3, n % 4, float(n), n % 2, "xyz"[n % 3]) for n in range(24)]
columns = "user int, item int, amount double, label int, kind string"
spark.createDataFrame(rows, columns).write.parquet(f"{out}/in")
orders = spark.read.parquet(f"{out}/in")


def write(name, frame):
    frame.write.parquet(f"{out}/{name}")


vectors = VectorAssembler(inputCols=["amount", "item"], outputCol="vector").transform(orders)
stages = [
    StringIndexer(inputCol="kind", outputCol="index"),
    OneHotEncoder(inputCol="index", outputCol="kinds"),
    VectorAssembler(inputCols=["kinds", "amount"], outputCol="raw"),
    StandardScaler(inputCol="raw", outputCol="features"),
    LogisticRegression(),
]
model = Pipeline(stages=stages).fit(orders)
scored = model.transform(orders)
write("scored", scored.select("user", "kinds", "prediction"))
write("clusters", KMeans(featuresCol="vector", k=2).fit(vectors).transform(vectors))
if BinaryClassificationEvaluator().evaluate(scored) > 2:
    write("never", scored)
write("summary", model.stages[-1].summary.predictions.select("label"))
als = ALS(userCol="user", itemCol="item", ratingCol="amount", maxIter=2).fit(orders)
write("ratings", als.transform(orders))
model.save(f"{out}/model")
"""
LOADED = """
import sys

from pyspark.ml import PipelineModel
from pyspark.sql import SparkSession

out, model = sys.argv[1], {model!r}
spark = SparkSession.builder.getOrCreate()
orders = spark.read.parquet({orders!r})
scored = PipelineModel.load(model).transform(orders)
scored.select("user", "kinds", "prediction").write.parquet(f"{{out}}/scored")
assert spark.read.text(f"{{model}}/metadata").isEmpty()
"""


class Told(NamedTuple):
    """What is told of each output of the program that runs, and of its plan, with its events.

    `folder` has what the run has written.
    """

    folder: Path
    run: dict[str, tuple[list[str], list[str]]]
    plan: dict[str, tuple[list[str], list[str]]]
    events: list[dict[str, Any]]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    here, there = (Path(tmp_path_factory.mktemp(name)) for name in ("run", "plan"))
    run = outputs_of(here, "submit", program=PROGRAM)
    plan = outputs_of(there, "plan", program=PROGRAM)
    return Told(here, run, plan, [*map(json.loads, (there / "events").read_text().splitlines())])


@pytest.mark.parametrize("name", ["scored", "clusters"])
def test_a_model_is_planned_as_it_runs(told: Told, name: str) -> None:
    assert told.plan[name] == told.run[name]
    assert "prediction <- in.amount TRANSFORMATION" in told.plan[name][0]


@pytest.mark.parametrize("name", ["summary", "ratings"])
def test_what_made_up_rows_are_in_is_unresolved(told: Told, name: str) -> None:
    """The rows that a model has learned from: those of a plan are of no dataset."""
    outputs = {Path(each["name"]).name: event for event in told.events for each in event["outputs"]}
    unresolved = outputs[name]["run"]["facets"]["colgraph_diagnostics"]["unresolved"]
    assert {each["class"] for each in unresolved} & {"ExternalRDD", "LogicalRDD"}


def test_a_model_is_loaded_of_its_own_files(told: Told, tmp_path: Path) -> None:
    """Only while it is loaded: then they have no rows, as all other files."""
    program = LOADED.format(model=str(told.folder / "model"), orders=str(told.folder / "in"))
    assert outputs_of(tmp_path, "plan", program=program)["scored"] == told.run["scored"]


def test_what_is_made_up_is_said(told: Told) -> None:
    facet = told.events[-1]["run"]["facets"]["colgraph_plan"]
    fits = [text.partition(" at ")[0] for text in facet["assumed"]]
    assert fits == ["Pipeline.fit", "KMeans.fit", "ALS.fit"]
    assert all(text.endswith(" was answered from made-up rows") for text in facet["assumed"])
    assert [text.partition(" at ")[0] for text in facet["withoutRows"]] == [
        "BinaryClassificationEvaluator.evaluate"
    ]
