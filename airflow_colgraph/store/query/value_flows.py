"""The edges along which values of fields went at any time, and the runs that wrote them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sqlalchemy import select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.id_lists import rows_in
from airflow_colgraph.store.db.lifecycle import (
    RetiredEdges,
    changes_of,
    ended,
    renamed_in,
)
from airflow_colgraph.store.db.symlinks import members_of
from airflow_colgraph.store.model.holdings import Flow, Write
from airflow_colgraph.store.model.lifecycle import ENDS_DATASET
from airflow_colgraph.store.model.lineage_body import Field, Transformation, statements
from airflow_colgraph.store.model.question import DOWN, UP
from airflow_colgraph.store.model.walk import walk
from airflow_colgraph.store.query import name_cache
from airflow_colgraph.store.query.body_contents import read_bodies, read_contents
from airflow_colgraph.store.query.edge_cache import (
    CLOSED_AT,
    FIRST_SEEN,
    INPUT,
    JOB_OUTPUT,
    LAST_SEEN,
    OUTPUT,
    TRANSFORMATION,
    Row,
)
from airflow_colgraph.store.query.traversal import KINDS, Traversal
from airflow_colgraph.store.query.unknown_columns import canonical_datasets


class ValueFlows:
    """The edges that carry a value, and the writes of outputs; each is read once."""

    def __init__(
        self,
        connection: Connection,
        carries: Callable[[Transformation], bool],
        kinds: tuple[int, ...] = KINDS[False],
        ends_at: Callable[[Field], bool] = lambda _: False,
    ) -> None:
        """`carries` tells along which edges, of the kinds, the value goes, `ends_at` where not."""
        self._connection = connection
        self._carries, self._ends_at = carries, ends_at
        self._kinds = kinds
        self._names = name_cache.of(connection)
        self._down = Traversal(connection, DOWN, None, kinds)
        self._writes: dict[int, list[list[Write]]] = {}  # of a job output, by run and time
        # When runs renamed a dataset, by the job output of its new name.
        self._renamed: dict[int, dict[bytes, list[int]]] = {}
        self._outputs: dict[int | None, set[int]] = {}  # the datasets that each job writes
        self._known_pairs: dict[int, set[tuple[int, int]]] = {}
        self._rows: dict[Flow, Row] = {}
        self._canonical = canonical_datasets(connection)
        self._ended = ended(connection)  # edges may go on for what came from a dataset
        self._ends: dict[int, list[Write]] = {}  # by dataset
        self._retired = RetiredEdges(connection)
        self.jobs: dict[int, int | None] = {}  # by job output

    def _carrying(self, rows: Iterable[Row]) -> list[Row]:
        rows = list(rows)
        steps = self._names.read_transformations(
            self._connection, {row[TRANSFORMATION] for row in rows}
        )
        return [row for row in rows if self._carries(steps[row[TRANSFORMATION]])]

    def from_fields(self, ids: set[int]) -> list[Flow]:
        """The edges out of the fields."""
        rows = self._carrying(self._down.level(ids))
        self._read({row[JOB_OUTPUT] for row in rows})
        nodes = self._names.read_nodes(
            self._connection, {id for row in rows for id in (row[INPUT], row[OUTPUT])}
        )
        flows = {
            Flow(
                row[INPUT],
                row[OUTPUT],
                row[JOB_OUTPUT],
                row[FIRST_SEEN],
                row[LAST_SEEN],
                self._held_until(row, nodes[row[OUTPUT]].dataset),
                nodes[row[INPUT]].dataset == nodes[row[OUTPUT]].dataset,
            ): row
            for row in rows
            if not self._ends_at(nodes[row[OUTPUT]].field)
        }
        self._rows.update(flows)
        return list(flows)

    def _held_until(self, row: Row, dataset: int) -> int:
        closed_at = self._retired.held_until(row[JOB_OUTPUT], row[CLOSED_AT])
        return min(closed_at, self._ended.get(dataset, closed_at))

    def around(self, ids: Iterable[int]) -> set[int]:
        """The fields and their parts."""
        return self._down.around(ids)

    def parts_of(self, flow: Flow) -> set[int]:
        """The parts of the field that an edge leads to, which hold what it holds."""
        return self._down.ends((self._rows[flow],)) - {flow.target}

    def origins(self, id: int) -> set[int]:
        """The fields that the value has ever come from."""
        up = Traversal(self._connection, UP, None, self._kinds)

        def edges_of(fields: set[int]) -> list[Row]:
            return self._carrying(up.level(up.around(fields)))

        return set[int]().union(*(fields for fields, _ in walk({id}, edges_of, up.ends)))

    def transformation(self, flow: Flow) -> Transformation:
        """What is done along an edge."""
        number = self._rows[flow][TRANSFORMATION]
        return self._names.read_transformations(self._connection, {number})[number]

    def writes_of(self, flow: Flow) -> list[Write]:
        """The writes that brought values along the edge, in the order of time.

        A run that appends leaves the edges of the runs before it, so its own lineage decides, and
        each write's where a run has several. An edge holds from the first of them.
        """
        stated = self._down.stated(self._rows[flow])
        writes: list[Write] = []
        for of_run in self._writes[flow.job_output]:
            if of_run[0].at > flow.last_seen or of_run[-1].at < flow.first_seen:
                continue
            replaces = any(write.replaces for write in of_run)
            if replaces and (len(of_run) == 1 or of_run[0].run in self._renamed[flow.job_output]):
                writes += (write for write in of_run if write.at >= flow.first_seen)
                continue
            for write in of_run:
                if stated in self._pairs(write.lineage_body):
                    writes.append(write._replace(replaces=replaces))
                    replaces = False  # what the run itself wrote stays
        ends = self._ends_of(flow, {write.run for write in writes})
        return sorted([*self._with_order(flow, writes), *ends])

    def _with_order(self, flow: Flow, writes: list[Write]) -> list[Write]:
        """The writes, with whether each may have read the source before or after it wrote it."""
        source = self._names.read_nodes(self._connection, {flow.source})[flow.source].dataset
        if source not in self._datasets_of(self.jobs[flow.job_output]):
            return writes
        bodies = {write.lineage_body for write in writes if write.lineage_body is not None}
        unordered = {
            id
            for id, body in read_contents(self._connection, bodies).items()
            if source in {self._canonical_id(dataset) for dataset in body.unordered}
        }
        return [each._replace(is_unordered=each.lineage_body in unordered) for each in writes]

    def _datasets_of(self, job: int | None) -> set[int]:
        """The datasets that a job writes."""
        if job not in self._outputs:
            output = tables.job_output.c
            rows = self._connection.execute(select(output.dataset).where(output.job == job))
            self._outputs[job] = {self._canonical_id(id) for id in rows.scalars()}
        return self._outputs[job]

    def _canonical_id(self, dataset: int) -> int:
        canonical = self._canonical.get(dataset)
        return dataset if canonical is None else canonical.id

    def _ends_of(self, flow: Flow, runs: set[bytes]) -> list[Write]:
        """When the dataset was dropped or emptied by other runs, while the edge held."""
        dataset = self._names.read_nodes(self._connection, {flow.target})[flow.target].dataset
        if dataset not in self._ends:
            names = members_of(self._connection, {dataset})[dataset]
            self._ends[dataset] = [
                Write(at, run, True, None)
                for at, change, run in changes_of(self._connection, names)
                if change in ENDS_DATASET
            ]
        return [
            end
            for end in self._ends[dataset]
            if flow.first_seen < end.at < flow.closed_at and end.run not in runs
        ]

    def _pairs(self, lineage_body: int | None) -> set[tuple[int, int]]:
        """The inputs and outputs of the edges in a lineage body that carry the value."""
        if lineage_body is None:
            return set()
        if lineage_body not in self._known_pairs:
            names = self._canonical
            body = read_bodies(self._connection, [lineage_body])[lineage_body]

            def id_of(field: Field) -> int:
                dataset = names.get(field.dataset.id)
                return field.id if dataset is None else dataset._replace(field=field.field).id

            self._known_pairs[lineage_body] = {
                (id_of(edge.input), id_of(edge.output))
                for edge in statements(body)
                if self._carries(edge.transformation)
            }
        return self._known_pairs[lineage_body]

    def _read(self, job_outputs: set[int]) -> None:
        o, output = tables.occurrence.c, tables.job_output.c
        new = job_outputs - self._writes.keys()
        self._renamed.update((id, {}) for id in new)
        self._renamed.update(renamed_in(self._connection, new))
        query = select(o.job_output, o.at, o.run, o.replaces, o.lineage_body)
        by_run: dict[int, dict[bytes | int, list[Write]]] = {id: {} for id in new}
        for id, at, run, replaces, body in rows_in(self._connection, query, o.job_output, new):
            write = Write(at, bytes(run), bool(replaces) or bytes(run) in self._renamed[id], body)
            by_run[id].setdefault(write.run or at, []).append(write)
        for id, runs in by_run.items():
            for run, times in self._renamed[id].items():
                of_run = runs.get(run, [])
                others = set(times) - {write.at for write in of_run}
                of_run += [write._replace(at=at) for write in of_run[:1] for at in others]
            self._writes[id] = sorted(sorted(of_run) for of_run in runs.values())
        owners = rows_in(self._connection, select(output.id, output.job), output.id, new)
        self.jobs.update(map(tuple, owners))
