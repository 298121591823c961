"""The tables of made statements, and what each database's SQL has. Pure data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from airflow_colgraph.sql.database import Place, TableName

Columns = Mapping[str, Any]
ITEMS: Columns = {"id": "bigint", "price": "bigint", "name": "string"}
TABLES: dict[str, Columns] = {
    "raw": {"id": "bigint", "amount": "bigint", "state": "string", "customer": "string"},
    "orders": {"id": "bigint", "cid": "bigint", "v": "bigint", "note": "string"},
    "people": {"cid": "bigint", "age": "bigint", "name": "string"},
    "Sales": {"Id": "bigint", "Total": "bigint", "Note": "string"},
    "prev.items": ITEMS,
    "curr.items": ITEMS,
    "sink": {"id": "bigint", "total": "bigint", "label": "string"},
    "mart": {"id": "bigint", "total": "bigint", "label": "string"},
    "lists": {"id": "bigint", "nums": ["bigint"], "tags": ["string"]},
}
KEYED = "mart"  # its id is a primary key
OUT = "out_1"  # what CREATE TABLE AS makes


class Dialect(NamedTuple):
    """How a database writes what a made statement needs."""

    name: str  # sqlglot's
    place: Place
    has: frozenset[str]
    case: str  # "any": names match in any case; "lower": where unquoted; "columns"; "exact"
    quote: str = '"'
    text: str = "VARCHAR"
    number: str = "BIGINT"
    words: Mapping[str, str] = {}  # templates that are written in another way
    alike: float = 0.7  # how often a column is called as one of a table may be

    @property
    def tables(self) -> dict[str, Columns]:
        """The tables that this database can have."""
        return {k: v for k, v in TABLES.items() if k != "lists" or "arrays" in self.has}

    def names(self) -> dict[TableName, str]:
        """The tables by the whole names that lineage has."""
        return {self.place.whole(key.split(".")): key for key in self.tables}


DATABASES = ("duckdb", "sqlite", "postgres", "mysql", "clickhouse", "spark")
# The databases that have each feature, by their first letters in DATABASES; s is SQLite, k Spark.
FEATURES = {
    "full": "dspck", "natural": "dspmk", "using": "dspmck", "all": "dpmk", "byname": "d",
    "lateral": "dpk", "qualify": "dc", "filter": "dspck", "distinct on": "dpc", "sets": "dpck",
    "rollup": "m", "group all": "dck", "alias": "dsmck", "merge": "dpk", "dml": "dspmk",
    "upsert": "dspm", "temp": "dspm", "temp view": "dspk", "view": "dspmck", "insert": "dspmck",
    "moved": "p", "into": "p", "with insert": "dspk", "arrays": "dpck", "pivot": "dk",
    "exclude": "dc", "columns": "d", "row set": "sp", "values": "dpk", "correlated": "dspmk",
    "recursive": "dspmk", "row in": "dspmk", "named": "dspmck", "renamed": "dpk",
    "own name": "dpmck", "lateral alias": "dck", "brackets": "dpmck", "any": "dpm",
    "from first": "d", "path": "pm", "view names": "dspm", "rename": "dsp", "replace": "d",
    "cte columns": "dspmk", "on anything": "dspmk",
    "insert byname": "dk", "overwrite": "k", "merge star": "k",
    "by source": "k", "several inserts": "k", "pipe": "k", "generated": "k", "struct": "k",
    "sources": "dpm", "changed view": "pm", "computed": "dspmc",
    "routines": "pm",
}  # fmt: skip
LETTERS = dict(zip("dspmck", DATABASES, strict=True))


def has(name: str) -> frozenset[str]:
    """The features of a database."""
    return frozenset(
        feature for feature, some in FEATURES.items() if any(LETTERS[c] == name for c in some)
    )


DIALECTS = {
    "duckdb": Dialect("duckdb", Place("duckdb", "memory", "main"), has("duckdb"), "any"),
    "sqlite": Dialect("sqlite", Place("sqlite", levels=1), has("sqlite"), "any", text="TEXT",
                      words={"greatest": "max", "least": "min"}),
    "postgres": Dialect("postgres", Place("postgres", "postgres", "public"), has("postgres"),
                        "lower", text="TEXT"),
    "mysql": Dialect("mysql", Place("mysql", "", "shop", 2), has("mysql"), "columns", "`",
                     "CHAR", "SIGNED"),
    "clickhouse": Dialect("clickhouse", Place("clickhouse", "", "shop", 2), has("clickhouse"),
                          "exact", "`", "Nullable(String)", "Nullable(Int64)", alike=0.1),
    "spark": Dialect("spark", Place("spark", "spark_catalog", "default"), has("spark"), "columns",
                     "`", "STRING"),
}  # fmt: skip
