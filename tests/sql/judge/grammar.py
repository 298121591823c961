"""Makes queries at random, from a seed: one grammar, by what a dialect has. Pure.

Names are those of tables on purpose: CTEs and aliases that hide tables, columns of equal names. The
grammar need not know what such a name means; the database that runs the statement does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tests.spark.perturb.expressions import Column, Expressions, Scope
from tests.sql.judge import templates
from tests.sql.judge.dialects import KEYED, Dialect

Fields = list[tuple[str, str]]  # names and kinds of a relation's columns
Made = tuple[str, Fields]  # a query and its columns
KINDS = {"bigint": "int", "string": "string", "['bigint']": "array", "['string']": "words"}
SCALAR = {"array": "int", "words": "string"}
BRACKETS = {"postgres": ("(ARRAY[", "])"), "spark": ("array(", ")")}


class Item(NamedTuple):
    """One thing of a FROM clause: its text, what its columns are qualified by, and these."""

    text: str
    qualifier: str
    fields: Fields


class Maker(Expressions):
    """One statement in the making."""

    literals = templates.LITERALS

    def __init__(self, dialect: Dialect, seed: object) -> None:
        """The same seed makes the same statement."""
        super().__init__(f"{dialect.name} {seed}")
        self.dialect = dialect
        self.scalars = scalars(dialect)
        self.ctes: dict[str, Fields] = {}
        self.hidden: set[str] = set()  # tables that a CTE's own name hides in its body
        self.tables = {
            key: [(name, KINDS[str(kind)]) for name, kind in columns.items()]
            for key, columns in dialect.tables.items()
        }
        self.every_table = self.tables  # also those that a statement needs a schema for

    def has(self, feature: str, share: float = 1.0) -> bool:
        """Whether the database has a feature, and it is to be used now."""
        return feature in self.dialect.has and self.chance(share)

    # Names

    def spelled(self, name: str, table: bool = False) -> str:
        """A name as the database accepts it, in one case or another."""
        case, quote = self.dialect.case, self.dialect.quote
        quoted = f"{quote}{name}{quote}"
        if case == "lower" and name != name.lower():
            return quoted
        if case == "exact" or (case == "columns" and table) or not self.chance(0.15):
            return name
        return self.random.choice((name.upper(), name.lower(), quoted))

    def fresh_names(self, kinds: Iterable[str]) -> Fields:
        """Different names for columns of these kinds."""
        made: Fields = []
        for kind in kinds:
            taken = {name for name, _ in made}
            free = [name for name in templates.NAMES[SCALAR.get(kind, kind)] if name not in taken]
            is_alike = self.chance(self.dialect.alike)
            made.append((self.random.choice(free) if is_alike else self.name(), kind))
        return made

    def alias(self, taken: Iterable[str]) -> str:
        """A name for a relation beside others."""
        free = [name for name in templates.RELATIONS if name not in taken]
        return self.random.choice(free) if self.chance(0.5) else self.name("x")

    # Relations

    def stored(self, taken: Sequence[str], only: Sequence[str] = ()) -> Item:
        """A table of the database, or a common table expression."""
        if self.ctes and not only and self.chance(0.5):
            key = text = self.random.choice(list(self.ctes))
            fields = self.ctes[key]
        else:
            key = self.random.choice(only or [key for key in self.tables if key != KEYED])
            fields, parts = {**self.every_table, **self.tables}[key], key.split(".")
            hidden = {*self.ctes, *self.hidden, *(self.every_table.keys() - self.tables.keys())}
            if len(parts) == 1 and (key in hidden or self.chance(0.1)):
                parts = [self.dialect.place.schema or "main", key]
            text = ".".join(self.spelled(part, table=True) for part in parts)
        if bare(key) in taken or self.chance(0.5):
            alias = self.alias(taken)
            return Item(f"{text} {self.random.choice(('AS ', ''))}{alias}", alias, fields)
        return Item(text, text if self.chance(0.4) else text.split(".")[-1], fields)

    def relation(self, depth: int, taken: Sequence[str]) -> Item:
        """One thing to select from, under a name that is not taken."""
        alias = self.alias(taken)
        if depth > 0 and self.chance(0.35):
            text, fields = self.nested(depth - 1) if self.chance(0.2) else self.query(depth - 1)
            if not self.has("renamed", 0.15):
                return Item(f"({text}) AS {alias}", alias, fields)
        elif self.has("values", 0.06):
            text, fields = "VALUES (1, 'a'), (2, 'b'), (0, '')", [("", "int"), ("", "string")]
        else:
            return self.stored(taken)
        fields = self.fresh_names(kind for _, kind in fields)
        return Item(f"({text}) AS {alias}({names(fields)})", alias, fields)

    def scope_of(self, items: Sequence[Item], merged: Sequence[str] = ()) -> Scope:
        """The columns of a FROM clause, qualified or, where only one has the name, not."""
        every = [name.lower() for item in items for name, _ in item.fields]
        return [
            Column(self.spelled(name), kind)
            if name in merged or (every.count(name.lower()) == 1 and self.chance(0.4))
            else Column(f"{item.qualifier}.{self.spelled(name)}", kind)
            for item in items
            for name, kind in item.fields
        ]

    def qualified(self, items: Sequence[Item]) -> Scope:
        """All columns with their qualifiers."""
        return [Column(f"{i.qualifier}.{self.spelled(n)}", k) for i in items for n, k in i.fields]

    def joined(self, depth: int) -> tuple[str, Scope]:
        """A relation, or several joined."""
        if self.has("using", 0.12):
            return self.by_names()
        items = [self.relation(depth, ())]
        text = items[0].text
        for _ in range(self.random.choice((0, 0, 1, 1, 2))):
            if self.has("lateral", 0.15):
                more, item = self.lateral(items)
            else:
                item = self.relation(depth - 1, taken_by(items))
                more = self.join(items, item)
            text += more
            if " SEMI " not in more[:12] and " ANTI " not in more[:12]:  # else it is not seen
                items.append(item)
        if self.chance(0.15):
            items.append(self.relation(depth - 1, taken_by(items)))
            text += f", {items[-1].text}"
        forms = templates.UNNESTED.get(self.dialect.name)
        if forms and self.chance(0.15):
            return self.unnested(text, self.scope_of(items), forms)
        return text, self.scope_of(items)

    def join(self, items: list[Item], item: Item) -> str:
        """One more item of a FROM clause."""
        if self.chance(0.2):
            return f" CROSS JOIN {item.text}"
        words = ["JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN"]
        words += ["FULL JOIN"] if "full" in self.dialect.has else []
        semi = {"spark": ["LEFT SEMI JOIN", "LEFT ANTI JOIN"], "duckdb": ["SEMI JOIN", "ANTI JOIN"]}
        word = self.random.choice([*words, *semi.get(self.dialect.name, ())])
        left, right = self.qualified(items), self.qualified([item])
        if "on anything" not in self.dialect.has and not common_kinds(left, right):
            return f" CROSS JOIN {item.text}"
        condition = self.equal(left, right)
        if self.chance(0.2) and word != "FULL JOIN":
            both = self.qualified([*items, item])
            condition += f" AND {self.expression('boolean', both, 0)}"
        return f" {word} {item.text} ON {condition}"

    def equal(self, left: Scope, right: Scope) -> str:
        """A condition between two sides."""
        kind = self.random.choice(sorted(common_kinds(left, right)) or ["int"])
        sides = [[c.text for c in side if c.kind == kind] for side in (left, right)]
        if not all(sides):
            return self.expression("boolean", left + right, 1)
        return " = ".join(self.random.choice(side) for side in sides)

    def by_names(self) -> tuple[str, Scope]:
        """A join by the names that both sides have."""
        left, right, common = self.random.choice(templates.NAMED_ALIKE)
        one = self.stored((), [left])
        other = self.stored(taken_by([one]), [right])
        words = ["JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN"]
        words += ["FULL JOIN"] if "full" in self.dialect.has else []
        word, merged = self.random.choice(words), list(common)
        if self.has("natural", 0.4):
            text = f"{one.text} NATURAL {word} {other.text}"
        else:
            merged = self.random.sample(merged, self.random.randint(1, len(merged)))
            text = f"{one.text} {word} {other.text} USING ({', '.join(map(self.spelled, merged))})"
        return text, self.scope_of([one, other], merged)

    def lateral(self, items: list[Item]) -> tuple[str, Item]:
        """A subquery that sees the items before it."""
        alias, outer, fields = self.alias(taken_by(items)), self.qualified(items), self.fresh_names(
            ("int", "string")
        )  # fmt: skip
        source, inner = self.inner_source()
        from_ = f" FROM {source} WHERE {self.equal(inner, outer)}" if self.chance(0.7) else ""
        seen = inner + outer if from_ else outer
        values = ", ".join(f"{self.expression(kind, seen, 1)} AS {name}" for name, kind in fields)
        query = f"LATERAL (SELECT {values}{from_}) AS {alias}"
        is_left = self.dialect.name != "spark" and self.chance(0.4)
        text = f" LEFT JOIN {query} ON true" if is_left else f" CROSS JOIN {query}"
        return text, Item("", alias, fields)

    def unnested(
        self, text: str, scope: Scope, forms: Sequence[tuple[str, str]]
    ) -> tuple[str, Scope]:
        """With rows of arrays, or of several columns."""
        form, kinds = self.random.choice(forms)
        if "{array}" in form or "{words}" in form:
            item = self.stored((), ["lists"])
            text, scope = item.text, self.scope_of([item])
        fields = self.fresh_names({"i": "int", "s": "string"}[kind] for kind in kinds)
        alias = self.name("u")
        form = form.replace("{u}", alias)
        for at, (name, _) in enumerate(fields):
            form = form.replace(f"{{{at}}}", name)
        prefix = "" if self.dialect.name == "clickhouse" else f"{alias}."
        more = [Column(f"{prefix}{name}", kind) for name, kind in fields]
        return text + self.filled(form, scope, 1), scope + more * 2

    def inner_source(self) -> tuple[str, Scope]:
        """A table or CTE of a subquery, and its columns."""
        item = self.stored(())
        return item.text, self.scope_of([item])

    # Expressions

    def correlated(self, scope: Scope) -> tuple[str, Scope, str]:
        """A table and a condition of its rows, mostly on the query around it."""
        source, inner = self.inner_source()
        if self.has("correlated", 0.8):
            return source, inner, self.equal(inner, scope)
        return source, inner, self.expression("boolean", inner, 1)

    def outer(self, kind: str, scope: Scope) -> list[str]:
        """The columns of a type that a subquery sees in the query around it."""
        return [c.text for c in scope if c.kind == kind and "correlated" in self.dialect.has]

    def expression(self, kind: str, scope: Scope, depth: int) -> str:
        """An expression of a type; arrays are columns, or come from others."""
        if kind == "column":
            return self.random.choice(self.subquery())
        if kind not in SCALAR:
            return super().expression(kind, scope, depth)
        columns = [column.text for column in scope if column.kind == kind]
        if columns:
            return self.random.choice(columns)
        items = ", ".join(self.expression(SCALAR[kind], scope, 0) for _ in range(2))
        start, end = BRACKETS.get(self.dialect.name, ("[", "]"))
        return f"{start}{items}{end}"

    def subquery(self) -> list[str]:
        """A number's column of a table, with its FROM."""
        source, inner = self.inner_source()
        every = [f"{column.text} FROM {source}" for column in inner if column.kind == "int"]
        return every or [f"1 FROM {source}"]

    # Queries

    def query(self, depth: int) -> Made:
        """A query and its columns."""
        shapes = [
            ("", self.plain, 5), ("", self.grouped, 3), ("named", self.windowed, 2),
            ("", self.united, 2), ("byname", self.by_name, 1), ("", self.starred, 1.2),
            ("pivot", self.pivoted, 0.5), ("pivot", self.unpivoted, 0.5),
            ("distinct on", self.first_rows, 0.5), ("columns", self.all_columns, 0.4),
            ("pipe", self.piped, 0.5), ("generated", self.generated, 0.5),
            ("struct", self.of_struct, 0.5),
        ]  # fmt: skip
        able = [(shape, weight) for need, shape, weight in shapes if not need or self.has(need)]
        return self.random.choices([s for s, _ in able], [w for _, w in able])[0](depth)

    def whole(self, depth: int | None = None, kinds: Sequence[str] = ()) -> Made:
        """A whole query, perhaps with CTEs; with `kinds`, its columns have these."""
        before, parts = dict(self.ctes), []
        cte_names = self.random.sample(templates.RELATIONS, self.random.choice((0, 0, 1, 1, 2)))
        is_recursive = self.has("recursive", 0.08)
        hides = is_recursive or "own name" not in self.dialect.has
        self.hidden = set(cte_names) if hides else set()
        for name in cte_names:
            text, fields = self.query(1)
            if self.chance(0.15) and "cte columns" in self.dialect.has:
                fields = self.fresh_names(kind for _, kind in fields)
                parts.append(f"{name}({names(fields)}) AS ({text})")
            else:
                parts.append(f"{name} AS ({text})")
            self.ctes = {**self.ctes, name: fields}
        self.hidden = set()
        if is_recursive:
            parts.append(self.recursion())
            self.ctes = {**self.ctes, "r": [("n", "int"), ("k", "int")]}
        depth = self.random.choice((0, 1, 1, 2)) if depth is None else depth
        text, fields = self.plain(depth, kinds) if kinds else self.query(depth)
        self.ctes = before
        word = "WITH RECURSIVE" if is_recursive else "WITH"
        return (f"{word} {', '.join(parts)} {text}" if parts else text), fields

    def nested(self, depth: int) -> Made:
        """A query with a CTE of its own, which may hide one around it."""
        name, before = self.random.choice(templates.RELATIONS), dict(self.ctes)
        self.hidden |= set() if "own name" in self.dialect.has else {name}
        text, fields = self.query(0)
        self.ctes[name] = fields
        query, columns = self.query(depth)
        self.ctes = before
        return f"WITH {name} AS ({text}) {query}", columns

    def recursion(self) -> str:
        """A recursive CTE `r(n, k)`, which ends."""
        item = self.stored((), ["raw", "orders", "people"])
        start = self.expression("int", self.scope_of([item]), 0)
        step = self.random.choice((
            "SELECT r.n + 1, r.k + 1 FROM r WHERE r.k < 2",
            "SELECT r.n + p.price, r.k + 1 FROM r JOIN curr.items AS p ON p.id = r.n WHERE r.k < 2",
        ))  # fmt: skip
        return f"r(n, k) AS (SELECT {start}, 0 FROM {item.text} UNION ALL {step})"

    def items(self, scope: Scope, depth: int, kinds: Sequence[str]) -> Made:
        """Expressions of these kinds under names; a column may keep its own."""
        texts, fields = [], self.fresh_names(kinds)
        for at, (name, kind) in enumerate(fields):
            text = self.expression(kind, scope, self.random.choice((0, depth)))
            own = bare(text)
            taken = {other.lower() for other, _ in (*fields[:at], *fields[at + 1 :])}
            if own.isidentifier() and own not in taken and own == text and self.chance(0.5):
                fields[at] = (own, kind)
                texts.append(text)
            else:
                texts.append(f"{text} AS {name}")
        return ", ".join(texts), fields

    def kinds(self) -> list[str]:
        """The kinds of some columns."""
        return self.random.choices(("int", "string"), k=self.random.choice((1, 2, 2, 3)))

    def where(self, scope: Scope, share: float = 0.4) -> str:
        """A condition on rows, now and then."""
        return f" WHERE {self.predicate(scope)}" if self.chance(share) else ""

    def tail(self, fields: Fields, scope: Scope) -> str:
        """An order over all columns and a limit, now and then."""
        if not self.chance(0.15):
            return ""
        keys = [name for name, _ in fields]
        if self.chance(0.4) and scope:
            keys.insert(0, self.expression(self.random.choice(("int", "string")), scope, 1))
        return f" ORDER BY {', '.join(keys)} LIMIT {self.random.choice((2, 5))}"

    def plain(self, depth: int, kinds: Sequence[str] = ()) -> Made:
        """SELECT of expressions."""
        source, scope = self.joined(depth)
        items, fields = self.items(scope, 2, kinds or self.kinds())
        if self.has("lateral alias", 0.15) and not kinds:
            name, kind = fields[0]
            value = self.expression(kind, [Column(name, kind)] * 3 + scope, 2)
            fields.append((self.name(), kind))
            items += f", {value} AS {fields[-1][0]}"
        distinct = "DISTINCT " if self.chance(0.12) else ""
        tail = self.tail(fields, [] if distinct else scope)
        return f"SELECT {distinct}{items} FROM {source}{self.where(scope)}{tail}", fields

    def starred(self, depth: int) -> Made:
        """SELECT of all columns, with some left out or replaced, and one more."""
        if self.has("using", 0.25):
            return self.merged_star()
        item = self.relation(depth, ())
        if self.has("from first", 0.15):
            return f"FROM {item.text}", list(item.fields)
        scope, fields = self.scope_of([item]), list(item.fields)
        star = self.random.choice(("*", f"{item.qualifier}.*"))
        if self.dialect.name in ("mysql", "sqlite"):
            star = f"{item.qualifier.split('.')[-1]}.*"
        name, kind = self.random.choice(fields)
        word = "EXCLUDE" if self.dialect.name == "duckdb" else "EXCEPT"
        if self.has("exclude", 0.3) and len(fields) > 1:
            star, fields = f"{star} {word} ({name})", [f for f in fields if f[0] != name]
        elif self.has("exclude", 0.3) and kind not in SCALAR:
            star += f" REPLACE ({self.expression(kind, scope, 1)} AS {name})"
        more = self.name()
        text = f"SELECT {star}, {self.expression('int', scope, 1)} AS {more}"
        return f"{text} FROM {item.text}{self.where(scope)}", [*fields, (more, "int")]

    def merged_star(self) -> Made:
        """All columns of two tables that are joined by the names that both have."""
        left, right, common = self.random.choice(templates.NAMED_ALIKE)
        one = self.stored((), [left])
        other = self.stored(taken_by([one]), [right])
        word = self.random.choice(("JOIN", "LEFT JOIN", "RIGHT JOIN"))
        word = "FULL JOIN" if self.has("full", 0.25) else word
        rest = [f for item in (one, other) for f in item.fields if f[0] not in common]
        merged = [field for field in one.fields if field[0] in common]
        text = f"{one.text} {word} {other.text} USING ({', '.join(common)})"
        fields = sorted(merged, key=lambda field: common.index(field[0])) + rest
        return f"SELECT * FROM {text}{self.where(self.scope_of([one, other], common), 0.3)}", fields

    def all_columns(self, depth: int) -> Made:
        """One function of each column."""
        item = self.stored((), ["raw", "orders", "people", "prev.items"])
        fields = list(item.fields)
        return f"SELECT max(COLUMNS(*)) FROM {item.text}", fields

    def grouped(self, depth: int) -> Made:
        """GROUP BY in its forms."""
        source, scope = self.joined(depth)
        plain = [column for column in scope if column.kind not in SCALAR]
        keys = self.random.sample(plain, min(len(plain), self.random.choice((0, 1, 1, 2))))
        if keys and self.chance(0.3):
            form = {"int": "coalesce({0}, 0)", "string": "upper({0})"}[keys[0].kind]
            keys[0] = Column(form.replace("{0}", keys[0].text), keys[0].kind)
        kinds = self.kinds()
        fields = self.fresh_names([*(key.kind for key in keys), *kinds])
        texts = [key.text for key in keys]
        texts += [self.aggregate(kind, scope, keys) for kind in kinds]
        having = ""
        if keys and self.chance(0.25):
            having = f" HAVING {self.aggregate('int', scope, keys)} > 1"
            if self.has("alias", 0.4):
                having = f" HAVING {fields[-1][0]} IS NOT NULL"
        where = self.where(scope, 0.3)
        group = self.group_by(keys, fields)
        return f"SELECT {listed(texts, fields)} FROM {source}{where}{group}{having}", fields

    def aggregate(self, kind: str, scope: Scope, keys: Scope) -> str:
        """An aggregate, perhaps of some rows only."""
        forms = (templates.FILTERED if self.has("filter", 0.3) else templates.AGGREGATES)[kind]
        inner = [column for column in scope if column.kind not in SCALAR]
        constants = [Column("1", "int"), Column("'a'", "string")]
        return self.filled(self.random.choice(forms), inner, 1, keys or constants)

    def group_by(self, keys: Scope, fields: Fields) -> str:
        """GROUP BY keys, by one way to write it."""
        if not keys:
            return ""
        texts = ", ".join(key.text for key in keys)
        forms = {
            "": texts, "using": ", ".join(str(at + 1) for at in range(len(keys))),
            "alias": names(fields[: len(keys)]), "group all": "ALL",
            "rollup": f"{texts} WITH ROLLUP",
        }  # fmt: skip
        able = [text for need, text in forms.items() if not need or self.has(need)]
        sets = [f"ROLLUP ({texts})", f"CUBE ({texts})", f"GROUPING SETS (({texts}), ())"]
        return f" GROUP BY {self.random.choice([*able, *(sets if self.has('sets') else ())])}"

    def windowed(self, depth: int) -> Made:
        """Window functions, with a frame, a named window or QUALIFY."""
        source, scope = self.joined(depth)
        kinds = self.kinds()
        fields = self.fresh_names([*kinds, "int", self.random.choice(("int", "string"))])
        texts = [self.expression(kind, scope, 1) for kind in kinds]
        by, order = (self.expression(self.random.choice(("int", "string")), scope, 0) for _ in "12")
        window, is_named = f"PARTITION BY {by} ORDER BY {order}", self.chance(0.3)
        ties = "".join(f", {column.text}" for column in scope if column.kind not in SCALAR)
        for _, kind in fields[len(kinds) :]:
            is_ordered = self.chance(0.5)
            forms = (templates.ORDERED if is_ordered else templates.WINDOWED)[kind]
            frame = "" if is_ordered else self.random.choice(templates.FRAMES)
            inside = window if self.chance(0.7) else f"ORDER BY {order}"
            if frame or is_ordered:  # which of several rows is first is chance otherwise
                inside += ties
            over = "w" if is_named else f"({inside}{frame})"
            texts.append(f"{self.filled(self.random.choice(forms), scope, 1)} OVER {over}")
        text = f"SELECT {listed(texts, fields)} FROM {source}{self.where(scope, 0.3)}"
        text += f" WINDOW w AS ({window}{ties})" if is_named else ""
        if self.has("qualify", 0.3):
            column = self.expression("int", scope, 0)
            text += f" QUALIFY rank() OVER (PARTITION BY {by} ORDER BY {column}) = 1"
        return text, fields

    def united(self, depth: int) -> Made:
        """A chain of set operations, each of its own kind."""
        kinds = self.kinds()
        text, fields = "", []
        for _ in range(self.random.choice((2, 2, 3))):
            source, scope = self.joined(depth - 1)
            items, own = self.items(scope, 1, kinds)
            select = f"SELECT {items} FROM {source}{self.where(scope, 0.3)}"
            word = self.random.choice(self.set_words())
            if text and self.has("brackets", 0.2):
                text, select = self.random.choice(((f"({text})", select), (text, f"({select})")))
            text = f"{text} {word} {select}" if text else select
            fields = fields or own
        return text + self.tail(fields, []), fields

    def set_words(self) -> list[str]:
        """The set operations that the database has."""
        distinct = "UNION DISTINCT" if self.dialect.name == "clickhouse" else "UNION"
        words = ["UNION ALL", "UNION ALL", distinct, "EXCEPT", "INTERSECT"]
        return [*words, "EXCEPT ALL", "INTERSECT ALL"] if self.has("all") else words

    def by_name(self, depth: int) -> Made:
        """A chain of unions whose columns are matched by their names, each with its own flags."""
        kinds, text = self.kinds(), ""
        made: dict[str, str] = {}
        for _ in range(self.random.choice((2, 3))):
            source, scope = self.joined(depth - 1)
            fields = self.fresh_names(kinds)
            values = [self.expression(kind, scope, 0) for kind in kinds]
            word = self.random.choice(("UNION BY NAME", "UNION ALL BY NAME", "UNION ALL BY NAME"))
            text += f" {word} " if text else ""
            text += f"SELECT {listed(values, fields)} FROM {source}"
            made = {**dict(fields), **made}
        return text, list(made.items())

    def first_rows(self, depth: int) -> Made:
        """DISTINCT ON some expressions."""
        source, scope = self.joined(depth)
        scope = [column for column in scope if column.kind not in SCALAR]
        key = self.random.choice(scope).text
        items, fields = self.items(scope, 1, self.kinds())
        key = self.random.choice(fields)[0] if self.chance(0.4) else key  # an alias counts first
        order = ", ".join([key, *(column.text for column in scope)])
        rest = f"FROM {source}{self.where(scope)} ORDER BY {order}"
        return f"SELECT DISTINCT ON ({key}) {items} {rest}", fields

    def piped(self, depth: int) -> Made:
        """A table whose rows go through operators, one after the other."""
        item = self.stored(())
        scope = self.scope_of([item])
        names = [self.name(), self.name()]
        value, key = self.expression("int", scope, 1), self.random.choice(scope)
        text = f"FROM {item.text} |> WHERE {self.predicate(scope)} |> "
        extended = f"EXTEND {value} AS {names[0]} |> "
        last = self.random.choice((
            f"AGGREGATE sum({value}) AS {names[0]} GROUP BY {key.text} AS {names[1]}",
            f"{extended}SELECT {names[0]}, {key.text} AS {names[1]}",
            f"{extended}AGGREGATE max({names[0]}) AS {names[0]} GROUP BY {key.text} AS {names[1]}",
        ))  # fmt: skip
        fields = [(names[0], "int"), (names[1], key.kind)]
        return text + last, fields if "AGGREGATE" not in last else fields[::-1]

    def generated(self, depth: int) -> Made:
        """A function among the columns that makes rows."""
        item = self.stored((), ["lists"])
        scope = self.scope_of([item])
        form, kinds = self.random.choice(templates.GENERATED)
        fields = self.fresh_names(["int", *({"i": "int", "s": "string"}[k] for k in kinds)])
        made = self.filled(form, scope, 1)
        names = ", ".join(name for name, _ in fields[1:])
        names = f"({names})" if len(fields) > 2 else names
        value = self.expression("int", scope, 1)
        text = f"SELECT {value} AS {fields[0][0]}, {made} AS {names} FROM {item.text}"
        return text + self.where(scope, 0.3), fields

    def of_struct(self, depth: int) -> Made:
        """Members of a struct that a subquery makes, or all of them."""
        source, scope = self.joined(depth - 1)
        (one, _), (other, _) = fields = self.fresh_names(("int", "string"))
        values = [self.expression(kind, scope, 1) for _, kind in fields]
        struct = f"named_struct('{one}', {values[0]}, '{other}', {values[1]})"
        value = self.expression("int", scope, 0)
        inner = f"SELECT {struct} AS st, {value} AS k FROM {source}"
        if self.chance(0.4):
            inner = f"SELECT max({struct}) AS st, {value} AS k FROM {source} GROUP BY 2"
        items = self.random.choice(("st.*, k", f"x9.st.{one}, st.{other}, k"))
        return f"SELECT {items} FROM ({inner}) AS x9", [*fields, ("k", "int")]

    def pivoted(self, depth: int) -> Made:
        """PIVOT of a table's columns."""
        one, other, alias = self.name(), self.name(), self.name("p")
        how = self.random.choice(("sum(amount)", "max(amount)"))
        pivot = f"PIVOT ({how} FOR state IN ('a' AS {one}, 'b' AS {other}))"
        source = self.random.choice(templates.PIVOTED)
        fields = [("id", "int"), (one, "int"), (other, "int")]
        return f"SELECT * FROM ({source}) AS {alias} {pivot}", fields

    def unpivoted(self, depth: int) -> Made:
        """UNPIVOT of two columns."""
        value, name = self.name(), self.name()
        pivot = f"UNPIVOT ({value} FOR {name} IN (amount, id))"
        fields = [("state", "string"), ("customer", "string"), (name, "string"), (value, "int")]
        return f"SELECT * FROM {self.stored((), ['raw']).text.split()[0]} {pivot}", fields


def common_kinds(left: Scope, right: Scope) -> set[str]:
    """The kinds by which columns of two sides can be compared."""
    sides = ({column.kind for column in side} for side in (left, right))
    return set.intersection(*sides) & {"int", "string"}


def bare(name: str) -> str:
    """The last part of a name, without quotes."""
    return name.split(".")[-1].strip('"`').lower()


def taken_by(items: Sequence[Item]) -> list[str]:
    """The names of relations that others must not have."""
    return [bare(item.qualifier) for item in items]


def names(fields: Fields) -> str:
    """The names of columns."""
    return ", ".join(name for name, _ in fields)


def listed(texts: Sequence[str], fields: Fields) -> str:
    """Expressions under names."""
    return ", ".join(f"{text} AS {name}" for text, (name, _) in zip(texts, fields, strict=True))


def scalars(dialect: Dialect) -> dict[str, tuple[str, ...]]:
    """The templates that a dialect has, in its words."""
    made = {}
    for kind, forms in templates.SCALARS.items():
        more = [
            table.get(kind, ()) for need, table in templates.MORE.items() if need in dialect.has
        ]
        texts = [form.replace("{TEXT}", dialect.text) for form in (*forms, *sum(more, ()))]
        for word, other in dialect.words.items():
            texts = [text.replace(f"{word}(", f"{other}(") for text in texts]
        made[kind] = tuple(texts)
    return made
