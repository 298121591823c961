"""Judge what is told of code between `toPandas()` or `collect()` and `createDataFrame(..)`.

Made programs are run on changed rows, with a frame and a session that only hand pandas DataFrames
and lists on. What is not told, as it is no straight line, is counted and not judged.

    python -m oracles.driver_text [--count N] [--seed N]
"""

from __future__ import annotations

import contextlib
import io
import linecache
import random
import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from pyspark.sql import Row

from airflow_colgraph.collector.python_functions.driver_frames import DriverFrames, TextRows
from oracles.python_functions import (
    CHANGES,
    INPUTS,
    PRELUDE,
    Verdict,
    Writer,
    arguments,
    body,
    check,
    figures,
    load,
    rows,
)

NOISE = (  # statements that leave the data alone, and ones that do not seem to touch it
    *("print(len(df))", "limit = 3", "frame.name = 'x'", "kept.append(df)", "spoil()", "look()"),
    *("kept[-1]['a'] = 7", "part = df", "part['b'] = 1", "limit = limit + 1", "limits[0] += 1"),
    *("df['a'] = df['a'] + limits[0]", "df['b'] = df['b'] * limit", "middle = made(df)"),
    *(
        "middle = spark.createDataFrame(df)",
        "middle = spark.createDataFrame(df.head(2)).write",
    ),
    *("df = pd.DataFrame(df)", "put(spark.createDataFrame(df[['a']]))", "other = df.copy()"),
    *("other['a'] = other['b']", "df['b'] = other['a']", "frame2 = frame.where(1)", "grow()"),
    *("pdf = frame2.toPandas()", "df = pdf.assign(b=df['b'])", "df['a'] = pdf['b'].values"),
)
BEFORE = """
limit, limits, kept, frame2 = 2, [1], [], frame
def spoil():
    if "df" in globals() and "a" in df:
        df["a"] = df["b"]
def look():
    return len(kept)
def grow():
    global limit
    limit += kept[0]["b"].sum() if kept else 1
def made(table):
    table["b"] = table["b"] + 1
def put(frame):
    return frame
"""

LISTS = (  # how a program gets pairs of a list of rows
    *("pairs = [(r.a, r['b']) for r in frame.collect()]", "pairs = frame.collect()"),
    *(
        "pairs = [(r[0], r.d) for r in frame.collect() if r.b > 2]",
        "pairs = [*frame.collect()][1:]",
    ),
    "pairs = [{'a': r.a, 'b': r.b * 2} for r in frame.collect()]",
    "pairs = list(map(lambda r: (r.b, r.a + r.b), frame.collect()))",
    "rows = frame.collect()\npairs = [(r.b, rows[0].a) for r in rows]",
    "pairs = []\nfor r in frame.collect():\n    pairs.append((r.a, r.b))",
    "pairs = []\nfor r in frame.collect():\n    if r.c is None:\n        continue\n"
    "    pairs.append([r.d, r.c])",
    "rows = [r.asDict() for r in frame.collect()]\npairs = [(r['a'], r.get('d')) for r in rows]",
    "names = {r.a: r.d for r in frame2.collect()}\n"
    "pairs = [(r.b, names.get(r.b, '')) for r in frame.collect()]",
    "df = frame.toPandas()\npairs = [(r.a, r.b) for r in frame2.collect() if r.a < len(df)]",
    "left = frame.collect()\nright = frame2.collect()\n"
    "pairs = [(l.a, r.d) for i, (l, r) in enumerate(zip(left, right)) if i != 3]",
    "left = frame.collect()\nd, a = [p.d for p in left], [p.a for p in left]\n"
    "pairs = [(y, x[0]) for (x, y), z in zip(zip(d, a), left)]",
    "a, b = zip(*[(r.a, r.b) for r in frame.collect()])\npairs = [*zip(b, a)]",
)
STEPS = (  # what it does with them: none of these names its parts
    *("pairs = [(p[1], p[0]) for p in pairs]", "pairs = pairs[:3]", "pairs = pairs + pairs[:1]"),
    *("pairs.sort(key=lambda p: str(p[0]))", "pairs = sorted(pairs, key=str)", "pairs.reverse()"),
    *("pairs = [(x, str(y)) for x, y in pairs]", "pairs = [(x, len(pairs)) for x, y in pairs]"),
    *("pairs.append(('n', 1))", "pairs = [p for p in pairs if p[1]]", "pairs = [*pairs, *kept]"),
    "sums = {}\nfor x, y in pairs:\n    sums[x] = str(sums.get(x, '')) + str(y)\n"
    "pairs = list(sums.items())",
    "best = pairs[0]\nfor p in pairs:\n    if str(p[1]) > str(best[1]):\n        best = p\n"
    "pairs = [(best[0], y) for _, y in pairs]",
    "chosen = []\nfor x, y in pairs:\n    if str(x) == '2':\n        break\n"
    "    chosen.append((x, y))\nelse:\n    chosen.append((0, 0))\npairs = chosen",
    "pairs = [(x, n) for n, (x, y) in enumerate(pairs)]",
    "while len(pairs) > 4:\n    pairs.pop()",
    "pairs = [(hashlib.md5(str(x).encode()).hexdigest(), y) for x, y in pairs]",
    "seen.append(pairs)\nseen[-1][0] = ('changed', 0)",
    "pairs = list({x: (x, y) for x, y in pairs}.values())",
    "groups = {}\nfor x, y in pairs:\n    groups.setdefault(x, []).append(y)\n"
    "pairs = [(x, len(ys)) for x, ys in groups.items()]",
    "pairs = list(set(map(tuple, pairs)))\npairs.sort(key=str)",
)


def made_lists(seed: int) -> str:
    """A program that makes a frame from a list that it has built from rows."""
    chance = random.Random(seed)
    steps = [chance.choice(LISTS), *chance.choices(STEPS, k=chance.randint(0, 3))]
    arguments_of_call = chance.choice(
        ("pairs, ['p', 'q']", "pairs, ['p', 'q']", "pd.DataFrame(pairs)")
    )
    steps.append(f"result = spark.createDataFrame({arguments_of_call})")
    block = "\n".join(steps)
    if chance.random() < 0.3:
        inner = "".join(f"    {line}\n" for line in block.split("\n"))
        block = f"def job(spark, frame, frame2):\n{inner}job(spark, frame, frame)"
    return PRELUDE % INPUTS[:2] + "kept, frame2 = [], frame\n" + block


def made_source(seed: int) -> str:
    """A program that makes a frame `result` of what `frame` has."""
    chance = random.Random(seed)
    w = Writer(chance)
    block: list[str] = []
    for line in body(w):
        if not line.startswith((" ", "else", "except")) and chance.random() < 0.3:
            block.append(chance.choice(NOISE))
        block.append(line)
    first, last = "df = frame.toPandas()", "result = spark.createDataFrame(df)"
    block = [first, *block, *chance.choices(NOISE, k=chance.randint(0, 2)), last]
    style = chance.randrange(4)
    lines = [f"    {line}" for line in block]
    if style == 1:
        block = ["def job(spark, frame, limit, frame2):", *lines, "job(spark, frame, 2, frame)"]
    elif style == 2:
        block = ["for turn in (1, 2):", *lines]
    before = BEFORE
    if chance.random() < 0.7:  # a function that names the data leaves most programs untold
        before = before.replace("df", "dg")
    columns = (chance.choice(INPUTS[:3]), chance.choice(INPUTS[:3]))
    return PRELUDE % columns + before + "\n".join(block)


class Frame:
    """A DataFrame of pandas' rows, and a session that takes them back."""

    def __init__(self, data: Any, frames: DriverFrames) -> None:
        """What is made is kept with what is told of it."""
        self.data, self.frames = data, frames
        self.columns = list(data.columns)
        self._jdf = self
        kind = SimpleNamespace(simpleString=lambda: "long")
        fields = [SimpleNamespace(name=name, dataType=kind) for name in self.columns]
        self.schema = SimpleNamespace(fields=fields)
        self.write = None
        self.made: list[tuple[Any, tuple[TextRows, Any] | None]] = []

    def where(self, condition: object) -> Frame:
        """The same rows."""
        return Frame(self.data, self.frames)

    def toPandas(self) -> Any:
        """The rows, as PySpark's method is hooked."""
        self.frames.read(self, "toPandas")
        return self.data.copy()

    def collect(self) -> list[Row]:
        """The rows, as PySpark's method is hooked."""
        self.frames.read(self, "collect")
        row = Row(*self.columns)
        data = self.data.astype(object).where(self.data.notna(), None)
        return [row(*values) for values in data.values.tolist()]

    def createDataFrame(self, data: Any, names: list[str] | None = None) -> Frame:
        """A frame of rows, as PySpark's method is hooked."""
        import pandas as pd

        if isinstance(data, list):
            first = data[0] if data else ()
            own = getattr(first, "__fields__", first if isinstance(first, dict) else names)
            frame = Frame(pd.DataFrame(map(values_of, data), columns=list(own)), self.frames)
        else:
            frame = Frame(data.rename(columns=str), self.frames)
        self.made.append((frame.data, self.frames.made(data, frame)))
        return frame


def values_of(element: Any) -> list[Any]:
    """The values of a row, a tuple or a dict."""
    return [*(element.values() if isinstance(element, dict) else element)]


def outputs(text: str, name: str, data: dict[str, list[Any]]) -> list[tuple[Any, Any]]:
    """The tables that a program makes, and what is told of each."""
    import pandas as pd

    frame = Frame(pd.DataFrame(data), DriverFrames())
    with contextlib.redirect_stdout(io.StringIO()):
        load(text, name, {"frame": frame, "spark": frame})
    return frame.made


def judge(text: str, name: str, verdict: Verdict, seed: int) -> int:
    """Compare what a program does with what is told; how many of its frames are told."""
    chance = random.Random(seed)
    data = rows(chance)
    try:
        base = outputs(text, name, data)
    except Exception:  # noqa: BLE001 - a made program may fail: nothing is written then
        verdict.failed += 1
        return 0
    seen: list[dict[str, int]] = [{str(c): 0 for c in table.columns} for table, _ in base]
    for place, changed in enumerate(INPUTS):
        for _ in range(CHANGES):
            try:
                now = outputs(text, name, {**data, changed: rows(chance)[changed]})
            except Exception:  # noqa: BLE001 - the job would write nothing
                continue
            for (table, _), (other, _), columns in zip(base, now, seen, strict=False):
                for column in columns:
                    if column not in other or repr([*other[column]]) != repr([*table[column]]):
                        columns[column] |= 1 << place
    told = 0
    for (table, answer), columns in zip(base, seen, strict=True):
        if answer is None:
            continue
        told += 1
        outcome = answer[0].outcome
        folded = {  # a second frame has the same columns
            name: {step: fields | fields >> len(INPUTS) for step, fields in inputs.items()}
            for name, inputs in outcome.columns.items()
        }
        decided = {step: bits | bits >> len(INPUTS) for step, bits in outcome.rows.items()}
        verdict.functions += 1
        verdict.whole += not outcome.opaque
        outcome = outcome._replace(columns=folded, rows=decided)
        check(outcome, table, data, columns, 0, verdict, f"{name}\n{text}")
    return told


def judged(
    count: int, seed: int, source: Callable[[int], str] = made_source
) -> tuple[Verdict, int, int]:
    """Judge made programs: the verdict, how many frames are told, and how many programs ran."""
    warnings.simplefilter("ignore")
    verdict, told = Verdict(), 0
    for number in range(seed, seed + count):
        name = f"<driver {number}>"
        told += judge(source(number), name, verdict, number)
        linecache.cache.pop(name, None)
    return verdict, told, count - verdict.failed


def main() -> int:
    """Judge and print the figures."""
    options = arguments(__doc__)
    wrong = 0
    for source in (made_source, made_lists):
        verdict, told, ran = judged(options.count, options.seed, source)
        print("\n\n".join(verdict.wrong[: options.show]))
        print(f"{source.__name__}: {ran} programs, {told} frames told:", figures(verdict))
        wrong += len(verdict.wrong)
    return bool(wrong)


if __name__ == "__main__":
    raise SystemExit(main())
