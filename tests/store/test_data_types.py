"""Texts of data types: one type in two spellings, and two types."""

import sys

import pytest

from airflow_colgraph.store.model.data_types import comparable, is_same_type

SPELLINGS = [
    ("DOUBLE", "double"),
    ("decimal(10, 2)", "decimal(10,2)"),
    ("STRUCT<a: INT, b: STRING>", "struct<a:int,b:string>"),
    ("map<string, int>", "MAP<STRING,INT>"),
    ("int[]", "array<int>"),
    ("struct<a:int>", "struct"),
    ("array<struct<a:int>>", "ARRAY<STRUCT>"),
    ("map<struct<a:int>,struct<b:int>>", "map<struct,struct>"),
    ("ROW(a INT, b DECIMAL(9, 2))", "struct<a:int,b:decimal(9,2)>"),
    ("struct<`a b`:int>", 'STRUCT("a b" INT)'),
    ("struct<a:int,... 5 more fields>", "struct"),
    ("map<string,unknown>", "map<string,int>"),
]
SYNONYMS = [
    ("long", "bigint"),
    ("integer", "int"),
    ("numeric(10,2)", "decimal(10,2)"),
    ("character varying(10)", "varchar(10)"),
    ("bool", "boolean"),
]
TYPES = [
    ("int", "bigint"),
    ("decimal(10,2)", "decimal(10,3)"),
    ("float", "double"),
    ("real", "float"),  # one type in Spark, two in PostgreSQL
    ("timestamp", "timestamptz"),
    ("timestamp with time zone", "timestamp without time zone"),
    ("int8", "tinyint"),  # eight bytes in PostgreSQL
    ("struct<A:int>", "struct<a:int>"),
    ("struct<a:int>", "struct<a:int,b:int>"),
    ("struct", "array"),
    ("array<struct<a:int>>", "array<struct<a:bigint>>"),
    ("struct<a:int,... 5 more fields>", "struct<b:int,... 5 more fields>"),
    ("map<struct<a:int>,int>", "map<struct<b:int>,int>"),
    ("map<int,struct>", "map<bigint,struct>"),
    ("string", "varchar(10)"),
    ("my_type", "your_type"),
]


@pytest.mark.parametrize(("text", "other"), SPELLINGS + SYNONYMS)
def test_a_type_in_two_spellings(text: str, other: str) -> None:
    """Each was an error in `colgraph check`: no earlier test had a type spelt in another way."""
    assert is_same_type(text, other)
    assert is_same_type(other, text)


@pytest.mark.parametrize(("text", "other"), TYPES)
def test_two_types(text: str, other: str) -> None:
    assert not is_same_type(text, other)
    assert not is_same_type(other, text)


def test_without_sqlglot_only_letters_and_spaces_do_not_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    is_same_type.cache_clear()
    same = {pair for pair in SPELLINGS + SYNONYMS + TYPES if is_same_type(*pair)}
    is_same_type.cache_clear()
    assert same == set(SPELLINGS)


A_AND_B = {"a": "int", "b": "array<struct>", "b.x": "bigint"}
# Schemas of one column `c` as a text and as paths.
SAME_SCHEMAS = {
    "struct<a:int,b:array<struct<x:bigint>>>": ("struct", A_AND_B),
    "array<struct<a:int,b:array<struct<x:bigint>>>>": ("array<struct>", A_AND_B),
    "map<string,struct<a:int>>": ("map<string,struct>", {"a": "int"}),
    "map<string,array<struct<a:int>>>": ("map<string,array<struct>>", {"a": "int"}),
    "STRUCT(a INT)[]": ("array<struct>", {"a": "INT"}),
}


@pytest.mark.parametrize("text", SAME_SCHEMAS)
def test_a_text_has_the_parts_of_nested_fields(text: str) -> None:
    kind, parts = SAME_SCHEMAS[text]
    paths = {"c": kind, **{f"c.{path}": part for path, part in parts.items()}}
    assert comparable({"c": text}, paths) == (paths, paths)


def test_parts_that_one_schema_does_not_name_are_not_compared() -> None:
    nested = {"c": "struct<a:int,b:struct<x:int>>", "d": "int"}
    part = {"c": "struct", "c.a": "int", "c.b": "struct"}
    assert comparable(nested, part) == ({**part, "d": "int"}, part)
    assert comparable(nested, {"c": "struct"}) == ({"c": "struct", "d": "int"}, {"c": "struct"})
