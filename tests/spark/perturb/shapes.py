"""Makes queries of more shapes: recursion, pipes, lateral joins, views, functions. Pure.

What has to be there before a query is written before it, each statement ended by `;;`.
"""

from __future__ import annotations

from tests.spark.perturb.aggregates import AGGREGATES, RANGES
from tests.spark.perturb.expressions import COLUMNS, Column, Scope
from tests.spark.perturb.pipes import Pipes
from tests.spark.perturb.queries import Shape

ODD = ("`{} .x`", "`ñ {}`", "`{}É`", "`_{}_`")  # names that have to be quoted
IN_PYTHON = {
    "int": ("py_int({int}, {string})", "pd_int({int})"),
    "string": ("py_text({string}, {int})",),
    "item": ("py_item({string}, {int})",),
}


class Shapes(Pipes):
    """One query in the making, of any shape."""

    def __init__(self, seed: object) -> None:
        """The same seed makes the same query."""
        super().__init__(seed)
        self.odd = self.chance(0.2)
        self.before: list[str] = []  # statements
        self.functions: list[tuple[str, Scope]] = []  # that give tables, by an int

    def name(self, prefix: str = "q") -> str:
        name = super().name(prefix)
        return self.random.choice(ODD).format(name) if prefix == "q" and self.odd else name

    def shapes(self) -> tuple[tuple[Shape, float], ...]:
        return (
            *super().shapes(),
            (self.chained, 1.2), (self.recursive, 0.8), (self.lateral, 1.2), (self.piped, 1.5),
            (self.all_grouped, 0.8), (self.sets, 0.7), (self.framed, 1), (self.summed_twice, 0.6),
            (self.many_pivoted, 0.4), (self.many_unpivoted, 0.4), (self.less_columns, 0.4),
            (self.members, 0.5), (self.itself, 0.6), (self.asked, 0.6), (self.from_function, 0.5),
        )  # fmt: skip

    def whole(self) -> str:
        """A whole query, with what it needs before it."""
        if self.chance(0.08):
            self.more = IN_PYTHON
        if self.chance(0.12):
            self.define()
        for _ in range(self.random.choice((0, 0, 0, 0, 0, 1, 2))):
            text, columns = self.query(1)
            if columns:
                name = self.name("view")
                self.before.append(f"CREATE OR REPLACE TEMP VIEW {name} AS {text}")
                self.ctes.append((name, columns))
        text = super().whole()
        if self.chance(0.05) and '"' not in text and "\\" not in text and ":p" not in text:
            text = f'EXECUTE IMMEDIATE "{text}"'
        elif self.chance(0.04) and ":p" not in text:
            text = f"BEGIN {text}; END"
        return " ;; ".join([*self.before, text])

    def define(self) -> None:
        """SQL functions that the query may call."""
        plain = [Column("u", "int"), Column("v", "string")]
        name, other, table = (self.name("fun") for _ in range(3))
        self.before += [
            f"CREATE OR REPLACE TEMPORARY FUNCTION {name}(u INT, v STRING) RETURNS INT "
            f"RETURN int({self.expression('int', plain, 2)})",
            f"CREATE OR REPLACE TEMPORARY FUNCTION {other}(u INT) RETURNS STRING "
            "RETURN (SELECT max(y.s) FROM @t4 AS y WHERE y.a = u)",
        ]
        inner = [Column(f"y.{c.text}", c.kind) for c in COLUMNS["t1"]]
        seen = [*inner, Column(f"{table}.u", "int")]
        self.before.append(
            f"CREATE OR REPLACE TEMPORARY FUNCTION {table}(u INT) RETURNS TABLE (o1 INT, o2 STRING)"
            f" RETURN SELECT int({self.expression('int', seen, 1)}),"
            f" {self.expression('string', inner, 1)} FROM @t1 AS y WHERE y.a = {table}.u"
        )
        self.functions.append((table, [Column("o1", "int"), Column("o2", "string")]))
        self.more = {"int": (f"{name}({{int}}, {{string}})",), "string": (f"{other}({{int}})",)}

    def relation(self, depth: int) -> tuple[str, Scope]:
        text, scope = super().relation(depth)
        if self.odd and self.chance(0.3):
            scope = [Column(c.text.upper(), c.kind) for c in scope]
        return text, scope

    # Shapes

    def chained(self, depth: int) -> tuple[str, Scope]:
        """Columns that come from the columns before them in the same list."""
        source, scope = self.joined(depth)
        items, columns = [], []
        for _ in range(self.random.choice((2, 3, 4))):
            kind = self.kind(0.15)
            text = self.expression(kind, [*scope, *columns * 4], 1)
            columns.append(Column(self.name(), kind))
            items.append(f"{text} AS {columns[-1].text}")
        where = f" WHERE {self.predicate(scope)}" if self.chance(0.3) else ""
        return f"SELECT {', '.join(items)} FROM {source}{where}", columns

    def recursive(self, depth: int) -> tuple[str, Scope]:
        loop, alias = self.name("r"), self.name("y")
        source, scope = self.relation(0)
        own = [Column(f"{loop}.v", "string"), Column(f"{loop}.w", "int")]
        join, more = "", []
        if self.chance(0.5):
            more = [Column(f"{alias}.{c.text}", c.kind) for c in COLUMNS["t4"]]
            join = f" JOIN @t4 AS {alias} ON {loop}.w = {alias}.{self.random.choice('ab')}"
        first = [self.expression("string", scope, 1), f"int({self.expression('int', scope, 1)})"]
        later = [self.expression(kind, own + more, 1) for kind in ("string", "int")]
        where = f" AND {self.expression('boolean', own + more, 1)}" if self.chance(0.3) else ""
        names = [self.name(), self.name()]
        return (
            f"SELECT * FROM (WITH RECURSIVE {loop}(n, v, w) AS (SELECT 1, {', '.join(first)} FROM"
            f" {source} UNION ALL SELECT {loop}.n + 1, {later[0]}, int({later[1]}) FROM {loop}"
            f"{join} WHERE {loop}.n < 3{where}) SELECT v AS {names[0]}, w AS {names[1]} FROM"
            f" {loop}) AS {alias}",
            [Column(names[0], "string"), Column(names[1], "int")],
        )

    def lateral(self, depth: int) -> tuple[str, Scope]:
        """A query beside a relation that sees its columns."""
        left, scope = self.relation(depth)
        source, inner, condition = self.correlated(scope)
        alias = self.name("l")
        grouped = self.chance(0.4)
        if grouped:
            kind = self.random.choice(("int", "string"))
            text = self.filled(self.random.choice(AGGREGATES[kind]), inner, 1, inner[:0])
            made = [(text, Column(self.name(), kind))]
        else:
            kinds = [self.kind(0.1) for _ in range(2)]
            made = [
                (self.expression(kind, inner + scope, 1), Column(self.name(), kind))
                for kind in kinds
            ]
        items = ", ".join(f"{text} AS {c.text}" for text, c in made)
        bare = [] if grouped else [c for c in scope if "." in c.text]
        if bare and self.chance(0.35):
            column = self.random.choice(bare)  # without an alias it keeps its name
            items = f"{column.text}, {items}"
            made.append(("", Column(column.text.partition(".")[2], column.kind)))
        query = f"LATERAL (SELECT {items} FROM {source} WHERE {condition}) AS {alias}"
        join = self.random.choice((f", {query}", f" LEFT JOIN {query} ON true", f" JOIN {query}"))
        scope += [Column(f"{alias}.{c.text}", c.kind) for _, c in made] * 3
        items, columns = self.items(scope, 1, 2)
        return f"SELECT {items} FROM {left}{join}", columns

    def all_grouped(self, depth: int) -> tuple[str, Scope]:
        """Grouped by what is no aggregate, or by places; ordered by all."""
        source, scope = self.joined(depth)
        kinds = self.random.choices(("int", "string", "date"), k=self.random.choice((1, 2)))
        keys = [(self.expression(kind, scope, 1), Column(self.name(), kind)) for kind in kinds]
        kind = self.random.choice(("int", "string", "double"))
        groups = [Column(text, c.kind) for text, c in keys]
        value = self.filled(self.random.choice(AGGREGATES[kind]), scope, 1, groups)
        made = [*keys, (value, Column(self.name(), kind))]
        items = ", ".join(f"{text} AS {c.text}" for text, c in made)
        places = ", ".join(str(place + 1) for place in range(len(keys)))
        group = self.random.choice(("ALL", places))
        order = self.random.choice(("", "", " ORDER BY ALL", " ORDER BY ALL LIMIT 4"))
        return f"SELECT {items} FROM {source} GROUP BY {group}{order}", [c for _, c in made]

    def sets(self, depth: int) -> tuple[str, Scope]:
        """Several groupings at once."""
        source, scope = self.joined(depth)
        kinds = self.random.choices(("int", "string"), k=2)
        one, other = (self.expression(kind, scope, 0) for kind in kinds)
        groups = self.random.choice(
            (f"GROUPING SETS (({one}, {other}), ({one}), ())", f"{one}, ROLLUP ({other})",
             f"CUBE ({one}), {other}", f"GROUPING SETS (ROLLUP ({one}, {other}), ({other}))")
        )  # fmt: skip
        value = self.filled(self.random.choice(AGGREGATES["int"]), scope, 1, scope[:0])
        names = [self.name() for _ in range(4)]
        marks = self.random.choice((f"grouping({one})", "grouping_id()", f"coalesce({one}, NULL)"))
        return (
            f"SELECT {one} AS {names[0]}, {other} AS {names[1]}, {value} AS {names[2]}, {marks} AS"
            f" {names[3]} FROM {source} GROUP BY {groups}",
            [*(Column(n, k) for n, k in zip(names, kinds, strict=False)), Column(names[2], "int")],
        )

    def framed(self, depth: int) -> tuple[str, Scope]:
        """Windows that have names, frames of days, and no nulls."""
        alias, window = self.name("x"), self.name("w")
        scope = [Column(f"{alias}.{c.text}", c.kind) for c in COLUMNS["t1"]]
        values = [self.expression(kind, scope, 1) for kind in ("int", "string")]
        functions = (
            f"sum({values[0]})", f"first_value({values[1]}) IGNORE NULLS", f"max({values[1]})",
            f"last_value({values[0]}, true)", f"count({values[1]})", f"avg({values[0]})",
            f"collect_list({values[0]})", f"max_by({values[1]}, {values[0]})",
        )  # fmt: skip
        chosen = self.random.sample(functions, 2)
        names = [self.name(), self.name()]
        by = f"PARTITION BY {self.expression('string', scope, 1)} " if self.chance(0.6) else ""
        frame = self.random.choice(RANGES)
        return (
            f"SELECT {chosen[0]} OVER {window} AS {names[0]}, {chosen[1]} OVER ({window}) AS"
            f" {names[1]}, {alias}.id FROM @t1 AS {alias} WINDOW {window} AS ({by}ORDER BY"
            f" {alias}.d {frame})",
            [Column("id", "int")],
        )

    def summed_twice(self, depth: int) -> tuple[str, Scope]:
        """Windows over groups."""
        source, scope = self.joined(depth)
        key = self.expression("string", scope, 0)
        value, other = (self.expression("int", scope, 1) for _ in range(2))
        names = [self.name() for _ in range(3)]
        window = self.random.choice(
            (f"sum(sum({value})) OVER (ORDER BY max({other}))", "sum(count(*)) OVER ()",
             f"rank() OVER (ORDER BY sum({value}) DESC)",
             f"max(sum({value})) OVER (PARTITION BY count({other}))",
             f"lag(max({value})) OVER (ORDER BY {key})")
        )  # fmt: skip
        return (
            f"SELECT {key} AS {names[0]}, {window} AS {names[1]}, sum({other}) / sum(sum({other}))"
            f" OVER () AS {names[2]} FROM {source} GROUP BY {key}",
            [Column(names[0], "string"), Column(names[1], "int"), Column(names[2], "double")],
        )

    def many_pivoted(self, depth: int) -> tuple[str, Scope]:
        aggregates = self.random.sample(("sum(b) AS p", "max(d) AS q", "count(m) AS r"), 2)
        keys = self.random.choice(
            ("a IN (1, 2, 3)", "(a, s) IN ((1, 'a') AS v, (2, 'b') AS w)", "s IN ('a', 'b')")
        )
        return (
            "SELECT * FROM (SELECT a, b, s, d, m FROM @t1) PIVOT"
            f" ({', '.join(aggregates)} FOR {keys})",
            [],
        )

    def many_unpivoted(self, depth: int) -> tuple[str, Scope]:
        return (
            "SELECT * FROM (SELECT id, a, b, s, string(d) AS d FROM @t1) UNPIVOT"
            " ((v1, v2) FOR name IN ((a, s) AS one, (b, d) AS other))",
            [Column("id", "int"), Column("v1", "int"), Column("v2", "string")],
        )

    def less_columns(self, depth: int) -> tuple[str, Scope]:
        table, alias = self.random.choice(("t1", "t4")), self.name("x")
        scope = [Column(f"{alias}.{c.text}", c.kind) for c in COLUMNS[table]]
        items, more = self.items(scope, 1, 1)
        kept = [c for c in COLUMNS[table] if c.text not in ("a", "s")]
        return f"SELECT * EXCEPT (a, s), {items} FROM @{table} AS {alias}", kept + more

    def members(self, depth: int) -> tuple[str, Scope]:
        """The members of structs as columns, and whole rows as structs."""
        alias = self.name("x")
        scope = [Column(f"{alias}.{c.text}", c.kind) for c in COLUMNS["t3"]]
        items, _ = self.items(scope, 1, 1)
        star = self.random.choice(
            (f"{alias}.st.*", f"{alias}.st.z.*", f"struct({alias}.*)", f"{alias}.its.sku",
             f"inline({alias}.its)", "to_json(struct(*))", f"{alias}.st.z")
        )  # fmt: skip
        where = f" WHERE {self.predicate(scope)}" if self.chance(0.3) else ""
        return f"SELECT {star}, {items} FROM @t3 AS {alias}{where}", []

    def itself(self, depth: int) -> tuple[str, Scope]:
        """A table joined with itself by names."""
        one, other = self.name("x"), self.name("x")
        table, key = self.random.choice((("t1", "id"), ("t4", "a"), ("t2", "k")))
        join = self.random.choice(("JOIN", "LEFT JOIN", "FULL JOIN"))
        scope = [
            Column(f"{alias}.{c.text}", c.kind)
            for alias in (one, other)
            for c in COLUMNS[table]
            if c.text != key
        ]
        scope.append(Column(key, "int"))
        items, columns = self.items(scope, 1, 2)
        where = f" WHERE {self.predicate(scope)}" if self.chance(0.4) else ""
        return (
            f"SELECT {key} AS key, {items} FROM @{table} AS {one} {join} @{table} AS {other}"
            f" USING ({key}){where}",
            [Column("key", "int"), *columns],
        )

    def asked(self, depth: int) -> tuple[str, Scope]:
        """With parameters and a table's name as a text."""
        table, alias = self.random.choice(("t1", "t4")), self.name("x")
        scope = [Column(f"{alias}.{c.text}", c.kind) for c in COLUMNS[table]]
        items, columns = self.items([*scope, Column(":p1", "int")], 1, 2)
        return (
            f"SELECT {items} FROM IDENTIFIER('@{table}') AS {alias} WHERE {alias}.a > :p1 OR"
            f" {alias}.s <> :p2 AND {self.predicate(scope)}",
            columns,
        )

    def from_function(self, depth: int) -> tuple[str, Scope]:
        if not self.functions:
            return self.query(depth)
        (name, columns), alias = self.functions[0], self.name("l")
        left, scope = self.relation(depth)
        argument = self.expression("int", scope, 0)
        scope += [Column(f"{alias}.{c.text}", c.kind) for c in columns] * 3
        items, made = self.items(scope, 1, 2)
        return f"SELECT {items} FROM {left}, LATERAL {name}({argument}) AS {alias}", made


def sql(seed: object) -> str:
    """The query of a seed."""
    return Shapes(seed).whole()
