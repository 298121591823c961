"""Makes commands that change a table, from a seed: INSERT, UPDATE, DELETE, MERGE. Pure."""

from __future__ import annotations

from tests.spark.perturb.data import Type
from tests.spark.perturb.expressions import Column, Scope, kind_of
from tests.spark.perturb.shapes import Shapes
from tests.spark.perturb.tables import STRUCT, TABLES

TARGET: dict[str, Type] = {**TABLES["t1"], "st": STRUCT}
KEPT = "kept"  # the view of what a query before the command has left
OWN = [Column(name, kind_of(kind)) for name, kind in TARGET.items()]
OF_TARGET = [Column(f"t.{c.text}", c.kind) for c in OWN]
MEMBERS = (Column("st.x", "int"), Column("st.z.q", "string"))


class Commands(Shapes):
    """One command in the making."""

    queries = True  # may be inside expressions

    def scalar(self, kind: str, scope: Scope) -> str:
        return super().scalar(kind, scope) if self.queries else self.expression(kind, scope, 0)

    def command(self) -> str:
        """A command on `@target`."""
        made = (self.inserted, self.updated, self.deleted, self.merged, self.merged)
        return self.random.choice(made)()

    def cells(self, columns: Scope, scope: Scope) -> str:
        """A value for each column, cast as Spark asks for."""
        return ", ".join(self.expression(c.kind, scope, 1) for c in columns)

    def inserted(self) -> str:
        source, scope = self.joined(1)
        columns = self.random.sample(OWN, self.random.choice((2, 4, len(OWN))))
        where = f" WHERE {self.predicate(scope)}" if self.chance(0.4) else ""
        names = ", ".join(c.text for c in columns)
        if self.chance(0.3):
            cells = [self.expression(c.kind, scope, 1) for c in columns]
            items = ", ".join(f"{t} AS {c.text}" for t, c in zip(cells, columns, strict=True))
            return f"INSERT INTO @target BY NAME SELECT {items} FROM {source}{where}"
        if self.chance(0.3):
            return f"INSERT OVERWRITE @target SELECT {self.cells(OWN, scope)} FROM {source}{where}"
        cells = self.cells(columns, scope)
        return f"INSERT INTO @target ({names}) SELECT {cells} FROM {source}{where}"

    def assignments(self, scope: Scope) -> str:
        """What some columns, or members of one, are set to."""
        columns = self.random.sample(OWN, self.random.choice((1, 2, 3)))
        if self.chance(0.25):
            columns = [c for c in columns if c.text != "st"] + [self.random.choice(MEMBERS)]
        return ", ".join(f"t.{c.text} = {self.expression(c.kind, scope, 1)}" for c in columns)

    def updated(self) -> str:
        self.queries = False
        assignments = self.assignments(OF_TARGET)
        where = f" WHERE {self.condition(OF_TARGET)}" if self.chance(0.8) else ""
        return f"UPDATE @target AS t SET {assignments}{where}"

    def deleted(self) -> str:
        self.queries = False
        return f"DELETE FROM @target AS t WHERE {self.condition(OF_TARGET)}"

    def condition(self, scope: Scope) -> str:
        """A condition that lets some rows by; sometimes with a query in it."""
        if self.chance(0.5):
            return self.predicate(scope)
        column = self.random.choice([c for c in scope if c.kind == "int"])
        return f"{column.text} {self.random.choice(('>', '<', '<>'))} 3"

    def merged(self) -> str:
        self.queries = False
        key = self.random.choice(("id", "a", "b"))
        if self.chance(0.5):
            made = [Column("k", "int"), Column("v", "int"), Column("w", "string")]
            inner = [Column(f"y.{name}", kind_of(k)) for name, k in TABLES["t1"].items()]
            one, other = self.expression("int", inner, 1), self.expression("string", inner, 1)
            source = (
                f"(SELECT y.{key} AS k, max({one}) AS v, min({other}) AS w FROM @t1 AS y"
                f" GROUP BY y.{key})"
            )
            on = "t.id = x.k"
        else:
            made = [Column(name, kind_of(kind)) for name, kind in TABLES["t2"].items()]
            items = ", ".join(f"max({c.text}) AS {c.text}" for c in made)
            source, on = f"(SELECT {items} FROM @t2)", "t.a < x.id"
        before = ""
        if self.chance(0.4):  # the source is a checkpoint
            before, source = f"{source[1:-1]} ;; ", KEPT
        scope = [Column(f"x.{c.text}", c.kind) for c in made]
        both = OF_TARGET + scope * 3
        if self.chance(0.3):
            on += f" AND {self.condition(OF_TARGET + scope)}"
        clauses = []
        if self.chance(0.4):
            clauses.append(f"WHEN MATCHED AND {self.plainly(both)} THEN DELETE")
        if self.chance(0.8):
            more = f" AND {self.plainly(both)}" if self.chance(0.5) else ""
            clauses.append(f"WHEN MATCHED{more} THEN UPDATE SET {self.assignments(both)}")
        if self.chance(0.7) or not clauses:
            more = f" AND {self.plainly(scope)}" if self.chance(0.5) else ""
            columns = self.random.sample(OWN, self.random.choice((2, 4, len(OWN))))
            names = ", ".join(c.text for c in columns)
            cells = self.cells(columns, scope)
            clauses.append(f"WHEN NOT MATCHED{more} THEN INSERT ({names}) VALUES ({cells})")
        if self.chance(0.3):
            act = f"UPDATE SET {self.assignments(OF_TARGET)}" if self.chance(0.6) else "DELETE"
            clauses.append(f"WHEN NOT MATCHED BY SOURCE AND {self.plainly(OF_TARGET)} THEN {act}")
        return f"{before}MERGE INTO @target AS t USING {source} AS x ON {on} {' '.join(clauses)}"

    def plainly(self, scope: Scope) -> str:
        """A condition without a query in it."""
        return self.expression("boolean", scope, 1)


def command(seed: object) -> str:
    """The command of a seed."""
    return Commands(f"command {seed}").command()
