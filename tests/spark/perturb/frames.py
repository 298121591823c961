"""Makes programs of DataFrames at random, from a seed: an expression of Python, as text. Pure.

It is evaluated where `T` gives a table, `F` is `pyspark.sql.functions` and `W` is `Window`.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.spark.perturb.aggregates import AGGREGATES
from tests.spark.perturb.expressions import COLUMNS, SIMPLE, Column, Scope
from tests.spark.perturb.queries import Maker

HOWS = ("inner", "left", "right", "full", "left_semi", "left_anti")


class Program:
    """A chain of steps in the making: its text, and the columns that it has so far."""

    def __init__(self, seed: object) -> None:
        """The same seed makes the same program."""
        self.maker = Maker(f"frame {seed}")
        self.random = self.maker.random
        table = self.random.choice(("t1", "t2", "t3", "t3", "t4"))
        self.text = f"T({table!r})"
        self.columns: Scope = list(COLUMNS[table])

    def expr(self, kind: str, depth: int = 2) -> str:
        text = self.maker.expression(kind, self.columns, depth)
        return f"F.expr({text!r})"

    def pick(self, *kinds: str) -> Column | None:
        found = [column for column in self.columns if column.kind in kinds]
        return self.random.choice(found) if found else None

    def simple(self, most: int) -> list[str]:
        names = [column.text for column in self.columns if column.kind in SIMPLE]
        return self.random.sample(names, min(most, len(names)))

    def replace(self, name: str, kind: str) -> None:
        self.columns = [c for c in self.columns if c.text != name] + [Column(name, kind)]


Step = Callable[[Program], None]  # one that does not suit the columns does nothing


def with_column(p: Program) -> None:
    kind, name = p.maker.kind(), p.maker.name()
    if p.maker.chance(0.3):
        name = p.random.choice(p.columns).text
    p.text += f".withColumn({name!r}, {p.expr(kind)})"
    p.columns = [Column(name, kind) if c.text == name else c for c in p.columns]
    if all(c.text != name for c in p.columns):
        p.columns.append(Column(name, kind))


def select(p: Program) -> None:
    kept = p.random.sample(p.columns, min(len(p.columns), p.random.choice((2, 3))))
    made = [Column(p.maker.name(), p.maker.kind()) for _ in range(2)]
    items = [repr(c.text) for c in kept]
    items += [f"{p.expr(c.kind)}.alias({c.text!r})" for c in made]
    p.text += f".select({', '.join(items)})"
    p.columns = kept + made


def filtered(p: Program) -> None:
    p.text += f".filter({p.expr('boolean', 1)})"


def joined(p: Program) -> None:
    table, how = p.random.choice(list(COLUMNS)), p.random.choice(HOWS)
    kind = p.random.choice(("int", "string"))
    own = p.pick(kind)
    right = {c.text: Column(p.maker.name("r"), c.kind) for c in COLUMNS[table]}
    other = next((c for c in right.values() if c.kind == kind), None)
    if own is None or other is None:
        return
    names = ", ".join(f"F.col({old!r}).alias({c.text!r})" for old, c in right.items())
    on = f"F.expr('{own.text} = {other.text}')"
    p.text += f".join(T({table!r}).select({names}), {on}, {how!r})"
    if "_" not in how:
        p.columns = p.columns + list(right.values())


def joined_by_name(p: Program) -> None:
    names = [n for n in ("a", "b", "s", "id") if any(c.text == n for c in p.columns)]
    if not names:
        return
    name, new = p.random.choice(names), p.maker.name("r")
    table = "t2" if name == "id" else "t4"
    other = "u" if name == "id" else "e"
    kind = "string" if name == "id" else "date"
    how = p.random.choice(HOWS)
    right = f"T({table!r}).select({name!r}, F.col({other!r}).alias({new!r}))"
    p.text += f".join({right}, {name!r}, {how!r})"
    if "_" not in how:
        p.columns = [*p.columns, Column(new, kind)]


def self_joined(p: Program) -> None:
    one, other = p.pick("int"), p.pick("int")
    if one is None or other is None:
        return
    new = p.maker.name("r")
    p.text = (
        f"(lambda f: f.alias('l').join(f.alias('r'), F.expr('l.{one.text} = r.{other.text}'))"
        f".selectExpr('l.*', 'r.{other.text} AS {new}'))({p.text})"
    )
    p.columns = [*p.columns, Column(new, "int")]


def grouped(p: Program) -> None:
    keys = p.simple(p.random.choice((1, 2)))
    how = p.random.choice(("groupBy", "groupBy", "groupBy", "rollup", "cube"))
    made, items = [], []
    groups = [c for c in p.columns if c.text in keys]
    for _ in range(p.random.choice((1, 2))):
        kind = p.random.choice(("int", "int", *AGGREGATES))
        text = p.maker.filled(p.random.choice(AGGREGATES[kind]), p.columns, 1, groups)
        made.append(Column(p.maker.name(), kind))
        items.append(f"F.expr({text!r}).alias({made[-1].text!r})")
    p.text += f".{how}({', '.join(map(repr, keys))}).agg({', '.join(items)})"
    p.columns = groups + made


def pivoted(p: Program) -> None:
    key, by, value = p.pick("string", "int"), p.pick("int"), p.pick("int", "double")
    if key is None or by is None or value is None or key == by:
        return
    p.text += f".groupBy({key.text!r}).pivot({by.text!r}, [1, 2]).agg(F.sum({value.text!r}))"
    p.text += f".toDF({key.text!r}, 'one_{key.text}', 'two_{key.text}')"
    p.columns = [key]


def united(p: Program) -> None:
    column = p.pick("int", "string", "struct", "items", "array")
    if column is None:
        return
    how = p.random.choice(("union", "unionByName", "unionAll"))
    changed = f"f.withColumn({column.text!r}, {p.expr(column.kind)})"
    p.text = f"(lambda f: f.{how}({changed}))({p.text})"


def united_with_missing(p: Program) -> None:
    p.text += ".unionByName(T('t4'), allowMissingColumns=True)"
    known = {c.text for c in p.columns}
    p.columns = p.columns + [c for c in COLUMNS["t4"] if c.text not in known]


def without_duplicates(p: Program) -> None:
    names = p.simple(2)
    p.text += f".dropDuplicates({names!r})" if names else ""


def less(p: Program) -> None:
    if len(p.columns) > 2:
        column = p.random.choice(p.columns)
        p.text += f".drop({column.text!r})"
        p.columns = [c for c in p.columns if c != column]


def renamed(p: Program) -> None:
    column, new = p.random.choice(p.columns), p.maker.name()
    p.text += f".withColumnRenamed({column.text!r}, {new!r})"
    p.columns = [Column(new, c.kind) if c == column else c for c in p.columns]


def filled(p: Program) -> None:
    p.text += p.random.choice((".fillna(0)", ".fillna('z')", ".na.replace(1, 2)"))


def without_nulls(p: Program) -> None:
    names = p.simple(2)
    p.text += f".dropna(subset={names!r})" if names else ""


def minus(p: Program) -> None:
    how = p.random.choice(("exceptAll", "subtract", "intersect", "intersectAll"))
    if all(c.kind in SIMPLE for c in p.columns):
        p.text = f"(lambda f: f.{how}(f.filter({p.expr('boolean', 1)})))({p.text})"


def unpivoted(p: Program) -> None:
    ids, values = p.simple(1), [c.text for c in p.columns if c.kind == "int"][:3]
    if ids and len(values) > 1:
        names = [p.maker.name("v"), p.maker.name("v")]
        p.text += f".unpivot({ids!r}, {values!r}, {names[0]!r}, {names[1]!r})"
        kept = [c for c in p.columns if c.text == ids[0]]
        p.columns = [*kept, Column(names[0], "string"), Column(names[1], "int")]


def with_field(p: Program) -> None:
    column = p.pick("struct")
    if column is None:
        return
    change = p.random.choice(
        (f".withField('x', {p.expr('int')})", f".withField('z.q', {p.expr('string')})",
         f".withField('y', {p.expr('string')}).withField('z.p', {p.expr('int')})")
    )  # fmt: skip
    p.text += f".withColumn({column.text!r}, F.col({column.text!r}){change})"


def without_field(p: Program) -> None:
    column = p.pick("struct")
    if column is not None:
        new = p.maker.name()
        gone = p.random.choice(("x", "z.p", "y"))
        p.text += f".withColumn({new!r}, F.col({column.text!r}).dropFields({gone!r}))"


def windowed(p: Program) -> None:
    value, order = p.pick("int"), p.pick("int", "date")
    by = p.simple(1)
    if value is None or order is None:
        return
    what = p.random.choice(("sum", "max", "count", "first", "lag", "lead"))
    over = f"W.partitionBy({by[0]!r}).orderBy({order.text!r})"
    new = p.maker.name()
    p.text += f".withColumn({new!r}, F.{what}({value.text!r}).over({over}))"
    p.columns = [*p.columns, Column(new, "int" if what != "count" else "long")]


def by_lambda(p: Program) -> None:
    array, value, new = p.pick("array"), p.pick("int"), p.maker.name()
    if array is None or value is None:
        return
    function = p.random.choice(("transform", "filter"))
    body = f"x + F.col({value.text!r})" if function == "transform" else f"x > F.col({value.text!r})"
    p.text += f".withColumn({new!r}, F.{function}({array.text!r}, lambda x: {body}))"
    p.columns = [*p.columns, Column(new, "array")]


def unchanged(p: Program) -> None:
    p.text += p.random.choice(
        (".hint('broadcast')", ".coalesce(1)", ".alias('z')", ".repartition(1)",
         ".select('*')", ".withMetadata('id', {'a': 1})", ".sortWithinPartitions('id')")
    )  # fmt: skip


def limited(p: Program) -> None:
    names = p.simple(1)
    if names:
        p.text += f".orderBy({names[0]!r})" + p.random.choice(("", ".limit(5)"))


STEPS: tuple[Step, ...] = (
    with_column, with_column, with_column, select, select, filtered, filtered, joined, joined,
    joined_by_name, self_joined, grouped, grouped, pivoted, united, united_with_missing,
    without_duplicates, less, renamed, filled, without_nulls, minus, unpivoted, with_field,
    with_field, without_field, windowed, by_lambda, unchanged, limited,
)  # fmt: skip
