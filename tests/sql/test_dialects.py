"""Statements that users write, by dialect: `cases/*.sql`, each with its whole lineage below it."""

import pytest

from tests.sql.texts import PLACES, WITHOUT_SCHEMAS, by_dialect, found, reported

CASES = [(dialect, *case) for dialect, cases in by_dialect().items() for case in cases]
UNKNOWN = [
    (dialect, *case) for dialect, cases in by_dialect(WITHOUT_SCHEMAS).items() for case in cases
]


@pytest.mark.parametrize(
    ("dialect", "text", "lineage"), [pytest.param(*c, id=f"{c[0]} {c[1][:60]}") for c in CASES]
)
def test_the_lineage_of_a_statement_is_whole(dialect: str, text: str, lineage: str) -> None:
    assert reported(found(text, PLACES[dialect])) == lineage


@pytest.mark.parametrize(
    ("dialect", "text", "lineage"), [pytest.param(*c, id=f"{c[0]} {c[1][:60]}") for c in UNKNOWN]
)
def test_what_only_a_schema_can_tell_is_reported(dialect: str, text: str, lineage: str) -> None:
    """Every case above has schemas: a column that may be of two tables was never seen there."""
    assert reported(found(text, PLACES[dialect], known=False)) == lineage


def test_every_dialect_has_cases() -> None:
    assert {dialect for dialect, _, _ in CASES} == set(PLACES)
