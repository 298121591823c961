"""Which columns each output column of a query carries values of, found by running the query.

Nothing here reads lineage off the text. A made database gives the query rows; then the values of
one column are moved, each to another one, in the order that they had, with the constants that the
query compares that column with. Joins, filters and groups so stay as they are, and an output column
that changes all the same carries the values. sqlglot is only used to find those constants, and
which columns a query sets equal: these share their values, so they are moved together.
"""

from __future__ import annotations

import datetime
import hashlib
import random
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import psycopg
import sqlglot
from sqlglot import exp

from oracles.tpc import Schema

COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Between, exp.In, exp.Like)
DAY = datetime.date(2000, 1, 1)
Rows = list[tuple[Any, ...]]
Edges = set[tuple[str, frozenset[str]]]  # output column, columns that share their values


class Move(NamedTuple):
    """Other values for a column: in SQL, for its cells and for constants it is compared with.

    `{t}` is a token: the same move is made with two of them, and what differs between the two
    carries the values. So a condition that no longer holds shows nothing by itself.
    """

    cell: str
    constant: str
    tokens: tuple[str, str]


MOVES = {
    "numeric": [
        Move("{x} + {t}", "({x} + {t})", ("0.001", "0.002")),
        Move("{x} + {t} * (1 + mod(abs(trunc({x})), 7))", "{x}", ("0.001", "0.002")),
    ],
    "text": [
        Move("'{t}' || {x}", "'{t}' || {x}", ("~", "^")),
        Move("{x} || '{t}'", "{x} || '{t}'", ("~", "^")),
        Move("{x} || '{t}'", "{x}", ("~", "^")),
    ],
    "date": [Move("{x} + {t}", "({x} + {t})", ("1", "2"))],
}
NULLS = Move("CASE WHEN {t} THEN {x} END", "{x}", ("true", "mod(hashtext({x}::text), 2) = 0"))
STRONG = {  # for what small moves can't show: rounding, counting, parts of a text or date
    "numeric": [Move("{x} * {t} + 1000", "{x}", ("1", "3")), NULLS],
    "text": [NULLS],
    "date": [Move("{x} + {t}", "({x} + {t})", ("0", "366")), NULLS],
}


class Density(NamedTuple):
    """How the made rows are spread: what one query lets through another does not."""

    matching: float  # the share of cells that have a constant of the query
    constants: int  # how many of them, for each column
    small: int  # rows of a dimension
    large: int  # rows of a fact table
    orders: int  # different order numbers
    dates: int = 0  # rows of the dimension of dates, if there are others
    below: bool = False  # whether numbers are also less than all constants


DENSITIES = (
    Density(0.8, 99, 7, 90, 9),
    Density(1.0, 1, 3, 120, 2),
    Density(0.97, 2, 5, 150, 4),
    Density(0.97, 99, 2, 300, 5, dates=6),
    Density(0.97, 3, 12, 300, 60),
    Density(0.97, 99, 3, 400, 8, dates=60),
    Density(1.0, 1, 25, 300, 100, dates=4),
    Density(0.97, 2, 25, 40, 20, dates=4),
    Density(0.97, 99, 200, 300, 200),
    Density(1.0, 1, 2, 250, 2, dates=3),
    Density(0.97, 2, 2, 300, 3, dates=8),
)


class Judge:
    """A query, and a database of made rows for it."""

    def __init__(self, connection: psycopg.Connection[Any], schema: Schema, text: str) -> None:
        """The connection's database has the tables of the schema."""
        self.connection, self.given = connection, sqlglot.parse_one(text, dialect="postgres")
        self._reach(REACHED[0])
        used = {table.name for table in self.tree.find_all(exp.Table)} & schema.keys()
        self.schema = {table: schema[table] for table in sorted(used)}
        self.types = {c: kind for columns in self.schema.values() for c, kind in columns.items()}
        named = {column.name for column in self.tree.find_all(exp.Column)}
        self.columns = [column for column in self.types if column in named]
        self.classes = self._classes()

    def _reach(self, count: int) -> None:
        self.tree = within_reach(self.given.copy(), count)
        self.text = self.tree.sql(dialect="postgres")

    def _classes(self) -> list[frozenset[str]]:
        """The columns by the values that they share."""
        group = {column: {column} for column in self.columns}

        def unite(one: str, other: str) -> None:
            if group.get(one) is not group.get(other) and one in group and other in group:
                group[one] |= group[other]
                for member in group[one]:
                    group[member] = group[one]

        for node in self.tree.find_all(exp.EQ, exp.LT, exp.LTE, exp.GT, exp.GTE):
            columns = (node.this.name, node.expression.name)
            if not isinstance(node, exp.EQ) and {self.types.get(c) for c in columns} != {"date"}:
                continue
            if isinstance(node.this, exp.Column) and isinstance(node.expression, exp.Column):
                unite(node.this.name, node.expression.name)
        domains: dict[str, str] = {}
        for column in self.columns:
            domain = domain_of(column)
            if domain:
                unite(domains.setdefault(domain, column), column)
        return sorted({frozenset(members) for members in group.values()}, key=sorted)

    def fill(self, seed: int) -> None:
        """Make the rows anew."""
        self._reach(REACHED[seed % len(REACHED)])
        chance = random.Random(seed)
        spread = DENSITIES[seed % len(DENSITIES)]._replace(below=seed % 2 == 1)
        pools = {
            column: chance.sample(sorted(set(found)), min(len(set(found)), spread.constants))
            for column, found in sorted(self._pools().items())
        }
        wanted = list(combinations(self.tree))
        with self.connection.cursor() as cursor:
            for table, columns in self.schema.items():
                chosen = [one for one in wanted if len(one.keys() & columns.keys()) > 1]
                cursor.execute(f"DELETE FROM {table}")
                size = size_of(table, spread)
                names = list(columns)
                marks = ", ".join(["%s"] * len(names))
                rows = [
                    [
                        value(
                            chance,
                            spread,
                            column,
                            columns[column],
                            pools.get(column) or [],
                            number,
                            is_fact(table),
                        )
                        for column in names
                    ]
                    for number in range(size)
                ]
                for row in rows if chosen else ():
                    if chance.random() < COMBINED[seed % len(COMBINED)]:
                        for column, texts in chance.choice(chosen).items():
                            found = literal(chance.choice(texts), columns.get(column, ""))
                            if found is not None:
                                row[names.index(column)] = found
                cursor.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
        self.connection.commit()

    def _pools(self) -> dict[str, list[str]]:
        """The constants that each column is compared with."""
        pools: dict[str, list[str]] = {}
        aliases: dict[str, set[str]] = {}
        for alias in self.tree.find_all(exp.Alias):
            made = {column.name for column in alias.this.find_all(exp.Column)}
            aliases.setdefault(alias.alias, set()).update(made)
        compared: list[set[str]] = []
        for node in self.tree.find_all(*COMPARISONS):
            names = {c.name for c in node.find_all(exp.Column)}
            columns = names.union(*(aliases.get(name, ()) for name in names)) & set(self.types)
            literals = list(constants(node))
            if isinstance(node, exp.EQ) and len(names) > 1:
                literals += [str(2 * float(one)) for one in literals if is_number(one)]  # a = b - k
            if isinstance(node, exp.NEQ) or isinstance(node.parent, exp.Not):
                literals += 2 * [f"{one}x" for one in literals if not is_number(one)]
            if len(names) > 1:
                compared.append(columns)
            for column in columns:
                pools.setdefault(column, []).extend(literals)
        for columns in 2 * compared:  # also by a part: substr(a, 1, 2) = substr(b, 1, 2)
            shared = [one for column in sorted(columns) for one in pools.get(column, ())]
            kinds = {self.types[column] for column in columns}
            if len(kinds) == 1:
                pools.update(dict.fromkeys(columns, shared))
        return pools

    def has_rows(self) -> bool:
        """Whether the query has rows of the made ones."""
        return bool(self._run(self.text))

    def carried(
        self, strong: bool = False, classes: Iterable[frozenset[str]] | None = None
    ) -> Edges:
        """The edges that the present rows show, of some or of all columns."""
        found: Edges = set()
        for members in self.classes if classes is None else classes:
            for move in (STRONG if strong else MOVES)[self.types[min(members)]]:
                one, other = (self._after(members, move, token) for token in move.tokens)
                if strong or len(one) == len(other):
                    found |= {
                        (name, members)
                        for at, name in enumerate(self.names)
                        if sorted(str(r[at]) for r in one) != sorted(str(r[at]) for r in other)
                    }
        return found

    def _after(self, members: frozenset[str], move: Move, token: str) -> Rows:
        """The query's rows after a move, which is undone."""
        with self.connection.transaction(force_rollback=True):
            for table, columns in self.schema.items():
                cells = [
                    (c, move.cell.format(x=c, t=token.format(x=c))) for c in columns if c in members
                ]
                if cells:
                    sets = ", ".join(f"{column} = {cell}" for column, cell in cells)
                    self.connection.execute(f"UPDATE {table} SET {sets}")
            try:
                return self._run(self._moved(members, move, token))
            except psycopg.Error:
                return []

    def _run(self, text: str) -> Rows:
        with self.connection.cursor() as cursor:
            cursor.execute(text)
            self.names = unique(column.name.lower() for column in cursor.description or ())
            return cursor.fetchall()

    def _moved(self, members: frozenset[str], move: Move, token: str) -> str:
        """The query with the constants that the columns are compared with moved, too."""
        if move.constant == "{x}":
            return self.text
        tree = self.tree.copy()
        for node in list(tree.find_all(*COMPARISONS)):
            sides = [node.this, node.args.get("expression")]
            if not any(isinstance(s, exp.Column) and s.name in members for s in sides):
                continue
            for name in ("this", "expression", "low", "high", "expressions"):
                part = node.args.get(name)
                parts = part if isinstance(part, list) else [part]
                moved = [
                    one
                    if one is None or one.find(exp.Column) or isinstance(one, exp.Column)
                    else sqlglot.parse_one(
                        move.constant.format(x=f"({one.sql(dialect='postgres')})", t=token),
                        dialect="postgres",
                    )
                    for one in parts
                ]
                if part is not None:
                    node.set(name, moved if isinstance(part, list) else moved[0])
        return tree.sql(dialect="postgres")


def unique(names: Iterable[str]) -> list[str]:
    """Names of columns that a table can have."""
    found: list[str] = []
    for name in names:
        found.append(f"{name}_{len(found) + 1}" if name in found else name)
    return found


REACHED = (12, 1, 5)  # rows that are counted, by seed, where the query asks for more


def within_reach(tree: exp.Expression, count: int) -> exp.Expression:
    """The query without what few rows can't reach, or what decides by chance between equal rows.

    What columns come from is the same: a LIMIT takes any of the rows that its ORDER BY has as
    equal, `count(*) > 62316685` needs as many rows, and a scalar subquery has to have one.
    """
    for node in list(tree.find_all(exp.Limit)):
        node.pop()
    counted = {one.alias for one in tree.find_all(exp.Alias) if isinstance(one.this, exp.Count)}
    for node in tree.find_all(exp.GT, exp.GTE, exp.Between):
        is_count = node.this.find(exp.Count) or node.this.name in counted
        low = node.args.get("low") or node.args.get("expression")
        if is_count and isinstance(low, exp.Literal) and float(low.name) > count:
            name = "low" if isinstance(node, exp.Between) else "expression"
            node.set(name, exp.Literal.number(count))
            if isinstance(node, exp.Between):
                node.set("high", exp.Literal.number(1_000_000))
    for node in tree.find_all(*COMPARISONS):
        for part in (node.args.get(name) for name in ("this", "expression", "low", "high")):
            select = part.this if isinstance(part, exp.Subquery) else None
            one = select.expressions[0] if isinstance(select, exp.Select) else None
            if one is not None and not select.find(exp.AggFunc):
                one.replace(exp.Max(this=one.unalias().copy()))
                select.set("distinct", None)
                select.set("group", None)
    return tree


COMBINED = (0, 0.5, 0.5, 0.9)  # by seed, the share of rows with all constants of one condition


def combinations(tree: exp.Expression) -> Iterator[dict[str, list[str]]]:
    """For each chain of AND the constants that its columns have to be equal to, all at once."""
    for node in tree.find_all(exp.And):
        if isinstance(node.parent, exp.And):
            continue
        found: dict[str, list[str]] = {}
        for part in node.flatten():
            columns = {column.name for column in part.find_all(exp.Column)}
            equal = not part.find(exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NEQ, exp.Not, exp.And)
            texts = list(constants(part)) if part.find(exp.EQ, exp.In) and equal else []
            if len(columns) == 1 and texts:
                found.setdefault(columns.pop(), texts)
        if len(found) > 1:
            yield found


def literal(text: str, kind: str) -> Any:
    """A constant as a value of a column, or None if it is none of its kind."""
    if kind == "numeric":
        return float(text) if is_number(text) else None
    if kind == "date":
        return day_of(text)
    return text if kind else None


def constants(node: exp.Expression) -> Iterator[str]:
    """The constants in a comparison; sums of years and months are worked out."""
    for literal in node.find_all(exp.Literal):
        parent = literal.parent
        if isinstance(parent, (exp.Add, exp.Sub)) and isinstance(parent.this, exp.Literal):
            if literal is parent.this and not parent.this.is_string:
                sign = 1 if isinstance(parent, exp.Add) else -1
                yield str(float(parent.this.name) + sign * float(parent.expression.name))
                yield parent.this.name
        elif not isinstance(parent, (exp.Interval, exp.Substring, exp.DataTypeParam)):
            sign = "-" if isinstance(parent, exp.Neg) else ""
            yield sign + (
                literal.name.replace("%", "x") if isinstance(node, exp.Like) else literal.name
            )


def size_of(table: str, spread: Density) -> int:
    """How many rows a table gets."""
    if table == "date_dim" and spread.dates:
        return spread.dates
    return spread.large if is_fact(table) else spread.small


def is_fact(table: str) -> bool:
    """Whether a table is a large one."""
    return table.endswith(("sales", "returns", "inventory", "lineitem", "orders", "partsupp"))


def domain_of(column: str) -> str:
    """The key domain of a column: `item_sk` of `ss_item_sk`, `custkey` of `o_custkey`."""
    if column.endswith("_sk"):
        parts = column.removesuffix("_sk").split("_")
        return {"cdemo": "demo", "addr": "address"}.get(parts[-1], parts[-1])
    return column.split("_")[-1] if column.endswith("key") else ""


def value(
    chance: random.Random,
    spread: Density,
    column: str,
    kind: str,
    pool: list[str],
    number: int,
    fact: bool,
) -> Any:
    """A value for a cell: a key, or mostly one of the constants that it is compared with."""
    domain = domain_of(column)
    if domain:
        own = not fact and column.count("_") <= 2 and is_own_key(column)
        if fact and chance.random() < 0.06 and column.endswith("_sk"):
            return None
        table = "date_dim" if domain == "date" else ""
        return number + 1 if own else chance.randint(1, size_of(table, spread))
    if kind == "numeric":
        numbers = [float(text) for text in pool if is_number(text)]
        if numbers and chance.random() < spread.matching:
            low, high = min(numbers), max(numbers)
            near = chance.choice([*numbers, (low + high) / 2, *([low - 1] if spread.below else [])])
            return near if chance.random() < 0.75 else near * 1.01 + 1
        if column in ("d_month_seq", "d_week_seq") and spread.constants == 1:
            return 7  # one of it, as subqueries want
        if any(word in column for word in ("order_number", "ticket_number")):
            return chance.randint(1, spread.orders)
        return chance.randint(1, 60) * chance.choice([1, 1, 1, 1, 1, 1, 1, 1, 1, 40])
    if kind == "date":
        dates = [day for text in pool if (day := day_of(text))]
        start = (min(dates) if column == "d_date" else chance.choice(dates)) if dates else DAY
        days = (0, -9, 1, 5, -25, 12, 25)
        if column == "d_date":  # each once
            return start + datetime.timedelta(days=days[number % 7] + 60 * (number // 7))
        return start + datetime.timedelta(days=chance.choice((*days, -120, 40, 200)))
    texts = [text for text in pool if not day_of(text)]
    if texts and chance.random() < spread.matching:
        return chance.choice(texts)
    seeded = hashlib.sha1(column.split("_")[-1].encode()).hexdigest()[:3].upper()
    return f"{seeded}{chance.randint(1, 4)}"


OWN_KEYS = {
    "d_date_sk", "t_time_sk", "i_item_sk", "c_customer_sk", "ca_address_sk", "cd_demo_sk",
    "s_store_sk", "hd_demo_sk", "ib_income_band_sk", "p_promo_sk", "w_warehouse_sk",
    "wp_web_page_sk", "sm_ship_mode_sk", "r_reason_sk", "cc_call_center_sk", "cp_catalog_page_sk",
    "web_site_sk", "n_nationkey", "r_regionkey", "p_partkey", "s_suppkey", "c_custkey",
}  # fmt: skip


def is_own_key(column: str) -> bool:
    """Whether the column is its table's key."""
    return column in OWN_KEYS


def is_number(text: str) -> bool:
    """Whether a constant is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def day_of(text: str) -> datetime.date | None:
    """The date that a constant is."""
    try:
        return datetime.date.fromisoformat(text.strip())
    except ValueError:
        return None
