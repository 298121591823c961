"""Lines of event logs as rows, in Spark's Python workers. No database, no pyspark.

An event has no form in which Spark's expressions could read it: its lineage is in maps whose keys
are column names, of several versions of several facets. So a line is read by the store's own
function. A lineage body stays packed here: most runs repeat one, and `body_rows` reads each once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import orjson

from airflow_colgraph.queries import with_tables
from airflow_colgraph.store.errors import EventError
from airflow_colgraph.store.ingest import malformed
from airflow_colgraph.store.ingest.openlineage import Facts, facts
from airflow_colgraph.store.model.incomplete import incomplete_reads
from airflow_colgraph.store.model.lineage_body import Field, LineageBody, unpack
from airflow_colgraph.store.model.runs import Job, ReportedRun, job_output_id, run_id
from airflow_colgraph.warehouse.body_rows import Row, Seen, canonical_json, field_rows
from airflow_colgraph.warehouse.row_schema import ROW, arrow_schema

if TYPE_CHECKING:
    import pyarrow

SHOWN = 10_000  # characters of a rejected line that are kept


def parse(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """The rows of lines: for `DataFrame.mapInArrow`, on columns `file` and `line` (binary)."""
    import pyarrow

    schema = arrow_schema(ROW)
    rows = EventRows()
    for batch in batches:
        files, lines = (batch.column(name).to_pylist() for name in ("file", "line"))
        found = [rows.of_line(*pair) for pair in zip(files, lines, strict=True)]
        yield pyarrow.RecordBatch.from_pylist(found, schema=schema)


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
            (event,) = with_tables([orjson.loads(line)])
            found = facts(event)
        except orjson.JSONDecodeError as error:
            return _rejected(file, line, f"not JSON: {str(error).splitlines()[0]}.")
        except EventError as error:
            return _rejected(file, line, str(error))
        return {"file": file, **self._row(found)}

    def _row(self, found: Facts) -> Row:
        row: Row = {
            "at": found.at,
            "job": found.job.id if found.job else None,
            "run": run_id(found.run.id) if found.run else "",
            "malformed": malformed.line(found.malformed) or None,
            "reading": found.reading.id if found.reading and found.job else None,
            "fields": [],
            "bodies": [],
        }
        runs = [*found.parents, *([found.run] if found.run else [])]
        jobs = {run.job for run in runs} | ({found.job} if found.job else set())
        row["jobs"] = [{"id": job.id, **job._asdict()} for job in sorted(jobs, key=_job_order)]
        row["runs"] = [_run(run) for run in runs]
        row["symlinks"] = [
            {"alias": alias.id, "dataset": dataset.id} for alias, dataset in sorted(found.symlinks)
        ]
        row["incomplete"] = [
            dict(zip(("dataset", "job", "output"), one, strict=True))
            for one in incomplete_reads(found.event)
        ]
        row["outputs"] = [
            {
                "job_output": job_output_id(found.job, one.output),
                "dataset": one.output.id,
                "body": one.lineage_body.id,
                "replaces": one.replaces,
            }
            for one in found.outputs
        ]
        for dataset in sorted(found.datasets):
            self._field(row, dataset)
        for tagged in found.tags:
            for name, *_ in unpack(tagged.lineage_body.packed)["tags"]:
                self._field(row, tagged.dataset._replace(field=name))
        row["schemas"] = [self._schema(row, *one) for one in found.schemas]
        row["descriptions"] = [self._of_dataset(*one) for one in found.descriptions]
        row["tags"] = [{**self._of_dataset(*one), "job": row["job"]} for one in found.tags]
        for body in [*(one.lineage_body for one in found.outputs), found.reading]:
            if body is not None and self._seen.is_new("body", body.id):
                row["bodies"].append(
                    {"id": body.id, "checksum": body.checksum.hex(), "packed": body.packed}
                )
        return row

    def _field(self, row: Row, field: Field) -> None:
        row["fields"] += field_rows(self._seen, field)

    def _schema(self, row: Row, dataset: Field, body: LineageBody) -> Row:
        if not self._seen.is_new("schema", body.id):
            return {"id": body.id, "dataset": dataset.id, "columns": None}
        columns = [{"name": name, "type": type} for name, type in unpack(body.packed)["columns"]]
        for column in columns:
            self._field(row, dataset._replace(field=column["name"]))
        return {"id": body.id, "dataset": dataset.id, "columns": columns}

    def _of_dataset(self, dataset: Field, body: LineageBody) -> Row:
        text = canonical_json(body) if self._seen.is_new("of dataset", body.id) else None
        return {"id": body.id, "dataset": dataset.id, "body": text}


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
