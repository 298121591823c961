"""What docs/check.md says of changes: a case for each statement."""

import json
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import pytest

from airflow_colgraph.check.change import Report
from airflow_colgraph.check.formats import as_json, junit, report_keys, sarif, table
from airflow_colgraph.check.run import in_memory, run
from airflow_colgraph.check.settings import Settings, read

Json = dict[str, Any]
DAY = date(2026, 11, 26)
PLAIN = {"type": "DIRECT", "subtype": "IDENTITY", "description": "", "masking": False}
MASKED = {**PLAIN, "subtype": "TRANSFORMATION", "masking": True}


def event(
    output: str,
    columns: Mapping[str, Iterable[str]] | None = None,
    *,
    masked: Iterable[str] = (),
    types: Mapping[str, str] | None = None,
    job: str = "",
    state: str = "COMPLETE",
    lifecycle: Json | None = None,
    alias: str = "",
    owner: str = "",
) -> Json:
    """A run that makes columns of others: `{"total": ["/orders.amount"]}`."""
    facets: Json = {}
    if columns is not None:
        facets["columnLineage"] = {
            "fields": {
                name: {"inputFields": [_input(source, masked) for source in sources]}
                for name, sources in columns.items()
            }
        }
    if types:
        facets["schema"] = {"fields": [{"name": n, "type": kind} for n, kind in types.items()]}
    if lifecycle:
        facets["lifecycleStateChange"] = lifecycle
    if alias:
        link = {"namespace": "file", "name": alias, "type": "TABLE"}
        facets["symlinks"] = {"identifiers": [link]}
    if owner:
        facets["ownership"] = {"owners": [{"name": owner}]}
    return {
        "eventTime": "2026-11-20T10:00:00Z",
        "eventType": state,
        "run": {"runId": str(uuid5(NAMESPACE_URL, f"{output} {state} {job}"))},
        "job": {"namespace": "shop", "name": job or f"job{output}"},
        "outputs": [{"namespace": "file", "name": output, "facets": facets}],
    }


def _input(source: str, masked: Iterable[str]) -> Json:
    dataset, _, field = source.partition(".")
    steps = [MASKED if source in masked else PLAIN]
    return {"namespace": "file", "name": dataset, "field": field, "transformations": steps}


def is_change(state: str, previous: str = "") -> Json:
    named = {"previousIdentifier": {"namespace": "file", "name": previous}} if previous else {}
    return {"lifecycleStateChange": state, **named}


def check(base: list[Json], changed: list[Json], settings: Settings | None = None) -> Report:
    return run(in_memory(base), changed, settings or Settings(), today=DAY)


def changes(report: Report) -> list[tuple[str, str, str]]:
    return [(change.severity, change.kind, change.where) for change in report.changes]


TOTAL = event("/daily", {"total": ["/orders.amount"]})
REPORT = event("/report", {"sum": ["/daily.total"]})
BASE = [TOTAL, REPORT]
RENAMED = event("/daily", {"revenue": ["/orders.amount"]})
MASK = event("/daily", {"total": ["/orders.amount"]}, masked=["/orders.amount"])

DAILY = [{"namespace": "file", "name": "/daily"}]


def unresolved(some: Json) -> Json:
    """The event as one that reads `/daily` by columns that the collector could not resolve all."""
    facet = {"unresolved": [{"class": "Odd", "count": 1}]}
    run = {**some["run"], "facets": {"colgraph_diagnostics": facet}}
    return {**some, "inputs": DAILY, "run": run}


def started_and_completed(name: str) -> list[Json]:
    """A run that reads `/daily` and tells the schema of what it writes at its end only."""
    done = {**event(name, types={"x": "int"}), "inputs": DAILY}
    begun = {**event(name, state="START"), "inputs": DAILY, "run": done["run"]}
    return [begun, {**done, "eventTime": "2026-11-20T10:05:00Z"}]


STAGE = event("/stage", {"x": ["/orders.amount"]}, lifecycle=is_change("DROP"))


def written(state: str) -> Json:
    return event("/daily", {"total": ["/orders.amount"]}, lifecycle=is_change(state))


def elsewhere(some: Json) -> Json:
    """The event as one of a job in another namespace."""
    return {**some, "job": {**some["job"], "namespace": "ci"}}


def later(some: Json) -> Json:
    """The event as one of another run, an hour after the others."""
    run = {"runId": str(uuid5(NAMESPACE_URL, f"later {some['run']}"))}
    return {**some, "eventTime": "2026-11-20T11:00:00Z", "run": run}


def of_one_run(*states: str) -> list[Json]:
    """The events of one run, a minute each; `FAIL@2` has another minute than its place."""
    done = event("/daily", {"total": ["/orders.amount"]})
    events = []
    for place, text in enumerate(states):
        state, _, minute = text.partition("@")
        events.append(
            {**done, "eventType": state, "eventTime": f"2026-11-20T10:0{minute or place}:00Z"}
        )
    return events


def later_run(state: str) -> Json:
    """The event of another run, at a minute."""
    (ended,) = of_one_run(state)
    return {**ended, "run": later(ended)["run"]}


# Whether lineage is missing after the events of one run: as the store has it, its last end counts.
ENDS = [
    (False, "START", "FAIL", "COMPLETE"),
    (True, "START", "COMPLETE", "FAIL"),
    (False, "START", "COMPLETE", "START"),
    (False, "COMPLETE@2", "RUNNING@1", "START@0"),
    (False, "COMPLETE", "FAIL@0"),
    (True, "START", "FAIL", "START"),
    (True, "START", "ABORT", "RUNNING"),
    (True, "START", "fail"),
]


def struct(*, name: str = "total", **parts: str) -> Json:
    """A run that copies a struct whose parts only the schema names."""
    fields = [{"name": part, "type": kind} for part, kind in parts.items()]
    return nested({"name": name, "type": "struct", "fields": fields})


def nested(field: Json) -> Json:
    """A run that copies a column of a nested schema."""
    copied = event("/daily", {field["name"]: ["/orders.amount"]}, types={field["name"]: "any"})
    copied["outputs"][0]["facets"]["schema"]["fields"] = [field]
    return copied


def array(**parts: str) -> Json:
    """A run that copies an array of structs."""
    element = struct(name="_element", **parts)["outputs"][0]["facets"]["schema"]["fields"]
    return nested({"name": "total", "type": "array", "fields": element})


def map_of(**parts: str) -> Json:
    """A run that copies a map from texts to structs."""
    value = struct(name="value", **parts)["outputs"][0]["facets"]["schema"]["fields"]
    key = {"name": "key", "type": "string"}
    return nested({"name": "total", "type": "map", "fields": [key, *value]})


def total(kind: str, name: str = "total") -> Json:
    return event("/daily", {name: ["/orders.amount"]}, types={name: kind})


SAME_TYPES = [
    ("DOUBLE", "double"),
    ("decimal(10, 2)", "decimal(10,2)"),
    ("map<string, int>", "MAP<STRING,INT>"),
    ("array<string>", "ARRAY<STRING>"),
    ("struct<a: INT, b:array<string>>", "STRUCT<a:int,b:ARRAY<STRING>>"),
]
OTHER_TYPES = [
    ("decimal(10,2)", "decimal(12,2)"),
    ("array<int>", "array<bigint>"),
    ("map<string,int>", "map<string,bigint>"),
]

CASES = {
    "a masked column that shows another one": (
        [MASK, REPORT],
        [event("/daily", {"total": ["/orders.price"]})],
        [
            ("error", "masking-removed", "/daily.total"),
            ("warning", "sources-changed", "/daily.total"),
        ],
    ),
    "a run that failed": (
        BASE,
        [event("/daily", {"total": ["/orders.amount"]}, state="FAIL")],
        [("error", "lineage-missing", "job/daily")],
    ),
    "a run that was aborted": (
        BASE,
        [event("/daily", {"total": ["/orders.amount"]}, state="ABORT")],
        [("error", "lineage-missing", "job/daily")],
    ),
    "a run that has not ended": (
        BASE,
        [event("/daily", {"total": ["/orders.amount"]}, state="RUNNING")],
        [("error", "lineage-missing", "job/daily")],
    ),
    "a run that failed and was tried again": (
        BASE,
        [event("/daily", {"total": ["/orders.amount"]}, state="FAIL"), later(TOTAL)],
        [],
    ),
    "a run that failed after one that did not, in another order": (
        BASE,
        [later(event("/daily", {"total": ["/orders.amount"]}, state="FAIL")), TOTAL],
        [("error", "lineage-missing", "job/daily")],
    ),
    **{f"{was} is {now}": ([total(was), REPORT], [total(now)], []) for was, now in SAME_TYPES},
    **{
        f"{was} is not {now}": (
            [total(was), REPORT],
            [total(now)],
            [("error", "type-changed", "/daily.total")],
        )
        for was, now in OTHER_TYPES
    },
    "a part of a struct with another type": (
        [struct(a="int", b="int")],
        [struct(a="bigint", b="INT")],
        [("warning", "type-changed", "/daily.total.a")],
    ),
    "a part of a struct that is gone, and a new one": (
        [struct(a="int", b="int")],
        [struct(a="int", c="int")],
        [
            ("warning", "column-removed", "/daily.total.b"),
            ("note", "column-added", "/daily.total.c"),
        ],
    ),
    **{
        f"{kind} as a text and by its fields, {words}": case
        for kind, fields in (
            ("struct<a:int,b:int>", struct),
            ("array<struct<a:int,b:int>>", array),
            ("map<string,struct<a:int,b:int>>", map_of),
        )
        for words, case in {
            "without a change": ([total(kind), REPORT], [fields(a="int", b="int")], []),
            "and back": ([fields(a="int", b="int"), REPORT], [total(kind)], []),
            "with another type": (
                [total(kind), REPORT],
                [fields(a="bigint", b="int")],
                [("error", "type-changed", "/daily.total.a")],
            ),
            "with another part": (
                [fields(a="int", c="int")],
                [total(kind)],
                [
                    ("note", "column-added", "/daily.total.b"),
                    ("warning", "column-removed", "/daily.total.c"),
                ],
            ),
        }.items()
    },
    "a text of a struct with another type": (
        [total("struct<a:int>"), REPORT],
        [total("struct<a:bigint>")],
        [("error", "type-changed", "/daily.total.a")],
    ),
    "a struct with a new name": (
        [total("struct<a:int>"), REPORT],
        [struct(name="sum", a="int")],
        [("error", "column-renamed", "/daily.sum")],
    ),
    "a struct with a new name and another type of a part": (
        [total("struct<a:int>")],
        [total("struct<a:bigint>", "sum")],
        [
            ("warning", "column-renamed", "/daily.sum"),
            ("warning", "type-changed", "/daily.sum.a"),
        ],
    ),
    "a struct that only one side splits": (
        [total("struct"), REPORT],
        [struct(a="int")],
        [],
    ),
    "a new name and another spelling of the type": (
        [total("DOUBLE"), REPORT],
        [total("double", "revenue")],
        [("error", "column-renamed", "/daily.revenue")],
    ),
    **{
        f"one run that says {', '.join(states)}": (
            BASE,
            of_one_run(*states),
            [("error", "lineage-missing", "job/daily")] if is_missing else [],
        )
        for is_missing, *states in ENDS
    },
    "two runs at the same time, the one that ends first fails": (
        BASE,
        [
            *of_one_run("START@0", "COMPLETE@5"),
            {
                **event("/daily", {"total": ["/orders.amount"]}, state="FAIL"),
                "eventTime": "2026-11-20T10:02:00Z",
            },
        ],
        [("error", "lineage-missing", "job/daily")],
    ),
    "two runs at one time, in one order": (
        BASE,
        [*of_one_run("COMPLETE@5"), later_run("FAIL@5")],
        [("error", "lineage-missing", "job/daily")],
    ),
    "two runs at one time, in the other order": (
        BASE,
        [later_run("FAIL@5"), *of_one_run("COMPLETE@5")],
        [("error", "lineage-missing", "job/daily")],
    ),
    "a run that began when another one failed": (
        BASE,
        [later_run("FAIL@1"), *of_one_run("START@1", "COMPLETE@2")],
        [],
    ),
    "DROP after a write, in another order": (
        BASE,
        [later(event("/daily", lifecycle=is_change("DROP"))), TOTAL],
        [("error", "dataset-removed", "/daily")],
    ),
    "DROP": (
        BASE,
        [event("/daily", lifecycle=is_change("DROP"))],
        [("error", "dataset-removed", "/daily")],
    ),
    "DROP of what another job writes": (
        BASE,
        [event("/daily", job="cleanup", lifecycle=is_change("DROP"))],
        [("error", "dataset-removed", "/daily")],
    ),
    "DROP as before": (
        [*BASE, event("/tmp", job="cleanup", lifecycle=is_change("DROP"))],
        [event("/tmp", job="cleanup", lifecycle=is_change("DROP"))],
        [],
    ),
    "DROP, and nothing else is written any more": (
        [*BASE, event("/other", {"x": ["/orders.id"]}, job="job/daily")],
        [event("/daily", lifecycle=is_change("DROP"))],
        [("error", "dataset-removed", "/daily"), ("warning", "dataset-removed", "/other")],
    ),
    "a table of the job's own": (
        BASE,
        [event("/tmp", {"x": ["/orders.id"]}), event("/tmp", lifecycle=is_change("DROP")), TOTAL],
        [],
    ),
    "a table of the job's own, as before": (
        [*BASE, event("/tmp", {"x": ["/orders.id"]}), event("/tmp", lifecycle=is_change("DROP"))],
        [event("/tmp", {"x": ["/orders.id"]}), event("/tmp", lifecycle=is_change("DROP")), TOTAL],
        [],
    ),
    "TRUNCATE": (
        BASE,
        [event("/daily", lifecycle=is_change("TRUNCATE"))],
        [("error", "dataset-emptied", "/daily")],
    ),
    "TRUNCATE and INSERT": (BASE, [event("/daily", lifecycle=is_change("TRUNCATE")), TOTAL], []),
    "RENAME": (
        BASE,
        [event("/kept", job="job/daily", lifecycle=is_change("RENAME", "/daily"))],
        [("error", "dataset-removed", "/daily")],
    ),
    "written under another name and renamed": (
        BASE,
        [
            event("/new", {"total": ["/orders.price"]}, job="job/daily"),
            event("/daily", lifecycle=is_change("RENAME", "/new")),
        ],
        [("warning", "sources-changed", "/daily.total")],
    ),
    "rows that were replaced and are added": (
        [written("OVERWRITE"), REPORT],
        [written("ALTER")],
        [("warning", "rows-changed", "/daily")],
    ),
    "rows that were added and are replaced": (
        [written("APPEND"), REPORT],
        [written("OVERWRITE")],
        [("warning", "rows-changed", "/daily")],
    ),
    "a table that the sample made": ([written("ALTER"), REPORT], [written("CREATE")], []),
    "a producer that does not tell": ([TOTAL, REPORT], [written("ALTER")], []),
    "one of two writers that writes another dataset": (
        [*BASE, event("/daily", {"total": ["/shop.amount"]}, job="second")],
        [event("/other", {"x": ["/shop.amount"]}, job="second")],
        [("error", "dataset-removed", "/daily"), ("note", "dataset-added", "/other")],
    ),
    "one of two writers whose latest run wrote another dataset before, too": (
        [
            *BASE,
            event("/daily", {"total": ["/shop.amount"]}, job="second"),
            later(event("/other", {"x": ["/shop.amount"]}, job="second")),
        ],
        [event("/other", {"x": ["/shop.amount"]}, job="second")],
        [],
    ),
    "a job of the same name in another namespace": (
        [TOTAL, REPORT, elsewhere(event("/copy", {"total": ["/orders.id"]}, job="job/daily"))],
        [TOTAL],
        [],
    ),
    "the job in the namespace of CI": (
        [TOTAL, REPORT],
        [elsewhere(RENAMED)],
        [("error", "column-renamed", "/daily.revenue")],
    ),
    "another job that writes it, too": (
        BASE,
        [TOTAL, event("/daily", {"total": ["/orders.amount"]}, job="second")],
        [("warning", "rows-changed", "/daily")],
    ),
    "a job that is new or has another name, and adds rows": (
        [written("ALTER"), REPORT],
        [{**written("ALTER"), "job": {"namespace": "shop", "name": "second"}}],
        [("note", "writer-added", "/daily")],
    ),
    "a job that is new or has another name, and replaces rows": (
        BASE,
        [event("/daily", {"total": ["/orders.amount"]}, job="second")],
        [],
    ),
    "a write that moved to another job": (
        [*BASE, event("/x", {"x": ["/orders.id"]}, job="job/daily")],
        [
            event("/daily", {"total": ["/orders.amount"]}, job="second"),
            event("/x", {"x": ["/orders.id"]}, job="job/daily"),
        ],
        [],
    ),
    "no columns": (BASE, [event("/daily", {})], [("error", "lineage-unknown", "/daily")]),
    "no columns before": (
        [event("/daily"), REPORT],
        [TOTAL],
        [("error", "lineage-unknown", "/daily")],
    ),
    "a table of the job's own in one event": (
        [STAGE, event("/end", {"y": ["/stage.x"]})],
        [STAGE, event("/end", {"y": ["/stage.x"]})],
        [],
    ),
    "another source of a table of the job's own": (
        [STAGE, event("/end", {"y": ["/stage.x"]})],
        [event("/stage", {"x": ["/orders.id"]}, lifecycle=is_change("DROP"))],
        [("warning", "sources-changed", "/stage.x")],
    ),
    "a table that somebody has filled since it was dropped": (
        [
            STAGE,
            later(event("/stage", {"x": ["/orders.price"]})),
            event("/end", {"y": ["/stage.x"]}),
        ],
        [STAGE],
        [("error", "dataset-removed", "/stage")],
    ),
    "a symlink of the base": (
        [event("/daily", {"total": ["/orders.amount"]}, alias="db.daily"), REPORT],
        [event("db.daily", {"revenue": ["/orders.amount"]}, job="job/daily")],
        [("error", "column-renamed", "/daily.revenue")],
    ),
    "a symlink of the change": (
        BASE,
        [event("db.daily", {"revenue": ["/orders.amount"]}, job="job/daily", alias="/daily")],
        [("error", "column-renamed", "/daily.revenue")],
    ),
    "a symlink of a source": (
        [*BASE, event("/orders", {"amount": ["/till.amount"]}, alias="db.orders")],
        [event("/daily", {"total": ["db.orders.amount"]})],
        [("warning", "sources-changed", "/daily.total")],  # db.orders has no field orders.amount
    ),
    "a rename with its readers": (
        BASE,
        [RENAMED, event("/report", {"sum": ["/daily.revenue"]})],
        [("note", "changed-together", "/daily.revenue")],
    ),
    "a column that is gone with its readers": (
        [
            event("/daily", {"total": ["/orders.amount"], "day": ["/orders.day"]}),
            event("/report", {"sum": ["/daily.total"], "day": ["/daily.day"]}),
        ],
        [
            event("/daily", {"day": ["/orders.day"]}),
            event("/report", {"day": ["/daily.day"]}),
        ],
        [("note", "changed-together", "/daily.total")],
    ),
    "a type with its readers": (
        [
            event("/daily", {"total": ["/orders.amount"]}, types={"total": "int"}),
            event("/report", {"sum": ["/daily.total"]}, types={"sum": "int"}),
        ],
        [
            event("/daily", {"total": ["/orders.amount"]}, types={"total": "string"}),
            event("/report", {"sum": ["/daily.total"]}, types={"sum": "string"}),
        ],
        [("note", "changed-together", "/daily.total")],
    ),
    "a type, and a reader that is as before": (
        [event("/daily", {"total": ["/orders.amount"]}, types={"total": "int"}), REPORT],
        [event("/daily", {"total": ["/orders.amount"]}, types={"total": "string"}), REPORT],
        [("error", "type-changed", "/daily.total")],
    ),
    "a reader that still reads the old column": (
        BASE,
        [RENAMED, REPORT],
        [
            ("error", "column-renamed", "/daily.revenue"),
            ("warning", "sources-changed", "/report.sum"),
        ],
    ),
    "one reader of two": (
        [*BASE, event("/other", {"sum": ["/daily.total"]})],
        [RENAMED, event("/report", {"sum": ["/daily.revenue"]})],
        [("error", "column-renamed", "/daily.revenue")],
    ),
    "a reader by unknown columns": (
        [*BASE, {**event("/other"), "inputs": DAILY}],
        [RENAMED, event("/report", {"sum": ["/daily.revenue"]})],
        [("error", "column-renamed", "/daily.revenue")],
    ),
    "a reader with columns that it could not resolve": (
        [*BASE, unresolved(event("/other", {"day": ["/daily.day"]}))],
        [RENAMED, event("/report", {"sum": ["/daily.revenue"]})],
        [("error", "column-renamed", "/daily.revenue")],
    ),
    "a reader whose run said more at its end": (
        [*BASE, *started_and_completed("/other")],
        [RENAMED, event("/report", {"sum": ["/daily.revenue"]})],
        [("error", "column-renamed", "/daily.revenue")],
    ),
    "a reader that writes nothing": (
        [*BASE, {**event("/other"), "outputs": [], "inputs": DAILY}],
        [RENAMED, event("/report", {"sum": ["/daily.revenue"]})],
        [("error", "column-renamed", "/daily.revenue")],
    ),
}


@pytest.mark.parametrize(("base", "changed", "expected"), CASES.values(), ids=CASES)
def test_changes(base: list[Json], changed: list[Json], expected: list[Any]) -> None:
    assert changes(check(base, changed)) == expected


def test_a_dataset_that_only_ends_and_that_nobody_knows_is_not_compared() -> None:
    report = check(BASE, [event("/dayly", job="cleanup", lifecycle=is_change("DROP"))])
    assert table(report).startswith("nothing compared: 1 dataset new")


def settings_of(folder: Path, text: str) -> Settings:
    (folder / "colgraph.toml").write_text(text)
    return read(folder / "colgraph.toml")


def test_a_dataset_that_somebody_uses_does_not_change_together(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, "[[check.exports]]\nname = 'x'\ndatasets = ['file//daily']")
    report = check(BASE, [RENAMED, event("/report", {"sum": ["/daily.revenue"]})], settings)
    assert changes(report) == [("error", "column-renamed", "/daily.revenue")]


RULES = {
    "of a column": ("columns = ['rev*']", "columns = ['day']"),
    "of a column's former name": ("columns = ['total']", "columns = ['day']"),
    "of an owner": ("owners = ['team:*']", "owners = ['anna']"),
    "of a tag": ("tags = ['pii']", "tags = ['pii=phone']"),
    "of a tag that travelled": ("tags = ['internal']", "tags = ['external']"),
    "of a class": ("classes = ['breaking']", "classes = ['unknown']"),
}


def tags_of(field: str, key: str, value: str = "true") -> Json:
    return {"tags": {"tags": [{"key": key, "value": value, "field": field}]}}


@pytest.mark.parametrize(("fitting", "other"), RULES.values(), ids=RULES)
def test_a_rule_is_about_what_it_names(tmp_path: Path, fitting: str, other: str) -> None:
    owned = event("/daily", {"total": ["/orders.amount"]}, owner="team:a")
    owned["outputs"][0]["facets"] |= tags_of("total", "pii", "email")
    orders = {"namespace": "file", "name": "/orders", "facets": tags_of("amount", "internal")}
    base = in_memory([{**owned, "inputs": [orders]}, REPORT])
    severities = [
        [change.severity for change in run(base, [RENAMED], settings).changes]
        for rule in (fitting, other)
        for settings in [settings_of(tmp_path, f"[[check.rules]]\n{rule}\nseverity = 'note'")]
    ]
    assert severities == [["note"], ["error"]]


def test_a_rule_moves_a_kind_to_another_class(tmp_path: Path) -> None:
    text = (
        "[[check.rules]]\nkinds = ['column-renamed']\nclass = 'non-breaking'\n"
        "[[check.rules]]\nclasses = ['non-breaking']\nseverity = 'note'\n"
    )
    (change,) = check(BASE, [RENAMED], settings_of(tmp_path, text)).changes
    assert (change.effect, change.severity) == ("non-breaking", "note")
    (change,) = check(BASE, [RENAMED]).changes
    assert (change.effect, change.severity) == ("breaking", "error")


WAIVER = """[[check.waivers]]
kinds = ["{kind}"]
datasets = ["file//daily"]
reason = "moves"
owner = "anna"
until = {until}
"""
WAIVED = {
    "valid": ("column-renamed", "2026-11-26", 0, ["note column-renamed"]),
    "expired": (
        "column-renamed",
        "2026-11-25",
        1,
        ["error column-renamed", "error waiver-expired"],
    ),
    "unused": ("column-added", "2027-01-01", 1, ["error column-renamed", "note waiver-unused"]),
}


@pytest.mark.parametrize(("kind", "until", "code", "expected"), WAIVED.values(), ids=WAIVED)
def test_waivers(tmp_path: Path, kind: str, until: str, code: int, expected: list[str]) -> None:
    settings = settings_of(tmp_path, WAIVER.format(kind=kind, until=until))
    report = check(BASE, [RENAMED], settings)
    assert [f"{change.severity} {change.kind}" for change in report.changes] == expected
    assert report.exit_code == code
    shown = f"until {until} by anna: moves"
    for text in (table(report), as_json(report), sarif(report)):
        assert shown in text


@pytest.mark.parametrize(
    ("kind", "effect"), [("column-renamed", "breaking"), ("column-added", "non-breaking")]
)
def test_an_expired_waiver_has_the_class_of_what_it_was_for(
    tmp_path: Path, kind: str, effect: str
) -> None:
    """It was always non-breaking, as nothing depends on a waiver."""
    report = check(
        BASE, [RENAMED], settings_of(tmp_path, WAIVER.format(kind=kind, until="2026-11-25"))
    )
    change, waiver = report.changes
    assert (change.kind, change.severity, change.effect) == ("column-renamed", "error", "breaking")
    assert (waiver.kind, waiver.severity, waiver.effect) == ("waiver-expired", "error", effect)
    told = "no longer waived: until 2026-11-25 by anna: moves"
    is_for_it = kind == "column-renamed"
    for text in (table(report), as_json(report), sarif(report), junit(report)):
        assert (told in text) == is_for_it
    assert not any("suppressions" in row for row in json.loads(sarif(report))["runs"][0]["results"])


def test_a_baseline_covers_what_it_has_and_nothing_unknown() -> None:
    first = check(BASE, [RENAMED])
    settings = Settings(baseline=report_keys(as_json(first)))
    (change,) = check(BASE, [RENAMED], settings).changes
    assert (change.severity, change.waived) == ("note", "in the baseline")
    other = event("/daily", {"income": ["/orders.amount"]})
    assert changes(check(BASE, [other], settings))[0][0] == "error"
    unused = check(BASE[:1], [RENAMED])
    assert unused.changes[0].effect == "non-breaking"
    settings = Settings(baseline=report_keys(as_json(unused)))
    assert check(BASE[:1], [RENAMED], settings).changes[0].waived == "in the baseline"
    assert check(BASE, [RENAMED], settings).changes[0].severity == "error"
    failed = [event("/daily", {"total": ["/orders.amount"]}, state="FAIL")]
    settings = Settings(baseline=report_keys(as_json(check(BASE, failed))))
    assert check(BASE, failed, settings).exit_code == 2
    with pytest.raises(ValueError, match="no report"):
        report_keys("[]")


def test_sarif_names_the_line_of_the_script(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "daily.sql").write_text("-- revenues\nINSERT INTO daily\nSELECT a AS revenue\n")
    changed = event("/daily", {"revenue": ["/orders.amount"]}, job="daily.sql")
    (result,) = json.loads(sarif(check(BASE, [changed])))["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "daily.sql"},
        "region": {"startLine": 3},
    }
    (plain,) = json.loads(sarif(check(BASE, [RENAMED])))["runs"][0]["results"]
    assert "physicalLocation" not in plain["locations"][0]
