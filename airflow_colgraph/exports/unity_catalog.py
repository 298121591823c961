"""Lineage out of Unity Catalog's system tables `system.access.column_lineage` and `table_lineage`.

Rows of both may be mixed: those of columns say what a column comes from, those of tables add what
was read and written where no columns are known. A row without a target is a read.
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from uuid import UUID, uuid5

from airflow_colgraph.exports.lineage_model import JobRead, Lineage
from airflow_colgraph.store.model.clock import parse_iso
from airflow_colgraph.store.model.latest_lineage import Dataset, Input, JobOutput
from airflow_colgraph.store.model.runs import Job

NAMESPACE = "unity-catalog"  # as Spark's events name the tables of a Databricks workspace
# Of the columnLineage facets: each run states all that its dataset comes from by the job, so that
# what a later one does not state has ended.
PRODUCER = "https://docs.databricks.com/aws/en/admin/system-tables/lineage"
UNNAMED = "rows that name neither a source nor a target"
UNREAD = "rows of reads by nobody who is named"
ONE_SIDED = "rows with a column on one side only: their tables count, not the column"
NEEDED = ("event_time", "source_table_full_name", "target_table_full_name")
_RUNS = UUID("6f3d2a52-6c1f-5a57-9f0d-8d3a2f0f5b11")  # of the ids that runs get here

Row = dict[str, Any]


class RowError(ValueError):
    """A text that holds no rows of the system tables; the message says what is wrong and where."""


class Run(NamedTuple):
    """A run of a Databricks job, notebook, pipeline, query or dashboard."""

    job: Job | None
    id: str


@dataclass
class Written:
    """What is known of one target of one run."""

    at: int = 0
    inputs: set[Dataset] = field(default_factory=set)
    columns: dict[str, set[Input]] = field(default_factory=dict)


def parse_rows(text: bytes) -> Iterator[tuple[int, Row]]:
    """The rows of a text with their numbers: JSON objects, one a line or in a list, or CSV."""
    try:
        whole = text.decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        raise RowError("The file is not UTF-8 text.") from None
    rows = _json(whole) if whole[:1] in ("{", "[") else _csv(whole)
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict):
            raise RowError(f"Row {number} is not an object.")
        for name in NEEDED:
            if name not in row:
                raise RowError(f"Row {number} has no column {name}.")
        yield number, row


def _csv(text: str) -> Iterator[Any]:
    try:
        yield from csv.DictReader(io.StringIO(text, newline=""))
    except csv.Error as error:
        raise RowError(f"The file is neither JSON nor CSV: {error}.") from None


def _json(text: str) -> Iterator[Any]:
    try:
        if text.startswith("["):
            yield from json.loads(text)
            return
        for line in filter(str.strip, text.splitlines()):
            yield json.loads(line)
    except json.JSONDecodeError as error:
        where = f"Line {error.lineno}" if text.startswith("[") else f"The line {line[:40]!r}"
        raise RowError(f"{where} is not JSON: {error.msg}.") from None


def lineage_of(
    rows: Iterable[tuple[int, Row]],
    located: Callable[[str], tuple[str, str]],
    namespace: str = NAMESPACE,
) -> Lineage:
    """The lineage that rows of the system tables state: an output for each run and target.

    The tables do not say how a column is computed: inputs are DIRECT, without a subtype. A
    table whose location is known (`located`) has it as another name. The tables' columns:
    docs.databricks.com/admin/system-tables/lineage.
    """
    written: dict[tuple[Run, Dataset], Written] = {}
    reads: dict[Run, Written] = {}
    names: dict[Dataset, tuple[Dataset, ...]] = {}
    left_out: Counter[str] = Counter()
    for number, row in rows:
        at, run = _time(number, row), _run(row)
        source, target = (
            _dataset(row, side, located, namespace, names) for side in ("source", "target")
        )
        if target:
            write = written.setdefault((run, target), Written())
        elif source and run.job:
            write = reads.setdefault(run, Written())
        else:
            left_out[UNREAD if source else UNNAMED] += 1
            continue
        write.at = max(write.at, at)
        target_column, of = _text(row, "target_column_name"), _text(row, "source_column_name")
        left_out[ONE_SIDED] += bool(target and bool(target_column) != bool(of))
        if source:
            write.inputs.add(source)
            if target_column and of:
                write.columns.setdefault(target_column, set()).add(Input(source, of))
    outputs = [_output(run, target, write) for (run, target), write in written.items()]
    read = [
        JobRead(run.job, run.id, tuple(sorted(read.inputs)), read.at)
        for run, read in reads.items()
        if run.job
    ]
    return Lineage(
        tuple(sorted(outputs, key=lambda output: (output.at, output.run, output.dataset))),
        symlinks=names,
        reads=tuple(sorted(read, key=lambda entry: (entry.at, entry.run))),
        producer=PRODUCER,
        left_out=+left_out,
    )


def _time(number: int, row: Row) -> int:
    try:
        return parse_iso(_text(row, "event_time"))
    except ValueError as error:
        raise RowError(f"Row {number}, event_time: {error}") from None


def _dataset(
    row: Row,
    side: str,
    located: Callable[[str], tuple[str, str]],
    namespace: str,
    names: dict[Dataset, tuple[Dataset, ...]],
) -> Dataset | None:
    """The dataset on a side of a row; `names` gets the location of a table that has one."""
    table, path = _text(row, f"{side}_table_full_name"), _text(row, f"{side}_path")
    location = Dataset(*located(path)) if path else None
    if not table:
        return location
    dataset = Dataset(namespace, table.lower())
    if location:
        names[dataset] = (location,)
    return dataset


def _output(run: Run, target: Dataset, write: Written) -> JobOutput:
    columns = {name: tuple(sorted(inputs)) for name, inputs in sorted(write.columns.items())}
    inputs = tuple(sorted(write.inputs))
    return JobOutput(target, run.job, columns or None, inputs=inputs, run=run.id, at=write.at)


def _run(row: Row) -> Run:
    """The row's run: the entity's; of an entity without runs the statement or the time."""
    kind, entity = _text(row, "entity_type"), _text(row, "entity_id")
    if not kind or not entity:
        return Run(None, "")
    workspace = _text(row, "workspace_id")
    of = next(filter(None, (_text(row, name) for name in ("entity_run_id", "statement_id"))), None)
    whole = [_text(row, "account_id"), workspace, kind, entity, of or _text(row, "event_time")]
    job = Job(f"databricks://{workspace}", f"{kind.lower()}/{entity}")
    return Run(job, str(uuid5(_RUNS, json.dumps(whole))))


def _text(row: Row, name: str) -> str:
    """A column's value; Databricks' CSV has `null` for none."""
    value = row.get(name)
    return "" if value is None or value == "null" else str(value).strip()
