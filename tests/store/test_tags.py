"""Tags that people and events set on fields and datasets, and between which times they hold."""

import itertools
import random
from typing import Any

import pytest

from airflow_colgraph.store.admin import tags as admin
from airflow_colgraph.store.admin.retention import prune
from airflow_colgraph.store.admin.transfer import export, load
from airflow_colgraph.store.errors import QuestionError, UnknownNode
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.clock import OPEN
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.model.tags import ReportedTags, SetTag, Tag, parse_tag, set_tags
from airflow_colgraph.store.query.tag_spread import tagged
from airflow_colgraph.store.query.tags import changes, tags_of, tags_on
from airflow_colgraph.store.store import Store
from tests.amount import of_all
from tests.store.samples import NOON, at, copy_event, event, memory_store, output, table_rows

PII, SECRET = Tag("pii", "email"), Tag("secret")


def facet(*tags: str) -> dict[str, Any]:
    """A `tags` facet: `x pii=email` is a field's tag, `secret` the dataset's."""
    rows = []
    for text in tags:
        *field, tag = text.split()
        key, value = parse_tag(tag)
        rows.append(
            {
                "key": key,
                "value": value,
                "source": "SPARK",
                **({"field": field[0]} if field else {}),
            }
        )
    return {"tags": {"tags": rows}}


def tagging(job: str, minute: int, *tags: str) -> dict[str, Any]:
    return event(job, minute, [output("raw", {"x": "csv.a"}, **facet(*tags))])


def minute(number: int) -> int:
    return NOON + number * 60_000


def change(store: Store, number: int, *tags: str, field: str = "x", is_set: bool = True) -> None:
    with store.connection() as connection:
        found = changes(
            connection,
            ("n", "raw"),
            [field] if field else [],
            map(parse_tag, tags),
            is_set=is_set,
            at=minute(number),
            by="anna",
        )
    admin.write(store, found)


def spans(store: Store) -> list[tuple[str, str, str, int, int | None]]:
    """Field, tag, who set it, and the minutes in which it held."""
    with store.connection() as connection:
        return [
            (
                one.field.field,
                one.tag.text,
                one.by or ("job" if one.job else "-"),
                (one.set_at - NOON) // 60_000,
                None if one.ended_at == OPEN else (one.ended_at - NOON) // 60_000,
            )
            for one in tags_of(connection)
        ]


def test_people_set_and_remove_tags(store: Store) -> None:
    store.add(copy_event("load", 1, "raw", {"x": "csv.a"}))
    change(store, 2, "pii=email")
    change(store, 3, "pii=email")  # again: it is there
    change(store, 4, "secret", field="")
    change(store, 5, "pii=email", is_set=False)
    change(store, 7, "pii=email")
    assert spans(store) == [
        ("", "secret", "anna", 4, None),
        ("x", "pii=email", "anna", 2, 5),
        ("x", "pii=email", "anna", 7, None),
    ]
    with store.connection() as connection:
        first = next(one for one in tags_of(connection) if one.field.field)
    assert (first.source, first.ended_by) == ("USER", "anna")
    assert [first.held(minute(m)) for m in (1, 2, 4, 5)] == [False, True, True, False]


def test_a_part_of_a_struct_that_no_event_names_has_a_tag(store: Store) -> None:
    store.add(copy_event("load", 1, "raw", {"x": "csv.a"}))
    store.add(copy_event("copy", 2, "mart", {"y": "raw.x"}))
    change(store, 3, "pii=email", field="x.mail")
    with store.connection() as connection:
        assert [(tag.field.field, tag.tag) for tag in tags_of(connection)] == [("x.mail", PII)]
        travelled = {
            (each.field.name, each.field.field) for each in tagged(connection, ["pii"]).tags
        }
    assert travelled == {("raw", "x.mail"), ("mart", "y.mail"), ("mart", "y")}


def test_what_is_not_there_is_refused(store: Store) -> None:
    store.add(copy_event("load", 1, "raw", {"x": "csv.a"}))
    with pytest.raises(UnknownNode, match=r"Field 'y' is not in raw\. "):
        change(store, 2, "pii", field="y")
    with pytest.raises(UnknownNode, match=r"Tag 'pii' is not on raw\.x\."):
        change(store, 2, "pii", is_set=False)
    for text in ("", "=x", "a" * 251, "a\nb"):
        with pytest.raises(QuestionError, match="Expected KEY or KEY=VALUE"):
            parse_tag(text)


def test_events_report_tags_of_datasets_and_fields(store: Store) -> None:
    store.add([tagging("load", 1, "x pii=email", "secret"), tagging("load", 2, "x pii=email")])
    assert spans(store) == [("", "secret", "job", 1, 2), ("x", "pii=email", "job", 1, None)]
    store.add(event("load", 3, [output("raw", {"x": "csv.a"})]))  # without the facet: as before
    assert spans(store)[1][4] is None
    store.add(event("load", 4, [output("raw", {"x": "csv.a"}, tags={"_deleted": True})]))
    assert spans(store)[1] == ("x", "pii=email", "job", 1, 4)


def test_a_job_replaces_only_its_own_tags(store: Store) -> None:
    store.add([tagging("load", 1, "x pii=email"), tagging("other", 2, "y pii")])
    reader = event("reader", 3, [])
    reader["inputs"] = [{"namespace": "n", "name": "raw", "facets": facet("x seen")}]
    store.add([reader, {"eventTime": at(4), "dataset": output("raw", **facet("x known", "y pii"))}])
    assert spans(store) == [
        ("x", "known", "-", 4, None),
        ("x", "pii=email", "job", 1, None),
        ("x", "seen", "job", 3, None),
        ("y", "pii", "job", 2, None),
        ("y", "pii", "-", 4, None),
    ]


def test_what_a_person_removed_no_event_brings_back(store: Store) -> None:
    store.add(tagging("load", 1, "x pii=email"))
    change(store, 2, "pii=email", is_set=False)
    store.add([tagging("load", 0, "x pii=email"), tagging("load", 3, "x pii=email")])
    assert spans(store) == [("x", "pii=email", "job", 0, 2)]
    change(store, 4, "pii=email")
    assert spans(store)[1] == ("x", "pii=email", "anna", 4, None)


def test_odd_facets_lose_no_event(store: Store) -> None:
    odd = {"tags": [{"value": "x"}, 7, {"key": "pii", "value": True, "field": "x"}, {"key": "k"}]}
    added = store.add_valid([event("load", 1, [output("raw", {"x": "csv.a"}, tags=odd)])])
    assert not added.refused
    assert "'tags.tags[0]' has no 'key'." in added.malformed[0][1]
    assert [row[:2] for row in spans(store)] == [("", "k"), ("x", "pii")]


@pytest.mark.sampled
def test_the_order_of_events_does_not_matter() -> None:
    log = [
        tagging("load", 1, "x pii", "y a"),
        tagging("load", 2, "x pii"),
        tagging("load", 3, "x pii", "y a"),
        tagging("other", 2, "x pii"),
        tagging("load", 4),
    ]
    expected: Any = None
    for order in itertools.islice(itertools.permutations(log), None, None, of_all(1, 7)):
        store = memory_store()
        for one in (*order, random.Random(1).choice(order)):
            store.add(one)
        found = (spans(store), table_rows(store))
        expected = expected or found
        assert found == expected
    assert expected[0] == [
        ("x", "pii", "job", 1, 4),
        ("x", "pii", "job", 2, None),
        ("y", "a", "job", 1, 4),
    ]


def renaming(number: int, before: str, after: str) -> dict[str, Any]:
    named = {"namespace": "n", "name": before}
    life = {"lifecycleStateChange": "RENAME", "previousIdentifier": named}
    return event("rename", number, [output(after, lifecycleStateChange=life)])


RENAMINGS = {
    "of a field": ([("x", True, 2)], [("raw", "moved")], ["x"]),
    "of the dataset": ([("", True, 2)], [("raw", "moved")], [""]),
    "set on the former name later": ([("x", True, 9)], [("raw", "moved")], ["x"]),
    "removed before": ([("x", True, 2), ("x", False, 3)], [("raw", "moved")], []),
    "removed as wrong after": ([("x", True, 2), ("x", False, 9)], [("raw", "moved")], []),
    "renamed twice": ([("x", True, 2)], [("raw", "once"), ("once", "moved")], ["x"]),
    "renamed again to the same": ([("x", True, 2)], [("raw", "moved")] * 2, ["x"]),
    "the new name's own": ([("x", True, 2)], [("moved", "raw")], []),
}


@pytest.mark.parametrize(("tags", "names", "expected"), RENAMINGS.values(), ids=RENAMINGS)
def test_the_tags_of_a_renamed_dataset_are_its_rows(
    tags: list[Any], names: list[Any], expected: list[str]
) -> None:
    """They leaked under the new name, and the policy was clean."""
    store = memory_store()
    store.add([copy_event("load", 1, "raw", {"x": "csv.a"})])
    store.add([copy_event("load2", 1, "moved", {"x": "csv.b"})] if names[0][0] == "moved" else [])
    store.add([renaming(5 + place, *pair) for place, pair in enumerate(names)])
    for field, is_set, number in tags:
        change(store, number, "pii=email", field=field, is_set=is_set)
    with store.connection() as connection:
        dataset = Field("n", "moved", "")
        assert [tag.field.field for tag in tags_on(connection, dataset)] == expected
        every = [tag for tag in tags_of(connection) if tag.field.dataset == dataset]
        assert [tag.field.field for tag in every if tag.held(minute(99))] == expected


def test_a_tag_that_a_person_removes_from_a_renamed_dataset_stays_removed() -> None:
    store = memory_store()
    store.add([copy_event("load", 1, "raw", {"x": "csv.a"}), renaming(5, "raw", "moved")])
    change(store, 2, "pii=email")
    with store.connection() as connection:
        gone = changes(
            connection, ("n", "moved"), ["x"], [PII], is_set=False, at=minute(6), by="anna"
        )
    admin.write(store, gone)
    store.add(renaming(8, "raw", "moved"))
    with store.connection() as connection:
        assert tags_on(connection, Field("n", "moved", "")) == []
        assert len(tags_on(connection, Field("n", "raw", ""))) == 1


def test_tags_in_turns_end_at_the_last_report_without_them() -> None:
    raw, x = Field("n", "raw", ""), Field("n", "raw", "x")
    has, has_not = {(x, PII): "SPARK"}, {(x, SECRET): "SPARK"}
    reports = [ReportedTags(raw, 7, has, 1, 5), ReportedTags(raw, 7, has_not, 2, 9)]
    assert set_tags([], reports) == [
        SetTag(x, PII, "SPARK", "", 7, 1, 9),
        SetTag(x, SECRET, "SPARK", "", 7, 2),
    ]


def test_a_tag_is_that_of_every_name_of_the_dataset(store: Store) -> None:
    link = {"symlinks": {"identifiers": [{"namespace": "h", "name": "t", "type": "TABLE"}]}}
    store.add(event("load", 1, [output("raw", {"x": "csv.a"}, **link)]))
    with store.connection() as connection:
        found = changes(connection, ("h", "t"), ["x"], [PII], is_set=True, at=minute(2), by="anna")
    admin.write(store, found)
    change(store, 3, "pii=email", is_set=False)
    assert spans(store) == [("x", "pii=email", "anna", 2, 3)]
    with store.connection() as connection:
        assert tags_of(connection)[0].field == Field("n", "raw", "x")


def test_tags_move_and_old_reports_go(store: Store) -> None:
    store.add([tagging("load", 1, "x pii"), tagging("load", 2, "x pii", "y a"), tagging("load", 3)])
    change(store, 4, "secret")
    other = memory_store()
    load(other, list(export(store)))
    assert spans(other) == spans(store)
    assert table_rows(other) == table_rows(store)
    prune(store, clock.parse_iso(at(60)))
    assert spans(store) == [("x", "secret", "anna", 4, None)]
