"""Programs that make DataFrames of rows which they have of others, by `toPandas` or `collect`.

Their columns had no inputs: `throughDriver` named the datasets that the program had read before.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.spark.test_python_functions import FRAMES, lines, opaque

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("submit")]

PROGRAM = """
import sys

import numpy as np
import pandas as pd
from pyspark.sql import SparkSession
"""
PROGRAM += FRAMES
PROGRAM += """RATE = LIMIT = 3


def looked_up():
    return {row.k: row.w for row in other.collect()}


rates = looked_up()


def write(name, frame):
    frame.write.parquet(f"{out}/{name}")


pdf = df.toPandas()
pdf = pdf[pdf["u"] > 1]
print(df.count())
pdf["z"] = pdf["a"] * RATE
write("module", df)
made = spark.createDataFrame(pdf[["k", "z", "s"]])
write("straight", made)
spark.createDataFrame(df.toPandas()[["s", "u"]]).write.parquet(f"{out}/chained")


def total(pdf):
    return pdf.groupby("k", as_index=False)["a"].sum()


def enriched(first, second):
    left = first.toPandas()
    right = second.where("w > 0").toPandas()
    joined = left.merge(right, on="k")
    return spark.createDataFrame(joined[["k", "w", "s"]], "key long, weight double, name string")


write("function", enriched(df, other))
summed = total(df.toPandas())
result = spark.createDataFrame(summed, ["k", "total"])
write("helper", result)
for name in ("first", "second"):
    each = df.toPandas()
    each["v"] = np.where(each["a"] > 2, each["k"], 0)
    write("loop_" + name, spark.createDataFrame(each[["s", "v"]]))
    again = spark.createDataFrame(each[["s", "v"]])
    write("again_" + name, again)
scaled = df.toPandas()
scale = 2
scaled["z"] = scaled["a"] * scale
rescaled = spark.createDataFrame(scaled[["z"]])
write("set_between", rescaled)
values = df.select("k", "a").toPandas()
values["w"] = values["k"].map(rates)
mapped = spark.createDataFrame(values)
write("with_data", mapped)
wide = df.toPandas()
wide = wide.pivot_table(index="k", values="a").reset_index()
pivoted = spark.createDataFrame(wide)
write("unknown", pivoted)

listed = spark.createDataFrame([(row.k, row.w) for row in other.collect()], ["k", "w"])
write("listed", listed)
pairs = []
for row in df.collect():
    if row.u < 4:
        continue
    pairs.append((row["s"], row.a * RATE))
appended = spark.createDataFrame(pairs, "name string, total long")
write("appended", appended)


def weighted(first, second):
    weights = {row["k"]: row["w"] for row in second.collect()}
    dicts = [{"s": row.s, "w": weights.get(row.k, 0.0)} for row in first.collect()]
    return spark.createDataFrame(dicts, "w double, s string")


write("weighted", weighted(df, other))
renamed = [{"s": row.s, "k": row.k} for row in df.collect()]
renamed = spark.createDataFrame(renamed, ["s", "k"])  # in the order of the keys
write("renamed", renamed)
summed_up = {}
for row in df.collect():
    summed_up[row.k] = summed_up.get(row.k, 0) + row.a
by_key = spark.createDataFrame(pd.DataFrame(list(summed_up.items()), columns=["k", "a"]))
write("summed_up", by_key)
sent = df.collect()
twice = spark.createDataFrame(sent)
write("sent", twice)
handed = [(row.k,) for row in df.collect()]
looked = looked_up()
handed = spark.createDataFrame([(k, looked.get(k)) for k, in handed], "k long, w double")
write("handed", handed)

# What decides in a subquery
DECIDES = "SELECT s FROM parquet.`{out}/in` WHERE k IN (SELECT k FROM {view})"
keys = spark.createDataFrame(pd.DataFrame({"k": list(rates)}))
keys.createOrReplaceTempView("keys")
write("by_rows", spark.sql(DECIDES.format(out=out, view="keys")))
first = other.toPandas()
first = spark.createDataFrame(first[["k"]])
first.createOrReplaceTempView("straight_keys")
write("by_text", spark.sql(DECIDES.format(out=out, view="straight_keys")))

# What is no straight line
if rows:
    inner = df.toPandas()
outer = spark.createDataFrame(inner[["k"]])
write("nested", outer)


def spoil():
    seen["k"] = seen["a"]


seen = df.toPandas()
spoil()
spoiled = spark.createDataFrame(seen[["k"]])
write("spoiled", spoiled)


def bump():
    global LIMIT
    LIMIT = 4


late = df.toPandas()
bump()
late["z"] = late["a"] * LIMIT
changed = spark.createDataFrame(late[["z"]])
write("changed", changed)
"""

EXPECTED = {
    "straight": [
        "k <- in.k IDENTITY",
        "z <- in.a TRANSFORMATION",
        "s <- in.s IDENTITY",
        "* <- in.u FILTER",
    ],
    "chained": ["s <- in.s IDENTITY", "u <- in.u TRANSFORMATION"],
    "function": [
        "key <- in.k TRANSFORMATION",
        "key <- other.k TRANSFORMATION",
        "weight <- other.w TRANSFORMATION",
        "name <- in.s IDENTITY",
        "* <- in.k JOIN",
        "* <- other.k JOIN",
        "* <- other.w FILTER",
    ],
    "set_between": ["z <- in.a TRANSFORMATION"],
    "by_text": ["s <- in.s IDENTITY", "* <- in.k FILTER", "* <- other.k FILTER"],
    "listed": ["k <- other.k IDENTITY", "w <- other.w IDENTITY"],
    "appended": [
        "name <- in.s IDENTITY",
        "name <- in.u CONDITIONAL",
        "total <- in.a TRANSFORMATION",
        "total <- in.u CONDITIONAL",
        "* <- in.u FILTER",
    ],
    "weighted": [
        "w <- in.k CONDITIONAL",
        "w <- other.k CONDITIONAL",
        "w <- other.w TRANSFORMATION",
        "s <- in.s IDENTITY",
    ],
    "sent": [f"{name} <- in.{name} IDENTITY" for name in ("k", "a", "s", "u")],
    "helper": ["k <- in.k IDENTITY", "total <- in.a AGGREGATION", "* <- in.k GROUP_BY"],
    **{
        f"{name}_{at}": ["s <- in.s IDENTITY", "v <- in.a CONDITIONAL", "v <- in.k TRANSFORMATION"]
        for name in ("loop", "again")
        for at in ("first", "second")
    },
}


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(("submit", "true"), id="arrow", marks=pytest.mark.long),
        pytest.param(("submit", "false"), id="rows"),
        pytest.param(("plan", "false"), id="planned", marks=pytest.mark.long),
    ],
)
def outputs(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, dict[str, Any]]:
    """The events of the program by the names of their outputs: with Arrow, without, and planned.

    A plan has no rows, of which Spark infers no types: it ended at the first `createDataFrame`.
    """
    command, arrow = request.param
    folder = Path(tmp_path_factory.mktemp("pandas"))
    (folder / "program.py").write_text(PROGRAM)
    options = ["--master", "local[1]"] if command == "submit" else []
    options += ["--conf", "spark.ui.enabled=false"]
    options += ["--conf", f"spark.sql.execution.arrow.pyspark.enabled={arrow}"]
    line = [sys.executable, "-c", "from airflow_colgraph.cli import main; main()", command]
    line += ["--quiet", "--output", str(folder / "events"), "--", *options]
    line += [str(folder / "program.py"), str(folder)]
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "XDG_CACHE_HOME": str(folder)}
    ran = subprocess.run(line, capture_output=True, text=True, cwd=folder, env=environment)
    assert ran.returncode == 0, ran.stderr[-3000:]
    assert "colgraph: 0" not in ran.stderr
    events = [json.loads(line) for line in (folder / "events").read_text().splitlines()]
    return {Path(output["name"]).name: event for event in events for output in event["outputs"]}


def told(event: dict[str, Any]) -> list[str]:
    return lines(event["outputs"][0])


def through_driver(event: dict[str, Any]) -> set[str]:
    outputs = event["run"]["facets"].get("colgraph_diagnostics", {}).get("throughDriver", ())
    return {Path(each["name"]).name for output in outputs for each in output["datasets"]}


@pytest.mark.parametrize("name", EXPECTED)
def test_pandas_code_between_two_calls_is_told_by_its_source(
    outputs: dict[str, dict[str, Any]], name: str
) -> None:
    event = outputs[name]
    assert (told(event), opaque(event)) == (EXPECTED[name], [])
    assert through_driver(event) == set()
    read = {line.split()[2].partition(".")[0] for line in EXPECTED[name]}
    assert {Path(each["name"]).name for each in event["inputs"]} == read


def test_data_that_the_text_refers_to_is_named_as_before(
    outputs: dict[str, dict[str, Any]],
) -> None:
    event = outputs["with_data"]
    assert told(event) == [
        "k <- in.k IDENTITY",
        "a <- in.a IDENTITY",
        "w <- in.k TRANSFORMATION",
    ]
    assert through_driver(event) == {"in", "other"}


def test_rows_of_the_driver_that_decide_in_a_subquery_are_named(
    outputs: dict[str, dict[str, Any]],
) -> None:
    event = outputs["by_rows"]
    assert told(event) == ["s <- in.s IDENTITY", "* <- in.k FILTER"]
    assert "other" in through_driver(event)


def test_what_is_not_known_depends_on_all_that_went_in(
    outputs: dict[str, dict[str, Any]],
) -> None:
    event = outputs["unknown"]
    assert {line.split()[2] for line in told(event)} == {"in.k", "in.a", "in.s", "in.u"}
    assert [each.partition(" at ")[0] for each in opaque(event)] == ["pandas.DataFrame.pivot_table"]
    assert "in" in through_driver(event)


def test_names_that_a_list_gives_to_dicts_are_not_told(outputs: dict[str, dict[str, Any]]) -> None:
    assert told(outputs["renamed"]) == []
    assert "in" in through_driver(outputs["renamed"])


def test_a_list_of_what_a_function_has_read_is_named(outputs: dict[str, dict[str, Any]]) -> None:
    assert "k <- in.k IDENTITY" in told(outputs["handed"])
    assert "other" in through_driver(outputs["handed"])


def test_pandas_makes_a_frame_of_lists(outputs: dict[str, dict[str, Any]]) -> None:
    read = {line.split()[2] for line in told(outputs["summed_up"])}
    assert read == {"in.k", "in.a"}
    assert through_driver(outputs["summed_up"]) == set()


@pytest.mark.parametrize("name", ["nested", "spoiled", "changed"])
def test_what_is_no_straight_line_is_told_as_before(
    outputs: dict[str, dict[str, Any]], name: str
) -> None:
    """Calls in blocks of their own, a function that changes the data, a global that changes."""
    assert told(outputs[name]) == []
    assert "in" in through_driver(outputs[name])
