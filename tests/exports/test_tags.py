"""Tags in exports: in DataHub's schemas, and of whole datasets if asked for."""

import io
import json
from typing import Any

from airflow_colgraph.exports.exporters import FORMATS, Options
from airflow_colgraph.exports.store_reader import tags
from airflow_colgraph.store.admin.tags import write
from airflow_colgraph.store.model.latest_lineage import Dataset
from airflow_colgraph.store.model.tags import parse_tag
from airflow_colgraph.store.query.tag_spread import tagged
from airflow_colgraph.store.query.tags import changes
from airflow_colgraph.store.store import Store
from tests.store.samples import NOON, event, memory_store, output

NESTED = {"name": "who", "type": "struct", "fields": [{"name": "mail", "type": "string"}]}


def filled() -> Store:
    store = memory_store()
    schema = {"fields": [NESTED, {"name": "day", "type": "date"}]}
    masked = "raw.mail DIRECT:TRANSFORMATION:masking"
    fields = {"who.mail": "raw.mail", "day": masked}
    store.add([event("mart", 1, [output("mart", fields, schema=schema)])])
    return store


def change(store: Store, field: str, text: str, at: int = NOON, *, is_set: bool = True) -> None:
    name = "raw" if field else "mart"
    with store.connection() as connection:
        found = changes(
            connection,
            ("n", name),
            [field] if field else [],
            [parse_tag(text)],
            is_set=is_set,
            at=at,
            by="anna",
        )
    write(store, found)


def exported(store: Store, aspect: str) -> list[Any]:
    file = io.BytesIO()
    with store.connection() as connection:
        FORMATS["datahub"].write(connection, Options(aspects=(aspect,)), file)
    return [one["aspect"]["json"] for one in json.loads(file.getvalue())]


def test_fields_have_the_tags_that_travelled_there() -> None:
    store = filled()
    (before,) = exported(store, "schemaMetadata")
    assert not any("globalTags" in column for column in before["fields"])
    change(store, "mail", "pii=a,b")
    (after,) = exported(store, "schemaMetadata")
    found = {column["fieldPath"]: column.get("globalTags") for column in after["fields"]}
    assert found == {
        "who": None,
        "who.mail": {"tags": [{"tag": "urn:li:tag:pii=a%2Cb"}]},
        "day": None,
    }


def test_datasets_have_theirs_if_asked_for() -> None:
    store = filled()
    assert exported(store, "globalTags") == []
    change(store, "", "gold")
    change(store, "", "tested")
    assert exported(store, "globalTags") == [
        {"tags": [{"tag": "urn:li:tag:gold"}, {"tag": "urn:li:tag:tested"}]}
    ]
    change(store, "", "gold", NOON + 1, is_set=False)
    change(store, "", "tested", NOON + 1, is_set=False)
    assert exported(store, "globalTags") == [{"tags": []}]  # so that DataHub's end, too


def test_tags_are_read_by_dataset_and_field() -> None:
    store = filled()
    change(store, "mail", "pii")
    with store.connection() as connection:
        assert tags(connection) == {
            Dataset("n", "mart"): {"who.mail": ("pii",)},
            Dataset("n", "raw"): {"mail": ("pii",)},
        }


def lines(store: Store, **options: Any) -> list[Any]:
    file = io.BytesIO()
    with store.connection() as connection:
        FORMATS["openlineage"].write(connection, Options(**options), file)
    return [json.loads(line) for line in file.getvalue().splitlines()]


def of_tags(events: list[Any]) -> dict[str, list[Any]]:
    """The tags in events, by dataset."""
    return {
        one["dataset"]["name"]: one["dataset"]["facets"]["tags"]["tags"]
        for one in events
        if "tags" in one.get("dataset", {}).get("facets", {})
    }


def held(store: Store) -> set[tuple[str, str, str]]:
    """The tags of every field, those that travelled too."""
    with store.connection() as connection:
        return {
            (one.field.name, one.field.field, one.tag.text)
            for one in tagged(connection, ["*"]).tags
        }


def test_openlineage_events_have_the_tags_that_are_set() -> None:
    store = filled()
    assert of_tags(lines(store)) == {}
    change(store, "mail", "pii=email")
    change(store, "", "gold")
    assert of_tags(lines(store)) == {
        "mart": [{"key": "gold", "value": "true", "source": "USER"}],
        "raw": [{"key": "pii", "value": "email", "source": "USER", "field": "mail"}],
    }
    assert of_tags(lines(store, since=NOON + 1)) == {}
    change(store, "", "gold", NOON + 1, is_set=False)
    assert of_tags(lines(store, since=NOON + 1)) == {"mart": []}


def test_another_store_has_the_same_tags_from_the_events() -> None:
    store, other = filled(), memory_store()
    change(store, "mail", "pii=email")
    change(store, "", "gold")
    other.add(lines(store))
    assert (
        held(other)
        == held(store)
        == {
            ("raw", "mail", "pii=email"),
            ("mart", "who.mail", "pii=email"),
            ("mart", "", "gold"),
        }
    )
    change(store, "mail", "pii=email", NOON + 1, is_set=False)
    other.add(lines(store))
    assert held(other) == held(store) == {("mart", "", "gold")}


def test_a_state_knows_tags_beside_lineage() -> None:
    store, state = filled(), dict[str, str]()
    change(store, "mail", "pii=email")
    assert len(lines(store, state=state)) == 2
    assert lines(store, state=state) == []
    change(store, "", "gold")
    assert list(of_tags(lines(store, state=state))) == ["mart"]
