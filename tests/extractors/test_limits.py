import orjson
import pytest

from airflow_colgraph.extractors.limits import MOST_NAMED, Limits, cut
from airflow_colgraph.extractors.task_lineage import DIAGNOSTICS, Lineage
from tests.extractors.test_task_lineage import FILTER, IDENTITY, columns, dataset, entry

MANY = 10**9
WIDE = Lineage(
    inputs=[dataset("raw")],
    outputs=[
        dataset(
            "first",
            columnLineage=columns(
                entry("raw.kept", FILTER),
                a=[entry("raw.a", IDENTITY), entry("raw.b", IDENTITY)],
                b=[entry("raw.b", IDENTITY)],
                constant=[],
            ),
        ),
        dataset("second", columnLineage=columns(c=[entry("raw.c", IDENTITY)])),
        dataset("opaque"),
    ],
    run_facets={DIAGNOSTICS: {"truncated": "late", "seconds": 1}},
)


def test_within_the_limit_nothing_is_cut() -> None:
    assert cut(WIDE, Limits(5, MANY), "/sink") is WIDE


def test_above_it_whole_fields_are_left_out_and_the_event_says_so() -> None:
    lineage = cut(WIDE, Limits(3, MANY), "/sink")
    assert lineage.inputs == WIDE.inputs
    assert lineage.outputs == [
        dataset(
            "first",
            columnLineage=columns(
                a=[entry("raw.a", IDENTITY), entry("raw.b", IDENTITY)],
                b=[entry("raw.b", IDENTITY)],
                constant=[],
            ),
        ),
        dataset("second", columnLineage=columns()),
        dataset("opaque"),
    ]
    assert lineage.run_facets == {
        DIAGNOSTICS: {
            "unresolved": [],
            "opaque": [],
            "truncated": "late; max_input_fields is 3, the whole lineage is at /sink",
            "seconds": 1,
            "cut": [
                {"namespace": "file", "name": "first", "fieldsLeftOut": 0, "datasetLeftOut": 1},
                {"namespace": "file", "name": "second", "fieldsLeftOut": 1, "datasetLeftOut": 0},
            ],
            "whole": "/sink",
        }
    }


def test_a_field_is_never_listed_with_a_part_of_its_inputs() -> None:
    first = cut(WIDE, Limits(1, MANY), "/sink").outputs[0]["facets"]["columnLineage"]
    assert first == columns(b=[entry("raw.b", IDENTITY)], constant=[])


def test_a_thousand_columns_of_a_hundred_inputs_are_cut_to_the_limit() -> None:
    inputs = [entry(f"raw.c{i}", IDENTITY) for i in range(100)]
    wide = columns(**{f"o{i}": inputs for i in range(1000)})
    lineage = cut(
        Lineage([], [dataset("wide", columnLineage=wide)], {}), Limits(20_000, MANY), "/sink"
    )
    fields = lineage.outputs[0]["facets"]["columnLineage"]["fields"]
    assert list(fields) == [f"o{i}" for i in range(200)]
    assert sum(len(field["inputFields"]) for field in fields.values()) == 20_000


# Bytes ----------------------------------------------------------------------------------------

OPERATIONS = {"operations": [{"name": "WRITE"}]}
SCHEMA = {"fields": [{"name": "a", "type": "int"}]}
LINEAGE = columns(a=[entry("raw.a", IDENTITY)])
TWO = Lineage(
    inputs=[dataset("raw", schema=SCHEMA), dataset("other", schema=SCHEMA)],
    outputs=[
        dataset(name, columnLineage=LINEAGE, schema=SCHEMA, colgraph_operations=OPERATIONS)
        for name in ("first", "second")
    ],
    run_facets={},
)
LEFT_OUT = [  # one more each time
    "second colgraph_operations",
    "first colgraph_operations",
    "second columnLineage",
    "first columnLineage",
    "other schema",
    "raw schema",
    "second schema",
    "first schema",
    "other",
    "raw",
    "second",
    "first",
]


def size(lineage: Lineage) -> int:
    return len(orjson.dumps([lineage.inputs, lineage.outputs]))


def parts(lineage: Lineage) -> list[str]:
    found = []
    for each in (*lineage.inputs, *lineage.outputs):
        found += [each["name"], *(f"{each['name']} {name}" for name in each["facets"])]
    return found


@pytest.mark.parametrize("count", range(1, len(LEFT_OUT) + 1))
def test_as_much_is_left_out_as_must_be_in_the_order_of_the_rule(count: int) -> None:
    """One byte less than what fits without the first parts costs just the next one."""
    limit, found = size(TWO), TWO
    for _ in range(count):
        limit = size(found) - 1
        found = cut(TWO, Limits(MANY, limit), "/sink")
    assert sorted(set(parts(TWO)) - set(parts(found))) == sorted(LEFT_OUT[:count])
    assert size(found) <= limit or not parts(found)


def test_the_event_says_what_and_where_the_whole_is() -> None:
    found = cut(TWO, Limits(MANY, size(TWO) - 1), "/sink")
    assert found.run_facets[DIAGNOSTICS] == {
        "truncated": f"max_event_bytes is {size(TWO) - 1}, the whole lineage is at /sink",
        "cut": [{"namespace": "file", "name": "second", "facetsLeftOut": 1}],
        "whole": "/sink",
    }


def test_of_the_last_outputs_columns_the_last_go_first() -> None:
    wide = {f"c{n}": [entry(f"raw.a{m}", IDENTITY) for m in range(10)] for n in range(100)}
    output = dataset("wide", schema=SCHEMA, columnLineage=columns(entry("raw.k", FILTER), **wide))
    whole = Lineage([], [output], {})
    found = cut(whole, Limits(MANY, size(whole) // 2), "/sink")
    facet = found.outputs[0]["facets"]["columnLineage"]
    assert list(facet["fields"]) == [f"c{n}" for n in range(len(facet["fields"]))]
    assert facet["dataset"] == [entry("raw.k", FILTER)]
    assert size(whole) // 2 - 2_000 < size(found) <= size(whole) // 2
    (diagnostics,) = found.run_facets[DIAGNOSTICS]["cut"]
    assert diagnostics["fieldsLeftOut"] == 100 - len(facet["fields"])


def test_ten_thousand_small_outputs_are_cut_and_counted() -> None:
    outputs = [
        dataset(f"out-{number}", columnLineage=LINEAGE, schema=SCHEMA) for number in range(10_000)
    ]
    whole = Lineage([dataset("raw", schema=SCHEMA)], outputs, {})
    found = cut(whole, Limits(20_000, 1_000_000), "/sink")
    assert 900_000 < size(found) <= 1_000_000
    diagnostics = found.run_facets[DIAGNOSTICS]
    assert len(diagnostics["cut"]) == MOST_NAMED
    kept = sum("columnLineage" in output["facets"] for output in found.outputs)
    assert (len(found.outputs), kept) == (10_000, 10_000 - MOST_NAMED - diagnostics["cutFurther"])
    assert found.outputs[:kept] == outputs[:kept]
