"""Every test of OpenLineage's own tests of Spark column lineage is one of ours, by its id.

The table is in docs/coverage.md. The ids: T transformation types, L the form with INDIRECT edges
inside each field, I Iceberg, D Delta, H Hive, M in-memory, E whole events, U single units.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COUNTS = {"T": 21, "L": 4, "I": 14, "D": 1, "H": 3, "M": 1, "E": 13, "U": 10}
IDS = [f"{prefix}{number + 1}" for prefix, count in COUNTS.items() for number in range(count)]


ROW = re.compile(r"^\| ([A-Z]\d+) \| .* \| (.*) \| (.*) \|$", re.MULTILINE)
PLACES = {
    id: (where.strip(), deviation.strip())
    for id, where, deviation in ROW.findall((ROOT / "docs" / "coverage.md").read_text("utf-8"))
}


def test_every_id_is_there() -> None:
    assert list(PLACES) == IDS


@pytest.mark.parametrize("id", IDS)
def test_an_id_has_its_case_or_a_reason(id: str) -> None:
    where, deviation = PLACES[id]
    if not where:
        assert deviation
        return
    names = named(ROOT / where)
    assert re.search(rf"(?<![a-z0-9]){id}(?![0-9])", names, re.IGNORECASE), f"{id}: {where}"


NAMES = ("-- title: ", "def ", '"""', '    "')  # how a line with a name in it begins


def named(file: Path) -> str:
    """The titles of cases, the names of tests, and the names that their tables give."""
    return "\n".join(line for line in file.read_text().splitlines() if line.startswith(NAMES))
