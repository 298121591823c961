"""Expressions, aggregates and windows that every database has, as templates. Pure data.

Templates of a feature of `dialects` are used where a database has it.
"""

from __future__ import annotations

SCALARS: dict[str, tuple[str, ...]] = {
    "int": (
        "({int} + {int})", "({int} - {int})", "({int} * 2)", "abs({int})", "length({string})",
        "CASE WHEN {boolean} THEN {int} ELSE {int} END", "CASE WHEN {boolean} THEN {int} END",
        "CASE {int} WHEN 1 THEN {int} WHEN {int} THEN 0 ELSE {int} END",
        "coalesce({int}, {int})", "nullif({int}, {int})", "greatest({int}, {int})",
        "least({int}, {int})", "inline_scalar_int",
    ),
    "string": (
        "concat({string}, {string})", "upper({string})", "lower({string})", "trim({string})",
        "replace({string}, 'a', {string})", "substr({string}, 1, 2)",
        "CASE WHEN {boolean} THEN {string} ELSE {string} END",
        "CASE {string} WHEN 'a' THEN {string} END", "coalesce({string}, {string})",
        "nullif({string}, {string})", "cast({int} AS {TEXT})", "inline_scalar_string",
    ),
    "boolean": (
        "({int} > {int})", "({int} = {int})", "({string} = {string})", "({string} < {string})",
        "({int} BETWEEN {int} AND {int})", "({int} IN (1, 2, {int}))", "({string} IS NULL)",
        "({int} IS NOT NULL)", "({string} LIKE 'a%')", "({boolean} AND {boolean})",
        "({boolean} OR {boolean})", "(NOT {boolean})", "({int} <> {int})",
    ),
}  # fmt: skip
LITERALS = {"int": ("1", "0", "2", "5"), "string": ("'a'", "'b'", "''"), "boolean": ("(1 = 1)",)}
MORE = {
    "arrays": {"int": ("{array}[1]", "{array}[1]"), "string": ("{words}[1]",)},
    "row in": {"boolean": ("(({int}, {string}) IN ((1, 'a'), (2, 'b')))",)},
    "any": {"boolean": ("({int} > ALL (SELECT {column}))", "({int} = ANY (SELECT {column}))")},
}  # by feature
AGGREGATES: dict[str, tuple[str, ...]] = {
    "int": (
        "sum({int})", "max({int})", "min({int})", "count({string})", "count(*)",
        "count(DISTINCT {int})", "sum(DISTINCT {int})", "sum(CASE WHEN {boolean} THEN {int} END)",
        "sum({int}) - min({int})", "max({int}) + {group int}", "coalesce(sum({int}), {group int})",
        "CASE WHEN max({int}) > 1 THEN sum({int}) ELSE {group int} END",
    ),
    "string": ("max({string})", "min({string})", "concat(max({string}), {group string})"),
}  # fmt: skip
FILTERED = {
    "int": ("sum({int}) FILTER (WHERE {boolean})", "count(*) FILTER (WHERE {boolean})"),
    "string": ("max({string}) FILTER (WHERE {boolean})",),
}
WINDOWED = {
    "int": ("sum({int})", "max({int})", "count({string})", "count(*)", "min({int})"),
    "string": ("max({string})", "min({string})"),
}
ORDERED = {
    "int": ("row_number()", "rank()", "dense_rank()", "lag({int})", "lead({int}, 1)",
            "first_value({int})", "last_value({int})"),
    "string": ("lag({string})", "first_value({string})", "lead({string}, 2)"),
}  # fmt: skip
FRAMES = (
    "", "", "", " ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING", " ROWS UNBOUNDED PRECEDING",
    " ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
)  # fmt: skip
# Names of columns and relations: those of tables, so that aliases hide and are hidden.
NAMES = {
    "int": ("id", "amount", "cid", "v", "age", "total", "price", "n"),
    "string": ("state", "customer", "note", "name", "label", "s"),
}
RELATIONS = ("orders", "raw", "people", "items", "x", "y", "t", "sink")
# Rows from arrays, by database: the text after FROM and the kinds of its columns.
UNNESTED = {
    "duckdb": (
        (", unnest({array}) AS {u}({0})", "i"),
        (" CROSS JOIN unnest([{int}, {int}]) AS {u}({0})", "i"),
        (", LATERAL (SELECT unnest({words}) AS {0}) AS {u}", "s"),
    ),
    "postgres": (
        (", unnest({array}) AS {u}({0})", "i"),
        (" CROSS JOIN unnest({array}, {words}) AS {u}({0}, {1})", "is"),
        (" LEFT JOIN unnest({words}) WITH ORDINALITY AS {u}({0}, {1}) ON true", "si"),
        (" CROSS JOIN LATERAL (VALUES ({int}, {string}), (1, {string})) AS {u}({0}, {1})", "is"),
        (" CROSS JOIN unnest(ARRAY[{int}, {int}]) AS {u}({0})", "i"),
    ),
    "clickhouse": ((" ARRAY JOIN {array} AS {0}", "i"), (" LEFT ARRAY JOIN {words} AS {0}", "s")),
    "spark": (
        (" LATERAL VIEW explode({array}) {u} AS {0}", "i"),
        (" LATERAL VIEW OUTER posexplode({words}) {u} AS {1}, {0}", "si"),
        (" LATERAL VIEW stack(2, {int}, {string}, 1, {string}) {u} AS {0}, {1}", "is"),
        (" LATERAL VIEW explode(array({int}, {int})) {u} AS {0}", "i"),
    ),
}
# Functions among the columns that make rows, and the kinds of what they make.
GENERATED = (
    ("explode({array})", "i"), ("explode_outer({words})", "s"),
    ("posexplode({words})", "is"), ("stack(2, {int}, {string}, {int}, 'b')", "is"),
    ("inline(array(struct({int}, {string}), struct(1, {string})))", "is"),
)  # fmt: skip
PIVOTED = (
    "SELECT id, amount, state FROM raw",
    "SELECT cid AS id, v AS amount, note AS state FROM orders",
)
NAMED_ALIKE = (
    ("orders", "people", ("cid",)),
    ("prev.items", "curr.items", ("id", "price", "name")),
    ("raw", "orders", ("id",)),
    ("sink", "raw", ("id",)),
)  # tables with columns of the same names
