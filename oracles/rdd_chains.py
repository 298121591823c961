"""Judge what is told of chains of an RDD's functions: made chains are run on changed rows.

The RDD is a list: its methods do what PySpark's do. A column that changes when an input column does
must depend on it, by what was told.

    python -m oracles.rdd_chains [--count N] [--seed N]
"""

from __future__ import annotations

import linecache
import random
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any, NamedTuple

from airflow_colgraph.collector.python_functions.rdd_chains import of_chain
from airflow_colgraph.collector.python_functions.rdd_elements import Chain, FrameRows, Step
from airflow_colgraph.collector.python_functions.source import captured
from oracles.python_functions import Verdict, arguments, check, figures, load

NAMES = ("a", "b", "c")
MADE = ("x", "y")  # the columns of the frame that comes from the chain
ROWS = FrameRows(1, NAMES)
CHANGES = 4
Row = NamedTuple("Row", [(name, int) for name in NAMES])


class Calls:
    """An RDD's elements, and the chain of calls that has made them."""

    def __init__(self, elements: Iterable[Any], chain: Chain = ROWS) -> None:
        """Rows, unless a chain is given."""
        self.elements, self.chain = list(elements), chain

    def _step(self, method: str, elements: Iterable[Any], function: Any = None) -> Calls:
        copy = captured(function) if function is not None else None
        return type(self)(elements, Step(method, (self.chain,), copy))

    def _by_key(self) -> dict[Any, list[Any]]:
        groups: dict[Any, list[Any]] = {}
        for key, value in self.elements:
            groups.setdefault(key, []).append(value)
        return groups

    def map(self, f: Callable[..., Any]) -> Calls:  # noqa: D102
        return self._step("map", [f(each) for each in self.elements], f)

    def filter(self, f: Callable[..., Any]) -> Calls:  # noqa: D102
        return self._step("filter", [each for each in self.elements if f(each)], f)

    def flatMap(self, f: Callable[..., Any]) -> Calls:  # noqa: D102
        return self._step("flatMap", [part for each in self.elements for part in f(each)], f)

    def mapPartitions(self, f: Callable[..., Any]) -> Calls:  # noqa: D102
        half = len(self.elements) // 2
        parts = [iter(self.elements[:half]), iter(self.elements[half:])]
        return self._step("mapPartitions", [each for part in parts for each in f(part)], f)

    def mapValues(self, f: Callable[..., Any]) -> Calls:  # noqa: D102
        return self._step("mapValues", [(key, f(value)) for key, value in self.elements], f)

    def keyBy(self, f: Callable[..., Any]) -> Calls:  # noqa: D102
        return self._step("keyBy", [(f(each), each) for each in self.elements], f)

    def reduceByKey(self, f: Callable[..., Any]) -> Calls:  # noqa: D102
        reduced = []
        for key, (total, *values) in self._by_key().items():
            for value in values:
                total = f(total, value)
            reduced.append((key, total))
        return self._step("reduceByKey", reduced, f)

    def combineByKey(  # noqa: D102
        self, create: Callable[..., Any], merge: Callable[..., Any], both: Callable[..., Any]
    ) -> Calls:
        totals = self._totals(lambda value: create(value), merge, both)
        return self._step("combineByKey", totals, (create, merge, both))

    def aggregateByKey(  # noqa: D102
        self, zero: Any, merge: Callable[..., Any], both: Callable[..., Any]
    ) -> Calls:
        totals = self._totals(lambda value: merge(deepcopy(zero), value), merge, both)
        return self._step("aggregateByKey", totals, (zero, merge, both))

    def foldByKey(self, zero: Any, f: Callable[..., Any]) -> Calls:  # noqa: D102
        totals = self._totals(lambda value: f(deepcopy(zero), value), f, f)
        return self._step("foldByKey", totals, (zero, f))

    def _totals(self, *functions: Callable[..., Any]) -> list[Any]:
        """A total of each key: of each half of the elements, then of both."""
        create, merge, both = functions
        half = len(self.elements) // 2
        totals: dict[Any, Any] = {}
        for part in (self.elements[:half], self.elements[half:]):
            own: dict[Any, Any] = {}
            for key, value in part:
                own[key] = merge(own[key], value) if key in own else create(value)
            for key, total in own.items():
                totals[key] = both(totals[key], total) if key in totals else total
        return [*totals.items()]

    def groupByKey(self) -> Calls:  # noqa: D102
        return self._step("groupByKey", self._by_key().items())

    def groupBy(self, f: Callable[..., Any]) -> Calls:  # noqa: D102
        groups: dict[Any, list[Any]] = {}
        for each in self.elements:
            groups.setdefault(f(each), []).append(each)
        return self._step("groupBy", groups.items(), f)

    def flatMapValues(self, f: Callable[..., Any]) -> Calls:  # noqa: D102
        parts = [(key, part) for key, value in self.elements for part in f(value)]
        return self._step("flatMapValues", parts, f)

    def mapPartitionsWithIndex(self, f: Callable[..., Any]) -> Calls:  # noqa: D102
        half = len(self.elements) // 2
        parts = enumerate([iter(self.elements[:half]), iter(self.elements[half:])])
        elements = [each for number, part in parts for each in f(number, part)]
        return self._step("mapPartitionsWithIndex", elements, f)

    def partitionBy(self, count: int) -> Calls:  # noqa: D102
        parts = [[p for p in self.elements if hash(p[0]) % count == n] for n in range(count)]
        return self._step("partitionBy", [each for part in parts for each in part])

    def zipWithIndex(self) -> Calls:  # noqa: D102
        return self._step("zipWithIndex", [(each, n) for n, each in enumerate(self.elements)])

    def coalesce(self, count: int) -> Calls:  # noqa: D102
        return self._step("coalesce", self.elements)

    def cache(self) -> Calls:  # noqa: D102
        return self

    def distinct(self) -> Calls:  # noqa: D102
        return self._step("distinct", dict.fromkeys(self.elements))

    def sortBy(self, f: Callable[..., Any], ascending: bool = True) -> Calls:  # noqa: D102
        return self._step("sortBy", sorted(self.elements, key=f, reverse=not ascending), f)

    def sortByKey(self) -> Calls:  # noqa: D102
        return self._step("sortByKey", sorted(self.elements, key=lambda pair: pair[0]))

    def values(self) -> Calls:  # noqa: D102
        return self._step("values", [value for _, value in self.elements])

    def _with(self, method: str, other: Calls, elements: Iterable[Any]) -> Calls:
        return type(self)(elements, Step(method, (self.chain, other.chain)))

    def join(self, other: Calls) -> Calls:  # noqa: D102
        right = other._by_key()
        pairs = [(k, (v, w)) for k, v in self.elements for w in right.get(k, [])]
        return self._with("join", other, pairs)

    def leftOuterJoin(self, other: Calls) -> Calls:  # noqa: D102
        right = other._by_key()
        pairs = [(k, (v, w)) for k, v in self.elements for w in right.get(k, [None])]
        return self._with("leftOuterJoin", other, pairs)

    def cogroup(self, other: Calls) -> Calls:  # noqa: D102
        both = self._by_key(), other._by_key()
        keys = dict.fromkeys([*both[0], *both[1]])
        groups = [(key, (both[0].get(key, []), both[1].get(key, []))) for key in keys]
        return self._with("cogroup", other, groups)

    def subtractByKey(self, other: Calls) -> Calls:  # noqa: D102
        keys = other._by_key()
        return self._with("subtractByKey", other, [p for p in self.elements if p[0] not in keys])

    def subtract(self, other: Calls) -> Calls:  # noqa: D102
        return self._with("subtract", other, [e for e in self.elements if e not in other.elements])

    def intersection(self, other: Calls) -> Calls:  # noqa: D102
        common = [each for each in dict.fromkeys(self.elements) if each in other.elements]
        return self._with("intersection", other, common)

    def union(self, other: Calls) -> Calls:  # noqa: D102
        return self._with("union", other, [*self.elements, *other.elements])

    def cartesian(self, other: Calls) -> Calls:  # noqa: D102
        pairs = [(first, second) for first in self.elements for second in other.elements]
        return self._with("cartesian", other, pairs)


PRELUDE = """\
seen = []
def spread(part):
    total = 0
    for x, y in part:
        total += y
        if x > 1:
            yield x, total
def pick(p):
    if p[0] > 2:
        return (p[1], p[0])
    return p
"""
PAIRS = [  # of a pair of numbers: a pair of numbers
    *(".map(lambda p: (p[1], p[0]))", ".map(lambda p: (p[0], p[0] + p[1]))", ".map(pick)"),
    *(".filter(lambda p: p[1] > 2)", ".filter(lambda p: p[0] % 2)", ".mapPartitions(spread)"),
    *(".mapValues(lambda v: v * 2 if v > 2 else 0)", ".reduceByKey(lambda x, y: x + y)"),
    *(".reduceByKey(max)", ".reduceByKey(lambda x, y: y)", ".distinct()"),
    ".groupByKey().mapValues(lambda vs: sum(vs))",
    ".groupByKey().mapValues(len)",
    ".groupByKey().flatMap(lambda p: [(p[0], v) for v in p[1]])",
    ".flatMap(lambda p: [p, (p[1], 1)])",
    ".flatMap(lambda p: [(p[0], n) for n in range(p[1])])",
    ".flatMap(lambda p: [p] if p[0] > 1 else [])",
    ".keyBy(lambda p: p[0] % 3).mapValues(lambda p: p[1])",
    ".map(lambda p: (p[0], (p[1], 1))).reduceByKey(lambda x, y: (x[0] + y[0], x[1] + y[1]))"
    ".mapValues(lambda t: t[0] - t[1])",
    ".map(lambda p: {'x': p[0], 'y': p[1]}).map(lambda d: (d['y'], d.get('x')))",
    ".map(lambda p: (p[0], seen.append(p[1]) or len(seen)))",
    ".map(lambda p: tuple(sorted(p)))",
    ".map(lambda p: [*p]).filter(lambda l: l.append(1) or True).map(lambda l: (l[-1], l[0]))",
    ".join(rdd.map(lambda r: (r.a, r.c))).map(lambda p: (p[0], p[1][0] + p[1][1]))",
    ".join(rdd.map(lambda r: (r.b, r.c))).mapValues(lambda v: v[1])",
    ".map(lambda p: (p[0] if p[1] > 1 else -1, p[1]))",
    ".zipWithIndex().map(lambda p: (p[0][0], p[1]))",
    ".sortBy(lambda p: -p[1]).zipWithIndex().map(lambda p: (p[1], p[0][0]))",
    ".partitionBy(2).mapPartitions(spread)",
    ".mapPartitionsWithIndex(lambda n, part: ((n, p[1]) for p in part))",
    ".flatMapValues(lambda v: range(v % 4))",
    ".flatMapValues(lambda v: [v] if v > 1 else [])",
    ".groupBy(lambda p: p[1] % 2).map(lambda g: (g[0], sum(p[0] for p in g[1])))",
    ".groupBy(lambda p: p[0]).map(lambda g: (len(g[1]), max(p[1] for p in g[1])))",
    ".combineByKey(lambda v: (v, 1), lambda s, v: (s[0] + v, s[1] + 1),"
    " lambda s, t: (s[0] + t[0], s[1] + t[1])).mapValues(lambda s: s[0] * 10 + s[1])",
    ".combineByKey(lambda v: v, lambda s, v: v, lambda s, t: t)",
    ".aggregateByKey(0, lambda s, v: s + v, lambda s, t: max(s, t))",
    ".aggregateByKey((0, 9), lambda s, v: (s[0] + 1, min(s[1], v)),"
    " lambda s, t: (s[0] + t[0], min(s[1], t[1]))).map(lambda p: p[1])",
    ".aggregateByKey([], lambda s, v: s + [v], lambda s, t: s + t).mapValues(len)",
    ".foldByKey(0, lambda s, v: s + v)",
    ".foldByKey(2, max)",
    ".map(lambda p: (p[0], (p[1], p[0], 1))).reduceByKey(lambda x, y: (y[1], x[2], x[2]))"
    ".mapValues(lambda t: t[0])",
    ".map(lambda p: (p[0] % 2, (p[1], p[0], p[1] + 1)))"
    ".reduceByKey(lambda x, y: (y[1], x[2], y[2])).map(lambda p: (p[1][0], p[1][1]))",
    ".cogroup(rdd.map(lambda r: (r.a, r.c))).map(lambda g: (g[0], len(g[1][0]) - sum(g[1][1])))",
    ".cogroup(rdd.map(lambda r: (r.b, r.c))).flatMapValues(lambda v: v[1])",
    ".subtractByKey(rdd.filter(lambda r: r.c > 2).map(lambda r: (r.b, r.a)))",
    ".subtract(rdd.map(lambda r: (r.a, r.c)))",
    ".intersection(rdd.map(lambda r: (r.c, r.b)))",
    ".union(rdd.map(lambda r: (r.c, 1)))",
    ".cartesian(rdd.filter(lambda r: r.c > 3)).map(lambda p: (p[0][0], p[1].b))",
    ".leftOuterJoin(rdd.map(lambda r: (r.c, r.b))).mapValues(lambda v: v[1] or v[0])",
]
STARTS = [
    *("rdd.map(lambda r: (r.a, r.b))", "rdd.map(lambda r: (r[2], r['b' and 1]))"),
    *("rdd.map(lambda r: tuple(r)[:2])", "rdd.filter(lambda r: r.c > 2).map(lambda r: r[:2])"),
    "rdd.keyBy(lambda r: r.a).mapValues(lambda r: r.b + r.c)",
    "rdd.map(lambda r: r._asdict()).map(lambda d: (d['a'], d['c']))",
]


def made_source(seed: int) -> str:
    """A module with a function of an RDD that gives pairs."""
    chance = random.Random(seed)
    calls = "".join(chance.choices(PAIRS, k=chance.randint(0, 4)))
    return f"{PRELUDE}def function(rdd):\n    return {chance.choice(STARTS)}{calls}\n"


def run(text: str, name: str, data: dict[str, list[int]]) -> Calls:
    """The RDD that the module's function makes of rows."""
    rows = [Row(*each) for each in zip(*data.values(), strict=True)]
    made: Calls = load(text, name)["function"](Calls(rows))
    return made


def columns(made: Calls) -> dict[str, list[str]]:
    """The values of each column in an order that does not depend on the rows' order."""
    return {
        name: sorted(repr(element[place]) for element in made.elements)
        for place, name in enumerate(MADE)
    }


def judge(text: str, name: str, verdict: Verdict, seed: int) -> None:
    """Compare what a chain does with what is told; a chain that is not known counts as failed."""
    import pandas as pd

    chance = random.Random(seed)

    def numbers() -> list[int]:
        return [chance.randint(0, 4) for _ in range(8)]

    data = {column: numbers() for column in NAMES}
    base = run(text, name, data)
    outcome = of_chain(base.chain, [*MADE])
    if outcome is None:
        verdict.failed += 1
        return
    verdict.functions += 1
    before, seen = columns(base), dict.fromkeys(MADE, 0)
    for place, column in enumerate(NAMES):
        for _ in range(CHANGES):
            now = columns(run(text, name, {**data, column: numbers()}))
            for each in MADE:
                seen[each] |= (now[each] != before[each]) << place
    table = pd.DataFrame(base.elements, columns=[*MADE])
    check(outcome, table, data, seen, 0, verdict, f"{name}\n{text}")


def judged(count: int, seed: int) -> Verdict:
    """Judge made chains."""
    verdict = Verdict()
    for number in range(seed, seed + count):
        judge(made_source(number), f"<chain {number}>", verdict, number)
        linecache.cache.pop(f"<chain {number}>", None)
    return verdict


def main() -> int:
    """Judge and print the figures."""
    options = arguments(__doc__)
    verdict = judged(options.count, options.seed)
    print("\n".join(verdict.wrong[: options.show]))
    print(f"{verdict.failed} of {options.count} chains are not known;", figures(verdict))
    return bool(verdict.wrong)


if __name__ == "__main__":
    raise SystemExit(main())
