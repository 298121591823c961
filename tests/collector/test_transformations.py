"""The merging of transformations, by OpenLineage's rules (U1)."""

import pytest

from airflow_colgraph.collector.lineage.transformations import (
    AGGREGATION,
    FILTER,
    GROUP_BY,
    IDENTITY,
    JOIN,
    MASKING,
    TRANSFORMATION,
    TRANSFORMATIONS,
    merge,
    through,
    union,
)

MERGES = {  # the step nearer the output, what was seen below it, and both together
    "U1 identity of identity": (IDENTITY, IDENTITY, IDENTITY),
    "U1 a transformation wins over identity": (TRANSFORMATION, IDENTITY, TRANSFORMATION),
    "U1 and from below as well": (IDENTITY, TRANSFORMATION, TRANSFORMATION),
    "U1 an aggregation wins over a transformation": (TRANSFORMATION, AGGREGATION, AGGREGATION),
    "U1 whichever comes first": (AGGREGATION, TRANSFORMATION, AGGREGATION),
    "U1 what decides below a value still decides": (AGGREGATION, JOIN, JOIN),
    "U1 the nearest that decides keeps its subtype": (FILTER, GROUP_BY, FILTER),
    "U1 and stays one above a value": (FILTER, AGGREGATION, FILTER),
    "U1 masking sticks from below": (TRANSFORMATION, IDENTITY + MASKING, TRANSFORMATION + MASKING),
    "U1 masking sticks through what decides": (FILTER + MASKING, IDENTITY, FILTER + MASKING),
}


@pytest.mark.parametrize("name", MERGES)
def test_a_step_and_what_it_was_made_of(name: str) -> None:
    step, seen, both = MERGES[name]
    assert merge(step, seen) == both
    assert through(step, [{seen: 0b101}]) == {both: 0b101}


def test_masking_is_kept_in_every_pair() -> None:
    for step, one in enumerate(TRANSFORMATIONS):
        for seen, other in enumerate(TRANSFORMATIONS):
            assert TRANSFORMATIONS[merge(step, seen)].masking == (one.masking or other.masking)


def test_several_transformations_of_one_field_stay_separate() -> None:
    assert union([{IDENTITY: 0b1}, {JOIN: 0b1}, {IDENTITY: 0b10}]) == {IDENTITY: 0b11, JOIN: 0b1}
