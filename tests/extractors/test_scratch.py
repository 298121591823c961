from airflow_colgraph.extractors.scratch import without_scratch
from airflow_colgraph.extractors.task_lineage import Lineage, merge
from airflow_colgraph.store.model.name_pattern import name_pattern
from tests.extractors.test_task_lineage import columns, dataset

STAGE = name_pattern("^stage")


def made(field: str, *steps: str) -> dict[str, object]:
    """An input field such as `raw.a` with steps such as `DIRECT:IDENTITY masking`."""
    name, _, column = field.partition(".")
    transformations = []
    for step in steps:
        how, _, masking = step.partition(" ")
        kind, subtype = how.split(":")
        transformations.append(
            {"type": kind, "subtype": subtype, "description": "", "masking": bool(masking)}
        )
    return {"namespace": "file", "name": name, "field": column, "transformations": transformations}


ID, TR, AGG = "DIRECT:IDENTITY", "DIRECT:TRANSFORMATION", "DIRECT:AGGREGATION"
FILTER, JOIN, COND = "INDIRECT:FILTER", "INDIRECT:JOIN", "INDIRECT:CONDITIONAL"


def lineage(*outputs: dict[str, object], inputs: tuple[str, ...] = ("raw",)) -> Lineage:
    return Lineage([dataset(name) for name in inputs], list(outputs), {})


def text(found: Lineage) -> dict[str, dict[str, list[str]]]:
    lines: dict[str, dict[str, list[str]]] = {}
    for output in found.outputs:
        facet = output["facets"].get("columnLineage", {"fields": {}})
        columns = {name: field["inputFields"] for name, field in facet["fields"].items()}
        columns["*"] = facet.get("dataset") or []
        lines[output["name"]] = {
            column: [
                f"{entry['name']}.{entry['field']} {t['type']}:{t['subtype']}"
                + " masking" * t["masking"]
                for entry in entries
                for t in entry["transformations"]
            ]
            for column, entries in columns.items()
            if entries
        }
    return lines


def test_what_is_made_of_it_is_made_of_its_inputs() -> None:
    found = without_scratch(
        lineage(
            dataset("stage", columnLineage=columns(made("raw.day", FILTER), a=[made("raw.a", TR)])),
            dataset("mart", columnLineage=columns(made("stage.a", JOIN), b=[made("stage.a", ID)])),
        ),
        STAGE,
    )
    assert text(found) == {
        "mart": {
            "b": ["raw.a DIRECT:TRANSFORMATION"],
            "*": ["raw.a INDIRECT:JOIN", f"raw.day {FILTER}"],
        }
    }


def test_the_steps_compose_by_openlineages_rule() -> None:
    def step(outer: str, inner: str) -> list[str]:
        found = without_scratch(
            lineage(
                dataset("stage", columnLineage=columns(a=[made("raw.a", inner)])),
                dataset("mart", columnLineage=columns(b=[made("stage.a", outer)])),
            ),
            STAGE,
        )
        return [line.partition(" ")[2] for line in text(found)["mart"]["b"]]

    assert step(ID, ID) == [ID]
    assert step(ID, AGG) == step(AGG, ID) == step(AGG, TR) == [AGG]
    assert step(COND, AGG) == [COND]
    assert step(AGG, COND) == [COND]
    assert step(JOIN, COND) == [JOIN]
    assert step(ID, f"{TR} masking") == step(f"{TR} masking", ID) == [f"{TR} masking"]


def test_it_goes_through_several_and_through_two_that_are_written_in_turns() -> None:
    found = without_scratch(
        lineage(
            dataset("stage1", columnLineage=columns(a=[made("raw.a", ID), made("stage2.a", TR)])),
            dataset("stage2", columnLineage=columns(a=[made("stage1.a", ID), made("raw.b", ID)])),
            dataset("mart", columnLineage=columns(a=[made("stage2.a", AGG)])),
        ),
        STAGE,
    )
    assert {k: {n: sorted(v) for n, v in of.items()} for k, of in text(found).items()} == {
        "mart": {"a": [f"raw.a {AGG}", f"raw.b {AGG}"]}
    }


def test_only_scratch_that_was_written_first_and_read_again_is_left_out() -> None:
    stage = dataset("stage", columnLineage=columns(a=[made("raw.a", ID)]))
    unread = lineage(stage, dataset("mart", columnLineage=columns(b=[made("raw.a", ID)])))
    reader = dataset("mart", columnLineage=columns(b=[made("stage.a", ID)]))
    before = lineage(stage, reader, inputs=("raw", "stage"))
    partly = lineage(stage, dataset("mart", columnLineage=columns(b=[made("stage.new", ID)])))
    opaque = lineage(dataset("stage"), reader)
    other = lineage(dataset("kept", columnLineage=columns(a=[made("raw.a", ID)])), reader)
    for untouched in (unread, before, partly, opaque, other):
        assert without_scratch(untouched, STAGE) is untouched


def test_other_outputs_and_facets_stay() -> None:
    stage = dataset("stage", columnLineage=columns(a=[made("raw.a", ID)]))
    mart = dataset("mart", schema={"fields": []}, columnLineage=columns(b=[made("stage.a", ID)]))
    plain = dataset("plain", columnLineage=columns(c=[made("raw.c", ID)]))
    found = without_scratch(lineage(stage, mart, plain), STAGE)
    assert found.outputs[1] is plain
    assert found.outputs[0]["facets"]["schema"] == {"fields": []}
    assert merge([]) == Lineage([], [], {})
