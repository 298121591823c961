"""Makes queries that are written as pipes. Pure."""

from __future__ import annotations

from tests.spark.perturb.aggregates import AGGREGATES
from tests.spark.perturb.expressions import COLUMNS, SIMPLE, Column, Scope
from tests.spark.perturb.queries import Maker


class Pipes(Maker):
    """A maker of queries that knows pipes too."""

    def piped(self, depth: int) -> tuple[str, Scope]:
        """A table and what is done with it, step by step."""
        table = self.random.choice(("t1", "t2", "t3", "t4"))
        text, columns = f"FROM @{table}", list(COLUMNS[table])
        for _ in range(self.random.choice((2, 3, 4, 5))):
            step, columns = self.pipe(columns)
            text += f" |> {step}"
        return f"SELECT * FROM ({text}) AS {self.name('x')}", columns

    def pipe(self, columns: Scope) -> tuple[str, Scope]:
        """One step and the columns after it."""
        steps = (
            self.pipe_where, self.pipe_extend, self.pipe_extend, self.pipe_set, self.pipe_drop,
            self.pipe_aggregate, self.pipe_select, self.pipe_join, self.pipe_union,
            self.pipe_order, self.pipe_window,
        )  # fmt: skip
        return self.random.choice(steps)(columns)

    def pipe_where(self, columns: Scope) -> tuple[str, Scope]:
        return f"WHERE {self.predicate(columns)}", columns

    def pipe_extend(self, columns: Scope) -> tuple[str, Scope]:
        items, made = self.items(columns, 1, self.random.choice((1, 2)))
        return f"EXTEND {items}", columns + made

    def pipe_window(self, columns: Scope) -> tuple[str, Scope]:
        made = Column(self.name(), "int")
        value, order = self.expression("int", columns, 1), self.expression("string", columns, 0)
        return f"EXTEND sum({value}) OVER (PARTITION BY {order}) AS {made.text}", [*columns, made]

    def pipe_set(self, columns: Scope) -> tuple[str, Scope]:
        column = self.random.choice(columns)
        return f"SET {column.text} = {self.expression(column.kind, columns, 1)}", columns

    def pipe_drop(self, columns: Scope) -> tuple[str, Scope]:
        if len(columns) < 3:
            return self.pipe_where(columns)
        column = self.random.choice(columns)
        return f"DROP {column.text}", [c for c in columns if c != column]

    def pipe_aggregate(self, columns: Scope) -> tuple[str, Scope]:
        kind = self.random.choice(("int", "string"))
        made = [Column(self.name(), kind), Column(self.name("k"), "int")]
        value = self.filled(self.random.choice(AGGREGATES[kind]), columns, 1, columns[:0])
        key = self.expression("int", columns, 1)
        return f"AGGREGATE {value} AS {made[0].text} GROUP BY {key} AS {made[1].text}", made

    def pipe_select(self, columns: Scope) -> tuple[str, Scope]:
        items, made = self.items(columns, 1, self.random.choice((2, 3)))
        flat = all(c.kind in SIMPLE for c in made)
        distinct = "DISTINCT " if flat and self.chance(0.3) else ""
        return f"SELECT {distinct}{items}", made

    def pipe_join(self, columns: Scope) -> tuple[str, Scope]:
        new = [Column(self.name("j"), "int"), Column(self.name("j"), "string")]
        key = self.expression("int", columns, 0)
        join = self.random.choice(("JOIN", "LEFT JOIN", "FULL JOIN"))
        inner = f"(SELECT a AS {new[0].text}, s AS {new[1].text} FROM @t4)"
        return f"{join} {inner} ON {key} = {new[0].text}", columns + new

    def pipe_union(self, columns: Scope) -> tuple[str, Scope]:
        if not all(c.kind in SIMPLE for c in columns):
            return self.pipe_where(columns)
        cells = ", ".join(self.expression(c.kind, COLUMNS["t1"], 1) for c in columns)
        return f"UNION ALL (SELECT {cells} FROM @t1)", columns

    def pipe_order(self, columns: Scope) -> tuple[str, Scope]:
        sortable = [c.text for c in columns if c.kind in SIMPLE]
        if not sortable:
            return self.pipe_where(columns)
        limit = self.random.choice(("", " |> LIMIT 6"))
        return f"ORDER BY {self.random.choice(sortable)}{limit}", columns
