"""Judges commands on tables of lakes: what other values change in the table then."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from pyspark.sql import DataFrame, SparkSession

from tests.spark.jars import jars
from tests.spark.perturb.commands import KEPT, TARGET
from tests.spark.perturb.data import ddl
from tests.spark.perturb.judge import Judge
from tests.spark.perturb.programs import TABLE, Program
from tests.spark.perturb.session import SETTINGS
from tests.spark.perturb.tables import statements
from tests.spark.session import Session

CATALOG = "spark.sql.catalog.ice"
MODES = "'write.merge.mode' = '{0}', 'write.update.mode' = '{0}', 'write.delete.mode' = '{0}'"


class Lake(NamedTuple):
    """Where the target is, and how it is made."""

    target: str
    made: str  # what follows its columns
    jars: tuple[str, ...]
    settings: dict[str, str]
    fills: tuple[str, ...] = ("INSERT OVERWRITE {target} SELECT * FROM {source}",)


def iceberg(mode: str) -> Lake:
    """A target whose rows are changed by the mode's way."""
    settings = {
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        CATALOG: "org.apache.iceberg.spark.SparkCatalog",
        f"{CATALOG}.type": "hadoop",
        f"{CATALOG}.warehouse": "{root}/ice",
    }
    made = f"USING iceberg TBLPROPERTIES ({MODES.format(mode)})"
    return Lake("ice.lake.target", made, ("iceberg-spark-runtime-4.1_2.13",), settings)


LAKES = {
    "copy-on-write": iceberg("copy-on-write"),
    "merge-on-read": iceberg("merge-on-read"),
    "delta": Lake(
        "spark_catalog.lake.target",
        "USING delta",
        ("delta-spark_4.1_2.13", "delta-storage"),
        {
            "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
            "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
            "spark.databricks.delta.snapshotPartitions": "1",
        },
        (  # a new log each time: after ten commits Delta looks for methods that 4.1.3 has not
            "DROP TABLE {target}",
            "CREATE TABLE {target} USING delta AS SELECT * FROM {source}",
        ),
    ),
}


class Command(Program):
    """A command on a lake's target, over several sets of tables."""

    def __init__(self, text: str, spark: SparkSession, lake: Lake) -> None:
        """Nothing is run before it is asked."""
        super().__init__(text, spark)
        self.target = lake.target
        self.fills = lake.fills

    def over(self, name: Callable[[str], str]) -> DataFrame:
        """The target after the command."""
        self.fill(name)
        self.execute(name)
        return self.spark.table(self.target)

    def fill(self, name: Callable[[str], str]) -> None:
        """The target as it is before the command."""
        for statement in self.fills:
            self.spark.sql(statement.format(target=self.target, source=name("target")))

    def execute(self, name: Callable[[str], str]) -> None:
        """The command itself, after a query whose rows are kept for it."""
        tables = {"target": self.target}
        text = TABLE.sub(lambda found: tables.get(found[1]) or name(found[1]), self.text)
        *before, statement = text.split(" ;; ")
        for query in before:
            self.spark.sql(query).localCheckpoint().createOrReplaceTempView(KEPT)
        self.spark.sql(statement)


class LakeJudge(Judge):
    """A judge of commands: a column may always stay as it was in rows that are left alone."""

    def reported(self, program: Program) -> dict[str, Any] | None:
        """The columnLineage facet of a command, its columns called by their positions."""
        assert isinstance(program, Command)
        worker = self.session.worker
        before, worker.pipeline.settings = worker.pipeline.settings, self.settings
        program.fill(lambda table: f"{self.database}.{table}")
        self.session.events()
        worker.on = True
        try:
            program.execute(lambda table: f"{self.database}.{table}")
            events = [event for event in self.session.events() if event["outputs"]]
        finally:
            worker.on, worker.pipeline.settings = False, before
        if not events:
            return None
        ((output,),) = (event["outputs"] for event in events)
        found = output["facets"].get("columnLineage")
        self.names |= {item["name"]: item["name"].rsplit("/", 1)[-1] for item in inputs_of(found)}
        places = {name: str(place) for place, name in enumerate(TARGET)}
        fields = {name: {"inputFields": []} for name in TARGET} | dict(found["fields"])
        self.names["/own"] = "target"
        for name, entry in fields.items():
            step = {"type": "DIRECT", "subtype": "OWN"}
            own = {"name": "/own", "field": name, "transformations": [step]}
            entry["inputFields"] = [*entry["inputFields"], own]
        numbered = {
            ".".join([places[name.partition(".")[0]], *name.split(".")[1:]]): entry
            for name, entry in fields.items()
        }
        return {"fields": numbered, "dataset": found["dataset"]}


def inputs_of(facet: dict[str, Any]) -> list[dict[str, Any]]:
    """All inputs that a facet names."""
    return [
        *facet["dataset"],
        *(item for entry in facet["fields"].values() for item in entry["inputFields"]),
    ]


def session_of(root: Path, lake: Lake) -> Session:
    """A session with the tables of the made commands, and their target."""
    columns = ", ".join(f"{name} {ddl(kind)}" for name, kind in TARGET.items())
    given = {name: value.format(root=root) for name, value in lake.settings.items()}
    made = [
        f"CREATE NAMESPACE {lake.target.rpartition('.')[0]}",
        f"CREATE TABLE {lake.target} ({columns}) {lake.made}",
        f"CREATE TABLE p.target ({columns}) USING parquet",
    ]
    return Session(root, {**SETTINGS, **given}, jars(*lake.jars), [*statements(), *made])
