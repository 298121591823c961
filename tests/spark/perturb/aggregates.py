"""Aggregates and window functions by type, as templates. Pure data.

`{agg int}` is an expression over the rows of a group, `{group int}` one of those grouped by.
"""

from __future__ import annotations

AGGREGATES: dict[str, tuple[str, ...]] = {
    "int": (
        "sum({agg int})", "max({agg int})", "min({agg int})", "count({agg string})", "count(*)",
        "count(DISTINCT {agg int})", "count(DISTINCT {agg string}, {agg int})",
        "count_if({agg boolean})", "max_by({agg int}, {agg int})",
        "min_by({agg int}, {agg string})",
        "sum(DISTINCT {agg int})", "sum({agg int}) FILTER (WHERE {agg boolean})",
        "count(*) FILTER (WHERE {agg boolean})", "count({agg int}) FILTER (WHERE {agg boolean})",
        "approx_count_distinct({agg string})", "bit_or({agg int})", "first({agg int})",
        "any_value({agg int}, true)", "median({agg int})", "mode({agg int})",
        "size(collect_set({agg string}))", "max(struct({agg int} AS n, {agg string} AS v)).n",
        "sum(CASE WHEN {agg boolean} THEN {agg int} END)", "sum({agg int}) - min({agg int})",
        "last({agg int}, true)", "sum({agg int}) + {group int}",
        "CASE WHEN max({agg int}) > 1 THEN sum({agg int}) ELSE {group int} END",
        "element_at(array_sort(collect_list({agg int})), 1)",
        "int(percentile_cont(0.5) WITHIN GROUP (ORDER BY {agg int}))", "bit_xor({agg int})",
        "mode() WITHIN GROUP (ORDER BY {agg int})", "int(regr_count({agg double}, {agg int}))",
        "size(collect_list({agg item}))", "approx_percentile({agg int}, 0.5)", "try_sum({agg int})",
        "max_by({agg item}, {agg int}).n", "element_at(array_agg({agg items}), 1)[0].n",
        "histogram_numeric({agg int}, 2)[0].x", "percentile({agg int}, 0.5)",
    ),
    "double": ("avg({agg int})", "avg({agg double})", "stddev({agg double})",
               "corr({agg double}, {agg int})", "avg({agg int}) FILTER (WHERE {agg boolean})"),
    "string": (
        "max({agg string})", "min({agg string})", "max_by({agg string}, {agg int})",
        "concat_ws(',', array_sort(collect_set({agg string})))",
        "max(struct({agg int} AS n, {agg string} AS v)).v",
        "min({agg string}) FILTER (WHERE {agg boolean})", "first({agg string}, true)",
        "listagg(DISTINCT {agg string}, ',') WITHIN GROUP (ORDER BY {agg string})",
        "listagg({agg string}) WITHIN GROUP (ORDER BY {agg int}, {agg string})",
        "max(map('k', {agg string})['k'])", "max_by({agg struct}, {agg int}).z.q",
        "array_join(transform(sort_array(collect_list({agg item})), i -> i.sku), ',')",
        "string(max({agg date}))", "concat(max({agg string}), {group string})",
    ),
    "boolean": ("bool_and({agg boolean})", "every({agg boolean})", "some({agg boolean})"),
    "decimal": ("max({agg decimal})", "cast(sum({agg decimal}) AS DECIMAL(10,2))"),
    "date": ("max({agg date})", "min({agg date})"),
    "array": ("sort_array(collect_set({agg int}))", "array_sort(collect_list({agg int}))"),
    "item": ("max(named_struct('sku', {agg string}, 'n', {agg int}))", "max({agg item})",
             "max_by({agg item}, {agg int})",
             "min_by({agg item}, struct({agg int}, {agg string}))"),
    "items": ("sort_array(collect_set({agg item}))",
              "transform(sort_array(collect_set({agg string})),"
              " v -> named_struct('sku', v, 'n', 1))"),
    "struct": ("max({agg struct})", "max_by({agg struct}, {agg int})"),
}  # fmt: skip

WINDOWED: dict[str, tuple[str, ...]] = {
    "int": (
        "sum({int})",
        "max({int})",
        "count({string})",
        "count(*)",
        "min({int})",
    ),
    "double": ("avg({int})",),
    "string": ("max({string})", "min({string})"),
}
ORDERED: dict[str, tuple[str, ...]] = {
    "int": (
        "row_number()",
        "rank()",
        "dense_rank()",
        "ntile(2)",
        "lag({int})",
        "lead({int}, 1, {int})",
        "first_value({int})",
        "last_value({int})",
        "nth_value({int}, 2)",
        "lag({int}, 1, {int})",
    ),
    "double": ("percent_rank()", "cume_dist()"),
    "string": ("lag({string})", "first_value({string})", "lead({string}, 2, {string})"),
}
FRAMES = (
    "", "", "", " ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING", " ROWS UNBOUNDED PRECEDING",
    " RANGE BETWEEN 1 PRECEDING AND CURRENT ROW",
    " ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
)  # fmt: skip
RANGES = (
    "RANGE BETWEEN INTERVAL 10 DAYS PRECEDING AND CURRENT ROW",
    "ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING",
    "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
    "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
)
