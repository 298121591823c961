import random
from collections import deque
from typing import Any

import pytest

from airflow_colgraph.store.errors import QuestionError, UnknownNode
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.query import graph
from airflow_colgraph.store.store import Store
from tests.store.samples import at, copy_event, event, memory_store, output, run_id, short_edges

CHAIN = [
    copy_event("load", 1, "raw", {"a": "csv.a", "b": "csv.b DIRECT:TRANSFORMATION"}),
    copy_event("join", 2, "wide", {"x": "raw.a", "y": "raw.b"}, dataset="raw.k INDIRECT:JOIN"),
    copy_event("sum", 3, "mart", {"t": "wide.y DIRECT:AGGREGATION", "n": ""}),
]


@pytest.fixture
def chain(store: Store) -> Store:
    store.add(CHAIN)
    return store


def test_upstream_goes_across_jobs_to_the_source(chain: Store) -> None:
    found = graph.upstream(chain, "n", "mart", "t")
    assert short_edges(found) == {
        ("wide.y", "mart.t", "DIRECT:AGGREGATION"),
        ("raw.b", "wide.y", "DIRECT:IDENTITY"),
        ("csv.b", "raw.b", "DIRECT:TRANSFORMATION"),
    }
    assert {node.name: depth for node, depth in found.nodes.items()} == {
        "mart": 0,
        "wide": 1,
        "raw": 2,
        "csv": 3,
    }


def test_downstream_starts_at_a_field_that_no_job_writes(chain: Store) -> None:
    found = graph.downstream(chain, "n", "csv", "a")
    assert short_edges(found) == {
        ("csv.a", "raw.a", "DIRECT:IDENTITY"),
        ("raw.a", "wide.x", "DIRECT:IDENTITY"),
    }


def test_both_directions_do_not_turn_round(chain: Store) -> None:
    found = graph.lineage(chain, [Field("n", "wide", "x")], direction="both")
    assert short_edges(found) == {
        ("csv.a", "raw.a", "DIRECT:IDENTITY"),
        ("raw.a", "wide.x", "DIRECT:IDENTITY"),
    }


def test_depth_ends_the_walk(chain: Store) -> None:
    found = graph.upstream(chain, "n", "mart", "t", depth=1)
    assert short_edges(found) == {("wide.y", "mart.t", "DIRECT:AGGREGATION")}


def test_indirect_edges_come_when_asked_for_and_only_once(chain: Store) -> None:
    found = graph.upstream(chain, "n", "wide", "x", indirect=True)
    assert short_edges(found) == {
        ("raw.a", "wide.x", "DIRECT:IDENTITY"),
        ("raw.k", "wide.*", "INDIRECT:JOIN"),
        ("csv.a", "raw.a", "DIRECT:IDENTITY"),
    }


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ({}, {"raw.a"}),
        ({"conditional": True}, {"raw.a", "raw.w", "raw.c", "csv.c"}),
        ({"conditional": True, "depth": 1}, {"raw.a", "raw.w", "raw.c"}),
        ({"conditional": True, "run_aware": True}, {"raw.a", "raw.w", "raw.c", "csv.c"}),
        (
            {"conditional": True, "indirect": True, "depth": 1},
            {"raw.a", "raw.w", "raw.c", "raw.f", "raw.s"},
        ),
    ],
    ids=["values", "conditional", "one hop", "run-aware", "with rows"],
)
def test_what_chooses_a_value_is_asked_for_without_what_affects_rows(
    store: Store, how: dict[str, Any], expected: set[str]
) -> None:
    """A column that others only choose had no upstream but with all joins and filters."""
    fields = {"t": "raw.a, raw.c INDIRECT:CONDITIONAL, raw.w INDIRECT:WINDOW, raw.s INDIRECT:SORT"}
    store.add(
        [
            copy_event("load", 1, "raw", {"c": "csv.c INDIRECT:FILTER"}),
            copy_event("mart", 2, "mart", fields, dataset="raw.f INDIRECT:FILTER"),
        ]
    )
    answer = graph.upstream(store, "n", "mart", "t", **how)
    assert {f"{edge.input.name}.{edge.input.field}" for edge in answer.edges} == expected


def test_a_field_that_decides_on_rows_reaches_all_that_is_made_of_them(chain: Store) -> None:
    found = graph.downstream(chain, "n", "raw", "k", indirect=True)
    assert short_edges(found) == {
        ("raw.k", "wide.*", "INDIRECT:JOIN"),
        ("wide.y", "mart.t", "DIRECT:AGGREGATION"),
    }
    assert short_edges(graph.downstream(chain, "n", "raw", "k")) == set()


def test_a_dataset_without_a_field_is_all_its_fields(chain: Store) -> None:
    found = graph.upstream(chain, "n", "wide", depth=1)
    assert short_edges(found) == {
        ("raw.a", "wide.x", "DIRECT:IDENTITY"),
        ("raw.b", "wide.y", "DIRECT:IDENTITY"),
    }


def test_dataset_level_edges(chain: Store) -> None:
    chain.add(event("opaque", 4, [output("report")], reads=["mart"]))
    found = graph.upstream(chain, "n", "report", level="dataset")
    assert short_edges(found) == {
        ("mart.*", "report.*", "DATASET"),
        ("wide.*", "mart.*", "DATASET"),
        ("raw.*", "wide.*", "DATASET"),
        ("csv.*", "raw.*", "DATASET"),
    }
    assert short_edges(graph.upstream(chain, "n", "report")) == set()


def test_an_edge_names_job_task_and_run(store: Store) -> None:
    airflow = {
        "dag": {"dag_id": "shop"},
        "task": {"task_id": "load"},
        "dagRun": {"run_id": "manual__1"},
        "taskInstance": {"try_number": 2, "map_index": 3},
    }
    parent = {"run": {"runId": run_id(900)}, "job": {"namespace": "jobs", "name": "shop"}}
    for minute in (1, 5):
        store.add(
            copy_event("shop.load", minute, "raw", {"a": "csv.a"}, airflow=airflow, parent=parent)
        )
    (edge,) = graph.upstream(store, "n", "raw", "a").edges
    (report,) = edge.reported_by
    assert report.job == graph.Job("jobs", "shop.load", "shop", "load")
    assert report.run == graph.Run(run_id(5), at(5), at(5), "COMPLETE", 2, 3, run_id(900))
    assert (report.first_seen, report.last_seen, report.closed_at) == (at(1), at(5), None)


def test_two_jobs_that_say_the_same_are_both_named(store: Store) -> None:
    store.add(
        [copy_event(job, minute, "raw", {"a": "csv.a"}) for job, minute in (("x", 1), ("y", 2))]
    )
    (edge,) = graph.upstream(store, "n", "raw", "a").edges
    assert [one.job and one.job.name for one in edge.reported_by] == ["y", "x"]


def test_time(store: Store) -> None:
    """An edge holds from its first run until a run without it; a range asks what runs report."""
    store.add([copy_event("load", minute, "raw", {"a": "csv.old"}) for minute in (10, 20)])
    store.add([copy_event("load", minute, "raw", {"a": "csv.new"}) for minute in (30, 40)])
    old, new = ("csv.old", "raw.a", "DIRECT:IDENTITY"), ("csv.new", "raw.a", "DIRECT:IDENTITY")

    def ask(**when: str) -> set[tuple[str, str, str]]:
        return short_edges(graph.upstream(store, "n", "raw", "a", **when))

    assert ask() == {new}
    assert [ask(at=at(m)) for m in (9, 10, 25, 29, 30, 99)] == [set(), *[{old}] * 3, *[{new}] * 2]
    assert ask(start=at(0), end=at(10)) == set()
    assert ask(start=at(0), end=at(11)) == {old}
    assert ask(start=at(20), end=at(30)) == {old}
    assert ask(start=at(21), end=at(30)) == set()
    assert ask(start=at(20), end=at(31)) == {old, new}
    assert ask(start=at(40)) == {new}
    assert ask(start=at(41)) == set()
    (edge,) = graph.upstream(store, "n", "raw", "a", at=at(25)).edges
    (report,) = edge.reported_by
    assert (report.first_seen, report.last_seen, report.closed_at) == (at(10), at(20), at(30))
    assert report.run is not None
    assert report.run.id == run_id(20)


def test_an_edge_that_comes_back_has_a_gap(store: Store) -> None:
    fields = ["csv.a", "csv.b", "csv.a"]
    store.add([copy_event("load", 10 * n, "raw", {"x": f}) for n, f in enumerate(fields, 1)])
    assert [
        len(graph.upstream(store, "n", "csv", "a", at=at(m)).edges)
        + len(graph.downstream(store, "n", "csv", "a", at=at(m)).edges)
        for m in (15, 25, 35)
    ] == [1, 0, 1]


def test_a_run_that_appends_closes_nothing(store: Store) -> None:
    appended = {"lifecycleStateChange": {"lifecycleStateChange": "ALTER"}}
    store.add(copy_event("load", 1, "raw", {"x": "csv.a"}))
    store.add(event("load", 2, [output("raw", {"x": "csv.b"}, **appended)]))
    assert {e[0] for e in short_edges(graph.upstream(store, "n", "raw", "x"))} == {"csv.a", "csv.b"}
    store.add(copy_event("load", 3, "raw", {"x": "csv.c"}))
    assert {e[0] for e in short_edges(graph.upstream(store, "n", "raw", "x"))} == {"csv.c"}


def test_a_run_that_knows_no_columns_closes_no_column(store: Store) -> None:
    store.add(copy_event("load", 1, "raw", {"x": "csv.a"}))
    store.add(event("load", 2, [output("raw")], reads=["csv"]))
    assert {e[0] for e in short_edges(graph.upstream(store, "n", "raw", "x"))} == {"csv.a"}


def test_another_job_closes_nothing(store: Store) -> None:
    store.add(
        [copy_event("one", 1, "raw", {"x": "csv.a"}), copy_event("two", 2, "raw", {"x": "csv.b"})]
    )
    assert {e[0] for e in short_edges(graph.upstream(store, "n", "raw", "x"))} == {"csv.a", "csv.b"}


def test_symlinks_are_one_dataset_whichever_comes_first(store: Store) -> None:
    link = {"symlinks": {"identifiers": [{"namespace": "hive", "name": "db.t", "type": "TABLE"}]}}
    by_table = copy_event("read", 2, "mart", {"m": ""})
    lineage = by_table["outputs"][0]["facets"]["columnLineage"]
    lineage["fields"]["m"]["inputFields"] = [{"namespace": "hive", "name": "db.t", "field": "x"}]
    store.add(by_table)
    store.add(event("load", 1, [output("path/t", {"x": "csv.a"}, **link)]))
    assert short_edges(graph.upstream(store, "n", "mart", "m")) == {
        ("path/t.x", "mart.m", "DIRECT"),
        ("csv.a", "path/t.x", "DIRECT:IDENTITY"),
    }
    asked_by_alias = graph.downstream(store, "hive", "db.t", "x")
    assert short_edges(asked_by_alias) == {("path/t.x", "mart.m", "DIRECT")}


def test_cycles_end(store: Store) -> None:
    store.add(
        [copy_event("a", 1, "one", {"x": "two.x"}), copy_event("b", 2, "two", {"x": "one.x"})]
    )
    assert len(graph.upstream(store, "n", "one", "x", depth=1000).edges) == 2


def test_the_limit_is_reported(store: Store) -> None:
    store.add(copy_event("wide", 1, "out", {"x": ", ".join(f"in.f{n}" for n in range(50))}))
    found = graph.upstream(store, "n", "out", "x", limit=20)
    assert (len(found.edges), found.unexplored, found.truncated) == (20, 30, True)
    whole = graph.upstream(store, "n", "out", "x", limit=50)
    assert (len(whole.edges), whole.truncated) == (50, False)


def test_a_deep_chain_needs_no_recursion(store: Store) -> None:
    links = {f"f{n}": f"t.f{n - 1}" for n in range(1, 2001)}
    store.add(copy_event("self", 1, "t", links))
    found = graph.upstream(store, "n", "t", "f2000", depth=5000)
    assert (len(found.edges), found.edges[-1].depth) == (2000, 2000)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"depth": 0}, "Depth is 0. Expected 1 or more."),
        ({"limit": 0}, "Limit is 0. Expected 1 or more."),
        ({"level": "table"}, "Level is 'table'. Expected field or dataset."),
        ({"direction": "up"}, "Direction is 'up'. Expected one of: upstream, downstream, both."),
        ({"start": "2026-11-21", "end": "2026-11-20"}, "Start 2026-11-21 is after end 2026-11-20."),
        (
            {"at": "now", "end": "now"},
            "Both a time range and a single time are given. Expected one.",
        ),
        (
            {"start": "soon"},
            "'soon' is not a time. Expected e.g. 2026-11-20T10:00:00Z, seconds since 1970, "
            "now or now-7d.",
        ),
    ],
)
def test_a_question_that_makes_no_sense(how: dict[str, object], message: str) -> None:
    with pytest.raises(QuestionError) as error:
        graph.lineage(memory_store(), [Field("n", "mart", "t")], **how)
    assert str(error.value) == message


def test_unknown_names_are_answered_with_near_ones(chain: Store) -> None:
    def ask(*start: str | None) -> str:
        with pytest.raises(UnknownNode) as error:
            graph.upstream(chain, *start)  # type: ignore[arg-type]
        return str(error.value)

    assert ask("n", "mart", "tt") == "Field 'tt' is not in mart. Similar names: t."
    assert ask("n", "mart", "zzz") == "Field 'zzz' is not in mart. Fields: n, t."
    assert ask(None, "matr") == "Dataset 'matr' is not in the store. Similar names: mart."
    assert ask("m", "mart") == "Dataset 'mart' is not in namespace 'm'. It is in: 'n'."
    with pytest.raises(UnknownNode) as error:
        graph.upstream(memory_store(), "n", "mart", "t")
    assert str(error.value) == "Dataset 'mart' is not in the store: the store is empty."


def test_the_namespace_may_be_left_out_if_one_dataset_has_the_name(chain: Store) -> None:
    assert graph.upstream(chain, None, "mart", "t").starts == (Field("n", "mart", "t"),)
    twin = copy_event("twin", 9, "mart", {"t": ""})
    twin["outputs"][0]["namespace"] = "m"
    chain.add(twin)
    with pytest.raises(UnknownNode) as error:
        graph.upstream(chain, None, "mart", "t")
    assert str(error.value) == (
        "Several datasets are named 'mart'; specify the namespace: 'm', 'n'."
    )


def test_case_may_differ(chain: Store) -> None:
    assert graph.upstream(chain, "n", "mart", "T").starts == (Field("n", "mart", "t"),)


# The same walk, as plainly as possible ----------------------------------------------------------

Interval = tuple[str, str, int, int, int]  # input, output, first seen, last seen, closed


def expected_intervals(logs: list[tuple[int, int, str, dict[str, str]]]) -> list[Interval]:
    """The intervals of every edge from (minute, job, dataset, {field: inputs}) in order of time."""
    found: list[Interval] = []
    for job, dataset in {(job, dataset) for _, job, dataset, _ in logs}:
        held: dict[tuple[str, str], list[int]] = {}
        for minute, _, _, fields in [log for log in logs if log[1:3] == (job, dataset)]:
            reported = {
                (source.strip(), f"{dataset}.{field}")
                for field, sources in fields.items()
                for source in sources.split(",")
                if source
            }
            for pair in set(held) - reported:
                found.append((*pair, *held.pop(pair), minute))  # type: ignore[arg-type]
            for pair in reported:
                held.setdefault(pair, [minute, minute])[1] = minute
        found += [(*pair, *times, 10**9) for pair, times in held.items()]  # type: ignore[misc]
    return found


def expected_edges(
    pairs: set[tuple[str, str]], start: str, direction: str, depth: int
) -> dict[str, int]:
    step = {"upstream": (1, 0), "downstream": (0, 1)}[direction]
    reached, queue = {start: 0}, deque([start])
    while queue:
        node = queue.popleft()
        for pair in pairs:
            if pair[step[0]] == node and pair[step[1]] not in reached and reached[node] < depth:
                reached[pair[step[1]]] = reached[node] + 1
                queue.append(pair[step[1]])
    return reached


def random_log(seed: int) -> list[tuple[int, int, str, dict[str, str]]]:
    choose = random.Random(seed)
    fields = [f"d{d}.f{f}" for d in range(8) for f in range(4)]
    shapes = {
        (job, f"d{choose.randrange(8)}"): None for job in range(7)
    }  # which job writes which dataset
    return [
        (
            minute,
            *choose.choice(list(shapes)),
            {f"f{f}": ",".join(choose.sample(fields, choose.randrange(3))) for f in range(4)},
        )
        for minute in range(1, 40)
    ]


@pytest.mark.parametrize("seed", range(3))
def test_the_walk_finds_what_a_plain_search_finds(store: Store, seed: int) -> None:
    log = random_log(seed)
    store.add([copy_event(f"j{job}", m, dataset, fields) for m, job, dataset, fields in log])
    facts = expected_intervals(log)
    spans: list[tuple[dict[str, str], set[tuple[str, str]]]] = [
        ({}, {f[:2] for f in facts if f[4] == 10**9}),
        ({"at": at(20)}, {f[:2] for f in facts if f[2] <= 20 < f[4]}),
        (
            {"start": at(12), "end": at(25)},
            {f[:2] for f in facts if f[2] < 25 and f[3] >= 12},
        ),
    ]
    checked = 0
    known = sorted({node for fact in facts for node in fact[:2]})
    for node in random.Random(seed).sample(known, 20):
        name, _, field = node.partition(".")
        for when, pairs in spans:
            for direction in ("upstream", "downstream"):
                for depth in (1, 3, 5, 10, 20):
                    found = graph.lineage(
                        store, [Field("n", name, field)], direction=direction, depth=depth, **when
                    )
                    got = {f"{n.name}.{n.field}": level for n, level in found.nodes.items()}
                    assert got == expected_edges(pairs, node, direction, depth), (
                        node,
                        when,
                        direction,
                    )
                    checked += 1
    assert checked == 20 * 3 * 2 * 5  # and three seeds: 60 fields
