"""Tags in exports: in DataHub's schemas, and of whole datasets if asked for."""

import io
import json
from typing import Any

from airflow_colgraph.exports.exporters import FORMATS, Options
from airflow_colgraph.exports.lineage_model import Dataset
from airflow_colgraph.exports.tag_reader import tags
from airflow_colgraph.store.admin.tags import write
from airflow_colgraph.store.model.tags import parse_tag
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
