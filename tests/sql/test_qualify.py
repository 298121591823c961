"""A second opinion on each case: its names, stars and aliases are resolved by sqlglot's `qualify`.

The sources of its columns must then be the same, or DIFFERENT has the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify import qualify
from sqlglot.schema import MappingSchema

from airflow_colgraph.sql import script
from airflow_colgraph.sql.database import Place
from airflow_colgraph.sql.parse import statements
from tests.sql.texts import PLACES, by_dialect, schemas

CASES = [(dialect, text) for dialect, cases in by_dialect().items() for text, _ in cases]
ROWS = "a whole row under the name of its table is left as a column that nothing has"
FILES = "a file becomes a table of the default schema"
KEYS = "a column of USING becomes COALESCE of both sides, also where the left one is always there"
MEMBERS = "the members of a struct become a column called *"
CHANGES = "a statement that changes rows is no common table expression"
FORWARD = "RECURSIVE does not let an expression read a later one"
ITSELF = (
    "only RECURSIVE makes an expression recursive; this dialect has no such word, or needs none"
)
PSEUDO = "a variable becomes a column"
SCHEMA = "a table with its schema is taken for the expression of its name"
PLACE = "a statement before says in which schema names are"
SEVERAL = "the columns of a function become one"
BARE = "a function without brackets becomes a column"
METHODS = "a method's column is no column"
APART = "here `t.*` is without the columns of USING"
ORDER = "BigQuery's UNPIVOT has the values before the names, as its documentation shows"
REPLACED = "ClickHouse's name behind `* REPLACE` is taken for the column that is replaced"
DIFFERENT = {  # by how the statement begins, with its dialect
    "bigquery insert into mart (id, customer) select id, to_json_string(t)": ROWS,
    "databricks create table made as select a from csv.": FILES,
    "duckdb create table made as select a, b as c from 'x.csv'": FILES,
    "databricks create table made as select state.*": MEMBERS,
    "postgres create table made as select * from raw natural join orders": KEYS,
    "postgres create table made as select * from raw left join orders using (id)": KEYS,
    "postgres with moved as (delete": CHANGES,
    "postgres with d as (delete from raw r returning": CHANGES,
    "postgres create table made as with recursive a as (select id from b), b": FORWARD,
    "snowflake create table made as with orders as (select id, v from archive": ITSELF,
    "tsql create table made as with orders as (select id, v from archive": ITSELF,
    "tsql with t(n, p) as (select id, cid from orders": ITSELF,
    "tsql exec sp_executesql n'select @r = max(id)": PSEUDO,
    "bigquery create table public.x as select r.* from (select array_agg(t": ROWS,
    "postgres create table x as with recursive orders as (select id, v from raw": SCHEMA,
    "trino create table x as select l.*, r.* from prev.items": APART,
    "bigquery set @@dataset_id": PLACE,
    "databricks set catalog": PLACE,
    "spark use lake.db; insert into t": PLACE,
    "databricks create table x as select id, inline(": SEVERAL,
    "databricks create table made as select id, posexplode(": SEVERAL,
    "databricks create table made as select stack(2, 'a', id, 'b', amount), customer": SEVERAL,
    "databricks create table made as select inline(array(struct(amount as a": SEVERAL,
    "duckdb set schema": PLACE,
    "oracle alter session set current_schema": PLACE,
    "teradata set session database": PLACE,
    "postgres create table made as select user": BARE,
    "clickhouse create table out1 engine = memory as select * replace (amount + 1 as id)": REPLACED,
    "tsql insert into mart (id, total) select id, amt from (delete": CHANGES,
    "tsql insert into mart (id) select d.id from (delete": CHANGES,
    "oracle create table made as select r.state.extract": METHODS,
    "oracle begin select max(id) into v": PSEUDO,
    "oracle declare v number := 5; begin insert": PSEUDO,
    "tsql declare @x int; select @x = max(id)": PSEUDO,
    "tsql declare @x int select @x = max(id)": PSEUDO,
    "bigquery create table made as select * from raw unpivot (": ORDER,
    "bigquery create table public.x as select * from public.raw unpivot (": ORDER,
    "bigquery insert into other select * except (customer, state) from raw unpivot": ORDER,
}


TEMPORARY = re.compile(
    r"\b(?:(?:cache|temp(?:orary)?)\s+(?:recursive\s+)?(?:(?:table|view)\s+)?(?!pg_temp|_session)"
    r"|(?:pg_temp|_session)\.)(\w+)",
    re.I,
)


def qualified(
    node: exp.Expression, place: Place, schema: MappingSchema, temporary: set[str]
) -> exp.Expression:
    """The statement with the names of its query resolved; as it is where sqlglot cannot."""
    query = node if isinstance(node, exp.Query) else node.expression
    is_made = isinstance(node, (exp.Create, exp.Insert, exp.Query))
    if not is_made or not isinstance(query, exp.Query):
        return node
    node = node.copy()
    query = node if isinstance(node, exp.Query) else node.expression
    clause = node.args.get("with_")
    if clause is not None and query is not node:
        query.set("with_", clause)
        node.set("with_", None)
    options = {"validate_qualify_columns": False, "expand_alias_refs": False}
    named = {"catalog": place.catalog or None, "db": place.schema or None}
    try:
        query = qualify(
            query, schema=schema, dialect=place.dialect, quote_identifiers=False, **options, **named
        )
    except SqlglotError:
        return node
    for table in query.find_all(exp.Table):  # a temporary one has no schema
        if table.name.casefold() in temporary and table.db == place.schema:
            table.set("db", None)
            table.set("catalog", None)
    if isinstance(node, exp.Query):
        return query
    node.set("expression", query)
    return node


def sources(found: script.ScriptLineage) -> Iterator[tuple[Any, ...]]:
    """The sources of each column by its place; cases differ where a dialect folds them."""
    for write in found.writes:
        for at, (_, inputs) in enumerate(write.relation.columns if write.relation else ()):
            for source, _ in inputs:
                table = tuple(part.casefold() for part in source.table)
                yield (write.table, at, table, source.column.casefold())


def nested(place: Place) -> dict[str, Any]:
    """The tables as sqlglot has them."""
    found: dict[str, Any] = {}
    for name, columns in schemas(place).items():
        inner = found
        for part in name[:-1]:
            inner = inner.setdefault(part, {})
        inner[name[-1]] = dict.fromkeys(columns, "text")
    return found


@pytest.mark.parametrize(("dialect", "text"), CASES)
def test_the_sources_are_those_of_names_that_sqlglot_has_resolved(
    dialect: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each case was written by whoever wrote the rules; nobody else had read it."""
    place = PLACES[dialect]
    schema = MappingSchema(nested(place), dialect=dialect, normalize=False)
    ours = script.script(text, place, schemas(place))
    temporary = {name.casefold() for name in TEMPORARY.findall(text)}
    trees = [qualified(node, place, schema, temporary) for node in statements(text, dialect)]
    monkeypatch.setattr(script, "statements", lambda *_: trees)
    theirs = script.script(text, place, schemas(place))
    if theirs.unresolved or theirs.opaque:
        return
    told = f"{dialect} {' '.join(text.lower().split())}"
    reason = next((why for start, why in DIFFERENT.items() if told.startswith(start)), "")
    assert (set(sources(ours)) == set(sources(theirs))) is (not reason), reason or text
