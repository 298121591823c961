"""Statements that users write, by dialect: `cases/*.sql`, each with its whole lineage below it."""

from pathlib import Path

import pytest

from tests.sql.texts import PLACES, found, reported

CASES = Path(__file__).with_name("cases")


def cases() -> list[tuple[str, str, str]]:
    """The dialect, the statements and the lineage of each case."""
    read = []
    for file in sorted(CASES.glob("*.sql")):
        for block in file.read_text().split("\n\n"):
            rows = block.strip().split("\n")
            text = "\n".join(row for row in rows if not row.startswith("--"))
            lineage = "\n".join(row[3:] for row in rows if row.startswith("--"))
            read.append((file.stem, text, lineage))
    return read


@pytest.mark.parametrize(
    ("dialect", "text", "lineage"), [pytest.param(*c, id=f"{c[0]} {c[1][:60]}") for c in cases()]
)
def test_the_lineage_of_a_statement_is_whole(dialect: str, text: str, lineage: str) -> None:
    assert reported(found(text, PLACES[dialect])) == lineage


def test_every_dialect_has_cases() -> None:
    assert {dialect for dialect, _, _ in cases()} == set(PLACES)
