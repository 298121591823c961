"""Columns called by a keyword, `interval` or `fetch`, quoted where sqlglot reads the word. Pure."""

from __future__ import annotations

from sqlglot import Dialect, exp
from sqlglot.tokens import TokenType  # type: ignore[attr-defined]

from airflow_colgraph.sql.tokens import Text

WORDS = {
    *("ALL", "DISTINCT", "FROM", "INTERVAL", "SELECT"),
    *("ANY", "AS", "EXCEPT", "FETCH", "GLOBAL", "INTERSECT", "INTO", "JOIN", "LATERAL", "MINUS"),
    *("ON", "REGEXP", "RLIKE", "SAMPLE", "TABLESAMPLE", "UNION", "USING", "VALUES", "VARIADIC"),
    *("WINDOW", "WITH"),
}  # fmt: skip
RESERVED = {"INTERVAL": ("mysql", "bigquery"), "VALUES": ("mysql", "sqlite", "tsql")}
# Where a word can be a column, if it can't elsewhere.
ONLY = {"ON": ("clickhouse",), "VARIADIC": ("redshift",)}
BY_ALL = ("athena", "presto", "trino")  # where `GROUP BY all` means a column
UNITS = {
    f"{unit}{plural}"
    for unit in (
        *("YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"),
        *("MILLISECOND", "MICROSECOND", "NANOSECOND"),
    )
    for plural in ("", "S")
}
_OPERATORS = {"+", "-", "*", "/", "%", "=", "<", ">", "<=", ">=", "<>", "!=", "||"}
# Before and behind a value, and before the list of a function's arguments.
BEFORE = {
    *(",", "(", "SELECT", "DISTINCT", "WHERE", "AND", "OR", "NOT", "ON", "BY", "HAVING", "CASE"),
    *("WHEN", "THEN", "ELSE", "BETWEEN", "LIKE"),
} | _OPERATORS  # fmt: skip
BEHIND = {
    *(",", ")", "AS", "IS", "IN", "NOT", "BETWEEN", "LIKE", "FROM", "AND", "OR", "ASC", "DESC"),
    *("WHEN", "THEN", "ELSE", "END", "WHERE", "GROUP", "ORDER", "HAVING", "LIMIT", "UNION", "::"),
    "",
} | _OPERATORS  # fmt: skip
_LISTED = {",", ")"}
# What stands behind these words only if they are columns.
_BEHIND_OF = {
    **dict.fromkeys(("DISTINCT", "SELECT"), _LISTED),
    **{"ALL": BEHIND - _OPERATORS, "FROM": {*_LISTED, "AS", "FROM", ""}},
}
_NO_FUNCTION = {"FROM", "JOIN", "IN", "AS", "EXISTS", "ANY", "ALL", "SOME", "LATERAL", ",", "("}


def quoted_word(whole: Text, at: int, dialect: str) -> None:
    """`interval + 1`, `coalesce(values, 0)`, `any - 1` of columns with these names."""
    if _is_word(whole.words, at, dialect) or _is_no_introducer(whole, at):
        chosen = Dialect.get_or_raise(dialect)
        name = chosen.normalize_identifier(exp.to_identifier(whole.said(at, at)))
        name.set("quoted", True)
        whole.replace(at, at, name.sql(dialect=chosen))


def _is_word(words: list[str], at: int, dialect: str) -> bool:
    """Whether it is one of the WORDS that the dialect has as a column's name, and is one here."""
    word = words[at]
    if word not in WORDS or dialect in RESERVED.get(word, ()):
        return False
    if dialect not in ONLY.get(word, (dialect,)):
        return False
    if word == "ALL" and words[at - 1].split(" ")[-1] == "BY" and dialect not in BY_ALL:
        return False
    return (_is_interval if word == "INTERVAL" else _is_column)(words, at)


def _is_no_introducer(whole: Text, at: int) -> bool:
    """Whether MySQL's `_utf8` stands before no text: MariaDB has a column named `_gb18030`."""
    kinds = [token.token_type for token in whole.tokens[at : at + 2]]
    is_text = kinds[-1].name.endswith("STRING") or kinds[-1] == TokenType.PLACEHOLDER
    return kinds[0] == TokenType.INTRODUCER and not is_text


def _is_interval(words: list[str], at: int) -> bool:
    """Whether the word is a column before an operator: no sign of `INTERVAL -1 DAY`, no type."""
    sign, value, unit, *_ = [*words[at + 1 : at + 4], "", "", ""]
    if words[at - 1] in ("::", "AS", "."):
        return False
    return sign == "*" or (sign in ("+", "-") and value != "'" and unit not in UNITS)


def _is_column(words: list[str], at: int) -> bool:
    """Whether the word stands for a value, and begins no rows; `ORDER BY` is one of the words."""
    before, behind = words[at - 1].split(" ")[-1], [*words[at + 1 : at + 2], ""][0].split(" ")[0]
    if before == "." and behind != "(":
        return True
    is_signed = behind in ("+", "-") or words[at] == "ANY"  # PIVOT (.. IN (ANY))
    is_list = before == "(" and is_signed and words[at - 2] in _NO_FUNCTION
    return before in BEFORE and behind in _BEHIND_OF.get(words[at], BEHIND) and not is_list
