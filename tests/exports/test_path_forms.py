"""Every form of a path, for the vectors of DataHub's specification, converters and tests."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from airflow_colgraph.exports.path_forms import (
    AmbiguousPath,
    PathError,
    UnknownPath,
    downgrade,
    find,
    find_in,
    form,
    parse_rfc,
    paths,
    rfc_path,
)
from airflow_colgraph.exports.schema.file import from_document
from airflow_colgraph.exports.schema.model import fields

V2 = "[version=2.0]"


def record(name: str, **columns: Any) -> dict[str, Any]:
    return {
        "type": "record",
        "name": name,
        "fields": [{"name": n, "type": t} for n, t in columns.items()],
    }


def array(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


def map_of(values: Any) -> dict[str, Any]:
    return {"type": "map", "values": values}


ORDERS = record(
    "Record1",
    foo1="int",
    foo2=record("Record2", bar1="string", bar2=["null", "int"]),
)
RECURSIVE = record("Recursive", r=record("R", anIntegerField="int", aRecursiveField="R"))

# schema, v2, v1, rfc
AVRO: dict[str, tuple[Any, list[str], list[str], list[str]]] = {
    "the RFC's example": (
        ORDERS,
        [
            "[type=Record1].[type=int].foo1",
            "[type=Record1].[type=Record2].foo2",
            "[type=Record1].[type=Record2].foo2.[type=string].bar1",
            "[type=Record1].[type=Record2].foo2.[type=int].bar2",
        ],
        ["foo1", "foo2", "foo2.bar1", "foo2.bar2"],
        ["/foo1", "/foo2/bar1", "/foo2/bar2/int"],
    ),
    "one string": (record("E", a="string"), ["[type=E].[type=string].a"], ["a"], ["/a"]),
    "a union of records": (
        record("ABUnion", a=[record("A", f="string"), record("B", f="string")]),
        [
            "[type=ABUnion].[type=union].a",
            "[type=ABUnion].[type=union].[type=A].a",
            "[type=ABUnion].[type=union].[type=A].a.[type=string].f",
            "[type=ABUnion].[type=union].[type=B].a",
            "[type=ABUnion].[type=union].[type=B].a.[type=string].f",
        ],
        ["a", "a.f"],
        ["/a/A/f", "/a/B/f"],
    ),
    "arrays of arrays": (
        record("NestedArray", ar=array(array(record("Foo", a="long")))),
        [
            "[type=NestedArray].[type=array].[type=array].[type=Foo].ar",
            "[type=NestedArray].[type=array].[type=array].[type=Foo].ar.[type=long].a",
        ],
        ["ar", "ar.a"],
        ["/ar/a"],
    ),
    "a map": (
        record("R", a_map_of_longs_field=map_of("long")),
        ["[type=R].[type=map].[type=long].a_map_of_longs_field"],
        ["a_map_of_longs_field"],
        ["/a_map_of_longs_field"],
    ),
    "a map of a union": (
        record("MapSample", aMap=map_of(["null", "int", record("Rcd", q="string")])),
        [
            "[type=MapSample].[type=map].[type=union].aMap",
            "[type=MapSample].[type=map].[type=union].[type=int].aMap",
            "[type=MapSample].[type=map].[type=union].[type=Rcd].aMap",
            "[type=MapSample].[type=map].[type=union].[type=Rcd].aMap.[type=string].q",
        ],
        ["aMap", "aMap.q"],
        ["/aMap/int", "/aMap/Rcd/q"],
    ),
    "a record inside itself": (
        RECURSIVE,
        [
            "[type=Recursive].[type=R].r",
            "[type=Recursive].[type=R].r.[type=int].anIntegerField",
            "[type=Recursive].[type=R].r.[type=R].aRecursiveField",
        ],
        ["r", "r.anIntegerField", "r.aRecursiveField"],
        ["/r/anIntegerField", "/r/aRecursiveField"],
    ),
    "a tree": (
        record("TreeNode", value="long", children=array("TreeNode")),
        [
            "[type=TreeNode].[type=long].value",
            "[type=TreeNode].[type=array].[type=TreeNode].children",
        ],
        ["value", "children"],
        ["/value", "/children"],
    ),
    "a linked list": (
        record("Node", value="long", next=["null", "Node"]),
        ["[type=Node].[type=long].value", "[type=Node].[type=Node].next"],
        ["value", "next"],
        ["/value", "/next/Node"],
    ),
    "a record used in two places": (
        record("X", a=record("Y", q="int"), b="Y"),
        [
            "[type=X].[type=Y].a",
            "[type=X].[type=Y].a.[type=int].q",
            "[type=X].[type=Y].b",
            "[type=X].[type=Y].b.[type=int].q",
        ],
        ["a", "a.q", "b", "b.q"],
        ["/a/q", "/b/q"],
    ),
    "null before and after": (
        record("N", a=["null", "long"], b=["long", "null"], c=["null", array(["null", "int"])]),
        ["[type=N].[type=long].a", "[type=N].[type=long].b", "[type=N].[type=array].[type=int].c"],
        ["a", "b", "c"],
        ["/a/long", "/b/long", "/c/array/int"],
    ),
    "unions of one": (
        record("N", a=["int"], b=["null"], c="null"),
        [
            "[type=N].[type=union].a",
            "[type=N].[type=union].[type=int].a",
            "[type=N].[type=union].b",
            "[type=N].[type=null].c",
        ],
        ["a", "b", "c"],
        ["/a/int", "/b", "/c"],
    ),
    "logical types, enum and fixed": (
        record(
            "ns.L",
            d={"type": "bytes", "logicalType": "decimal", "precision": 5},
            t={"type": "int", "logicalType": "date"},
            e=["null", {"type": "enum", "name": "Size", "symbols": ["S"]}],
            f={"type": "fixed", "name": "ns.Md5", "size": 16},
        ),
        [
            "[type=L].[type=bytes].d",
            "[type=L].[type=int].t",
            "[type=L].[type=enum].e",
            "[type=L].[type=fixed].f",
        ],
        ["d", "t", "e", "f"],
        ["/d", "/t", "/e/Size", "/f"],
    ),
    "no record": ("string", ["[type=string]"], [], ["/"]),
    "a nullable text": (["null", "string"], ["[type=string]"], [], ["/string"]),
    "a union at the top": (
        ["int", record("U", a="int")],
        ["[type=union]", "[type=union].[type=int]", "[type=union].[type=U].[type=int].a"],
        ["a"],
        ["/int", "/U/a"],
    ),
    "an array at the top": (
        array(record("ns.Q", a="int")),
        ["[type=array].[type=Q].[type=int].a"],
        ["a"],
        ["/a"],
    ),
}


@pytest.mark.parametrize("name", AVRO)
@pytest.mark.parametrize("format_", ["v2", "v1", "rfc"])
def test_avro(name: str, format_: str) -> None:
    document, v2, v1, rfc = AVRO[name]
    expected = {"v2": [f"{V2}.{path}" for path in v2], "v1": v1, "rfc": rfc}[format_]
    assert paths(from_document(document), format_) == expected


def test_the_key_of_a_topic_is_marked() -> None:
    inner = record("InnerRcd", aStringField="string")
    schema = from_document(record("SimpleNested", nestedRcd=inner))
    assert paths(schema, "v2", key=True) == [
        f"{V2}.[key=True].[type=SimpleNested].[type=InnerRcd].nestedRcd",
        f"{V2}.[key=True].[type=SimpleNested].[type=InnerRcd].nestedRcd.[type=string].aStringField",
    ]


def column(type_: Any, name: str = "c") -> dict[str, Any]:
    return {"name": name, "type": type_, "nullable": True, "metadata": {}}


def struct(*columns: dict[str, Any]) -> dict[str, Any]:
    return {"type": "struct", "fields": list(columns)}


def spark_array(element: Any) -> dict[str, Any]:
    return {"type": "array", "elementType": element, "containsNull": True}


def spark_map(value: Any, key: Any = "string") -> dict[str, Any]:
    return {"type": "map", "keyType": key, "valueType": value, "valueContainsNull": True}


ARRAY = column(spark_array("string"), "tags")
S = "[type=struct]"

# column, hive, openlineage beside an array, openlineage alone, rfc
SPARK: dict[str, tuple[dict[str, Any], list[str], list[str], list[str], list[str]]] = {
    "bigint": (
        column("long", "id"),
        ["[type=long].id"],
        [f"{S}.[type=long].id"],
        ["id"],
        ["/id"],
    ),
    "varchar": (
        column("varchar(255)", "name"),
        ["[type=string].name"],
        [f"{S}.[type=string].name"],
        ["name"],
        ["/name"],
    ),
    "decimal": (
        column("decimal(10,2)", "amount"),
        ["[type=bytes].amount"],
        [f"{S}.[type=decimal].amount"],
        ["amount"],
        ["/amount"],
    ),
    "struct": (
        column(struct(column("string", "city")), "address"),
        [f"{S}.{S}.address", f"{S}.{S}.address.[type=string].city"],
        [f"{S}.{S}.address", f"{S}.{S}.address.[type=string].city"],
        ["address", "address.city"],
        ["/address/city"],
    ),
    "array": (
        column(spark_array("string"), "tags2"),
        [f"{S}.[type=array].[type=string].tags2"],
        [f"{S}.[type=array].[type=string].tags2"],
        [f"{V2}.{S}.[type=array].[type=string].tags2"],
        ["/tags2"],
    ),
    "array of structs": (
        column(spark_array(struct(column("string", "name"))), "markers"),
        [f"{S}.[type=array].{S}.markers", f"{S}.[type=array].{S}.markers.[type=string].name"],
        [f"{S}.[type=array].{S}.markers", f"{S}.[type=array].{S}.markers.[type=string].name"],
        [
            f"{V2}.{S}.[type=array].{S}.markers",
            f"{V2}.{S}.[type=array].{S}.markers.[type=string].name",
        ],
        ["/markers/name"],
    ),
    "map": (
        column(spark_map("string"), "f"),
        [f"{S}.[type=map].[type=string].f"],
        [f"{S}.[type=map].[type=string].f"],
        ["f"],
        ["/f"],
    ),
    "array of arrays": (
        column(spark_array(spark_array("long")), "m"),
        [f"{S}.[type=array].[type=array].[type=long].m"],
        [f"{S}.[type=array].[type=array].[type=long].m"],
        [f"{V2}.{S}.[type=array].[type=array].[type=long].m"],
        ["/m"],
    ),
    "map of arrays": (
        column(spark_map(spark_array("long")), "b"),
        [f"{S}.[type=map].[type=array].[type=long].b"],
        [f"{S}.[type=map].[type=array].[type=long].b"],
        [f"{V2}.{S}.[type=map].[type=array].[type=long].b"],
        ["/b"],
    ),
    "map of structs": (
        column(spark_map(struct(column("long", "n")), struct(column("long", "k"))), "attrs"),
        [f"{S}.[type=map].{S}.attrs", f"{S}.[type=map].{S}.attrs.[type=long].n"],
        [f"{S}.[type=map].{S}.attrs", f"{S}.[type=map].{S}.attrs.[type=long].n"],
        ["attrs", "attrs.n"],
        ["/attrs/n"],
    ),
    "a name with a slash, a tilde and a dot": (
        column("long", "a/b~c.d"),
        ["[type=long].a/b~c.d"],
        [f"{S}.[type=long].a/b~c.d"],
        ["a/b~c.d"],
        ["/a~1b~0c.d"],
    ),
}


@pytest.mark.parametrize("name", SPARK)
def test_spark(name: str) -> None:
    given_column, hive, beside, alone, rfc = SPARK[name]
    schema = from_document(struct(given_column))
    with_array = from_document(struct(given_column, ARRAY))
    tags = f"{V2}.{S}.[type=array].[type=string].tags"
    assert {
        "hive": paths(schema, "v2-hive"),
        "v2": paths(schema, "v2"),
        "beside": paths(with_array, "v2-openlineage"),
        "alone": paths(schema, "v2-openlineage"),
        "rfc": paths(schema, "rfc"),
    } == {
        "hive": [f"{V2}.{path}" for path in hive],
        "v2": [f"{V2}.{path}" for path in hive],
        "beside": [*(f"{V2}.{path}" for path in beside), tags],
        "alone": alone,
        "rfc": rfc,
    }


HIVE_TYPES = {
    "string": "string",
    "char(3)": "string",
    "varchar(255)": "string",
    "binary": "string",
    "byte": "int",
    "short": "int",
    "integer": "int",
    "tinyint": "int",
    "smallint": "int",
    "int": "int",
    "long": "long",
    "bigint": "long",
    "float": "float",
    "double": "double",
    "boolean": "boolean",
    "decimal(10,2)": "bytes",
    "decimal": "bytes",
    "date": "int",
    "timestamp": "int",
    "timestamp_ntz": "null",
    "interval day to second": "null",
    "void": "null",
    "variant": "null",
}


@pytest.mark.parametrize("name", HIVE_TYPES)
def test_simple_types_of_hive(name: str) -> None:
    schema = from_document(struct(column(name)))
    assert paths(schema, "v2-hive") == [f"{V2}.[type={HIVE_TYPES[name]}].c"]


def test_an_avro_schema_has_one_v2_form() -> None:
    with pytest.raises(PathError, match="An Avro schema has only v2 paths, not v2-hive"):
        paths(from_document(ORDERS), "v2-hive")


DOWNGRADED = {
    "[version=2.0].[type=struct].[type=map].[type=struct].job_history": "job_history",
    "[version=2.0].[type=struct].[type=array].[type=string].skills": "skills",
    "[version=2.0].[key=True].[type=SimpleNested].[type=InnerRcd].nestedRcd": "nestedRcd",
    "[version=2.0].[type=union].[type=A]": "",
    "[version=2.0].[type=string]": "",
    "[version=2.0].[type=R].[type=R].a.[type=int].b": "a.b",
    "[version=2.0].[type=long].a.b": "a.b",
    "[version=2.0].[type=long].[x": "[x",
    "[version=2.0].[type=long].a]": "a]",
    "[version=2.0].[type=long].[0]": "",
    "[version=2.0]..[type=long]..a": "a",
    "header.customerId": "header.customerId",
    "[type=long].a": "[type=long].a",
    "": "",
}


@pytest.mark.parametrize("path", DOWNGRADED)
def test_downgrade(path: str) -> None:
    assert downgrade(path) == DOWNGRADED[path]


def test_downgrading_v2_gives_v1_for_every_vector() -> None:
    schemas = [from_document(v[0]) for v in AVRO.values()]
    schemas += [from_document(struct(v[0], ARRAY)) for v in SPARK.values()]
    for schema in schemas:
        forms = ["v2"] if schema.kind == "avro" else ["v2-hive", "v2-openlineage"]
        for name in forms:
            downgraded = dict.fromkeys(downgrade(path) for path in paths(schema, name))
            assert [path for path in downgraded if path] == paths(schema, "v1")


NAME = st.text(min_size=1)


@given(st.lists(NAME, min_size=1, max_size=5))
def test_rfc_paths_can_be_read_back(names: list[str]) -> None:
    assert parse_rfc(rfc_path(names)) == tuple(names)


MALFORMED = {
    "": "Field path '' does not start with '/'.",
    "a/b": "Field path 'a/b' does not start with '/'.",
    "/": "Field path '/' has an empty name.",
    "/a//b": "Field path '/a//b' has an empty name.",
    "/a/": "Field path '/a/' has an empty name.",
    "/a~2": "Field path '/a~2' has a '~' that is neither '~0' nor '~1'.",
    "/a~": "Field path '/a~' has a '~' that is neither '~0' nor '~1'.",
}


@pytest.mark.parametrize("path", MALFORMED)
def test_malformed_rfc_paths(path: str) -> None:
    with pytest.raises(PathError) as caught:
        parse_rfc(path)
    assert str(caught.value) == MALFORMED[path]


KEYS = [("id",), ("a.b",), ("a", "b"), ("a",), ("t", "x.y", "z"), ("t", "x", "y.z"), ("/odd",)]
FOUND = {
    "id": ("id",),
    "/id": ("id",),
    "/id/long": ("id",),
    "[version=2.0].[type=long].id": ("id",),
    "[version=2.0].[type=struct].[type=struct].a.[type=int].b": ("a.b",),
    "a.b": ("a.b",),
    "/a.b": ("a.b",),
    "/a/b": ("a", "b"),
    "/a/b/int": ("a", "b"),
    "/t/x.y/z": ("t", "x.y", "z"),
    "/odd": ("/odd",),
}


@pytest.mark.parametrize("path", FOUND)
def test_find_accepts_every_alias(path: str) -> None:
    assert find(path, KEYS) == FOUND[path]


def test_an_ambiguous_dotted_path_names_the_candidates() -> None:
    with pytest.raises(AmbiguousPath) as caught:
        find("t.x.y.z", KEYS)
    assert caught.value.candidates == [("t", "x", "y.z"), ("t", "x.y", "z")]
    assert str(caught.value) == ("Field 't.x.y.z' is ambiguous. Write one of: /t/x/y.z, /t/x.y/z.")


@pytest.mark.parametrize("path", ["ID", "/id/customer", "/t/x", "t", "", "[version=2.0]"])
def test_an_unknown_path_names_the_fields(path: str) -> None:
    with pytest.raises(UnknownPath) as caught:
        find(path, KEYS[:4])
    assert str(caught.value) == f"There is no field '{path}'. Fields: /id, /a.b, /a/b, /a."


def test_long_lists_of_fields_are_cut_in_errors() -> None:
    with pytest.raises(UnknownPath, match=r"Fields: /c0, .*, /c9, and 90 more\.$"):
        find("x", [(f"c{i}",) for i in range(100)])
    with pytest.raises(UnknownPath, match=r"Fields: none\.$"):
        find("x", [])


def test_case_is_kept_unless_the_platform_ignores_it() -> None:
    keys = [("Id",), ("id",), ("Total",)]
    assert find("id", keys, ignore_case=True) == ("id",)
    assert find("TOTAL", keys, ignore_case=True) == ("Total",)
    with pytest.raises(AmbiguousPath, match=r"'ID' is ambiguous\. Write one of: /Id, /id"):
        find("ID", keys, ignore_case=True)
    with pytest.raises(UnknownPath):
        find("TOTAL", keys)


def test_every_form_of_every_vector_finds_its_field() -> None:
    schemas = [from_document(v[0]) for v in AVRO.values()]
    schemas += [from_document(struct(v[0], ARRAY)) for v in SPARK.values()]
    for schema in schemas:
        avro = schema.kind == "avro"
        forms = ["rfc", "v1", *(["v2"] if avro else ["v2-hive", "v2-openlineage"])]
        named = [f for f in fields(schema) if f.key]
        found = {(name, f): find_in(form(schema, name)(f), schema) for name in forms for f in named}
        assert found == {(name, f): f.key for name in forms for f in named}
