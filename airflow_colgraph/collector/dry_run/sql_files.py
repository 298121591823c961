"""Tells the JVM's parser, and the catalog, the columns of files that a table has."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from inspect import signature
from typing import Any

from airflow_colgraph.collector.dry_run.python_api import replace
from airflow_colgraph.collector.dry_run.schemas import DELTA, FILES, Schemas


class SqlFiles:
    """What `SqlFiles.java` asks: a format, a path and options."""

    def __init__(self, session: Callable[[], Any], schemas: Schemas) -> None:
        """`session` is the active one; `schemas` are what is known of paths."""
        self._session = session
        self._schemas = schemas

    def apply(self, asked: Any) -> str | None:
        """The JVM's call: the schema as JSON; None if Spark finds it itself, or there is none."""
        form, path, options = str(asked[0]).lower(), str(asked[1]), dict(asked[2])
        self._schemas.make_delta(self._session(), form, path)
        if form not in FILES:
            return None
        settings = {str(name).lower(): str(value) for name, value in options.items()}
        schema = self._schemas.columns(self._session(), form, [path], settings)
        return None if schema is None else str(schema.json())

    def toString(self) -> str:
        """The JVM's name of it."""
        return type(self).__name__

    class Java:
        """The Java interface that this class implements for py4j."""

        implements = ("java.util.function.Function",)


def attach(context: Any, schemas: Schemas) -> None:
    """Let the parsers of a SparkContext's sessions ask."""
    from pyspark.java_gateway import ensure_callback_server_started
    from pyspark.sql import SparkSession

    ensure_callback_server_started(context._gateway)
    context._jvm.colgraph.SqlFiles.ask(SqlFiles(SparkSession.getActiveSession, schemas))


def attach_tables(schemas: Schemas) -> None:
    """Let methods that name a table by its path know its columns, for this process."""
    from pyspark.sql.catalog import Catalog

    for name in ("createTable", "createExternalTable"):
        replace(Catalog, name, partial(described, schemas))
    try:
        from delta.tables import DeltaTable  # type: ignore[import-not-found]
    except ImportError:
        return
    for name in ("forPath", "isDeltaTable"):
        original = getattr(DeltaTable, name)
        setattr(DeltaTable, name, classmethod(wraps(original)(of_path(schemas, original))))


def of_path(schemas: Schemas, original: Any) -> Any:
    """A method of a path for which there is a table of Delta's, if its columns are known."""

    def act(kind: Any, spark: Any, path: str, *arguments: Any, **options: Any) -> Any:
        schemas.make_delta(spark, DELTA, path)
        return original(spark, path, *arguments, **options)

    return act


def described(schemas: Schemas, original: Any) -> Any:
    """A method that makes a table of files with their columns."""

    def act(self: Any, *arguments: Any, **options: Any) -> Any:
        bound = signature(original).bind(self, *arguments, **options)
        path, form = bound.arguments.get("path"), str(bound.arguments.get("source")).lower()
        if path and form in FILES and bound.arguments.get("schema") is None:
            others = bound.arguments.get("options", {})
            settings = {name.lower(): str(value) for name, value in others.items()}
            schema = schemas.columns(self._sparkSession, form, [path], settings)
            bound.arguments["schema"] = schema
        return original(*bound.args, **bound.kwargs)

    return act
