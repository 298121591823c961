"""Runs a query on tables and on the same tables with other values, and judges its lineage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from random import Random
from time import monotonic
from typing import Any, NamedTuple

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame

from airflow_colgraph.collector.model import Dataset, NamedDataset, Write
from airflow_colgraph.collector.settings import PREFIX, Settings
from airflow_colgraph.collector.settings import read as settings_of
from airflow_colgraph.collector.spark.catalog import Catalog
from airflow_colgraph.collector.spark.schemas import columns_of
from airflow_colgraph.collector.spark.translate import read
from tests.spark.perturb.data import Rows, Type, Values, leaves, literal, perturbed, rows_of
from tests.spark.perturb.oracle import Claims, Path, Source, claims_of, direct, moved
from tests.spark.perturb.programs import Program
from tests.spark.session import Session

ROWS = 10
TRIES = 1  # other values, for each set of claims
VARIANTS = 6  # of them there are: tables with other values are kept
KEPT = 200  # tables with other values, so that thousands of queries find room
ORDERS = 3  # in which a result has to stay the same
OUT = NamedDataset(Dataset("file", "/out"))
Edge = tuple[Path, Source]


class Verdict(NamedTuple):
    """What came out of one query."""

    runs: int = 0
    lost: tuple[tuple[Path, Source], ...] = ()
    idle: tuple[tuple[Path, Source], ...] = ()  # DIRECT edges whose field never changed anything
    edges: int = 0  # DIRECT edges that were tried
    why_not: str = ""  # was not judged
    reported: tuple[tuple[Path, Source], ...] = ()  # lost, and the event says so: the first column
    claims: Claims | None = None
    facet: dict[str, Any] | None = None
    by: Judge | None = None  # the first of the judges whose tables let rows through


class Judge:
    """The tables of one database, as they are and with other values."""

    def __init__(
        self,
        session: Session,
        database: str,
        tables: dict[str, dict[str, Type]],
        seed: int,
        known: Mapping[str, Sequence[Any]] | None = None,
        count: int = ROWS,
        shown: dict[str, DataFrame] | None = None,
        rows: dict[str, Rows] | None = None,
    ) -> None:
        """`tables` exist in `database`; rows of their own are made here, of `known` values too.

        Judges that are asked in turn share what is `shown` in the session. `rows` are taken
        instead of made ones.
        """
        self.session = session
        self.spark = session.spark
        session.worker.on = False  # the runs are no queries of a user's
        self.tables = tables
        self.database = database
        self.catalog = Catalog(self.spark._jsparkSession, self.spark._jvm)
        self.settings: Settings = settings_of({PREFIX + "nestedFields": "true"})
        self.known = known
        values = Values(Random(f"{database} {seed}"), known)
        self.rows = rows or {
            name: rows_of(values, columns, count) for name, columns in tables.items()
        }
        self.base = {name: self.frame(name, found) for name, found in self.rows.items()}
        self.made: dict[Any, DataFrame] = {}  # the tables with other values, each made once
        self.shown = {} if shown is None else shown
        self.names: dict[str, str] = {}
        self.diagnostics: dict[str, Any] = {}  # of the query that was reported last
        self.runs = 0  # of programs, for the one that is judged

    def judge(
        self, program: Program, seed: int, edges: bool = False, wider: Sequence[Judge] = ()
    ) -> Verdict:
        """The verdict on a program's lineage; with `edges`, on each DIRECT edge too.

        Where these tables show nothing lost, or let no rows through, those of `wider` judges of the
        same session are tried.
        """
        try:
            facet = self.reported(program)
        except (PySparkException, Py4JJavaError) as error:
            return Verdict(why_not=str(error).strip().partition("\n")[0])
        if facet is None:
            return Verdict(why_not="reads nothing")
        claims = claims_of(facet, self.names)
        reported = self.reported_missing()
        silent = claims._replace(rows=claims.rows | reported)
        why_not, lost, runs = "no rows", (), 0  # type: tuple[str, tuple[Edge, ...], int]
        first: tuple[Judge, list[Any]] | None = None  # whose tables let rows through, and these
        for judge in (self, *wider):
            judge.names, judge.runs = self.names, 0
            base = judge.run(program, judge.base)
            if base:
                first = first or (judge, base)
                lost = judge.lost(program, base, silent, seed)
            elif base is None:
                why_not = "fails"
            runs += judge.runs
            if lost:
                break
        if first is None:
            return Verdict(runs, why_not=why_not, claims=claims)
        by, base = first
        known = by.lost(program, base, claims, seed, most=1) if reported and not lost else ()
        idle, tried = by.idle(program, base, facet, seed) if edges else ((), 0)
        return Verdict(runs, lost, idle, tried, reported=known, claims=claims, facet=facet, by=by)

    def lost(
        self,
        program: Program,
        base: list[Any],
        claims: Claims,
        seed: int,
        most: int | None = None,
    ) -> tuple[Edge, ...]:
        """The edges that are missing in the claims, of at most so many columns."""
        found: dict[Edge, None] = {}
        for kept, together in islice(self.moved_against(program, base, claims, seed), most):
            for source in self.culprits(program, base, together, kept, seed, program.makes_rows):
                found[together[0], source] = None
        return tuple(found)

    def reported_missing(self) -> frozenset[Source]:
        """The columns from which edges are missing, as the event of the last query says."""
        return frozenset()

    def moved_against(
        self, program: Program, base: list[Any], claims: Claims, seed: int, tries: int = TRIES
    ) -> Iterator[tuple[frozenset[Source], list[Path]]]:
        """The columns that change though all fields stay that they depend on by the lineage."""
        for kept, columns in claims.groups():
            for number in range(tries):
                other = self.run(program, self.others(seed + number, kept, program.makes_rows))
                if other is None:
                    continue
                found = [
                    together
                    for together in moved(base, other, columns)
                    if not self.is_ordered(program, base, together)
                ]
                yield from ((kept, together) for together in found)
                if found:
                    break

    def reported(self, program: Program) -> dict[str, Any] | None:
        """What is reported of a program: its columnLineage facet."""
        return self.facet(program.over(lambda table: f"{self.database}.{table}"))

    def facet(self, frame: DataFrame) -> dict[str, Any] | None:
        """The columnLineage facet of a frame, its columns called by their positions."""
        analyzed = frame._jdf.queryExecution().analyzed()
        query = read("collect", analyzed, self.catalog)
        if query is None:
            return None
        for found in query.reads.values():
            for named in found.datasets:
                self.names[named.dataset.name] = named.dataset.name.rsplit("/", 1)[-1]
        columns = columns_of(frame.schema.jsonValue())
        numbered = tuple((str(index), kind) for index, (_, kind) in enumerate(columns))
        pipeline = self.session.worker.pipeline
        before, pipeline.settings = pipeline.settings, self.settings
        try:
            event = pipeline.event(query._replace(write=Write(OUT, numbered)), monotonic())
        finally:
            pipeline.settings = before
        self.diagnostics = event["run"]["facets"]["colgraph_diagnostics"] if event else {}
        (output,) = event["outputs"] if event else ()
        found = output["facets"]["columnLineage"]
        return dict(found)

    def others(self, seed: int, kept: frozenset[Source], shapes: bool) -> dict[str, DataFrame]:
        """All tables with other values but in the fields `kept`."""
        if len(self.made) > KEPT:
            self.made.clear()
        found = {}
        for table, columns in self.tables.items():
            paths = frozenset(path for name, path in kept if name == table)
            key = (table, seed % VARIANTS, paths, shapes)
            if key not in self.made:
                values = Values(Random(f"{table} {seed % VARIANTS}"), self.known)
                rows = perturbed(values, columns, self.rows[table], paths, shapes)
                self.made[key] = self.frame(table, rows)
            found[table] = self.made[key]
        return found

    def only(self, seed: int, source: Source, shapes: bool) -> dict[str, DataFrame]:
        """The rows of all tables with other values in one field."""
        kept = frozenset(
            (table, leaf)
            for table, columns in self.tables.items()
            for name, kind in columns.items()
            for leaf in leaves(kind, (name,))
            if table != source[0] or leaf[: len(source[1])] != source[1]
        )
        return self.others(seed, kept, shapes)

    def culprits(
        self,
        program: Program,
        base: list[Any],
        columns: list[Path],
        kept: frozenset[Source],
        seed: int,
        shapes: bool,
    ) -> list[Source]:
        """The fields that change columns by themselves; `?` where only several do."""
        found = []
        every = {(table, (name,)) for table, columns in self.tables.items() for name in columns}
        for table, own in self.tables.items():
            for name in own:
                if (table, (name,)) in kept:
                    continue
                alone = kept | every - {(table, (name,))}
                for number in range(TRIES):
                    rows = self.others(seed + number, alone, shapes)
                    other = self.run(program, rows)
                    if other is not None and moved(base, other, columns):
                        found.append((table, (name,)))
                        break
        return found or [("?", ())]

    def is_ordered(self, program: Program, base: list[Any], columns: list[Path]) -> bool:
        """Whether the order of the tables' rows changes the columns: then nobody can judge them."""
        for number in range(ORDERS):
            other = self.run(program, self.reordered(number))
            if other is None or moved(base, other, columns):
                return True
        return False

    def reordered(self, seed: int) -> dict[str, DataFrame]:
        """All tables with their rows in another order."""
        for table, rows in self.rows.items():
            key = (table, seed)
            if key not in self.made:
                random = Random(f"{table} {seed}")
                self.made[key] = self.frame(table, random.sample(rows, len(rows)))
        return {table: self.made[table, seed] for table in self.tables}

    def idle(
        self, program: Program, base: list[Any], facet: dict[str, Any], seed: int
    ) -> tuple[tuple[tuple[Path, Source], ...], int]:
        """The DIRECT edges whose field changes nothing, and how many edges were tried."""
        edges = list(direct(facet, self.names))
        waiting = set(edges)
        for source in dict.fromkeys(source for _, source in edges):
            for number in range(3 * TRIES):
                if not any(found == source for _, found in waiting):
                    break
                other = self.run(program, self.only(seed + number, source, False))
                columns = [column for column, found in waiting if found == source]
                for column in columns if other is not None else ():
                    if moved(base, other or [], [column]):
                        waiting.discard((column, source))
        return tuple(sorted(waiting)), len(edges)

    def run(self, program: Program, tables: dict[str, DataFrame]) -> list[Any] | None:
        """The rows of a program over other tables; None where it fails on them."""
        self.runs += 1
        for table, frame in tables.items():
            if self.shown.get(table) is not frame:
                frame.createOrReplaceGlobalTempView(table)
                self.shown[table] = frame
        try:
            return program.over(lambda table: f"global_temp.{table}").collect()
        except (PySparkException, Py4JJavaError, ValueError, OverflowError):
            return None  # the last two: a date that Python has no word for

    def frame(self, table: str, rows: Rows) -> DataFrame:
        """The rows as a table."""
        columns = self.tables[table]
        lines = ", ".join(
            f"({', '.join(literal(row[name], kind) for name, kind in columns.items())})"
            for row in rows
        )
        return self.spark.sql(f"SELECT * FROM VALUES {lines} AS t(`{'`, `'.join(columns)}`)")
