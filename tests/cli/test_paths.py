"""`colgraph paths`: what it prints, and the one line it says of wrong input."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from airflow_colgraph.cli import main

ORDERS = "urn:li:dataset:(urn:li:dataPlatform:kafka,demo.orders,PROD)"
AVRO = {
    "type": "record",
    "name": "Record1",
    "fields": [
        {"name": "foo1", "type": "int"},
        {
            "name": "foo2",
            "type": {
                "type": "record",
                "name": "Record2",
                "fields": [
                    {"name": "bar1", "type": "string"},
                    {"name": "bar2", "type": ["null", "int"]},
                ],
            },
        },
    ],
}
SPARK = {
    "type": "struct",
    "fields": [
        {"name": "a.b", "type": {"type": "struct", "fields": [{"name": "c.d", "type": "long"}]}},
        {"name": "tags", "type": {"type": "array", "elementType": "string"}},
        {"name": "dotted", "type": {"type": "struct", "fields": [
            {"name": "x.y", "type": {"type": "struct", "fields": [{"name": "z", "type": "long"}]}},
            {"name": "x", "type": {"type": "struct", "fields": [{"name": "y.z", "type": "long"}]}},
        ]}},
    ],
}  # fmt: skip


def run(schema: Any, *options: str) -> Result:
    given = schema if isinstance(schema, str) else json.dumps(schema)
    return CliRunner().invoke(main, ["paths", *options, "-"], input=given)


PRINTED: dict[str, tuple[Any, list[str], list[str]]] = {
    "rfc": (AVRO, [], ["/foo1", "/foo2/bar1", "/foo2/bar2/int"]),
    "rfc urns": (
        AVRO,
        ["--dataset", ORDERS],
        [
            f"urn:li:datasetField:({ORDERS},{path})"
            for path in ("/foo1", "/foo2/bar1", "/foo2/bar2/int")
        ],
    ),
    "v1": (AVRO, ["--format", "v1"], ["foo1", "foo2", "foo2.bar1", "foo2.bar2"]),
    "v2": (
        AVRO,
        ["--format", "v2"],
        [
            "[version=2.0].[type=Record1].[type=int].foo1",
            "[version=2.0].[type=Record1].[type=Record2].foo2",
            "[version=2.0].[type=Record1].[type=Record2].foo2.[type=string].bar1",
            "[version=2.0].[type=Record1].[type=Record2].foo2.[type=int].bar2",
        ],
    ),
    "v2 of a key": (
        {"type": "record", "name": "K", "fields": [{"name": "id", "type": "long"}]},
        ["--format", "v2", "--key"],
        ["[version=2.0].[key=True].[type=K].[type=long].id"],
    ),
    "a facet": (
        {"fields": [{"name": "id", "type": "long"}, {"name": "t", "type": "array<int>"}]},
        ["--format", "v2-openlineage"],
        [
            "[version=2.0].[type=struct].[type=long].id",
            "[version=2.0].[type=struct].[type=array].[type=int].t",
        ],
    ),
    "v1 urns": (
        {"fields": [{"name": "sum(a, b)", "type": "long"}]},
        ["--format", "v1", "--dataset", ORDERS],
        [f"urn:li:schemaField:({ORDERS},sum%28a%2C b%29)"],
    ),
    "finding by v1": (AVRO, ["--find", "foo2.bar2"], ["/foo2/bar2/int"]),
    "finding by rfc": (AVRO, ["--find", "/foo2/bar2/int", "--format", "v1"], ["foo2.bar2"]),
    "finding a struct": (AVRO, ["--find", "foo2"], ["/foo2"]),
    "finding by v2": (
        AVRO,
        ["--format", "v1", "--find", "[version=2.0].[type=Record1].[type=int].foo1"],
        ["foo1"],
    ),
    "finding a name with a dot": (SPARK, ["--find", "a.b.c.d"], ["/a.b/c.d"]),
}


@pytest.mark.parametrize("name", PRINTED)
def test_what_is_printed(name: str) -> None:
    schema, options, lines = PRINTED[name]
    result = run(schema, *options)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines() == lines


DEEP: Any = "long"
for level in range(6):
    DEEP = {"type": "struct", "fields": [{"name": f"{level}" * 100, "type": DEEP}]}

WRONG: dict[str, tuple[Any, list[str], str]] = {
    "ambiguous": (
        SPARK,
        ["--find", "dotted.x.y.z"],
        "<stdin>: Field 'dotted.x.y.z' is ambiguous. "
        "Write one of: /dotted/x/y.z, /dotted/x.y/z.",
    ),
    "unknown": (
        AVRO,
        ["--find", "foo3"],
        "<stdin>: There is no field 'foo3'. Fields: /foo1, /foo2, /foo2/bar1, /foo2/bar2.",
    ),
    "malformed": (
        AVRO,
        ["--find", "/foo2//x"],
        "<stdin>: Field path '/foo2//x' has an empty name.",
    ),
    "no JSON": ("{", [], "<stdin>: The schema is not JSON: line 1, Expecting property name "
                "enclosed in double quotes."),
    "no schema": (
        {"columns": []},
        [],
        "<stdin>: Neither a Spark schema (type and fields), nor an Avro schema (type), nor an "
        "OpenLineage schema facet (fields).",
    ),
    "twice": (
        {"fields": [{"name": "a", "type": "int"}] * 2},
        [],
        "<stdin>: Field 'a' occurs twice in the schema.",
    ),
    "a bad URN": (
        AVRO,
        ["--dataset", "demo.orders"],
        "<stdin>: 'demo.orders' is not a dataset URN. Expected "
        "urn:li:dataset:(urn:li:dataPlatform:<platform>,<name>,<ENV>).",
    ),
    "a key in v1": (
        AVRO,
        ["--format", "v1", "--key"],
        "--key applies only to v2 paths, not to v1.",
    ),
    "Hive's form of Avro": (
        AVRO,
        ["--format", "v2-hive"],
        "<stdin>: An Avro schema has only v2 paths, not v2-hive. Use v2.",
    ),
    "too long": (
        DEEP,
        [],
        f"<stdin>: Field path '/{'5' * 59}...' has 606 characters, more than the 500 that "
        "DataHub allows.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_input_is_one_line(name: str) -> None:
    schema, options, message = WRONG[name]
    result = run(schema, *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"colgraph: error: {message}\n"


def test_a_file_and_its_name_in_errors(tmp_path: Path) -> None:
    file = tmp_path / "orders.avsc"
    file.write_text(json.dumps(AVRO))
    found = CliRunner().invoke(main, ["paths", str(file)])
    assert found.stdout.splitlines() == ["/foo1", "/foo2/bar1", "/foo2/bar2/int"]
    missing = CliRunner().invoke(main, ["paths", str(tmp_path / "nothing.json")])
    assert missing.exit_code == 2
    assert "does not exist" in missing.stderr


def test_the_help_shows_an_example() -> None:
    text = CliRunner().invoke(main, ["paths", "--help"]).stdout
    assert "Example: colgraph paths --format v2 orders.avsc" in text
