"""Event logs: which files are new, and their lines as rows.

An event has no form in which Spark's expressions could read it: its lineage is in maps whose keys
are column names, of several versions of several facets. So a line is read by the store's own
function, in Spark's Python workers. A lineage body stays packed here: most runs repeat one, and
`body_rows` reads each once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import orjson

from airflow_colgraph.queries import with_tables
from airflow_colgraph.store.errors import EventError
from airflow_colgraph.store.ingest import malformed
from airflow_colgraph.store.ingest.openlineage import Facts, facts
from airflow_colgraph.store.model.lineage_body import Field, LineageBody, unpack
from airflow_colgraph.store.model.runs import Job, ReportedRun, job_output_id, run_id
from airflow_colgraph.warehouse.body_rows import Row, Seen, canonical_json, field_rows
from airflow_colgraph.warehouse.errors import WarehouseError
from airflow_colgraph.warehouse.row_schema import ROW, arrow_schema, ddl

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession

GLOB = re.compile(r"([{}\[\]*?\\])")
FILES = "file string, bytes bigint, modified timestamp"


def listed(spark: SparkSession, paths: Sequence[str]) -> DataFrame:
    """Every file at or below the paths: `path` to read it by, and columns as in FILES.

    Names that begin with `_` or `.` are left out, as everywhere in Spark.
    """
    from pyspark.errors import AnalysisException
    from pyspark.sql import functions as F

    if not paths:
        return spark.createDataFrame([], f"path string, {FILES}")
    try:
        files = (
            spark.read.format("binaryFile")  # lists; the content, which is not selected, stays
            .option("recursiveFileLookup", "true")
            .load([GLOB.sub(r"\\\1", path) for path in paths])
        )
    except AnalysisException as error:
        if "PATH_NOT_FOUND" not in str(error):
            raise
        raise WarehouseError(f"There are no events at {' or '.join(paths)}.") from None
    return files.select(
        "path",
        F.col("_metadata.file_path").alias("file"),
        F.col("_metadata.file_size").alias("bytes"),
        F.col("_metadata.file_modification_time").alias("modified"),
    ).dropDuplicates(["file"])


def unread(files: DataFrame, manifest: DataFrame | None) -> DataFrame:
    """The files that are not in the manifest as they are now: new ones, and ones that grew."""
    if manifest is None:
        return files
    return files.join(manifest, ["file", "bytes", "modified"], "left_anti")


def lines(spark: SparkSession, paths: Sequence[str]) -> DataFrame:
    """The lines of the files, with the columns `file` and `line` (bytes)."""
    from pyspark.sql import functions as F

    texts = (
        spark.read.option("lineSep", "\n")
        .option("ignoreMissingFiles", "true")
        .text([GLOB.sub(r"\\\1", path) for path in paths])
    )
    return texts.select(
        F.col("_metadata.file_path").alias("file"), F.col("value").cast("binary").alias("line")
    )


def rows(lines: Sequence[DataFrame]) -> DataFrame:
    """The rows of all lines, as in `row_schema.ROW`."""
    every = lines[0]
    for other in lines[1:]:
        every = every.union(other)
    return every.mapInArrow(parse, ddl(ROW))


SHOWN = 10_000  # characters of a rejected line that are kept


def parse(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """The rows of lines: for `DataFrame.mapInArrow`, on columns `file` and `line` (binary)."""
    import pyarrow

    schema = arrow_schema(ROW)
    rows = EventRows()
    for batch in batches:
        files, lines = (batch.column(name).to_pylist() for name in ("file", "line"))
        parsed = [rows.of_line(*pair) for pair in zip(files, lines, strict=True)]
        yield pyarrow.RecordBatch.from_pylist(parsed, schema=schema)


class EventRows:
    """The rows of one worker's lines; a name or body is in the first row that mentions it."""

    def __init__(self) -> None:
        """Nothing is seen yet."""
        self._seen = Seen()

    def of_line(self, file: str, line: bytes | None) -> Row:
        """The row of a line: an event's, or with `error` why it is none; else only the file."""
        if not line or not line.strip():
            return {"file": file}
        try:
            (document,) = with_tables([orjson.loads(line)])
            event = facts(document)
        except orjson.JSONDecodeError as error:
            return _rejected(file, line, f"not JSON: {str(error).splitlines()[0]}.")
        except EventError as error:
            return _rejected(file, line, str(error))
        return {"file": file, **self._row(event)}

    def _row(self, event: Facts) -> Row:
        fields: list[Row] = []
        for field in _named_fields(event):
            fields += field_rows(self._seen, field)
        schemas = [self._schema(fields, *schema) for schema in event.schemas]
        job = event.job.id if event.job else None
        return {
            "at": event.at,
            "job": job,
            "run": run_id(event.run.id) if event.run else "",
            "malformed": malformed.line(event.malformed) or None,
            "reading": event.reading.id if event.reading and event.job else None,
            **_runs_and_jobs(event),
            **_datasets(event),
            "fields": fields,
            "schemas": schemas,
            "descriptions": [self._of_dataset(*described) for described in event.descriptions],
            "tags": [{**self._of_dataset(*tagged), "job": job} for tagged in event.tags],
            "gaps": [{**self._stated(event.gaps), "job": job}] if event.gaps else [],
            "bodies": self._bodies(event),
        }

    def _bodies(self, event: Facts) -> list[Row]:
        bodies = [output.lineage_body for output in event.outputs]
        bodies += [event.reading] if event.reading is not None else []
        return [
            {"id": body.id, "checksum": body.checksum.hex(), "packed": body.packed}
            for body in bodies
            if self._seen.is_new("body", body.id)
        ]

    def _schema(self, fields: list[Row], dataset: Field, body: LineageBody) -> Row:
        if not self._seen.is_new("schema", body.id):
            return {"id": body.id, "dataset": dataset.id, "columns": None}
        columns = [{"name": name, "type": type} for name, type in unpack(body.packed)["columns"]]
        for column in columns:
            fields += field_rows(self._seen, dataset._replace(field=column["name"]))
        return {"id": body.id, "dataset": dataset.id, "columns": columns}

    def _of_dataset(self, dataset: Field, body: LineageBody) -> Row:
        return {**self._stated(body), "dataset": dataset.id}

    def _stated(self, body: LineageBody) -> Row:
        text = canonical_json(body) if self._seen.is_new("stated", body.id) else None
        return {"id": body.id, "body": text}


def _named_fields(event: Facts) -> Iterator[Field]:
    """The datasets, and the fields that tags name."""
    yield from sorted(event.datasets)
    for tagged in event.tags:
        for name, *_ in unpack(tagged.lineage_body.packed)["tags"]:
            yield tagged.dataset._replace(field=name)


def _runs_and_jobs(event: Facts) -> Row:
    runs = [*event.parents, *([event.run] if event.run else [])]
    jobs = {run.job for run in runs} | ({event.job} if event.job else set())
    return {
        "jobs": [{"id": job.id, **job._asdict()} for job in sorted(jobs, key=_job_order)],
        "runs": [_run(run) for run in runs],
    }


def _datasets(event: Facts) -> Row:
    """Names of datasets, and outputs."""
    return {
        "symlinks": [
            {"alias": alias.id, "dataset": dataset.id} for alias, dataset in sorted(event.symlinks)
        ],
        "outputs": [
            {
                "job_output": job_output_id(event.job, output.output),
                "dataset": output.output.id,
                "body": output.lineage_body.id,
                "replaces": output.replaces,
            }
            for output in event.outputs
        ],
    }


def _run(run: ReportedRun) -> Row:
    return {
        "id": run_id(run.id),
        "job": run.job.id,
        "parent": run_id(run.parent) if run.parent else None,
        "started_at": run.at,
        "ended_at": run.ended_at,
        "state": run.state,
        "attempt": run.attempt,
        "map_index": run.map_index,
        "name": run.name,
    }


def _job_order(job: Job) -> tuple[str, ...]:
    return tuple(part or "" for part in job)


def _rejected(file: str, line: bytes, reason: str) -> Row:
    text = line[: SHOWN * 4].decode(errors="replace")[:SHOWN]
    return {"file": file, "error": reason, "line": text, "bytes": len(line)}
