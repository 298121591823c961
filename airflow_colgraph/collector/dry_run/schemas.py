"""The schemas of what a reader would find out by reading rows, and of what this job has written.

CSV and JSON: from the first lines of one file, by Spark's own inference over them. Targets of this
job: from the frame that was written, as no rows were.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from inspect import unwrap
from typing import Any, NamedTuple

from airflow_colgraph.collector.dry_run.guard import run_unseen
from airflow_colgraph.collector.dry_run.known_sources import KnownSources
from airflow_colgraph.collector.dry_run.notes import Notes
from airflow_colgraph.collector.dry_run.python_api import replace
from airflow_colgraph.collector.naming.options import lowered
from airflow_colgraph.collector.spark.jvm import Java, option, private_of, scala_map

SAMPLED_LINES = 1000
INFERRED = ("csv", "json")
DELTA = "delta"
FILES = ("avro", "csv", "json", "orc", "parquet", "text", "xml")
PATTERN = re.compile(r"[*?\[{]")  # a path that stands for several


class Written(NamedTuple):
    """What is known of a path that this job has written, or that the user has described."""

    schema: Any
    partitions: tuple[str, ...] = ()
    has_header: bool = True


class Schemas:
    """The reader's and the writer's methods of PySpark, with schemas known beforehand."""

    def __init__(self, notes: Notes, sources: KnownSources | None = None) -> None:
        """Nothing is written yet; `sources` are the columns of paths that are not there."""
        self._notes = notes
        self._sources = sources
        self._written: dict[str, Written] = {}
        self._is_attached = False

    def attach(self) -> None:
        """Replace the methods for this process, once."""
        if self._is_attached:
            return
        self._is_attached = True
        from pyspark.sql import DataFrameReader, DataFrameWriter
        from pyspark.sql.streaming import DataStreamReader

        for owner, last, of_owner in (
            (DataFrameReader, "load", self._reading),
            (DataStreamReader, "load", self._streaming),
            (DataFrameWriter, "save", self._writing),
        ):
            for name in (*FILES, last):
                replace(owner, name, partial(of_owner, name))

    def describe(self, spark: Any, path: str, ddl: str) -> None:
        """A path that need not exist, and its columns."""
        from pyspark.sql.types import _parse_datatype_string

        located = qualified(spark, path)
        self._written[str(located.toString())] = Written(_parse_datatype_string(ddl))
        make_folder(spark, located)

    # Reading ----------------------------------------------------------------------------------

    def _reading(self, name: str, original: Any) -> Any:
        def read(reader: Any, path: Any = None, *arguments: Any, **options: Any) -> Any:
            return self._read(name, original, reader, path, arguments, options)

        return read

    def _streaming(self, name: str, original: Any) -> Any:
        def read(reader: Any, path: Any = None, *arguments: Any, **options: Any) -> Any:
            form = self._format(name, reader, arguments, options)
            self.make_delta(reader._spark, form, path)
            is_file = form in FILES and isinstance(path, str)
            if is_file and has_schema(name, reader, arguments, options):
                self._let_be_there(reader._spark, [path])
            return original(reader, path, *arguments, **options)

        return read

    def _read(
        self,
        name: str,
        original: Any,
        reader: Any,
        path: Any,
        arguments: tuple[Any, ...],
        options: dict[str, Any],
    ) -> Any:
        several = name in ("orc", "parquet")  # their paths are arguments each
        paths = [path, *arguments] if several else path if isinstance(path, list) else [path]
        form = self._format(name, reader, arguments, options)
        self.make_delta(reader._spark, form, path)
        if form not in FILES or not all(isinstance(each, str) for each in paths):
            return original(reader, path, *arguments, **options)
        spark = reader._spark
        if has_schema(name, reader, arguments, options):
            self._let_be_there(spark, paths)
            return original(reader, path, *arguments, **options)
        settings = {**reader_options(reader), **lowered(options)}
        schema = self.columns(spark, form, paths, settings)
        if schema is not None:
            reader.schema(schema)
        return original(reader, path, *arguments, **options)

    def columns(
        self, spark: Any, form: str, paths: list[str], settings: dict[str, Any]
    ) -> Any | None:
        """The columns of files, read in a format by settings; None if Spark finds them itself."""
        schema = self._known(spark, form, paths, settings)
        if schema is None and form in INFERRED:
            schema = inferred(spark, form, paths, settings)
        return schema

    def make_delta(self, spark: Any, form: str, path: Any) -> None:
        """Let a path read as Delta be there, without rows, if only its columns are known."""
        if form != DELTA or not isinstance(path, str):
            return
        if is_there(spark, qualified(spark, f"{path}/_delta_log")):
            return
        schema = self._known(spark, DELTA, [path], {})
        if schema is not None:
            ddl = spark._jsparkSession.parseDataType(schema.json()).toDDL()
            run_unseen(spark, f"CREATE TABLE delta.`{path}` ({ddl}) USING delta")

    def _let_be_there(self, spark: Any, paths: list[str]) -> None:
        """Paths whose columns the program has named itself need not exist."""
        for located in (qualified(spark, path) for path in paths if not PATTERN.search(path)):
            if not is_there(spark, located):
                make_folder(spark, located)
                self._notes.absent[str(located.toString())] = None

    def _format(
        self, name: str, reader: Any, arguments: tuple[Any, ...], options: dict[str, Any]
    ) -> str:
        if name != "load":
            return name
        source = options.get("format") or (arguments[0] if arguments else None)
        if not source:
            source = private_of(reader._jreader, "source")
            source = source if isinstance(source, str) else option(source) if source else "parquet"
        return str(source).lower().rpartition(".")[2]

    def _known(
        self, spark: Any, form: str, paths: list[str], settings: dict[str, Any]
    ) -> Any | None:
        located = qualified(spark, paths[0])
        text = str(located.toString())
        for step in above(text):
            written = self._written.get(step)
            if written is not None:
                if step != text:
                    make_folder(spark, located)  # a partition, which has no rows
                return read_back(written, form, settings)
        if self._sources is None or PATTERN.search(text):
            return None
        for step in above(text):
            ddl = self._sources.planned_path(step)
            if ddl is not None:
                self.describe(spark, step, ddl)
                return self._known(spark, form, paths, settings)
        ddl = None if is_there(spark, located) else self._sources.path(text)
        if ddl is None:
            return None
        self.describe(spark, paths[0], ddl)
        return read_back(self._written[text], form, settings)

    # Writing ----------------------------------------------------------------------------------

    def _writing(self, name: str, original: Any) -> Any:
        def write(writer: Any, path: Any = None, *arguments: Any, **options: Any) -> Any:
            returned = original(writer, path, *arguments, **options)
            if isinstance(path, str):
                self._wrote(writer, path, options)
            return returned

        return write

    def _wrote(self, writer: Any, path: str, options: dict[str, Any]) -> None:
        frame = writer._df
        spark = frame.sparkSession
        java = writer._jwrite
        settings = scala_options(private_of(java, "extraOptions"))
        header = str(options.get("header") or settings.get("header", "false")).lower() == "true"
        located = qualified(spark, path)
        if located.getFileSystem(spark._jsc.hadoopConfiguration()).exists(located):
            written = Written(frame.schema, partitions_of(java), header)
            self._written[str(located.toString())] = written


def above(path: str) -> Iterator[str]:
    """A path and those of the folders that it is in."""
    while path.count("/") > 1:
        yield path
        path = path.rpartition("/")[0]


def has_schema(name: str, reader: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> bool:
    """Whether the user has named the columns."""
    place = {"csv": 0, "json": 0, "load": 1, "xml": 1}.get(name)
    by_place = place is not None and len(arguments) > place and arguments[place] is not None
    schema = private_of(reader._jreader, "userSpecifiedSchema")
    return (
        by_place or options.get("schema") is not None or (schema is not None and schema.isDefined())
    )


def reader_options(reader: Any) -> dict[str, Any]:
    """The options that were set on a reader before."""
    return scala_options(private_of(reader._jreader, "extraOptions"))


def partitions_of(writer: Java) -> tuple[str, ...]:
    """The columns by which a writer of the JVM's partitions."""
    columns = private_of(writer, "partitioningColumns")
    if columns is None or columns.isEmpty():
        return ()
    return tuple(str(columns.get().apply(index)) for index in range(columns.get().size()))


def scala_options(options: Java | None) -> dict[str, Any]:
    """Options by their names in lower case."""
    if options is None:
        return {}
    return lowered(scala_map(options))


def read_back(written: Written, form: str, settings: dict[str, Any]) -> Any:
    """The schema with which Spark would read what was written."""
    from pyspark.sql.types import LongType, StringType, StructField, StructType

    fields = {field.name: field for field in written.schema.fields}
    own = [field for name, field in fields.items() if name not in written.partitions]
    if form == "csv":
        types = str(settings.get("inferschema", "false")).lower() == "true"
        has_header = str(settings.get("header", "false")).lower() == "true"
        own = [
            StructField(
                field.name if has_header and written.has_header else f"_c{place}",
                field.dataType if types else StringType(),
            )
            for place, field in enumerate(own)
        ]
    elif form == "json":
        whole = ("byte", "short", "integer")
        own = [
            StructField(f.name, LongType() if f.dataType.typeName() in whole else f.dataType)
            for f in sorted(own, key=lambda field: field.name)
        ]
    elif form == "text":
        own = [StructField("value", StringType())]
    return StructType([*own, *(fields[name] for name in written.partitions if name in fields)])


def inferred(spark: Any, form: str, paths: list[str], settings: dict[str, Any]) -> Any | None:
    """The schema of the first lines, by Spark's own inference; None if there are none."""
    lines = first_lines(spark, paths, is_whole=form == "json" and is_multiline(settings))
    if not lines:
        return None
    rdd = spark.sparkContext.parallelize(lines, 1)
    reader = spark.read
    for name, value in settings.items():
        reader = reader.option(name, value)
    original = unwrap(getattr(type(reader), form))
    return original(reader, rdd).schema


def is_multiline(settings: dict[str, Any]) -> bool:
    """Whether a record may have several lines."""
    return str(settings.get("multiline", "false")).lower() == "true"


def first_lines(spark: Any, paths: list[str], *, is_whole: bool) -> list[str]:
    """The first lines of the first file with any; the driver reads it, and no job of Spark's."""
    jvm, hadoop = spark._jvm, spark._jsc.hadoopConfiguration()
    codecs = jvm.org.apache.hadoop.io.compress.CompressionCodecFactory(hadoop)
    for path in paths:
        located = jvm.org.apache.hadoop.fs.Path(path)
        files = located.getFileSystem(hadoop)
        for file in data_files(files, files.globStatus(located) or ()):
            opened = files.open(file)
            codec = codecs.getCodec(file)
            stream = codec.createInputStream(opened) if codec is not None else opened
            utf8 = jvm.java.nio.charset.StandardCharsets.UTF_8
            lines = jvm.java.io.BufferedReader(jvm.java.io.InputStreamReader(stream, utf8))
            try:
                read = []
                for _ in range(SAMPLED_LINES):
                    line = lines.readLine()
                    if line is None:
                        break
                    read.append(line)
            finally:
                lines.close()
            if read:
                return ["\n".join(read)] if is_whole else read
    return []


def data_files(files: Java, statuses: Any) -> Iterator[Java]:
    """The files below some paths that Spark would read, in order."""
    for status in statuses:
        path = status.getPath()
        name = str(path.getName())
        if name.startswith(("_", ".")) and "=" not in name:
            continue
        if status.isDirectory():
            yield from data_files(files, files.listStatus(path))
        elif status.getLen():
            yield path


def qualified(spark: Any, path: str) -> Java:
    """A path with its file system."""
    located = spark._jvm.org.apache.hadoop.fs.Path(path)
    return located.getFileSystem(spark._jsc.hadoopConfiguration()).makeQualified(located)


def is_there(spark: Any, located: Java) -> bool:
    """Whether a path exists."""
    return bool(located.getFileSystem(spark._jsc.hadoopConfiguration()).exists(located))


def make_folder(spark: Any, located: Java) -> None:
    """Let a path exist, in the scratch folder."""
    located.getFileSystem(spark._jsc.hadoopConfiguration()).mkdirs(located)
