"""OpenLineage events of every form, and what is wrong in them: strategies of hypothesis."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

from airflow_colgraph.store.model.runs import STATES
from tests.store.samples import at, run_id

Json = Any
Path = tuple[str | int, ...]

NAMES = st.sampled_from(
    ["n", "raw", "mart", "a.b", "a:b/c", "ü", "'; --", "%_\\", "\u2028", "x" * 3000]
)
TIMES = st.sampled_from(
    [at(1), at(2), "2026-11-20", "0001-01-01T00:00:00Z", "2026-11-20T10:00:00+14:00"]
)
RUNS = st.integers(1, 5).map(run_id)


def _some(**parts: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """An object with some of the parts."""
    return st.fixed_dictionaries({}, optional=parts)


TRANSFORMATIONS = st.lists(
    _some(
        type=st.sampled_from(["DIRECT", "INDIRECT", "other"]),
        subtype=st.sampled_from(["IDENTITY", "FILTER", ""]),
        masking=st.booleans(),
        description=NAMES,
    ),
    max_size=2,
)
INPUT = st.fixed_dictionaries(
    {"namespace": NAMES, "name": NAMES, "field": NAMES},
    optional={"transformations": TRANSFORMATIONS},
)
INPUTS = st.lists(INPUT, max_size=2)
COLUMN = st.fixed_dictionaries({"name": NAMES, "type": NAMES})
COLUMNS = st.lists(
    st.one_of(
        COLUMN, st.fixed_dictionaries({"name": NAMES, "fields": st.lists(COLUMN, max_size=2)})
    ),
    max_size=3,
)
COLUMN_LINEAGE = _some(
    fields=st.dictionaries(NAMES, _some(inputFields=INPUTS, transformationType=NAMES), max_size=2),
    dataset=INPUTS,
    _producer=st.sampled_from(["urn:airflow-colgraph:0.1.0", "dbt"]),
)
LINEAGE_INPUTS = st.lists(
    st.fixed_dictionaries(
        {"namespace": NAMES, "name": NAMES}, optional={"type": st.just("DATASET"), "field": NAMES}
    ),
    max_size=2,
)
LINEAGE = _some(
    inputs=LINEAGE_INPUTS, fields=st.dictionaries(NAMES, _some(inputs=LINEAGE_INPUTS), max_size=2)
)
JOB_LINEAGE = _some(
    entries=st.lists(
        st.fixed_dictionaries(
            {"type": st.just("DATASET"), "namespace": NAMES, "name": NAMES},
            optional={"inputs": LINEAGE_INPUTS},
        ),
        max_size=2,
    )
)


def _named(name: str, **parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """An object with a name, and some of the other parts."""
    return st.fixed_dictionaries({name: NAMES}, optional=parts)


DATASET_FACETS = _some(
    schema=_some(fields=COLUMNS),
    columnLineage=COLUMN_LINEAGE,
    lineage=LINEAGE,
    documentation=_some(description=NAMES),
    ownership=_some(owners=st.lists(_named("name", type=NAMES), max_size=2)),
    tags=_some(tags=st.lists(_named("key", value=NAMES, field=NAMES), max_size=2)),
    symlinks=_some(
        identifiers=st.lists(st.fixed_dictionaries({"namespace": NAMES, "name": NAMES}), max_size=2)
    ),
    lifecycleStateChange=_some(lifecycleStateChange=st.sampled_from(["OVERWRITE", "ALTER"])),
    colgraph_operations=_some(
        operations=st.lists(_some(name=NAMES, type=NAMES, inputs=st.lists(NAMES)), max_size=2)
    ),
    colgraph_properties=_some(
        format=NAMES, options=st.lists(_some(name=st.just("query"), value=NAMES), max_size=1)
    ),
    outputStatistics=_some(rowCount=st.integers(0, 2**63)),
)
DATASET = st.fixed_dictionaries(
    {"namespace": NAMES, "name": st.one_of(NAMES, st.just("query:1"))},
    optional={
        "facets": DATASET_FACETS,
        "inputFacets": DATASET_FACETS,
        "outputFacets": DATASET_FACETS,
    },
)
JOB = st.fixed_dictionaries(
    {"namespace": NAMES, "name": NAMES}, optional={"facets": _some(lineage=JOB_LINEAGE)}
)
AIRFLOW = _some(
    dag=_some(dag_id=NAMES),
    dagRun=_some(run_id=NAMES),
    task=_some(task_id=NAMES),
    taskInstance=_some(try_number=st.integers(0, 9), map_index=st.integers(-1, 9)),
)
RUN = st.fixed_dictionaries(
    {"runId": RUNS},
    optional={
        "facets": _some(
            airflow=AIRFLOW,
            airflowDagRun=AIRFLOW,
            parent=st.fixed_dictionaries(
                {"run": st.fixed_dictionaries({"runId": RUNS}), "job": JOB}
            ),
        )
    },
)
EVENTS = st.one_of(
    st.fixed_dictionaries(
        {"eventTime": TIMES, "run": RUN, "job": JOB},
        optional={
            "eventType": st.sampled_from(STATES),
            "inputs": st.lists(DATASET, max_size=2),
            "outputs": st.lists(DATASET, max_size=2),
        },
    ),
    st.fixed_dictionaries(
        {"eventTime": TIMES, "job": JOB}, optional={"outputs": st.lists(DATASET, max_size=2)}
    ),
    st.fixed_dictionaries({"eventTime": TIMES, "dataset": DATASET}),
)


def nested(levels: int, array: bool) -> Json:
    """A value that many levels deep."""
    value: Json = "core"
    for _ in range(levels):
        value = [value] if array else {"a": value}
    return value


ODD = st.one_of(
    st.sampled_from([None, True, False, "", [], {}, [[]], [None], {"": None}, {"name": None}]),
    st.sampled_from([0, -1, 2**15, 2**31, 2**63 - 1, 2**63, 2**64, -(2**63) - 1, 10**400]),
    st.sampled_from([1.5, 1e308, float("inf"), float("-inf"), float("nan")]),
    st.sampled_from(
        ["\0", "a\0b", "\ud800", "\udfff x", "\uffff", "\n", "😀", "9999-12-31T23:59:59-14:00"]
    ),
    st.sampled_from(
        ["0001-01-01T00:00:00+14:00", "2026-02-30T00:00:00Z", "2026-11-20T10:00:00+99:99"]
    ),
    st.builds(nested, st.sampled_from([50, 97, 101, 260, 400]), st.booleans()),
    st.dictionaries(st.sampled_from(["\0", "\ud800", "name", "facets"]), st.none(), max_size=2),
    st.text(max_size=20),
)


def paths(value: Json, path: Path = ()) -> Iterator[Path]:
    """The place of each part of a value."""
    yield path
    if isinstance(value, dict | list):
        parts = value.items() if isinstance(value, dict) else enumerate(value)
        for key, part in parts:
            yield from paths(part, (*path, key))


def replaced(value: Json, path: Path, part: Json) -> Json:
    """The value with another part in a place."""
    if not path:
        return part
    found = copy.copy(value)
    found[path[0]] = replaced(value[path[0]], path[1:], part)
    return found


@st.composite
def mutated(draw: st.DrawFn) -> Json:
    """An event, or one with odd values in up to two places."""
    event = draw(EVENTS)
    for _ in range(draw(st.integers(0, 2))):
        places = [path for path in paths(event) if len(path) < 20]
        event = replaced(event, draw(st.sampled_from(places)), draw(ODD))
    return event
