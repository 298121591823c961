"""Tags travel with values, stop where they are masked, and end with the edges."""

import random
from collections.abc import Iterable
from typing import Any

import pytest

from airflow_colgraph.store.admin import tags as admin
from airflow_colgraph.store.model.field_path import in_copy
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.model.tag_travel import DEFAULT_RULES, TravelRule
from airflow_colgraph.store.model.tags import Tag, parse_tag
from airflow_colgraph.store.query.lookup import find_dataset
from airflow_colgraph.store.query.tag_spread import FieldTag, TagAnswer, tagged, tags_at
from airflow_colgraph.store.query.tag_values import values_at
from airflow_colgraph.store.query.tags import changes
from airflow_colgraph.store.store import Store
from tests.amount import of_all
from tests.store.samples import NOON, copy_event, event, memory_store, output, run_id

MASKED = "DIRECT:TRANSFORMATION:masking"
COUNTED = "DIRECT:AGGREGATION:masking"
ALL = (TravelRule(indirect=("*",)),)


def minute(number: int) -> int:
    return NOON + number * 60_000


def put(store: Store, place: str, tag: str, number: int = 0, *, is_set: bool = True) -> None:
    """Set (or remove) a tag on `dataset.field`; on the dataset for `dataset.`."""
    name, _, field = place.partition(".")
    with store.connection() as connection:
        found = changes(
            connection,
            ("n", name),
            [field] if field else [],
            [parse_tag(tag)],
            is_set=is_set,
            at=minute(number),
            by="anna",
        )
    admin.write(store, found)


def at_dataset(store: Store, name: str, number: int | None = None, **how: Any) -> TagAnswer:
    with store.connection() as connection:
        time = None if number is None else minute(number)
        return tags_at(connection, find_dataset(connection, "n", name), time, **how)


def everywhere(store: Store, number: int | None = None, **how: Any) -> set[str]:
    with store.connection() as connection:
        time = None if number is None else minute(number)
        return short(tagged(connection, ["*"], time, **how).tags)


def short(tags: Iterable[FieldTag]) -> set[str]:
    return {f"{one.field.name}.{one.field.field or '*'} {one.tag.text}" for one in tags}


LOG = [
    copy_event(
        "stage",
        10,
        "stage",
        {
            "mail": "raw.mail",
            "hash": f"raw.mail {MASKED}",
            "first": "raw.mail DIRECT:AGGREGATION",
            "size": f"raw.mail {COUNTED}",
            "kind": "raw.mail INDIRECT:CONDITIONAL, raw.x",
        },
        dataset="raw.mail INDIRECT:FILTER",
    ),
    copy_event("mart", 20, "mart", {"m": "stage.mail", "h": "stage.hash", "f": "stage.first"}),
]


def test_a_tag_goes_where_the_values_go(store: Store) -> None:
    store.add(LOG)
    put(store, "raw.mail", "pii=email")
    expected = {"raw.mail", "stage.mail", "stage.first", "mart.m", "mart.f"}
    assert everywhere(store) == {f"{field} pii=email" for field in expected}
    assert short(at_dataset(store, "mart").tags) == {"mart.f pii=email", "mart.m pii=email"}


@pytest.mark.parametrize(
    ("rule", "more", "less"),
    [
        (TravelRule(aggregation=False), set(), {"stage.first", "mart.f"}),
        (TravelRule(masking=True), {"stage.hash", "stage.size", "mart.h"}, set()),
        (TravelRule(indirect=("CONDITIONAL",)), {"stage.kind"}, set()),
        (TravelRule(indirect=("*",)), {"stage.kind", "stage.*", "mart.h"}, set()),
        (TravelRule(tags=("other",), masking=True), set(), set()),
    ],
)
def test_rules_say_how_it_travels(rule: TravelRule, more: set[str], less: set[str]) -> None:
    store = memory_store()
    store.add(LOG)
    put(store, "raw.mail", "pii=email")
    expected = ({"raw.mail", "stage.mail", "stage.first", "mart.m", "mart.f"} | more) - less
    rules = (*DEFAULT_RULES, rule)
    assert everywhere(store, rules=rules) == {f"{field} pii=email" for field in expected}


def test_the_last_rule_that_fits_counts() -> None:
    store = memory_store()
    store.add(LOG)
    put(store, "raw.mail", "pii=email")
    put(store, "raw.mail", "gdpr")
    rules = (TravelRule(), TravelRule(("pii=*",), masking=True), TravelRule(("pii=name",)))
    found = everywhere(store, rules=rules)
    assert {"mart.h pii=email", "mart.m gdpr"} < found
    assert "mart.h gdpr" not in found


def test_it_has_its_path_and_the_runs_that_brought_it(store: Store) -> None:
    store.add([*LOG, copy_event("mart", 30, "mart", {"m": "stage.mail"})])
    put(store, "raw.mail", "pii", 15)
    (found,) = at_dataset(store, "mart").tags
    assert found.origin.field == Field("n", "raw", "mail")
    assert [(step.input.field, step.output.field) for step in found.path] == [
        ("mail", "mail"),
        ("mail", "m"),
    ]
    assert [step.job.name for step in found.path if step.job] == ["stage", "mart"]
    assert [step.run for step in found.path] == [run_id(10), run_id(30)]
    assert found.since == minute(20)
    old = next(one for one in at_dataset(store, "mart", 25).tags if one.field.field == "m")
    assert [step.run for step in old.path] == [run_id(10), run_id(20)]


def test_it_ends_with_the_edge_and_with_the_tag(store: Store) -> None:
    store.add([*LOG, copy_event("stage", 30, "stage", {"mail": "raw.x"})])
    put(store, "raw.mail", "pii", 5)
    put(store, "raw.mail", "pii", 40, is_set=False)
    first = {"stage.mail pii", "stage.first pii"}
    last = {"mart.m pii", "mart.f pii"}
    assert everywhere(store, 4) == set()
    assert everywhere(store, 9) == {"raw.mail pii"}
    assert everywhere(store, 10) == {"raw.mail pii"} | first
    assert everywhere(store, 29) == {"raw.mail pii"} | first | last
    assert everywhere(store, 30) == {"raw.mail pii"}
    assert everywhere(store, 40) == everywhere(store) == set()
    old = at_dataset(store, "mart", 25).tags[0]
    assert (old.since, old.until) == (minute(20), minute(30))


def test_a_dataset_s_tag_is_one_of_all_its_fields(store: Store) -> None:
    store.add(LOG)
    put(store, "stage.", "secret")
    assert everywhere(store) == {"stage.* secret", *(f"mart.{name} secret" for name in "mhf")}


def test_nested_fields_share_tags_with_what_they_are_in(store: Store) -> None:
    same = "DIRECT:IDENTITY"
    store.add(
        [
            as_event(0, "zero", "raw", {"s": []}),
            as_event(1, "one", "d", {"s.x": [("raw", "s.x.y", same)], "b": [("raw", "a", same)]}),
            as_event(2, "two", "e", {"a": [("d", "s", same)], "b": [("d", "b", same)]}),
        ]
    )
    put(store, "raw.s", "pii")
    assert everywhere(store) == {"raw.s pii", "d.s.x pii", "e.a pii", "e.a.x pii"}
    assert short(at_dataset(store, "e").tags) == {"e.a pii", "e.a.x pii"}


def test_where_no_columns_are_known_it_travels_to_the_dataset(store: Store) -> None:
    store.add(
        [
            event("opaque", 1, [output("copy")], reads=["raw"]),
            event("constant", 2, [output("day", {"d": ""})], reads=["raw"]),
            copy_event("mart", 3, "mart", {"m": "copy.x"}),
            copy_event("fill", 0, "raw", {"mail": "csv.mail"}),
        ]
    )
    put(store, "raw.mail", "pii")
    assert everywhere(store) == {"raw.mail pii", "copy.* pii", "mart.m pii"}
    assert everywhere(store, 2) == {"raw.mail pii", "copy.* pii"}
    assert everywhere(store, rules=(TravelRule(unknown=False),)) == {"raw.mail pii"}


def test_a_tag_travels_to_what_a_job_made_of_columns_that_it_could_not_resolve(
    store: Store,
) -> None:
    """A policy was kept by what nobody knew."""
    store.add(copy_event("load", 5, "raw", {"mail": "csv.mail", "x": "csv.x"}))
    put(store, "raw.mail", "pii")
    facet = {"unresolved": [{"class": "Odd", "count": 1}]}
    dump = [output("dump", {"x": "raw.x"})]
    store.add(event("dump", 10, dump, reads=["raw"], colgraph_diagnostics=facet))
    store.add(copy_event("share", 20, "share", {"y": "dump.x"}))
    reached = {"raw.mail pii", "dump.* pii", "share.y pii"}
    assert everywhere(store) == reached
    assert everywhere(store, rules=(TravelRule(unknown=False),)) == {"raw.mail pii"}
    assert short(at_dataset(store, "share").tags) == {"share.y pii"}
    store.add(event("dump", 30, dump, reads=["raw"]))
    assert everywhere(store) == {"raw.mail pii"}
    assert everywhere(store, 25) == reached


def test_the_limit_is_reported(store: Store) -> None:
    store.add(LOG)
    put(store, "raw.mail", "pii")
    assert at_dataset(store, "mart", limit=1).truncated
    assert not at_dataset(store, "mart").truncated


# A naive fixpoint over the latest event of each job by the time.

STEPS = ["DIRECT:IDENTITY", "DIRECT:AGGREGATION", MASKED, "INDIRECT:FILTER", "INDIRECT:JOIN"]
NAMES = ["a", "b", "s", "s.x", "s.x.y"]


def random_log(
    random_: random.Random, datasets: list[str]
) -> list[tuple[int, str, str, dict[str, list[Any]]]]:
    """Writes with random inputs; the field "" is the dataset's rows."""
    log = []
    for number in range(random_.randint(3, 14)):
        name = random_.choice(datasets)
        fields: dict[str, list[Any]] = {}
        for field in random_.sample(["", *NAMES], random_.randint(1, 4)):
            steps = [one for one in STEPS if field or one.startswith("INDIRECT")]
            fields[field] = [
                (random_.choice(datasets), random_.choice(NAMES), random_.choice(steps))
                for _ in range(random_.randint(0, 2))
            ]
        log.append((number + 1, f"job{random_.randint(0, 1)} {name}", name, fields))
    return log


def as_event(number: int, job: str, name: str, fields: dict[str, list[Any]]) -> dict[str, Any]:
    def inputs(rows: list[Any]) -> list[dict[str, Any]]:
        return [
            {
                "namespace": "n",
                "name": dataset,
                "field": field,
                "transformations": [
                    {
                        "type": how.split(":")[0],
                        "subtype": how.split(":")[1],
                        "masking": how.endswith(":masking"),
                    }
                ],
            }
            for dataset, field, how in rows
        ]

    facet = {
        "fields": {name: {"inputFields": inputs(rows)} for name, rows in fields.items() if name},
        "dataset": inputs(fields.get("", [])),
    }
    schema = {"fields": [{"name": one} for one in NAMES]}
    return event(job, number, [output(name, columnLineage=facet, schema=schema)])


def shares(one: str, other: str) -> bool:
    """Whether values of one are in the other's: both of one dataset."""
    return (
        not one
        or not other
        or f"{one}.".startswith(f"{other}.")
        or f"{other}.".startswith(f"{one}.")
    )


def naive(
    log: list[Any], tags: set[tuple[str, str, str]], at: int, rule: TravelRule
) -> set[tuple[str, str, str]]:
    latest = {job: (name, fields) for number, job, name, fields in log if number <= at}
    edges = [
        (source, (name, field), how)
        for name, fields in latest.values()
        for field, rows in fields.items()
        for *source, how in rows
        if (how != MASKED or rule.masking)
        and (rule.aggregation or how != "DIRECT:AGGREGATION")
        and (not how.startswith("INDIRECT") or rule.indirect == ("*",) or how[9:] in rule.indirect)
    ]
    found, followed = set(tags), set(tags)
    while True:
        steps = [
            (name, field, tag, parts_in_copy(at, source[1], field, how))
            for source, (name, field), how in edges
            for dataset, at, tag in followed
            if dataset == source[0] and shares(at, source[1])
        ]
        new = {(name, part, tag) for name, _, tag, part in steps}
        found |= new | {(name, field, tag) for name, field, tag, _ in steps}
        if new <= followed:
            return found
        followed |= new


def parts_in_copy(at: str, source: str, field: str, how: str) -> str:
    """Where a part of a struct goes by an edge of it: a copy has it in the same place."""
    is_part = source and at.startswith(f"{source}.")
    return in_copy(at, source, field) if is_part and field and how == "DIRECT:IDENTITY" else field


RULES = [
    TravelRule(),
    TravelRule(aggregation=False),
    TravelRule(indirect=("*",)),
    TravelRule(indirect=("JOIN",), masking=True),
]


def agree(store: Store, seed: int) -> int:
    """Compare the answers for a random log with the naive ones; how many tags travelled."""
    random_ = random.Random(seed)
    datasets = [f"d{number}-{seed}" for number in range(6)]
    log = random_log(random_, datasets)
    events = [as_event(*row) for row in log]
    events += [as_event(0, f"make {name}", name, {}) for name in datasets]
    random_.shuffle(events)
    store.add(events)
    tags = set()
    for _ in range(random_.randint(1, 3)):
        place = random_.choice(datasets), random_.choice(["", *NAMES, *NAMES])
        tag = f"{random_.choice(['pii', 'gdpr'])}-{seed}"
        put(store, ".".join(place), tag, -1)
        tags.add((*place, tag))
    travelled = 0
    for rule in random_.sample(RULES, 2):
        at = random_.choice([None, random_.randint(0, len(log))])
        expected = naive(log, tags, len(log) if at is None else at, rule)
        with store.connection() as connection:
            time = None if at is None else minute(at)
            found = tagged(connection, [f"*-{seed}"], time, (rule,)).tags
            each = [
                one
                for name in datasets
                for one in tags_at(connection, Field("n", name, ""), time, (rule,)).tags
            ]
        for answer in (found, each):
            assert {(one.field.name, one.field.field, one.tag.key) for one in answer} == expected
        for one in found:
            check_path(one, tags)
        travelled += len(expected - tags)
    return travelled


def check_path(one: FieldTag, tags: set[tuple[str, str, str]]) -> None:
    """The path leads from where the tag is set to the field, without a gap."""
    origin = one.origin.field
    assert (origin.name, origin.field, one.tag.key) in tags
    place = origin
    for step in one.path:
        assert step.input.dataset == place.dataset
        assert shares(step.input.field, place.field)
        assert step.run is not None
        place = step.output
    assert place == one.field
    assert one.since < one.until


@pytest.mark.sampled
def test_it_equals_a_naive_fixpoint(store: Store) -> None:
    count = of_all(60, 20) if store.engine.dialect.name == "sqlite" else of_all(20, 5)
    travelled = sum(agree(store, seed) for seed in range(count))
    assert travelled > count


def test_a_tag_has_a_text() -> None:
    assert [Tag("pii").text, Tag("pii", "email").text] == ["pii", "pii=email"]


def values(store: Store, number: int | None = None, **how: Any) -> TagAnswer:
    with store.connection() as connection:
        return values_at(connection, ["pii"], None if number is None else minute(number), **how)


def test_what_a_dataset_holds_of_an_earlier_run(store: Store) -> None:
    store.add([*LOG, copy_event("stage", 30, "stage", {"mail": "raw.x"})])
    put(store, "raw.mail", "pii")
    assert short(at_dataset(store, "mart").tags) == set()
    held = values(store)
    assert short(held.tags) == {"mart.m pii", "mart.f pii"}
    assert [step.run for step in held.tags[0].path] == [run_id(10), run_id(20)]
    assert values(store, limit=1).truncated
    store.add(copy_event("mart", 40, "mart", {"m": "stage.mail"}))
    assert short(values(store).tags) == set()
    assert short(values(store, 35).tags) == {"mart.m pii", "mart.f pii"}
