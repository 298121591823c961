"""Python functions of a real program, submitted with the collector: what each output comes from.

Earlier tests interpreted functions without Spark, so nothing showed that what PySpark pickles is
captured, that plans name it as it was captured, and that other versions' plans do, too.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pyspark import __version__ as spark_version

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("submit")]

HELPERS = """
def twice(value):
    return value * 2


def summed(first, second):
    return first[0] + second[0], first[1] + second[1]


def passed(iterator):
    for pdf in iterator:
        yield pdf[["k", "s"]]
"""

FRAMES = """
out = sys.argv[1]
spark = SparkSession.builder.getOrCreate()
rows = [(1, 2, "x", 3.0), (1, 3, "y", 4.0), (2, 5, "z", 6.0)]
spark.createDataFrame(rows, "k long, a long, s string, u double").write.parquet(f"{out}/in")
spark.createDataFrame([(1, 7.0)], "k long, w double").write.parquet(f"{out}/other")
df, other = spark.read.parquet(f"{out}/in"), spark.read.parquet(f"{out}/other")
"""

PROGRAM = """
import functools
import sys
from operator import add
from typing import Iterator, Tuple

import helpers
import pandas as pd
import pyspark
from pyspark.sql import Row, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.functions import pandas_udf, udf
"""
PROGRAM += FRAMES
PROGRAM += """

def write(name, frame):
    frame.write.parquet(f"{out}/{name}")


def batches(iterator):
    for pdf in iterator:
        pdf = pdf[pdf["u"] > 1]
        yield pdf.assign(z=pdf["a"] * 2)[["k", "z"]]


write("map_in_pandas", df.mapInPandas(batches, "k long, z long"))


def running(iterator):
    total = 0
    for pdf in iterator:
        total = total + pdf["a"].sum()
        yield pd.DataFrame({"total": [total]})


placed = df.repartition(2, "s").select("k", "a")
write("running", placed.mapInPandas(running, "total long"))


def arrow(iterator):
    for batch in iterator:
        yield batch.select(["s", "k"])


write("map_in_arrow", df.mapInArrow(arrow, "s string, k long"))


def group(key, pdf):
    return pd.DataFrame({"k": [key[0]], "total": [pdf["a"].sum()]})


write("apply_in_pandas", df.groupBy("k").applyInPandas(group, "k long, total long"))


def together(left, right):
    return left.merge(right, on="k")[["k", "s", "w"]]


cogroup = df.groupBy("k").cogroup(other.groupBy("k"))
write("cogroup", cogroup.applyInPandas(together, "k long, s string, w double"))

grown = udf(lambda a, unused: a + 1, "long")
write("scalar", df.select(grown("a", "u").alias("v")))


@pandas_udf("double")
def ratio(a: pd.Series, u: pd.Series, s: pd.Series) -> pd.Series:
    return a / u


write("pandas_scalar", df.select(ratio("a", "u", "s").alias("v")))


@pandas_udf("double")
def iterated(parts: Iterator[Tuple[pd.Series, pd.Series]]) -> Iterator[pd.Series]:
    for a, u in parts:
        yield u * 2


write("pandas_iterator", df.select(iterated("a", "u").alias("v")))


@pandas_udf("double")
def weighted(a: pd.Series, u: pd.Series) -> float:
    return float((u * 2).sum())


write("pandas_aggregate", df.groupBy("k").agg(weighted("a", "u").alias("v")))

df.createOrReplaceTempView("rows")
write("of_module", df.mapInPandas(helpers.passed, "k long, s string"))
helped = udf(lambda a, u: helpers.twice(a), "long")
write("helper", df.select(helped("a", "u").alias("v")))


class Adding:
    def __init__(self, number):
        self.number = number

    def __call__(self, a, u):
        return a + self.number


write("callable", df.select(udf(Adding(3), "long")("a", "u").alias("v")))


def scaled(factor, a, u):
    return a * factor


write("partial", df.select(udf(functools.partial(scaled, 2), "long")("a", "u").alias("v")))


def logged(function):
    @functools.wraps(function)
    def inner(*arguments):
        return function(*arguments)

    return inner


@logged
def decorated(a, u):
    return a + 5


write("decorated", df.select(udf(decorated, "long")("a", "u").alias("v")))


def unknown(iterator):
    for pdf in iterator:
        yield pdf.pivot_table(index="k", values="a").reset_index()[["k", "a"]]


write("unknown", df.mapInPandas(unknown, "k long, a double"))


class Member:
    def twice(self, a, u):
        return a * 2


write("method", df.select(udf(Member().twice, "long")("a", "u").alias("v")))

registered = spark.udf.register("registered", lambda a, u: a - 1, "long")
write("registered", spark.sql("SELECT registered(a, u) AS v FROM rows"))

def spread(partition):
    for row in partition:
        if row.a > 2:
            yield row.k, row.u * 2


write("rdd_mapped", df.rdd.map(lambda r: (r.k, r.a * 2)).toDF(["k", "z"]))
write("rdd_named", df.rdd.map(lambda r: Row(k=r["k"], z=r[2].upper())).toDF())
write("rdd_filtered", df.rdd.filter(lambda r: r.a > 2).map(lambda r: (r.k,)).toDF("k long"))
write("rdd_words", df.rdd.flatMap(lambda r: [(r.k, w) for w in r.s.split(" ")]).toDF(["k", "w"]))
write("rdd_partitions", df.rdd.mapPartitions(spread).toDF(["k", "z"]))
pairs = df.rdd.map(lambda r: (r.k, r.a))
write("rdd_reduced", pairs.mapValues(lambda a: a + 1).reduceByKey(add).toDF(["k", "total"]))
write("rdd_grouped", pairs.groupByKey().mapValues(lambda values: sum(values)).toDF(["k", "n"]))
joined = pairs.join(other.rdd.keyBy(lambda r: r.k)).map(lambda p: (p[0], p[1][0], p[1][1].w))
write("rdd_joined", joined.toDF(["k", "a", "w"]))
dicts = df.rdd.map(lambda r: {"a": r.a, "s": r.s})
write("rdd_schema", spark.createDataFrame(dicts, "s string, a long"))
write("rdd_plain", df.rdd.toDF())
seen = []
write("rdd_kept", df.rdd.map(lambda r: (r.k, seen.append(r.a) or len(seen))).toDF(["k", "n"]))
numbered = df.rdd.map(lambda r: (r.k, r.a)).zipWithIndex()
write("rdd_numbered", numbered.map(lambda p: (p[1], p[0][1])).toDF(["n", "a"]))
parts = df.rdd.map(lambda r: (r.k, r.s)).flatMapValues(lambda s: s.split(" "))
write("rdd_flat_values", parts.toDF(["k", "w"]))
totals = pairs.aggregateByKey(0, lambda total, a: total + a, add)
write("rdd_aggregated", totals.toDF(["k", "total"]))
sums = pairs.combineByKey(lambda a: (a, 1), lambda s, a: (s[0] + a, s[1] + 1), helpers.summed)
write("rdd_combined", sums.mapValues(lambda s: s[0] / s[1]).toDF(["k", "mean"]))
groups = df.rdd.groupBy(lambda r: r.k).map(lambda g: (g[0], len(g[1])))
write("rdd_group_by", groups.toDF(["k", "n"]))
both = pairs.cogroup(other.rdd.map(lambda r: (r.k, r.w)))
write("rdd_cogrouped", both.mapValues(lambda g: float(sum(g[1]))).toDF(["k", "w"]))
placed = pairs.partitionBy(2).mapPartitionsWithIndex(lambda n, part: ((n, a) for _, a in part))
write("rdd_placed", placed.toDF(["n", "a"]))
(sampled,) = pairs.randomSplit([1.0])
write("rdd_unknown", sampled.toDF(["k", "a"]))
factor = 2
late = df.rdd.map(lambda r: (r.k, r.a if factor == 2 else r.u))
factor = 3
write("rdd_late", late.toDF(["k", "v"]))

if pyspark.__version__ >= "4":
    def arrow_group(table):
        return table.select(["k", "s"])


    write("apply_in_arrow", df.groupBy("k").applyInArrow(arrow_group, "k long, s string"))
    named = udf(lambda first, second: "x" if first > 2 else "y", "string")
    write("named", df.select(named(second=F.col("u"), first=F.col("a")).alias("v")))


    from pyspark.sql.functions import udtf


    @udtf(returnType="word string, size int")
    class Words:
        def eval(self, text: str, count: int):
            yield text, len(text)


    spark.udtf.register("words", Words)
    write("udtf", spark.sql("SELECT k, word, size FROM rows, LATERAL words(s, a)"))
"""

EXPECTED = {
    "map_in_pandas": ["k <- in.k IDENTITY", "z <- in.a TRANSFORMATION", "* <- in.u FILTER"],
    "running": ["total <- in.a AGGREGATION", "* <- in.s SORT"],
    "map_in_arrow": ["s <- in.s IDENTITY", "k <- in.k IDENTITY"],
    "apply_in_pandas": [
        "k <- in.k TRANSFORMATION",
        "total <- in.a AGGREGATION",
        "* <- in.k GROUP_BY",
    ],
    "cogroup": [
        "k <- in.k TRANSFORMATION",
        "k <- other.k TRANSFORMATION",
        "s <- in.s IDENTITY",
        "w <- other.w IDENTITY",
        "* <- in.k GROUP_BY JOIN",
        "* <- other.k GROUP_BY JOIN",
    ],
    "scalar": ["v <- in.a TRANSFORMATION"],
    "pandas_scalar": ["v <- in.a TRANSFORMATION", "v <- in.u TRANSFORMATION"],
    "pandas_iterator": ["v <- in.u TRANSFORMATION"],
    "pandas_aggregate": ["k <- in.k IDENTITY", "v <- in.u AGGREGATION", "* <- in.k GROUP_BY"],
    "of_module": ["k <- in.k IDENTITY", "s <- in.s IDENTITY"],
    "helper": ["v <- in.a TRANSFORMATION"],
    "callable": ["v <- in.a TRANSFORMATION"],
    "partial": ["v <- in.a TRANSFORMATION"],
    "decorated": ["v <- in.a TRANSFORMATION"],
    "method": ["v <- in.a TRANSFORMATION"],
    "registered": ["v <- in.a TRANSFORMATION"],
    "rdd_mapped": ["k <- in.k IDENTITY", "z <- in.a TRANSFORMATION"],
    "rdd_named": ["k <- in.k IDENTITY", "z <- in.s TRANSFORMATION"],
    "rdd_filtered": ["k <- in.k IDENTITY", "* <- in.a FILTER"],
    "rdd_words": [
        "k <- in.k IDENTITY",
        "k <- in.s CONDITIONAL",
        "w <- in.s TRANSFORMATION CONDITIONAL",
        "* <- in.s FILTER",
    ],
    "rdd_partitions": ["k <- in.k IDENTITY", "z <- in.u TRANSFORMATION", "* <- in.a FILTER"],
    "rdd_reduced": ["k <- in.k IDENTITY", "total <- in.a AGGREGATION", "* <- in.k GROUP_BY"],
    "rdd_grouped": [
        "k <- in.k IDENTITY",
        "n <- in.a AGGREGATION",
        "n <- in.k GROUP_BY",
        "* <- in.k GROUP_BY",
    ],
    "rdd_joined": [
        "k <- in.k TRANSFORMATION",
        "k <- other.k TRANSFORMATION",
        "a <- in.a IDENTITY",
        "w <- other.w IDENTITY",
        "* <- in.k JOIN",
        "* <- other.k JOIN",
    ],
    "rdd_numbered": ["a <- in.a IDENTITY"],
    "rdd_flat_values": ["k <- in.k IDENTITY", "w <- in.s TRANSFORMATION", "* <- in.s FILTER"],
    "rdd_cogrouped": [
        "k <- in.k TRANSFORMATION",
        "k <- other.k TRANSFORMATION",
        "w <- in.k GROUP_BY",
        "w <- other.k GROUP_BY",
        "w <- other.w AGGREGATION",
        "* <- in.k GROUP_BY",
        "* <- other.k GROUP_BY",
    ],
    "rdd_placed": [
        "n <- in.k CONDITIONAL SORT",
        "a <- in.a IDENTITY",
        "a <- in.k CONDITIONAL",
        "* <- in.k SORT FILTER",
    ],
    "rdd_aggregated": ["k <- in.k IDENTITY", "total <- in.a AGGREGATION", "* <- in.k GROUP_BY"],
    "rdd_combined": ["k <- in.k IDENTITY", "mean <- in.a AGGREGATION", "* <- in.k GROUP_BY"],
    "rdd_group_by": ["k <- in.k IDENTITY", "n <- in.k GROUP_BY", "* <- in.k GROUP_BY"],
    "rdd_schema": ["s <- in.s IDENTITY", "a <- in.a IDENTITY"],
    "rdd_plain": [f"{name} <- in.{name} IDENTITY" for name in ("k", "a", "s", "u")],
}
OF_SPARK_4 = {
    "apply_in_arrow": ["k <- in.k IDENTITY", "s <- in.s IDENTITY", "* <- in.k GROUP_BY"],
    "named": ["v <- in.a CONDITIONAL"],
    "udtf": [
        "k <- in.k IDENTITY",
        "word <- in.a TRANSFORMATION",
        "word <- in.s TRANSFORMATION",
        "size <- in.a TRANSFORMATION",
        "size <- in.s TRANSFORMATION",
    ],
}
if spark_version >= "4":
    EXPECTED |= OF_SPARK_4
OPAQUE = {
    "unknown": ["MapInPandas", "pandas.DataFrame.pivot_table"],
    "udtf": ["PythonUDTF"],
}


@pytest.fixture(scope="module", params=["submit", pytest.param("plan", marks=pytest.mark.long)])
def outputs(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, tuple[list[str], list[str]]]:
    """What is told of each output of the program; a plan must tell the same.

    It has no rows, of which Spark takes the columns of an RDD.
    """
    return outputs_of(Path(tmp_path_factory.mktemp("functions")), request.param)


def outputs_of(
    folder: Path,
    command: str,
    environment: Mapping[str, str] = os.environ,
    program: str = PROGRAM,
) -> dict[str, tuple[list[str], list[str]]]:
    """The lineage of each output of a program by its name, and what was opaque."""
    (folder / "program.py").write_text(program)
    (folder / "helpers.py").write_text(HELPERS)
    options = ["--master", "local[1]"] if command == "submit" else []
    options += ["--conf", "spark.ui.enabled=false", "--conf", "spark.sql.shuffle.partitions=1"]
    line = [sys.executable, "-c", "from airflow_colgraph.cli import main; main()"]
    line += [command, "--quiet", "--output", str(folder / "events"), "--", *options]
    line += ["--py-files", str(folder / "helpers.py"), str(folder / "program.py"), str(folder)]
    environment = {**environment, "SPARK_LOCAL_IP": "127.0.0.1", "XDG_CACHE_HOME": str(folder)}
    ran = subprocess.run(line, capture_output=True, text=True, cwd=folder, env=environment)
    assert ran.returncode == 0, ran.stderr[-3000:]
    printed = [text for text in ran.stderr.splitlines() if text.startswith("colgraph: ")]
    assert (command == "submit") == (not printed), printed
    events = [json.loads(text) for text in (folder / "events").read_text().splitlines()]
    return {
        Path(output["name"]).name: (lines(output), opaque(event))
        for event in events
        for output in event["outputs"]
    }


def lines(output: dict[str, Any]) -> list[str]:
    """The inputs of each column, and of the rows (`*`), with their subtypes."""
    facet = output["facets"].get("columnLineage", {})
    entries = {**facet.get("fields", {}), "*": {"inputFields": facet.get("dataset", [])}}
    return [
        f"{column} <- {Path(field['name']).name}.{field['field']} "
        + " ".join(step["subtype"] for step in field["transformations"])
        for column, entry in entries.items()
        for field in entry["inputFields"]
    ]


def opaque(event: dict[str, Any]) -> list[str]:
    facet = event["run"]["facets"].get("colgraph_diagnostics", {})
    return [each["class"] for each in facet.get("opaque", ())]


@pytest.mark.parametrize("name", EXPECTED)
def test_a_function_is_told_by_its_source(
    outputs: dict[str, tuple[list[str], list[str]]], name: str
) -> None:
    assert outputs[name] == (EXPECTED[name], OPAQUE.get(name, []))


def test_a_function_that_is_not_known_depends_on_all_inputs(
    outputs: dict[str, tuple[list[str], list[str]]],
) -> None:
    told, reasons = outputs["unknown"]
    assert [each.rpartition(" at ")[0] or each for each in reasons] == OPAQUE["unknown"]
    assert {each.split()[2] for each in told} == {"in.k", "in.a", "in.s", "in.u"}
    assert len(told) == 3 * 4


@pytest.mark.parametrize("name", ["rdd_kept", "rdd_unknown", "rdd_late"])
def test_an_rdd_that_is_not_known_depends_on_all_inputs(
    outputs: dict[str, tuple[list[str], list[str]]], name: str
) -> None:
    """Functions that keep what they saw, an unknown method, a global that was changed later."""
    told, reasons = outputs[name]
    assert reasons == ["LogicalRDD"]
    assert {each.split()[2] for each in told} == {"in.k", "in.a", "in.s", "in.u"}
    assert len(told) == 3 * 4
