"""Every test of the incumbent's catalogue is one of ours, by its id."""

import re
from pathlib import Path

import pytest

from tests.collector.catalogue import CATALOGUE

ROOT = Path(__file__).parents[2]
COUNTS = {"T": 21, "L": 4, "I": 14, "D": 1, "H": 3, "M": 1, "E": 13, "U": 10}
IDS = [f"{prefix}{number + 1}" for prefix, count in COUNTS.items() for number in range(count)]


def test_every_id_is_there() -> None:
    assert list(CATALOGUE) == IDS


@pytest.mark.parametrize("id", IDS)
def test_an_id_has_its_case_or_a_reason(id: str) -> None:
    row = CATALOGUE[id]
    if not row.where:
        assert row.deviation
        return
    names = named(ROOT / row.where)
    assert re.search(rf"(?<![a-z0-9]){id}(?![0-9])", names, re.IGNORECASE), f"{id}: {row.where}"


NAMES = ("-- title: ", "def ", '"""', '    "')  # how a line with a name in it begins


def named(file: Path) -> str:
    """The titles of cases, the names of tests, and the names that their tables give."""
    return "\n".join(line for line in file.read_text().splitlines() if line.startswith(NAMES))
