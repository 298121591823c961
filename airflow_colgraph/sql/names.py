"""The names of tables and columns, in the case that the database has them in. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlglot import Dialect, exp
from sqlglot.optimizer.normalize_identifiers import normalize_identifiers

from airflow_colgraph.openlineage.redaction import shown_name
from airflow_colgraph.sql.pseudo_columns import bare_name

POSTGRES = ("postgres", "redshift")
SPARK = ("databricks", "spark", "spark2")
FORMATS = {"csv", "json", "parquet", "orc", "avro", "text", "binaryfile", "xml"}
FORMATS |= {"delta", "iceberg", "hudi"}
VERSION = re.compile(r"@(v\d+|\d{17})$")  # that a query of a Delta table asks for
CALLED: dict[type[exp.Expr], str] = {  # PostgreSQL names a column by its function
    exp.Count: "count", exp.Sum: "sum", exp.Min: "min", exp.Max: "max", exp.Avg: "avg",
    exp.Coalesce: "coalesce", exp.Case: "case", exp.Nullif: "nullif", exp.Greatest: "greatest",
    exp.Least: "least", exp.Upper: "upper", exp.Lower: "lower", exp.Round: "round", exp.Abs: "abs",
    exp.RowNumber: "row_number", exp.Exists: "exists", exp.Array: "array",
    exp.ArrayAgg: "array_agg", exp.FirstValue: "first_value", exp.LastValue: "last_value",
    exp.NthValue: "nth_value", exp.Lag: "lag", exp.Lead: "lead", exp.Rank: "rank",
    exp.DenseRank: "dense_rank", exp.PercentRank: "percent_rank", exp.CumeDist: "cume_dist",
    exp.Ntile: "ntile",
}  # fmt: skip


def alias_of(item: exp.Expr) -> str:
    """The alias of a selected item; in `f() OVER w` sqlglot has the window's name as one."""
    return "" if isinstance(item, exp.Window) else str(item.alias)


def column_name(item: exp.Expr, position: int, unnamed: int, dialect: str) -> str:
    """The name of a selected column, or "" where it is not known.

    `position` is its place among all columns, `unnamed` among those without a name.
    """
    name = alias_of(item) or kept_name(item, dialect)
    if name or isinstance(item, exp.Columns):
        return name
    if dialect in ("trino", "presto"):
        return f"_col{position}"
    if dialect == "bigquery":
        return f"f{unnamed}_"
    if dialect in POSTGRES:
        return _by_function(item)
    return ""


def kept_name(item: exp.Expr, dialect: str) -> str:
    """The name of a column that an item has without an alias, as the dialect keeps it."""
    if isinstance(item, (exp.Column, exp.Dot, exp.Star)):
        return str(item.output_name)
    if dialect in BARE_KEEPS_NAME and (name := bare_name(item)):
        return name
    is_kept = (
        isinstance(item, exp.Paren)
        or (type(item) is exp.Cast and dialect in CAST_KEEPS_NAME)
        or (isinstance(item, exp.Bracket) and dialect in POSTGRES)
    )
    if is_kept:
        return kept_name(item.this, dialect)
    if isinstance(item, exp.EQ) and dialect == "tsql":  # a = b + 1
        return str(item.output_name)
    return str(item.output_name) if item.args.get("variant_extract") and dialect in SPARK else ""


def _by_function(item: exp.Expr) -> str:
    """PostgreSQL's rule: the name of the function, or of what is cast."""
    inside = (exp.Cast, exp.Paren, exp.Window, exp.Filter, exp.WithinGroup, exp.IgnoreNulls)
    while isinstance(item, inside):
        item = item.this
    if isinstance(item, exp.Column):
        return str(item.name)
    if isinstance(item, exp.Anonymous):
        return str(item.name).lower()
    if isinstance(item, exp.Case):
        default = item.args.get("default")
        return (_by_function(default) if isinstance(default, exp.Column) else "") or "case"
    return CALLED.get(type(item), "")


def parts_of(table: exp.Table) -> tuple[str, ...]:
    """The parts of a table's name; the schema of `catalog..table` is "".

    That of a temporary table starts with `#`, as in T-SQL, where all are in one database.
    """
    *before, last = (str(part.name) for part in table.parts)
    if table.args.get("db") == "" and table.catalog:
        before = [table.catalog, ""]
    return (f"#{last.lstrip('#')}",) if is_temporary_name(table) else (*before, last)


def path_of(parts: Sequence[str], dialect: str) -> str:
    """The path of a table that is named by it: Spark's `delta.`/data/x``, without its version."""
    if dialect not in SPARK or len(parts) != 2 or "/" not in parts[1]:
        return ""
    file_format = parts[0].casefold()
    path = VERSION.sub("", parts[1]) if file_format == "delta" else parts[1]
    return path if file_format in FORMATS else ""


def is_temporary_name(table: exp.Table) -> bool:
    """Whether a name is a temporary table's: `#t` in T-SQL and Redshift, and T-SQL's `##t`."""
    own = table.this.args if isinstance(table.this, exp.Identifier) else {}
    return bool(own.get("temporary") or own.get("global_")) or table.name.startswith("#")


BARE_KEEPS_NAME = ("clickhouse", "duckdb", "sqlite")  # `SELECT current_user`
CAST_KEEPS_NAME = (*POSTGRES, *SPARK)
REPEATED = {"duckdb": "_", "sqlite": ":"}  # between a repeated name and its number


def told_apart(names: list[str], dialect: str) -> list[str]:
    """The columns of a new table, whose query may have several of one name: `id`, `id_1`."""
    if dialect not in REPEATED:
        return names
    apart: list[str] = []
    count: dict[str, int] = {}
    for name in names:
        own = name
        while name and own.casefold() in count:
            own = f"{name}{REPEATED[dialect]}{count[name.casefold()]}"
            count[name.casefold()] += 1
        count[own.casefold()] = 1
        apart.append(own)
    return apart


# Upper and lower case -------------------------------------------------------------------------

# Where a name keeps the case in which it is written, and is found in any case.
KEEP_CASE = ("bigquery", "duckdb", "fabric", "mysql", "sqlite", "teradata", "tsql")
LOWER_TABLES = ("databricks", "spark", "spark2", "hive")  # the same, but for names of tables


def dialect_name(dialect: Dialect) -> str:
    """sqlglot's name of a dialect."""
    return type(dialect).__name__.lower()


def normalized(node: exp.Expr, dialect: Dialect) -> exp.Expr:
    """The statement with its names in the case in which the database has them."""
    name = dialect_name(dialect)
    if name == "bigquery":
        _without_partition(node)
    if name in KEEP_CASE:
        return node
    if name == "clickhouse":
        _follow_aliases(node)
    if name not in LOWER_TABLES:
        return normalize_identifiers(node, dialect=dialect)
    for table in node.find_all(exp.Table):
        for part in table.parts:
            if isinstance(part, exp.Identifier):
                part.set("this", part.name.lower())
    return node


def _without_partition(node: exp.Expr) -> None:
    """Name the table `t` where a statement names its partition `t$20230101`."""
    for table in node.find_all(exp.Table):
        if isinstance(table.this, exp.Identifier):
            table.this.set("this", table.name.partition("$")[0])


def _follow_aliases(node: exp.Expr) -> None:
    """Name the tables that an alias in the same FROM stands for: it hides a table of its name."""
    for select in node.find_all(exp.Select):
        first = select.args.get("from_")
        clauses = [*([first] if first else ()), *(select.args.get("joins") or ())]
        tables = [clause.this for clause in clauses if isinstance(clause.this, exp.Table)]
        aliased = {table.alias: table for table in tables if table.alias}
        for table in tables:
            other = None if table.args.get("db") else aliased.get(table.name)
            if other is not None and other is not table:
                for part in ("this", "db", "catalog"):
                    table.set(part, other.args.get(part))


def show_names(node: exp.Expr) -> None:
    """Give columns the names that events have: an engine's own may have a salt in them."""
    for name in node.find_all(exp.Identifier):
        is_table = isinstance(name.parent, (exp.Table, exp.TableAlias)) and name.arg_key == "this"
        if not is_table and name.arg_key not in ("table", "db", "catalog"):
            name.set("this", shown_name(name.name))
