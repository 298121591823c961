"""Statements that users write, by dialect: `cases/*.sql`, each with its whole lineage below it."""

import pytest

from tests.sql.texts import PLACES, by_dialect, found, reported

CASES = [(dialect, *case) for dialect, cases in by_dialect().items() for case in cases]


@pytest.mark.parametrize(
    ("dialect", "text", "lineage"), [pytest.param(*c, id=f"{c[0]} {c[1][:60]}") for c in CASES]
)
def test_the_lineage_of_a_statement_is_whole(dialect: str, text: str, lineage: str) -> None:
    assert reported(found(text, PLACES[dialect])) == lineage


def test_every_dialect_has_cases() -> None:
    assert {dialect for dialect, _, _ in CASES} == set(PLACES)
