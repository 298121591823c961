"""The column lineage of SQL text that Spark had a database run, found by sqlglot. Pure.

Spark knows only the columns of such a query, so the collector reports the query itself as a dataset
called `query:...` with its text. `resolved` puts the tables that the text reads in its place, with
the transformations, joins and filters that happened in the database.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify_tables import qualify_tables
from sqlglot.optimizer.scope import Scope, build_scope

Json = dict[str, Any]


class Source(NamedTuple):
    """A column of a table, by the table's name as the text has it."""

    table: tuple[str, ...]
    column: str


class Step(NamedTuple):
    """One transformation, as in OpenLineage's columnLineage facet."""

    type: str
    subtype: str
    masking: bool = False


Inputs = frozenset[tuple[Source, Step]]
NONE: Inputs = frozenset()

DIRECT = ("IDENTITY", "TRANSFORMATION", "AGGREGATION")  # weakest first
IDENTITY = Step("DIRECT", "IDENTITY")
TRANSFORMATION = Step("DIRECT", "TRANSFORMATION")
AGGREGATION = Step("DIRECT", "AGGREGATION")
CONDITIONAL, FILTER, GROUP_BY, JOIN, SORT, WINDOW = (
    Step("INDIRECT", name)
    for name in ("CONDITIONAL", "FILTER", "GROUP_BY", "JOIN", "SORT", "WINDOW")
)
MASKING = (exp.Count, exp.MD5, exp.MD5Digest, exp.SHA, exp.SHA2)
RANKS = (exp.RowNumber, exp.Rank, exp.DenseRank, exp.PercentRank, exp.CumeDist, exp.Ntile)


class Lineage(NamedTuple):
    """What each column of a query is made of, and what decides on its rows."""

    columns: dict[str, Inputs]
    rows: Inputs = NONE


def merge(step: Step, seen: Step) -> Step:
    """What `seen` becomes one `step` nearer the output: OpenLineage's rules."""
    masking = step.masking or seen.masking
    if step.type == "INDIRECT":
        return step._replace(masking=masking)
    if seen.type == "INDIRECT":
        return seen._replace(masking=masking)
    strongest = max(step.subtype, seen.subtype, key=DIRECT.index)
    return Step("DIRECT", strongest, masking)


def through(step: Step, found: Iterable[Inputs]) -> Inputs:
    """All inputs of several, one `step` nearer the output."""
    return frozenset((source, merge(step, seen)) for inputs in found for source, seen in inputs)


def both(*found: Inputs) -> Inputs:
    """All inputs of several."""
    return NONE.union(*found)


def lineage(text: str, dialect: str, columns: Iterable[str] = ()) -> Lineage | None:
    """The lineage of a query, or None where the text can't be read.

    `columns` are the query's own, by position: those that a `*` over one table stands for.
    """
    names = list(columns)
    try:
        scope = build_scope(qualify_tables(parse_one(text, dialect=dialect), dialect=dialect))
    except (SqlglotError, ValueError):  # an unknown dialect is a ValueError
        return None
    if scope is None:
        return None
    found = _lineage(scope, names)
    if names and len(names) == len(found.columns):
        return found._replace(columns=dict(zip(names, found.columns.values(), strict=True)))
    return found


def _lineage(scope: Scope, star: list[str]) -> Lineage:
    """The lineage of a scope: a SELECT, or a set operation over two."""
    if scope.set_operation_scopes:
        left, right = (_lineage(side, star) for side in scope.set_operation_scopes)
        pairs = zip(left.columns.items(), right.columns.values(), strict=False)
        columns = {name: both(one, other) for (name, one), other in pairs}
        return Lineage(columns, both(left.rows, right.rows))
    select = scope.expression
    columns = {}
    for item in select.selects if isinstance(select, exp.Query) else ():
        if item.is_star:
            columns.update(_starred(scope, star))
        else:
            columns[item.alias_or_name] = _inputs(item, scope)
    rows = [_lineage(found, []).rows for _, found in _used(scope) if isinstance(found, Scope)]
    by_name = {name.casefold(): inputs for name, inputs in columns.items()}
    for step, item in _deciding(select):
        key = item.this if isinstance(item, exp.Ordered) else item
        rows.append(through(step, [_selected(key, step, by_name) or _inputs(key, scope)]))
    if select.args.get("distinct"):
        rows.append(through(GROUP_BY, columns.values()))
    return Lineage(columns, both(*rows))


def _deciding(select: exp.Expression) -> Iterable[tuple[Step, exp.Expression]]:
    """The parts of a SELECT that only decide on rows."""
    for name, step in (("where", FILTER), ("having", FILTER), ("qualify", FILTER)):
        if select.args.get(name):
            yield step, select.args[name].this
    for item in (select.args.get("group") or exp.Group()).expressions:
        yield GROUP_BY, item
    for item in (select.args.get("order") or exp.Order()).expressions:
        yield SORT, item
    for join in select.args.get("joins") or ():
        if join.args.get("on"):
            yield JOIN, join.args["on"]
        for name in join.args.get("using") or ():
            yield JOIN, name if isinstance(name, exp.Column) else exp.column(name.name)


def _selected(key: exp.Expression, step: Step, by_name: dict[str, Inputs]) -> Inputs:
    """What a key of GROUP BY or ORDER BY means when it is a number or the name of a column."""
    if isinstance(key, exp.Literal) and not key.is_string and step in (GROUP_BY, SORT):
        position = int(key.name) - 1 if key.name.isdigit() else -1
        found = list(by_name.values())
        return found[position] if 0 <= position < len(found) else NONE
    if isinstance(key, exp.Column) and not key.table and step == SORT:
        return by_name.get(key.name.casefold(), NONE)
    return NONE


def _used(scope: Scope) -> Iterable[tuple[str, Any]]:
    """The sources in the scope's own FROM and JOIN."""
    return ((name, source) for name, (_, source) in scope.selected_sources.items())


def _starred(scope: Scope, star: list[str]) -> dict[str, Inputs]:
    """The columns behind a `*`: of an inner query, or of the one table that it reads."""
    columns: dict[str, Inputs] = {}
    sources = [source for _, source in _used(scope)]
    for source in sources:
        if isinstance(source, Scope):
            columns.update(_lineage(source, star).columns)
        elif len(sources) == 1:
            columns.update({name: _column(source, name, star) for name in star})
    return columns


def _column(source: Any, name: str, star: list[str]) -> Inputs:
    """A column of a source."""
    if isinstance(source, Scope):
        columns = _lineage(source, star).columns
        folded = {known.casefold(): inputs for known, inputs in columns.items()}
        return columns.get(name, folded.get(name.casefold(), NONE))
    if not isinstance(source, exp.Table):
        return NONE
    parts = tuple(part.name for part in source.parts)
    return frozenset({(Source(parts, name), IDENTITY)})


def _named(column: exp.Column, scope: Scope) -> Inputs:
    """What a column's name means here; one that any table could have is of each of them."""
    found: Scope | None = scope
    while found is not None:
        used = {alias.casefold(): source for alias, source in _used(found)}
        if column.table:
            source = used.get(column.table.casefold())
            if source is not None:
                return _column(source, column.name, [])
        elif used:
            scopes = [one for one in used.values() if isinstance(one, Scope)]
            known = both(*(_column(one, column.name, []) for one in scopes))
            tables = [one for one in used.values() if isinstance(one, exp.Table)]
            return known or both(*(_column(one, column.name, []) for one in tables))
        found = found.parent
    return NONE


def _inputs(item: exp.Expression, scope: Scope) -> Inputs:
    """What an expression is made of."""
    if isinstance(item, exp.Column):
        return _named(item, scope)
    if isinstance(item, (exp.Alias, exp.Paren, exp.Ordered)):
        return _inputs(item.this, scope)
    if isinstance(item, (exp.Subquery, exp.Exists, exp.Select, exp.SetOperation)):
        return _of_subquery(item, scope)
    if isinstance(item, exp.Case):
        return _case(item, scope)
    if isinstance(item, exp.Window):
        return _window(item, scope)
    if isinstance(item, exp.Filter):
        where = through(FILTER, [_inputs(item.expression.this, scope)])
        return both(_inputs(item.this, scope), where)
    children = [_inputs(child, scope) for child in item.iter_expressions()]
    if isinstance(item, (exp.Coalesce, exp.Nullif, exp.If)):
        values = {exp.Nullif: children[:1], exp.If: children[1:]}.get(type(item), children)
        conditions = children[:1] if isinstance(item, exp.If) else children
        return both(through(TRANSFORMATION, values), through(CONDITIONAL, conditions))
    step = AGGREGATION if isinstance(item, exp.AggFunc) else TRANSFORMATION
    return through(step._replace(masking=isinstance(item, MASKING)), children)


def _case(item: exp.Case, scope: Scope) -> Inputs:
    branches = item.args.get("ifs") or []
    conditions = [_inputs(branch.this, scope) for branch in branches]
    values = [_inputs(branch.args["true"], scope) for branch in branches]
    if item.this:
        conditions.append(_inputs(item.this, scope))
    if item.args.get("default"):
        values.append(_inputs(item.args["default"], scope))
    return both(through(TRANSFORMATION, values), through(CONDITIONAL, conditions))


def _window(item: exp.Window, scope: Scope) -> Inputs:
    value = NONE if isinstance(item.this, RANKS) else _inputs(item.this, scope)
    order = item.args.get("order")
    by = [*(item.args.get("partition_by") or ()), *(order.expressions if order else ())]
    return both(value, through(WINDOW, (_inputs(part, scope) for part in by)))


def _of_subquery(item: exp.Expression, scope: Scope) -> Inputs:
    """The value of a scalar subquery or the columns of an IN, with what decides on its rows."""
    query = item.this if isinstance(item, (exp.Subquery, exp.Exists)) else item
    for inner in scope.subquery_scopes:
        if inner.expression is query or inner.expression is item:
            found = _lineage(inner, [])
            values = () if isinstance(item, exp.Exists) else found.columns.values()
            return both(found.rows, *values)
    return NONE


# Events ---------------------------------------------------------------------------------------

TWO_LEVELS = ("mysql:", "clickhouse:")  # there a name of two parts is whole
DIALECTS = {"postgresql": "postgres", "sqlserver": "tsql", "jtds": "tsql", "ch": "clickhouse"}


class Text(NamedTuple):
    """A query that stands in an event as a dataset of its own."""

    namespace: str
    database: str
    found: Lineage

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
        everything = both(text.found.rows, *text.found.columns.values())
        for source, _ in sorted(everything):
            space, name = text.table(source.table)
            inputs.setdefault((space, name), {"namespace": space, "name": name, "facets": {}})
    if not texts:
        return event
    outputs = [_with_tables(output, texts) for output in event.get("outputs") or ()]
    return {**event, "inputs": list(inputs.values()), "outputs": outputs}


def _text(item: Json) -> Text | None:
    """The query behind an input dataset, if it is one and can be read."""
    facets = item.get("facets") or {}
    pairs = (facets.get("colgraph_properties") or {}).get("options") or ()
    options = {pair["name"]: pair["value"] for pair in pairs}
    if not item["name"].startswith("query:") or "query" not in options:
        return None
    names = [field["name"] for field in (facets.get("schema") or {}).get("fields") or ()]
    found = lineage(options["query"], dialect_of(options.get("url", "")), names)
    return found and Text(item["namespace"], options.get("database", ""), found)


def dialect_of(url: str) -> str:
    """sqlglot's name of the dialect behind a JDBC URL: the word after `jdbc:`."""
    found = re.match(r"(?:jdbc:)?(\w+)", url)
    word = found.group(1).lower() if found else ""
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
        rows += [_input(text, source, step) for source, step in sorted(text.found.rows)]
    changed = {**facet, "fields": fields, "dataset": _replaced(rows, texts)}
    return {**output, "facets": {**facets, "columnLineage": changed}}


def _replaced(found: Iterable[Json], texts: Mapping[tuple[str, str], Text]) -> list[Json]:
    """Input fields, those of a query replaced by the columns that it reads; each once."""
    kept: dict[tuple[str, str, str], list[Json]] = {}
    for item in found:
        text = texts.get((item["namespace"], item["name"]))
        items = [item] if text is None else _inner(text, item)
        for one in items:
            steps = kept.setdefault((one["namespace"], one["name"], one["field"]), [])
            steps += [step for step in one.get("transformations") or () if step not in steps]
    return [
        {"namespace": space, "name": name, "field": field, "transformations": steps}
        for (space, name, field), steps in sorted(kept.items(), key=lambda pair: pair[0])
    ]


def _inner(text: Text, item: Json) -> list[Json]:
    """The columns behind one field of a query, each by all the ways it goes."""
    outer = [
        Step(step["type"], step.get("subtype") or "TRANSFORMATION", bool(step.get("masking")))
        for step in item.get("transformations") or ()
    ]
    inner = text.found.columns.get(item["field"], NONE)
    merged = {(source, merge(step, seen)) for source, seen in inner for step in outer}
    return [_input(text, source, step) for source, step in sorted(merged)]


def _input(text: Text, source: Source, step: Step) -> Json:
    space, name = text.table(source.table)
    said = {**step._asdict(), "description": ""}
    return {"namespace": space, "name": name, "field": source.column, "transformations": [said]}
