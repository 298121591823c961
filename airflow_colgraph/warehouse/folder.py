"""A warehouse's folder on any file system that Hadoop knows: its versions and commits.

    PATH/commits/00000002.json       a small file per version; the last one is the current version
    PATH/versions/00000002-1f3a.../  that version's tables
    PATH/impact/00000002-1f3a...-../ the answer to a question about it

A version is written whole, and then its commit is renamed into place. Readers see the version
before or this one; what a build left that was killed is never read, and is removed later.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from airflow_colgraph.warehouse import formats
from airflow_colgraph.warehouse.edges import SCHEMA
from airflow_colgraph.warehouse.errors import WarehouseError
from airflow_colgraph.warehouse.formats import PARQUET
from airflow_colgraph.warehouse.topics import Offsets

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ANSWERS = ("closures", "impact")  # a folder for each question
CHUNK = 1 << 20  # bytes that are sent to the JVM at once


class Version(NamedTuple):
    """One state of the tables, and what it has read of topics; number 0: nothing was built yet."""

    number: int
    path: str
    format: str = PARQUET
    offsets: Offsets = MappingProxyType({})

    @property
    def name(self) -> str:
        """The name of its folder: the number, and what tells it from a build that was killed."""
        return self.path.rpartition("/")[2]

    def answer(self, kind: str, asked: object) -> str:
        """The folder of the answer to a question about this version."""
        key = json.dumps(asked).encode()
        return f"{kind}/{self.name}-{blake2b(key, digest_size=8).hexdigest()}"

    def table(self, spark: SparkSession, name: str) -> DataFrame:
        """A table of this version."""
        schema = SCHEMA if name == "edges" else None
        return formats.read(spark, self.format, f"{self.path}/{name}", schema)

    def write(self, frame: DataFrame, name: str, partitions: Sequence[str] = ()) -> None:
        """Write a table of this version."""
        formats.write(frame, self.format, f"{self.path}/{name}", partitions)


class Folder:
    """A folder that the driver's JVM reads and writes."""

    def __init__(self, spark: SparkSession, path: str) -> None:
        """The folder at the path; nothing is made before the first write."""
        self._jvm: Any = spark._jvm
        self.path = path.rstrip("/")
        configuration = spark._jsparkSession.sessionState().newHadoopConf()
        self._files = self._path("").getFileSystem(configuration)

    def _path(self, name: str) -> Any:
        return self._jvm.org.apache.hadoop.fs.Path(f"{self.path}/{name}" if name else self.path)

    def names(self, folder: str) -> list[str]:
        """The names in a folder below, in order; none if it does not exist."""
        if not self.exists(folder):
            return []
        return sorted(s.getPath().getName() for s in self._files.listStatus(self._path(folder)))

    def exists(self, name: str) -> bool:
        """Whether there is a file or folder of the name."""
        return bool(self._files.exists(self._path(name)))

    def read(self, name: str) -> Any:
        """The JSON in a small file."""
        stream = self._files.open(self._path(name))
        try:
            text = self._jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8")
        finally:
            stream.close()
        return json.loads(text)

    def write(self, name: str, value: Any) -> None:
        """Write a small file of JSON, whole or not at all; WarehouseError if it exists."""
        self.write_bytes(name, [json.dumps(value, sort_keys=True).encode()])

    def write_bytes(self, name: str, parts: Iterable[bytes]) -> None:
        """Write a file, whole or not at all; WarehouseError if it exists."""
        temporary = f"_{uuid.uuid4().hex}"
        stream = self._files.create(self._path(temporary), False)
        waiting = bytearray()
        try:
            for part in parts:
                waiting += part
                if len(waiting) >= CHUNK:
                    stream.write(waiting)
                    waiting = bytearray()
            stream.write(waiting)
        finally:
            stream.close()
        self._files.mkdirs(self._path(name).getParent())
        moved = not self.exists(name) and self._files.rename(
            self._path(temporary), self._path(name)
        )
        if not moved:
            self.remove(temporary)
            raise WarehouseError(f"{self.path}/{name} exists: another command wrote it meanwhile.")

    def remove(self, name: str) -> None:
        """Remove a file or folder with all in it, if it exists."""
        self._files.delete(self._path(name), True)

    def built(self) -> Version:
        """The current version; WarehouseError if nothing was built yet."""
        version = self.current()
        if not version.number:
            raise WarehouseError(
                f"There is no warehouse at {self.path}. Make it: colgraph warehouse build."
            )
        return version

    def current(self) -> Version:
        """The version that was committed last."""
        commits = [name for name in self.names("commits") if name.endswith(".json")]
        if not commits:
            return Version(0, "")
        commit = self.read(f"commits/{commits[-1]}")
        number, path = int(commits[-1].partition(".")[0]), f"{self.path}/{commit['version']}"
        return Version(number, path, commit.get("format", PARQUET), commit.get("offsets", {}))

    def next(
        self, before: Version, format: str | None = None, offsets: Offsets | None = None
    ) -> Version:
        """Where the version after `before` is written, in its format unless another is given."""
        number = before.number + 1
        path = f"{self.path}/versions/{number:08}-{uuid.uuid4().hex[:12]}"
        read = {**before.offsets, **(offsets or {})}
        return Version(number, path, format or before.format, read)

    def commit(self, version: Version) -> None:
        """Make a version the current one; WarehouseError if another build was quicker."""
        below = version.path.removeprefix(f"{self.path}/")
        commit = {"version": below, "format": version.format, "offsets": version.offsets}
        try:
            self.write(f"commits/{version.number:08}.json", commit)
        except WarehouseError:
            self.remove(below)
            raise WarehouseError(
                f"Another build into {self.path} finished meanwhile. Run this one again."
            ) from None

    def remove_old(self, current: Version) -> None:
        """Remove versions before the one before the current, which readers may still use, and the
        answers about them.
        """
        for kind in ("versions", *ANSWERS):
            for name in self.names(kind):
                if int(name.partition("-")[0]) < current.number - 1:
                    self.remove(f"{kind}/{name}")
