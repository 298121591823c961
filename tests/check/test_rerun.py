"""What has to run again: three DAGs with twenty tasks, six changed columns."""

import json
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from airflow_colgraph.check import data_intervals
from airflow_colgraph.check.data_intervals import Interval
from airflow_colgraph.check.rerun import (
    BY_LINEAGE,
    NO_LINEAGE,
    UNKNOWN_COLUMNS,
    DagRun,
    Plan,
    Task,
    TaskWrite,
    plan,
)
from airflow_colgraph.check.rerun_text import warnings
from airflow_colgraph.check.task_runs import rerun_plan
from airflow_colgraph.cli import main
from airflow_colgraph.openlineage.facets import PRODUCER
from airflow_colgraph.store.admin.retention import prune
from airflow_colgraph.store.admin.retire import retire
from airflow_colgraph.store.errors import QuestionError
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.query import selected
from airflow_colgraph.store.query.lookup import dotted_field
from airflow_colgraph.store.store import Store
from tests.check import twenty_tasks
from tests.check.flows import FLOW, airflow, dag_run, events, task_facets
from tests.store.samples import at, copy_event, event, memory_store, output, run_id

EXPECTED = {
    **{column: tasks for column, tasks in twenty_tasks.EXPECTED.items() if column != "feed.id"},
    "typed.amount": {"mart": "wide by_land publish", "report": "daily dashboard archive"},
}


def kept(some: list[dict[str, Any]]) -> Store:
    store = memory_store()
    store.keep_events()
    store.add(some)
    return store


def ask(store: Store, *changed: str, since: str | None = None, interval: str | None = None) -> Plan:
    with store.connection() as connection:
        fields = [dotted_field(connection, one) for one in changed]
        return rerun_plan(
            connection, fields, clock.parse_given(since), data_intervals.parse_given(interval)
        )


def tasks(found: Plan) -> dict[str, set[str]]:
    by_dag: dict[str, set[str]] = {}
    for step in found.steps:
        by_dag.setdefault(step.dag_id, set()).update(task for task, _ in step.tasks)
    return by_dag


def test_there_are_three_dags_with_twenty_tasks() -> None:
    assert (len(FLOW), sum(map(len, FLOW.values())), len(EXPECTED)) == (3, 20, 6)


@pytest.mark.parametrize("column", EXPECTED)
def test_the_plan_of_each_changed_column(column: str) -> None:
    found = ask(kept(events()), column)
    assert tasks(found) == {dag: set(names.split()) for dag, names in EXPECTED[column].items()}
    assert [step.dag_id for step in found.steps] == list(EXPECTED[column])
    assert (found.others, found.unordered) == ((), ())
    assert found.count <= found.downstream
    for step in found.steps:
        order = [task for task, _ in step.tasks]
        for task, reason in step.tasks:
            before, dataset, *_ = FLOW[step.dag_id][task]
            assert (reason == NO_LINEAGE) == (not dataset)
            assert all(
                order.index(one) < order.index(task) for one in before.split() if one in order
            )


def test_tasks_that_were_cleared_before_belong_to_the_same_dag_run() -> None:
    """To OpenLineage the DAG run has another id after each clearing."""

    def ran(task: str, minute: int, behind: str, dag_run: int) -> dict[str, Any]:
        facets = task_facets("d", task, "run", behind.split(), run_id(dag_run))
        written = {"first": {"x": "t0.x"}, "other": {"x": "t9.x"}}.get(task)
        if written is None:
            return event(f"d.{task}", minute, [], **facets)
        return copy_event(f"d.{task}", minute, f"by_{task}", written, **facets)

    store = kept(
        [ran("first", 1, "other", 90), ran("other", 2, "last", 90), ran("last", 3, "", 90)]
    )
    found = ask(store, "t0.x")
    assert tasks(found) == {"d": {"first", "last"}}
    store.add([ran("first", 4, "other", 91), ran("last", 5, "", 91)])
    assert ask(store, "t0.x") == found


def test_a_run_that_failed_has_not_ended_what_ran_before() -> None:
    """A task that fails after it has dropped its table reports the table without lineage."""
    store = kept(events())
    found = ask(store, "feed.price")
    facets = task_facets("ingest", "prices", "run_0", [], run_id(90))
    dropped = {"lifecycleStateChange": {"lifecycleStateChange": "DROP"}}
    failed = event("ingest.prices", 500, [output("prices", **dropped)], **facets)
    store.add({**failed, "eventType": "FAIL"})
    assert ask(store, "feed.price") == found


def test_only_runs_since_a_time_and_after_the_change() -> None:
    store = kept([*events(0), *events(1), *events(2)])
    assert {step.run_id for step in ask(store, "crm.mail").steps} == {"run_2"}
    found = ask(store, "crm.mail", since=at(1440))
    assert [step[:2] for step in found.steps] == [
        (dag, f"run_{day}") for day in (1, 2) for dag in ("ingest", "mart", "report")
    ]
    late = ask(store, "clients.mail", since=at(1440 + 150))
    assert [step[:2] for step in late.steps] == [
        ("mart", "run_2"),
        ("report", "run_2"),
    ]


def for_interval(some: list[dict[str, Any]], start: str, end: str) -> list[dict[str, Any]]:
    """The events of DAG runs that are for a data interval."""
    nominal = {"nominalTime": {"nominalStartTime": start, "nominalEndTime": end}}
    return [
        {**each, "run": {**each["run"], "facets": {**each["run"].get("facets", {}), **nominal}}}
        for each in some
    ]


DAYS = [at(1440 * day) for day in range(-1, 4)]  # a run is for the day before it


@pytest.mark.parametrize(
    ("interval", "days"),
    [
        ((0, 1), [0]),
        ((1, 3), [1, 2]),
        ((1, 2), [1]),
        ((0, 4), [0, 1, 2]),
        ((3, 4), []),
    ],
)
def test_only_runs_of_a_data_interval(interval: tuple[int, int], days: list[int]) -> None:
    store = kept([])
    for day in range(3):
        store.add(for_interval(events(day), DAYS[day], DAYS[day + 1]))
    asked = "/".join(DAYS[each] for each in interval)
    limited = ask(store, "crm.mail", interval=asked)
    assert [step[:2] for step in limited.steps] == [
        (dag, f"run_{day}") for day in days for dag in ("ingest", "mart", "report")
    ]
    later = len([day for day in range(3) if day + 1 >= interval[0]])
    assert limited.left_out == 3 * (later - len(days))
    assert limited.without_interval == 0


def test_dag_runs_without_a_data_interval_are_planned_and_counted() -> None:
    """Only the event of the DAG run `ingest` tells one; the tasks behind it read what it wrote."""
    store = kept([*events(0), *events(1)])
    of_dag_run = for_interval([dag_run("ingest", 0, 90)], DAYS[3], DAYS[4])
    store.add([*of_dag_run, *for_interval(events(2), "yesterday", "")])
    limited = ask(store, "crm.mail", interval=f"{DAYS[0]}/{DAYS[1]}")
    assert ("ingest", "run_0") not in {step[:2] for step in limited.steps}
    assert (limited.left_out, limited.without_interval) == (3, len(limited.steps))
    assert [text for text in warnings(limited) if "interval" in text] == [
        "3 DAG runs of other data intervals, or that read what those wrote, used the values, too, "
        "and will not run again.",
        f"The plan has {len(limited.steps)} DAG runs without a data interval.",
    ]


def test_the_interval_of_a_job_that_is_no_task_is_its_own() -> None:
    """Those of all such jobs were one, and their edges were missing."""
    task = copy_event("d.t", 3, "out", {"x": "mid.x"}, run=703, **task_facets("d", "t", "r", []))
    between = copy_event("outside.mid", 1, "mid", {"x": "src.x"}, run=701)
    other = copy_event("outside.other", 2, "unrelated", {"x": "src.x"}, run=702)
    store = kept([between, *for_interval([other], DAYS[3], DAYS[4])])
    store.add(for_interval([task], DAYS[0], DAYS[2]))
    limited = ask(store, "src.x", interval=f"{DAYS[0]}/{DAYS[2]}")
    assert tasks(limited) == {"d": {"t"}}
    assert limited.others == ("outside.mid", "outside.other")


def test_a_plan_of_runs_that_were_pruned_is_refused() -> None:
    store = kept([*events(0), *events(1)])
    prune(store, clock.parse(at(1440)))
    for when in ({"since": at(0)}, {"interval": f"{at(0)}/{at(9000)}"}):
        with pytest.raises(QuestionError, match="was pruned"):
            ask(store, "crm.mail", **when)
    assert ask(store, "crm.mail", since=at(1440)).steps


@pytest.mark.parametrize("first", [(start, end) for start in range(4) for end in range(start, 4)])
def test_intervals_overlap_where_they_have_a_time_in_common(first: tuple[int, int]) -> None:
    for start in range(4):
        for end in range(start, 4):
            common = (set(range(*first)) or {first[0]}) & (set(range(start, end)) or {start})
            assert Interval(*first).overlaps(Interval(start, end)) == bool(common)


def test_without_whole_events_the_times_stand_for_the_order() -> None:
    store = memory_store()
    store.add(events())
    found = ask(store, "feed.price")
    assert found.unordered == ("ingest", "mart")
    assert tasks(found) == {
        "ingest": {"prices", "check_orders", "notify"},
        "mart": {"margins", "publish", "audit"},
    }


def test_readers_of_unknown_columns_and_jobs_that_are_no_tasks() -> None:
    unknown = event(
        "mart.dump", 300, [output("dump")], reads=["mails"], **airflow("mart", "dump", "run_0")
    )
    after = copy_event("script", 301, "copy", {"x": "dump.any"})
    found = ask(kept([*events(), unknown, after]), "crm.mail")
    reasons = {task: why for step in found.steps for task, why in step.tasks}
    assert reasons["dump"] == UNKNOWN_COLUMNS
    assert found.others == ("script",)


def test_a_reader_of_columns_that_it_could_not_resolve() -> None:
    """Such tasks were left out."""
    facet = {"unresolved": [{"class": "Odd", "count": 1}]}

    def reader(task: str, number: int, **facets: Any) -> dict[str, Any]:
        facets |= airflow("mart", task, "run_0")
        lineage = output(task, {"id": "mails.id"})
        return event(f"mart.{task}", 300, [lineage], run=number, reads=["mails"], **facets)

    some = [reader("dump", 300, colgraph_diagnostics=facet), reader("other", 301)]
    steps = ask(kept([*events(), *some]), "crm.mail").steps
    reasons = {task: why for step in steps for task, why in step.tasks}
    assert reasons["dump"] == UNKNOWN_COLUMNS
    assert "other" not in reasons


@pytest.mark.parametrize("since", [None, at(0)])
def test_a_task_that_only_reads(since: str | None) -> None:
    """Such tasks were left out, too: nobody knows which columns they used."""

    def read(task: str, number: int, dataset: str, **more: Any) -> dict[str, Any]:
        facets = task_facets("letters", task, "run_0", [])
        return event(f"letters.{task}", 300, [], run=number, reads=[dataset], **facets, **more)

    some = [
        read("send", 300, "mails"),
        read("count", 301, "margins"),
        read("broken", 302, "mails", state="FAIL"),
        event("script", 300, [], run=303, reads=["mails"]),
    ]
    found = ask(kept([*events(), *some]), "crm.mail", since=since)
    reasons = {task: why for step in found.steps for task, why in step.tasks}
    assert reasons["send"] == UNKNOWN_COLUMNS
    assert not {"count", "broken"} & reasons.keys()
    assert found.others == ("script",)


@pytest.mark.parametrize("is_by_task", [True, False])
@pytest.mark.parametrize("column", ["raw.x", "made.x"])
def test_what_reads_a_dataset_that_was_renamed(is_by_task: bool, column: str) -> None:
    """The tasks behind the renaming were left out."""

    def facets(task: str, *behind: str) -> Any:
        return task_facets("d", task, "r", list(behind))

    life = {
        "lifecycleStateChange": "RENAME",
        "previousIdentifier": {"namespace": "n", "name": "made"},
    }
    renaming = event(
        "d.swap", 2, [output("t", lifecycleStateChange=life)], **facets("swap", "read")
    )
    if not is_by_task:
        (dataset,) = renaming["outputs"]
        renaming = {"eventTime": at(2), "dataset": dataset}
    made = {"x": "raw.x", "y": "raw.y"}
    store = kept(
        [
            copy_event("d.make", 1, "made", made, **facets("make", *["swap"] * is_by_task)),
            renaming,
            copy_event("d.read", 3, "end", {"x": "t.x"}, **facets("read")),
            copy_event("d.other", 4, "end2", {"y": "t.y"}, **facets("other")),
            event("d.mail", 4, [], run=5, reads=["t"], **facets("mail")),  # nobody knows what
        ]
    )
    expected = {"read", "mail"} | ({"make"} if column == "raw.x" else set())
    expected |= {"swap"} if is_by_task else set()
    for since in (None, at(0)):
        found = ask(store, column, since=since)
        assert (tasks(found), found.others) == ({"d": expected}, ())


def test_what_a_retired_dag_made_is_not_run_again() -> None:
    """A DAG that is gone cannot be cleared, so nothing was."""
    store = kept(events())
    with store.connection() as connection:
        what = selected.of_dag(connection, "report")
    retire(store, what, clock.parse(at(900)), "ann")
    found = ask(store, "by_day.day")
    assert (tasks(found), found.others) == (
        {},
        ("report.dashboard (retired)", "report.filtered (retired)"),
    )


def test_two_dags_that_need_each_other_take_turns() -> None:
    def write(dag: str, task: str, minute: int, name: str, source: str) -> TaskWrite:
        made = {"x": frozenset({Field("n", source, "x")})}
        return TaskWrite(Task(dag, "r", task), minute, Field("n", name, ""), made)

    writes = [
        write("a", "one", 1, "t1", "t0"),
        write("b", "two", 2, "t2", "t1"),
        write("a", "three", 3, "t3", "t2"),
        write("a", "other", 4, "t4", "t9"),
    ]
    runs = {
        ("a", "r"): DagRun(
            {"one": 1, "three": 3, "other": 4}, frozenset({"one", "three", "other"})
        ),
        ("b", "r"): DagRun({"two": 2}, frozenset({"two"})),
    }
    found = plan([Field("n", "t0", "x")], writes, runs, in_time=False)
    assert [(step.dag_id, step.tasks) for step in found.steps] == [
        ("a", (("one", BY_LINEAGE),)),
        ("b", (("two", BY_LINEAGE),)),
        ("a", (("three", BY_LINEAGE),)),
    ]
    assert (found.count, found.downstream) == (3, 4)
    assert plan([Field("n", "t0", "x")], writes[::-1], runs, in_time=True) == found


@pytest.mark.parametrize("place", range(24))
def test_nothing_orders_what_is_written_at_one_time(place: int) -> None:
    """An event's outputs have one time: a reader of the second one was left out, by their order."""
    chain = ["start", *list(permutations(["a", "b", "c", "d"]))[place]]
    outputs = [
        output(name, {"x": f"{chain[chain.index(name) - 1]}.x"}) for name in sorted(chain[1:])
    ]
    store = kept(
        [
            event("d.all", 1, outputs, **task_facets("d", "all", "r", ["read"])),
            copy_event(
                "d.read", 2, "end", {"x": f"{chain[-1]}.x"}, **task_facets("d", "read", "r", [])
            ),
        ]
    )
    assert tasks(ask(store, "start.x", since=at(0))) == {"d": {"all", "read"}}


def test_what_runs_while_its_input_is_replaced_may_have_read_it_before() -> None:
    """Its report counted by its time alone, so that it was left out."""

    def ran(task: str, run: int, minute: int, fields: dict[str, str], name: str) -> dict[str, Any]:
        more = task_facets("d", task, f"r{run}", [])
        return event(f"d.{task}", minute, [output(name, fields)], run=run, **more)

    first = ran("first", 1, 1, {"x": "start.x"}, "middle")
    begun = event("d.late", 2, [], run=2, state="START", **task_facets("d", "late", "r2", []))
    again = ran("first", 3, 3, {"x": "clean.x"}, "middle")
    late = ran("late", 2, 4, {"x": "middle.x"}, "end")
    for each in (first, again):
        lifecycle = {"_producer": PRODUCER, "lifecycleStateChange": "OVERWRITE"}
        each["outputs"][0]["facets"]["lifecycleStateChange"] = lifecycle
    plans = [
        tasks(ask(kept(some), "start.x", since=at(0)))
        for some in ([first, begun, again, late], [first, again, late])
    ]
    assert plans == [{"d": {"first", "late"}}, {"d": {"first"}}]


def test_a_dataset_is_renamed_with_all_that_nobody_knows_of_it() -> None:
    """A column of the former name that a run wrote later was the only one that was affected."""

    def facets(task: str) -> Any:
        return task_facets("d", task, "r", [])

    life = {
        "lifecycleStateChange": "RENAME",
        "previousIdentifier": {"namespace": "n", "name": "made"},
    }
    store = kept(
        [
            event("d.make", 1, [output("made")], reads=["start"], **facets("make")),
            event("d.swap", 2, [output("t", lifecycleStateChange=life)], **facets("swap")),
            copy_event("d.read", 3, "end", {"x": "t.x"}, **facets("read")),
            copy_event("d.later", 4, "made", {"y": "start.y"}, **facets("later")),
            copy_event("d.any", 5, "end2", {"x": "start.x"}, **facets("any")),
        ]
    )
    expected = {"d": {"make", "swap", "read", "any"}}
    assert tasks(ask(store, "start.x", since=at(0))) == expected


# Writes on two days, "task dataset column<-source, ... HOW", behind which `late` reads middle.x and
# `later` middle.y: which of them have used start.x. HOW is a lifecycleStateChange.
REWRITTEN = {
    "by the same task": (["first middle x<-start.x"], ["first middle x<-fixed.x"], ""),
    "by the same task, which appends": (
        ["first middle x<-start.x"],
        ["first middle x<-fixed.x APPEND"],
        "late",
    ),
    "by another task": (["first middle x<-start.x"], ["other middle x<-fixed.x"], "late"),
    "by one of two tasks": (
        ["first middle x<-start.x", "other middle x<-start.x APPEND"],
        ["other middle x<-fixed.x"],
        "late",
    ),
    "by both tasks": (
        ["first middle x<-start.x", "other middle x<-start.x APPEND"],
        ["other middle x<-fixed.x", "first middle x<-fixed.x"],
        "",
    ),
    "one of two columns": (
        ["first middle x<-start.x,y<-start.x"],
        ["first middle x<-fixed.x,y<-start.x"],
        "later",
    ),
    "a column each": (
        ["first middle x<-start.x,y<-start.y"],
        ["first middle x<-fixed.x,y<-start.x"],
        "later",
    ),
    "by a task that fails": (["first middle x<-start.x"], ["first middle x<-fixed.x FAIL"], "late"),
    "twice by one run": (["first middle x<-start.x", "first middle x<-fixed.x"], [], "late"),
    "dropped, and made by another task": (
        ["first middle x<-start.x"],
        ["cleanup middle DROP", "other middle x<-fixed.x"],
        "",
    ),
    "emptied, and filled by another task": (
        ["first middle x<-start.x"],
        ["cleanup middle TRUNCATE", "other middle x<-fixed.x APPEND"],
        "",
    ),
    "dropped before": (["cleanup middle DROP", "first middle x<-start.x"], [], "late"),
    "swapped for another table": (
        ["first middle x<-start.x"],
        ["other spare x<-fixed.x", "swap middle RENAME spare"],
        "",
    ),
    "swapped for one that used it, too": (
        ["first middle x<-fixed.x"],
        ["other spare x<-start.x", "swap middle RENAME spare"],
        "late",
    ),
    "renamed, and made by another task": (
        ["first middle x<-start.x"],
        ["swap kept RENAME middle", "other middle x<-fixed.x"],
        "",
    ),
    "renamed and renamed back": (
        ["first middle x<-start.x"],
        ["swap kept RENAME middle", "back middle RENAME kept"],
        "late",
    ),
    "the changed table itself": (
        ["load start x<-raw.x", "first middle x<-start.x"],
        ["load start x<-raw.x", "first middle x<-start.x"],
        "late",
    ),
}


def rewriting(minute: int, day: int, text: str) -> dict[str, Any]:
    """The event of a write of `REWRITTEN`."""
    task, name, *rest = text.split()
    fields = dict(each.split("<-") for word in rest if "<-" in word for each in word.split(","))
    states = [word for word in rest if "<-" not in word]
    state = states[0] if states and states[0] != "FAIL" else "OVERWRITE"
    change: dict[str, Any] = {"lifecycleStateChange": state}
    if state == "RENAME":
        change["previousIdentifier"] = {"namespace": "n", "name": states[1]}
    written = output(name, fields or None, lifecycleStateChange=change)
    number = day * 100 + sum(map(ord, task))  # a task has one run a day
    facets = task_facets("d", task, f"day_{day}", [], run_id(90_000 + day))
    ran = event(f"d.{task}", minute, [written], run=number, **facets)
    return {**ran, "eventType": "FAIL"} if "FAIL" in states else ran


@pytest.mark.parametrize(("day_1", "day_2", "again"), REWRITTEN.values(), ids=REWRITTEN)
def test_what_read_rows_that_were_written_anew_is_not_run_again(
    day_1: list[str], day_2: list[str], again: str
) -> None:
    reads = ["late a x<-middle.x", "later b y<-middle.y"]
    every = [(1, text) for text in day_1] + [(2, text) for text in (*day_2, *reads)]
    store = kept([rewriting(number, day, text) for number, (day, text) in enumerate(every, 1)])
    steps = ask(store, "start.x", since=at(0)).steps
    late = {task for step in steps for task, _ in step.tasks} & {"late", "later"}
    assert late == set(again.split())


def test_jobs_that_are_no_tasks_are_one_warning() -> None:
    names = tuple(f"script{number}" for number in range(12))
    (text,) = warnings(Plan(others=names))
    assert text.startswith("script0, script1")
    assert text.endswith(
        "and 2 more are affected and are no Airflow tasks: run them by other means."
    )


def test_a_circle_ends() -> None:
    def write(task: str, name: str, source: str) -> TaskWrite:
        made = {"x": frozenset({Field("n", source, "x")})}
        return TaskWrite(Task("d", "r", task), 1, Field("n", name, ""), made)

    runs = {("d", "r"): DagRun({"a": 1, "b": 1}, frozenset("ab"))}
    found = plan(
        [Field("n", "p", "x")], [write("a", "q", "p"), write("b", "p", "q")], runs, in_time=False
    )
    assert [task for step in found.steps for task, _ in step.tasks] == ["a", "b"]


def test_the_command(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/colgraph.db"
    store = Store.open(url)
    store.keep_events()
    store.add(events())
    store.add(copy_event("script", 400, "copy", {"x": "margins.margin"}))
    words = ["--store", url, "rerun", "--changed", "feed.price", "--dry-run"]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines() == [
        "1. ingest  run_0",
        "   prices  lineage",
        "2. mart  run_0",
        "   margins  lineage",
        "2 tasks; clearing with downstream would take 2.",
    ]
    assert done.stderr.startswith("colgraph: warning: script is affected and is no Airflow task")
    rows = json.loads(CliRunner().invoke(main, [*words, "--format", "json"]).stdout)
    assert rows[1] == {
        "step": 2,
        "dag_id": "mart",
        "run_id": "run_0",
        "task_id": "margins",
        "reason": "lineage",
    }
