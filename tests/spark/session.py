"""A real Spark session whose queries the cases look at."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pyspark import SparkContext
from pyspark.sql import SparkSession

from airflow_colgraph.collector.driver import attach, listener
from airflow_colgraph.collector.driver.worker import Worker
from tests.collector.cases import frames
from tests.collector.cases.loader import Case, settings_of, tables

ROOMY = (("queryBudgetSeconds", "300"), ("exitTimeoutSeconds", "300"))  # beside other tests


class Session:
    """Spark with the collector in it, and the tables of the cases."""

    def __init__(
        self,
        root: Path,
        settings: dict[str, str] | None = None,
        jars: tuple[str, ...] = (),
        statements: list[str] | None = None,
    ) -> None:
        """`jars` are connectors that the JVM starts with; `statements` make other tables."""
        self.jars = jars
        self.settings = settings or {}
        self.root = root
        self.sink = root / "events.ndjson"
        frames.ROOT = str(root)
        conf = {
            "spark.ui.enabled": "false",
            "spark.sql.shuffle.partitions": "1",
            "spark.sql.codegen.factoryMode": "NO_CODEGEN",
            "spark.sql.warehouse.dir": str(root / "warehouse"),
            "spark.colgraph.sink": str(self.sink),
            **{f"spark.colgraph.{name}": value for name, value in ROOMY},
            "spark.sql.catalogImplementation": "in-memory",
            "spark.sql.legacy.createHiveTableByDefault": "false",  # as from Spark 4.0 on
            **self.settings,
        }
        if jars:
            end_jvm()
            conf["spark.jars"] = ",".join(jars)
        builder = SparkSession.builder.master("local[1]").appName("cases")
        for name, value in conf.items():
            builder = builder.config(name, value)
        self.spark = builder.getOrCreate()
        self.spark.sparkContext.setLogLevel("OFF")
        for statement in tables() if statements is None else statements:
            self.spark.sql(statement)
        listener.install(self.spark)
        attach.follow_loaded()  # as a driver is followed, too
        self.events()

    @property
    def worker(self) -> Worker:
        (application,) = listener._applications.values()
        return application.worker

    def events(self) -> list[dict[str, Any]]:
        """What has been written since the last call."""
        listener.drain()
        lines = self.sink.read_text().splitlines()
        self.sink.write_text("")
        events = [json.loads(line) for line in lines]
        assert {text for event in events for text in errors_of(event)} == set()
        return events

    def run(self, case: Case) -> list[dict[str, Any]]:
        """The events of a case, under its own options."""
        self.events()
        before = self.worker.pipeline.settings
        self.worker.pipeline.settings = settings_of((*ROOMY, *case.properties))
        try:
            return self._run(case)
        finally:
            self.worker.pipeline.settings = before

    def _run(self, case: Case) -> list[dict[str, Any]]:
        if case.job is not None:
            case.job(self.spark)
        else:
            self.spark.sql(case.statement.replace("${root}", str(self.root)))
        return self.events()

    def stop(self) -> None:
        listener.finish()
        system: Any = self.spark.sparkContext._jvm.java.lang.System  # type: ignore[union-attr]
        for name in self.settings:  # a JVM that began with them has them for later sessions, too
            system.clearProperty(name)
        self.spark.stop()
        if self.jars:
            end_jvm()


def errors_of(event: dict[str, Any]) -> Iterator[str]:
    """What is wrong with an event; the environments of other Sparks lack what the check needs."""
    if find_spec("openlineage") is not None:
        from tests.openlineage.event_validator import errors

        yield from errors(event)


def end_jvm() -> None:
    """End this process' JVM: only a new one can start with other jars."""
    gateway = SparkContext._gateway
    if gateway is None:
        return
    gateway.shutdown()
    gateway.proc.stdin.close()  # type: ignore[attr-defined]
    gateway.proc.wait(60)  # type: ignore[attr-defined]
    SparkContext._gateway = None
    SparkContext._jvm = None


Run = Callable[[Case], list[dict[str, Any]]]
