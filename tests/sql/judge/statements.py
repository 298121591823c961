"""Makes whole statements and scripts that write: one each, by what a dialect has. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.spark.perturb.expressions import Column, Scope
from tests.sql.judge.dialects import DIALECTS, KEYED, OUT
from tests.sql.judge.grammar import Fields, Item, Maker, bare
from tests.sql.judge.routines import Routine

COLUMN_TYPES = {
    "clickhouse": ("Nullable(Int64)", "Nullable(String)"),
    "mysql": ("BIGINT", "VARCHAR(200)"),
}
COMPUTED = {"clickhouse": "MATERIALIZED {}", "postgres": "GENERATED ALWAYS AS ({}) STORED"}
ROUTINES = 100_000
TARGETS = ("sink", "sink", "Sales", "curr.items")


class Writer(Maker):
    """One script in the making: what its statements are is chosen by weights."""

    is_star = False  # whether a MERGE's source has the names of its target

    def script(self) -> list[str]:
        """The statements of a script; the last one writes what is judged."""
        forms: list[tuple[str, Callable[[], list[str]], float]] = [
            ("", self.created, 5), ("insert", self.inserted, 1.5), ("dml", self.updated, 2),
            ("dml", self.deleted, 1), ("merge", self.merged, 1.2), ("upsert", self.upserted, 1),
            ("temp", self.through_table, 1), ("view", self.through_view, 1),
            ("insert", self.chained, 0.7), ("path", self.in_path, 0.4),
            ("moved", self.moved, 0.6), ("into", self.into, 0.3),
            ("several inserts", self.divided, 0.5), ("changed view", self.changed_view, 0.8),
            ("computed", self.computed, 0.6),
        ]  # fmt: skip
        chosen = [(make, weight) for need, make, weight in forms if not need or self.has(need)]
        return self.random.choices([m for m, _ in chosen], [w for _, w in chosen])[0]()

    def create(self, table: str, query: str) -> str:
        """CREATE TABLE AS of a query."""
        engine = " ENGINE = Memory" if self.dialect.name == "clickhouse" else ""
        return f"CREATE TABLE {table}{engine} AS {query}"

    def created(self) -> list[str]:
        return [self.create(OUT, self.whole()[0])]

    def into(self) -> list[str]:
        source, scope = self.joined(1)
        items, _ = self.items(scope, 2, self.kinds())
        return [f"SELECT {items} INTO {OUT} FROM {source}{self.where(scope)}"]

    # INSERT

    def target(self, only: Sequence[str] = TARGETS) -> tuple[str, Fields, str]:
        """A table to write, its columns, and its name as it is written."""
        key = self.random.choice(only)
        return key, self.tables[key], ".".join(self.spelled(p, table=True) for p in key.split("."))

    def listed(self, fields: Fields) -> str:
        return ", ".join(self.spelled(name) for name, _ in fields)

    def inserted(self) -> list[str]:
        _, fields, name = self.target()
        if self.has("insert byname", 0.2):
            source, scope = self.joined(1)
            return [f"INSERT INTO {name} BY NAME SELECT {self.values(fields, scope)} FROM {source}"]
        if self.has("overwrite", 0.25):
            return [f"INSERT OVERWRITE {name} {self.whole(kinds=[kind for _, kind in fields])[0]}"]
        some = self.random.sample(fields, self.random.randint(1, len(fields)))
        columns = f" ({self.listed(some)})"
        if self.chance(0.3):
            some, columns = fields, ""
        kinds = [kind for _, kind in some]
        if self.chance(0.1):
            return [f"INSERT INTO {name}{columns} VALUES ({', '.join(map(self.single, kinds))})"]
        if self.has("with insert", 0.2):
            cte, made = self.query(0)
            self.ctes = {"c_1": made}
            return [f"WITH c_1 AS ({cte}) INSERT INTO {name}{columns} {self.plain(0, kinds)[0]}"]
        return [f"INSERT INTO {name}{columns} {self.whole(kinds=kinds)[0]}"]

    def single(self, kind: str) -> str:
        """A scalar subquery."""
        source, inner = self.inner_source()
        return f"(SELECT max({self.expression(kind, inner, 1)}) FROM {source}{self.where(inner)})"

    def values(self, fields: Fields, scope: Scope) -> str:
        """Expressions under the names of columns, in any order."""
        shuffled = self.random.sample(fields, len(fields))
        return ", ".join(f"{self.expression(kind, scope, 1)} AS {name}" for name, kind in shuffled)

    def chained(self) -> list[str]:
        """A table that is made, and one that is filled from it."""
        first, fields = self.whole()
        self.ctes = {"mid_1": fields}
        last = self.create(OUT, self.query(0)[0])
        if self.has("rename", 0.3):
            last = self.create("new_1", self.query(0)[0])
            return [self.create("mid_1", first), last, f"ALTER TABLE new_1 RENAME TO {OUT}"]
        return [self.create("mid_1", first), last]

    def in_path(self) -> list[str]:
        """A statement whose names are looked up in another schema first."""
        path = "USE curr" if self.dialect.name == "mysql" else "SET search_path TO curr, public"
        self.tables = {"items": self.tables["curr.items"], "prev.items": self.tables["prev.items"]}
        values = self.values_in_order(self.tables["items"], scope := self.joined(0))
        schema = "shop" if self.dialect.name == "mysql" else "public"
        return [path, f"INSERT INTO {schema}.sink SELECT {values} FROM {scope[0]}"]

    def values_in_order(self, fields: Fields, source: tuple[str, Scope]) -> str:
        """Expressions of the columns' kinds."""
        return ", ".join(self.expression(kind, source[1], 1) for _, kind in fields)

    # UPDATE, DELETE, MERGE

    def own(self) -> tuple[Item, Scope]:
        """The target as a statement names it, with an alias now and then, and its columns."""
        _, fields, name = self.target()
        item = Item(name, name if self.chance(0.5) else name.split(".")[-1], fields)
        if self.chance(0.4):
            item = Item(f"{name} AS tgt", "tgt", fields)
        return item, self.qualified([item])

    def source(self, own: Item, fields: Sequence[tuple[str, str]] = ()) -> Item:
        """What a target is changed from: one row for each key, or which one counts is chance."""
        taken = [bare(own.qualifier), "sink"]
        alias, item = self.alias(taken), self.stored(())
        key, values = self.by_key(item)
        fields = list(fields) or self.fresh_names(("int", "int", "string"))
        listed = ", ".join(f"{v} AS {n}" for v, (n, _) in zip(values, fields, strict=True))
        return Item(f"(SELECT {listed} FROM {item.text} GROUP BY {key}) AS {alias}", alias, fields)

    def by_key(self, item: Item) -> tuple[str, list[str]]:
        """A key of a relation, and a key, a number and a text for each."""
        scope = [column for column in self.scope_of([item]) if column.kind in ("int", "string")]
        key = self.random.choice([column for column in scope if column.kind == "int"])
        return key.text, [key.text, *(self.aggregate(k, scope, [key]) for k in ("int", "string"))]

    def assignments(self, fields: Fields, scope: Scope, prefix: str = "") -> str:
        """SET of some columns, never of the key."""
        some = self.random.sample(fields[1:], self.random.choice((1, 2)))
        return ", ".join(
            f"{prefix}{self.spelled(name)} = {self.expression(kind, scope, 1)}"
            for name, kind in some
        )

    def on(self, own: Item, source: Item) -> str:
        """The key of the target is that of the source."""
        other = next(name for name, kind in source.fields if kind == "int")
        key = self.spelled(own.fields[0][0])
        return f"{own.qualifier}.{key} = {source.qualifier}.{self.spelled(other)}"

    def also(self, scope: Scope, share: float) -> str:
        """A further condition, now and then."""
        return f" AND {self.expression('boolean', scope, 1)}" if self.chance(share) else ""

    def updated(self) -> list[str]:
        own, scope = self.own()
        if "sources" not in self.dialect.has or self.chance(0.4):
            sets = self.row_set(own, scope) if self.has("row set", 0.3) else ""
            sets = sets or self.assignments(own.fields, scope)
            return [f"UPDATE {own.text} SET {sets}{self.where(scope, 0.7)}"]
        source = self.source(own)
        both, on = scope + self.qualified([source]), self.on(own, source)
        if self.dialect.name == "mysql":
            sets = self.assignments(own.fields, both, f"{own.qualifier}.")
            word = self.random.choice(("JOIN", "JOIN", "LEFT JOIN"))
            join = f"{own.text} {word} {source.text} ON {on}"
            return [f"UPDATE {join} SET {sets}{self.where(both)}"]
        sets, more = self.assignments(own.fields, both), self.also(both, 0.3)
        return [f"UPDATE {own.text} SET {sets} FROM {source.text} WHERE {on}{more}"]

    def row_set(self, own: Item, scope: Scope) -> str:
        """Two columns that one subquery sets; SQLite reads rows of its table that have changed."""
        source, inner, condition = self.correlated(scope)
        if self.dialect.name == "sqlite" and bare(own.text.split()[0]).lower() in source.lower():
            return ""
        names = self.listed(own.fields[1:3])
        values = ", ".join(f"max({self.expression(k, inner, 1)})" for _, k in own.fields[1:3])
        return f"({names}) = (SELECT {values} FROM {source} WHERE {condition})"

    def deleted(self) -> list[str]:
        own, scope = self.own()
        if self.chance(0.5) or self.dialect.name in ("sqlite", "spark"):
            target = f"{own.qualifier} FROM" if self.dialect.name == "mysql" else "FROM"
            return [f"DELETE {target} {own.text} WHERE {self.predicate(scope)}"]
        source = self.source(own)
        both, on = scope + self.qualified([source]), self.on(own, source)
        if self.dialect.name == "mysql":
            join = f"{own.text} JOIN {source.text} ON {on}"
            return [f"DELETE {own.qualifier} FROM {join}{self.where(both)}"]
        return [f"DELETE FROM {own.text} USING {source.text} WHERE {on}{self.also(both, 0.4)}"]

    def merged(self) -> list[str]:
        own, scope = self.own()
        self.is_star = self.has("merge star", 0.5)
        source = self.source(own, own.fields if self.is_star else ())
        given = self.qualified([source])
        head = f"MERGE INTO {own.text} USING {source.text} ON {self.on(own, source)}"
        count = self.random.choice((1, 2, 2, 3))
        whens = [self.when(own, scope + given, given, at + 1 == count) for at in range(count)]
        if self.dialect.name == "spark":
            whens.sort(key=lambda when: " NOT " in when[:9])  # in this order only
        whens += [self.unmatched(own, scope)] if self.has("by source", 0.3) else []
        return [f"{head} {' '.join(whens)}"]

    def when(self, own: Item, both: Scope, given: Scope, is_last: bool) -> str:
        """A clause of MERGE: only the last may have no condition."""
        share = 0.4 if is_last else 1.0
        if self.chance(0.5):
            act = f"UPDATE SET {self.assignments(own.fields, both)}"
            act = "UPDATE SET *" if self.is_star and self.chance(0.5) else act
            act = act if self.chance(0.7) else "DELETE"
            return f"WHEN MATCHED{self.also(both, share)} THEN {act}"
        some = self.random.sample(own.fields, self.random.choice((2, 3)))
        values = ", ".join(self.expression(kind, given, 1) for _, kind in some)
        insert = f"INSERT ({self.listed(some)}) VALUES ({values})"
        insert = "INSERT *" if self.is_star and self.chance(0.5) else insert
        return f"WHEN NOT MATCHED{self.also(given, share)} THEN {insert}"

    def unmatched(self, own: Item, scope: Scope) -> str:
        """The last clause of MERGE: rows of the target that the source has not."""
        act = f"UPDATE SET {self.assignments(own.fields, scope)}"
        act = act if self.chance(0.7) else "DELETE"
        return f"WHEN NOT MATCHED BY SOURCE{self.also(scope, 0.5)} THEN {act}"

    def divided(self) -> list[str]:
        """Rows of one source that go into two tables."""
        source, scope = self.joined(1)
        inserts = []
        for key in ("sink", "curr.items"):
            values = ", ".join(self.expression(kind, scope, 1) for _, kind in self.tables[key])
            inserts.append(f"INSERT INTO {key} SELECT {values}{self.where(scope, 0.6)}")
        return [f"FROM {source} {' '.join(inserts)}"]

    def upserted(self) -> list[str]:
        """INSERT of a row for each key, and what becomes of those that there are."""
        fields, item = self.tables[KEYED], self.stored(())
        key, made = self.by_key(item)
        columns = self.random.sample(list(zip(fields, made, strict=True)), 3)
        values = ", ".join(value for _, value in columns)
        query = f"SELECT {values} FROM {item.text} WHERE {key} IS NOT NULL GROUP BY {key}"
        head = f"INSERT INTO {KEYED} ({self.listed([field for field, _ in columns])}) {query}"
        own = [Column(f"{KEYED}.{name}", kind) for name, kind in fields]
        if self.dialect.name == "mysql":
            new = [Column(f"VALUES({name})", kind) for name, kind in fields]
            return [f"{head} ON DUPLICATE KEY UPDATE {self.assignments(fields, own + new * 2)}"]
        new = [Column(f"excluded.{self.spelled(name)}", kind) for name, kind in fields]
        if self.chance(0.15):
            return [f"{head} ON CONFLICT (id) DO NOTHING"]
        where = f" WHERE {self.expression('boolean', own + new, 1)}" if self.chance(0.3) else ""
        sets = self.assignments(fields, own + new * 2)
        while self.dialect.name == "duckdb" and "SELECT" in sets:  # it takes no subquery there
            sets = self.assignments(fields, own + new * 2)
        return [f"{head} ON CONFLICT (id) DO UPDATE SET {sets}{where}"]

    # Scripts

    def through_table(self) -> list[str]:
        """A temporary table, perhaps of a table's name, that is filled and read."""
        names = ("tmp_1", "tmp_1", "orders", "raw", "people")
        name = self.random.choice(names[:1] if self.dialect.name == "mysql" else names)
        query, fields = self.whole()
        self.ctes = {name: fields}
        statements, scope = [f"CREATE TEMPORARY TABLE {name} AS {query}"], columns_of(fields)
        if self.chance(0.4) and len(scope) == len(fields):
            more, _ = self.plain(0, [kind for _, kind in fields])
            statements.append(f"INSERT INTO {name} {more}")
        if self.chance(0.3) and scope:
            sets = f"{scope[0].text} = {self.expression(scope[0].kind, scope, 1)}"
            statements.append(f"UPDATE {name} SET {sets}{self.where(scope)}")
        if name in self.tables and self.chance(0.25):  # the table is seen again
            statements += [self.create("mid_1", f"SELECT * FROM {name}"), f"DROP TABLE {name}"]
            fields = self.tables[name]
        return [*statements, *self.reading(name, fields)]

    def through_view(self) -> list[str]:
        """A view that is read."""
        query, fields = self.whole()
        temporary = self.dialect.name in ("spark", "sqlite") or self.has("temp view", 0.7)
        head = f"CREATE {'TEMPORARY ' * temporary}VIEW view_1"
        if self.has("view names", 0.3):
            fields = self.fresh_names(kind for _, kind in fields)
            head += f" ({', '.join(name for name, _ in fields)})"
        return [f"{head} AS {query}", *self.reading("view_1", fields)]

    def changed_view(self) -> list[str]:
        """A view that shows a table's columns under other names, and a change of its rows."""
        _, fields, table = self.target(("sink", "curr.items"))
        shown = self.random.sample(fields, 3)
        names = self.fresh_names(kind for _, kind in shown)
        temporary = self.has("temp view", 0.7)
        head = f"CREATE {'TEMPORARY ' * temporary}VIEW view_1"
        if listed := self.has("view names", 0.5):
            head += f" ({', '.join(name for name, _ in names)})"
        aliases = ("" if listed else f" AS {name}" for name, _ in names)
        items = ", ".join(f"{own}{alias}" for (own, _), alias in zip(shown, aliases, strict=True))
        create, scope = f"{head} AS SELECT {items} FROM {table}", columns_of(names)
        column, kind = self.random.choice(names)
        value, where = self.expression(kind, scope, 1), self.where(scope, 0.7)
        values = self.values_in_order(names, source := self.joined(0))
        change = self.random.choice((
            f"UPDATE view_1 SET {column} = {value}{where}",
            f"DELETE FROM view_1 WHERE {self.expression('boolean', scope, 1)}",
            f"INSERT INTO view_1 SELECT {values} FROM {source[0]}",
        ))  # fmt: skip
        return [create, change]

    def computed(self) -> list[str]:
        """A table that computes a column from its others, and what reads it."""
        fields, kind = [("k", "int"), ("w", "string")], self.random.choice(("int", "string"))
        value = "SELECT"
        while "SELECT" in value:  # no database takes a subquery there
            value = self.expression(kind, columns_of(fields), 1)
        number, text = COLUMN_TYPES.get(self.dialect.name, ("BIGINT", "TEXT"))
        own = COMPUTED.get(self.dialect.name, "GENERATED ALWAYS AS ({})").format(value)
        columns = f"k {number}, w {text}, g {number if kind == 'int' else text} {own}"
        engine = " ENGINE = Memory" if self.dialect.name == "clickhouse" else ""
        values = self.values_in_order(fields, source := self.joined(0))
        self.ctes = {"mid_1": [*fields, ("g", kind)]}
        return [
            f"CREATE TABLE mid_1 ({columns}){engine}",
            f"INSERT INTO mid_1 (k, w) SELECT {values} FROM {source[0]}",
            self.create(OUT, f"SELECT g, k FROM mid_1{self.where(columns_of(fields), 0.3)}"),
        ]

    def reading(self, name: str, fields: Fields) -> list[str]:
        """A statement that reads what earlier ones made."""
        self.ctes = {name: fields}
        if not self.has("insert", 0.3):
            return [self.create(OUT, self.query(0)[0])]
        _, own, target = self.target()
        item = self.stored(())
        scope = self.scope_of([item])
        values = ", ".join(self.expression(kind, scope, 1) for _, kind in own)
        return [f"INSERT INTO {target} SELECT {values} FROM {item.text}"]

    def moved(self) -> list[str]:
        """PostgreSQL's statements in CTEs, whose rows RETURNING gives."""
        key, fields, name = self.target(("prev.items", "sink"))
        scope = columns_of(fields)
        inner = self.random.choice((
            f"DELETE FROM {name} WHERE {self.expression('boolean', scope, 1)}",
            f"UPDATE {name} SET {self.assignments(fields, scope)}",
            f"INSERT INTO {name} SELECT id, amount, state FROM raw",
        ))  # fmt: skip
        returning = self.random.choice(("*", ", ".join(column for column, _ in fields)))
        self.ctes = {"moved": fields}
        seen = [Column(f"moved.{column}", kind) for column, kind in fields]
        source = "moved"
        if self.chance(0.4):
            source = f"moved JOIN people ON {self.equal(seen, [Column('people.cid', 'int')])}"
        other = "curr.items" if key == "sink" else "sink"
        values = ", ".join(self.expression(kind, seen, 1) for _, kind in self.tables[other])
        insert = f"INSERT INTO {other} SELECT {values} FROM {source}{self.where(seen, 0.2)}"
        return [f"WITH moved AS ({inner} RETURNING {returning}) {insert}"]


def columns_of(fields: Fields) -> Scope:
    """Columns without a qualifier, as expressions may use them."""
    return [Column(name, kind) for name, kind in fields if kind in ("int", "string")]


def script(dialect: str, seed: int, attempt: int = 0) -> list[str]:
    """The statements that a seed makes in a dialect; those of other attempts are different.

    From ROUTINES on, a seed makes a block with variables, where the dialect has them.
    """
    writer = Writer(DIALECTS[dialect], f"{seed} {attempt}" if attempt else seed)
    if seed >= ROUTINES and "routines" in writer.dialect.has:
        return Routine(writer).statements()
    return writer.script()
