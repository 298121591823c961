"""The tables that the made queries read."""

from __future__ import annotations

from tests.spark.perturb.data import Type, ddl

STRUCT = {"x": "int", "y": "string", "z": {"p": "int", "q": "string"}}
ITEM = {"sku": "string", "n": "int"}

TABLES: dict[str, dict[str, Type]] = {
    "t1": {"id": "int", "a": "int", "b": "int", "s": "string", "d": "date", "m": "decimal(10,2)"},
    "t2": {"id": "int", "k": "int", "u": "string", "f": "double", "o": "boolean", "w": "timestamp"},
    "t3": {"id": "int", "st": STRUCT, "arr": ["int"], "its": [ITEM], "mp": ("int",)},
    "t4": {"a": "int", "b": "int", "s": "string", "e": "date"},
}


def statements() -> list[str]:
    """The statements that make them, with no row: their lineage is asked, never their data."""
    return ["CREATE DATABASE p"] + [
        f"CREATE TABLE p.{table} ({', '.join(f'{n} {ddl(k)}' for n, k in columns.items())})"
        " USING parquet"
        for table, columns in TABLES.items()
    ]
