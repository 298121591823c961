"""Judges commands that change a table of Iceberg's: what other values change in the table then."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame

from tests.spark.jars import jars
from tests.spark.perturb.commands import TARGET
from tests.spark.perturb.data import ddl
from tests.spark.perturb.judge import Judge
from tests.spark.perturb.programs import TABLE, Program
from tests.spark.perturb.session import SETTINGS
from tests.spark.perturb.tables import statements
from tests.spark.session import Session

NAME = "ice.p.target"
CATALOG = "spark.sql.catalog.ice"
LAKE = {
    "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    CATALOG: "org.apache.iceberg.spark.SparkCatalog",
    f"{CATALOG}.type": "hadoop",
}
MODES = ("copy-on-write", "merge-on-read")


class Command(Program):
    """A command on the target, over several sets of tables."""

    def over(self, name: Callable[[str], str]) -> DataFrame:
        """The target after the command."""
        self.fill(name)
        self.execute(name)
        return self.spark.table(NAME)

    def fill(self, name: Callable[[str], str]) -> None:
        """The target as it is before the command."""
        self.spark.sql(f"INSERT OVERWRITE {NAME} SELECT * FROM {name('target')}")

    def execute(self, name: Callable[[str], str]) -> None:
        """The command itself."""
        tables = {"target": NAME}
        self.spark.sql(TABLE.sub(lambda found: tables.get(found[1]) or name(found[1]), self.text))


class LakeJudge(Judge):
    """A judge of commands: a column may always stay as it was in rows that are left alone."""

    def told(self, program: Program) -> dict[str, Any] | None:
        """The columnLineage facet of a command, its columns called by their positions."""
        assert isinstance(program, Command)
        worker = self.session.worker
        before, worker._settings = worker._settings, self.settings
        program.fill(lambda table: f"{self.database}.{table}")
        self.session.events()
        worker.on = True
        try:
            program.execute(lambda table: f"{self.database}.{table}")
            events = [event for event in self.session.events() if event["outputs"]]
        finally:
            worker.on, worker._settings = False, before
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


def lake_of(root: Path, mode: str) -> Session:
    """A session with the tables of the made commands, and their target."""
    columns = ", ".join(f"{name} {ddl(kind)}" for name, kind in TARGET.items())
    settings = {**SETTINGS, **LAKE, f"{CATALOG}.warehouse": f"{root}/ice"}
    modes = ", ".join(f"'write.{name}.mode' = '{mode}'" for name in ("merge", "update", "delete"))
    made = [
        "CREATE NAMESPACE ice.p",
        f"CREATE TABLE {NAME} ({columns}) USING iceberg TBLPROPERTIES ({modes})",
        f"CREATE TABLE p.target ({columns}) USING parquet",
    ]
    jar = jars("iceberg-spark-runtime-4.1_2.13")
    return Session(root, settings, jar, [*statements(), *made])
