"""Functions of a group's rows, as `applyInPandas` takes them, each with its lineage.

`z <- a | b`: `z` is computed from `a`, and `b` only decides; `z = a`: `a` is passed on; `*`: rows.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections import Counter, defaultdict, namedtuple
from dataclasses import dataclass
from functools import partial, reduce
from itertools import chain, groupby
from typing import Any

import numpy as np
import pandas as pd

BINS = [0, 10, 20, 1000]
LABELS = ["low", "mid", "high"]
RATES = {"ann": 1.5, "bob": 2.0}


def subtract_mean(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    amount <- amount
    """
    v = pdf.amount
    return pdf.assign(amount=v - v.mean())[["id", "amount"]]


def standardised(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    z <- amount
    """
    pdf["z"] = (pdf["amount"] - pdf["amount"].mean()) / pdf["amount"].std()
    return pdf[["id", "z"]]


def running_balance(key: tuple[Any, ...], pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    day = day
    balance <- amount | day
    * <- day
    """
    pdf = pdf.sort_values("day")
    pdf["balance"] = pdf["amount"].cumsum()
    return pdf[["id", "day", "balance"]]


def mean_by_key(key: tuple[Any, ...], pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    mean <- amount
    """
    return pd.DataFrame([(key[0], pdf.amount.mean())], columns=["id", "mean"])


def mean_by_key_plus(key: tuple[Any, ...], pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    mean <- amount
    """
    return pd.DataFrame([key + (pdf.amount.mean(),)], columns=["id", "mean"])


def latest_row(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    name = name
    amount = amount
    * <- day
    """
    return pdf.sort_values("day", ascending=False).head(1)[["id", "name", "amount"]]


def top_by_index(pdf: pd.DataFrame) -> pd.DataFrame:
    """name = name | quantity"""
    best = pdf.loc[pdf["quantity"].idxmax()]
    return pd.DataFrame({"name": [best["name"]]})


def rank_in_group(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    rank <- amount
    """
    pdf["rank"] = pdf["amount"].rank(method="dense", ascending=False)
    return pdf[["id", "rank"]]


def previous_amount(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    change <- amount | day
    * <- day
    """
    pdf = pdf.sort_values(by=["day"]).reset_index(drop=True)
    pdf["change"] = pdf["amount"] - pdf["amount"].shift(1)
    return pdf[["id", "change"]]


def rolling_mean(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    smooth <- amount | day
    * <- day
    """
    ordered = pdf.sort_values("day")
    ordered["smooth"] = ordered["amount"].rolling(window=3, min_periods=1).mean()
    return ordered[["id", "smooth"]]


def binned(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    band <- amount
    """
    pdf["band"] = pd.cut(pdf["amount"], bins=BINS, labels=LABELS).astype(str)
    return pdf[["id", "band"]]


def quartiles(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    quarter <- amount
    """
    pdf["quarter"] = pd.qcut(pdf["amount"].rank(method="first"), 2, labels=False)
    return pdf[["id", "quarter"]]


def digitised(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    band <- quantity
    """
    pdf["band"] = np.digitize(pdf["quantity"], [1, 3])
    return pdf[["id", "band"]]


def labelled(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    kind <- | amount, quantity
    """
    conditions = [pdf["amount"] > 20, pdf["quantity"] > 2]
    pdf["kind"] = np.select(conditions, ["big", "many"], default="small")
    return pdf[["id", "kind"]]


def per_day(pdf: pd.DataFrame) -> pd.DataFrame:
    """day = day
    total <- amount
    count <- id
    * <- day
    """
    return pdf.groupby("day", as_index=False).agg(total=("amount", "sum"), count=("id", "count"))


def per_day_dict(pdf: pd.DataFrame) -> pd.DataFrame:
    """day = day
    amount <- amount
    quantity <- quantity
    * <- day
    """
    return pdf.groupby("day").agg({"amount": "sum", "quantity": "max"}).reset_index()


def per_day_named(pdf: pd.DataFrame) -> pd.DataFrame:
    """day = day
    low <- amount
    high <- amount
    * <- day
    """
    out = pdf.groupby("day")["amount"].agg(low="min", high="max")
    return out.reset_index()


def per_day_list(pdf: pd.DataFrame) -> pd.DataFrame:
    """day = day
    sum <- amount
    mean <- amount
    * <- day
    """
    return pdf.groupby("day")["amount"].agg(["sum", "mean"]).reset_index()


def share_of_day(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    share <- amount | day
    """
    pdf["share"] = pdf["amount"] / pdf.groupby("day")["amount"].transform("sum")
    return pdf[["id", "share"]]


def share_by_lambda(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    share <- amount | day
    """
    pdf["share"] = pdf.groupby("day")["amount"].transform(lambda s: s / s.sum())
    return pdf[["id", "share"]]


def cumulative_of_day(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    so_far <- amount | day
    """
    pdf["so_far"] = pdf.groupby("day")["amount"].cumsum()
    return pdf[["id", "so_far"]]


def number_of_day(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    number <- | day
    """
    pdf["number"] = pdf.groupby("day").cumcount() + 1
    return pdf[["id", "number"]]


def previous_of_day(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    before <- amount | day
    """
    pdf["before"] = pdf.groupby(["day"])["amount"].shift()
    return pdf[["id", "before"]]


def filled_of_day(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    amount <- amount | day
    """
    means = pdf.groupby("day")["amount"].transform("mean")
    pdf["amount"] = pdf["amount"].fillna(means)
    return pdf[["id", "amount"]]


def joined_with_lookup(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    total <- amount
    * <- day
    """
    totals = pdf.groupby("day", as_index=False).agg(total=("amount", "sum"))
    return pdf[["id", "day"]].merge(totals, on="day", how="left")[["id", "total"]]


def joined_on_other_names(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    total <- amount
    * <- day
    """
    totals = pdf.groupby("day", as_index=False).agg(total=("amount", "sum"))
    totals = totals.rename(columns={"day": "date"})
    joined = pd.merge(pdf[["id", "day"]], totals, left_on="day", right_on="date", how="left")
    return joined[["id", "total"]]


def joined_with_suffixes(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    own = amount
    other = amount
    * <- id
    """
    left = pdf[["id", "amount"]]
    both = left.merge(left.drop_duplicates("id"), on="id", suffixes=("_x", "_y"))
    both = both.rename(columns={"amount_x": "own", "amount_y": "other"})
    return both[["id", "own", "other"]]


def nearest_before(pdf: pd.DataFrame) -> pd.DataFrame:
    """quantity = quantity
    amount = amount
    * <- quantity, id
    """
    left = pdf[["quantity"]].sort_values("quantity")
    right = pdf[["id", "amount"]].rename(columns={"id": "quantity"}).sort_values("quantity")
    right = right.drop_duplicates("quantity")
    return pd.merge_asof(left, right, on="quantity")


def pivoted(pdf: pd.DataFrame) -> pd.DataFrame:
    """first <- amount | name, day
    * <- name, day, amount
    """
    wide = pdf.pivot_table(index="day", columns="name", values="amount", aggfunc="sum")
    return pd.DataFrame({"first": wide.iloc[:, 0].fillna(0).values})


def melted(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    what <-
    value <- amount, quantity
    """
    return pdf.melt(
        id_vars=["id"], value_vars=["amount", "quantity"], var_name="what", value_name="value"
    )


def one_hot(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    is_ann <- name
    """
    dummies = pd.get_dummies(pdf["name"])
    out = pdf[["id"]].copy()
    out["is_ann"] = dummies["ann"].astype(int) if "ann" in dummies.columns else 0
    return out


def crossed(pdf: pd.DataFrame) -> pd.DataFrame:
    """n <- name, day
    * <- name, day
    """
    table = pd.crosstab(pdf["name"], pdf["day"])
    return pd.DataFrame({"n": table.sum(axis=1).values})


def dates(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    month <- day
    weekday <- day
    age <- day
    """
    when = pd.to_datetime(pdf["day"])
    pdf["month"] = when.dt.month
    pdf["weekday"] = when.dt.day_name()
    pdf["age"] = (when.max() - when).dt.days
    return pdf[["id", "month", "weekday", "age"]]


def resampled(pdf: pd.DataFrame) -> pd.DataFrame:
    """amount <- amount | day
    * <- day
    """
    pdf["day"] = pd.to_datetime(pdf["day"])
    out = pdf.set_index("day")["amount"].resample("W").sum()
    return pd.DataFrame({"amount": out.values})


def queried(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    name = name
    * <- amount, quantity
    """
    least = 5
    return pdf.query("amount > @least and quantity < 5")[["id", "name"]]


def evaluated(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    total <- amount, quantity
    """
    return pdf.eval("total = amount * quantity")[["id", "total"]]


def chained(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    total <- amount, quantity
    * <- amount
    """
    return (
        pdf.pipe(lambda d: d[d["amount"].notna()])
        .assign(total=lambda d: d["amount"] * d["quantity"])
        .loc[:, ["id", "total"]]
    )


def with_tax(pdf: pd.DataFrame, rate: float, name: str = "tax") -> pd.DataFrame:
    pdf[name] = pdf["amount"] * rate
    return pdf


def piped_with_arguments(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    vat <- amount
    """
    return pdf.pipe(with_tax, 0.2, name="vat")[["id", "vat"]]


def counted_words(pdf: pd.DataFrame) -> pd.DataFrame:
    """word <- note
    n <- | note
    * <- note
    """
    words: Counter[str] = Counter()
    for text in pdf["note"]:
        words.update(text.split())
    return pd.DataFrame(words.most_common(3), columns=["word", "n"])


def grouped_by_hand(pdf: pd.DataFrame) -> pd.DataFrame:
    """name <- name
    total <- amount | name
    * <- name
    """
    totals: dict[str, float] = defaultdict(float)
    for row in pdf.itertuples():
        totals[row.name] += row.amount
    return pd.DataFrame([{"name": k, "total": v} for k, v in totals.items()])


def grouped_lists(pdf: pd.DataFrame) -> pd.DataFrame:
    """name <- name
    n <- | name
    * <- name
    """
    by_name = defaultdict(list)
    for _, row in pdf.iterrows():
        by_name[row["name"]].append(row["amount"])
    out = [(k, len(v)) for k, v in by_name.items()]
    return pd.DataFrame(out, columns=["name", "n"])


Point = namedtuple("Point", ["x", "y"])


def of_named_tuples(pdf: pd.DataFrame) -> pd.DataFrame:
    """x = amount
    y <- quantity
    """
    points = [Point(a, q + 1) for a, q in zip(pdf["amount"], pdf["quantity"])]
    return pd.DataFrame([{"x": p.x, "y": p.y} for p in points])


@dataclass
class Order:
    amount: float
    quantity: int

    def total(self) -> float:
        return self.amount * self.quantity


def of_dataclasses(pdf: pd.DataFrame) -> pd.DataFrame:
    """total <- amount, quantity"""
    orders = [Order(row.amount, row.quantity) for row in pdf.itertuples()]
    return pd.DataFrame({"total": [order.total() for order in orders]})


def best_of_records(pdf: pd.DataFrame) -> pd.DataFrame:
    """name <- name | amount"""
    records = pdf.fillna(0).to_dict("records")
    best = max(records, key=lambda r: r["amount"])
    return pd.DataFrame([{"name": best["name"]}])


def sorted_records(pdf: pd.DataFrame) -> pd.DataFrame:
    """name = name
    number <-
    * <- day
    """
    records = sorted(pdf.to_dict("records"), key=lambda r: r["day"], reverse=True)
    return pd.DataFrame([{"name": r["name"], "number": i} for i, r in enumerate(records, start=1)])


def sorted_in_place(pdf: pd.DataFrame) -> pd.DataFrame:
    """name = name | day
    * <- day
    """
    pairs = list(zip(pdf["name"], pdf["day"]))
    pairs.sort(key=lambda p: p[1])
    return pd.DataFrame({"name": [p[0] for p in pairs]})


def runs(pdf: pd.DataFrame) -> pd.DataFrame:
    """name = name
    length <- | name
    * <- name
    """
    out = [(k, len(list(v))) for k, v in groupby(pdf["name"])]
    return pd.DataFrame(out, columns=["name", "length"])


def flattened(pdf: pd.DataFrame) -> pd.DataFrame:
    """word <- note
    * <- note
    """
    words = list(chain.from_iterable(text.split() for text in pdf["note"]))
    return pd.DataFrame({"word": words})


def reduced(pdf: pd.DataFrame) -> pd.DataFrame:
    """product <- quantity"""
    product = reduce(lambda x, y: x * (y + 1), pdf["quantity"], 1)
    return pd.DataFrame({"product": [product]})


def partially(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    amount <- amount
    """
    scale = partial(scaled, factor=3)
    pdf["amount"] = pdf["amount"].apply(scale)
    return pdf[["id", "amount"]]


def scaled(value: float, factor: float) -> float:
    return value * factor


def looked_up(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    due <- amount, name
    """
    pdf["due"] = pdf["amount"] * pdf["name"].map(RATES).fillna(1)
    return pdf[["id", "due"]]


def safe_ratio(pdf: pd.DataFrame) -> pd.DataFrame:
    """ratio <- amount, quantity"""
    try:
        ratio = pdf["amount"].sum() / int(pdf["quantity"].sum())
    except ZeroDivisionError:
        ratio = 0.0
    return pd.DataFrame({"ratio": [ratio]})


def early_return(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    slope <- amount | quantity
    """
    if pdf["quantity"].nunique() < 2:
        pdf["slope"] = 0.0
        return pdf[["id", "slope"]]
    pdf["slope"] = pdf["amount"].diff()
    return pdf[["id", "slope"]]


def fitted(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    slope <- amount, quantity
    """
    x, y = pdf["quantity"].to_numpy(), pdf["amount"].fillna(0).to_numpy()
    slope = np.dot(x, y) / (np.dot(x, x) + 1)
    return pdf[["id"]].assign(slope=slope)


def interpolated(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    amount <- amount | day
    * <- day
    """
    pdf = pdf.sort_values("day").set_index("day")
    pdf["amount"] = pdf["amount"].ffill().bfill()
    return pdf.reset_index()[["id", "amount"]]


def appended_row(pdf: pd.DataFrame) -> pd.DataFrame:
    """name <- name
    amount <- amount
    """
    total = pd.DataFrame([{"name": "total", "amount": pdf["amount"].sum()}])
    return pd.concat([pdf[["name", "amount"]], total], ignore_index=True)


def deduplicated(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    name = name
    * <- name, day
    """
    pdf = pdf.sort_values("day").drop_duplicates(subset=["name"], keep="last")
    return pdf[["id", "name"]]


def exploded(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    word <- note
    * <- note
    """
    pdf["word"] = pdf["note"].str.split(" ")
    return pdf.explode("word")[["id", "word"]]


def stacked(pdf: pd.DataFrame) -> pd.DataFrame:
    """value <- amount, quantity
    * <- amount, quantity
    """
    return pdf[["amount", "quantity"]].stack().reset_index(drop=True).to_frame("value")


def described(pdf: pd.DataFrame) -> pd.DataFrame:
    """value <- amount"""
    return pd.DataFrame({"value": pdf["amount"].describe().values})


def valued(pdf: pd.DataFrame) -> pd.DataFrame:
    """name <- name
    n <- name
    * <- name
    """
    counts = pdf["name"].value_counts()
    return pd.DataFrame({"name": counts.index, "n": counts.values})


def quantiles(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    * <- amount
    """
    low, high = pdf["amount"].quantile([0.25, 0.75])
    spread = high - low
    keep = (pdf["amount"] >= low - spread) & (pdf["amount"] <= high + spread)
    return pdf.loc[keep, ["id"]]


def between_days(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    gap <- day
    * <- day
    """
    pdf = pdf.sort_values("day")
    days = [dt.datetime.strptime(each, "%Y-%m-%d") for each in pdf["day"]]
    gaps = [0] + [(after - before).days for before, after in zip(days, days[1:])]
    pdf["gap"] = gaps
    return pdf[["id", "gap"]]


def parsed_notes(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    length <- extra
    k <- extra
    """
    parsed = pdf["extra"].map(json.loads)
    pdf["length"] = parsed.map(len)
    pdf["k"] = parsed.apply(lambda each: each.get("k", 0))
    return pdf[["id", "length", "k"]]


def substituted(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    note <- note
    """
    pattern = re.compile(r"[aeiou]")
    pdf["note"] = [pattern.sub("_", text) for text in pdf["note"]]
    return pdf[["id", "note"]]


def by_rows(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    score <- amount | quantity
    """

    def score(row: Any) -> float:
        if row["quantity"] == 0:
            return 0.0
        elif row["quantity"] > 3:
            return float(row["amount"]) * 2
        return float(row["amount"])

    pdf["score"] = pdf.apply(score, axis=1)
    return pdf[["id", "score"]]


def several_columns_by_row(pdf: pd.DataFrame) -> pd.DataFrame:
    """x <- amount
    y <- quantity
    """
    pdf[["x", "y"]] = pdf.apply(
        lambda row: pd.Series([row["amount"] * 2, row["quantity"] + 1]), axis=1
    )
    return pdf[["x", "y"]]


def loop_over_groups(pdf: pd.DataFrame) -> pd.DataFrame:
    """day = day
    worst <- amount | day
    * <- day
    """
    out = []
    for day, part in pdf.groupby("day"):
        out.append({"day": day, "worst": part["amount"].min()})
    return pd.DataFrame(out)


def applied_to_groups(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    amount = amount
    * <- day, amount
    """
    return (
        pdf.groupby("day", group_keys=False)
        .apply(lambda part: part.nlargest(1, "amount"))
        .reset_index(drop=True)[["id", "amount"]]
    )


def first_of_each_day(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    day = day
    * <- day, amount
    """
    return pdf.sort_values("amount").groupby("day").head(1)[["id", "day"]]


def closest_by_index(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    * <- day, amount
    """
    return pdf.loc[pdf.fillna(0).groupby("day")["amount"].idxmax()][["id"]]


def state_machine(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    session <- | quantity, day
    * <- day
    """
    pdf = pdf.sort_values("day")
    session, sessions = 0, []
    for quantity in pdf["quantity"].tolist():
        if quantity == 0:
            session += 1
        sessions.append(session)
    pdf["session"] = sessions
    return pdf[["id", "session"]]


def smoothed(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    level <- amount
    """
    level = None
    levels = []
    for value in pdf["amount"].fillna(0):
        level = value if level is None else 0.5 * value + 0.5 * level
        levels.append(level)
    return pdf[["id"]].assign(level=levels)


def first_and_rest(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    head <- note
    tail <- note
    """
    heads, tails = [], []
    for text in pdf["note"]:
        head, *rest = text.split()
        heads.append(head)
        tails.append(" ".join(rest))
    return pdf[["id"]].assign(head=heads, tail=tails)


def single_by_label(pdf: pd.DataFrame) -> pd.DataFrame:
    """z <- amount | quantity"""
    by_quantity = pdf.drop_duplicates("quantity").set_index("quantity")["amount"]
    return pd.DataFrame({"z": [by_quantity.get(1, 0.0)]})


def single_item(pdf: pd.DataFrame) -> pd.DataFrame:
    """z = amount | quantity"""
    return pd.DataFrame({"z": [pdf.sort_values("quantity")["amount"].head(1).item()]})


def largest_label(pdf: pd.DataFrame) -> pd.DataFrame:
    """z <- amount, quantity"""
    totals = pdf.set_index("quantity")["amount"].fillna(0)
    return pd.DataFrame({"z": [totals.idxmax()]})


def by_mask_of_arrays(pdf: pd.DataFrame) -> pd.DataFrame:
    """z <- amount | quantity"""
    amounts = pdf["amount"].values.copy()
    amounts[pdf["quantity"].values > 2] = 0
    return pd.DataFrame({"z": amounts})


def argsorted(pdf: pd.DataFrame) -> pd.DataFrame:
    """z = amount
    * <- quantity
    """
    order = np.argsort(pdf["quantity"].values, kind="stable")
    return pd.DataFrame({"z": pdf["amount"].values[order]})


def unpacked_rows(pdf: pd.DataFrame) -> pd.DataFrame:
    """x = amount
    y = name
    """
    out = [(a, n) for n, a in pdf[["name", "amount"]].itertuples(index=False)]
    return pd.DataFrame(out, columns=["x", "y"])


def unpacked_values(pdf: pd.DataFrame) -> pd.DataFrame:
    """x <- amount
    y <- name
    """
    out = [[a, n] for n, a in pdf[["name", "amount"]].values]
    return pd.DataFrame(out, columns=["x", "y"])


def set_at_labels(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    flag <- | amount
    """
    pdf["flag"] = "n"
    for at, row in pdf.iterrows():
        if row["amount"] > 10:
            pdf.at[at, "flag"] = "y"
    return pdf[["id", "flag"]]


def accumulated_frames(pdf: pd.DataFrame) -> pd.DataFrame:
    """name = name
    amount <- amount | name
    * <- name
    """
    frames = []
    for name in pdf["name"].unique():
        part = pdf[pdf["name"] == name]
        frames.append(pd.DataFrame({"name": [name], "amount": [part["amount"].sum()]}))
    return pd.concat(frames)


def outer_product(pdf: pd.DataFrame) -> pd.DataFrame:
    """x = name | day
    y = day | name
    * <- name, day
    """
    out = [{"x": x, "y": y} for x in sorted(set(pdf["name"])) for y in sorted(set(pdf["day"]))]
    return pd.DataFrame(out)


def renamed_columns(pdf: pd.DataFrame) -> pd.DataFrame:
    """ID = id
    AMOUNT = amount
    """
    out = pdf[["id", "amount"]]
    out.columns = [name.upper() for name in out.columns]
    return out


def renamed_by_function(pdf: pd.DataFrame) -> pd.DataFrame:
    """x_id = id
    x_amount = amount
    """
    return pdf[["id", "amount"]].add_prefix("x_")


def cleaned(pdf: pd.DataFrame) -> pd.DataFrame:
    """name <- name
    amount <- amount
    quantity <- quantity
    """
    pdf = pdf[["name", "amount", "quantity"]]
    for column in pdf.select_dtypes("number").columns:
        pdf[column] = pdf[column].clip(0, 10)
    pdf["name"] = pdf["name"].str.strip().str.title()
    return pdf


def from_an_array(pdf: pd.DataFrame) -> pd.DataFrame:
    """z <- amount
    k <-
    * <- quantity
    """
    chosen = [a for a, q in zip(pdf["amount"], pdf["quantity"]) if q > 2]
    return pd.DataFrame({"z": np.array(chosen) * 2, "k": 1})


def as_many(pdf: pd.DataFrame) -> pd.DataFrame:
    """z <- quantity
    * <- quantity
    """
    return pd.DataFrame({"z": np.zeros(int((pdf["quantity"] > 2).sum()))})


def length_of_text(pdf: pd.DataFrame) -> pd.DataFrame:
    """z <- note"""
    return pd.DataFrame({"z": [len(pdf["note"].get(0)) + len(str(pdf["note"]))]})


def over_days(pdf: pd.DataFrame) -> pd.DataFrame:
    """z <- amount | day
    * <- day
    """
    pdf["day"] = pd.to_datetime(pdf["day"])
    smooth = pdf.sort_values("day").set_index("day")["amount"].rolling("3D").sum()
    return pd.DataFrame({"z": smooth.values})


def labels_of_totals(pdf: pd.DataFrame) -> pd.DataFrame:
    """day = day
    total <- amount
    * <- day
    """
    totals = pdf.groupby("day")["amount"].sum()
    return pd.DataFrame({"day": totals.index, "total": totals.values})


def labels_by_loop(pdf: pd.DataFrame) -> pd.DataFrame:
    """day = day
    total <- amount | day
    * <- day
    """
    totals = pdf.groupby("day").agg(total=("amount", "sum"))
    return pd.DataFrame([{"day": day, "total": row["total"]} for day, row in totals.iterrows()])


def index_that_is_set(pdf: pd.DataFrame) -> pd.DataFrame:
    """z <- note"""
    pdf.index = pdf["note"]
    pdf = pdf.drop(columns=["note"])
    pdf["z"] = pdf.index
    return pdf[["z"]]


class Total:
    def __init__(self, start: float = 0.0) -> None:
        self.value = start
        self.names: list[str] = []

    def add(self, amount: float, name: str) -> None:
        self.value += amount
        self.names.append(name)


def of_objects(pdf: pd.DataFrame) -> pd.DataFrame:
    """total <- amount | quantity
    n <- | quantity
    """
    total = Total()
    for row in pdf.itertuples():
        if row.quantity > 1:
            total.add(row.amount, row.name)
    return pd.DataFrame({"total": [total.value], "n": [len(total.names)]})


def nested_defaults(pdf: pd.DataFrame) -> pd.DataFrame:
    """name <- name
    day <- day | name
    total <- amount | name, day
    * <- name, day
    """
    totals: Any = defaultdict(lambda: defaultdict(float))
    for name, day, amount in zip(pdf["name"], pdf["day"], pdf["amount"]):
        totals[name][day] += amount
    rows = []
    for name, by_day in totals.items():
        for day, total in by_day.items():
            rows.append({"name": name, "day": day, "total": total})
    return pd.DataFrame(rows)


def asked_for(pdf: pd.DataFrame) -> pd.DataFrame:
    """n <- name"""
    seen: Any = defaultdict(int)
    for name in pdf["name"]:
        seen[name]
    return pd.DataFrame({"n": [len(seen)]})


def counted_twice(pdf: pd.DataFrame) -> pd.DataFrame:
    """n <- | name, day"""
    counts = Counter(pdf["name"])
    counts.update(pdf["day"])
    return pd.DataFrame({"n": [counts["ann"] + counts["2024-01-01"] + counts.most_common(1)[0][1]]})


def shared_list(pdf: pd.DataFrame) -> pd.DataFrame:
    """n <- quantity, amount | name"""
    groups: Any = defaultdict(list)
    for name, quantity in zip(pdf["name"], pdf["quantity"]):
        groups[name].append(quantity)
    groups["ann"].append(pdf["amount"].sum())
    return pd.DataFrame({"n": [sum(groups["ann"])]})


def _spread(values: pd.Series) -> float:
    return values.max() - values.min()


def summed_and_spread(pdf: pd.DataFrame) -> pd.DataFrame:
    """day = day
    _spread <- amount
    sum <- amount
    * <- day
    """
    return pdf.groupby("day")["amount"].agg([_spread, "sum"]).reset_index()


def ranked_totals(pdf: pd.DataFrame) -> pd.DataFrame:
    """name = name
    total <- amount
    * <- name, amount
    """
    return pdf.groupby("name")["amount"].sum().sort_values().reset_index(name="total")


def unnamed_totals(pdf: pd.DataFrame) -> pd.DataFrame:
    """name = name
    amount <- amount
    * <- name
    """
    return pdf.groupby("name")["amount"].sum().reset_index()


def best_names(pdf: pd.DataFrame) -> pd.DataFrame:
    """who = name
    total <- amount
    * <- name, amount
    """
    totals = pdf.groupby("name")["amount"].sum().nlargest(2)
    return pd.DataFrame({"who": totals.index, "total": totals.values})


def first_name(pdf: pd.DataFrame) -> pd.DataFrame:
    """who <- name | amount"""
    totals = pdf.groupby("name")["amount"].sum().sort_values()
    return pd.DataFrame({"who": [totals.index[0]]})


def totals_beside(pdf: pd.DataFrame) -> pd.DataFrame:
    """name = name
    a <- amount | name
    b <- quantity | name
    * <- name
    """
    amounts = pdf.groupby("name")["amount"].sum()
    quantities = pdf.groupby("name")["quantity"].max()
    return pd.DataFrame({"a": amounts, "b": quantities}).reset_index()


def totals_and_sizes(pdf: pd.DataFrame) -> pd.DataFrame:
    """name = name
    total <- amount | name
    n <- | name
    * <- name
    """
    grouped = pdf.groupby("name")
    return pd.DataFrame({"total": grouped["amount"].sum(), "n": grouped.size()}).reset_index()


def totals_side_by_side(pdf: pd.DataFrame) -> pd.DataFrame:
    """name = name
    a <- amount
    b <- quantity
    * <- name
    """
    grouped = pdf.groupby("name")
    parts = [grouped["amount"].sum().rename("a"), grouped["quantity"].max().rename("b")]
    return pd.concat(parts, axis=1).reset_index()


def summed_by_function(pdf: pd.DataFrame) -> pd.DataFrame:
    """name = name
    x <- amount | name
    * <- name
    """
    parts = pdf.groupby("name").apply(lambda part: pd.Series({"x": part["amount"].sum()}))
    return parts.reset_index()


def spread_by_day(pdf: pd.DataFrame) -> pd.DataFrame:
    """name = name
    first_day <- amount | name, day
    * <- name, day, amount
    """
    wide = pdf.pivot_table(index="name", columns="day", values="amount", aggfunc="max")
    wide = wide.reset_index()
    wide["first_day"] = wide[min(pdf["day"])] if len(pdf) else 0
    return wide[["name", "first_day"]]


def named_series(pdf: pd.DataFrame) -> pd.DataFrame:
    """amount = amount
    twice <- amount
    """
    return pd.concat([pdf["amount"], (pdf["amount"] * 2).rename("twice")], axis=1)


def total_as_a_frame(pdf: pd.DataFrame) -> pd.DataFrame:
    """name = name
    amount <- amount
    * <- name, amount
    """
    totals = pdf.groupby("name")["amount"].sum()
    return totals.sort_values(ascending=False).to_frame().reset_index()
