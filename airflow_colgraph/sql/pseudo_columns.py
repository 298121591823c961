"""Columns that a database adds to its tables: no schema lists them, no query fills them. Pure."""

from __future__ import annotations

import re

from sqlglot import exp

_POSTGRES = "ctid [cx]min [cx]max tableoid oid"
_HIVE = "input__file__name block__offset__inside__file row__id"
_SPARK = f"_metadata _rescued_data {_HIVE}"
_CONNECT_BY = "level connect_by_isleaf connect_by_iscycle"
_STATE = "sqlcode sqlerrm sqlstate sqlrowcount sqlfound sqlnotfound"  # of a block's statements
# By dialect: what is one if no table lists it, as patterns of whole names.
PSEUDO = {
    "athena": r"\$\w+",
    "bigquery": r"_partition(time|date) _table_suffix _file_name _change_\w+",
    "clickhouse": r"_(part|partition)(_\w+)? _(path|file|size|time|table|database|sample_factor)",
    "databricks": rf"{_SPARK} _change_type _commit_(version|timestamp)",
    "duckdb": "rowid filename file_row_number",
    "hive": f"{_HIVE} grouping__id",
    "mysql": "_rowid",
    "oracle": rf"{_CONNECT_BY} rownum rowid ora_rowscn sysdate systimestamp user uid "
    rf"(db|session)timezone object_(id|value) versions_\w+ {_STATE}",
    "postgres": f"{_POSTGRES} {_STATE}",
    "presto": r"\$\w+",
    "redshift": rf"{_POSTGRES} metadata\$\w+ \$(path|size|spectrum_oid) pseudo_id",
    "snowflake": rf"{_CONNECT_BY} metadata\$\w+ {_STATE}",
    "spark": _SPARK,
    "sqlite": "rowid _rowid_ oid",
    "trino": r"\$\w+",
    "tsql": r"\$(action|identity|rowguid|partition|node_id|edge_id|from_id|to_id) %%\w+%%",
}
# Words that are functions where they are not quoted, even if a table has such a column.
FUNCTIONS = {
    "oracle": {"user", "uid", "level", "rownum", "sysdate"},
    "postgres": {"user"},
    "redshift": {"user", "sysdate"},
    "teradata": {"user", "date", "time"},
    "tsql": {"user"},
}
_PRESTO = ("athena", "presto", "trino")
_ANSI = (*_PRESTO, "mysql", "postgres", "redshift", "snowflake")
# Where a column comes before a function without brackets of its name.
COLUMNS_FIRST = (
    *("clickhouse", "databricks", "duckdb", "postgres", *_PRESTO, "snowflake", "spark"),
    *("sqlite", "tsql"),
)
_LITERALS = (*_ANSI, "bigquery", "clickhouse", "databricks", "duckdb", "hive", "spark", "teradata")
# Where no column without quotes has the name of a function without brackets.
RESERVED: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("true", "false"), _LITERALS),
    **dict.fromkeys(
        ("current_date", "current_time", "current_timestamp"), (*_ANSI, "sqlite", "tsql")
    ),
    **dict.fromkeys(("localtime", "localtimestamp"), _ANSI),
    "current_user": (*_ANSI, "tsql"),
    "session_user": ("postgres", "redshift", "tsql"),
    "current_role": (*_PRESTO, "postgres"),
    **dict.fromkeys(("current_catalog", "current_schema"), (*_PRESTO, "postgres")),
}
_PATTERNS = {name: re.compile(text.replace(" ", "|"), re.I) for name, text in PSEUDO.items()}
SEQUENCE = {"NEXTVAL", "CURRVAL"}
SEQUENCE_DIALECTS = ("oracle", "snowflake")  # where they stand behind a sequence's name
_USUAL = {
    *(("snowflake", "level"), ("duckdb", "filename"), ("postgres", "oid"), ("redshift", "oid")),
    *(("oracle", "object_id"), ("oracle", "object_value")),
    *((dialect, name) for dialect in PSEUDO for name in _STATE.split(" ")),
}


def is_function(node: exp.Column, dialect: str) -> bool:
    """Whether a column is a function that has no brackets: PostgreSQL's `user`."""
    is_bare = len(node.parts) == 1 and not node.this.args.get("quoted")
    return is_bare and node.name.casefold() in FUNCTIONS.get(dialect, ())


def bare_name(node: exp.Expr) -> str:
    """The name of a function that has no brackets, in lower case; "" of one that has them."""
    if isinstance(node, exp.Boolean):
        return "true" if node.this else "false"
    if not isinstance(node, exp.Func) or node.args or "start" in node.meta:
        return ""
    return str(node.sql_name()).lower()


def is_pseudo(parts: tuple[str, ...], dialect: str, *, is_open: bool = False) -> bool:
    """Whether a name that no table lists is a pseudo-column, or a sequence's value: `s.nextval`.

    A table whose columns are unknown (`is_open`) may have those that users name so, too.
    """
    if len(parts) > 1 and parts[-1].upper() in SEQUENCE:
        return True
    pattern = _PATTERNS.get(dialect)
    usual = _USUAL if is_open else ()
    return pattern is not None and any(
        pattern.fullmatch(name) and (dialect, name.casefold()) not in usual for name in parts
    )
