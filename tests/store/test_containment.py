"""A whole struct contains its parts, and arrays and maps have one path for a field.

No earlier test had a struct that one job reads whole and another by its parts, nor a schema facet
with `_element` beside lineage without it.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from airflow_colgraph.check import rerun
from airflow_colgraph.check.run import run
from airflow_colgraph.check.settings import Settings
from airflow_colgraph.check.task_runs import rerun_plan
from airflow_colgraph.store.errors import UnknownNode
from airflow_colgraph.store.model import field_path
from airflow_colgraph.store.model.lineage_body import Field, unpack
from airflow_colgraph.store.model.question import DOWN, UP
from airflow_colgraph.store.model.tag_travel import DEFAULT_RULES, TagEdge, spread
from airflow_colgraph.store.model.tags import Tag
from airflow_colgraph.store.query import name_cache
from airflow_colgraph.store.query.copies import copies
from airflow_colgraph.store.query.dataset_details import fields
from airflow_colgraph.store.query.graph import lineage
from airflow_colgraph.store.query.history import history
from airflow_colgraph.store.query.lookup import dotted_field, find_dataset
from airflow_colgraph.store.query.operations import backward, forward, steps
from airflow_colgraph.store.query.reported_bodies import bodies_of_datasets
from airflow_colgraph.store.query.unused import unused
from airflow_colgraph.store.query.why import why
from airflow_colgraph.store.store import Store
from tests.store.brute_force import outermost, reached
from tests.store.samples import NOON, event, memory_store, output

COPY, COMPUTED = "IDENTITY", "TRANSFORMATION"
STRUCT = {"type": "struct", "fields": [{"name": "x", "type": "int"}, {"name": "y", "type": "int"}]}


def job(name: str, minute: int, made_of: dict[str, str], **facets: Any) -> dict[str, Any]:
    """A job that writes the dataset of its name: `raw.c.x COMPUTED, ...` by field."""

    def inputs(text: str) -> list[dict[str, Any]]:
        found = []
        for part in text.split(", "):
            path, _, how = part.partition(" ")
            dataset, _, field = path.partition(".")
            step = {"type": "DIRECT", "subtype": how or COPY, "description": "", "masking": False}
            named = {"namespace": "n", "name": dataset, "field": field}
            found.append({**named, "transformations": [step]})
        return found

    columns = {field: {"inputFields": inputs(text)} for field, text in made_of.items()}
    facets["columnLineage"] = {"fields": columns, "dataset": []}
    return event(name, minute, [output(name, **facets)])


def ends(store: Store, path: str, direction: str, **how: Any) -> set[str]:
    """The far ends of a field's edges, as DATASET.FIELD."""
    dataset, _, field = path.partition(".")
    graph = lineage(store, [Field("n", dataset, field)], direction=direction, **how)
    found = (edge.output if direction == DOWN else edge.input for edge in graph.edges)
    return {f"{one.name}.{one.field}" for one in found}


@pytest.fixture
def structs() -> Store:
    """A struct that is copied, taken apart, and built."""
    store = memory_store()
    schema = {"fields": [{"name": "c", **STRUCT}]}
    store.add(event("load", 1, [output("raw", schema=schema)]))
    store.add(job("whole", 2, {"c": "raw.c"}))
    store.add(job("rolled", 3, {"x": f"raw.c {COMPUTED}"}))
    store.add(job("part", 4, {"y": "whole.c.y"}))
    store.add(job("other", 5, {"x": "raw.c.x"}))
    summed = f"src.k {COMPUTED}, src.j {COMPUTED}"
    store.add(job("built", 6, {"s": summed, "s.k": "src.k", "s.j": "src.j"}))
    store.add(job("used", 7, {"j": "built.s.j"}))
    store.add(job("again", 8, {"s": "built.s"}))
    return store


@pytest.mark.parametrize("how", [{}, {"run_aware": True, "at": "2026-11-20T12:00:00Z"}])
def test_a_part_goes_where_its_struct_goes_and_its_siblings_do_not(
    structs: Store, how: dict[str, Any]
) -> None:
    assert ends(structs, "raw.c.x", DOWN, **how) == {"whole.c.x", "rolled.x", "other.x"}
    assert ends(structs, "raw.c.y", DOWN, **how) == {"whole.c.y", "rolled.x", "part.y"}
    assert ends(structs, "raw.c", DOWN, **how) == {"whole.c", "rolled.x", "part.y", "other.x"}


def test_a_part_comes_from_where_its_struct_comes_from(structs: Store) -> None:
    assert ends(structs, "part.y", UP) == {"whole.c.y", "raw.c.y"}
    assert ends(structs, "whole.c.y", UP) == {"raw.c.y"}
    assert ends(structs, "whole.c", UP) == {"raw.c"}


def test_a_struct_that_is_built_keeps_its_parts_apart(structs: Store) -> None:
    assert ends(structs, "src.k", DOWN) == {"built.s", "built.s.k", "again.s.k"}
    assert ends(structs, "src.j", DOWN) == {"built.s", "built.s.j", "again.s.j", "used.j"}
    assert ends(structs, "again.s.k", UP) == {"built.s.k", "src.k"}
    assert ends(structs, "built.s", UP) == {"src.k", "src.j"}


def test_copies_of_a_part_and_of_a_whole(structs: Store) -> None:
    def held(path: str) -> set[str]:
        with structs.connection() as connection:
            found = copies(connection, Field("n", *path.split(".", 1)))
        return {f"{one.name}.{one.field}" for one in found.copies}

    assert held("raw.c.y") == {"raw.c.y", "whole.c.y", "part.y"}
    assert held("raw.c") == {"raw.c", "whole.c", "whole.c.y", "part.y", "other.x"}


def test_a_check_names_what_copies_the_struct_of_a_column_that_goes(structs: Store) -> None:
    structs.add(job("st", 10, {"c": "src.k", "c.x": "src.k", "c.y": "src.j"}))
    structs.add(job("copy", 11, {"c": "st.c"}))
    report = run(structs, [job("st", 12, {"c": "src.k", "c.x": "src.k"})], Settings())
    (removed,) = (one for one in report.changes if one.kind == "column-removed")
    assert removed.dependents.jobs == ("copy",)
    assert removed.severity == "error"


def test_a_tag_stays_with_its_part_of_a_copy() -> None:
    raw, whole = Field("n", "raw", "c"), Field("n", "whole", "c")
    store = memory_store()
    store.add([job("whole", 1, {"c": "raw.c"}), job("y", 2, {"y": "whole.c.y"})])
    edges = lineage(store, [raw, whole], direction=DOWN).edges
    assert any(edge.output.name == "y" for edge in edges)
    found = spread(
        [(raw._replace(field="c.x"), Tag("pii"))],
        [TagEdge(edge.input, edge.output, edge.transformation) for edge in edges],
        DEFAULT_RULES,
    )
    assert {field for field, _ in found} == {
        raw._replace(field="c.x"),
        whole._replace(field="c.x"),
        whole,
    }


def test_a_rerun_follows_a_part_through_its_struct() -> None:
    def write(name: str, at: int, source: str) -> rerun.TaskWrite:
        inputs = frozenset([Field("n", "raw", source)])
        task = rerun.Task("d", "r", name)
        return rerun.TaskWrite(task, at, Field("n", name, ""), {"a": inputs})

    writes = [write("whole", 1, "c"), write("x", 2, "c.x"), write("y", 3, "c.y")]
    started = {"whole": 1, "x": 2, "y": 3}
    runs = {("d", "r"): rerun.DagRun(started, frozenset(started), {})}
    for changed, tasks in (("c.x", {"whole", "x"}), ("c", {"whole", "x", "y"})):
        plan = rerun.plan([Field("n", "raw", changed)], writes, runs, in_time=True)
        assert {name for step in plan.steps for name, _ in step.tasks} == tasks


@pytest.mark.parametrize("field", ["c", "c.x"])
def test_why_compares_a_struct_part_by_part(field: str) -> None:
    """A struct that was copied and is built now had no edge in common: all of it had changed."""
    store = memory_store()
    schema = {"fields": [{"name": "c", **STRUCT}]}
    store.add(event("load", 1, [output("raw", schema=schema)]))
    store.add([job("t", 2, {"c": "raw.c"}), job("last", 3, {"d": "t.c"})])
    store.add(job("t", 10, {"c.x": "raw.z", "c.y": "raw.c.y"}))
    store.add(job("last", 12, {"d": "t.c"}))
    with store.connection() as connection:
        start = dotted_field(connection, f"last.d{field[1:]}")
        since, until = (NOON + minute * 60_000 for minute in (5, 20))
        (reason,) = why(connection, start, since, until).reasons
    assert (reason.kind, reason.name, reason.field) == ("sources-changed", "t", "c.x")
    assert (reason.before, reason.after) == ("raw.c.x (IDENTITY)", "raw.z (IDENTITY)")
    assert reason.reached


@pytest.mark.parametrize(
    ("path", "written"),
    [("whole.c.y", {"c"}), ("built.s", {"s", "s.k", "s.j"}), ("built.s.k", {"s.k"})],
)
def test_the_history_of_a_struct_is_that_of_its_parts(
    structs: Store, path: str, written: set[str]
) -> None:
    """A field was compared by its name alone, as no test asked for the history of a part."""
    with structs.connection() as connection:
        start = dotted_field(connection, path)
        (version,) = history(connection, start.dataset, start.field)
    assert {edge.output.field for edge in version.edges} == written


def test_the_steps_of_a_struct_are_those_of_its_parts() -> None:
    store = memory_store()
    store.add(job("built", 1, {"s.k": "src.a.k", "s.j": "src.j"}))
    with store.connection() as connection:
        (reported,) = bodies_of_datasets(connection, [Field("n", "built", "").id])
    every = steps(unpack(reported.body))
    assert {step.name for step in backward(every, lambda _: True, "s")} >= {"make s.k", "make s.j"}
    assert "make s.j" not in {step.name for step in backward(every, lambda _: True, "S.K")}
    assert [step.name for step in forward(every, lambda _: True, "a.k.u")][1] == "make s.k"


def test_why_sees_a_part_that_is_gone() -> None:
    """A change of a struct's part was none of the struct, whose own type stays `struct`."""
    store = memory_store()
    for minute, members in ((1, ["x", "y"]), (10, ["x"])):
        fields = [{"name": name, "type": "int"} for name in members]
        schema = {"fields": [{"name": "c", "type": "struct", "fields": fields}]}
        store.add(event("load", minute, [output("raw", schema=schema)]))
        store.add(job("t", minute + 1, {"c": "raw.c"}))
    with store.connection() as connection:
        start = dotted_field(connection, "t.c")
        reasons = why(connection, start, *(NOON + minute * 60_000 for minute in (5, 20))).reasons
    assert [(reason.kind, reason.name, reason.field) for reason in reasons] == [
        ("column-removed", "raw", "c.y")
    ]


@pytest.mark.parametrize(
    ("changed", "tasks"),
    [
        ("raw.c.x", {"whole", "rolled", "other"}),
        ("raw.c.y", {"whole", "rolled", "part"}),
        ("raw.c", {"whole", "rolled", "part", "other"}),
        ("src.k", {"built", "again"}),
        ("src.j", {"built", "again", "used"}),
        ("whole.c.y", {"part"}),
    ],
)
@pytest.mark.parametrize("since", [None, 0])
def test_a_rerun_leaves_readers_of_siblings_alone(
    structs: Store, changed: str, tasks: set[str], since: int | None
) -> None:
    """A copy of a struct was affected as a whole, as no test had a reader of its other part."""
    with structs.connection() as connection:
        plan = rerun_plan(connection, [dotted_field(connection, changed)], since)
    assert set(plan.others) == tasks


def test_a_struct_that_is_copied_into_itself_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Random histories are too short for it: three copies have 3**20 parts of parts."""
    monkeypatch.setattr(field_path, "MOST_MOVED", 50)
    monkeypatch.setattr(name_cache, "MOST_UNLISTED", 100)
    for made_of in (
        {"c.a": "t.c", "c.b": "t.c", "c.d": "t.c"},
        {"c": "t.c.a, t.c.b, t.c.d"},
    ):
        store = memory_store()
        store.add(job("t", 1, made_of))
        start = Field("n", "t", "c.x")
        with store.connection() as connection:
            assert copies(connection, start, origins=True, limit=100).copies
            names = name_cache.of(connection)
            assert 0 < len(names._unlisted) + len(names._older) <= 200
        edges = lineage(store, [start], direction=DOWN, depth=30).edges
        tag_edges = [TagEdge(edge.input, edge.output, edge.transformation) for edge in edges]
        assert len(spread([(start, Tag("pii"))], tag_edges, DEFAULT_RULES)) <= 100


def test_a_part_that_no_schema_lists_is_a_typo(structs: Store) -> None:
    """The lookup took any part of a known struct, as no test asked for a part that cannot be."""
    with structs.connection() as connection:
        with pytest.raises(UnknownNode, match=r"'c\.yy' is not in raw\. Similar names: c\.y"):
            dotted_field(connection, "raw.c.yy")
        for path in ("raw.c.x", "raw.c.y.deep", "whole.c.any", "built.s"):
            assert dotted_field(connection, path).field == path.partition(".")[2]


def test_a_part_in_a_store_without_any_nested_field() -> None:
    """All other stores here name a nested field, so that containment was always followed."""
    store = memory_store()
    store.add([job("whole", 1, {"c": "raw.c"}), job("last", 2, {"d": "whole.c"})])
    for how in ({}, {"run_aware": True, "at": "2026-11-20T12:00:00Z"}):
        assert ends(store, "raw.c.x", DOWN, **how) == {"whole.c.x", "last.d.x"}
    assert ends(store, "last.d.x", UP) == {"whole.c.x", "raw.c.x"}
    with store.connection() as connection:
        held = copies(connection, Field("n", "raw", "c.x")).copies
    assert {f"{copy.name}.{copy.field}" for copy in held} == {"raw.c.x", "whole.c.x", "last.d.x"}


def test_elements_and_values_have_the_path_that_lineage_has() -> None:
    price = {"name": "price", "type": "int"}
    element = {"name": "_element", "type": "struct", "fields": [price]}
    value = {"name": "value", "type": "struct", "fields": [{"name": "p", "type": "int"}]}
    schema = {
        "fields": [
            {"name": "items", "type": "array", "fields": [element]},
            {"name": "m", "type": "map", "fields": [{"name": "key", "type": "string"}, value]},
        ]
    }
    store = memory_store()
    written = output("raw", schema=schema)
    written["facets"]["tags"] = {"tags": [{"key": "pii", "field": "items._element.price"}]}
    store.add(event("load", 1, [written]))
    store.add(job("sums", 2, {"a": "raw.items._element.price", "b": "raw.m.p"}))
    with store.connection() as connection:
        raw = find_dataset(connection, "n", "raw")
        known = {one.name: (one.type, one.dropped) for one in fields(connection, raw)}
        assert not [field for field in unused(connection, 0).fields if field.name == "raw"]
    assert known == {
        "items": ("array<struct>", False),
        "items.price": ("int", False),
        "m": ("map<string,struct>", False),
        "m.p": ("int", False),
    }
    assert ends(store, "raw.items._element.price", DOWN) == {"sums.a"}


# Random nested histories -------------------------------------------------------------------------

PATHS = ["a", "c", "c.x", "c.y", "c.y.u", "c.y.v", "d"]


def random_history(choose: random.Random) -> list[dict[str, Any]]:
    """Jobs in a row; none writes a struct and its parts, so each says all that it knows."""
    events = []
    for minute in range(1, 8):
        made: dict[str, str] = {}
        for field in choose.sample(PATHS, 3):
            if any(one.startswith(f"{field}.") or field.startswith(f"{one}.") for one in made):
                continue
            sources = set()
            for _ in range(choose.randint(1, 2)):
                how = choose.choice([COPY, COMPUTED])
                sources.add(f"t{choose.randrange(minute)}.{choose.choice(PATHS)} {how}")
            made[field] = ", ".join(sorted(sources))
        events.append(job(f"t{minute}", minute, made))
    return events


def is_listed(store: Store, field: tuple[str, str, str]) -> bool:
    """Whether the store has the field, a struct of it or a part of it."""
    with store.connection() as connection:
        names = {one.name for one in fields(connection, Field(*field).dataset)}
    inside = [(f"{field[2]}.", f"{name}.") for name in names]
    return any(one.startswith(other) or other.startswith(one) for one, other in inside)


@pytest.mark.parametrize("seed", range(60))
def test_random_structs_as_by_brute_force(seed: int) -> None:
    choose = random.Random(seed)
    events = random_history(choose)
    store = memory_store()
    schema = {"fields": [{"name": path, "type": "int"} for path in PATHS]}
    store.add(event("load", 0, [output("t0", schema=schema)]))
    store.add(events)
    for direction in (DOWN, UP):
        for path in PATHS:
            name = "t0" if direction == DOWN else "t7"
            start = ("n", name, path)
            expected = reached(events, start, down=direction == DOWN)
            if not is_listed(store, start):
                assert not expected
                continue
            graph = lineage(store, [Field(*start)], direction=direction)
            found = {tuple(e.output if direction == DOWN else e.input) for e in graph.edges}
            assert outermost(found) == expected, (direction, path)
