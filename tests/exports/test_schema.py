"""Reading the three kinds of schema documents, and what is reported of bad ones."""

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from airflow_colgraph.exports.path_forms import PathError, paths
from airflow_colgraph.exports.schema import model as module
from airflow_colgraph.exports.schema.file import from_document, parse_schema
from airflow_colgraph.exports.schema.model import SchemaError, fields, native


def spark(**columns: Any) -> dict[str, Any]:
    made = [{"name": n, "type": t, "nullable": True, "metadata": {}} for n, t in columns.items()]
    return {"type": "struct", "fields": made}


def facet(**columns: Any) -> dict[str, Any]:
    made = [{"name": n, **(t if isinstance(t, dict) else {"type": t})} for n, t in columns.items()]
    return {"fields": made}


SPARK = spark(
    id="long",
    items={
        "type": "array",
        "containsNull": True,
        "elementType": spark(sku="string", price="decimal(10,2)"),
    },
    attrs={
        "type": "map",
        "keyType": "string",
        "valueType": spark(k="date"),
        "valueContainsNull": True,
    },
    where={"type": "udt", "class": "Point", "sqlType": spark(x="double")},
)
TEXT = facet(
    id="long",
    items="array<struct<sku:string,price:decimal(10,2)>>",
    attrs="map<string, struct<k: date>>",
    where="STRUCT<`x`:double>",
)
NESTED = facet(
    id="long",
    items={
        "type": "array",
        "fields": [
            {
                "name": "_element",
                "type": "struct",
                "fields": [
                    {"name": "sku", "type": "string"},
                    {"name": "price", "type": "decimal(10,2)"},
                ],
            }
        ],
    },
    attrs={
        "type": "map",
        "fields": [
            {"name": "key", "type": "string"},
            {"name": "value", "type": "struct", "fields": [{"name": "k", "type": "date"}]},
        ],
    },
    where={"type": "struct", "fields": [{"name": "x", "type": "double"}]},
)
SAME = [
    (("id",), "long", True),
    (("items",), "array<struct<sku:string,price:decimal(10,2)>>", False),
    (("items", "sku"), "string", True),
    (("items", "price"), "decimal(10,2)", True),
    (("attrs",), "map<string,struct<k:date>>", False),
    (("attrs", "k"), "date", True),
    (("where",), "struct<x:double>", False),
    (("where", "x"), "double", True),
]


@pytest.mark.parametrize("document", [SPARK, TEXT, NESTED], ids=["spark", "text", "nested"])
def test_one_schema_in_three_spellings(document: dict[str, Any]) -> None:
    found = [(f.key, native(f.type), f.leaf) for f in fields(from_document(document))]
    assert found == SAME


@pytest.mark.parametrize(
    "wrapped",
    [{"schema": TEXT}, {"namespace": "n", "name": "d", "facets": {"schema": TEXT}}],
    ids=["facets", "dataset"],
)
def test_an_openlineage_facet_is_found_in_what_holds_it(wrapped: dict[str, Any]) -> None:
    assert from_document(wrapped) == from_document(TEXT)


def test_descriptions_and_nullability_are_kept() -> None:
    document = spark(a="long", b="long")
    document["fields"][0] |= {"nullable": False, "metadata": {"comment": "the key"}}
    found = [(f.key, f.nullable, f.description) for f in fields(from_document(document))]
    assert found == [(("a",), False, "the key"), (("b",), True, "")]
    avro = {
        "type": "record",
        "name": "R",
        "fields": [
            {"name": "a", "type": "int", "doc": "plain"},
            {"name": "b", "type": ["null", "int"]},
        ],
    }
    found = [(f.key, f.nullable, f.description) for f in fields(from_document(avro))]
    assert found == [(("a",), False, "plain"), (("b",), True, "")]
    described = {"fields": [{"name": "a", "type": "int", "description": "plain"}]}
    assert [f.description for f in fields(from_document(described))] == ["plain"]


def test_facets_of_other_producers() -> None:
    bigquery = facet(
        tags="ARRAY<STRING>",
        line={"type": "RECORD", "fields": [{"name": "sku", "type": "STRING"}]},
        lines={"type": "ARRAY", "fields": [{"name": "sku", "type": "STRING"}]},
        plain={},
    )
    schema = from_document(bigquery)
    assert [(f.key, native(f.type)) for f in fields(schema)] == [
        (("tags",), "array<string>"),
        (("line",), "struct<sku:string>"),
        (("line", "sku"), "string"),
        (("lines",), "array<struct<sku:string>>"),
        (("lines", "sku"), "string"),
        (("plain",), "unknown"),
    ]


def test_type_text_with_blanks_backquotes_and_unions() -> None:
    schema = from_document(
        facet(s="struct<a int, `odd, name`: map<int,array<string>>, u: uniontype<int,string>>")
    )
    assert [(f.key, native(f.type)) for f in fields(schema)][1:] == [
        (("s", "a"), "int"),
        (("s", "odd, name"), "map<int,array<string>>"),
        (("s", "u"), "union<int,string>"),
        (("s", "u"), "union<int,string>"),
        (("s", "u"), "union<int,string>"),
    ]


def test_avro_names_are_found_by_their_namespace() -> None:
    schema = from_document(
        {
            "type": "record",
            "name": "Outer",
            "namespace": "org.one",
            "fields": [
                {"name": "a", "type": {"type": "enum", "name": "Size", "symbols": ["S"]}},
                {"name": "b", "type": "Size"},
                {"name": "c", "type": "org.one.Size"},
                {
                    "name": "d",
                    "type": {"type": "record", "name": "other.R", "fields": []},
                },
                {"name": "e", "type": {"type": "array", "items": "other.R"}},
                {"name": "f", "type": {"type": "long", "logicalType": "timestamp-millis"}},
            ],
        }
    )
    found = [(f.key, native(f.type)) for f in fields(schema)]
    assert found == [
        (("a",), "Size"),
        (("b",), "Size"),
        (("c",), "Size"),
        (("d",), "R"),
        (("e",), "array<R>"),
        (("f",), "long"),
    ]


RECORD = {"type": "record", "name": "R"}
BAD = [
    ("nothing", "", "The schema is not JSON: line 1, Expecting value."),
    ("a number", 7, "A schema is a JSON object; Avro also has names and lists."),
    ("an empty object", {}, "A schema is a JSON object; Avro also has names and lists."),
    (
        "another object",
        {"columns": []},
        "Neither a Spark schema (type and fields), nor an Avro schema (type), nor an OpenLineage "
        "schema facet (fields).",
    ),
    ("a field twice", spark(a="long") | {"fields": [{"name": "a", "type": "long"}] * 2},
     "Field 'a' occurs twice in the schema."),
    ("fields that are no list", {"type": "struct", "fields": "a"},
     "The fields of the schema are not a list: 'a'."),
    ("a field without a name", {"type": "struct", "fields": [{"type": "long"}]},
     "A field of the schema has no name: \"{'type': 'long'}\"."),
    ("an empty name", {"type": "struct", "fields": [{"name": "", "type": "long"}]},
     "A field of the schema has no name."),
    ("a field without a type", {"type": "struct", "fields": [{"name": "a"}]},
     "Field 'a' is not a Spark type: 'None'."),
    ("an unknown Spark type", spark(a={"type": "tree"}),
     "Field 'a' is not a Spark type: \"{'type': 'tree'}\"."),
    ("an array of nothing", spark(a={"type": "array"}),
     "The array of field 'a' has no 'elementType'."),
    ("an unknown Avro name", RECORD | {"fields": [{"name": "a", "type": "strng"}]},
     "The type of field 'a' is unknown: 'strng'."),
    ("an Avro array of nothing", RECORD | {"fields": [{"name": "a", "type": {"type": "array"}}]},
     "The array of field 'a' has no 'items'."),
    ("an Avro type that is none", RECORD | {"fields": [{"name": "a", "type": 3}]},
     "The type of field 'a' is not an Avro type: '3'."),
    ("an Avro field that is none", RECORD | {"fields": ["a"]},
     "A field of 'R' has no name: 'a'."),
    ("an Avro record without fields", RECORD, "The record of the schema has no 'fields'."),
    ("an Avro name twice", [RECORD | {"fields": []}, RECORD | {"fields": []}],
     "'R' is defined twice."),
    ("an Avro name that is none", {"type": "enum", "name": "", "symbols": []},
     "The enum of the schema has no name."),
    ("a facet without fields", {"schema": {}},
     "The OpenLineage schema facet has no list of fields."),
    ("a facet's field that is none", {"fields": [1]}, "A field of the schema has no name: '1'."),
    ("a facet's type that is no text", facet(a={"type": 3}),
     "The type of field 'a' is not a string: '3'."),
    ("a facet's inner fields", facet(a={"type": "struct", "fields": 3}),
     "The fields of field 'a' are not a list: '3'."),
    ("a map with a name that is none", facet(a={"type": "map", "fields": [{"name": {}}]}),
     "A field of field 'a' has no name: \"{'name': {}}\"."),
    ("an open bracket", facet(a="array<int"),
     "The type of field 'a' has no closing '>': 'array<int'."),
    ("brackets that do not match", facet(a="array<map<int,int>"),
     "The type of field 'a' has brackets that do not match: 'map<int,int'."),
    ("a map of one", facet(a="map<int>"),
     "The map of field 'a' has 1 types inside: 'map<int>'."),
    ("a struct field without a type", facet(a="struct<b>"),
     "A field of field 'a' has no type: 'b'."),
    ("an empty type", facet(a="array<int,>"), "The type of field 'a' is empty."),
]  # fmt: skip


@pytest.mark.parametrize(("what", "document", "message"), BAD, ids=[b[0] for b in BAD])
def test_a_bad_schema_is_one_line(what: str, document: Any, message: str) -> None:
    text = document if isinstance(document, str) else json.dumps(document)
    with pytest.raises(SchemaError) as caught:
        list(fields(parse_schema(text)))
    assert str(caught.value) == message


WORDS = st.sampled_from(
    ["struct", "array", "map", "record", "enum", "fixed", "union", "udt", "null", "long", "a", "R",
     "array<int>", "struct<a:b", "map<>", "uniontype<>", "struct<>", ""]
)  # fmt: skip
KEYS = st.sampled_from(
    ["type", "fields", "name", "items", "values", "elementType", "valueType", "keyType", "sqlType",
     "symbols", "namespace", "schema", "facets", "metadata", "comment", "description", "doc"]
)  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)


@given(JSON)
@settings(max_examples=500)
def test_no_document_makes_it_fall_over(document: Any) -> None:
    with contextlib.suppress(SchemaError, PathError):
        schema = from_document(document)
        for form in ("rfc", "v1", "v2", "v2-hive", "v2-openlineage"):
            assert all(isinstance(path, str) for path in paths(schema, form))


def test_bytes_that_are_no_text() -> None:
    with pytest.raises(SchemaError, match=r"^The schema is not UTF-8 text\.$"):
        parse_schema(b'"\xff\xfe')


@pytest.mark.parametrize("depth", [module.MAX_DEPTH + 1, 5_000])
@pytest.mark.parametrize(
    "nest",
    [
        lambda n: '{"type":"array","items":' * n + '"int"' + "}" * n,
        lambda n: json.dumps({"fields": [{"name": "a", "type": "array<" * n + "int" + ">" * n}]}),
    ],
    ids=["avro", "text"],
)
def test_absurd_depth_is_an_error_and_not_a_crash(nest: Any, depth: int) -> None:
    with pytest.raises(SchemaError, match="nested"):
        list(fields(parse_schema(nest(depth))))


def test_records_that_multiply_are_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_FIELDS", 1_000)
    type_: Any = "int"
    for level in range(30):  # 2 ** 30 fields, written in 30 lines
        first = {"name": "a", "type": type_}
        second = {"name": "b", "type": f"R{level - 1}" if level else "int"}
        type_ = {"type": "record", "name": f"R{level}", "fields": [first, second]}
    with pytest.raises(SchemaError, match=r"^The schema has more than 1,000 fields\. Split it\.$"):
        list(fields(from_document(type_)))


def test_a_wide_schema() -> None:
    wide = spark(**{f"c{i}": "array<long>" if i % 2 else "long" for i in range(20_000)})
    assert len(paths(from_document(wide), "v2-hive")) == 20_000
