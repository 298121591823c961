"""Today's aspects of DataHub as plain JSON."""

from dataclasses import replace
from typing import Any

import pytest

from airflow_colgraph.exports.datahub.platform import Mapping, Site
from airflow_colgraph.exports.datahub.proposals import ACTOR, proposals
from airflow_colgraph.exports.lineage_model import Lineage
from airflow_colgraph.store.model.latest_lineage import Dataset, Input, JobOutput
from airflow_colgraph.store.model.runs import Job
from tests.exports.samples import FACTS, ORDERS

KAFKA = "urn:li:dataset:(urn:li:dataPlatform:kafka,demo.orders,PROD)"
HDFS = "urn:li:dataset:(urn:li:dataPlatform:hdfs,/demo/fact_orders,PROD)"
POSTGRES = "urn:li:dataset:(urn:li:dataPlatform:postgres,shop.mart.daily,PROD)"
LOAD = "urn:li:dataJob:(urn:li:dataFlow:(airflow,shop,prod),load)"
DAILY = "urn:li:dataJob:(urn:li:dataFlow:(airflow,shop,prod),daily)"


def aspects(lineage: Lineage, mapping: Mapping = Mapping(), **how: Any) -> dict[Any, Any]:  # noqa: B008
    found = list(proposals(lineage, mapping, **how))
    assert {(p["changeType"], tuple(p)) for p in found} == {
        ("UPSERT", ("entityType", "entityUrn", "changeType", "aspectName", "aspect"))
    }
    named = {(p["entityUrn"], p["aspectName"]): p["aspect"]["json"] for p in found}
    assert len(named) == len(found)
    return named


def entry(
    done: str, upstreams: list[tuple[str, str]], *downstreams: tuple[str, str], kind: str = "FIELD"
) -> dict[str, Any]:
    def urns(ends: Any) -> list[str]:
        return [f"urn:li:schemaField:({dataset},{path})" for dataset, path in ends]

    return {
        "upstreamType": "FIELD_SET",
        "upstreams": urns(upstreams),
        "downstreamType": kind,
        "downstreams": urns(downstreams),
        "transformOperation": done,
        "confidenceScore": 1.0,
    }


FACTS_FINE = [
    entry("DIRECT:IDENTITY", [(KAFKA, "header.customerId")], (HDFS, "customerId")),
    entry("DIRECT:IDENTITY", [(KAFKA, "note.text")], (HDFS, "note")),
    entry("DIRECT:AGGREGATION: collect_list(sku)", [(KAFKA, "items.sku")], (HDFS, "skus")),
    entry("DIRECT:IDENTITY", [(KAFKA, "header.timeStamp")], (HDFS, "timeStamp")),
]
DAILY_FINE = [
    entry("DIRECT:TRANSFORMATION masking", [(HDFS, "customerId")], (POSTGRES, "customer")),
    entry("DIRECT:TRANSFORMATION: date(timeStamp)", [(HDFS, "timeStamp")], (POSTGRES, "day")),
    entry("DIRECT:AGGREGATION", [(HDFS, "customerId")], (POSTGRES, "orders")),
]


def test_every_aspect_of_the_shop(shop: Lineage) -> None:
    found = aspects(shop)
    assert set(found) == {
        *((dataset, "schemaMetadata") for dataset in (KAFKA, HDFS, POSTGRES)),
        *((dataset, "upstreamLineage") for dataset in (HDFS, POSTGRES)),
        *((job, "dataJobInputOutput") for job in (LOAD, DAILY)),
    }
    facts = found[HDFS, "upstreamLineage"]
    assert facts["fineGrainedLineages"] == FACTS_FINE
    assert facts["upstreams"] == [
        {
            "auditStamp": {"time": 1795168800000, "actor": ACTOR},
            "dataset": KAFKA,
            "type": "TRANSFORMED",
        }
    ]
    assert found[POSTGRES, "upstreamLineage"]["fineGrainedLineages"] == DAILY_FINE
    assert found[LOAD, "dataJobInputOutput"] == {
        "inputDatasets": [KAFKA],
        "outputDatasets": [HDFS],
        "inputDatajobs": [],
        "fineGrainedLineages": FACTS_FINE,
    }
    assert found[DAILY, "dataJobInputOutput"] == {
        "inputDatasets": [HDFS],
        "outputDatasets": [POSTGRES],
        "inputDatajobs": [],
        "fineGrainedLineages": DAILY_FINE,
    }


def test_a_schema(shop: Lineage) -> None:
    schema = aspects(shop)[KAFKA, "schemaMetadata"]
    assert {name: schema[name] for name in ("schemaName", "platform", "version", "hash")} == {
        "schemaName": "demo.orders",
        "platform": "urn:li:dataPlatform:kafka",
        "version": 0,
        "hash": "",
    }
    record, number = {"com.linkedin.schema.RecordType": {}}, {"com.linkedin.schema.NumberType": {}}
    items = "struct<sku:string,price:decimal(10,2)>"
    assert [(f["fieldPath"], f["type"]["type"], f["nativeDataType"]) for f in schema["fields"]] == [
        ("header", record, "struct<customerId:long,timeStamp:timestamp>"),
        ("header.customerId", number, "long"),
        ("header.timeStamp", {"com.linkedin.schema.TimeType": {}}, "timestamp"),
        ("items", {"com.linkedin.schema.ArrayType": {"nestedType": [items]}}, f"array<{items}>"),
        ("items.sku", {"com.linkedin.schema.StringType": {}}, "string"),
        ("items.price", number, "decimal(10,2)"),
        ("note.text", {"com.linkedin.schema.StringType": {}}, "string"),
    ]


V2 = "[version=2.0].[type=struct]"
FORMS = {
    "v1": ["header", "header.customerId", "items", "items.sku"],
    "v2-hive": [
        f"{V2}.[type=struct].header",
        f"{V2}.[type=struct].header.[type=long].customerId",
        f"{V2}.[type=array].[type=struct].items",
        f"{V2}.[type=array].[type=struct].items.[type=string].sku",
    ],
    "v2-openlineage": [
        f"{V2}.[type=struct].header",
        f"{V2}.[type=struct].header.[type=long].customerId",
        f"{V2}.[type=array].[type=struct].items",
        f"{V2}.[type=array].[type=struct].items.[type=string].sku",
    ],
}


@pytest.mark.parametrize("form", FORMS)
def test_paths_of_schema_and_lineage_agree_in_every_form(shop: Lineage, form: str) -> None:
    found = aspects(shop, paths=form)
    columns = [f["fieldPath"] for f in found[KAFKA, "schemaMetadata"]["fields"]]
    assert [columns[i] for i in (0, 1, 3, 4)] == FORMS[form]
    known = {
        f"urn:li:schemaField:({urn},{f['fieldPath']})"
        for (urn, name), schema in found.items()
        if name == "schemaMetadata"
        for f in schema["fields"]
    }
    used = {
        urn
        for (_, name), aspect in found.items()
        if name != "schemaMetadata"
        for one in aspect["fineGrainedLineages"]
        for urn in one["upstreams"] + one["downstreams"]
    }
    assert used <= known
    assert len(used) == 11


def test_without_arrays_openlineage_paths_are_v1() -> None:
    dataset = Dataset("file", "/d")
    lineage = Lineage((), {dataset: [{"name": "a", "type": "struct<b:int>"}]})
    ((_, found),) = aspects(lineage, paths="v2-openlineage").items()
    assert [f["fieldPath"] for f in found["fields"]] == ["a", "a.b"]


def test_indirect_inputs_on_request_and_never_multiplied_out(shop: Lineage) -> None:
    found = aspects(shop, indirect=True)[POSTGRES, "upstreamLineage"]["fineGrainedLineages"]
    fields = [(POSTGRES, "customer"), (POSTGRES, "day"), (POSTGRES, "orders")]
    assert found == [
        *DAILY_FINE,
        entry("INDIRECT:CONDITIONAL", [(HDFS, "note")], (POSTGRES, "orders")),
        entry("INDIRECT:GROUP_BY", [(HDFS, "timeStamp")], *fields, kind="FIELD_SET"),
    ]


def test_only_the_wanted_aspects(shop: Lineage) -> None:
    found = aspects(shop, aspects=["upstreamLineage"])
    assert set(found) == {(HDFS, "upstreamLineage"), (POSTGRES, "upstreamLineage")}


def test_schemas_that_did_not_change_are_left_out(shop: Lineage) -> None:
    part = Lineage(shop.outputs, shop.schemas, frozenset(shop.schemas))
    assert {name for _, name in aspects(part)} == {"upstreamLineage", "dataJobInputOutput"}


def test_two_jobs_of_one_dataset_share_its_lineage() -> None:
    a, b = Dataset(*ORDERS), Dataset(*FACTS)
    fields = {"x": (Input(a, "y", "DIRECT", "IDENTITY"),)}
    one = JobOutput(b, Job("n", "one.task"), fields, (), (a,), at=1)
    two = JobOutput(b, Job("n", "two"), fields, (), (a,), at=2)
    found = aspects(Lineage((one, two)))
    assert found[HDFS, "upstreamLineage"]["fineGrainedLineages"] == [
        entry("DIRECT:IDENTITY", [(KAFKA, "y")], (HDFS, "x"))
    ]
    assert found[HDFS, "upstreamLineage"]["upstreams"][0]["auditStamp"]["time"] == 2
    assert {urn for urn, name in found if name == "dataJobInputOutput"} == {
        "urn:li:dataJob:(urn:li:dataFlow:(airflow,one,prod),task)",
        "urn:li:dataJob:(urn:li:dataFlow:(airflow,two,prod),two)",
    }


def test_the_mapping_names_everything(shop: Lineage) -> None:
    mapping = Mapping(
        "DEV",
        {"postgres://db:5432": Site(instance="db1", env="QA")},
        orchestrator="lake,house",
        cluster="lab",
    )
    urns = {urn for urn, _ in aspects(shop, mapping)}
    assert urns == {
        "urn:li:dataset:(urn:li:dataPlatform:kafka,demo.orders,DEV)",
        "urn:li:dataset:(urn:li:dataPlatform:hdfs,/demo/fact_orders,DEV)",
        "urn:li:dataset:(urn:li:dataPlatform:postgres,db1.shop.mart.daily,QA)",
        "urn:li:dataJob:(urn:li:dataFlow:(lake%2Chouse,shop,lab),load)",
        "urn:li:dataJob:(urn:li:dataFlow:(lake%2Chouse,shop,lab),daily)",
    }


def test_snowflake_is_lower_case_in_names_and_paths() -> None:
    a, b = Dataset("snowflake://x", "S.P.A"), Dataset("file", "/B")
    schema = [{"name": "ID", "type": "long"}]
    made = JobOutput(b, None, {"ID": (Input(a, "ID"), Input(a, "GONE"))}, (), (a,))
    found = aspects(Lineage((made,), {a: schema, b: schema}))
    snowflake = "urn:li:dataset:(urn:li:dataPlatform:snowflake,s.p.a,PROD)"
    file = "urn:li:dataset:(urn:li:dataPlatform:file,/B,PROD)"
    assert [f["fieldPath"] for f in found[snowflake, "schemaMetadata"]["fields"]] == ["id"]
    assert found[file, "upstreamLineage"]["fineGrainedLineages"] == [
        entry("DIRECT", [(snowflake, "gone"), (snowflake, "id")], (file, "ID"))
    ]


def test_names_that_look_alike_are_written_once() -> None:
    dataset = Dataset("file", "/d")
    schema = [{"name": "a", "type": "struct<b:int>"}, {"name": "a.b", "type": "string"}]
    found = aspects(Lineage((), {dataset: schema}))
    ((_, aspect),) = found.items()
    assert [(f["fieldPath"], f["nativeDataType"]) for f in aspect["fields"]] == [
        ("a", "struct<b:int>"),
        ("a.b", "int"),
    ]


def test_two_datasets_under_one_urn_are_warned_of_once() -> None:
    a, b = Dataset("kafka://one:9092", "t"), Dataset("kafka://two:9092", "t")
    out = Dataset("file", "/d")
    made = JobOutput(out, None, {"x": (Input(a, "y"), Input(b, "y"))}, (), (a, b))
    warnings: list[str] = []
    list(proposals(Lineage((made,)), Mapping(), warn=warnings.append))
    urn = "DatasetUrn(platform='kafka', name='t', env='PROD')"
    assert [text.replace(urn, "URN") for text in warnings] == [
        "urn:li:dataset:(urn:li:dataPlatform:kafka,t,PROD) stands for both kafka://one:9092 t and "
        "kafka://two:9092 t; give one of the namespaces an instance in the mapping."
    ]


def test_an_invalid_schema_is_left_out_with_a_warning() -> None:
    a, b = Dataset("file", "/a"), Dataset("file", "/b")
    twice = [{"name": "x", "type": "int"}] * 2
    made = JobOutput(b, None, {"x.y": (Input(a, "x"),)}, (), (a,))
    warnings: list[str] = []
    lineage = Lineage((made,), {a: twice, b: twice})
    found = {p["aspectName"]: p for p in proposals(lineage, Mapping(), warn=warnings.append)}
    assert set(found) == {"upstreamLineage"}
    assert warnings == [
        f"Left out: the schema of file {name}. Field 'x' occurs twice in the schema."
        for name in ("/a", "/b")
    ]


TABLE = Dataset("hive://m:9083", "demo.facts")
NAMED = [
    ((), Mapping(), "hdfs,/demo/fact_orders"),
    ((TABLE,), Mapping(), "hive,demo.facts"),
    ((Dataset("file:/warehouse", "demo.facts"),), Mapping(), "hive,demo.facts"),
    ((Dataset("http://rest:8181", "demo.facts"),), Mapping(), "hive,demo.facts"),
    ((Dataset("arn:aws:glue:eu:1", "table/demo/facts"),), Mapping(), "glue,demo.facts"),
    ((Dataset("unity-catalog", "c.demo.facts"),), Mapping(), "databricks,c.demo.facts"),
    ((Dataset("s3://mirror", "demo/facts"),), Mapping(), "hdfs,/demo/fact_orders"),
    ((TABLE,), Mapping(symlinks=False), "hdfs,/demo/fact_orders"),
    (
        (TABLE,),
        Mapping(namespaces={"hive://*": Site("iceberg", instance="lake", lowercase=True)}),
        "iceberg,lake.demo.facts",
    ),
]


@pytest.mark.parametrize(("others", "mapping", "urn"), NAMED)
def test_files_of_a_table_go_by_its_name(
    shop: Lineage, others: tuple[Dataset, ...], mapping: Mapping, urn: str
) -> None:
    """As in DataHub's own converter; the same table had two entities there."""
    lineage = replace(shop, symlinks={FACTS: others, ORDERS: (Dataset("x://y", "a.b"),)})
    facts = f"urn:li:dataset:(urn:li:dataPlatform:{urn},PROD)"
    every = aspects(lineage, mapping)
    assert {(facts, "schemaMetadata"), (KAFKA, "schemaMetadata")} <= every.keys()
    assert every[facts, "schemaMetadata"]["platform"] == f"urn:li:dataPlatform:{urn.split(',')[0]}"
    (upstream,) = every[POSTGRES, "upstreamLineage"]["upstreams"]
    assert upstream["dataset"] == facts
    assert every[LOAD, "dataJobInputOutput"]["outputDatasets"] == [facts]
    customer = "customerid" if mapping.namespaces else "customerId"
    fine = every[facts, "upstreamLineage"]["fineGrainedLineages"][0]
    assert fine["downstreams"] == [f"urn:li:schemaField:({facts},{customer})"]
