"""Judge the interpreter of Python functions: made functions are run on changed rows.

A function is made from a grammar of constructs that the interpreter knows and of ones that it does
not, and run by pandas: on rows, and on the same rows with one input column changed. An output
column that changes must depend on that input, by what was told, and one that is told to pass an
input on must have its values.

    python -m oracles.python_functions [--count N] [--seed N] [--show]
"""

from __future__ import annotations

import argparse
import linecache
import random
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from airflow_colgraph.collector.lineage.transformations import IDENTITY, fields_of
from airflow_colgraph.collector.python_functions.interpretation import (
    Outcome,
    of_batches,
    of_tables,
)
from airflow_colgraph.collector.python_functions.source import captured

INPUTS = ("a", "b", "c", "d")
COLUMNS = [(name, {IDENTITY: 1 << place}) for place, name in enumerate(INPUTS)]
ROWS = 9
CHANGES = 3  # of each column
TEXTS = ("x", "yy", "zed", "x y", "Q", "w1")


# The made functions ---------------------------------------------------------------------------


class Writer:
    """A function that is being made: its lines, and the columns that its table has by now."""

    def __init__(self, chance: random.Random) -> None:
        """With the input columns."""
        self.chance = chance
        self.lines: list[str] = []
        self.numbers = ["a", "b", "c"]
        self.texts = ["d"]
        self.series: list[str] = []
        self.scalars: list[str] = []
        self.count = 0

    def new(self, prefix: str) -> str:
        """A name that is not used yet."""
        self.count += 1
        return f"{prefix}{self.count}"

    def number(self) -> str:
        """The name of a column of numbers."""
        return self.chance.choice(self.numbers)

    def column(self) -> str:
        """The name of any column."""
        return self.chance.choice(self.numbers + self.texts)

    def value(self) -> str:
        """An expression of numbers, a row each."""
        n, m = self.number(), self.number()
        k = self.chance.randint(-2, 4)
        choices = [
            f'df["{n}"]',
            f'df["{n}"] + {k}',
            f'df["{n}"] * df["{m}"]',
            f'df["{n}"].fillna({k})',
            f'df["{n}"].where(df["{m}"] > {k}, {k})',
            f'np.where(df["{n}"] > {k}, df["{m}"], {k})',
            f'df["{n}"].map(lambda v: v * 2 if v > {k} else 0)',
            f'df.apply(lambda row: row["{n}"] + row["{m}"], axis=1)',
            f'df["{n}"].shift(1).fillna(0)',
            f'df["{n}"].cumsum()',
            f'df["{n}"].rank()',
            f'df["{n}"] - df["{m}"].mean()',
            f'df.groupby("{n}")["{m}"].transform("sum")',
            f'np.log1p(df["{n}"].abs())',
            f'df["{n}"].clip({k}, {k + 3})',
            f'df["{n}"].isin([1, 2, {k}]).astype(int)',
            f'(df["{n}"] > {k}).astype(int)',
            f'df["{self.texts[0]}"].str.len()' if self.texts else f'df["{n}"]',
            f'[v + {k} for v in df["{n}"]]',
            f'[x + y for x, y in zip(df["{n}"], df["{m}"])]',
            f'pd.Series([r["{n}"] for _, r in df.iterrows()])',
            f'[r["{n}"] for i, (_, r) in enumerate(df.iterrows())]',
            f'[x * 2 + i for i, (x, y) in enumerate(zip(df["{n}"], df["{m}"]))]',
            f'[x for (x, y), z in zip(zip(df["{n}"], df["{m}"]), df["{n}"])]',
            f'list(map(lambda p: p[1][1], enumerate(zip(df["{n}"], df["{m}"]))))',
            f'df["{n}"].to_numpy()[::-1]',
            f'df["{n}"].sort_values().reset_index(drop=True)',
            f'df.loc[df["{m}"] > {k}, "{n}"]',
            f'df["{n}"].values',
            f'df[["{n}", "{m}"]].max(axis=1)',
            f'df["{n}"].rolling(2).sum().fillna(0)',
            f'df["{n}"].combine_first(df["{m}"])',
            f'df["{n}"].replace({k}, 99)',
            f'df.eval("{n} + 1")',
            f'df["{n}"].agg("sum")',
            f'df["{n}"].pipe(lambda s: s + df["{m}"])',
            f'helper(df["{n}"], {k})',
            f'df["{n}"].iloc[0] + df["{m}"]',
            f'df["{n}"].quantile(0.5)',
            f'len(df[df["{n}"] > {k}])',
            f'df["{n}"].map({{1: 10, 2: 20}}).fillna(df["{m}"])',
            f'df["{n}"].expanding().max()',
            f'max(df["{n}"].max(), {k})',
            f'sum(df["{n}"]) if df["{m}"].sum() > {k} else {k}',
            f'box(df)["{n}"]',
            f'df["{n}"].duplicated().astype(int)',
            f'df["{n}"].diff().fillna({k})',
        ]
        if self.series:
            choices += [self.chance.choice(self.series), f"{self.chance.choice(self.series)} + 1"]
        if self.scalars:
            choices += [
                self.chance.choice(self.scalars),
                f'df["{n}"] + {self.chance.choice(self.scalars)}',
            ]
        return self.chance.choice(choices)

    def mask(self) -> str:
        """A mask of rows."""
        n, m, k = self.number(), self.number(), self.chance.randint(-1, 3)
        return self.chance.choice(
            [
                f'df["{n}"] > {k}',
                f'(df["{n}"] > {k}) & (df["{m}"] < {k + 4})',
                f'df["{n}"].notna()',
                f'df["{n}"].isin([1, 2])',
                f"~(df.{n} == {k})" if n.isidentifier() else f'df["{n}"] > 0',
                f'df["{n}"].values > {k}',
                f'[v > {k} for v in df["{n}"]]',
                f'df["{n}"] == df["{m}"].max()',
            ]
        )


Statement = Callable[[Writer], "list[str]"]


def _set(w: Writer) -> list[str]:
    name = w.chance.choice([*w.numbers, w.new("z")])
    value = w.value()
    if name not in w.numbers:
        w.numbers.append(name)
    return [f'df["{name}"] = {value}']


def _assign(w: Writer) -> list[str]:
    name, value = w.new("z"), w.value()
    line = w.chance.choice(
        [f"df = df.assign({name}={value})", f"df = df.assign({name}=lambda df: {value})"]
    )
    w.numbers.append(name)
    return [line]


def _filter(w: Writer) -> list[str]:
    n = w.number()
    return [
        w.chance.choice(
            [
                f"df = df[{w.mask()}]",
                f"df = df.loc[{w.mask()}].copy()",
                f'df = df.query("{n} > 1")',
                f'df = df.dropna(subset=["{n}"])',
                f'df = df.drop_duplicates(subset=["{n}"])',
                f'df = df.sort_values("{n}")',
                f'df = df.sort_values("{n}").head(3)',
                f'df = df.nlargest(4, "{n}")',
                "df = df.reset_index(drop=True)",
                "df = df.head(3)",
                "df = df.iloc[1:5]",
                "df = df.sort_index()",
                f'df.sort_values("{n}", inplace=True)',
                f'df.drop(df[df["{n}"] > 2].index, inplace=True)',
                f'df = df.explode("{n}")',
                "df = df.sample(n=2, random_state=1) if len(df) > 2 else df",
            ]
        )
    ]


def _series(w: Writer) -> list[str]:
    name, value = w.new("s"), w.value()
    w.series.append(name)
    return [f"{name} = {value}"]


def _scalar(w: Writer) -> list[str]:
    name, n = w.new("k"), w.number()
    value = w.chance.choice(
        [
            f'df["{n}"].sum()',
            f'df["{n}"].max()',
            "len(df)",
            f'df["{n}"].iloc[0] if len(df) else 0',
            f'df.loc[df["{n}"] > 1, "{w.number()}"].sum()',
            f'sum(v for v in df["{n}"] if v > 1)',
            "df.shape[0]",
            f'float(df["{n}"].nunique())',
            f'df["{n}"].tolist()[0] if len(df) else 1',
        ]
    )
    w.scalars.append(name)
    return [f"{name} = {value}"]


def _located(w: Writer) -> list[str]:
    n, k = w.number(), w.chance.randint(-1, 5)
    value = w.chance.choice([str(k), f'df["{w.number()}"]', *w.scalars])
    return [
        w.chance.choice(
            [
                f'df.loc[{w.mask()}, "{n}"] = {value}',
                f'df.loc[df["{w.number()}"] > {k}, "{n}"] = {k}',
                f"df.iloc[0, 0] = {k}",
                f'df.at[df.index[0], "{n}"] = {k}',
                f'df["{n}"].values[:] = {k}',
                f'df.loc[:, "{n}"] = {value}',
            ]
        )
    ]


def _names(w: Writer) -> list[str]:
    n, new = w.number(), w.new("r")
    choice = w.chance.randrange(6)
    if choice == 0 and len(w.numbers) > 2:
        w.numbers.remove(n)
        return [f'df = df.drop(columns=["{n}"])']
    if choice == 1:
        w.numbers[w.numbers.index(n)] = new
        return [f'df = df.rename(columns={{"{n}": "{new}"}})']
    if choice == 2 and len(w.numbers) > 2:
        w.numbers.remove(n)
        popped = w.new("s")
        w.series.append(popped)
        return [f'{popped} = df.pop("{n}")']
    if choice == 3 and len(w.numbers) > 2:
        w.numbers.remove(n)
        return [f'del df["{n}"]']
    if choice == 4:
        w.numbers.append(new)
        return [f'df.insert(0, "{new}", {w.value()})']
    kept = sorted({*w.chance.sample(w.numbers, min(2, len(w.numbers)))})
    w.numbers = kept
    names = ", ".join(f'"{name}"' for name in [*kept, *w.texts])
    return [f"df = df[[{names}]]"]


def _in_order(w: Writer) -> list[str]:
    """The columns renamed by their places."""
    return [
        'df.columns = [name + "_" for name in df.columns]',
        "df.columns = [name[:-1] for name in df.columns]",
    ]


def _loop(w: Writer) -> list[str]:
    n = w.number()
    choice = w.chance.randrange(6)
    if choice == 0:
        new = w.new("z")
        w.numbers.append(new)
        return [
            "acc = []",
            "for row in df.itertuples():",
            f"    acc.append(row.{n} + 1 if row.{w.chance.choice(['a', n])} else 0)"
            if "a" in w.numbers
            else f"    acc.append(row.{n})",
            f'df["{new}"] = acc',
        ]
    if choice == 1:
        names = ", ".join(
            f'"{name}"' for name in w.chance.sample(w.numbers, min(2, len(w.numbers)))
        )
        return [
            f"for name in [{names}]:",
            f"    df[name] = df[name] * 2 + {w.chance.randint(0, 3)}",
        ]
    if choice == 2:
        name = w.new("k")
        w.scalars.append(name)
        return [
            f"{name} = 0",
            "for _, row in df.iterrows():",
            f'    if row["{n}"] > 2:',
            "        break",
            f'    {name} += row["{w.number()}"]',
        ]
    if choice == 3:
        name = w.new("k")
        w.scalars.append(name)
        return [
            f"{name} = 1",
            f"while {name} < 20 and {name} < df['{n}'].abs().sum() + 2:",
            f"    {name} = {name} * 2",
        ]
    if choice == 4:
        new = w.new("z")
        w.numbers.append(new)
        return [
            "parts = {}",
            f'for i, v in enumerate(df["{n}"]):',
            f'    parts[i] = v if v > 1 else df["{w.number()}"].iloc[i]',
            f'df["{new}"] = list(parts.values())',
        ]
    return [
        "for name in df.columns:",
        f'    if name != "{n}" and name != "d":',
        "        df[name] = df[name] + 1",
    ]


def _branch(w: Writer) -> list[str]:
    n, k = w.number(), w.chance.randint(0, 20)
    numbers, texts, series, scalars = [*w.numbers], [*w.texts], [*w.series], [*w.scalars]
    body = [line for _ in range(2) for line in _simple(w)]
    w.numbers, w.texts, w.series, w.scalars = numbers, texts, series, scalars
    lines = [f'if df["{n}"].sum() > {k}:', *(f"    {line}" for line in body)]
    if w.chance.random() < 0.5:
        body = [line for _ in range(1) for line in _simple(w)]
        w.numbers, w.texts, w.series, w.scalars = numbers, texts, series, scalars
        lines += ["else:", *(f"    {line}" for line in body)]
    return lines


def _simple(w: Writer) -> list[str]:
    kept = [*w.numbers]
    choice = w.chance.choice([_set, _filter, _located, _series, _scalar])
    lines = choice(w)
    if choice is _set:  # only columns that the other branch has, too
        name = lines[0].split('"')[1]
        if name not in kept:
            w.numbers = kept
            return [lines[0].replace(f'"{name}"', f'"{kept[0]}"', 1)]
    return lines


def _reshaped(n: str, m: str) -> list[list[str]]:
    """Counts, pivots, indicators and columns by their names."""
    return [
        [
            f"pv = df.pivot_table(index='{m}', columns='d', values='{n}', aggfunc='sum')",
            f"df['{n}'] = df['{m}'].map(pv.sum(axis=1))",
        ],
        [
            f"pv = df.pivot_table(index='{m}', columns='d', values='{n}').reset_index()",
            f"df = df.merge(pv[['{m}']], on='{m}', how='left')",
        ],
        [f"pv = pd.crosstab(df['{m}'], df['d'])", f"df['{n}'] = len(pv) + pv.iloc[0, 0]"],
        [f"gd = pd.get_dummies(df['{m}'])", f"df['{n}'] = gd[gd.columns[0]].astype(int)"],
        [f"vc = df['{m}'].value_counts()", f"df['{n}'] = vc.index[0] + vc.values[-1]"],
        [
            f"lk = df.groupby('{m}')['{n}'].max().sort_values().reset_index()",
            f"df['{n}'] = df['{m}'].map(dict(zip(lk['{m}'], lk['{n}'])))",
        ],
        [
            f"lk = df.groupby('{m}')['{n}'].min().rename('xx').to_frame().reset_index()",
            f"df = df.merge(lk, on='{m}', how='left')",
            f"df['{n}'] = df.pop('xx')",
        ],
        [f"df['{n}'] = pd.concat([df['{m}'], df['{n}'].rename('xx')], axis=1).sum(axis=1)"],
        [f"df['{n}'] = pd.Series(df['{m}'].values, name='xx').to_frame()['xx'].values"],
        [
            f"lk = df[['{m}', '{n}']].rename(columns={{'{n}': 'xx'}}).sort_values('{m}')",
            f"as_of = pd.merge_asof(df.sort_values('{m}'), lk.drop_duplicates('{m}'), on='{m}')",
            f"df['{n}'] = as_of['xx'].values",
        ],
    ]


def _alias(w: Writer) -> list[str]:
    """Names of one object, views, and things changed behind a name."""
    n, m = w.number(), w.number()
    k = w.chance.randint(0, 3)
    return w.chance.choice(
        [
            ["other = df", f'other["{n}"] = {w.value()}'],
            [f's = df["{n}"]', f's[:] = df["{m}"].values'],
            [f's = df["{n}"].values', f's[0] = df["{m}"].sum() if s.flags.writeable else 0'],
            ["other = df.copy()", f'other["{n}"] = 0', f'df["{m}"] = other["{n}"]'],
            ["box_ = [df]", f'box_[0]["{n}"] = {w.value()}'],
            ["box_ = {'t': df}", f"box_['t'][\"{n}\"] = {w.value()}"],
            [f'df["{n}"] += df["{m}"]'],
            [f'df["{n}"] = df["{m}"] = {k}'],
            [f"other = df if {k} else None", f'other["{n}"] = {w.value()}'],
            [f'change(df, "{n}")'],
            [f'df["{n}"].fillna(df["{m}"].sum(), inplace=True)'],
            [f'df.update(pd.DataFrame({{"{n}": df["{m}"].values}}, index=df.index))'],
            ["k_ = {}", f'k_["v"] = df["{m}"].sum()', f'df["{n}"] = k_["v"]'],
            ["ks = [0]", f'ks[0] = df["{m}"].sum()', f'df["{n}"] = ks[0]'],
            [
                "def inner(v):",
                f"    return v + df['{m}'].max()",
                f'df["{n}"] = df["{n}"].map(inner)',
            ],
            [f"g = (v * 2 for v in df['{m}'])", f"df['{n}'] = list(g)"],
            ["s_ = df.T", f"df['{n}'] = s_.loc['{m}'].values"],
            [f"a_, b_ = df['{n}'], df['{m}']", f"df['{n}'] = b_ - a_"],
            [f"df.{n} = df['{m}']" if n != "index" else "pass"],
            [f"s = df['{n}'].copy()", f"s[df['{m}'] > 1] = {k}", f"df['{n}'] = s"],
            [
                f"arr = df[['{n}', '{m}']].values.copy()",
                "arr[:, 0] = arr[:, 1]",
                f"df['{n}'] = arr[:, 0]",
            ],
            ["state['n'] = state.get('n', 0) + 1"],
            [f"state['s'] = state.get('s', 0) + df['{n}'].sum()", f"df['{m}'] = state['s']"],
            [f"seen.append(df['{n}'].sum())", f"df['{m}'] = seen[0]"],
            [f"df['{n}'] = df['{m}'] if len(seen) else df['{n}']"],
            [
                "rec = df.to_dict('records')",
                "for r in rec:",
                f"    r['{n}'] = r['{m}'] + 1",
                "df = pd.DataFrame(rec)",
            ],
            [f'exec(\'df["{n}"] = df["{m}"]\')'],
            ["setattr(df, 'flag', 1)"],
            [f"df['{n}'] = [i.{m} for i in df.itertuples(index=False)]"],
            [f"df = df.set_index('{m}').reset_index()"],
            [f"df = df.set_index('{m}', drop=False)", "df = df.reset_index(drop=True)"],
            [
                f"df.index = df['{m}'].values[::-1]",
                f"df['{n}'] = pd.Series(range(len(df))).reindex(df.index).fillna(0).values",
                "df = df.reset_index(drop=True)",
            ],
            [
                f"part = df[df['{m}'] > 1]['{n}']",
                f"df['{n}'] = part",
                f"df['{n}'] = df['{n}'].fillna(-1)",
            ],
            [
                "try:",
                f"    df['{n}'] = 10 / df['{m}'].iloc[0].item()",
                "except Exception:",
                f"    df['{n}'] = 0",
            ],
            [
                "mm = {}",
                f"mm.setdefault('v', []).append(df['{m}'].sum())",
                f"df['{n}'] = mm['v'][0]",
            ],
            [f"df['{n}'], df['{m}'] = df['{m}'].values.copy(), df['{n}'].values.copy()"],
            [f"name_ = '{n}' if df['{m}'].sum() > 9 else '{m}'", "df[name_] = df[name_] + 1"],
            [f"for v in list(df['{m}']):", "    pass", f"df['{n}'] = v if len(df) else 0"],
            [f"q = [x for x in df['{m}'] if x > 1]", f"df['{n}'] = len(q)"],
            [f"df['{n}'] = any(v > 2 for v in df['{m}'])"],
            [f"df['{n}'] = sorted(df['{m}'], key=lambda v: -v)"],
            [f"u = df['{m}'].unique()", f"df['{n}'] = u[0] if len(u) else 0"],
            [f"vc = df['{m}'].value_counts()", f"df['{n}'] = df['{m}'].map(vc)"],
            [f"if df['{m}'].sum() < -99:", "    raise ValueError('x')"],
            [f"df['{n}'] = np.select([df['{m}'] > 2, df['{n}'] > 1], [1, df['{m}']], default=0)"],
            [
                f"df = df.merge(df[['{n}']].drop_duplicates().assign(mm=1), on='{n}', how='left')",
                "df = df.drop(columns=['mm'])",
            ],
            [
                f"lk = df.groupby('{m}', as_index=False).agg(gg=('{n}', 'sum'))",
                f"df = df.merge(lk, on='{m}', how='left').drop(columns=['gg'])",
            ],
            [f"lk = df.groupby('{m}')['{n}'].sum().to_dict()", f"df['{n}'] = df['{m}'].map(lk)"],
            ["df = pd.concat([df, df.head(1)])", "df = df.reset_index(drop=True)"],
            [
                f"lk = df[['{m}', '{n}']].rename(columns={{'{m}': 'kk', '{n}': 'vv'}})",
                "lk = lk.drop_duplicates('kk')",
                f"df = df.merge(lk, left_on='{n}', right_on='kk', how='left')",
                f"df['{n}'] = df['vv'].fillna({k})",
                "df = df.drop(columns=['kk', 'vv'])",
            ],
            [
                f"lk = df[['{n}', '{m}']].rename(columns={{'{n}': 'kk'}}).drop_duplicates()",
                f"df = df.merge(lk, 'outer', left_on='{m}', right_on='kk', suffixes=('', '_r'))",
                f"df = df.drop(columns=['kk', '{m}_r'])",
            ],
            [f"df = df.eval('{n} = {n} + {m} * 2')"],
            [f"df['{n}'] = pd.cut(df['{m}'], 3, labels=False)"],
            [f"df['{n}'] = pd.qcut(df['{m}'], 2, labels=False, duplicates='drop')"],
            [
                f"mm = df.melt(id_vars=['{m}'], value_vars=['{n}'])",
                f"df['{n}'] = mm['value'].head(len(df)).values",
            ],
            [
                f"mm = pd.melt(df, value_vars=['{n}', '{m}'], var_name='q', value_name='w')",
                f"df['{n}'] = mm['w'].tail(len(df)).values",
            ],
            *_reshaped(n, m),
            [f"rec = {{'p': df['{m}'].sum(), 'q': 1}}", f"df['{n}'] = rec.pop('p') + len(rec)"],
            [
                "from operator import itemgetter",
                f"df['{n}'] = [itemgetter(1)(p) for p in zip(df['{n}'], df['{m}'])]",
            ],
            [
                f"df = pd.concat([g.head(2) for _, g in df.groupby('{m}')]) if len(df) else df",
                "df = df.reset_index(drop=True)",
            ],
            ["df = df.reindex(columns=list(df.columns))"],
            [f"w = df['{n}']", f"df['{n}'] = 0", f"df['{m}'] = w"],
            [f"w = df[['{n}']]", f"w['{n}'] = df['{m}']", f"df['{n}'] = w['{n}']"],
            [f"df['{n}'] = (lambda x=df['{m}'].sum(): x)()"],
            [f"fs = [lambda: df['{m}'].max()]", f"df['{n}'] = fs[0]()"],
            [
                "z = 0",
                "def bump():",
                f"    return z + df['{n}'].sum()",
                f"z = df['{m}'].min()",
                f"df['{n}'] = bump()",
            ],
            [f"it_ = iter(df['{m}'])", f"df['{n}'] = next(it_, 0)"],
            [f"df['{n}'] = [*df['{m}']]"],
            [f"df['{n}'] = {{**{{'k': df['{m}'].sum()}}}}['k']"],
            [f"t_ = (df['{m}'].sum(), 1)", "x_, _ = t_", f"df['{n}'] = x_"],
            [f"df['{n}'] = str(df['{m}'].sum())", f"df['{n}'] = df['{n}'].str.len()"],
            [
                f"df['{n}'] = f\"{{df['{m}'].sum()}}\"",
                f"df['{n}'] = df['{n}'].astype(str).str.len()",
            ],
            [f"df['{n}'] = df['{n}'].mask(df['{m}'] > {k}, df['{m}'])"],
            [
                f"df['{n}'] = hashlib.md5(str(df['{m}'].sum()).encode()).hexdigest()",
                f"df['{n}'] = df['{n}'].map(len) + df['{n}'].str[0].map(ord)",
            ],
        ]
    )


STATEMENTS: list[tuple[int, Statement]] = [
    (6, _set),
    (3, _assign),
    (5, _filter),
    (3, _series),
    (3, _scalar),
    (3, _located),
    (3, _names),
    (1, _in_order),
    (4, _loop),
    (4, _branch),
    (8, _alias),
]
PRELUDE = """\
import hashlib
import numpy as np
import pandas as pd
state = {}
seen = []
def helper(column, k):
    if k > 2:
        return column * k
    out = column.copy()
    out[out > k] = k
    return out
def change(table, name):
    table[name] = table[name] + table["%s"].sum()
class Box(dict):
    def __getitem__(self, key):
        return dict.__getitem__(self, "t")["%s"]
def box(table):
    return Box(t=table)
"""


def body(w: Writer) -> list[str]:
    """The statements of a function over `df`."""
    weights = [weight for weight, _ in STATEMENTS]
    for _ in range(w.chance.randint(1, 6)):
        (act,) = w.chance.choices([act for _, act in STATEMENTS], weights)
        w.lines += act(w)
    return w.lines


def made_source(seed: int) -> tuple[str, str]:
    """A module with a function of the kind that is told: `batches`, `table` or `keyed`."""
    chance = random.Random(seed)
    w = Writer(chance)
    lines = body(w)
    kind = chance.choice(["batches", "batches", "table", "keyed"])
    hidden = PRELUDE % (chance.choice(INPUTS[:3]), chance.choice(INPUTS[:3]))
    if "change(" in "\n".join(lines) or "box(" in "\n".join(lines):
        hidden = hidden.replace('table["a"]', f'table["{w.numbers[0]}"]')
    text = [f"    {line}" for line in lines]
    if kind == "batches":
        style = chance.randrange(5)
        if style == 0:
            head = ["def one(df):", *text, "    return df", "def function(iterator):"]
            return kind, hidden + "\n".join([*head, "    return (one(df) for df in iterator)"])
        if style == 1:
            head = ["def one(df):", *text, "    return df", "def function(iterator):"]
            return kind, hidden + "\n".join([*head, "    return map(one, iterator)"])
        if style == 2:
            n = chance.choice(w.numbers)
            tail = [
                f"        total = total + df['{n}'].sum()",
                f"        df['{n}'] = total",
                "        yield df",
            ]
            inside = [f"    {line}" for line in text]
            return kind, hidden + "\n".join(
                [
                    "def function(iterator):",
                    "    total = 0",
                    "    for df in iterator:",
                    *inside,
                    *tail,
                ]
            )
        if style == 3:
            n = chance.choice(["a", "b"])
            inside = [f"    {line}" for line in text]
            head = ["def function(iterator):", "    last = None", "    for df in iterator:"]
            skip = [f"        if df['{n}'].sum() < 6:", "            continue"]
            tail = [
                "        if last is not None:",
                f"            df['{w.numbers[0]}'] = last",
                f"        last = df['{w.numbers[-1]}'].sum()",
                "        yield df",
            ]
            return kind, hidden + "\n".join([*head, *skip, *inside, *tail])
        inside = [f"    {line}" for line in text]
        return kind, hidden + "\n".join(
            ["def function(iterator):", "    for df in iterator:", *inside, "        yield df"]
        )
    if kind == "keyed":
        return kind, hidden + "\n".join(
            ["def function(key, df):", *text, f"    df['{w.numbers[0]}'] = key[0]", "    return df"]
        )
    tail = ["    return df"]
    if chance.random() < 0.3:
        n = chance.choice(w.numbers)
        tail = [f"    if df['{n}'].sum() > 5:", "        return df.head(2)", *tail]
    return kind, hidden + "\n".join(["def function(df):", *text, *tail])


# Running them ---------------------------------------------------------------------------------


def rows(chance: random.Random) -> dict[str, list[Any]]:
    """Rows of the input columns."""
    return {
        "a": [chance.randint(0, 4) for _ in range(ROWS)],
        "b": [chance.randint(0, 6) for _ in range(ROWS)],
        "c": [chance.choice([0.5, 1.0, 2.0, 3.5, None]) for _ in range(ROWS)],
        "d": [chance.choice(TEXTS) for _ in range(ROWS)],
    }


def load(text: str, name: str, more: Mapping[str, Any] = {}) -> dict[str, Any]:
    """A module of the text, as Python would have it from a file, with `more` names."""
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names: dict[str, Any] = {"__name__": "__main__", **more}
    exec(compile(text, name, "exec"), names)
    return names


def outputs(text: str, name: str, kind: str, data: dict[str, list[Any]]) -> Any:
    """The table that the function gives."""
    import pandas as pd

    function = load(text, name)["function"]
    frame = pd.DataFrame(data)
    if kind == "batches":
        parts = [
            frame.iloc[start : start + 3].reset_index(drop=True) for start in range(0, ROWS, 3)
        ]
        tables = list(function(iter(parts)))
        return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()
    tables = []
    for key, part in frame.groupby("a"):
        part = part.reset_index(drop=True)
        tables.append(function((key,), part) if kind == "keyed" else function(part))
    return pd.concat(tables, ignore_index=True)


def told(text: str, name: str, kind: str) -> Outcome:
    """What the interpreter tells."""
    function = captured(load(text, name)["function"])
    if kind == "batches":
        return of_batches(function, COLUMNS)
    return of_tables(function, [COLUMNS], [COLUMNS[0][1]])


@dataclass
class Verdict:
    """What the judge saw: wrong answers, and edges by how they were told."""

    functions: int = 0
    failed: int = 0
    opaque: int = 0
    whole: int = 0
    told_edges: int = 0
    seen_edges: int = 0
    all_edges: int = 0
    wrong: list[str] = field(default_factory=list)


def judge(text: str, kind: str, name: str, verdict: Verdict, seed: int) -> None:
    """Compare what a function does with what is told."""
    chance = random.Random(seed)
    data = rows(chance)
    answer = told(text, name, kind)
    try:
        base = outputs(text, name, kind, data)
    except Exception:  # noqa: BLE001 - a made function may fail: nothing is written then
        verdict.failed += 1
        return
    verdict.functions += 1
    verdict.opaque += bool(answer.rest is not None and not answer.columns)
    verdict.whole += not answer.opaque
    grouped = 0 if kind == "batches" else 1  # by `a`
    seen: dict[str, int] = {str(column): 0 for column in base.columns}
    for place, changed in enumerate(INPUTS):
        if grouped and changed == "a":
            continue
        for _ in range(CHANGES):
            other = {**data, changed: rows(chance)[changed]}
            try:
                now = outputs(text, name, kind, other)
            except Exception:  # noqa: BLE001 - the job would write nothing
                continue
            for column in seen:
                if column not in now.columns or repr(list(now[column])) != repr(list(base[column])):
                    seen[column] |= 1 << place
    check(answer, base, data, seen, grouped, verdict, f"{name} ({kind})\n{text}")


def check(
    answer: Outcome,
    base: Any,
    data: dict[str, list[Any]],
    seen: dict[str, int],
    grouped: int,
    verdict: Verdict,
    text: str,
) -> None:
    """Count the edges and note those that are wrong."""
    for column, needed in seen.items():
        inputs = answer.columns.get(column, answer.rest)
        if inputs is None:
            verdict.wrong.append(f"no column {column}: {answer}\n{text}")
            continue
        edges = fields_of(inputs) | fields_of(answer.rows) | grouped
        verdict.told_edges += bin(edges).count("1")
        verdict.seen_edges += bin(needed | grouped).count("1")
        verdict.all_edges += len(data)
        if needed & ~edges:
            lost = [name for place, name in enumerate(data) if (needed & ~edges) >> place & 1]
            verdict.wrong.append(f"lost {lost} -> {column}: {answer}\n{text}")
        passed = inputs.get(IDENTITY, 0)
        if passed and not any(inputs.get(step, 0) for step in (1, 2)):
            values = {
                repr(value)
                for place, name in enumerate(data)
                if passed >> place & 1
                for value in data[name]
            }
            values |= {
                repr(float(v))
                for n in "abc"
                for v in data[n]
                if v is not None and passed >> INPUTS.index(n) & 1
            }
            strange = [
                value
                for value in base[column].tolist()
                if value == value and value is not None and repr(value) not in values
            ]
            if strange:
                verdict.wrong.append(f"no identity {column} {strange[:3]}: {answer}\n{text}")


def judged(count: int, seed: int) -> Iterator[Verdict]:
    """Judge made functions; the same verdict after each."""
    warnings.simplefilter("ignore")
    verdict = Verdict()
    for number in range(seed, seed + count):
        kind, text = made_source(number)
        judge(text, kind, f"<made {number}>", verdict, number)
        linecache.cache.pop(f"<made {number}>", None)
        yield verdict


def figures(verdict: Verdict) -> str:
    """The counts in a line."""
    return (
        f"{verdict.functions} functions ({verdict.failed} failed to run), {verdict.whole} whole,"
        f" {verdict.opaque} opaque; {len(verdict.wrong)} wrong; edges: {verdict.told_edges} told,"
        f" {verdict.seen_edges} seen, {verdict.all_edges} before"
    )


def arguments(description: str | None) -> argparse.Namespace:
    """What is made and printed, by the command line."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", type=int, default=3, help="wrong answers that are printed")
    return parser.parse_args()


def main() -> int:
    """Judge and print the figures."""
    options = arguments(__doc__)
    verdict, shown = Verdict(), 0
    for verdict in judged(options.count, options.seed):
        for text in verdict.wrong[shown : options.show]:
            print(text, "\n", flush=True)
        shown = len(verdict.wrong)
        if (verdict.functions + verdict.failed) % 200 == 0:
            print(figures(verdict), flush=True)
    print(figures(verdict))
    return bool(verdict.wrong)


if __name__ == "__main__":
    raise SystemExit(main())
