"""Makes programs that leave something for later statements, from a seed: lines of Python. Pure.

They are run where `T` gives a table, `S` is the session, `F` and `W` are Spark's functions and its
`Window`, `streamed` runs a function on the batches of a stream of a table, `together` runs
functions in threads, and `another` gives a new session. The frame `out` is what they come to.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from tests.spark.perturb import frames, steps
from tests.spark.perturb.expressions import COLUMNS, SIMPLE, Column, Scope

PLAIN = ("t1", "t1", "t2", "t3", "t4")
KEPT = ("localCheckpoint()", "localCheckpoint()", "localCheckpoint(eager=False)", "checkpoint()")
STORABLE = {*SIMPLE, "struct", "item", "items", "array", "map", "long", "bigint"}


class Frame(NamedTuple):
    """A name in a program, and the columns of the frame that it stands for."""

    name: str
    columns: Scope


class Stateful:
    """A program in the making."""

    def __init__(self, seed: object) -> None:
        """The same seed makes the same program."""
        self.pipe = frames.Program(f"stateful {seed}")
        self.maker, self.random = self.pipe.maker, self.pipe.random
        self.lines: list[str] = []
        self.frames: list[Frame] = []
        self.kinds: list[str] = []
        self._shared = self.random.choice(PLAIN)

    def add(self, line: str) -> None:
        self.lines.append(line)

    def chain(self, text: str, columns: Scope, most: int = 2) -> tuple[str, Scope]:
        """An expression with some steps put on it."""
        self.pipe.text, self.pipe.columns = text, list(columns)
        for _ in range(self.random.randrange(most + 1)):
            self.random.choice(frames.STEPS + steps.MORE)(self.pipe)
        return self.pipe.text, [c for c in self.pipe.columns if c.kind in STORABLE]

    def start(self) -> tuple[str, Scope]:
        """An earlier frame, mostly the last, or a table: often the one that others begin with."""
        if self.frames and self.maker.chance(0.7):
            last = self.frames[-1] if self.maker.chance(0.6) else self.random.choice(self.frames)
            return last.name, last.columns
        table = self._shared if self.maker.chance(0.6) else self.random.choice(PLAIN)
        return f"T({table!r})", COLUMNS[table]

    def source(self) -> tuple[str, Scope]:
        return self.chain(*self.start())

    def let(self, text: str, columns: Scope) -> Frame:
        frame = Frame(self.maker.name("v"), columns)
        self.add(f"{frame.name} = {text}")
        self.frames.append(frame)
        return frame

    def typed(self, *kinds: str) -> Frame | None:
        """A frame that has a column of a type."""
        fit = [f for f in self.frames if any(c.kind in kinds for c in f.columns)]
        return self.random.choice(fit) if fit else None

    def column(self, frame: Frame, *kinds: str) -> Column:
        return self.random.choice([c for c in frame.columns if c.kind in kinds])

    # What leaves something

    def checkpointed(self) -> None:
        text, columns = self.source()
        self.let(f"{text}.{self.random.choice(KEPT)}", columns)

    def cached(self) -> None:
        text, columns = self.source()
        found = self.let(f"{text}.{self.random.choice(('cache', 'persist'))}()", columns)
        if self.maker.chance(0.7):
            self.add(f"{found.name}.count()")

    def replaced_view(self) -> None:
        """A view whose name stands for one query after the other, and what came from it."""
        name = self.maker.name("w")
        text, columns = self.source()
        for _ in range(self.random.choice((1, 2, 2, 3))):
            self.add(f"{text}.createOrReplaceTempView({name!r})")
            scope = [Column(c.text, c.kind) for c in columns]
            where = self.maker.expression("boolean", scope, 1)
            query = self.random.choice(
                (f"SELECT * FROM {name}", f"SELECT * FROM {name} WHERE {where}")
            )
            text, columns = self.chain(f"S.sql({query!r})", columns, 1)
        self.let(text, columns)

    def loop(self) -> None:
        """A frame that each turn of a loop makes anew of itself."""
        text, columns = self.source()
        simple = [c for c in columns if c.kind in ("int", "string")]
        if not simple:
            return
        found = self.let(f"{text}.{self.random.choice(KEPT)}", columns)
        column = self.random.choice(simple)
        value = self.maker.expression(column.kind, columns, 1)
        changed = f"{found.name}.withColumn({column.text!r}, F.expr({value!r}))"
        turn = self.random.choice(
            (f"{changed}", f"{found.name}.union({changed})",
             f"{changed}.filter(F.expr({self.maker.expression('boolean', columns, 1)!r}))")
        )  # fmt: skip
        kept = self.random.choice((".localCheckpoint()", ".cache()", ""))
        self.add(f"for _ in range(2): {found.name} = {turn}{kept}")

    def met(self) -> None:
        """Two frames joined, perhaps of the same source, perhaps the same one twice."""
        if not self.frames:
            return
        one, other = (self.random.choice(self.frames) for _ in range(2))
        kinds = {c.kind for c in one.columns} & {c.kind for c in other.columns}
        kinds &= {"int", "string"}
        if not kinds:
            return
        kind = self.random.choice(sorted(kinds))
        new = {c.text: Column(self.maker.name("r"), c.kind) for c in other.columns}
        items = ", ".join(f"F.col({old!r}).alias({c.text!r})" for old, c in new.items())
        left, right = self.column(one, kind).text, new[self.column(other, kind).text].text
        how = self.random.choice(("inner", "inner", "left", "full", "left_semi", "left_anti"))
        columns = one.columns if "_" in how else [*one.columns, *new.values()]
        on = f"F.expr('{left} = {right}')"
        self.let(f"{one.name}.join({other.name}.select({items}), {on}, {how!r})", columns)

    def stacked(self) -> None:
        """Columns of two frames below each other."""
        one = self.typed("int", "string")
        if one is None:
            return
        first = self.column(one, "int", "string")
        other = self.typed(first.kind)
        if other is None:
            return
        second = self.column(other, first.kind)
        how = self.random.choice(("union", "union", "exceptAll", "intersect"))
        text = f"{one.name}.select({first.text!r}).{how}({other.name}.select({second.text!r}))"
        self.let(text, [first])

    def variable(self) -> None:
        """A variable that is set from a query, and used in another."""
        frame = self.typed("int")
        if frame is None:
            return
        name, view = self.maker.name("var"), self.maker.name("w")
        column = self.column(frame, "int").text
        self.add(f"{frame.name}.createOrReplaceTempView({view!r})")
        value = self.random.choice(("max", "min", "count"))
        query = f"SELECT {value}({column}) FROM {view}"
        self.add(f"S.sql('DECLARE OR REPLACE VARIABLE {name} BIGINT')")
        if self.maker.chance(0.5):
            self.add(f"S.sql('SET VAR {name} = ({query})')")
        else:
            self.add(f"S.sql('BEGIN DECLARE y BIGINT; SET y = ({query}); SET {name} = y + 1; END')")
        text, columns = self.source()
        new = self.maker.name()
        self.pipe.text, self.pipe.columns = text, columns
        use = self.random.choice(
            (f".withColumn({new!r}, F.expr('{name}'))", f".filter(F.expr('{name} > 1'))",
             f".withColumn({new!r}, F.expr('{name} + 1'))")
        )  # fmt: skip
        self.let(text + use, [*columns, Column(new, "long")] if "withColumn" in use else columns)

    def through_rdd(self) -> None:
        text, columns = self.source()
        found = self.let(text, columns)
        self.let(f"S.createDataFrame({found.name}.rdd, {found.name}.schema)", columns)

    def through_driver(self) -> None:
        text, columns = self.source()
        found = self.let(text, columns)
        rows = self.random.choice(("collect()", "toArrow()"))
        self.let(f"S.createDataFrame({found.name}.{rows}, {found.name}.schema)", columns)

    def by_python(self) -> None:
        """A function over whole rows of what was kept before."""
        text, columns = self.start()
        self.pipe.text, self.pipe.columns = text, list(columns)
        steps.by_python(self.pipe)
        self.let(self.pipe.text, self.pipe.columns)

    def by_udf(self) -> None:
        text, columns = self.source()
        if {"int", "string"} <= {c.kind for c in columns}:
            new = self.maker.name()
            one, other = (self.maker.expression(k, columns, 1) for k in ("int", "string"))
            self.let(
                f"{text}.withColumn({new!r}, F.expr({f'py_int({one}, {other})'!r}))",
                [*columns, Column(new, "int")],
            )

    def batch(self) -> None:
        """What a stream's function keeps of its batches."""
        table = self.random.choice(PLAIN)
        text, columns = self.chain("b", COLUMNS[table])
        self.let(f"streamed({table!r}, lambda b: {text}.localCheckpoint())", columns)

    def sessions(self) -> None:
        """The same name for different things in two sessions."""
        view = self.maker.name("w")
        text, columns = self.source()
        table = self.random.choice(PLAIN)
        self.add(f"{text}.createOrReplaceTempView({view!r})")
        self.add(f"N = another(); T({table!r}, N).createOrReplaceTempView({view!r})")
        if self.maker.chance(0.5):
            self.let(f"N.table({view!r}).localCheckpoint()", COLUMNS[table])
        else:
            self.let(f"S.table({view!r})", columns)

    def threads(self) -> None:
        """Two frames that are kept at the same time."""
        made = [self.source() for _ in range(2)]
        names = [self.maker.name("v") for _ in made]
        calls = ", ".join(f"lambda: {text}.localCheckpoint()" for text, _ in made)
        self.add(f"{', '.join(names)} = together({calls})")
        self.frames += [Frame(n, columns) for n, (_, columns) in zip(names, made, strict=True)]

    def program(self) -> str:
        """The whole program."""
        for _ in range(self.random.choice((2, 3, 3, 4, 5))):
            kind = self.random.choice(list(KINDS))
            KINDS[kind](self)
            self.kinds.append(kind)
        if not self.frames:
            self.let(*self.source())
        text, columns = self.chain(self.frames[-1].name, self.frames[-1].columns)
        if len(self.frames) > 1 and self.maker.chance(0.3):
            self.met()
            text, columns = self.frames[-1]
        kept = [c.text for c in columns][:6]
        again = f".select({', '.join(map(repr, kept))})" if kept else ""
        self.add(f"out = {text}{again}")
        return "\n".join(self.lines)


KINDS: dict[str, Callable[[Stateful], None]] = {
    "checkpoint": Stateful.checkpointed,
    "another checkpoint": Stateful.checkpointed,
    "cache": Stateful.cached,
    "replaced view": Stateful.replaced_view,
    "loop": Stateful.loop,
    "joined frames": Stateful.met,
    "stacked frames": Stateful.stacked,
    "variable or script": Stateful.variable,
    "through an RDD": Stateful.through_rdd,
    "through the driver": Stateful.through_driver,
    "function over rows": Stateful.by_python,
    "UDF": Stateful.by_udf,
    "foreachBatch": Stateful.batch,
    "several sessions": Stateful.sessions,
    "threads": Stateful.threads,
}


def program(seed: object) -> str:
    """The program of a seed."""
    return Stateful(seed).program()
