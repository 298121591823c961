"""Which of several tables of a FROM a column is of, as digests have it: marks in `meta`. Pure.

A column's name is enough for a digest if no other table's column of that name is used.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator

from sqlglot import exp

SIDE = "colgraph_side"  # which of several places of its table a column is of
RANK = "colgraph_rank"  # which of several tables whose columns of this name are used
TABLE = "colgraph_table"  # the table's name, in equalities of keys of more than two tables
EXCLUDED = "excluded"  # the rows that ON CONFLICT did not insert
PAIR = 2  # tables with a key of one name
CHANGES = (exp.Insert, exp.Update, exp.Delete, exp.Merge)
UNSAID = "colgraph_on"  # of a join: the condition that its USING stands for


def mark(statement: exp.Expr) -> None:
    """Mark the columns of a statement whose names do not tell which rows they are of."""
    ctes = {cte.alias.casefold() for cte in statement.find_all(exp.CTE)}
    for node in statement.find_all(exp.Select, *CHANGES):
        around = node.find_ancestor(exp.Select, *CHANGES)
        if isinstance(node, exp.Select):
            _mark_sides(node, around, ctes)
            _keep_equalities(node)
        if isinstance(node, exp.Insert):
            _mark_excluded(node.args.get("conflict"))
            continue
        outer = sources(around) if around else []
        _mark_names(node, [*sources(node), *outer])


def _mark_excluded(conflict: exp.Expr | None) -> None:
    for column in conflict.find_all(exp.Column) if conflict else ():
        if column.table.casefold() == EXCLUDED:
            column.meta[RANK] = EXCLUDED


def is_turned(node: exp.Expr) -> bool:
    """Whether a FROM begins with `b RIGHT JOIN a`, which is `a LEFT JOIN b`."""
    joins = node.args.get("joins")
    has_first = node.args.get("from_") is not None or isinstance(node, (exp.Table, exp.Subquery))
    return bool(has_first and joins and joins[0].side == "RIGHT")


def sources(node: exp.Expr) -> list[exp.Expr]:
    """The tables of a FROM in their order, after RIGHT JOIN is turned, or those of a change."""
    using = node.args.get("using") or []
    starts = [node.args.get("from_"), *(using if isinstance(using, list) else [using])]
    firsts = [each.this if isinstance(each, exp.From) else each for each in starts if each]
    if isinstance(node, (*CHANGES, exp.Table, exp.Subquery)):
        firsts.insert(0, node.this if isinstance(node, CHANGES) else node)
    joins = [join.this for join in node.args.get("joins") or ()]
    if joins and is_turned(node):
        firsts, joins = [joins[0], *firsts], joins[1:]
    return [
        table
        for each in (*firsts, *joins)
        if isinstance(each, exp.Expr)
        for table in ([each] if each is node else _tables(each))
    ]


def _tables(source: exp.Expr) -> list[exp.Expr]:
    """A table with those that it is joined with in parentheses, or in a change."""
    is_bare = isinstance(source, exp.Subquery) and not source.alias
    inner = source.this if is_bare and isinstance(source.this, exp.Table) else source
    return sources(inner) if isinstance(inner, exp.Table) else [inner]


def _mark_sides(select: exp.Select, around: exp.Expr | None, ctes: Collection[str]) -> None:
    """Mark the columns of a table's second and later places in a FROM: they are of other rows.

    So are those of a subquery that reads a table of the query around it. Subqueries and CTEs count
    as one table, as they may come from the same one.
    """
    outer = sources(around) if isinstance(around, exp.Select) else []
    count = Counter(name for each in outer if (name := _whole_name(each, ctes)))
    for source in sources(select):
        name, alias = _whole_name(source, ctes), source.alias_or_name.casefold()
        side = count[name]
        count[name] += 1
        if side:
            source.meta[SIDE] = str(side)
        for column in select.find_all(exp.Column) if side and alias else ():
            if column.table.casefold() == alias:
                column.meta[SIDE] = str(side)


def _whole_name(source: exp.Expr, ctes: Collection[str]) -> str:
    if not isinstance(source, exp.Table) or source.name.casefold() in ctes:
        return ""
    return ".".join(part.name for part in source.parts).casefold()


def _keep_equalities(select: exp.Select) -> None:
    """Keep the condition that a USING stands for, if one table has its names before the join."""
    is_merged = False
    first = next(iter(sources(select)), None)
    for place, join in enumerate(select.args.get("joins") or ()):
        turned = not place and is_turned(select)
        source = select.args["from_"].this if turned else join.this
        if first is not None and not is_merged:
            join.meta[UNSAID] = [*_equalities(join, first, source)]
        is_merged = is_merged or (join.side in ("FULL", "RIGHT") and not turned)


def _equalities(join: exp.Join, first: exp.Expr, source: exp.Expr) -> Iterator[exp.Expr]:
    for each in join.args.get("using") or ():
        left = exp.column(each.name, table=first.alias_or_name)
        right = exp.column(each.name, table=source.alias_or_name)
        if SIDE in source.meta:
            right.meta[SIDE] = source.meta[SIDE]
        yield exp.EQ(this=left, expression=right)


def _mark_names(node: exp.Expr, places: list[exp.Expr]) -> None:
    """Mark columns of one name that are of several tables: in equalities, and elsewhere."""
    ranks: dict[str, int] = {}
    for place in places:
        if alias := place.alias_or_name.casefold():
            ranks.setdefault(alias, len(ranks))
    names = {each.alias_or_name.casefold(): each.name.casefold() for each in reversed(places)}
    unsaid = [each for join in node.args.get("joins") or () for each in join.meta.get(UNSAID, ())]
    keys = [each for each in (*node.find_all(exp.EQ), *unsaid) if _is_of_keys(each)]
    of_keys = {id(column) for each in keys for column in (each.this, each.expression)}
    equal: defaultdict[str, list[exp.Column]] = defaultdict(list)
    other: defaultdict[str, list[exp.Column]] = defaultdict(list)
    own = [each for each in node.find_all(exp.Column) if _is_beside(each, node)]
    for column in (*own, *(side for each in unsaid for side in each.find_all(exp.Column))):
        if column.table.casefold() in ranks:
            (equal if id(column) in of_keys else other)[column.name.casefold()].append(column)
    for same in equal.values():
        tables = {column.table.casefold() for column in same}
        for column in same if len(tables) > PAIR else ():
            column.meta[TABLE] = names[column.table.casefold()]
    for same in other.values():
        used = sorted({ranks[column.table.casefold()] for column in same})
        for column in same:
            if rank := used.index(ranks[column.table.casefold()]):
                column.meta[RANK] = f"{column.meta.get(RANK, '')} {rank}"


def _is_beside(column: exp.Expr, node: exp.Expr) -> bool:
    """Whether a column is in no CTE of a query: those have a FROM of their own."""
    return column.find_ancestor(exp.CTE) is node.find_ancestor(exp.CTE)


def _is_of_keys(equality: exp.EQ) -> bool:
    """Whether two tables' columns of one name are compared, and not set."""
    left, right = equality.this, equality.expression
    return (
        isinstance(left, exp.Column)
        and isinstance(right, exp.Column)
        and left.name.casefold() == right.name.casefold()
        and bool(left.table and right.table)
        and not isinstance(equality.parent, exp.Update)
    )
