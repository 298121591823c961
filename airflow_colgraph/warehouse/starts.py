"""The fields that a closure starts from, as people write them or from a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from airflow_colgraph.warehouse.errors import WarehouseError
from airflow_colgraph.warehouse.folder import Version

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Starts = Callable[["SparkSession", Version], "DataFrame"]
SHOWN = 3  # names in an error

# A name is compared as a whole, never split: dataset and field may both contain dots.
_WANTED = """
SELECT w.text, f.dataset, f.namespace, f.field, f.canonical
FROM {wanted} AS w JOIN {fields} AS f
    ON w.text = if(f.field = '', f.name, concat(f.name, '.', f.field))
WHERE {namespace} IS NULL OR f.namespace = {namespace}
"""


def named(texts: Sequence[str], namespace: str | None = None) -> Starts:
    """Each text `DATASET` or `DATASET.FIELD` as a set of its own; a dataset is all its fields."""

    def starts(spark: SparkSession, version: Version) -> DataFrame:
        fields = version.table(spark, "fields")
        wanted = spark.createDataFrame([(text,) for text in dict.fromkeys(texts)], "text string")
        matches = spark.sql(
            _WANTED.replace("{namespace}", ":namespace"),
            {"namespace": namespace},
            wanted=wanted,
            fields=fields,
        )
        _check(wanted, matches)
        members = fields.selectExpr("dataset", "canonical AS node")
        whole = (
            matches.where("field = ''").join(members, "dataset").selectExpr("text AS set", "node")
        )
        single = matches.where("field <> ''").selectExpr("text AS set", "canonical AS node")
        return whole.union(single).distinct()

    return starts


def _check(wanted: DataFrame, matches: DataFrame) -> None:
    from pyspark.sql import functions as F

    counts = matches.groupBy("text").agg(F.collect_set("canonical"), F.collect_set("namespace"))
    rows = wanted.join(counts, "text", "left").collect()
    for text, ids, namespaces in sorted(map(tuple, rows)):
        if not ids:
            raise WarehouseError(f"There is no dataset or field {text!r}. Expected DATASET.FIELD.")
        if len(ids) > 1:
            several = ", ".join(map(repr, sorted(namespaces)))
            raise WarehouseError(f"{text!r} is in several namespaces: {several}. Name one.")


def listed(path: str) -> Starts:
    """The sets in a CSV file with the columns set, namespace, name and field (empty: all)."""

    def starts(spark: SparkSession, version: Version) -> DataFrame:
        schema = "set string, namespace string, name string, field string"
        sets = spark.read.csv(path, schema, header=True, enforceSchema=False)
        sets = sets.fillna("", ["field"])
        fields = version.table(spark, "fields")
        unknown = sets.join(fields, ["namespace", "name", "field"], "left_anti")
        missing = [f"{row.name}.{row.field}".rstrip(".") for row in unknown.take(SHOWN)]
        if missing:
            raise WarehouseError(f"{path} names what is not there: {', '.join(missing)}.")
        wanted = sets.withColumnRenamed("field", "wanted")
        matches = wanted.join(fields, ["namespace", "name"]).where("wanted IN ('', field)")
        return matches.selectExpr("set", "canonical AS node").distinct()

    return starts
