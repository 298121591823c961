"""pandas UDFs: of columns, of iterators of them, and aggregates; parameters are input columns."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd


def plus_one(amount: pd.Series) -> pd.Series:
    """<- amount"""
    return amount + 1


def product(amount: pd.Series, quantity: pd.Series, day: pd.Series) -> pd.Series:
    """<- amount, quantity"""
    return amount * quantity


def where(amount: pd.Series, quantity: pd.Series) -> pd.Series:
    """<- amount | quantity"""
    return pd.Series(np.where(quantity > 2, amount, 0.0))


def masked(amount: pd.Series, quantity: pd.Series) -> pd.Series:
    """<- amount | quantity"""
    amount = amount.copy()
    amount[quantity > 2] = 0.0
    return amount


def split_names(name: pd.Series) -> pd.DataFrame:
    """<- name"""
    return name.str.split(expand=True)


def extracted(note: pd.Series) -> pd.Series:
    """<- note"""
    return note.str.extract(r"(\d+)", expand=False).fillna("0").astype(int)


def mean_of(amount: pd.Series) -> float:
    """<- amount"""
    return float(amount.mean())


def weighted(amount: pd.Series, quantity: pd.Series) -> float:
    """<- amount, quantity"""
    return float(np.average(amount.fillna(0), weights=quantity + 1))


def correlated(amount: pd.Series, quantity: pd.Series) -> float:
    """<- amount, quantity"""
    return float(amount.corr(quantity))


def last_by(amount: pd.Series, day: pd.Series) -> float:
    """<- amount | day"""
    return float(amount.iloc[day.argmax()])


def concatenated(name: pd.Series, day: pd.Series) -> pd.Series:
    """<- name, day"""
    return name.str.cat(day, sep=" ")


def zipped(name: pd.Series, day: pd.Series) -> pd.Series:
    """<- name, day"""
    return pd.Series([f"{n} {d}" for n, d in zip(name, day)])


def ranked(amount: pd.Series) -> pd.Series:
    """<- amount"""
    return amount.rank(pct=True)


def dated(day: pd.Series) -> pd.Series:
    """<- day"""
    return pd.to_datetime(day, format="%Y-%m-%d").dt.to_period("M").astype(str)


def looked_up(name: pd.Series, amount: pd.Series) -> pd.Series:
    """<- name, amount"""
    means = amount.groupby(name).mean()
    return name.map(means)


def as_categories(name: pd.Series) -> pd.Series:
    """<- name"""
    return name.astype("category").cat.codes


def sorted_by(amount: pd.Series, quantity: pd.Series) -> pd.Series:
    """<- amount, quantity"""
    return amount.sort_values().reset_index(drop=True) + quantity


def of_frame(amount: pd.Series, quantity: pd.Series, name: pd.Series) -> pd.Series:
    """<- amount, quantity"""
    frame = pd.concat([amount, quantity], axis=1)
    return frame.sum(axis=1)


def lengths(parts: Iterator[pd.Series]) -> Iterator[pd.Series]:
    """<- name"""
    for name in parts:
        yield name.str.len()


def pairs(parts: Iterator[tuple[pd.Series, pd.Series]]) -> Iterator[pd.Series]:
    """<- name"""
    for name, _ in parts:
        yield name.str.lower()
