"""Runs a PySpark application dry.

main([report, scratch, schemas, known, rows, application, *arguments])
"""

from __future__ import annotations

import atexit
import json
import os
import runpy
import sys
from functools import partial, wraps
from importlib.machinery import ModuleSpec
from inspect import signature
from typing import Any

from airflow_colgraph.collector.dry_run import (
    empty_data,
    guard,
    known_sources,
    made_rows,
    python_api,
    python_effects,
    python_files,
    sample_rows,
    sql_files,
    streams,
    values,
)
from airflow_colgraph.collector.dry_run.counts import records
from airflow_colgraph.collector.dry_run.databases import Databases
from airflow_colgraph.collector.dry_run.known_sources import KnownSources, missing_source
from airflow_colgraph.collector.dry_run.notes import Notes
from airflow_colgraph.collector.dry_run.sample_rows import SampleRows
from airflow_colgraph.collector.dry_run.schemas import Schemas
from airflow_colgraph.openlineage.redaction import without_credentials

CONF = {
    "spark.sql.catalogImplementation": "in-memory",
    "spark.eventLog.enabled": "false",
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "1",
    "spark.dynamicAllocation.enabled": "false",
    "spark.colgraph.planned": "true",
    # by file systems only, without FileContext; and a cached log would count as rows that were read
    "spark.delta.logStore.class": "io.delta.storage.LocalLogStore",
    "spark.databricks.delta.snapshotCache.storageLevel": "NONE",
    "spark.sql.defaultCacheStorageLevel": "NONE",  # since Spark 4: of CACHE TABLE
    "spark.sql.iceberg.aggregate-push-down.enabled": "false",  # it would count no given rows
}
EXTENSIONS = "spark.sql.extensions"
OTHER_LOG_STORES = "spark.delta.logStore."
MASTER = "local[1]"


def main(arguments: list[str]) -> None:
    """Run the application; nothing of it runs where the guards cannot be set up."""
    report, scratch, schemas, sources, rows, application, *rest = arguments
    sys.argv = [application, *rest]
    sys.path[0] = os.path.dirname(os.path.abspath(application))
    notes = Notes(application)
    described = read_schemas(schemas) if schemas else {}
    sys.meta_path.insert(0, NoConnect())
    os.environ.pop("SPARK_REMOTE", None)
    atexit.register(notes.write, report)  # after what `attach` registers
    known = known_sources.read(sources, notes) if sources else None
    python_effects.attach(notes, scratch)
    python_files.attach(notes, scratch, described)
    attach(notes, scratch, described, known, sample_rows.read(rows) if rows else {})
    try:
        runpy.run_path(application, run_name="__main__")
    except Exception as error:
        name = missing_source(str(error))
        if name:
            notes.missing[name] = None
        raise


def read_schemas(file: str) -> dict[str, str]:
    """Tables and paths with their columns, as DDL."""
    with open(file, encoding="utf-8") as opened:
        columns = json.load(opened)
    return {str(name): str(ddl) for name, ddl in columns.items()}


def attach(
    notes: Notes,
    scratch: str,
    described: dict[str, str],
    sources: KnownSources | None,
    rows: SampleRows,
) -> None:
    """Let every SparkContext and session of this process be guarded as it begins."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    begin: Any = SparkContext._do_init
    schemas, catalogs = Schemas(notes, sources), Catalogs(os.path.join(scratch, "catalog.bin"))

    @wraps(begin)
    def _do_init(context: Any, master: Any, *arguments: Any, **options: Any) -> None:
        bound = signature(begin).bind(context, master, *arguments, **options)
        bound.arguments["master"] = MASTER
        bound.arguments["conf"] = harmless(bound.arguments.get("conf"))
        begin(*bound.args, **bound.kwargs)
        try:
            guard.install(context, scratch)
            sample_rows.install(context, rows)
        except BaseException:
            context.stop()
            raise
        schemas.attach()
        sql_files.attach(context, schemas)

    SparkContext._do_init = _do_init

    start: Any = SparkSession.__init__

    @wraps(start)
    def __init__(session: Any, *arguments: Any, **options: Any) -> None:
        start(session, *arguments, **options)
        guard.guard_session(session._jsparkSession, session._jvm)
        catalogs.begin(session)
        for name, ddl in described.items():
            describe(session, name, ddl, schemas)
        described.clear()

    SparkSession.__init__ = __init__
    builder = SparkSession.Builder
    builder.enableHiveSupport = lambda self: self

    end: Any = SparkContext.stop

    @wraps(end)
    def stop(context: Any) -> None:
        if context._jsc is not None:
            look(context, notes)
            catalogs.end(context)
        end(context)

    SparkContext.stop = stop
    atexit.register(lambda: look_at_active(notes, catalogs))
    python_api.attach(notes)
    values.attach(notes)
    empty_data.attach(notes)
    made_rows.attach(notes)
    streams.attach(notes)
    Databases(described).attach()
    sql_files.attach_tables(schemas)
    if sources is not None:
        known_sources.attach(sources, partial(describe, schemas=schemas))


def harmless(conf: Any) -> Any:
    """The properties of the application, with those that a plan needs; Delta's log stores are ours.

    `conf` is the program's SparkConf, which need not have the properties of spark-submit yet.
    """
    from pyspark import SparkConf, SparkContext

    whole: Any = SparkConf(_jvm=SparkContext._jvm)
    for name, value in conf.getAll() if conf is not None else ():
        whole.set(name, value)
    for name, _ in whole.getAll():
        if name.startswith(OTHER_LOG_STORES):
            whole._jconf.remove(name)
    extensions = [*whole.get(EXTENSIONS, "").split(","), guard.EXTENSION]
    own = {"spark.master": MASTER, EXTENSIONS: ",".join(filter(None, extensions))}
    for name, value in {**CONF, **own}.items():
        whole.set(name, value)
    return whole


def describe(session: Any, name: str, ddl: str, schemas: Schemas) -> None:
    """A table, in the job's own catalog, or a path."""
    if "/" in name:
        schemas.describe(session, name, ddl)
        return
    database = name.rpartition(".")[0]
    if database:
        guard.run_unseen(session, f"CREATE DATABASE IF NOT EXISTS {database}")
    guard.run_unseen(session, f"CREATE TABLE IF NOT EXISTS {name} ({ddl}) USING parquet")


class Catalogs:
    """The catalog of each SparkContext, which begins with what the one before it has left."""

    def __init__(self, file: str) -> None:
        """`file` is where it is kept, also for the next task of a DAG."""
        self._file = file
        self._catalogs: dict[Any, Any] = {}

    def begin(self, session: Any) -> None:
        """A session begins; the first one of its SparkContext has the catalog's tables again."""
        context = session.sparkContext
        if context not in self._catalogs:
            catalog = session._jsparkSession.sharedState().externalCatalog().unwrapped()
            self._catalogs[context] = catalog
            session._jvm.colgraph.PlannedCatalog.restore(catalog, self._file)

    def end(self, context: Any) -> None:
        """Keep the catalog of a SparkContext that stops."""
        catalog = self._catalogs.pop(context, None)
        if catalog is not None:
            context._jvm.colgraph.PlannedCatalog.save(catalog, self._file)


def look_at_active(notes: Notes, catalogs: Catalogs) -> None:
    """Look at the context that the application has not stopped."""
    from pyspark import SparkContext

    context = SparkContext._active_spark_context
    if context is not None and context._jsc is not None:
        look(context, notes)
        catalogs.end(context)


def look(context: Any, notes: Notes) -> None:
    """Note what Spark has counted, and what the guards have seen."""
    read, written = records(context)
    facts = notes.facts
    of_logs = int(context._jvm.colgraph.LakeTables.logRows()) - facts.get("logRecords", 0)
    facts["logRecords"] = facts.get("logRecords", 0) + of_logs
    made, kept = notes.made_records
    notes.made_records = (0, 0)
    facts["inputRecords"] = facts.get("inputRecords", 0) + read - of_logs - made
    facts["outputRecords"] = facts.get("outputRecords", 0) + written - kept
    facts["unguarded"] = guard.unguarded(context._jvm)
    for command in list(context._jvm.colgraph.DryRunStrategy.skipped()):
        name, *target = str(command).split("\n")
        shown = " ".join(without_credentials(part) for part in target)
        notes.skipped[f"{name} into {shown}" if shown else name] = None


class NoConnect:
    """Refuses the client of Spark Connect: its server would run the job without guards."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Refuse the client."""
        if name.startswith("pyspark.sql.connect.client"):
            raise ImportError("colgraph plan: a job of Spark Connect cannot be planned")
        return None
