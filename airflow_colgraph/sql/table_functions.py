"""Functions that return rows, and files that are read as tables. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sqlglot import exp

from airflow_colgraph.sql.accounts import mark, mark_all
from airflow_colgraph.sql.expressions import QUERIES, function_name, inputs_of
from airflow_colgraph.sql.function_names import FILES, FILES_OF, ROWS, is_unknown, row_columns
from airflow_colgraph.sql.methods import without_schema
from airflow_colgraph.sql.names import path_of
from airflow_colgraph.sql.relation import Relation, file_name
from airflow_colgraph.sql.scope import Scope
from airflow_colgraph.sql.structs import quietly
from airflow_colgraph.sql.transformations import NONE, TRANSFORMATION, Inputs, through, union

READERS = tuple(getattr(exp, n) for n in ("ReadCSV", "ReadParquet") if hasattr(exp, n))
COLUMN_DEFINITIONS = (exp.ColumnDef, exp.OpenJSONColumnDef, exp.JSONColumnDef)  # a INT '$.a'
FILE = re.compile(r"^@|^\w+://|^/|\.(csv|tsv|json|jsonl|ndjson|parquet|xlsx|txt)(\.\w+)?$", re.I)
FLAT_STRUCTS = ("bigquery", "trino", "presto", "athena")  # unnested, a struct is its members
SCALARS = tuple(  # whose elements are no structs
    getattr(exp, name)
    for name in (
        "Array", "GenerateDateArray", "GenerateSeries", "GenerateTimestampArray", "JSONValueArray",
        "RegexpExtractAll", "Split", "ToCodePoints",
    )
    if hasattr(exp, name)
)  # fmt: skip
BY_PATH = {"duckdb", "databricks", "spark", "spark2", "snowflake"}


def of_function(item: exp.Expr, scope: Scope, alias: exp.Expr | None = None) -> Relation:
    """A function that returns rows: each column comes from all its arguments."""
    inner = without_schema(item.this if isinstance(item, exp.TableFromRows) else item, scope)
    function = scope.environment.functions.get(function_name(inner))
    if function is not None and isinstance(function.body, exp.Query):
        arguments = [inputs_of(part, scope) for part in inner.expressions]
        return scope.query(function.body, scope.of_function(function_name(inner), arguments))
    files = list(files_of(inner, scope.environment.dialect))
    if files:
        mark_all(inner, scope.environment.findings)  # the names of options
        return of_files(files, scope)
    parts = item.expressions if isinstance(item, exp.Unnest) else [item]
    inputs = through(TRANSFORMATION, [inputs_of(part, scope) for part in parts])
    _report(inner, inputs, scope)
    offset = item.args.get("offset")
    ordinal = ((offset.name, NONE),) if isinstance(offset, exp.Identifier) else ()
    relation = _columns(inner, inputs, alias or item.args.get("alias"), scope)
    return relation._replace(columns=(*relation.columns, *ordinal))


def _report(item: exp.Expr, inputs: Inputs, scope: Scope) -> None:
    """A function of whole tables, or of a user, can't be looked into."""
    name = function_name(item)
    parts = [part for part in item.iter_expressions() if isinstance(part, QUERIES)]
    is_value = not name or name in ROWS  # a subquery is one value of their arguments
    if any(not (is_value and isinstance(part, exp.Subquery)) for part in parts):
        scope.environment.findings.unread(name or type(item).__name__)
    elif inputs and is_unknown(name):  # it may read tables itself
        scope.environment.findings.unread(name)


def _columns(item: exp.Expr, inputs: Inputs, alias: exp.Expr | None, scope: Scope) -> Relation:
    """The columns of a function under the names of its alias, with the members of structs."""
    name = function_name(item) or type(item).__name__.upper()
    defined = [column.name for column in _definitions(item)]
    names = _names(alias) or defined or [*row_columns(name, scope.environment.dialect)]
    value = item.expressions[0] if isinstance(item, exp.Unnest) else item.args.get("this")
    members = quietly(value, scope) if isinstance(value, exp.Expression) else None
    if members and scope.environment.dialect == "bigquery" and len(names) == 1:
        return members._replace(path=("", names[0]))  # a `*` has the members of `s`
    is_flat = scope.environment.dialect in FLAT_STRUCTS or _is_inline(item)
    if members and is_flat and len(names) in (0, len(members.columns)):
        return members.renamed(names)
    own = "COLUMN_VALUE" if scope.environment.dialect == "oracle" else alias and alias.name
    single = [(own, inputs)] if own and not names else []
    listed = zip(names, columns_of(item, len(names), inputs, scope), strict=True)
    columns = (*listed, *single)
    if scope.environment.dialect == "bigquery" and names and not isinstance(value, SCALARS):
        members = members or Relation(everything=inputs)  # elements that may be structs
    structs = {columns[-1][0].casefold(): members} if members and columns else {}
    return Relation(columns, everything=None if names else inputs, structs=structs)


def _definitions(item: exp.Expr) -> Iterable[exp.Expr]:
    """The columns that a function's own clause lists, also those of NESTED PATH."""
    schema = item.args.get("schema") or item
    for column in schema.args.get("columns") or schema.expressions:
        if nested := column.args.get("nested_schema"):
            yield from _definitions(nested)
        elif isinstance(column, COLUMN_DEFINITIONS):
            yield column


def _names(alias: exp.Expr | None) -> list[str]:
    """The columns that an alias names: `t (a, b)`."""
    return [name.name for name in (alias.args.get("columns") or ())] if alias else []


def of_rows_from(item: exp.Table, scope: Scope) -> Relation:
    """PostgreSQL's `ROWS FROM (f(a), g(b)) AS t (x, y)`: a column of each function."""
    for part in item.args["rows_from"]:
        mark(part, scope.environment.findings)
    functions = [
        part.this if isinstance(part, exp.Table) else part for part in item.args["rows_from"]
    ]
    columns = [of_function(function, scope).everything or NONE for function in functions]
    names = _names(item.args.get("alias"))
    if len(names) not in (len(columns), len(columns) + 1):
        return Relation(everything=union(*columns))
    return Relation(tuple(zip(names, [*columns, NONE], strict=False)))


def _is_inline(item: exp.Expr) -> bool:
    return (function_name(item) or type(item).__name__.upper()).startswith("INLINE")


def columns_of(item: exp.Expr, count: int, every: Inputs, scope: Scope) -> list[Inputs]:
    """What each of a function's columns comes from: the arguments at its place, or `every` one."""
    places = [*_places(item, count), *[None] * count][:count]
    return [
        every if place is None else through(TRANSFORMATION, [inputs_of(o, scope) for o in place])
        for place in places
    ]


def _places(item: exp.Expr, count: int) -> list[list[exp.Expr] | None]:
    """The arguments at the place of each column, where a function has them so."""
    name = function_name(item) or type(item).__name__.upper()
    if isinstance(item, exp.Unnest) and len(item.expressions) > 1:
        places = [place for value in item.expressions for place in _of_one(value)]
        return places if count == len(places) else []  # else one of unknown type may be a map
    if name.startswith(("UNNEST", *EXPLODED)):
        return _exploded(item, name)
    if name == "STACK":
        first, *values = list(item.iter_expressions())
        size = int(first.name) if first.name.isdigit() else 0
        width = -(-len(values) // size) if size else 0
        return [values[at::width] for at in range(width)]
    return _inlined(item) if name.startswith("INLINE") else []


def _of_one(value: exp.Expr) -> list[list[exp.Expr] | None]:
    """The elements of an array, or the keys and the values of a map."""
    if not isinstance(value, MAPS):
        return [[value]]
    parts = (value.args.get("keys"), value.args.get("values"))
    return [[part] if part else [] for part in parts]


def _exploded(item: exp.Expr, name: str) -> list[list[exp.Expr] | None]:
    """A map's keys and values, and an array's elements behind their positions."""
    entries = item.expressions[0] if isinstance(item, exp.Unnest) else item.this
    if isinstance(entries, MAPS):
        return [*([[]] if name.startswith("POSEXPLODE") else []), *_of_one(entries), []]
    is_counted = name.startswith("POSEXPLODE") and isinstance(entries, exp.Array)
    return [[], [entries]] if is_counted else []


def usual_names(item: exp.Expr) -> list[str]:
    """The columns that LATERAL VIEW makes without names; none where it depends on the type."""
    arrays = (exp.Array, exp.Split, exp.RegexpSplit, exp.GenerateSeries)
    names = {**dict.fromkeys(arrays, ("col",)), **dict.fromkeys(MAPS, ("key", "value"))}
    name = function_name(item) or type(item).__name__.upper()
    if name == "STACK":
        return [f"col{at}" for at in range(len(_places(item, 0)))]
    if name.startswith("INLINE") and _inlined(item):
        return [member.alias_or_name for member in item.this.expressions[0].expressions]
    own = [*names.get(type(item.this), ())] if name.startswith(EXPLODED) else []
    return ["pos", *own] if own and name.startswith("POSEXPLODE") else own


def _inlined(item: exp.Expr) -> list[list[exp.Expr] | None]:
    """The members at the same place of all structs in an array."""
    structs = item.this.expressions if isinstance(item.this, exp.Array) else []
    if not structs or not all(isinstance(struct, exp.Struct) for struct in structs):
        return []
    return [list(row) for row in zip(*(s.expressions for s in structs), strict=False)]


MAPS = (exp.Map, exp.VarMap)
EXPLODED = ("EXPLODE", "POSEXPLODE")


def files_of(item: exp.Expr | None, dialect: str) -> Iterable[str]:
    """The files that a function reads, or is written to, of its first argument."""
    readers = FILES | FILES_OF.get(dialect, set())
    if not isinstance(item, READERS) and function_name(item) not in readers:
        return
    assert item is not None
    first = next(iter(item.iter_expressions()), None)
    for name in first.expressions if isinstance(first, exp.Array) else [first]:
        if isinstance(name, exp.Literal) and name.is_string:
            yield name.name


def file_of(item: exp.Table, dialect: str) -> str:
    """The file that a table's name is: `'x.csv'`, `csv.`/data/x``, `@stage/x`."""
    name = item.name
    if dialect not in BY_PATH or item.catalog or not FILE.search(name):
        return ""
    if item.db:
        return path_of((item.db, name), dialect)
    quoted = isinstance(item.this, exp.Identifier) and item.this.quoted
    return name if quoted or name.startswith("@") else ""


def of_files(files: Iterable[str], scope: Scope) -> Relation:
    """Files that are read: they have the columns that are asked for."""
    behind = tuple(scope.environment.lookup(file_name(uri)) for uri in files)
    return behind[0] if len(behind) == 1 else Relation(behind=behind)
