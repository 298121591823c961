"""Tags out of DataHub's proposals, and back from our own export."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from airflow_colgraph.cli import main
from airflow_colgraph.exports.datahub.documents import AspectError
from airflow_colgraph.exports.datahub.platform import Mapping
from airflow_colgraph.exports.datahub.tags import tags_of
from airflow_colgraph.exports.exporters import FORMATS, Options
from airflow_colgraph.exports.openlineage_events import events
from airflow_colgraph.store.model.latest_lineage import Dataset
from tests.exports.test_tags import change, filled, held
from tests.store.samples import NOON, memory_store

ORDERS = "urn:li:dataset:(urn:li:dataPlatform:postgres,shop.orders,PROD)"


def tags(*names: str) -> dict[str, Any]:
    return {"tags": [{"tag": f"urn:li:tag:{name}"} for name in names]}


def proposal(name: str, body: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "entityType": "dataset",
        "entityUrn": ORDERS,
        "changeType": "UPSERT",
        "aspectName": name,
        "aspect": {"json": body},
        **more,
    }


def found(*proposals: Any) -> dict[Dataset, list[tuple[str, str, str]]]:
    lineage = tags_of(json.dumps(proposals), Mapping(), NOON)
    return {one.dataset: [tag[:3] for tag in one.tags] for one in lineage.tagged}


def test_tags_of_datasets_and_fields() -> None:
    edited = {
        "editableSchemaFieldInfo": [
            {"fieldPath": "mail", "globalTags": tags("pii=email")},
            {"fieldPath": "plain", "description": "no tag"},
        ]
    }
    schema = {
        "fields": [
            {
                "fieldPath": "[version=2.0].[type=struct].[type=struct].who.[type=string].phone",
                "globalTags": tags("pii", "a%2Cb"),
            }
        ]
    }
    raw = {"value": json.dumps(tags("gold")), "contentType": "application/json"}
    assert found(
        proposal("editableSchemaMetadata", edited),
        proposal("schemaMetadata", schema),
        proposal("globalTags", {}, aspect=raw),
        proposal("ownership", {"owners": []}),
        {"entityType": "tag", "entityUrn": "urn:li:tag:pii", "aspectName": "tagKey", "aspect": {}},
    ) == {
        Dataset("postgres", "shop.orders"): [
            ("", "gold", "true"),
            ("mail", "pii", "email"),
            ("who.phone", "a,b", "true"),
            ("who.phone", "pii", "true"),
        ]
    }
    deleted = proposal("globalTags", tags("gold"), changeType="DELETE")
    assert found(deleted) == {Dataset("postgres", "shop.orders"): []}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1]", "Document 1 is no metadata change proposal"),
        (json.dumps(proposal("globalTags", {})) + '\n{"b"', "Line 2 is not JSON"),
        (json.dumps([proposal("globalTags", {"tags": [{"tag": "pii"}]})]), "'pii' is not a tag"),
        (json.dumps([proposal("globalTags", tags("x" * 300))]), "Expected KEY or KEY=VALUE"),
        (json.dumps([proposal("globalTags", {}, entityUrn="urn:li:x")]), "not a dataset URN"),
        (json.dumps([proposal("globalTags", {}, aspect={"value": "{"})]), "value is not JSON"),
    ],
)
def test_what_cannot_be_read_is_named(text: str, message: str) -> None:
    with pytest.raises(AspectError, match=message):
        list(tags_of(text, Mapping(), NOON).tagged)


def test_what_our_own_export_wrote_brings_no_travelled_tag_back() -> None:
    store = filled()
    change(store, "mail", "pii")
    change(store, "", "gold")
    file = io.BytesIO()
    with store.connection() as connection:
        options = Options(aspects=("schemaMetadata", "globalTags"))
        FORMATS["datahub"].write(connection, options, file)
    lineage = tags_of(file.getvalue(), Mapping(), NOON)
    assert [(one.dataset.name, one.tags) for one in lineage.tagged] == [
        ("mart", (("", "gold", "true", "DATAHUB"),))
    ]


def test_they_travel_in_the_store_and_end_with_the_next_file() -> None:
    store = memory_store()
    with filled().connection() as connection:
        file = io.BytesIO()
        FORMATS["openlineage"].write(connection, Options(), file)
    store.add([json.loads(line) for line in file.getvalue().splitlines()])
    urn = "urn:li:dataset:(urn:li:dataPlatform:n,raw,PROD)"
    edited = {"editableSchemaFieldInfo": [{"fieldPath": "mail", "globalTags": tags("pii")}]}
    first = [proposal("editableSchemaMetadata", edited, entityUrn=urn)]
    store.add(list(events(tags_of(json.dumps(first), Mapping(), NOON))))
    assert held(store) == {("raw", "mail", "pii"), ("mart", "who.mail", "pii")}
    then = [proposal("editableSchemaMetadata", {}, entityUrn=urn)]
    store.add(list(events(tags_of(json.dumps(then), Mapping(), NOON + 1000))))
    assert held(store) == set()


def test_the_command(tmp_path: Path) -> None:
    file = tmp_path / "proposals.json"
    file.write_text(json.dumps([proposal("globalTags", tags("gold"))]))
    words = ["convert", "--from", "datahub-tags", "--at", "2026-11-20T10:00Z", str(file)]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    event = json.loads(done.stdout)
    assert event["eventTime"] == "2026-11-20T10:00:00.000Z"
    assert event["dataset"]["facets"]["tags"]["tags"] == [
        {"key": "gold", "value": "true", "source": "DATAHUB"}
    ]
    file.write_text("[{}]")
    wrong = CliRunner().invoke(main, words)
    assert (wrong.exit_code, len(wrong.stderr.splitlines())) == (2, 1)
    other = CliRunner().invoke(main, [*words, "--namespace", "x"])
    assert other.exit_code == 2
