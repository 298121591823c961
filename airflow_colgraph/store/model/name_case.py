"""The name that a database has for a table or column which a job may spell otherwise. Pure.

A database folds names without quotes: Snowflake, Oracle and Db2 to upper case, PostgreSQL and
Redshift to lower case. Trino, Presto, Hive and Athena have lower case only, also in quotes. Events
have names as somebody typed them, so the rules join a spelling with the folded name only where
nothing else can be meant, short of a name that is quoted in the other case in all its parts:

* in quotes (`shop.public."Orders"`): the quoted parts are exact, the others are folded;
* else a whole name of three parts, all letters in the case that the database folds away.

A name in mixed case, or of fewer parts, is left alone: it may be a quoted one. Of databases whose
settings decide (MySQL, SQL Server) and of those that keep case (BigQuery), nothing is folded.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from airflow_colgraph.store.model.lineage_body import Field


class Rule(NamedTuple):
    """How a kind of database treats the case of names."""

    upper: bool  # folded to upper case, else to lower
    has_exact: bool = True  # a name in quotes keeps its case
    from_url: int = 0  # leading parts that are the connection's, and no identifier


ALWAYS_LOWER = Rule(upper=False, has_exact=False)
RULES = {
    "snowflake": Rule(upper=True),
    "oracle": Rule(upper=True, from_url=1),
    "db2": Rule(upper=True, from_url=1),
    "postgres": Rule(upper=False, from_url=1),
    "redshift": Rule(upper=False, from_url=1),
    "trino": ALWAYS_LOWER,
    "presto": ALWAYS_LOWER,
    "hive": ALWAYS_LOWER,
    "awsathena": ALWAYS_LOWER,
}
# Snowflake's own events add the kind of an object to the namespace. These share their names; a
# stage may be called like a table.
SNOWFLAKE_TABLES = {
    *("table", "view", "materialized view", "external table", "dynamic table", "event table"),
    *("iceberg table", "secure view"),
}
DEFAULT_REGION = ["us-west-1", "aws"]
PART = re.compile(r'"(?:[^"]|"")+"|[^."]+')


@lru_cache(maxsize=65536)
def canonical(dataset: Field) -> Field:
    """The dataset under the name that its database has, itself if no other name is certain.

    >>> canonical(Field("snowflake://Acme-Eu/Table", "db.shop.orders", ""))
    Field(namespace='snowflake://acme-eu', name='DB.SHOP.ORDERS', field='')
    """
    rule = _rule(dataset.namespace)
    if rule is None:
        return dataset
    return Field(_namespace(dataset.namespace), _table(rule, dataset.name), "")


def column(namespace: str, name: str) -> str:
    """A column's name as the database of the namespace has it.

    >>> column("snowflake://acme-eu", "id"), column("snowflake://acme-eu", "rowId")
    ('ID', 'rowId')
    """
    rule = _rule(namespace)
    return name if rule is None else _folded(rule, name)


@lru_cache(maxsize=4096)
def _rule(namespace: str) -> Rule | None:
    scheme, separator, rest = namespace.partition("://")
    if scheme == "snowflake" and "/" in rest:
        kind = rest.partition("/")[2].lower()
        return RULES[scheme] if kind in SNOWFLAKE_TABLES else None
    return RULES.get(scheme) if separator else None


@lru_cache(maxsize=4096)
def _namespace(namespace: str) -> str:
    scheme, _, rest = namespace.partition("://")
    rest = rest.rstrip("/").lower()
    return f"{scheme}://{_account(rest) if scheme == 'snowflake' else rest}"


def _account(rest: str) -> str:
    """An account's name without its domain; a locator of a URL has Snowflake's default region."""
    account, domain, _ = rest.partition("/")[0].partition(".snowflakecomputing.")
    parts = account.split(".")
    if not domain or "-" in parts[0]:
        return account
    return ".".join([*parts, *DEFAULT_REGION[len(parts) - 1 :]])


def _folded(rule: Rule, text: str) -> str:
    """The text, folded if all its letters are in the case that the database folds away."""
    typed = text.lower() if rule.upper else text.upper()
    if not text.isascii() or (rule.has_exact and text != typed):
        return text  # how letters beyond ASCII are folded depends on the database's settings
    return _in_case(rule, text)


def _in_case(rule: Rule, text: str) -> str:
    return text.upper() if rule.upper else text.lower()


def _table(rule: Rule, name: str) -> str:
    if not rule.has_exact:
        return _folded(rule, name.replace('"', ""))
    parts = PART.findall(name)
    if '"' in name:
        exact = _exact(rule, parts)
        is_certain = ".".join(parts) == name and len(exact) == len(parts)
        unquoted = ".".join(exact)
        # What is quoted in the case that is folded away has no other name that is certain.
        return unquoted if is_certain and _table(rule, unquoted) == unquoted else name
    if len(parts) != 3 or ".".join(parts) != name:
        return name
    kept, typed = parts[: rule.from_url], ".".join(parts[rule.from_url :])
    return ".".join([*kept, _folded(rule, typed)])


def _exact(rule: Rule, parts: list[str]) -> list[str]:
    """The parts without their quotes; parts that have no such form are left out."""
    exact = []
    for number, part in enumerate(parts):
        inner = part[1:-1].replace('""', '"') if part.startswith('"') else part
        if not set('."') & set(inner) and (inner is not part or part.isascii()):
            is_typed = inner is part and number >= rule.from_url
            exact.append(_in_case(rule, inner) if is_typed else inner)
    return exact
