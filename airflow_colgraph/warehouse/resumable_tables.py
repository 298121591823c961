"""The tables of an answer's folder: what is there is not computed again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from airflow_colgraph.warehouse.folder import Folder

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class ResumableTables:
    """Tables in a folder of the warehouse, each written once.

    A command that was killed goes on from those that are whole.
    """

    def __init__(self, spark: SparkSession, folder: Folder, work: str) -> None:
        """The folder `work` below the warehouse's is made, or taken up as it was left."""
        self.spark, self._folder, self._work = spark, folder, work

    def path(self, name: str) -> str:
        """Where the table of the name is."""
        return f"{self._folder.path}/{self._work}/{name}"

    def read(self, name: str) -> DataFrame:
        """A table that is there."""
        return self.spark.read.parquet(self.path(name))

    def keep(self, name: str, make: Callable[[], DataFrame]) -> DataFrame:
        """The table of the name, made unless it is there whole."""
        if not self._is_whole(name):
            make().write.mode("overwrite").parquet(self.path(name))
        return self.read(name)

    def answer(self, make: Callable[[], DataFrame]) -> str:
        """The path of the table `answer`, written unless it is there whole; all others go."""
        if not self._is_whole("answer"):
            self.keep("answer", make)
            for name in self._folder.names(self._work):
                if name != "answer":
                    self._folder.remove(f"{self._work}/{name}")
        return self.path("answer")

    def _is_whole(self, name: str) -> bool:
        return self._folder.exists(f"{self._work}/{name}/_SUCCESS")
