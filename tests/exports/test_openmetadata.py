"""Lineage as OpenMetadata takes it."""

from dataclasses import replace
from typing import Any

from airflow_colgraph.exports.datahub.platform import Mapping, Site
from airflow_colgraph.exports.lineage_model import Lineage
from airflow_colgraph.exports.openmetadata import Names, edges, quoted, with_ids
from airflow_colgraph.store.model.latest_lineage import Dataset, Input, JobOutput
from tests.exports.samples import FACTS

MAPPING = Mapping(namespaces={"postgres://db:5432": Site(instance="warehouse")})


def column(done: str, output: str, *inputs: str) -> dict[str, Any]:
    return {"fromColumns": list(inputs), "toColumn": output, "function": done}


def test_the_edges_of_the_shop(shop: Lineage) -> None:
    facts, daily = edges(shop, MAPPING)
    orders, hdfs = 'kafka."demo.orders"', "hdfs./demo/fact_orders"
    assert facts == {
        "edge": {
            "fromEntity": {"type": "topic", "fullyQualifiedName": orders},
            "toEntity": {"type": "container", "fullyQualifiedName": hdfs},
            "description": "Written by shop.load.",
            "lineageDetails": {
                "source": "SparkLineage",
                "columnsLineage": [
                    column("DIRECT:IDENTITY", f"{hdfs}.customerId", f"{orders}.header.customerId"),
                    column("DIRECT:IDENTITY", f"{hdfs}.note", f'{orders}."note.text"'),
                    column("collect_list(sku)", f"{hdfs}.skus", f"{orders}.items.sku"),
                    column("DIRECT:IDENTITY", f"{hdfs}.timeStamp", f"{orders}.header.timeStamp"),
                ],
            },
        }
    }
    made = "warehouse.shop.mart.daily"
    assert daily["edge"]["toEntity"] == {"type": "table", "fullyQualifiedName": made}
    assert daily["edge"]["lineageDetails"]["columnsLineage"] == [
        column("DIRECT:TRANSFORMATION masking", f"{made}.customer", f"{hdfs}.customerId"),
        column("date(timeStamp)", f"{made}.day", f"{hdfs}.timeStamp"),
        column("DIRECT:AGGREGATION", f"{made}.orders", f"{hdfs}.customerId"),
    ]


def test_indirect_inputs_on_request(shop: Lineage) -> None:
    _, daily = edges(shop, MAPPING, indirect=True)
    found = daily["edge"]["lineageDetails"]["columnsLineage"]
    hdfs, made = "hdfs./demo/fact_orders", "warehouse.shop.mart.daily"
    assert found[-1] == column("INDIRECT:CONDITIONAL", f"{made}.orders", f"{hdfs}.note")


def test_a_join_is_an_edge_for_each_input() -> None:
    a, b, out = Dataset("hive://m", "d.a"), Dataset("hive://m", "d.b"), Dataset("hive://m", "d.o")
    made = JobOutput(out, None, {"x": (Input(a, "p"), Input(b, "q"))}, (), (a, b, out))
    found = [payload["edge"] for payload in edges(Lineage((made,)), Mapping())]
    assert [
        (edge["fromEntity"]["fullyQualifiedName"], edge["lineageDetails"]["columnsLineage"])
        for edge in found
    ] == [
        ("hive.default.d.a", [column("DIRECT", "hive.default.d.o.x", "hive.default.d.a.p")]),
        ("hive.default.d.b", [column("DIRECT", "hive.default.d.o.x", "hive.default.d.b.q")]),
    ]


def test_names() -> None:
    names = Names(Lineage(), MAPPING)
    assert (
        names.dataset(Dataset("postgres://db:5432", "shop.public.t")) == "warehouse.shop.public.t"
    )
    assert names.dataset(Dataset("mysql://h", "shop.t")) == "mysql.default.shop.t"
    assert names.dataset(Dataset("kafka://h", "t")) == "kafka.t"
    assert names.dataset(Dataset("s3://lake", "raw/x.parquet")) == 's3."lake/raw/x.parquet"'
    assert names.column(Dataset("file", "/d"), "a.b") == 'file./d."a.b"'
    assert [quoted(part) for part in ("a", "a.b", 'a"b')] == ["a", '"a.b"', '"a\\"b"']


def test_files_of_a_table_go_by_its_name(shop: Lineage) -> None:
    table = {Dataset(*FACTS): (Dataset("hive://m:9083", "demo.facts"),)}
    mapping = Mapping(namespaces={"hive://*": Site(instance="lake")})
    facts, _ = edges(replace(shop, symlinks=table), mapping)
    reference = {"type": "table", "fullyQualifiedName": "lake.default.demo.facts"}
    assert facts["edge"]["toEntity"] == reference


def test_ids_take_the_place_of_names(shop: Lineage) -> None:
    facts, _ = edges(shop, Mapping())
    found = with_ids(facts, lambda kind, name: f"id of {kind} {name}")
    assert found["edge"] == {
        **facts["edge"],
        "fromEntity": {"id": 'id of topic kafka."demo.orders"', "type": "topic"},
        "toEntity": {"id": "id of container hdfs./demo/fact_orders", "type": "container"},
    }
