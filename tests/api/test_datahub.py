"""DataHub's words over REST, and fields asked for by any of their names."""

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from airflow_colgraph.api.access import Access
from airflow_colgraph.api.app import create_app
from airflow_colgraph.exports.datahub.platform import Mapping
from airflow_colgraph.exports.datahub.proposals import proposals
from airflow_colgraph.exports.datahub.rfc1841 import documents
from airflow_colgraph.exports.lineage_model import Lineage
from airflow_colgraph.exports.store_reader import lineage
from airflow_colgraph.store.store import Store
from tests.exports.samples import DAILY, FACTS, ORDERS, daily, event, load, made_of
from tests.graph_answers import edges_of

KAFKA = "urn:li:dataset:(urn:li:dataPlatform:kafka,demo.orders,PROD)"
ROOT = "/api/v1/datahub"


@pytest.fixture
def store() -> Iterator[Store]:
    store = Store.open("sqlite://")
    store.add([load(), daily()])
    yield store
    store.close()


@pytest.fixture
def shop(store: Store) -> Lineage:
    with store.connection() as connection:
        return lineage(connection)


@pytest.fixture
def client(store: Store) -> TestClient:
    return TestClient(create_app(store), raise_server_exceptions=False)


def test_the_documents_of_the_rfc(client: TestClient, shop: Lineage) -> None:
    assert client.get(f"{ROOT}/rfc").json() == {
        "documents": list(documents(shop, Mapping())),
        "leftOut": [],
    }
    asked = {"kind": ["HasField", "DataDerivedFrom"], "indirect": True, "env": "DEV"}
    found = client.get(f"{ROOT}/rfc", params=asked).json()["documents"]
    every = documents(shop, Mapping("DEV"), indirect=True)
    assert found == [one for one in every if "HasField" in one or "DataDerivedFrom" in one]


def test_one_dataset(client: TestClient) -> None:
    asked = {"namespace": DAILY[0], "name": DAILY[1]}
    found = client.get(f"{ROOT}/rfc", params={**asked, "kind": "DatasetUpstreamLineage"}).json()
    (aspect,) = found["documents"]
    mapped = aspect["DatasetUpstreamLineage"]["fieldMappings"]
    assert [m["destinationField"].rpartition("/")[2] for m in mapped] == [
        "customer)",
        "day)",
        "orders)",
    ]
    of_one = client.get(f"{ROOT}/proposals", params={"name": DAILY[1]}).json()
    assert [one["aspectName"] for one in of_one] == [
        "schemaMetadata",
        "upstreamLineage",
        "dataJobInputOutput",
    ]
    sources = [
        u for f in of_one[1]["aspect"]["json"]["fineGrainedLineages"] for u in f["upstreams"]
    ]
    assert all("/demo/fact_orders" in urn for urn in sources)


def test_a_source_has_fields_and_no_lineage(client: TestClient) -> None:
    found = client.get(f"{ROOT}/rfc", params={"name": ORDERS[1]}).json()["documents"]
    assert [next(iter(one)) for one in found] == ["DatasetField", "HasField"] * 5


def test_proposals(client: TestClient, shop: Lineage) -> None:
    assert client.get(f"{ROOT}/proposals").json() == list(proposals(shop, Mapping()))
    asked = {"paths": "v2-hive", "indirect": True}
    found = client.get(f"{ROOT}/proposals", params=asked).json()
    assert found == list(proposals(shop, Mapping(), paths="v2-hive", indirect=True))


def test_only_what_changed(client: TestClient) -> None:
    later = {"since": "2026-11-20T10:30:00Z"}
    found = client.get(f"{ROOT}/proposals", params=later).json()
    assert {one["entityUrn"].split(",")[1] for one in found} == {"shop", "shop.mart.daily"}
    assert client.get(f"{ROOT}/proposals", params={"since": "2026-11-21"}).json() == []


def test_the_names_of_fields(client: TestClient) -> None:
    found = client.get(f"{ROOT}/fields", params={"name": ORDERS[1]}).json()["fields"]
    assert [(row["rfc"], row["leaf"]) for row in found] == [
        ("/header", False),
        ("/header/customerId", True),
        ("/header/timeStamp", True),
        ("/items", False),
        ("/items/sku", True),
        ("/items/price", True),
        ("/note.text", True),
    ]
    v2 = "[version=2.0].[type=struct].[type=array].[type=struct].items.[type=string].sku"
    assert found[4] == {
        "key": ["items", "sku"],
        "leaf": True,
        "rfc": "/items/sku",
        "v1": "items.sku",
        "v2-hive": v2,
        "v2-openlineage": v2,
        "schemaField": f"urn:li:schemaField:({KAFKA},items.sku)",
        "datasetField": f"urn:li:datasetField:({KAFKA},/items/sku)",
    }


def test_every_name_of_a_field_finds_it(client: TestClient) -> None:
    rows = client.get(f"{ROOT}/fields", params={"name": ORDERS[1]}).json()["fields"]
    (row,) = (row for row in rows if row["key"] == ["header", "timeStamp"])
    names = [value for name, value in row.items() if name not in ("key", "leaf")]
    answers = {
        name: client.get("/api/v1/downstream", params={"name": ORDERS[1], "field": name}).json()
        for name in names
    }
    plain = {"name": ORDERS[1], "field": "header.timeStamp"}
    wanted = client.get("/api/v1/downstream", params=plain).json()
    assert [edge["output"]["field"] for edge in edges_of(wanted)] == ["timeStamp", "day"]
    assert answers == dict.fromkeys(names, wanted)
    listed = client.get("/api/v1/impact", params={"name": ORDERS[1], "field": names[0]}).json()
    assert listed == client.get("/api/v1/impact", params=plain).json()


def test_an_ambiguous_name_is_a_conflict_with_the_candidates() -> None:
    store = Store.open("sqlite://")
    schema = [{"name": "Id", "type": "long"}, {"name": "ID", "type": "long"}]
    fields = {"Id": [made_of(ORDERS, "a")], "ID": [made_of(ORDERS, "b")]}
    store.add(event("a.b", 1, "2026-11-20T10:00:00Z", {ORDERS: []}, FACTS, schema, fields))
    client = TestClient(create_app(store), raise_server_exceptions=False)
    answer = client.get("/api/v1/upstream", params={"name": FACTS[1], "field": "/id"})
    assert (answer.status_code, answer.json()) == (
        409,
        {"error": "Field '/id' is ambiguous. Write one of: /ID, /Id."},
    )


WRONG = {
    "/rfc?since=soon": (400, "'soon' is not a time."),
    "/rfc?name=nothing": (404, "Dataset 'nothing' is not in the store."),
    "/rfc?env=LIVE": (400, "env: String should match pattern"),
    "/proposals?paths=v3": (400, "paths: String should match pattern"),
    "/fields": (400, "name: Field required."),
    "/fields?name=nothing": (404, "Dataset 'nothing' is not in the store."),
}


@pytest.mark.parametrize("path", WRONG)
def test_wrong_questions(client: TestClient, path: str) -> None:
    status, message = WRONG[path]
    answer = client.get(f"{ROOT}{path}")
    assert (answer.status_code, list(answer.json())) == (status, ["error"])
    assert answer.json()["error"].startswith(message)


@pytest.mark.parametrize("path", ["rfc", "proposals"])
def test_a_reader_of_some_dags_is_refused(store: Store, path: str) -> None:
    app = create_app(store, lambda request, scope: Access(frozenset({"shop"})))
    client = TestClient(app, raise_server_exceptions=False)
    assert client.get(f"{ROOT}/{path}").status_code == 403


def test_a_dataset_without_a_schema_has_no_fields_to_name() -> None:
    store = Store.open("sqlite://")
    store.add(event("a.b", 1, "2026-11-20T10:00:00Z", {ORDERS: []}, FACTS, [], None))
    client = TestClient(create_app(store), raise_server_exceptions=False)
    assert client.get(f"{ROOT}/fields", params={"name": ORDERS[1]}).json() == {"fields": []}
