"""Every statement of cases/*.sql without its schemas: what only they can tell is reported."""

import re

import pytest

from airflow_colgraph.sql.script import ScriptLineage, script
from tests.sql.texts import PLACES, by_dialect, found, lines, schemas

CASES = [(dialect, text) for dialect, cases in by_dialect().items() for text, _ in cases]
REFUSED = "with the other schemas, the database refuses the statement"
ABSENT = "the schemas say that there is no such column"
METHOD = "Oracle calls a method only behind a table's alias; `a.f()` is a package's function"
PATH = "which schema of the path has the table is in the catalog only"
CONSTANT = "a column of a constant, which has a further input where it is also left alone"
EXCHANGED = re.compile(  # tables must have the same columns there, and those of the cases do not
    r"swap.with|exchange|switch|append.from|attach.partition|(swap|move|replace).partition|^rename",
    re.I | re.S,
)
DIFFERENT = {  # by dialect and beginning of the statement
    "databricks create table made as select upper(state) as customer": REFUSED,
    "databricks create table o as select upper(state) as customer": REFUSED,
    "duckdb create table made as select upper(state) as customer": REFUSED,
    "duckdb create table o as select upper(state) as customer": REFUSED,
    "postgres create table made as select upper(state) as customer": REFUSED,
    "postgres create table o as select upper(state) as customer": REFUSED,
    "snowflake create table made as select upper(state) as customer": REFUSED,
    "snowflake create table o as select upper(state) as customer": REFUSED,
    "duckdb create table x as select rowid, filename from raw": ABSENT,
    "postgres insert into mart (id) select id from raw where day": ABSENT,
    "tsql select id, amount into x from raw order by id offset": ABSENT,
    "oracle create table made as select r.state.extract": METHOD,
    "duckdb set schema = 'x'; insert into t (id) select id from u": PATH,
    "tsql merge mart with (holdlock)": CONSTANT,
    "postgres create table m as select id from raw join orders on raw.id = orders.id": REFUSED,
    "postgres create table made as with recursive orders as (select id, cid": ABSENT,
}


def reason(dialect: str, text: str) -> str:
    """Why a statement means something else without schemas, or nothing."""
    told = f"{dialect} {' '.join(text.lower().split())}"
    return next((why for start, why in DIFFERENT.items() if told.startswith(start)), "")


def edges(lineage: ScriptLineage) -> set[tuple[str, str]]:
    """The lines of a script's lineage, each with the table that is written."""
    rows, table = set(), ""
    for line in lines(lineage).casefold().split("\n"):
        table = table if line.startswith(" ") else line.split(" ")[0]
        rows.add((table, line))
    return rows


def is_left_alone(table: str, line: str) -> bool:
    """Whether it is a column that a write leaves as it is: only its schema can name it."""
    column = line.strip().split(" ")[0]
    return line == f"  {column} <- {table}.{column} identity"


def without_some(dialect: str, text: str) -> list[ScriptLineage]:
    """The lineage without any schema, and without that of each table in the text."""
    place = PLACES[dialect]
    tables = {} if EXCHANGED.search(text) else schemas(place)
    named = [table for table in tables if table[-1].casefold() in text.casefold()]
    partly = ({name: tables[name] for name in tables if name != table} for table in named)
    return [script(text, place, some) for some in ({}, *partly)]


@pytest.mark.parametrize(
    ("dialect", "text"), [pytest.param(*case, id=f"{case[0]} {case[1][:60]}") for case in CASES]
)
def test_lineage_without_schemas_is_the_same_or_reported(dialect: str, text: str) -> None:
    whole = edges(found(text, PLACES[dialect]))
    different: set[tuple[str, str]] = set()
    for lineage in without_some(dialect, text):
        if not (lineage.unresolved or lineage.opaque):
            different |= edges(lineage) - whole
            different |= {row for row in whole - edges(lineage) if not is_left_alone(*row)}
    assert bool(different) is bool(reason(dialect, text)), sorted(different)


def test_most_statements_need_no_schema() -> None:
    """The test above compares nothing where something is reported."""
    lineages = [found(text, PLACES[dialect], known=False) for dialect, text in CASES]
    whole = [lineage for lineage in lineages if not (lineage.unresolved or lineage.opaque)]
    assert len(whole) > len(CASES) * 0.6
    assert all(any(reason(*case) == why for case in CASES) for why in DIFFERENT.values())
