"""Runs made programs that leave something for later statements, and judges what they write."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession, Window, functions

from airflow_colgraph.collector.driver import listener
from tests.spark.perturb.judge import Judge
from tests.spark.perturb.lakes import inputs_of
from tests.spark.perturb.oracle import Source
from tests.spark.perturb.programs import Program
from tests.spark.perturb.session import session_of, with_functions
from tests.spark.perturb.tables import TABLES
from tests.spark.session import Session

DATABASE = "p"


class StateProgram(Program):
    """Lines of Python, as `stateful` makes them."""

    def __init__(self, text: str, session: Session) -> None:
        """Nothing is run before it is asked."""
        super().__init__(text, session.spark)
        self.session = session
        self.streams = 0

    def over(self, name: Callable[[str], str]) -> DataFrame:
        """What the program comes to over the tables as `name` calls them.

        Only over the stored tables is a stream one: over others its function gets their rows.
        """
        is_stored = name("t1").startswith(f"{DATABASE}.")

        def table(wanted: str, session: SparkSession | None = None) -> DataFrame:
            return (session or self.spark).table(name(wanted))

        def streamed(wanted: str, act: Callable[[DataFrame], DataFrame]) -> DataFrame:
            return self.stream(wanted, act) if is_stored else act(table(wanted))

        known: dict[str, Any] = {
            "T": table,
            "S": self.spark,
            "F": functions,
            "W": Window,
            "streamed": streamed,
            "together": together,
            "another": self.another,
        }
        self.spark.catalog.clearCache()
        exec(self.text, known)
        found: DataFrame = known["out"]
        return found

    def another(self) -> SparkSession:
        """A new session, which a job's collector would follow by itself."""
        found = with_functions(self.spark.newSession())
        listener.install(found)
        return found

    def stream(self, table: str, act: Callable[[DataFrame], DataFrame]) -> DataFrame:
        """What a function makes of the only batch of a stream of a stored table."""
        kept: list[DataFrame] = []
        self.streams += 1
        place = f"{self.session.root}/streams/{id(self)}-{self.streams}"
        path = f"{self.session.root}/warehouse/{DATABASE}.db/{table}"
        schema = self.spark.table(f"{DATABASE}.{table}").schema
        writer = self.spark.readStream.schema(schema).parquet(path).writeStream
        writer = writer.foreachBatch(lambda batch, number: kept.append(act(batch)))
        query = writer.option("checkpointLocation", place).trigger(availableNow=True).start()
        query.awaitTermination()
        return kept[0]


def together(*acts: Callable[[], DataFrame]) -> list[DataFrame]:
    """What functions give that run in threads of their own."""
    with ThreadPoolExecutor(len(acts)) as pool:
        return [found.result() for found in [pool.submit(act) for act in acts]]


class StateJudge(Judge):
    """A judge of programs: what is reported of their last write, by what the collector heard."""

    def reported_missing(self) -> frozenset[Source]:
        """The columns of tables that the last event names as read for rows of the driver's.

        Where the event has something unresolved, those of all tables.
        """
        named = {
            item["name"].rsplit("/", 1)[-1]
            for output in self.diagnostics.get("throughDriver", ())
            for item in output["datasets"]
        }
        return frozenset(
            (table, (name,))
            for table, columns in self.tables.items()
            if table in named or self.diagnostics.get("unresolved")
            for name in columns
        )

    def reported(self, program: Program) -> dict[str, Any] | None:
        """The columnLineage facet of what the program writes, its columns by their positions."""
        worker, target = self.session.worker, f"{self.session.root}/out"
        before, worker.pipeline.settings = worker.pipeline.settings, self.settings
        self.session.events()
        worker.on = True
        try:
            frame = program.over(lambda table: f"{DATABASE}.{table}")
            numbered = frame.toDF(*map(str, range(len(frame.columns))))
            numbered.write.mode("overwrite").parquet(target)
        finally:
            events = self.session.events()
            worker.on, worker.pipeline.settings = False, before
        (event,) = (e for e in events if e["outputs"] and e["outputs"][0]["name"] == target)
        self.diagnostics = event["run"]["facets"]["colgraph_diagnostics"]
        facet = dict(event["outputs"][0]["facets"]["columnLineage"])
        facet = {"fields": facet["fields"], "dataset": facet.get("dataset", [])}
        self.names |= {item["name"]: item["name"].rsplit("/", 1)[-1] for item in inputs_of(facet)}
        return facet


def judge_of(root: Path, seed: int) -> StateJudge:
    """A judge whose stored tables have rows, for what a program collects and for streams."""
    session = session_of(root)
    session.spark.sparkContext.setCheckpointDir(f"{root}/checkpoints")
    session.spark.conf.set("spark.sql.scripting.enabled", "true")
    judge = StateJudge(session, DATABASE, TABLES, seed)
    for table, frame in judge.base.items():
        frame.coalesce(1).write.insertInto(f"{DATABASE}.{table}")
    return judge
