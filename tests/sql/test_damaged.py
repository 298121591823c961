"""Statements that are cut, or lack a word: they are reported, and end no script."""

import random
from collections.abc import Iterator

import pytest
from sqlglot import Dialect

from airflow_colgraph.sql.script import not_parsed, script, tables_of
from tests.amount import of_all
from tests.sql.texts import PLACES, by_dialect, schemas

HEALTHY = "INSERT INTO aim (id) SELECT b.id FROM base b"
SAMPLE = of_all(8, 2)  # damages of each statement; all of them are 57,000


def damaged(text: str, dialect: str) -> Iterator[str]:
    """The text without its end from each word on, and without each word."""
    for word in Dialect.get_or_raise(dialect).tokenize(text):
        yield text[: word.start]
        yield text[: word.start] + text[word.end + 1 :]


@pytest.mark.sampled
@pytest.mark.parametrize("dialect", PLACES)
def test_a_damaged_statement_ends_no_script(dialect: str) -> None:
    """The statement before it is read as it is without it."""
    place, cases = PLACES[dialect], by_dialect()[dialect]
    (whole,) = script(HEALTHY, place, schemas(place)).writes
    chosen = random.Random(11)
    every = [list(damaged(case, dialect)) for case, _ in cases]
    texts = [text for all_of in every for text in chosen.sample(all_of, min(SAMPLE, len(all_of)))]
    assert len(texts) >= len(cases)
    for text in texts:
        tables_of(text, place)
        first, *_ = script(f"{HEALTHY};\n{text}", place, schemas(place)).writes
        assert (first.table, first.relation) == (whole.table, whole.relation), text


@pytest.mark.parametrize("end", ["id = $", "id = 'a;\n b", "id = 1 /* ; ; ; */ /* a"])
def test_the_statements_before_a_quote_that_does_not_end_are_read(end: str) -> None:
    """No sample had cut a text after its `$`: all of the script was reported as unparsed."""
    place = PLACES["postgres"]
    lineage = script(f"{HEALTHY};\n\nDELETE FROM base WHERE {end}", place, schemas(place))
    assert [write.table[-1] for write in lineage.writes] == ["aim"]
    assert lineage.where == {"Unparsed": ["statement 2, line 3"]}


def test_the_line_of_an_exchange_that_lacks_a_table_is_reported() -> None:
    text, place = f"{HEALTHY};\nEXCHANGE TABLES a AND", PLACES["clickhouse"]
    assert tables_of(text, place) == [("shop", "aim"), ("shop", "base")]
    assert not_parsed(text, place) == [2]
