"""More steps of made programs of DataFrames: nested values, whole rows, subqueries. Pure."""

from __future__ import annotations

from tests.spark.perturb import frames
from tests.spark.perturb.aggregates import AGGREGATES
from tests.spark.perturb.expressions import COLUMNS, SIMPLE, Column
from tests.spark.perturb.frames import Program, Step


def with_field_of_elements(p: Program) -> None:
    """A member of each element is another."""
    column = p.pick("items")
    if column is None:
        return
    value = p.expr("int", 1)
    change = p.random.choice(
        (f"i.withField('n', i['n'] + {value})", f"i.withField('sku', {p.expr('string', 1)})",
         "i.dropFields('n')", "i.withField('n', F.length(i['sku']))",
         f"F.struct(i['sku'].alias('sku'), {value}.alias('n'))")
    )  # fmt: skip
    new = p.maker.name()
    p.text += f".withColumn({new!r}, F.transform({column.text!r}, lambda i: {change}))"
    if "dropFields" not in change:
        p.columns = [*p.columns, Column(new, "items")]


def summed_elements(p: Program) -> None:
    column, value, new = p.pick("items"), p.expr("int", 1), p.maker.name()
    if column is None:
        return
    function = p.random.choice(
        (f"F.aggregate({column.text!r}, F.lit(0), lambda t, i: t + F.coalesce(i['n'], {value}))",
         f"F.size(F.filter({column.text!r}, lambda i: i['n'] > {value}))",
         f"F.aggregate({column.text!r}, F.struct(F.lit(0).alias('u'), F.lit('').alias('v')),"
         " lambda t, i: F.struct((t['u'] + i['n']).alias('u'), i['sku'].alias('v')))['u']")
    )  # fmt: skip
    p.text += f".withColumn({new!r}, {function})"
    p.columns = [*p.columns, Column(new, "int")]


def maps_by_lambdas(p: Program) -> None:
    column, new = p.pick("map"), p.maker.name()
    if column is None:
        return
    value = p.expr("int", 1)
    function = p.random.choice(
        (f"F.transform_values({column.text!r}, lambda k, v: v + {value})",
         f"F.map_filter({column.text!r}, lambda k, v: v > {value})",
         f"F.transform_keys({column.text!r}, lambda k, v: F.concat(k, F.lit('x')))",
         f"F.map_zip_with({column.text!r}, {column.text!r}, lambda k, l, r: l * r)")
    )  # fmt: skip
    p.text += f".withColumn({new!r}, {function})"
    p.columns = [*p.columns, Column(new, "map")]


def entries(p: Program) -> None:
    """A map's entries as structs, and structs of whole rows."""
    column, new = p.pick("map"), p.maker.name()
    if column is not None and p.maker.chance(0.6):
        p.text += f".withColumn({new!r}, F.map_entries({column.text!r}))"
    else:
        p.text += f".withColumn({new!r}, F.struct('*'))"


def members(p: Program) -> None:
    """The members of a struct as columns."""
    column = p.pick("struct")
    if column is None:
        return
    names = [p.maker.name() for _ in range(2)]
    text = f"{column.text}.x AS {names[0]}"
    p.text += f".selectExpr('*', {text!r}, '{column.text}.z.*')"
    p.columns = [*p.columns, Column(names[0], "int")]
    p.text += f".withColumnsRenamed({{'p': {names[1]!r}, 'q': {p.maker.name()!r}}})"


def several(p: Program) -> None:
    """Several columns at once, each made of those before."""
    columns = p.simple(2)
    if len(columns) < 2:
        return
    kinds = {c.text: c.kind for c in p.columns}
    made = ", ".join(f"{name!r}: {p.expr(kinds[name], 1)}" for name in columns)
    p.text += f".withColumns({{{made}}})"


def aggregated_by_names(p: Program) -> None:
    keys, value = p.simple(1), p.pick("int")
    if not keys or value is None or value.text in keys:
        return
    how = p.random.choice(("max", "min", "sum", "count"))
    p.text += f".groupBy({keys[0]!r}).agg({{{value.text!r}: {how!r}}})"
    p.text += f".toDF({keys[0]!r}, {value.text!r})"
    p.columns = [c for c in p.columns if c.text == keys[0]] + [value]


def grouping_sets(p: Program) -> None:
    keys = p.simple(2)
    if len(keys) < 2:
        return
    groups = [c for c in p.columns if c.text in keys]
    text = p.maker.filled(p.random.choice(AGGREGATES["int"]), p.columns, 1, groups)
    one, other, new = *keys, p.maker.name()
    p.text += (
        f".groupingSets([[F.col({one!r}), F.col({other!r})], [F.col({other!r})], []], {one!r},"
        f" {other!r}).agg(F.expr({text!r}).alias({new!r}))"
    )
    p.columns = [*groups, Column(new, "int")]


def lateral_joined(p: Program) -> None:
    """Joined with a query that sees each row."""
    own, new = p.pick("int"), p.maker.name()
    if own is None:
        return
    how = p.random.choice(("inner", "left"))
    outer = f"F.col({own.text!r}).outer()"
    value = p.random.choice(("F.max('s')", "F.count('*').cast('string')", "F.min('s')"))
    if any(c.text in ("a", "s", "b", "e") for c in p.columns):
        return
    inner = f"T('t4').where(F.col('a') == {outer}).select({value}.alias({new!r}))"
    p.text += f".lateralJoin({inner}, how={how!r})"
    p.columns = [*p.columns, Column(new, "string")]


def scalar_subquery(p: Program) -> None:
    own, new = p.pick("int"), p.maker.name()
    if own is None or any(c.text in ("a", "s", "b", "e") for c in p.columns):
        return
    query = f"T('t4').where(F.col('a') == F.col({own.text!r}).outer())"
    if p.maker.chance(0.5):
        p.text += f".withColumn({new!r}, {query}.select(F.max('b')).scalar())"
        p.columns = [*p.columns, Column(new, "int")]
    else:
        p.text += f".filter({query}.exists())"


def exploded(p: Program) -> None:
    column, names = p.pick("array", "items", "map"), [p.maker.name() for _ in range(2)]
    if column is None:
        return
    outer = p.random.choice(("", "_outer"))
    made = f"F.explode{outer}({column.text!r})"
    if column.kind == "map":
        p.text += f".select('*', {made}.alias({names[0]!r}, {names[1]!r}))"
        new = [Column(names[0], "string"), Column(names[1], "int")]
    else:
        p.text += f".withColumn({names[0]!r}, {made})"
        new = [Column(names[0], "int" if column.kind == "array" else "item")]
    p.columns = [*p.columns, *new]


def with_other_type(p: Program) -> None:
    column, kind = p.pick("int"), p.random.choice(("string", "double", "bigint"))
    if column is not None:
        p.text += f".withColumn({column.text!r}, F.col({column.text!r}).cast({kind!r}))"
        p.columns = [Column(c.text, kind) if c == column else c for c in p.columns]


FIRST_TWO = "lambda f: f.sort_values([*f.columns]).head(2)"  # whatever order they come in


def by_python(p: Program) -> None:
    """A function in Python over whole rows, or over groups of them."""
    columns = [c for c in p.columns if c.kind in ("int", "string")][:3]
    whole = [c for c in columns if c.kind == "int"]
    if len(whole) < 1 or len(columns) < 2:
        return
    names = [c.text for c in columns]
    first = whole[0].text
    schema = ", ".join(f"{c.text} {c.kind}" for c in columns)
    call = p.random.choice(("mapInPandas", "applyInPandas"))
    p.text += f".select({names!r})"
    if call == "mapInPandas":
        p.text += f".mapInPandas(lambda found: (f[f[{first!r}] > 0] for f in found), {schema!r})"
    else:
        p.text += f".groupBy({first!r}).applyInPandas({FIRST_TWO}, {schema!r})"
    p.columns = columns


def cross_joined(p: Program) -> None:
    new = [Column(p.maker.name(), c.kind) for c in COLUMNS["t4"]]
    names = [c.text for c in new]
    p.text += f".crossJoin(T('t4').toDF({', '.join(map(repr, names))}))"
    p.columns = p.columns + new


def replaced(p: Program) -> None:
    names = [c.text for c in p.columns if c.kind == "string"]
    if names:
        p.text += f".replace({{'a': 'zz', 'b': 'yy'}}, subset=[{names[0]!r}])"


def fitted(p: Program) -> None:
    """Only some columns, in another order, by a schema."""
    kept = [c for c in p.columns if c.kind in SIMPLE and c.kind in ("int", "string")][:3]
    if kept:
        p.text += f".select([{', '.join(repr(c.text) for c in reversed(kept))}])"
        p.columns = kept[::-1]


MORE: tuple[Step, ...] = (
    with_field_of_elements, with_field_of_elements, summed_elements, maps_by_lambdas, entries,
    members, several, aggregated_by_names, grouping_sets, lateral_joined, scalar_subquery,
    exploded, with_other_type, by_python, cross_joined, replaced, fitted,
)  # fmt: skip


def program(seed: object) -> str:
    """The program of a seed."""
    made = Program(seed)
    for _ in range(made.random.choice((2, 3, 4, 5, 7))):
        made.random.choice(frames.STEPS + MORE)(made)
    return made.text
