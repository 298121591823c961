import uuid
from typing import Any

import pytest
from fastapi.testclient import TestClient

from airflow_colgraph.store.store import Store
from tests.store.samples import at, copy_event, event, output, run_id


def ask(client: TestClient, path: str, **parameters: Any) -> Any:
    response = client.get(f"/api/v1/{path}", params=parameters)
    assert response.status_code == 200, response.text
    return response.json()


def test_datasets_are_found_by_a_part_of_their_name(client: TestClient) -> None:
    assert ask(client, "datasets", q="A") == {
        "datasets": [
            {
                "namespace": "n",
                "name": "raw",
                "created_at": at(10),
                "updated_at": at(20),
                "other_names": [],
            },
            {
                "namespace": "n",
                "name": "mart",
                "created_at": at(15),
                "updated_at": at(30),
                "other_names": [],
            },
        ],
        "near": [],
        "next": None,
        "cursor": None,
    }


def test_pages(client: TestClient) -> None:
    names: list[str] = []
    offset: int | None = 0
    while offset is not None:
        page = ask(client, "datasets", limit=2, offset=offset)
        names += [one["name"] for one in page["datasets"]]
        offset = page["next"]
    assert names == ["csv", "mart", "raw"]


def test_a_misspelt_name_is_answered_with_near_ones(client: TestClient, store: Store) -> None:
    store.add(copy_event("j", 1, "lake/orders", {"customer_id": "raw.a"}))
    assert ask(client, "columns", q="custmer_id")["near"] == ["customer_id"]
    assert ask(client, "datasets", q="Ordrs")["near"] == ["lake/orders"]
    assert ask(client, "columns", q="something else")["near"] == []


def names(row: dict[str, Any]) -> list[Any]:
    return [row.get(part) for part in ("namespace", "name", "field")]


@pytest.mark.parametrize(
    ("route", "query"),
    [
        ("datasets", {}),
        ("datasets", {"q": "a"}),
        ("columns", {"q": ""}),
        ("jobs", {}),
        ("runs", {"namespace": "jobs", "job": "shop.mart"}),
    ],
)
def test_a_cursor_stays_right_when_rows_are_added(
    client: TestClient, store: Store, route: str, query: dict[str, str]
) -> None:
    whole = client.get(f"/api/v1/{route}", params=query).json()
    assert (whole["next"], whole["cursor"]) == (None, None)
    seen, cursor = [], ""
    while cursor is not None:
        page = client.get(
            f"/api/v1/{route}", params={**query, "limit": "1", "cursor": cursor}
        ).json()
        seen += page[route]
        cursor = page["cursor"]
        store.add(copy_event("shop.mart", 55, "a", {"a": ""}))  # the first of each list from now on
    before, after = (
        [(row.get("id"), *names(row)) for row in rows] for rows in (whole[route], seen)
    )
    assert len(after) >= 2
    assert [row for row in after if row in before] == before


@pytest.mark.parametrize(
    "words", ["x", "W10=", "WyJhIl0=", "WzEsMl0=", "WzEsInh4Il0=", "WzFlOTksImFhIl0=", "é"]
)
def test_what_is_no_cursor(client: TestClient, words: str) -> None:
    query = {"namespace": "jobs", "job": "shop.mart", "cursor": words}
    answer = client.get("/api/v1/runs", params=query)
    assert (answer.status_code, answer.json()["error"][:10]) == (400, "Cursor is ")


def test_a_percent_sign_is_only_a_character(client: TestClient) -> None:
    assert ask(client, "datasets", q="%")["datasets"] == []


def test_columns_are_found_best_match_first(client: TestClient) -> None:
    found = ask(client, "columns", q="b")["columns"]
    assert [(one["name"], one["field"]) for one in found] == [("csv", "b"), ("raw", "b")]


def test_fields_with_times(client: TestClient) -> None:
    drop = {"schema": {"fields": [{"name": "a", "type": "bigint"}]}}
    client.post(
        "/api/v1/lineage", json=event("shop.load", 40, [output("raw", {"a": "csv.a"}, **drop)])
    )
    assert ask(client, "fields", name="raw")["fields"] == [
        {
            "name": "a",
            "type": "bigint",
            "created_at": at(10),
            "updated_at": at(40),
            "updated_by": run_id(40),
            "dropped": False,
            "description": None,
            "tags": [],
        },
        {
            "name": "b",
            "type": "string",
            "created_at": at(10),
            "updated_at": at(20),
            "updated_by": run_id(20),
            "dropped": True,
            "description": None,
            "tags": [],
        },
    ]


def test_description_owners_and_tags_as_events_had_them_last(client: TestClient) -> None:
    schema = {"fields": [{"name": "a", "type": "struct", "description": "Who paid."}]}
    schema["fields"][0]["fields"] = [{"name": "x", "type": "int", "description": "In cents."}]
    facets = {
        "schema": schema,
        "documentation": {"description": "All payments."},
        "ownership": {"owners": [{"name": "team:pay", "type": "MAINTAINER"}, {"name": "ann"}]},
        "tags": {
            "tags": [
                {"key": "pii", "value": "true", "field": "a"},
                {"key": "tier", "value": "gold", "source": "CONFIG"},
            ]
        },
    }
    later = {"documentation": {"description": "All payments of a day."}}
    for minute, given in ((40, later), (30, facets)):  # the time of the event counts
        one = output("paid", {"a": "csv.a"}, **given)
        client.post("/api/v1/lineage", json=event("shop.pay", minute, [one]))
    answer = ask(client, "fields", name="paid")
    assert answer["description"] == "All payments of a day."
    assert answer["owners"] == [
        {"name": "ann", "type": ""},
        {"name": "team:pay", "type": "MAINTAINER"},
    ]
    assert answer["tags"] == [{"key": "tier", "value": "gold"}]
    fields = {one["name"]: (one["description"], one["tags"]) for one in answer["fields"]}
    assert fields == {
        "a": ("Who paid.", [{"key": "pii", "value": ""}]),
        "a.x": ("In cents.", []),
    }
    assert ask(client, "fields", name="csv")["owners"] == []


def test_properties_per_run(client: TestClient) -> None:
    known = {"format": "csv", "options": [{"name": "header", "value": "1"}]}
    found = ask(client, "properties", name="csv", end="now+10000w")
    rows = [{"run": run_id(m), "properties": known} for m in (20, 10)]
    assert found == {"properties": rows, "truncated": False, "left_out": 0}


def test_history_has_a_chapter_per_way_of_making_the_field(client: TestClient) -> None:
    found = ask(client, "history", name="mart", field="t")["history"]
    assert [(one["first_at"], one["last_at"], one["runs"], one["last_run"]) for one in found] == [
        (at(15), at(25), 2, run_id(25)),
        (at(30), at(30), 1, run_id(30)),
    ]
    assert [
        [e["input"]["field"] for e in one["edges"] if e["output"]["field"]] for one in found
    ] == [
        ["a"],
        ["b"],
    ]
    assert len(ask(client, "history", name="mart", field="n")["history"]) == 1


def test_the_difference_between_two_runs(client: TestClient) -> None:
    found = ask(client, "diff", name="mart", before=run_id(25), after=run_id(30))
    assert [(e["input"]["field"], e["output"]["field"]) for e in found["added"]] == [("b", "t")]
    assert [(e["input"]["field"], e["output"]["field"]) for e in found["removed"]] == [("a", "t")]
    assert (found["fields_added"], found["fields_removed"], found["types_changed"]) == ([], [], [])
    links = {name: found["counts"][f"edges_{name}"] for name in ("added", "removed", "changed")}
    assert links == {"added": 1, "removed": 1, "changed": 0}


def test_the_difference_of_schemas(client: TestClient) -> None:
    new = {"schema": {"fields": [{"name": "a", "type": "bigint"}, {"name": "c", "type": "date"}]}}
    client.post(
        "/api/v1/lineage", json=event("shop.load", 40, [output("raw", {"a": "csv.a"}, **new)])
    )
    found = ask(client, "diff", name="raw", before=at(39), after=at(41))
    assert found["fields_added"] == [["c", "date"]]
    assert found["fields_removed"] == [["b", "string"]]
    assert found["types_changed"] == [["a", "int", "bigint"]]


def test_jobs_and_runs(client: TestClient) -> None:
    jobs = ask(client, "jobs", q="load")["jobs"]
    assert [(job["name"], job["updated_at"]) for job in jobs] == [("shop.load", at(20))]
    runs = ask(client, "runs", namespace="jobs", job="shop.load")["runs"]
    assert [run["id"] for run in runs] == [run_id(20), run_id(10)]
    assert ask(client, f"runs/{run_id(10)}") == {**runs[1], "facets": {}}
    missing = client.get(f"/api/v1/runs/{uuid.UUID(int=5)}")
    assert missing.status_code == 404


def test_a_lineage_body_never_changes(client: TestClient) -> None:
    checksum = ask(client, "history", name="mart", field="t")["history"][0]["checksum"]
    first = client.get(f"/api/v1/lineage-bodies/{checksum}")
    assert first.json()["output"] == ["n", "mart"]
    again = client.get(
        f"/api/v1/lineage-bodies/{checksum}", headers={"If-None-Match": first.headers["etag"]}
    )
    assert (again.status_code, again.content) == (304, b"")


def test_statistics(client: TestClient) -> None:
    found = ask(client, "statistics")
    assert (found["run"], found["dataset"], found["lineage_body"]) == (5, 3, 4)
