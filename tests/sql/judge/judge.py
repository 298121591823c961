"""Runs a script on tables and on the same tables with other values, and judges its text's lineage.

The comparison is that of Spark's oracle: a column may only change with the fields that its lineage
names, what carries rare values is DIRECT, and IDENTITY only if these are unchanged.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple, cast

from airflow_colgraph.sql.transformations import NONE, Inputs, union
from tests.spark.perturb.carried import NOTHING, carried
from tests.spark.perturb.data import Rows, Values, rows_of
from tests.spark.perturb.judge import VARIANTS, Judge, Verdict
from tests.spark.perturb.oracle import moved
from tests.spark.perturb.programs import Program
from tests.sql.judge.dialects import KEYED, OUT, TABLES
from tests.sql.judge.engines import Engine, Ran
from tests.sql.judge.lineage import Named, State, items, lineage_of, states

COUNTS = (8, 16, 11)  # rows of each table, until some come out; an odd number: of more values
TRIES = 5  # other values, for each set of claims
SHAPED = re.compile(r"unnest|explode|array ?join|stack", re.I)
TOKENS = ("a", "b", "ab", "B", "", "1")


class Script(NamedTuple):
    """Statements, and the table whose rows are looked at."""

    statements: tuple[str, ...]
    table: str
    added: bool  # whether only the rows are looked at that were not there before

    @property
    def makes_rows(self) -> bool:
        """Whether there are rows of elements: how many is no lineage."""
        return SHAPED.search(self.text) is not None

    @property
    def text(self) -> str:
        """All statements."""
        return ";\n".join(self.statements)


class Finding(NamedTuple):
    """A difference between what statements do and what their lineage says."""

    kind: str  # lost, carried, changed, name, unwritten, idle
    column: str  # of which table
    source: str


class Outcome(NamedTuple):
    """What came of one script."""

    why_not: str = ""  # it was not judged
    findings: tuple[Finding, ...] = ()
    idle: tuple[Finding, ...] = ()
    reported: tuple[str, ...] = ()  # what the lineage says that it does not know
    verdicts: tuple[tuple[Script, Verdict], ...] = ()

    @property
    def kind(self) -> str:
        """Whether the lineage is right, reported as incomplete, or wrong in silence."""
        if self.why_not:
            return ""
        return "reported" if self.reported else "wrong" if self.findings else "right"


class TextJudge(Judge):
    """The tables of a database, as they are and with other values."""

    def __init__(self, engine: Engine, seed: int, count: int, rows: dict[str, Rows] | None = None):
        """The rows are made from the seed."""
        self.engine, self.database = engine, engine.dialect.name
        self.tables = {key: dict(columns) for key, columns in engine.dialect.tables.items()}
        self.known = {"string": TOKENS, "bigint": (1, 2, 3)} if count % 2 == 0 else {}
        values = Values(Random(f"{seed} {count}"), self.known)
        self.rows = rows or {key: rows_of(values, c, count) for key, c in self.tables.items()}
        self.base = cast(Any, self.rows)
        self.made = {}
        self.names = {key: key for key in TABLES}
        self.diagnostics = {}
        self.runs = 0
        self.facets: dict[Script, dict[str, Any]] = {}

    def frame(self, table: str, rows: Rows) -> Any:
        return rows

    def reported(self, program: Program) -> dict[str, Any] | None:
        return self.facets[cast(Script, program)]

    def run(self, program: Program, tables: Mapping[str, Any]) -> list[Any] | None:
        self.runs += 1
        script = cast(Script, program)
        text = script.text.lower()
        for key, rows in tables.items():
            if key.split(".")[-1].lower() in text:  # it costs as much as to run the statements
                self.engine.load(key, rows)
        ran = self.engine.run(script.statements, [script.table])
        return None if ran is None else looked_at(ran[script.table], script.added)

    def moved_against(
        self, program: Any, base: list[Any], claims: Any, seed: int, tries: int = TRIES
    ) -> Iterator[Any]:
        """As Spark's, with more other values: a run costs little here."""
        return super().moved_against(program, base, claims, seed, max(tries, TRIES))

    def culprits(
        self, program: Any, base: list[Any], columns: Any, kept: Any, seed: int, shapes: bool
    ) -> Any:
        """The fields that change columns; where only several do, those without which none does."""
        alone = super().culprits(program, base, columns, kept, seed, shapes)
        if alone != [("?", ())]:
            return alone
        every = [(key, (name,)) for key, fields in self.tables.items() for name in fields]
        return [
            field
            for field in every
            if field not in kept and not self.moves(program, base, columns, kept | {field}, shapes)
        ] or alone

    def moves(self, program: Any, base: list[Any], columns: Any, kept: Any, shapes: bool) -> bool:
        """Whether columns change though these fields stay."""
        return any(
            (other := self.run(program, self.others(number, kept, shapes))) is not None
            and bool(moved(base, other, columns))
            for number in range(VARIANTS)
        )

    def first(self, statements: Sequence[str]) -> dict[str, Ran] | None:
        """What statements make of all tables, and of the one that they create."""
        for key, rows in self.rows.items():
            self.engine.load(key, rows)
        tables = [*self.tables] if "insert" in self.engine.dialect.has else []
        is_made = any(OUT in statement for statement in statements)
        return self.engine.run(statements, [*tables, *([OUT] if is_made else [])])


def looked_at(ran: Ran, added: bool) -> list[Any]:
    """The rows of a table, or those that were added."""
    if not added:
        return ran.after
    before = counted(ran.before)
    rows = []
    for row in ran.after:
        before[repr(row)] -= 1
        if before[repr(row)] < 0:
            rows.append(row)
    return rows


def judge(
    judges: Sequence[TextJudge],
    statements: Sequence[str],
    seed: int,
    edges: bool = False,
    tokens: bool = True,
) -> Outcome:
    """What comes of a script on the tables of several judges; with `edges`, idle ones too."""
    engine = judges[0].engine
    ran = judges[0].first(statements) or judges[-1].first(statements)
    if ran is None:
        return Outcome(f"fails: {engine.error}")
    lineage = lineage_of(statements, engine.dialect)
    reported = (*lineage.unresolved, *lineage.opaque)
    names = Named(engine.dialect)
    by_key = {names.table(table): state for table, state in states(lineage.writes).items()}
    changed = [key for key, one in ran.items() if counted(one.before) != counted(one.after)]
    findings = [Finding("unwritten", key, "") for key in changed if key not in by_key]
    verdicts, idle = [], []
    for key, state in by_key.items():
        if key not in ran:
            continue
        is_plain = len(lineage.writes) == 1 and is_insert(statements) and not state.is_new
        script = Script(tuple(statements), key, is_plain)
        keeps = key in engine.dialect.tables and not is_plain and not is_overwrite(statements)
        facet = facet_of(state, ran[key].columns, key, keeps, names)
        if key == KEYED:  # rows that it has decide what becomes of others with their key
            step = {"type": "INDIRECT", "subtype": "JOIN"}
            facet["dataset"].append({"name": key, "field": "id", "transformations": [step]})
        for one in judges:
            one.facets = {script: facet}
        verdict = judges[0].judge(cast(Program, script), seed, edges, judges[1:])
        shown = NOTHING
        if tokens:
            shown = carried(verdict.by or judges[0], cast(Program, script), verdict)
        verdicts.append((script, verdict))
        for kind, some in (
            ("lost", verdict.lost),
            ("carried", shown.indirect),
            ("changed", shown.changed),
        ):
            findings += [finding(kind, key, ran[key].columns, edge) for edge in some]
        idle += [finding("idle", key, ran[key].columns, edge) for edge in verdict.idle]
    idle = [one for one in idle if one.column != one.source]  # a row that stays as it was
    findings += [Finding(kind, name, "") for kind, name in sorted(names.wrong)]
    why_not = {verdict.why_not for _, verdict in verdicts}
    if not findings and (not verdicts or why_not - {""}):
        return Outcome(next(iter(why_not), "writes nothing"))
    return Outcome("", tuple(dict.fromkeys(findings)), tuple(idle), reported, tuple(verdicts))


def is_insert(statements: Sequence[str]) -> bool:
    """Whether the statements only add rows."""
    text = " ".join(statements).upper()
    return "INSERT" in text and not any(
        w in text
        for w in (" REPLACE ", "CONFLICT", "DUPLICATE", "MERGE ", "DELETE", "INSERT OVERWRITE")
    )


def is_overwrite(statements: Sequence[str]) -> bool:
    """Whether the table has only rows that the statements make."""
    return any("INSERT OVERWRITE" in text for text in statements)


def finding(kind: str, key: str, columns: list[str], edge: tuple[Any, Any]) -> Finding:
    """An edge of the judge in words."""
    column, (table, path) = edge
    return Finding(kind, f"{key}.{columns[int(column[0])]}", ".".join((table, *path)))


def counted(rows: Sequence[Any]) -> Counter[str]:
    """How often each row is there."""
    return Counter(map(repr, rows))


def facet_of(
    state: State, columns: list[str], key: str, keeps: bool, names: Named
) -> dict[str, Any]:
    """A table's lineage as a facet whose fields are the columns' positions.

    A table that `keeps` rows that it had may show these: each column may always be what it was.
    """
    names.columns.setdefault(key, columns)
    told: dict[str, Inputs] = {}
    by_position = state.is_new and len(state.columns) == len(columns)
    for at, (name, inputs) in enumerate(state.columns.items()):
        column = names.column(key, name)
        column = columns[at] if by_position else column
        if column is not None:
            told[column] = union(told.get(column, NONE), inputs)
    fields = {
        str(at): {"inputFields": items(told.get(column, NONE), names)}
        for at, column in enumerate(columns)
    }
    dataset = items(state.rows, names)
    if keeps:
        step = {"type": "DIRECT", "subtype": "OWN"}
        for at, column in enumerate(columns):
            own = {"name": key, "field": column, "transformations": [step]}
            fields[str(at)]["inputFields"].append(own)
    return {"fields": fields, "dataset": dataset}
