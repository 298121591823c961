from typing import Any

import pytest

from airflow_colgraph.collector.events.render import missing_writes
from airflow_colgraph.extractors.task_lineage import DIAGNOSTICS, Lineage, merge, of_this_try
from airflow_colgraph.openlineage.facets import PRODUCER, schema_url

IDENTITY = {"type": "DIRECT", "subtype": "IDENTITY"}
AGGREGATION = {"type": "DIRECT", "subtype": "AGGREGATION"}
FILTER = {"type": "INDIRECT", "subtype": "FILTER"}


def dataset(name: str, **facets: Any) -> dict[str, Any]:
    return {"namespace": "file", "name": name, "facets": facets}


def entry(column: str, *steps: dict[str, str]) -> dict[str, Any]:
    name, _, field = column.rpartition(".")
    return {"namespace": "file", "name": name, "field": field, "transformations": list(steps)}


def columns(*rows: dict[str, Any], **fields: list[dict[str, Any]]) -> dict[str, Any]:
    lineage = {name: {"inputFields": inputs} for name, inputs in fields.items()}
    return {"fields": lineage, "dataset": list(rows)}


def event(
    kind: str = "RUNNING",
    *,
    run: str = "r1",
    parent: str | None = None,
    inputs: list[dict[str, Any]] | None = None,
    outputs: list[dict[str, Any]] | None = None,
    **facets: Any,
) -> dict[str, Any]:
    if parent:
        facets["parent"] = {"run": {"runId": parent}, "job": {"namespace": "ns", "name": "d.t"}}
    return {
        "eventType": kind,
        "run": {"runId": run, "facets": facets},
        "job": {"namespace": "ns", "name": "d.t.spark"},
        "inputs": inputs or [],
        "outputs": outputs or [],
    }


def names(datasets: list[dict[str, Any]]) -> list[str]:
    return [dataset["name"] for dataset in datasets]


# merge ----------------------------------------------------------------------------------------


def test_nothing_becomes_nothing() -> None:
    assert merge([]) == Lineage([], [], {})


def test_what_the_job_wrote_and_reads_again_is_only_an_output() -> None:
    staged = event(inputs=[dataset("raw")], outputs=[dataset("staging")])
    mart = event(inputs=[dataset("staging"), dataset("raw")], outputs=[dataset("mart")])
    lineage = merge([staged, mart])
    assert names(lineage.inputs) == ["raw"]
    assert names(lineage.outputs) == ["staging", "mart"]


def test_what_it_read_before_writing_it_is_both() -> None:
    appended = event(inputs=[dataset("table")], outputs=[dataset("table")])
    lineage = merge([appended, event(inputs=[dataset("table")])])
    assert (names(lineage.inputs), names(lineage.outputs)) == (["table"], ["table"])


def test_a_later_output_names_the_staging_fields_as_they_are() -> None:
    a = columns(a=[entry("raw.a", IDENTITY)])
    total = columns(total=[entry("staging.a", AGGREGATION)])
    lineage = merge(
        [
            event(inputs=[dataset("raw")], outputs=[dataset("staging", columnLineage=a)]),
            event(inputs=[dataset("staging")], outputs=[dataset("mart", columnLineage=total)]),
        ]
    )
    assert lineage.outputs == [
        dataset("staging", columnLineage=a),
        dataset("mart", columnLineage=total),
    ]


def test_two_writes_of_one_dataset_are_one_output_with_both_lineages() -> None:
    first = columns(
        entry("raw.kept", FILTER), a=[entry("raw.a", IDENTITY)], b=[entry("raw.b", IDENTITY)]
    )
    second = columns(
        entry("more.kept", FILTER), a=[entry("raw.a", AGGREGATION), entry("more.a", IDENTITY)], c=[]
    )
    lineage = merge(
        [
            event(outputs=[dataset("mart", columnLineage=first, schema={"fields": ["old"]})]),
            event(outputs=[dataset("mart", columnLineage=second, schema={"fields": ["new"]})]),
        ]
    )
    both = columns(
        entry("raw.kept", FILTER),
        entry("more.kept", FILTER),
        a=[entry("raw.a", IDENTITY, AGGREGATION), entry("more.a", IDENTITY)],
        b=[entry("raw.b", IDENTITY)],
        c=[],
    )
    assert lineage.outputs == [dataset("mart", columnLineage=both, schema={"fields": ["new"]})]


def test_a_change_of_columns_leaves_what_else_became_of_a_dataset() -> None:
    """A store closes no edge of a dataset that was altered only."""

    def lifecycle(*changes: str) -> str:
        facets = [{"lifecycleStateChange": change} for change in changes]
        events = [event(outputs=[dataset("mart", lifecycleStateChange=each)]) for each in facets]
        (output,) = merge(events).outputs
        return str(output["facets"]["lifecycleStateChange"]["lifecycleStateChange"])

    assert lifecycle("OVERWRITE", "ALTER") == "OVERWRITE"
    assert lifecycle("ALTER", "OVERWRITE") == "OVERWRITE"
    assert lifecycle("CREATE", "DROP") == "DROP"


@pytest.mark.parametrize(("change", "state"), [("TRUNCATE", "OVERWRITE"), ("ALTER", "ALTER")])
def test_a_dataset_that_is_emptied_and_filled_again(change: str, state: str) -> None:
    emptied = dataset("mart", lifecycleStateChange={"lifecycleStateChange": change})
    events = [event(outputs=[emptied]), event(outputs=[dataset("mart")])]
    (output,) = merge(events).outputs
    assert output["facets"]["lifecycleStateChange"]["lifecycleStateChange"] == state


def moved(former: str, name: str) -> dict[str, Any]:
    previous = {"namespace": "file", "name": former}
    change = {"lifecycleStateChange": "RENAME", "previousIdentifier": previous}
    return event(outputs=[dataset(name, lifecycleStateChange=change)])


def lineage_of(events: list[dict[str, Any]]) -> dict[str, set[str]]:
    """The columns of each output with their inputs, and `< name` for the former name."""
    lineage: dict[str, set[str]] = {}
    for output in merge(events).outputs:
        facets = output["facets"]
        change = facets.get("lifecycleStateChange", {})
        edges = lineage[output["name"]] = set()
        for name, field in facets.get("columnLineage", {"fields": {}})["fields"].items():
            edges |= {f"{name} {each['name']}.{each['field']}" for each in field["inputFields"]}
        if change.get("lifecycleStateChange") == "RENAME":
            edges.add(f"< {change['previousIdentifier']['name']}")
        elif change:
            edges.add(change["lifecycleStateChange"])
    return lineage


def copied(source: str, name: str, **facets: Any) -> dict[str, Any]:
    lineage = columns(x=[entry(f"{source}.x", IDENTITY)])
    return event(outputs=[dataset(name, columnLineage=lineage, **facets)])


WRITTEN = copied("raw", "stage")
DROP = {"lifecycleStateChange": "DROP"}
MADE = copied("raw", "stage", lifecycleStateChange={"lifecycleStateChange": "CREATE"})
RENAMINGS = {
    "published": ([WRITTEN, moved("stage", "mart")], {"mart": {"x raw.x", "< stage"}}),
    "in the place of another": (
        [copied("old", "mart"), WRITTEN, moved("stage", "mart")],
        {"mart": {"x raw.x", "< stage"}},
    ),
    "read before": (
        [WRITTEN, copied("stage", "sums"), moved("stage", "mart")],
        {"mart": {"x raw.x", "< stage"}, "sums": {"x mart.x"}},
    ),
    "made by the task, so that nobody knows its first name": (
        [MADE, moved("stage", "mart"), copied("mart", "stage")],
        {"mart": {"x raw.x", "CREATE"}, "stage": {"x mart.x"}},
    ),
    "made by the task in the place of another": (
        [MADE, event(outputs=[dataset("mart", lifecycleStateChange=DROP)]), moved("stage", "mart")],
        {"mart": {"x raw.x", "< stage"}},
    ),
    "twice": (
        [WRITTEN, moved("stage", "checked"), moved("checked", "mart")],
        {"mart": {"x raw.x", "< stage"}},
    ),
    "written again": (
        [WRITTEN, moved("stage", "first"), copied("csv", "stage"), moved("stage", "second")],
        {"first": {"x raw.x", "< stage"}, "second": {"x csv.x", "< stage"}},
    ),
    "made room": (
        [moved("mart", "old"), copied("raw", "mart")],
        {"old": {"< mart"}, "mart": {"x raw.x"}},
    ),
    "computed from the one that it replaces": (
        [copied("raw", "mart"), copied("mart", "stage"), moved("stage", "mart")],
        {"mart": {"x raw.x", "x mart.x", "< stage"}},
    ),
    "read by others before it is replaced": (
        [copied("raw", "t"), copied("t", "sums"), copied("new", "stage"), moved("stage", "t")],
        {"t": {"x raw.x", "x new.x", "< stage"}, "sums": {"x t.x"}},
    ),
    "read before the task wrote it": (
        [
            event(inputs=[dataset("stage")], outputs=copied("stage", "sums")["outputs"]),
            WRITTEN,
            moved("stage", "mart"),
        ],
        {"sums": {"x stage.x", "x mart.x"}, "mart": {"x raw.x", "< stage"}},
    ),
    "to its own name": ([WRITTEN, moved("stage", "stage")], {"stage": {"x raw.x", "< stage"}}),
    "dropped under its new name": (
        [moved("mart", "old"), event(outputs=[dataset("old", lifecycleStateChange=DROP)])],
        {"mart": {"DROP"}, "old": {"DROP"}},
    ),
    "swapped": (
        [moved("a", "kept"), moved("b", "a"), moved("kept", "b")],
        {"a": {"< b"}, "b": {"< a"}},
    ),
}


@pytest.mark.parametrize(("events", "lineage"), RENAMINGS.values(), ids=RENAMINGS)
def test_what_is_written_and_renamed_has_its_lineage_under_the_new_name(
    events: list[dict[str, Any]], lineage: dict[str, set[str]]
) -> None:
    """One event has both: a store took the new name's lineage from the run before."""
    assert lineage_of(events) == lineage


@pytest.mark.parametrize(
    "change",
    [
        "RENAME",
        {"lifecycleStateChange": "RENAME", "previousIdentifier": ["stage"]},
        {"lifecycleStateChange": "RENAME", "previousIdentifier": {"name": "stage"}},
        {"lifecycleStateChange": "RENAME"},
    ],
)
def test_a_former_name_that_is_malformed_moves_nothing(change: Any) -> None:
    events = [WRITTEN, event(outputs=[dataset("mart", lifecycleStateChange=change)])]
    assert names(merge(events).outputs) == ["stage", "mart"]


@pytest.mark.parametrize("ended", ["DROP", "TRUNCATE"])
def test_a_view_that_is_dropped_and_made_again_is_there(ended: str) -> None:
    """The collector and SQL say ALTER of what replaces a view's text or a partition's rows."""
    (view,) = copied("raw", "view")["outputs"]
    view["facets"]["lifecycleStateChange"] = {"lifecycleStateChange": "ALTER"}
    gone = dataset("view", lifecycleStateChange={"lifecycleStateChange": ended})
    events = [event(outputs=[gone]), event(outputs=[view])]
    assert lineage_of(events) == {"view": {"x raw.x", "OVERWRITE"}}


def test_rows_of_the_driver_are_those_of_the_new_name() -> None:
    rows = [{"namespace": "file", "name": "stage", "datasets": []}]
    facets = {DIAGNOSTICS: {"throughDriver": rows}}
    written = {**WRITTEN, "run": {"runId": "r1", "facets": facets}}
    (named,) = merge([written, moved("stage", "mart")]).run_facets[DIAGNOSTICS]["throughDriver"]
    assert named["name"] == "mart"


def test_merging_changes_no_event() -> None:
    first = event(outputs=[dataset("mart", columnLineage=columns(a=[entry("raw.a", IDENTITY)]))])
    again = event(outputs=[dataset("mart", columnLineage=columns(a=[entry("raw.a", FILTER)]))])
    before = repr([first, again])
    merge([first, again])
    assert repr([first, again]) == before


def test_statistics_add_up_and_operations_are_listed_once() -> None:
    read, write = {"name": "READ raw"}, {"name": "WRITE mart"}
    lineage = merge(
        [
            event(
                outputs=[
                    dataset(
                        "mart",
                        outputStatistics={"rowCount": 2, "size": 10},
                        colgraph_operations={"operations": [read]},
                    )
                ]
            ),
            event(
                outputs=[
                    dataset(
                        "mart",
                        outputStatistics={"rowCount": 3, "size": 5},
                        colgraph_operations={"operations": [read, write]},
                    )
                ]
            ),
        ]
    )
    facets = lineage.outputs[0]["facets"]
    assert facets["outputStatistics"] == {"rowCount": 5, "size": 15}
    assert facets["colgraph_operations"] == {"operations": [read, write]}


def test_the_application_is_linked_and_its_parent_and_engine_stay_its_own() -> None:
    details = {"applicationId": "local-1", "master": "local[1]"}
    lineage = merge(
        [
            event("START", parent="p", processing_engine={"name": "spark"}),
            event(spark_applicationDetails=details),
            event("COMPLETE"),
        ]
    )
    assert lineage.run_facets == {
        "spark_applicationDetails": details,
        "colgraph_spark": {
            "_producer": PRODUCER,
            "_schemaURL": schema_url("colgraph_spark"),
            "applications": [
                {
                    "runId": "r1",
                    "namespace": "ns",
                    "name": "d.t.spark",
                    "applicationId": "local-1",
                    "state": "COMPLETE",
                }
            ],
        },
    }


def test_diagnostics_of_all_queries_add_up() -> None:
    def diagnostics(truncated: str, opaque: int, **unresolved: int) -> dict[str, Any]:
        return {
            "unresolved": [{"class": name, "count": count} for name, count in unresolved.items()],
            "opaque": [{"class": "MapPartitions", "count": opaque}],
            "truncated": truncated,
            "seconds": 0.25,
        }

    lineage = merge(
        [
            event(colgraph_diagnostics=diagnostics("late", 1, Foo=1, Bar=1)),
            event(colgraph_diagnostics=diagnostics("", 2, Foo=2)),
            event(colgraph_diagnostics=diagnostics("wide", 1)),
            event(colgraph_diagnostics=diagnostics("late", 1)),
        ]
    )
    assert lineage.run_facets[DIAGNOSTICS] == {
        "unresolved": [{"class": "Foo", "count": 3}, {"class": "Bar", "count": 1}],
        "opaque": [{"class": "MapPartitions", "count": 5}],
        "truncated": "late; wide",
        "seconds": 1.0,
    }


def test_the_writes_without_lineage_of_all_applications_add_up() -> None:
    def diagnostics(by: str) -> dict[str, Any]:
        gaps = [{"by": by, "rows": 7, "bytes": 14}]
        counts = {"executions": 3, "writes": 2, "writesWithoutLineage": 1}
        return {
            "unresolved": [],
            "opaque": [],
            "truncated": "",
            "completeness": {**counts, "unaccounted": gaps},
        }

    events = [event(colgraph_diagnostics=diagnostics(by)) for by in ("one", "two")]
    assert merge(events[:1]).run_facets[DIAGNOSTICS]["completeness"]["writes"] == 2
    facets = merge(events).run_facets
    found = facets[DIAGNOSTICS]["completeness"]
    assert (found["executions"], found["writes"], found["writesWithoutLineage"]) == (6, 4, 2)
    text = "2 of 4 writes have no lineage: one (7 rows), two (7 rows)"
    assert missing_writes(facets) == text


# of_this_try ----------------------------------------------------------------------------------


def runs(events: list[dict[str, Any]]) -> list[str]:
    return [event["run"]["runId"] for event in events]


def test_a_try_takes_the_runs_that_came_since_it_began() -> None:
    events = [event(run="old", parent="p"), event(run="new", parent="p")]
    chosen = of_this_try(events, seen=frozenset({"old"}), parent="p", submitted=True)
    assert runs(chosen) == ["new"]


def test_a_late_driver_of_another_try_is_distinguished_by_its_parent() -> None:
    events = [event(run="other", parent="try 1"), event(run="new", parent="try 2")]
    chosen = of_this_try(events, seen=frozenset(), parent="try 2", submitted=True)
    assert runs(chosen) == ["new"]


def test_a_run_without_a_parent_counts_when_there_is_no_better_one() -> None:
    chosen = of_this_try([event(run="new")], seen=frozenset(), parent="p", submitted=True)
    assert runs(chosen) == ["new"]


def test_a_run_of_another_parent_never_counts() -> None:
    events = [event(run="new", parent="another task's")]
    assert of_this_try(events, seen=frozenset(), parent="p", submitted=True) == []


def test_a_try_whose_job_never_started_takes_nothing_of_an_earlier_one() -> None:
    events = [event(run="old", parent="p")]
    assert of_this_try(events, seen=frozenset({"old"}), parent="p", submitted=True) == []


def test_a_try_that_found_an_earlier_ones_job_takes_the_last_run() -> None:
    events = [event(run="older"), event(run="old"), event(run="old")]
    seen = frozenset({"older", "old"})
    chosen = of_this_try(events, seen=seen, parent="p", submitted=False)
    assert runs(chosen) == ["old", "old"]


def test_a_count_that_one_write_does_not_tell_is_not_known_of_both() -> None:
    """The size of one write was given out as that of both."""
    merged = merge(
        [
            event(outputs=[dataset("t", outputStatistics={"rowCount": 2, "size": 10})]),
            event(outputs=[dataset("t", outputStatistics={"rowCount": 3, "fileCount": 1})]),
        ]
    )
    assert merged is not None
    (output,) = merged.outputs
    assert output["facets"]["outputStatistics"] == {"rowCount": 5}
