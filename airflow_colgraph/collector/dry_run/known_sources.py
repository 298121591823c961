"""The columns of sources that are known beforehand: from a lineage store, or from earlier plans.

A store's are used when a reader finds no path, or a statement no table: what is there counts first,
and a target of the job is not made by them. Those of earlier plans, of the tasks before this one in
a DAG, count before what is there, which those tasks would have replaced.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import wraps
from typing import Any, Optional

from airflow_colgraph.collector.dry_run.notes import Notes
from airflow_colgraph.collector.naming.datasets import file_dataset

Row = tuple[str, str, Optional[str]]
NAME = r"(?:`[^`]+`|[^\s`.;,\]]+)"
MISSING = re.compile(rf"[Tt]able or view (?:not found: )?({NAME}(?:\.{NAME})*)")
MISSING_PATH = re.compile(r"Path does not exist: (\S+?)[.,;]?(?:\s|$)")
SESSION_CATALOG = "spark_catalog."


class KnownSources:
    """Columns as DDL, by the names of datasets."""

    def __init__(self, stored: Iterable[Row], planned: Iterable[Row], notes: Notes) -> None:
        """Take rows of namespaces, names and columns; what has no types is noted on its use."""
        self._notes = notes
        self._planned = {(namespace, name): ddl for namespace, name, ddl in planned}
        self._datasets: dict[tuple[str, str], str | None] = {}
        self._tables: dict[str, str | None] = {}
        for namespace, name, ddl in stored:
            self._datasets[namespace, name] = ddl
            if "/" not in name:
                table = name.lower()
                is_other = self._tables.get(table, ddl) != ddl
                self._tables[table] = None if is_other else ddl
        for (_, name), ddl in self._planned.items():
            if "/" not in name:
                self._tables[name.lower()] = ddl

    def planned_path(self, uri: str) -> str | None:
        """The columns that an earlier plan would have written to a path."""
        dataset = file_dataset(uri)
        return self._planned.get((dataset.namespace, dataset.name))

    def path(self, uri: str) -> str | None:
        """The columns of a path, if they are known."""
        dataset = file_dataset(uri)
        return self._found(self._datasets, (dataset.namespace, dataset.name), dataset.name)

    def table(self, name: str, database: str) -> str | None:
        """The columns of a table, if they are known; `database` is the current one."""
        name = name.lower()
        whole = name if "." in name else f"{database.lower()}.{name}"
        key = next((candidate for candidate in (whole, name) if candidate in self._tables), name)
        return self._found(self._tables, key, key)

    def _found(self, columns: dict[Any, str | None], key: Any, shown: str) -> str | None:
        ddl = columns.get(key)
        if key in columns and ddl is None:
            self._notes.unknown[shown] = None
        return ddl


def read(file: str, notes: Notes) -> KnownSources:
    """The file that the command line has written."""
    with open(file, encoding="utf-8") as opened:
        sources = json.load(opened)
    return KnownSources(sources["stored"], sources["planned"], notes)


def missing_table(message: str) -> str:
    """The name of the table that Spark has not found, as it is in the message; else empty.

    >>> missing_table("[TABLE_OR_VIEW_NOT_FOUND] The table or view `raw`.`a` cannot be found.")
    'raw.a'
    >>> missing_table("Table or view not found: raw.a; line 1 pos 14;")
    'raw.a'
    >>> missing_table("[UNRESOLVED_COLUMN] A column cannot be resolved.")
    ''
    """
    match = MISSING.search(message)
    name = match.group(1).replace("`", "") if match else ""
    return name[len(SESSION_CATALOG) :] if name.startswith(SESSION_CATALOG) else name


def missing_source(message: str) -> str:
    """The table or path that Spark has not found, as it is in the message; else empty.

    >>> missing_source("[PATH_NOT_FOUND] Path does not exist: file:/lake/a. SQLSTATE: 42K03")
    'file:/lake/a'
    """
    match = MISSING_PATH.search(message)
    return match.group(1) if match else missing_table(message)


def attach(sources: KnownSources, make: Any) -> None:
    """Let tables that are not found be made, by `make(session, name, ddl)`, and looked up again."""
    from pyspark.sql import DataFrameReader, DataFrameWriter, SparkSession

    for owner, name, session in (
        (SparkSession, "sql", lambda self: self),
        (SparkSession, "table", lambda self: self),
        (DataFrameReader, "table", lambda self: self._spark),
        (DataFrameWriter, "insertInto", lambda self: self._df.sparkSession),
    ):
        original = getattr(owner, name)
        setattr(owner, name, wraps(original)(looking_again(original, session, sources, make)))


def looking_again(original: Any, session_of: Any, sources: KnownSources, make: Any) -> Any:
    """A method that is called again when a table that it lacked has been made."""
    from pyspark.sql.utils import AnalysisException

    def act(self: Any, *arguments: Any, **options: Any) -> Any:
        tried: set[str] = set()
        while True:
            try:
                return original(self, *arguments, **options)
            except AnalysisException as error:
                name = missing_table(str(error))
                session = session_of(self)
                ddl = None
                if name and name not in tried:
                    ddl = sources.table(name, str(session.catalog.currentDatabase()))
                if ddl is None:
                    raise
                tried.add(name)
                make(session, name, ddl)

    return act
