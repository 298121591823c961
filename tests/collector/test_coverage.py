"""docs/coverage.md is what the tables and the cases say."""

import re
from pathlib import Path

from dev.coverage import PAGE, page

ROOT = Path(__file__).parents[2]


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "Run python -m dev.coverage."


def test_what_shows_a_kind_of_task_exists() -> None:
    section = PAGE.read_text(encoding="utf-8").partition("## Tasks\n")[2].partition("\n## ")[0]
    cells = re.findall(r"\| ([^|]*) \|$", section, re.MULTILINE)[2:]  # behind the head of the table
    names = [name for cell in cells for name in cell.split(", ")]
    assert len(cells) > 9
    assert [name for name in names if not (ROOT / name).is_file()] == []
