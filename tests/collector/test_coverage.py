"""docs/coverage.md is what the tables and the cases say."""

from dev.coverage import PAGE, page


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "Run python -m dev.coverage."
