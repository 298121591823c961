"""Functions that sqlglot knows only by name, in the dialects whose manuals have them."""

import pytest

from airflow_colgraph.sql.transformations import AGGREGATION, TRANSFORMATION
from tests.sql.texts import PLACES, found

AGGREGATES = {
    "bigquery": "st_union_agg st_extent",
    "clickhouse": "corrStable groupArrayIntersect groupArraySorted sparkbar singleValueOrNull",
    "databricks": "mean std some any count_min_sketch histogram_numeric hll_sketch_agg",
    "duckdb": "mean product entropy mad fsum favg geomean geometric_mean kahan_sum sem",
    "hive": "std histogram_numeric percentile ngrams",
    "mysql": "std st_collect",
    "oracle": "stats_mode wm_concat checksum collect approx_median kurtosis_pop boolean_or_agg",
    "postgres": "json_agg_strict range_intersect_agg st_union hll_union_agg every",
    "redshift": "hll_create_sketch hll_combine",
    "snowflake": "hll_accumulate hll_combine vector_avg",
    "sqlite": "total jsonb_group_array percentile",
    "trino": "checksum geometric_mean map_union merge qdigest_agg set_union learn_regressor",
    "tsql": "var varp stdev stdevp product",
}
HASHES = {
    "clickhouse": "cityHash64 sipHash64 halfMD5 murmurHash3_64 xxHash32 CRC64",
    "hive": "mask_hash mask_last_n",
    "mysql": "password crc32",
    "oracle": "ora_hash standard_hash",
    "postgres": "crypt sha224 hashtextextended",
    "redshift": "func_sha1 fnv_hash",
    "snowflake": "hash_agg",
    "trino": "murmur3 hmac_sha256",
    "tsql": "binary_checksum",
}
CALLS = [(dialect, name) for dialect, names in AGGREGATES.items() for name in names.split()]
MASKING_CALLS = [(dialect, name) for dialect, names in HASHES.items() for name in names.split()]


@pytest.mark.parametrize(("dialect", "name"), CALLS)
def test_an_aggregate_is_no_transformation_of_a_row(dialect: str, name: str) -> None:
    """`mean(a)` was TRANSFORMATION, and GROUP BY ALL took it for a key."""
    text = f"CREATE TABLE x AS SELECT {name}(amount) AS m FROM raw GROUP BY ALL"
    (write,) = found(text, PLACES[dialect]).writes
    assert write.relation
    assert [step for _, step in write.relation.columns[0][1]] == [AGGREGATION]
    assert write.relation.rows == frozenset()


@pytest.mark.parametrize(("dialect", "name"), MASKING_CALLS)
def test_a_hash_masks_its_argument(dialect: str, name: str) -> None:
    (write,) = found(
        f"CREATE TABLE x AS SELECT {name}(state) AS m FROM raw", PLACES[dialect]
    ).writes
    assert write.relation
    assert all(step.masking for _, step in write.relation.columns[0][1])


def test_a_quantifier_is_no_aggregate() -> None:
    """Spark's function `any` has the class of LIKE ANY."""
    text = "CREATE TABLE x AS SELECT state LIKE ANY ('a', customer) AS m FROM raw"
    (write,) = found(text, PLACES["databricks"]).writes
    assert write.relation
    assert {step for _, step in write.relation.columns[0][1]} == {TRANSFORMATION}
