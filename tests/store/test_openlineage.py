import zlib
from typing import Any

import pytest

from airflow_colgraph.store.errors import EventError
from airflow_colgraph.store.ingest.openlineage import facts
from airflow_colgraph.store.model.lineage_body import statements, unpack
from tests.store.samples import event, output


def reported_edges(event: dict[str, Any]) -> set[tuple[str, str, tuple[object, ...]]]:
    """All edges in an event: (input, output, transformation)."""
    return {
        (f"{s.input.name}.{s.input.field}", f"{s.output.name}.{s.output.field}", s.transformation)
        for written in facts(event).outputs
        for s in statements(unpack(written.lineage_body.packed))
    }


def facet(fields: dict[str, Any], **more: Any) -> dict[str, Any]:
    out = {"namespace": "n", "name": "out"}
    return event("j", 1, [{**out, "facets": {"columnLineage": {"fields": fields, **more}}}])


A = {"namespace": "n", "name": "in", "field": "a"}
INPUT = ("in.", "out.", ("DATASET", "", False, ""))


def test_column_lineage_1_0_0() -> None:
    fields = {
        "same": {"inputFields": [A], "transformationType": "IDENTITY"},
        "hidden": {
            "inputFields": [A],
            "transformationType": "MASKED",
            "transformationDescription": "sha1(a)",
        },
        "unsaid": {"inputFields": [A]},
        "constant": {"inputFields": []},
    }
    assert reported_edges(facet(fields)) == {
        ("in.a", "out.same", ("DIRECT", "IDENTITY", False, "")),
        ("in.a", "out.hidden", ("DIRECT", "TRANSFORMATION", True, "sha1(a)")),
        ("in.a", "out.unsaid", ("DIRECT", "", False, "")),
        INPUT,
    }


def test_column_lineage_1_2_0() -> None:
    two = [{"type": "DIRECT", "subtype": "AGGREGATION", "masking": True, "description": "count(a)"}]
    two.append({"type": "INDIRECT", "subtype": "CONDITIONAL"})
    found = reported_edges(
        facet(
            {"x": {"inputFields": [{**A, "transformations": two}]}},
            dataset=[{**A, "transformations": [{"type": "INDIRECT", "subtype": "FILTER"}]}],
        )
    )
    assert found == {
        ("in.a", "out.x", ("DIRECT", "AGGREGATION", True, "count(a)")),
        ("in.a", "out.x", ("INDIRECT", "CONDITIONAL", False, "")),
        ("in.a", "out.", ("INDIRECT", "FILTER", False, "")),
        INPUT,
    }


def test_the_lineage_facet_comes_first() -> None:
    a = {**A, "type": "DATASET"}
    entry = {
        "type": "DATASET",
        "namespace": "n",
        "name": "out",
        "inputs": [
            {**a, "transformations": [{"type": "INDIRECT", "subtype": "JOIN"}]},
            {"type": "DATASET", "namespace": "n", "name": "whole"},
        ],
        "fields": {
            "x": {
                "inputs": [{**a, "transformations": [{"type": "DIRECT", "subtype": "IDENTITY"}]}]
            },
            "unknown": {"inputs": [{"type": "DATASET", "namespace": "n", "name": "in"}]},
            "today": {"inputs": [{"type": "JOB"}]},
        },
    }
    both = facet({"x": {"inputFields": [{**A, "field": "wrong"}]}})
    both["inputs"] = [{"namespace": "n", "name": "elsewhere"}]
    both["job"]["facets"] = {"lineage": {"entries": [entry]}}
    assert reported_edges(both) == {
        ("in.a", "out.x", ("DIRECT", "IDENTITY", False, "")),
        ("in.", "out.unknown", ("DIRECT", "", False, "")),
        ("in.a", "out.", ("INDIRECT", "JOIN", False, "")),
        ("whole.", "out.", ("DATASET", "", False, "")),
        INPUT,
    }


def test_what_was_only_planned_is_refused() -> None:
    planned = event("j", 1, [output("out", {"x": "in.a"})])
    planned["run"]["facets"]["colgraph_plan"] = {}
    with pytest.raises(EventError, match=r"^The event is of `colgraph plan`: no such data was"):
        facts(planned)


def test_a_dataset_event_with_the_lineage_facet() -> None:
    lineage = {"inputs": [], "fields": {"x": {"inputs": [{**A, "type": "DATASET"}]}}}
    dataset = {"namespace": "n", "name": "out", "facets": {"lineage": lineage}}
    found = {"eventTime": "2026-11-20T12:00:00Z", "dataset": dataset}
    assert reported_edges(found) == {("in.a", "out.x", ("DIRECT", "", False, "")), INPUT}
    assert facts(found).job is None


def test_columns_are_never_made_up() -> None:
    schemas = {"schema": {"fields": [{"name": "a", "type": "int"}]}}
    reads = event("j", 1, [output("o1", **schemas), output("o2", **schemas)], reads=["i1", "i2"])
    assert reported_edges(reads) == {
        (f"{i}.", f"{o}.", ("DATASET", "", False, "")) for i in ("i1", "i2") for o in ("o1", "o2")
    }


def test_of_several_outputs_each_has_only_its_own_inputs() -> None:
    one, two = output("o1", {"x": "i1.a"}), output("o2", {"x": "i2.a"})
    assert reported_edges(event("j", 1, [one, two], reads=["i1", "i2"])) == {
        ("i1.a", "o1.x", ("DIRECT", "IDENTITY", False, "")),
        ("i2.a", "o2.x", ("DIRECT", "IDENTITY", False, "")),
        ("i1.", "o1.", ("DATASET", "", False, "")),
        ("i2.", "o2.", ("DATASET", "", False, "")),
    }


def test_the_order_within_an_event_does_not_matter() -> None:
    def checksums(*names: str) -> list[bytes]:
        fields = {name: "i1.a, i2.b" if name != "y" else "i2.b, i1.a" for name in names}
        found = facts(event("j", 1, [output("o", fields)], reads=sorted(names)))
        return [written.lineage_body.checksum for written in found.outputs]

    assert checksums("x", "y", "z") == checksums("z", "x", "y")
    assert checksums("x", "y", "z") != checksums("x", "y")


def test_the_checksum_is_of_this_canonical_form() -> None:
    """If this fails, the canonical form has changed: it needs a new `shape.VERSION`."""
    (written,) = facts(event("j", 1, [output("o", {"x": "i.a"}, "i.b INDIRECT:SORT")])).outputs
    assert zlib.decompress(written.lineage_body.packed) == (
        b'{"dataset":[["n","i","b","INDIRECT","SORT",false,""]],'
        b'"fields":[["x",[["n","i","a","DIRECT","IDENTITY",false,""]]]],'
        b'"inputs":[["n","i"]],"operations":[],"output":["n","o"],"schema":null,"v":1}'
    )
    assert written.lineage_body.checksum.hex() == "fc1abd4f7256d0fdf62875e294ecd95e"


def test_operations_are_kept_in_the_order_of_their_names() -> None:
    operations = [{"name": "b.write", "inputs": []}, {"name": "a.read", "outputs": ["x"]}]
    facets = {"colgraph_operations": {"_producer": "p", "operations": operations}}
    (written,) = facts(event("j", 1, [output("o", {"x": ""}, **facets)])).outputs
    assert unpack(written.lineage_body.packed)["operations"] == operations[::-1]


def test_nested_columns_follow_their_parent() -> None:
    columns = [{"name": "s", "type": "struct", "fields": [{"name": "a.b", "type": "int"}]}]
    (written,) = facts(event("j", 1, [output("o", schema={"fields": columns})])).outputs
    assert unpack(written.lineage_body.packed)["schema"] == [["s", "struct"], ["s.a.b", "int"]]


RUN = event("j", 1, [])


@pytest.mark.parametrize(
    ("event", "message"),
    [
        ([], "The event is list. Expected a JSON object."),
        ({}, "The event has no 'eventTime': it is not OpenLineage."),
        ({**RUN, "eventTime": "soon"}, "'eventTime': 'soon' is not a date or time."),
        (
            {"eventTime": RUN["eventTime"]},
            "The event has neither 'job' nor 'dataset': it is not OpenLineage.",
        ),
        ({**RUN, "job": {"name": "x"}}, "'job' has no 'namespace' and 'name'."),
        ({**RUN, "run": {"runId": "seven"}}, "'runId' is 'seven'. Expected a UUID."),
        ({**RUN, "outputs": [3]}, "'outputs[0]' is int. Expected a JSON object."),
        (
            {**RUN, "inputs": [{"namespace": "n"}]},
            "'inputs[0]' has no 'namespace' and 'name'.",
        ),
    ],
)
def test_what_is_no_event_is_reported_in_one_line(event: Any, message: str) -> None:
    with pytest.raises(EventError) as error:
        facts(event)
    assert str(error.value) == message


@pytest.mark.parametrize("broken", [None, 3, "x", [], [3], {"fields": 3}, {"fields": {"x": 3}}])
def test_a_broken_facet_does_not_lose_the_event(broken: Any) -> None:
    names = ("schema", "columnLineage", "lineage", "symlinks", "colgraph_operations")
    facets = dict.fromkeys((*names, "lifecycleStateChange", "colgraph_properties"), broken)
    one = {"namespace": "n", "name": "o", "facets": facets}
    found = event("j", 1, [one], airflow=broken, parent=broken)
    found["inputs"] = [one]
    found["job"]["facets"] = {"lineage": broken}
    assert [written.output.name for written in facts(found).outputs] == ["o"]


def test_nul_is_replaced() -> None:
    """PostgreSQL refuses it in texts."""
    (written,) = facts(event("j", 1, [output("a\0b", {"x": ""})])).outputs
    assert written.output.name == "a\ufffdb"


@pytest.mark.parametrize(
    ("change", "producer", "replaces"),
    [
        ("OVERWRITE", "urn:airflow-colgraph:0.1.0", True),
        ("CREATE", "urn:airflow-colgraph:0.1.0", True),
        ("DROP", "dbt", True),
        ("ALTER", "dbt", False),
        (None, "urn:airflow-colgraph:0.1.0", False),
        (None, "https://github.com/OpenLineage/OpenLineage/tree/1.53.0/integration/spark", False),
        (None, "dbt", True),
    ],
)
def test_which_writes_replace_what_was_there(
    change: str | None, producer: str, replaces: bool
) -> None:
    one = output("o", {"x": "i.a"})
    one["facets"]["columnLineage"]["_producer"] = producer
    if change:
        one["facets"]["lifecycleStateChange"] = {"lifecycleStateChange": change}
    (written,) = facts(event("j", 1, [one])).outputs
    assert written.replaces is replaces


def test_files_that_are_added_to_a_table_replace_nothing() -> None:
    """`LOAD DATA` knows no columns, so its event has no `columnLineage` that names the producer."""
    loaded = {"namespace": "file", "name": "o", "facets": {"storage": {"storageLayer": "hive"}}}
    loaded["facets"]["storage"]["_producer"] = "urn:airflow-colgraph:0.1.0"
    (written,) = facts(event("j", 1, [loaded])).outputs
    assert not written.replaces
