"""Datasets with several names: the one that edges are stored under, and fields of all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.warehouse.body_rows import field_row
from airflow_colgraph.warehouse.row_schema import FIELD, arrow_schema, ddl

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame

Keep = Callable[["DataFrame", str], "DataFrame"]  # writes a table, and reads it back


def canonical(symlinks: DataFrame, keep: Keep) -> DataFrame:
    """For each name of a dataset with several the canonical one, as `db.symlinks` chooses it.

    The groups are the connected components of the pairs: each name takes the smallest name that
    it is connected with, and that name's, until none changes.
    """
    pairs = symlinks.selectExpr("alias AS a", "dataset AS b")
    both = pairs.union(pairs.selectExpr("b", "a")).distinct()
    least = both.groupBy("a").agg({"b": "min"}).selectExpr("a AS id", "least(a, `min(b)`) AS least")
    least = keep(least, "names/0")
    round = 0
    while True:
        round += 1
        near = (
            both.join(least.selectExpr("id AS b", "least AS near"), "b")
            .groupBy("a")
            .agg({"near": "min"})
            .selectExpr("a AS id", "`min(near)` AS near")
        )
        jumped = least.selectExpr("id AS least", "least AS jumped")
        following = (
            least.join(near, "id")
            .join(jumped, "least")
            .selectExpr(
                "id",
                "least(least, near, jumped) AS least",
                "least(least, near, jumped) < least AS changed",
            )
        )
        following = keep(following, f"names/{round}")
        least = following.select("id", "least")
        if following.where("changed").isEmpty():
            break
    aliases = pairs.selectExpr("a AS id", "true AS is_alias").distinct()
    chosen = (
        least.join(aliases, "id", "left")
        .groupBy("least")
        .agg({"id": "min"})
        .selectExpr("least", "`min(id)` AS any_name")
    )
    standing = (
        least.join(aliases, "id", "left_anti")
        .groupBy("least")
        .agg({"id": "min"})
        .selectExpr("least", "`min(id)` AS standing")
    )
    return (
        least.join(chosen, "least")
        .join(standing, "least", "left")
        .selectExpr("id AS dataset", "coalesce(standing, any_name) AS canonical", "least")
    )


def spread(fields: DataFrame, canonical: DataFrame) -> DataFrame:
    """The fields of each name of a dataset: all that are known under any of its names."""
    members = canonical.selectExpr("dataset AS member", "least")
    owners = fields.where("field = ''").selectExpr("id AS member", "namespace", "name")
    names = fields.join(canonical, "dataset").select("least", "field").distinct()
    wanted = members.join(owners, "member").join(names, "least")
    others = wanted.select("namespace", "name", "field").mapInArrow(_with_ids, ddl(FIELD))
    return fields.union(others.select(*fields.columns)).dropDuplicates(["id"])


def _with_ids(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """Fields with their ids: a hash that Spark has no function for."""
    import pyarrow

    schema = arrow_schema(FIELD)
    for batch in batches:
        columns = [batch.column(name).to_pylist() for name in ("namespace", "name", "field")]
        rows = [field_row(Field(*names)) for names in zip(*columns, strict=True)]
        yield pyarrow.RecordBatch.from_pylist(rows, schema=schema)


def with_canonical(fields: DataFrame, canonical: DataFrame) -> DataFrame:
    """The fields with `canonical`: the id of the field that edges have for it, mostly its own."""
    moved = canonical.where("dataset <> canonical").select("dataset", "canonical")
    standing = fields.selectExpr("dataset AS canonical", "field", "id AS standing")
    return (
        fields.join(moved, "dataset", "left")
        .join(standing, ["canonical", "field"], "left")
        .selectExpr(
            "id",
            "dataset",
            "namespace",
            "name",
            "field",
            "coalesce(standing, id) AS canonical",
        )
    )
