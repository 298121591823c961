"""Tags in OpenMetadata: labels of tables and columns, and those that have ended."""

from __future__ import annotations

import copy
import json
from typing import Any
from urllib.parse import unquote

import pytest

from airflow_colgraph.exports.datahub.platform import Mapping, Site
from airflow_colgraph.exports.exporters import Options, send_all
from airflow_colgraph.exports.openmetadata_tags import parts_of, patch, tag_name
from airflow_colgraph.store.store import Store
from tests.exports.standin import Request, serving
from tests.exports.test_tags import change, filled
from tests.store.samples import NOON

MAPPING = Mapping(namespaces={"n": Site(platform="hive", instance="lake")})
RAW, MART = "lake.default.default.raw", "lake.default.default.mart"


def column(table: str, name: str, *children: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "fullyQualifiedName": f"{table}.{name}", "children": list(children)}


class Catalog:
    """An OpenMetadata that has two tables, applies patches and keeps what it was sent."""

    def __init__(self) -> None:
        nested = column(f"{MART}.who", "mail")
        self.tables = {
            RAW: {"id": "1", "columns": [column(RAW, "mail")]},
            MART: {"id": "2", "columns": [column(MART, "who", nested), column(MART, "day")]},
        }
        self.tags: set[str] = set()
        self.classifications: set[str] = set()
        self.patches: list[Any] = []

    def answer(self, request: Request) -> tuple[int, Any]:
        path, _, query = request.path.partition("?")
        _, _, kind, *rest = map(unquote, path.split("/"))
        if request.method == "PATCH":
            assert request.headers["content-type"] == "application/json-patch+json"
            self.patches.append(request.body)
            (table,) = (one for one in self.tables.values() if one["id"] == rest[0])
            for operation in request.body:
                apply(table, operation)
            return 200, table
        if request.method == "PUT":
            if kind == "classifications":
                self.classifications.add(request.body["name"])
            elif kind == "tags":
                assert request.body["classification"] in self.classifications
                self.tags.add(f"{request.body['classification']}.{request.body['name']}")
            return 200, {}
        if kind == "tables":
            found: Any = self.tables.get(rest[1])
            assert query in ("", "fields=tags,columns")
        else:
            found = {"id": "0"} if rest[1] in self.tags | self.classifications else None
        return (200, found) if found else (404, {"message": "not found"})

    def labels(self) -> dict[str, list[str]]:
        """The tags of each table and column that has one."""
        found: dict[str, list[str]] = {}

        def look(name: str, of: dict[str, Any]) -> None:
            if of.get("tags"):
                found[name.removeprefix("lake.default.default.")] = [
                    one["tagFQN"] for one in of["tags"]
                ]
            for inner in of.get("columns", of.get("children", [])):
                look(inner["fullyQualifiedName"], inner)

        for name, table in self.tables.items():
            look(name, table)
        return found


def apply(document: Any, operation: dict[str, Any]) -> None:
    """The operation `add` of RFC 6902 to a member of an object."""
    assert operation["op"] == "add"
    *way, last = operation["path"].removeprefix("/").split("/")
    for key in way:
        document = document[int(key) if isinstance(document, list) else key]
    document[last] = operation["value"]


def sent(store: Store, catalog: Catalog, **options: Any) -> int:
    with serving(catalog.answer) as server, store.connection() as connection:
        given = Options(mapping=MAPPING, **options)
        return send_all(connection, "openmetadata", given, server.url, "t0p")


def test_tags_are_set_where_they_travelled_and_go_when_they_end() -> None:
    store, catalog = filled(), Catalog()
    change(store, "mail", "pii=email")
    change(store, "", "gold")
    assert sent(store, catalog) == 3  # an edge, two tables
    assert catalog.labels() == {
        "raw.mail": ["pii.email"],
        "mart": ["gold.true"],
        "mart.who.mail": ["pii.email"],
    }
    assert catalog.tags == {"pii.email", "gold.true"}
    before = len(catalog.patches)
    sent(store, catalog)
    assert len(catalog.patches) == before  # nothing to change
    change(store, "mail", "pii=email", NOON + 1, is_set=False)
    change(store, "", "gold", NOON + 1, is_set=False)
    sent(store, catalog)
    assert catalog.labels() == {}


def test_labels_of_people_and_of_other_tools_stay() -> None:
    store, catalog = filled(), Catalog()
    others = [
        {"tagFQN": "pii.email", "source": "Classification", "labelType": "Manual"},
        {"tagFQN": "Tier.Tier1", "source": "Classification", "labelType": "Propagated"},
        {"tagFQN": "pii.Person", "source": "Glossary", "labelType": "Propagated"},
    ]
    catalog.tables[RAW]["columns"][0]["tags"] = copy.deepcopy(others)  # type: ignore[index]
    change(store, "mail", "pii=email")
    sent(store, catalog)
    change(store, "mail", "pii=email", NOON + 1, is_set=False)
    sent(store, catalog)
    assert catalog.tables[RAW]["columns"][0]["tags"] == others  # type: ignore[index]
    assert catalog.labels() == {"raw.mail": ["pii.email", "Tier.Tier1", "pii.Person"]}


def test_what_is_left_out_is_named_and_sent_once_it_is_there() -> None:
    store, catalog = filled(), Catalog()
    late = catalog.tables[MART]["columns"].pop(0)  # type: ignore[attr-defined]
    raw = catalog.tables.pop(RAW)
    change(store, "mail", "pii=email")
    long = "x" * 130
    change(store, "mail", long)
    warnings: list[str] = []
    state: dict[str, str] = {}
    assert sent(store, catalog, warn=warnings.append, state=state) == 0
    assert sorted(warnings) == [
        f"Left out: OpenMetadata has no column '{MART}.who.mail'.",
        f"Left out: OpenMetadata has no table '{RAW}'.",
        f"Left out: the tag '{long[:60]}..' is longer than 128 characters.",
    ]
    change(store, "mail", long, NOON + 1, is_set=False)
    catalog.tables[RAW] = raw
    catalog.tables[MART]["columns"].append(late)  # type: ignore[attr-defined]
    assert sent(store, catalog, warn=warnings.append, state=state) == 3
    assert catalog.labels()["mart.who.mail"] == ["pii.email"]
    assert sent(store, catalog, state=state) == 0
    assert len(warnings) == 3


def test_a_store_without_tags_asks_for_none() -> None:
    catalog = Catalog()
    assert sent(filled(), catalog) == 1
    assert catalog.patches == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("pii", "pii.true"),
        ("pii=email", "pii.email"),
        ("a.b=c", '"a.b".c'),
        ('a=b"c.d', 'a."b\\"c.d"'),
    ],
)
def test_names_of_tags(text: str, name: str) -> None:
    assert tag_name(text) == name
    key, _, value = text.partition("=")
    assert parts_of(name) == (key, value or "true")


@pytest.mark.parametrize(
    ("kind", "entity", "path"),
    [
        ("container", {"dataModel": {"columns": [column("c", "x")]}}, "/dataModel/columns/0/tags"),
        ("topic", {"messageSchema": {"schemaFields": [column("c", "x")]}},
         "/messageSchema/schemaFields/0/tags"),
    ],
)  # fmt: skip
def test_columns_of_paths_and_topics(kind: str, entity: Any, path: str) -> None:
    document = {
        "entity": {"type": kind, "fullyQualifiedName": "c"},
        "tags": [],
        "columns": {"C.x": ["pii.true"]},
        "classifications": ["pii"],
    }
    (operation,) = patch(document, entity).operations
    assert operation["path"] == path
    empty = json.loads('{"dataModel": null}')
    assert patch(document, empty).missing == ["C.x"]
