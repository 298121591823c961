"""Texts of data types: one type in two spellings, and two types."""

import sys

import pytest

from airflow_colgraph.store.model.data_types import is_same_type

SPELLINGS = [
    ("DOUBLE", "double"),
    ("decimal(10, 2)", "decimal(10,2)"),
    ("STRUCT<a: INT, b: STRING>", "struct<a:int,b:string>"),
    ("map<string, int>", "MAP<STRING,INT>"),
]
SYNONYMS = [
    ("long", "bigint"),
    ("integer", "int"),
    ("numeric(10,2)", "decimal(10,2)"),
    ("character varying(10)", "varchar(10)"),
    ("bool", "boolean"),
    ("int[]", "array<int>"),
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
