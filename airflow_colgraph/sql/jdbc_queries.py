"""Events in which a query that Spark had a database run is replaced by the tables it reads. Pure.

Spark knows only the columns of such a query, so the collector reports the query itself as a dataset
called `query:...` with its text. `resolved` puts the tables that the text reads in its place, with
the transformations, joins and filters that happened in the database.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from sqlglot import exp

from airflow_colgraph.openlineage.input_fields import united
from airflow_colgraph.openlineage.transformations import merge
from airflow_colgraph.sql.database import Database, Place
from airflow_colgraph.sql.facets import with_findings
from airflow_colgraph.sql.parse import has_dialect, statements
from airflow_colgraph.sql.queries import query
from airflow_colgraph.sql.relation import Findings, Relation, base_table
from airflow_colgraph.sql.scope import Environment, Scope
from airflow_colgraph.sql.transformations import NONE, Inputs, Source, Step

Json = dict[str, Any]
INPUT_FIELD = ("namespace", "name", "field", "transformations")


class Lineage(NamedTuple):
    """What each column of a query comes from, and what affects its rows."""

    columns: dict[str, Inputs]
    rows: Inputs
    findings: Findings  # the tables that are read, and what could not be told


class _AnyTable(Database):
    """Tables by the names that the text has, whose schemas are unknown."""

    def lookup(self, parts: tuple[str, ...]) -> Relation:
        """A table that has any column."""
        self.findings.read(parts)
        return base_table(parts, None)


def lineage(text: str, dialect: str, columns: Iterable[str] = ()) -> Lineage | None:
    """The lineage of a query, or None where the text can't be read.

    `columns` are the query's own, by position: those that a `*` over one table stands for.
    """
    names = list(columns)
    if not has_dialect(dialect):
        return None
    nodes = statements(text, dialect)
    node = nodes[0] if len(nodes) == 1 else None
    if not isinstance(node, exp.Query) or not node.selects:
        return None
    database = _AnyTable(Place(dialect))
    scope = Scope(Environment(database.lookup, database.findings, _no_statement), query)
    try:
        relation = query(node, scope)
    except RecursionError:
        return None
    if names and _is_of_one_table(relation):
        database.findings.unresolved.pop("Star", None)
    return Lineage(_columns(relation, names), relation.rows, database.findings)


def _is_of_one_table(relation: Relation) -> bool:
    """Whether a column that is not listed can only be one of a single table."""
    return bool(relation.table) or (
        len(relation.behind) == 1 and _is_of_one_table(*relation.behind)
    )


def _no_statement(node: exp.Expr, scope: Scope) -> Relation:
    return Relation(everything=NONE)


def _columns(relation: Relation, names: list[str]) -> dict[str, Inputs]:
    """The columns under the names that Spark has for them."""
    if relation.is_open:  # a star
        return {name: relation.column(name) or NONE for name in names}
    if names and len(names) == len(relation.columns):
        inputs = (of for _, of in relation.columns)
        return dict(zip(names, inputs, strict=True))
    return dict(relation.columns)


TWO_LEVELS = ("mysql:", "clickhouse:")  # there a name of two parts is whole
DIALECTS = {"postgresql": "postgres", "sqlserver": "tsql", "jtds": "tsql", "ch": "clickhouse"}


class Text(NamedTuple):
    """A query that stands in an event as a dataset of its own."""

    namespace: str
    database: str
    lineage: Lineage

    def table(self, parts: tuple[str, ...]) -> tuple[str, str]:
        """The dataset of a table that the text names."""
        whole = self.namespace.startswith(TWO_LEVELS) and len(parts) > 1
        named = parts if whole or not self.database else (self.database, *parts)
        if self.namespace.startswith("snowflake:"):  # a name may bring its own schema, database
            named = (*self.database.split(".")[: max(0, 3 - len(parts))], *parts)
        return self.namespace, ".".join(named)


def resolved(event: Json) -> Json:
    """An OpenLineage event whose JDBC queries are replaced by the tables that they read."""
    texts: dict[tuple[str, str], Text] = {}
    inputs: dict[tuple[str, str], Json] = {}
    for item in event.get("inputs") or ():
        text = _text(item)
        if text is None:
            inputs.setdefault((item["namespace"], item["name"]), item)
            continue
        texts[(item["namespace"], item["name"])] = text
        for table in sorted(text.lineage.findings.reads):
            space, name = text.table(table)
            inputs.setdefault((space, name), {"namespace": space, "name": name, "facets": {}})
    if not texts:
        return event
    outputs = [_with_tables(output, texts) for output in event.get("outputs") or ()]
    run = event.get("run") or {}
    for text in texts.values():
        run = with_findings(run, text.lineage.findings)
    return {**event, "run": run, "inputs": list(inputs.values()), "outputs": outputs}


def _text(item: Json) -> Text | None:
    """The query behind an input dataset, if it is one and can be read."""
    facets = item.get("facets") or {}
    pairs = (facets.get("colgraph_properties") or {}).get("options") or ()
    options = {str(pair.get("name")): str(pair.get("value")) for pair in pairs}
    if not item["name"].startswith("query:") or "query" not in options:
        return None
    names = [field["name"] for field in (facets.get("schema") or {}).get("fields") or ()]
    own = lineage(options["query"], dialect_of(options.get("url", "")), names)
    return own and Text(item["namespace"], options.get("database", ""), own)


def dialect_of(url: str) -> str:
    """sqlglot's name of the dialect behind a JDBC URL: the word after `jdbc:`."""
    match = re.match(r"(?:jdbc:)?(\w+)", url)
    word = match.group(1).lower() if match else ""
    return DIALECTS.get(word, word)


def _with_tables(output: Json, texts: Mapping[tuple[str, str], Text]) -> Json:
    facets = output.get("facets") or {}
    facet = facets.get("columnLineage")
    if not facet:
        return output
    fields = {
        name: {**entry, "inputFields": _replaced(entry.get("inputFields") or (), texts)}
        for name, entry in (facet.get("fields") or {}).items()
    }
    rows = [*(facet.get("dataset") or ())]
    for text in texts.values():
        rows += [_input(text, source, step) for source, step in sorted(text.lineage.rows)]
    changed = {**facet, "fields": fields, "dataset": _replaced(rows, texts)}
    return {**output, "facets": {**facets, "columnLineage": changed}}


def _replaced(items: Iterable[Json], texts: Mapping[tuple[str, str], Text]) -> list[Json]:
    """Input fields, those of a query replaced by the columns that it reads; each once."""
    entries: list[Json] = []
    for item in items:
        text = texts.get((item["namespace"], item["name"]))
        entries += [item] if text is None else _inner(text, item)
    plain = ({key: entry.get(key) for key in INPUT_FIELD} for entry in entries)
    return sorted(united(plain), key=lambda entry: [entry[key] for key in INPUT_FIELD[:3]])


def _inner(text: Text, item: Json) -> list[Json]:
    """The columns behind one field of a query, each by all the ways it goes."""
    outer = [
        Step(step["type"], step.get("subtype") or "TRANSFORMATION", bool(step.get("masking")))
        for step in item.get("transformations") or ()
    ]
    inner = text.lineage.columns.get(item["field"], NONE)
    merged = {(source, merge(step, seen)) for source, seen in inner for step in outer}
    return [_input(text, source, step) for source, step in sorted(merged)]


def _input(text: Text, source: Source, step: Step) -> Json:
    space, name = text.table(source.table)
    plain = {**step._asdict(), "description": ""}
    return {"namespace": space, "name": name, "field": source.column, "transformations": [plain]}
