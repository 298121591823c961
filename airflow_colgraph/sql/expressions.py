"""What a SQL expression comes from: the table RULES, by sqlglot's class. Pure.

An expression without a rule comes from all its parts, which is right for almost all functions: a
rule is needed where a part only decides, or where nothing is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from sqlglot import Dialect, exp

from airflow_colgraph.sql.accounts import mark, mark_all
from airflow_colgraph.sql.function_names import (
    BY_NUMBER,
    CHOICES,
    ELSEWHERE,
    MASKING_CLASSES,
    MASKING_NAMES,
    NO_VALUE,
    ORDERED,
    is_aggregate,
    is_unknown,
)
from airflow_colgraph.sql.lookups import looked_up
from airflow_colgraph.sql.names import POSTGRES, SPARK
from airflow_colgraph.sql.pseudo_columns import COLUMNS_FIRST, RESERVED, bare_name
from airflow_colgraph.sql.scope import Scope
from airflow_colgraph.sql.transformations import (
    AGGREGATION,
    CONDITIONAL,
    NONE,
    SORT,
    TRANSFORMATION,
    WINDOW,
    Inputs,
    Step,
    through,
    union,
)

Rule = Callable[[Any, Scope], Inputs]
RULES: dict[type[exp.Expr], Rule] = {}


def classes(*names: str) -> tuple[type[exp.Expr], ...]:
    """Those of sqlglot's classes that its installed version has."""
    return tuple(getattr(exp, name) for name in names if hasattr(exp, name))


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Register what to do with some of sqlglot's classes."""

    def register(function: Rule) -> Rule:
        RULES.update(dict.fromkeys(classes(*names), function))
        return function

    return register


QUERIES = (exp.Query, exp.Subquery, exp.Table, exp.Values)
MASKING = classes(*MASKING_CLASSES)


def inputs_of(node: exp.Expr | None, scope: Scope) -> Inputs:
    """What an expression comes from."""
    if not isinstance(node, exp.Expression):  # sqlglot has None or False for what is absent
        return NONE
    for kind in type(node).__mro__:
        if kind in RULES:
            return RULES[kind](node, scope)
    return _any(node, scope)


def children_of(node: exp.Expr, scope: Scope, *names: str) -> list[Inputs]:
    """The inputs of the parts in some arguments, or in all."""
    inputs = []
    for name, value in node.args.items():
        if not names or name in names:
            parts = value if isinstance(value, list) else [value]
            inputs += [inputs_of(part, scope) for part in parts if isinstance(part, exp.Expression)]
    return inputs


def function_name(node: exp.Expr | None) -> str:
    """The function's name in capitals; sqlglot has classes for most, and names for the rest."""
    if isinstance(node, (exp.Anonymous, exp.AnonymousAggFunc)):
        return str(node.name or node.this).upper()
    return ""


def aggregates(node: exp.Expr | None, dialect: str) -> bool:
    """Whether it is an aggregate function.

    Spark's `any(x)`, which is in no comparison, has the class of `LIKE ANY (..)`.
    """
    if isinstance(node, exp.Any) and dialect in SPARK:
        return not isinstance(node.parent, exp.Predicate)
    return isinstance(node, exp.AggFunc) or is_aggregate(function_name(node), dialect)


def step_of(node: exp.Expr, dialect: str = "") -> Step:
    """The transformation that a function or operator is."""
    step = AGGREGATION if aggregates(node, dialect) else TRANSFORMATION
    name = function_name(node)
    return step._replace(masking=isinstance(node, MASKING) or name in MASKING_NAMES)


def _any(node: exp.Expr, scope: Scope) -> Inputs:
    if function_name(node) in NO_VALUE:
        mark_all(node, scope.environment.findings)
        return NONE
    if function_name(node) in scope.environment.functions:
        return called(node, scope)
    element = scope.environment.variables.get(function_name(node).casefold())
    if element is not None and scope.environment.dialect == "oracle":  # of a collection: x(i)
        mark_all(node, scope.environment.findings)
        return element
    looked = looked_up(node, function_name(node), scope, inputs_of)
    if looked is not None:
        return looked
    parts = list(node.iter_expressions())
    lambdas = [part for part in parts if isinstance(part, exp.Lambda)]
    children = [inputs_of(part, scope) for part in parts if not isinstance(part, exp.Lambda)]
    children += filter(None, [_unit(node, scope)])
    if not any(children) and is_unknown(function_name(node)):  # it may read tables itself
        scope.environment.findings.unread(function_name(node))
    if function_name(node) in CHOICES:
        return _chosen(children, children)
    if function_name(node) == "MULTIIF":  # ClickHouse's CASE
        return _chosen(children[:-1:2], [*children[1::2], *children[-1:]])
    if function_name(node) in ORDERED:
        return union(through(AGGREGATION, children[:1]), through(WINDOW, children[1:]))
    if function_name(node) in BY_NUMBER:
        return _chosen(children[:1], children[1:])
    if ELSEWHERE.match(function_name(node)):
        scope.environment.findings.unread(function_name(node))
    for part in lambdas:  # `transform(items, i -> i + 1)`: the parameter is a part of `items`
        names = [parameter.name for parameter in part.expressions]
        children.append(inputs_of(part.this, scope.with_parameters(names, union(*children))))
    return through(step_of(node, scope.environment.dialect), children)


def called(node: exp.Expr, scope: Scope) -> Inputs:
    """A function that the script has made: what its text makes of the arguments."""
    name = function_name(node)
    function = scope.environment.functions[name]
    arguments = children_of(node, scope, "expressions")
    every = through(TRANSFORMATION, arguments)
    if function.body is None:
        scope.environment.findings.unread(name)
        return every
    inputs = inputs_of(function.body, scope.of_function(name, arguments))
    return union(inputs, every) if function.is_text else inputs


@rule("Column", "Star")
def _column(node: exp.Expr, scope: Scope) -> Inputs:
    """A column; as a function's argument `*` and `t.*` are all columns."""
    mark(node, scope.environment.findings)
    if isinstance(node, exp.Column) and isinstance(node.this, exp.Parameter):
        return scope.position(node.this.name, node.table)
    if isinstance(node, exp.Column) and not isinstance(node.this, exp.Star):
        return scope.column(node)
    left_out = {column.name.casefold() for column in node.args.get("except_") or ()}
    return scope.star(getattr(node, "table", ""), left_out)


@rule("Columns")
def _each_column(node: exp.Columns, scope: Scope) -> Inputs:
    """DuckDB's `COLUMNS(*)` in a condition, for each column; those of a pattern may be any."""
    if isinstance(node.this, exp.Star):
        return inputs_of(node.this, scope)
    scope.environment.findings.unknown("Columns", node.sql())
    return scope.star("", frozenset())


@rule("Count")
def _count(node: exp.Count, scope: Scope) -> Inputs:
    if node.this is not None and not node.this.is_star:
        return _any(node, scope)
    mark_all(node.this, scope.environment.findings)
    return NONE


@rule("Parameter", "Placeholder")
def _parameter(node: exp.Expr, scope: Scope) -> Inputs:
    """A variable (`@a`, Snowflake's `:a`), or in Snowflake a column by its position: `$1`."""
    if isinstance(node.this, exp.Literal):
        return scope.position(node.name) if scope.environment.dialect == "snowflake" else NONE
    return scope.environment.variables.get(node.name.casefold(), NONE)


@rule("Alias", "Paren", "Ordered", "PropertyEQ", "Aliases", "Order")
def _inside(node: exp.Expr, scope: Scope) -> Inputs:
    if isinstance(node, exp.PropertyEQ):
        value = inputs_of(node.expression, scope)
        if isinstance(node.this, exp.Parameter):  # MySQL: @x := max(a)
            variables, name = scope.environment.variables, node.this.name.casefold()
            variables[name] = union(variables.get(name, NONE), value)
        key = inputs_of(node.this, scope) if isinstance(node.this, exp.Column) else NONE
        return union(key, value)  # DuckDB: MAP {k: v}
    if isinstance(node, exp.Order):  # `json_agg(a ORDER BY b)` has its argument inside
        keys = children_of(node, scope, "expressions")
        own = inputs_of(node.this, scope)
        return union(own, through(SORT, keys)) if node.this else union(*keys)
    return inputs_of(node.this, scope)


@rule("Boolean", "CurrentCatalog", "CurrentDate", "CurrentDatetime", "CurrentRole",
       "CurrentSchema", "CurrentTime", "CurrentTimestamp", "CurrentUser", "Localtime",
       "Localtimestamp", "SessionUser")  # fmt: skip
def _bare(node: exp.Expr, scope: Scope) -> Inputs:
    """A function without brackets, or a column of its name; which one counts may be doubtful."""
    name, dialect = bare_name(node), scope.environment.dialect
    is_reserved = not name or dialect in RESERVED.get(name, ())
    if is_reserved or not scope.has_column((name,)):
        return _any(node, scope)
    if dialect not in COLUMNS_FIRST:
        scope.environment.findings.unknown("AmbiguousColumn", name)
    return scope.column(exp.column(name))


@rule("Literal", "Null", "DataType", "Identifier", "Var",
       "SessionParameter", "Interval", "Grouping", "GroupingId", "Typeof")  # fmt: skip
def _nothing(node: exp.Expr, scope: Scope) -> Inputs:
    if isinstance(node, exp.Interval):
        return through(TRANSFORMATION, [inputs_of(node.this, scope)])
    return NONE


@rule("NextValueFor")
def _next_value(node: exp.Expr, scope: Scope) -> Inputs:
    """The next value of a sequence, which has the class of a column."""
    mark_all(node, scope.environment.findings)
    return NONE


@rule("Cast", "TryCast", "JSONCast")
def _cast(node: exp.Cast, scope: Scope) -> Inputs:
    return through(TRANSFORMATION, [inputs_of(node.this, scope)])


DATE_PARTS = {*Dialect.DATE_PART_MAPPING, *Dialect.DATE_PART_MAPPING.values()}


def _unit(node: exp.Expr, scope: Scope) -> Inputs:
    """A column that says the unit, which sqlglot has as a word: `date_trunc(b, a)`."""
    unit = node.this if isinstance(node, exp.Extract) else node.args.get("unit")
    if not isinstance(unit, (exp.Var, exp.Literal)) or unit.name.upper() in DATE_PARTS:
        return NONE
    is_value = isinstance(node, exp.TimestampTrunc) and scope.environment.dialect in POSTGRES
    names = (name for name in (unit.name.lower(), unit.name) if scope.has_column((name,)))
    name = next(names, unit.name.lower() if is_value else "")
    return scope.column(exp.column(name)) if name else NONE


# Values chosen by a condition -----------------------------------------------------------------


def _chosen(conditions: Iterable[Inputs], values: Iterable[Inputs]) -> Inputs:
    return union(through(TRANSFORMATION, values), through(CONDITIONAL, conditions))


@rule("Case")
def _case(node: exp.Case, scope: Scope) -> Inputs:
    branches = node.args.get("ifs") or []
    conditions = [inputs_of(branch.this, scope) for branch in branches]
    values = [inputs_of(branch.args["true"], scope) for branch in branches]
    return _chosen(
        [*conditions, inputs_of(node.this, scope)],
        [*values, inputs_of(node.args.get("default"), scope)],
    )


@rule("If")
def _if(node: exp.If, scope: Scope) -> Inputs:
    values = children_of(node, scope, "true", "false")
    return _chosen([inputs_of(node.this, scope)], values)


@rule("Elt")
def _elt(node: exp.Expr, scope: Scope) -> Inputs:
    return _chosen([inputs_of(node.this, scope)], children_of(node, scope, "expressions"))


@rule("Nvl2")
def _nvl2(node: exp.Nvl2, scope: Scope) -> Inputs:
    return _if(node, scope)


@rule("Coalesce", "Nanvl")
def _coalesce(node: exp.Expr, scope: Scope) -> Inputs:
    values = children_of(node, scope, "this", "expression", "expressions")
    return _chosen(values, values)


@rule("Nullif")
def _nullif(node: exp.Nullif, scope: Scope) -> Inputs:
    value, other = inputs_of(node.this, scope), inputs_of(node.expression, scope)
    return _chosen([value, other], [value])


@rule("DecodeCase")
def _decode(node: exp.Expr, scope: Scope) -> Inputs:
    """`DECODE(x, search, result, ..., default)`."""
    first, *rest = [inputs_of(part, scope) for part in node.expressions]
    pairs = len(rest) // 2 * 2
    return _chosen([first, *rest[0:pairs:2]], [*rest[1:pairs:2], *rest[pairs:]])


# Subqueries -----------------------------------------------------------------------------------


@rule("Query", "Subquery")
def _scalar(node: exp.Expr, scope: Scope) -> Inputs:
    """A scalar subquery: its value, and what affects its rows."""
    relation = scope.query(node, scope.inner())
    return union(relation.rows, *(inputs for _, inputs in relation.columns))


@rule("Exists")
def _exists(node: exp.Exists, scope: Scope) -> Inputs:
    if not isinstance(node.this, QUERIES):
        return _any(node, scope)
    return scope.query(node.this, scope.inner()).rows


@rule("In")
def _in(node: exp.In, scope: Scope) -> Inputs:
    unnested = node.args.get("unnest")
    parts = [*children_of(node, scope, "this", "expressions", "query"), inputs_of(unnested, scope)]
    return through(TRANSFORMATION, parts)
