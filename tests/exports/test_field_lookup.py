"""Fields of the store by every name that people have for them."""

import pytest

from airflow_colgraph.exports.field_lookup import AmbiguousField, find_field
from airflow_colgraph.store.errors import QuestionError, UnknownNode
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.store import Store
from tests.exports.samples import DAILY, FACTS, ORDERS, event, made_of

KAFKA = "urn:li:dataset:(urn:li:dataPlatform:kafka,demo.orders,PROD)"

ALIASES = {
    "header.customerId": "header.customerId",
    "/header/customerId": "header.customerId",
    "/header/customerId/long": "header.customerId",
    "/HEADER/customerid": "header.customerId",
    "[version=2.0].[type=struct].[type=struct].header.[type=long].customerId": "header.customerId",
    f"urn:li:schemaField:({KAFKA},header.customerId)": "header.customerId",
    f"urn:li:datasetField:({KAFKA},/header/customerId)": "header.customerId",
    "/header": "header",
    "/items/sku": "items.sku",
    "[version=2.0].[type=struct].[type=array].[type=struct].items.[type=string].sku": "items.sku",
    "/items/price": "items.price",
    "items.price": "items.price",
    "/note.text": "note.text",
    f"urn:li:schemaField:({KAFKA},note.text)": "note.text",
    "/nothing": "/nothing",
    "nothing": "nothing",
    "[version=2.0].[type=long].nothing": "[version=2.0].[type=long].nothing",
}


@pytest.mark.parametrize("alias", ALIASES)
def test_every_alias_is_a_field_of_the_store(store: Store, alias: str) -> None:
    with store.connection() as connection:
        assert find_field(connection, Field(*ORDERS, alias)) == Field(*ORDERS, ALIASES[alias])
        without = Field("", ORDERS[1], alias)
        assert find_field(connection, without) == without._replace(field=ALIASES[alias])


def test_a_whole_dataset_is_left_as_it_is(store: Store) -> None:
    with store.connection() as connection:
        assert find_field(connection, Field(*ORDERS, "")) == Field(*ORDERS, "")


def test_a_dataset_that_is_not_there(store: Store) -> None:
    with store.connection() as connection, pytest.raises(UnknownNode):
        find_field(connection, Field("kafka://broker:9092", "nothing", "/a"))


BAD = {
    "/a//b": "Field path '/a//b' has an empty name.",
    "/a~": "Field path '/a~' has a '~' that is neither '~0' nor '~1'.",
    "urn:li:schemaField:(x,y)": "'urn:li:schemaField:(x,y)' is not a field URN. Expected",
}


@pytest.mark.parametrize("alias", BAD)
def test_malformed_names(store: Store, alias: str) -> None:
    with store.connection() as connection, pytest.raises(QuestionError) as caught:
        find_field(connection, Field(*ORDERS, alias))
    assert str(caught.value).startswith(BAD[alias])


def test_an_ambiguous_name_names_the_candidates() -> None:
    store = Store.open("sqlite://")
    schema = [{"name": "Id", "type": "long"}, {"name": "ID", "type": "long"}]
    fields = {"Id": [made_of(ORDERS, "a")], "ID": [made_of(ORDERS, "b")]}
    store.add(event("a.b", 1, "2026-11-20T10:00:00Z", {ORDERS: []}, FACTS, schema, fields))
    with store.connection() as connection:
        assert find_field(connection, Field(*FACTS, "/ID")).field == "ID"
        with pytest.raises(AmbiguousField) as caught:
            find_field(connection, Field(*FACTS, "/id"))
    assert caught.value.candidates == ["/ID", "/Id"]
    assert str(caught.value) == "Field '/id' is ambiguous. Write one of: /ID, /Id."


def test_a_column_that_begins_with_a_slash() -> None:
    store = Store.open("sqlite://")
    fields = {"/odd": [made_of(ORDERS, "a")]}
    store.add(event("a.b", 1, "2026-11-20T10:00:00Z", {ORDERS: []}, FACTS, [], fields))
    with store.connection() as connection:
        for alias in ("/odd", "/~1odd"):
            assert find_field(connection, Field(*FACTS, alias)).field == "/odd"


def test_fields_without_a_schema_are_one_name() -> None:
    store = Store.open("sqlite://")
    fields = {"a.b": [made_of(ORDERS, "x")]}
    store.add(event("a.b", 1, "2026-11-20T10:00:00Z", {ORDERS: []}, DAILY, [], fields))
    with store.connection() as connection:
        assert find_field(connection, Field(*DAILY, "/a.b")).field == "a.b"
        assert find_field(connection, Field(*DAILY, "/a/b")).field == "/a/b"
