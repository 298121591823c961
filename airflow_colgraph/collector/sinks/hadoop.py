"""Files on whatever file system Hadoop knows (hdfs:, s3a:, abfss:, gs:, ...).

The driver writes through its own JVM, so with the credentials that the job has. Reading back needs
no driver: it is done by the Hadoop shell that every Spark ships.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from airflow_colgraph.collector.sinks.ndjson import Event, line_of
from airflow_colgraph.collector.spark.jvm import thrown

SHELL = "org.apache.hadoop.fs.FsShell"
SHELL_TIMEOUT_SECONDS = 120


class HadoopSink:
    """Writes each event as one part file in a folder on any file system that Hadoop knows.

    Object stores cannot append, and not every HDFS lets one; a file that is closed stays.
    """

    def __init__(self, uri: str) -> None:
        """Find the folder, and the first number that is free in it."""
        self._folder = Folder(uri)
        self._number = self._folder.parts()

    def write(self, event: Event) -> None:
        """Write one event as the next part file, whoever else writes some."""
        while True:
            try:
                self._folder.create(f"part-{self._number:05}", line_of(event))
            except FileExistsError:
                self._number = max(self._folder.parts(), self._number + 1)
            else:
                break
        self._number += 1

    def flush(self, until: float, *, is_last: bool = False) -> bool:
        """Nothing is pending."""
        return True

    def close(self) -> None:
        """Every part file is closed already."""


class Folder:
    """A folder that the driver's JVM can write to; every failure is an OSError."""

    def __init__(self, uri: str) -> None:
        """Find the file system of `uri`, and make the folder."""
        context = _context()
        if context is None:
            raise OSError(f"{uri} can only be written with a running SparkContext.")
        self._jvm = context._jvm
        self._files = _asked(self._find, uri, context._jsc.hadoopConfiguration())

    def _find(self, uri: str, configuration: Any) -> Any:
        self._path = self._jvm.org.apache.hadoop.fs.Path(uri)
        files = self._path.getFileSystem(configuration)
        files.mkdirs(self._path)
        return files

    def parts(self) -> int:
        """How many part numbers are taken."""
        names = [status.getPath().getName() for status in _asked(self._list)]
        numbers = [name[len("part-") :] for name in names if name.startswith("part-")]
        return 1 + max((int(number) for number in numbers if number.isdigit()), default=-1)

    def _list(self) -> list[Any]:
        return list(self._files.listStatus(self._path))

    def create(self, name: str, content: bytes) -> None:
        """Write a new file and close it; FileExistsError if there is one of that name."""
        _asked(self._create, name, content)

    def _create(self, name: str, content: bytes) -> None:
        stream = self._files.create(self._jvm.org.apache.hadoop.fs.Path(self._path, name), False)
        try:
            stream.write(bytearray(content))
        finally:
            stream.close()


def read(uri: str) -> bytes:
    """The content of the file `uri`, or of the part files in the folder `uri`."""
    listed = _shell("-ls", "-C", uri).decode(errors="replace").split("\n")
    parts = [line for line in listed if line.rpartition("/")[2].startswith("part-")]
    return _shell("-cat", *(sorted(parts) or [uri]))


def remove(uri: str) -> None:
    """Remove the file or folder `uri`, if it is there."""
    _shell("-rm", "-r", "-f", "-skipTrash", uri)


def _asked(question: Any, *arguments: Any) -> Any:
    """Call into the JVM; whatever it throws is an OSError in one line."""
    from py4j.protocol import Py4JError

    try:
        return question(*arguments)
    except thrown() as error:
        why = str(getattr(error, "java_exception", error)).partition("\n")[0]
        kind = FileExistsError if "FileAlreadyExists" in why else OSError
        raise kind(why) from None
    except Py4JError as error:
        raise OSError(str(error).partition("\n")[0]) from None


def _context() -> Any:
    """The SparkContext of this process, if one was started."""
    if "pyspark" not in sys.modules:
        return None
    from pyspark import SparkContext

    return SparkContext._active_spark_context


def _shell(*arguments: str) -> bytes:
    """What Hadoop's file system shell prints, configured as Hadoop is here (HADOOP_CONF_DIR)."""
    command = _spark_class()
    if command is None:
        raise OSError(
            f"{arguments[-1]} can only be read with Spark: set SPARK_HOME or install pyspark."
        )
    with tempfile.TemporaryDirectory(prefix="colgraph-") as folder:
        Path(folder, "core-site.xml").write_text("<configuration/>\n")  # the shell insists on one
        ran = subprocess.run(
            [command, SHELL, *arguments],
            capture_output=True,
            timeout=SHELL_TIMEOUT_SECONDS,
            check=False,
            env={"HADOOP_CONF_DIR": folder, **os.environ},
        )
    if ran.returncode == 0:
        return ran.stdout
    lines = [line for line in ran.stderr.decode(errors="replace").split("\n") if line.strip()]
    why = next((line for line in lines if f"{arguments[0][1:]}: " in line), (lines or [""])[0])
    if "No such file or directory" in why:
        raise FileNotFoundError(why)
    raise OSError(f"{arguments[-1]} could not be read: {why}")


def _spark_class() -> str | None:
    homes = [os.environ.get("SPARK_HOME")]
    spec = importlib.util.find_spec("pyspark")
    if spec is not None and spec.origin:
        homes.append(str(Path(spec.origin).parent))
    for home in homes:
        if home and (command := Path(home, "bin", "spark-class")).is_file():
            return str(command)
    return shutil.which("spark-class")
