"""Makes queries at random, from a seed: SQL over the tables. Pure.

Tables are written as `@t1`, so that the same text can be asked over others.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.spark.perturb.aggregates import AGGREGATES, FRAMES, ORDERED, WINDOWED
from tests.spark.perturb.expressions import COLUMNS, SIMPLE, Column, Expressions, Scope
from tests.spark.perturb.grammar import LITERALS

Shape = Callable[[int], tuple[str, Scope]]


class Maker(Expressions):
    """One query in the making."""

    def __init__(self, seed: object) -> None:
        """The same seed makes the same query."""
        super().__init__(seed)
        self.ctes: list[tuple[str, Scope]] = []
        self.stored: set[str] = set()  # names that stand for tables

    # Relations

    def relation(self, depth: int) -> tuple[str, Scope]:
        """One thing to select from, under a name of its own."""
        alias = self.name("x")
        if depth > 0 and self.chance(0.35):
            text, columns = self.query(depth - 1)
            return f"({text}) AS {alias}", [Column(f"{alias}.{c.text}", c.kind) for c in columns]
        if self.ctes and self.chance(0.6):
            name, columns = self.random.choice(self.ctes)
            return f"{name} AS {alias}", [Column(f"{alias}.{c.text}", c.kind) for c in columns]
        table = self.random.choice(("t1", "t1", "t2", "t3", "t3", "t4"))
        self.stored.add(alias)
        return (
            f"@{table} AS {alias}",
            [Column(f"{alias}.{c.text}", c.kind) for c in COLUMNS[table]],
        )

    def joined(self, depth: int) -> tuple[str, Scope]:
        """A relation, or several joined."""
        text, scope = self.relation(depth)
        for _ in range(self.random.choice((0, 0, 0, 1, 1, 2))):
            choice = self.random.random()
            if choice < 0.15:
                return self.by_names()
            right, more = self.relation(depth - 1)
            if choice < 0.25:
                join, scope_after = "CROSS JOIN", scope + more
                text = f"{text} CROSS JOIN {right}"
            elif choice < 0.35:
                text = f"{text}, {right}"
                scope_after = scope + more
            else:
                join = self.random.choice(
                    ("JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "LEFT SEMI JOIN",
                     "LEFT ANTI JOIN")
                )  # fmt: skip
                condition = self.equal(scope, more)
                text = f"{text} {join} {right} ON {condition}"
                scope_after = scope if "SEMI" in join or "ANTI" in join else scope + more
            scope = scope_after
        return self.exploded(text, scope)

    def equal(self, left: Scope, right: Scope) -> str:
        """A condition between two sides."""
        kind = self.random.choice(("int", "int", "string"))
        depth = self.random.choice((0, 0, 1))
        sides = [self.expression(kind, side, depth) for side in (left, right)]
        condition = " = ".join(sides)
        if self.chance(0.25):
            condition += f" AND {self.expression('boolean', left + right, 1)}"
        return condition

    def by_names(self) -> tuple[str, Scope]:
        """A join by the names that both sides have."""
        one, other = self.name("x"), self.name("x")
        join = self.random.choice(("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"))
        common = ["a", "b", "s"]
        if self.chance(0.4):
            text = f"@t1 AS {one} NATURAL {join} @t4 AS {other}"
        else:
            common = self.random.sample(common, self.random.choice((1, 2)))
            text = f"@t1 AS {one} {join} @t4 AS {other} USING ({', '.join(common)})"
        kinds = {"a": "int", "b": "int", "s": "string"}
        scope = [Column(name, kinds[name]) for name in common]
        for alias, table in ((one, "t1"), (other, "t4")):
            scope += [
                Column(f"{alias}.{c.text}", c.kind)
                for c in COLUMNS[table]
                if c.text not in common or self.chance(0.3)
            ]
        return text, scope

    def exploded(self, text: str, scope: Scope) -> tuple[str, Scope]:
        """With a row for each element of an array or a map of a table, now and then."""
        rows = [c for c in scope if c.text.partition(".")[0] in self.stored]
        known = [c for c in rows if c.kind in ("array", "items", "map")]
        if not known or not self.chance(0.5):
            return text, scope
        column = self.random.choice(known)
        alias, outer = self.name("l"), self.random.choice(("", "OUTER "))
        if column.kind == "array":
            function, made = self.random.choice(
                (("explode", ["int"]), ("posexplode", ["int", "int"]))
            )
        elif column.kind == "map":
            function, made = "explode", ["string", "int"]
        else:
            function, made = self.random.choice(
                (("inline", ["string", "int"]), ("explode", ["item"]))
            )
        names = [self.name("g") for _ in made]
        text += f" LATERAL VIEW {outer}{function}({column.text}) {alias} AS {', '.join(names)}"
        new = [Column(f"{alias}.{name}", kind) for name, kind in zip(names, made, strict=True)]
        return text, scope + new * 3

    # Queries

    def query(self, depth: int) -> tuple[str, Scope]:
        """A query and its columns."""
        shapes = self.shapes()
        shape = self.random.choices([s for s, _ in shapes], [w for _, w in shapes])[0]
        return shape(depth)

    def shapes(self) -> tuple[tuple[Shape, float], ...]:
        """The shapes that a query may have, and how often each is taken."""
        return (
            (self.plain, 5), (self.grouped, 4), (self.windowed, 2), (self.united, 2),
            (self.pivoted, 0.6), (self.unpivoted, 0.6), (self.stacked, 0.4), (self.stars, 0.8),
        )  # fmt: skip

    def whole(self) -> str:
        """A whole query: perhaps with common table expressions that are used more than once."""
        parts = []
        for _ in range(self.random.choice((0, 0, 0, 1, 2))):
            text, columns = self.query(1)
            name = self.name("c")
            parts.append(f"{name} AS ({text})")
            self.ctes.append((name, columns))
        text, _ = self.query(self.random.choice((0, 1, 1, 2, 3)))
        return f"WITH {', '.join(parts)} {text}" if parts else text

    def items(self, scope: Scope, depth: int, count: int) -> tuple[str, Scope]:
        """So many expressions under names."""
        made = []
        for _ in range(count):
            kind = self.kind()
            deep = depth if kind in SIMPLE else 1
            made.append((self.expression(kind, scope, deep), Column(self.name(), kind)))
        return ", ".join(f"{text} AS {c.text}" for text, c in made), [c for _, c in made]

    def tail(self, columns: Scope) -> str:
        """An order and a limit, now and then."""
        text = ""
        sortable = [c.text for c in columns if c.kind in SIMPLE]
        if sortable and self.chance(0.2):
            text = f" ORDER BY {self.random.choice(sortable)}"
            if self.chance(0.5):
                text += f" LIMIT {self.random.choice((3, 6))}"
        return text

    def plain(self, depth: int) -> tuple[str, Scope]:
        source, scope = self.joined(depth)
        items, columns = self.items(scope, 2, self.random.choice((2, 3, 4)))
        distinct = "DISTINCT " if self.chance(0.12) and "map" not in kinds(columns) else ""
        where = f" WHERE {self.predicate(scope)}" if self.chance(0.4) else ""
        return f"SELECT {distinct}{items} FROM {source}{where}{self.tail(columns)}", columns

    def stars(self, depth: int) -> tuple[str, Scope]:
        """All columns of a table, by a star, and one more."""
        table, alias = self.random.choice(list(COLUMNS)), self.name("x")
        scope = [Column(f"{alias}.{c.text}", c.kind) for c in COLUMNS[table]]
        items, more = self.items(scope, 1, 1)
        where = f" WHERE {self.predicate(scope)}" if self.chance(0.4) else ""
        return f"SELECT *, {items} FROM @{table} AS {alias}{where}", COLUMNS[table] + more

    def grouped(self, depth: int) -> tuple[str, Scope]:
        source, scope = self.joined(depth)
        keys = [
            Column(self.expression(kind, scope, self.random.choice((0, 0, 1))), kind)
            for kind in self.random.choices(("int", "string", "date"), k=self.random.choice((1, 2)))
        ]
        keys = [key for key in keys if "SELECT" not in key.text and key.text not in LITERAL_TEXTS]
        made = [(key.text, Column(self.name("k"), key.kind)) for key in keys]
        for _ in range(self.random.choice((1, 2, 3))):
            kind = self.random.choice(("int", "int", "int", "string", *AGGREGATES))
            template = self.random.choice(AGGREGATES[kind])
            plain = [c for c in scope if "SELECT" not in c.text]
            made.append((self.filled(template, plain, 1, keys), Column(self.name(), kind)))
        texts = ", ".join(key.text for key in keys)
        group = f" GROUP BY {texts}" if keys else ""
        if keys and self.chance(0.25):
            group = self.random.choice(
                (f" GROUP BY ROLLUP ({texts})", f" GROUP BY CUBE ({texts})",
                 f" GROUP BY GROUPING SETS (({texts}), ())")
            )  # fmt: skip
            if self.chance(0.4):
                made.append(("grouping_id()", Column(self.name(), "int")))
        having = ""
        if keys and self.chance(0.2):
            having = f" HAVING {self.filled('count({agg int}) > 1', scope, 1)}"
        where = f" WHERE {self.predicate(scope)}" if self.chance(0.3) else ""
        items = ", ".join(f"{text} AS {c.text}" for text, c in made)
        columns = [c for _, c in made]
        return f"SELECT {items} FROM {source}{where}{group}{having}{self.tail(columns)}", columns

    def windowed(self, depth: int) -> tuple[str, Scope]:
        source, scope = self.joined(depth)
        items, columns = self.items(scope, 1, self.random.choice((1, 2)))
        for _ in range(self.random.choice((1, 2))):
            table = self.random.choice((WINDOWED, ORDERED))
            kind = self.random.choice(list(table))
            function = self.filled(self.random.choice(table[kind]), scope, 1)
            order = f"ORDER BY {self.expression('int', scope, 0)}"
            over = [order] if table is ORDERED or self.chance(0.4) else []
            if self.chance(0.6):
                over.insert(0, f"PARTITION BY {self.expression('int', scope, 0)}")
            frames = table is WINDOWED and over and over[-1] == order
            frame = self.random.choice(FRAMES) if frames else ""
            columns.append(Column(self.name(), kind))
            items += f", {function} OVER ({' '.join(over)}{frame}) AS {columns[-1].text}"
        where = f" WHERE {self.predicate(scope)}" if self.chance(0.3) else ""
        return f"SELECT {items} FROM {source}{where}", columns

    def united(self, depth: int) -> tuple[str, Scope]:
        """Two queries with columns of the same types, put together."""
        one, scope = self.joined(depth - 1)
        other, more = self.joined(depth - 1)
        items, columns = self.items(scope, 1, self.random.choice((2, 3)))
        names = [c.text for c in columns]
        if self.chance(0.2):
            names = [self.name() for _ in columns]
        second = ", ".join(
            f"{self.expression(c.kind, more, 1)} AS {name}"
            for c, name in zip(columns, names, strict=True)
        )
        words = ["UNION ALL", "UNION ALL"]
        if not {"map", "items", "array", "words", "item", "struct"} & kinds(columns):
            words += ["UNION", "INTERSECT", "EXCEPT", "EXCEPT ALL", "INTERSECT ALL"]
        where = f" WHERE {self.predicate(more)}" if self.chance(0.3) else ""
        word = self.random.choice(words)
        return f"SELECT {items} FROM {one} {word} SELECT {second} FROM {other}{where}", columns

    def pivoted(self, depth: int) -> tuple[str, Scope]:
        alias, names = self.name("x"), [self.name("v"), self.name("v")]
        text, table = self.random.choice((("a, b, s", "t1"), ("id, k, u", "t2"), ("a, b, s", "t4")))
        key, value, word = text.split(", ")
        aggregate = self.random.choice((f"sum({value})", f"max({value})", f"count({word})"))
        return (
            f"SELECT * FROM (SELECT {text} FROM @{table}) AS {alias} PIVOT "
            f"({aggregate} FOR {key} IN (1 AS {names[0]}, 2 AS {names[1]}))",
            [],
        )

    def unpivoted(self, depth: int) -> tuple[str, Scope]:
        nulls = self.random.choice(("", "INCLUDE NULLS "))
        return (
            "SELECT * FROM (SELECT id, a, b, s FROM @t1) "
            f"UNPIVOT {nulls}(val FOR name IN (a, b AS other))",
            [Column("id", "int"), Column("s", "string"), Column("name", "string"),
             Column("val", "int")],
        )  # fmt: skip

    def stacked(self, depth: int) -> tuple[str, Scope]:
        alias, names = self.name("x"), [self.name(), self.name()]
        scope = [Column(f"{alias}.{c.text}", c.kind) for c in COLUMNS["t1"]]
        cells = ", ".join(self.expression(kind, scope, 1) for kind in ("int", "string") * 2)
        return (
            f"SELECT {alias}.id, stack(2, {cells}) AS ({', '.join(names)}) FROM @t1 AS {alias}",
            [Column("id", "int"), Column(names[0], "int"), Column(names[1], "string")],
        )


LITERAL_TEXTS = {text for texts in LITERALS.values() for text in texts}


def kinds(columns: Scope) -> set[str]:
    """The types among columns."""
    return {column.kind for column in columns}
