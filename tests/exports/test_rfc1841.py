"""The RFC's aspects and relations, out and back in."""

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from airflow_colgraph.exports.datahub.platform import Mapping, Site
from airflow_colgraph.exports.datahub.rfc1841 import (
    BLACK_BOX,
    IDENTITY,
    AspectError,
    documents,
    lineage_of,
    parse_documents,
)
from airflow_colgraph.exports.lineage_model import Lineage
from airflow_colgraph.exports.openlineage_events import events
from airflow_colgraph.exports.store_reader import lineage
from airflow_colgraph.store.model.latest_lineage import Dataset, Input, JobOutput
from airflow_colgraph.store.store import Store
from tests.exports.samples import DAILY, FACTS, ORDERS

KAFKA = "urn:li:dataset:(urn:li:dataPlatform:kafka,demo.orders,PROD)"
HDFS = "urn:li:dataset:(urn:li:dataPlatform:hdfs,/demo/fact_orders,PROD)"
POSTGRES = "urn:li:dataset:(urn:li:dataPlatform:postgres,shop.mart.daily,PROD)"

# The example of the RFC, word for word.
RFC_EXAMPLE = json.loads("""
{
  "DatasetUpstreamLineage": {
    "fieldMappings": [
      {
        "created": null,
        "transformationFunction": {
          "string": "com.linkedin.finegrainedmetadata.transformation.Identity"
        },
        "sourceFields": [
          {
            "string": "urn:li:datasetField:(urn:li:dataset:(urn:li:dataPlatform:kafka,demo.orders,PROD),/header/customerId)"
          }
        ],
        "destinationField": "urn:li:datasetField:(urn:li:dataset:(urn:li:dataPlatform:hdfs,/demo/fact_orders,PROD),/customerId)"
      },
      {
        "created": null,
        "transformationFunction": {
          "string": "com.linkedin.finegrainedmetadata.transformation.Identity"
        },
        "sourceFields": [
          {
            "string": "urn:li:datasetField:(urn:li:dataset:(urn:li:dataPlatform:kafka,demo.orders,PROD),/header/timeStamp)"
          }
        ],
        "destinationField": "urn:li:datasetField:(urn:li:dataset:(urn:li:dataPlatform:hdfs,/demo/fact_orders,PROD),/timeStamp)"
      }
    ]
  }
}
""")  # noqa: E501


def field(dataset: str, path: str) -> str:
    return f"urn:li:datasetField:({dataset},{path})"


def mapping(function: str, destination: str, *sources: str) -> dict[str, Any]:
    return {
        "created": None,
        "transformationFunction": {"string": function},
        "sourceFields": [{"string": source} for source in sources],
        "destinationField": destination,
    }


def of_kind(found: list[dict[str, Any]], kind: str) -> list[Any]:
    return [document[kind] for document in found if kind in document]


def test_the_example_of_the_rfc(shop: Lineage) -> None:
    (facts, _) = of_kind(list(documents(shop, Mapping())), "DatasetUpstreamLineage")
    wanted = RFC_EXAMPLE["DatasetUpstreamLineage"]["fieldMappings"]
    assert [m for m in facts["fieldMappings"] if m in wanted] == wanted


def test_every_mapping_of_the_shop(shop: Lineage) -> None:
    facts, daily = of_kind(list(documents(shop, Mapping())), "DatasetUpstreamLineage")
    assert facts["fieldMappings"] == [
        mapping(IDENTITY, field(HDFS, "/customerId"), field(KAFKA, "/header/customerId")),
        mapping(IDENTITY, field(HDFS, "/note"), field(KAFKA, "/note.text")),
        mapping(BLACK_BOX, field(HDFS, "/skus"), field(KAFKA, "/items/sku")),
        mapping(IDENTITY, field(HDFS, "/timeStamp"), field(KAFKA, "/header/timeStamp")),
    ]
    assert daily["fieldMappings"] == [
        mapping(BLACK_BOX, field(POSTGRES, "/customer"), field(HDFS, "/customerId")),
        mapping(BLACK_BOX, field(POSTGRES, "/day"), field(HDFS, "/timeStamp")),
        mapping(BLACK_BOX, field(POSTGRES, "/orders"), field(HDFS, "/customerId")),
    ]


def test_indirect_inputs_are_a_black_box_on_request(shop: Lineage) -> None:
    _, daily = of_kind(list(documents(shop, Mapping(), indirect=True)), "DatasetUpstreamLineage")
    sources = (field(HDFS, "/customerId"), field(HDFS, "/note"))
    assert daily["fieldMappings"][-1] == mapping(BLACK_BOX, field(POSTGRES, "/orders"), *sources)


def test_entities_and_relations(shop: Lineage) -> None:
    found = list(documents(shop, Mapping()))
    paths = {
        HDFS: ["/customerId", "/loaded_by", "/note", "/skus", "/timeStamp"],
        KAFKA: [
            "/header/customerId",
            "/header/timeStamp",
            "/items/price",
            "/items/sku",
            "/note.text",
        ],
        POSTGRES: ["/customer", "/day", "/orders"],
    }
    every = [(owner, path) for owner in paths for path in paths[owner]]
    assert of_kind(found, "DatasetField") == [
        {"urn": field(owner, path), "dataset": owner, "fieldPath": path} for owner, path in every
    ]
    assert of_kind(found, "HasField") == [
        {"source": owner, "destination": field(owner, path)} for owner, path in every
    ]
    assert of_kind(found, "DataDerivedFrom") == [
        {"source": field(KAFKA, source), "destination": field(HDFS, destination)}
        for source, destination in [
            ("/header/customerId", "/customerId"),
            ("/header/timeStamp", "/timeStamp"),
            ("/items/sku", "/skus"),
            ("/note.text", "/note"),
        ]
    ] + [
        {"source": field(HDFS, source), "destination": field(POSTGRES, destination)}
        for source, destination in [
            ("/customerId", "/customer"),
            ("/customerId", "/orders"),
            ("/timeStamp", "/day"),
        ]
    ]
    assert {kind for document in found for kind in document} == {
        "DatasetField",
        "HasField",
        "DatasetUpstreamLineage",
        "DataDerivedFrom",
    }


def test_a_path_that_is_too_long_is_left_out_with_a_warning() -> None:
    long = "x" * 500
    written = JobOutput(
        Dataset(*FACTS),
        None,
        {
            "a": (Input(Dataset(*ORDERS), "b", "DIRECT", "IDENTITY"),),
            long: (Input(Dataset(*ORDERS), "b", "DIRECT", "IDENTITY"),),
            "c": (Input(Dataset(*ORDERS), long, "DIRECT", "IDENTITY"),),
        },
    )
    warnings: list[str] = []
    found = list(documents(Lineage((written,)), Mapping(), warn=warnings.append))
    assert of_kind(found, "DataDerivedFrom") == [
        {"source": field(KAFKA, "/b"), "destination": field(HDFS, "/a")}
    ]
    message = f"Left out: Field path '/{'x' * 59}...' has 501 characters, more than the 500 that"
    assert warnings == [f"{message} DataHub allows."]


SITE = Mapping(
    namespaces={
        "kafka://broker:9092": Site(),
        "hdfs://nn:8020": Site(),
        "postgres://db:5432": Site(),
    }
)


def test_the_shop_comes_back_from_its_aspects(shop: Lineage) -> None:
    text = "\n".join(json.dumps(document) for document in documents(shop, SITE))
    found = lineage_of(parse_documents(text), SITE, at=1_000)
    facts, daily, orders = Dataset(*FACTS), Dataset(*DAILY), Dataset(*ORDERS)

    def copy(name: str, subtype: str = "IDENTITY") -> tuple[Input, ...]:
        return (Input(orders, name, "DIRECT", subtype),)

    def made(name: str) -> tuple[Input, ...]:
        return (Input(facts, name, "DIRECT", "TRANSFORMATION"),)

    assert found.outputs == (
        JobOutput(
            facts,
            None,
            {
                "customerId": copy("header.customerId"),
                "note": copy("note.text"),
                "skus": copy("items.sku", "TRANSFORMATION"),
                "timeStamp": copy("header.timeStamp"),
            },
            inputs=(orders,),
            at=1_000,
        ),
        JobOutput(
            daily,
            None,
            {
                "customer": made("customerId"),
                "day": made("timeStamp"),
                "orders": made("customerId"),
            },
            inputs=(facts,),
            at=1_000,
        ),
    )


def test_paths_come_back_with_their_structure(shop: Lineage) -> None:
    found = lineage_of(list(documents(shop, SITE)), SITE)
    assert found.schemas == {
        Dataset(*ORDERS): [
            {
                "name": "header",
                "type": "struct",
                "fields": [
                    {"name": "customerId", "type": "unknown"},
                    {"name": "timeStamp", "type": "unknown"},
                ],
            },
            {
                "name": "items",
                "type": "struct",
                "fields": [
                    {"name": "price", "type": "unknown"},
                    {"name": "sku", "type": "unknown"},
                ],
            },
            {"name": "note.text", "type": "unknown"},
        ]
    }


JSON = st.recursive(
    st.none() | st.integers() | st.sampled_from([field(KAFKA, "/a"), KAFKA, IDENTITY, ""]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            ["DatasetField", "urn", "HasField", "DatasetUpstreamLineage", "fieldMappings",
             "sourceFields", "destinationField", "transformationFunction", "string"]
        ),
        inner,
        max_size=3,
    ),
    max_leaves=12,
)  # fmt: skip


@given(JSON)
def test_no_document_makes_it_fall_over(document: Any) -> None:
    with contextlib.suppress(AspectError):
        found = lineage_of(parse_documents(json.dumps(document)), Mapping())
        assert {d.namespace for d in found.schemas} <= {"kafka"}


def test_imported_aspects_go_into_the_store() -> None:
    found = lineage_of([RFC_EXAMPLE], Mapping(), at=1_000)
    store = Store.open("sqlite://")
    store.add(list(events(found)))
    with store.connection() as connection:
        assert lineage(connection) == found


FORMS = {
    "one document": json.dumps(RFC_EXAMPLE, indent=2),
    "a list": json.dumps([RFC_EXAMPLE]),
    "lines": f"\n{json.dumps(RFC_EXAMPLE)}\n\n" + json.dumps({"HasField": {}}) + "\n",
}


@pytest.mark.parametrize("form", FORMS)
def test_the_forms_of_a_file(form: str) -> None:
    found = lineage_of(parse_documents(FORMS[form].encode()), Mapping())
    assert [(w.dataset, set(w.fields or {})) for w in found.outputs] == [
        (Dataset("hdfs", "/demo/fact_orders"), {"customerId", "timeStamp"})
    ]


def test_the_default_function_is_a_black_box() -> None:
    aspect = {
        "DatasetUpstreamLineage": {
            "fieldMappings": [
                {"sourceFields": [field(KAFKA, "/a")], "destinationField": field(HDFS, "/b~1c")}
            ]
        }
    }
    (found,) = lineage_of([aspect], Mapping()).outputs
    made_of = Input(Dataset("kafka", "demo.orders"), "a", "DIRECT", "TRANSFORMATION")
    assert found.fields == {"b/c": (made_of,)}


def aspect(**changed: Any) -> str:
    one = mapping(IDENTITY, field(HDFS, "/a"), field(KAFKA, "/b")) | changed
    return json.dumps({"DatasetUpstreamLineage": {"fieldMappings": [one]}})


KINDS = "DatasetField, HasField, DatasetUpstreamLineage, DataDerivedFrom"
BAD = {
    "no JSON": ("{}\n{", "Line 1 is none of " + KINDS + "."),
    "a broken line": (aspect() + "\n{", "Line 2 is not JSON: Expecting property name"),
    "another document": ("[{}]", f"Document 1 is none of {KINDS}."),
    "no mappings": (
        '{"DatasetUpstreamLineage": {}}',
        "DatasetUpstreamLineage has no list 'fieldMappings'.",
    ),
    "no sources": (aspect(sourceFields=None), "fieldMappings[1] has no list 'sourceFields'."),
    "no destination": (
        aspect(destinationField=None),
        "fieldMappings[1].destinationField: '' is not a field URN. Expected urn:li:schemaField:",
    ),
    "a dataset as source": (
        aspect(sourceFields=[{"string": KAFKA}]),
        f"fieldMappings[1].sourceFields: '{KAFKA}' is not a field URN.",
    ),
    "a schemaField": (
        aspect(destinationField=f"urn:li:schemaField:({HDFS},a)"),
        f"fieldMappings[1].destinationField: 'urn:li:schemaField:({HDFS},a)' is a schemaField, "
        "not a datasetField.",
    ),
    "a malformed path": (
        aspect(destinationField=field(HDFS, "/a//b")),
        "fieldMappings[1].destinationField: Field path '/a//b' has an empty name.",
    ),
    "a field that is none": (
        '{"DatasetField": []}',
        "DatasetField.urn: '' is not a field URN. Expected urn:li:schemaField:",
    ),
    "mappings that are none": (
        '{"DatasetUpstreamLineage": {"fieldMappings": [3]}}',
        "fieldMappings[1] has no list 'sourceFields'.",
    ),
    "no text": (b"\xff\xfe{", "The file is not UTF-8 text."),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_document_is_one_line(name: str) -> None:
    text, message = BAD[name]
    with pytest.raises(AspectError) as caught:
        lineage_of(parse_documents(text), Mapping())
    assert str(caught.value).startswith(message)
