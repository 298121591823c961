"""Functions of a group's rows in the shapes that public notebooks have, each with its lineage."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd

GAP = 5
RADIUS = 6371.0


def add_sessions(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    day <- day
    session <- day
    amount = amount
    * <- day
    """
    pdf = pdf.assign(day=pd.to_datetime(pdf["day"])).sort_values("day")
    is_new = pdf["day"].diff().dt.days > GAP
    pdf["session"] = is_new.cumsum()
    return pdf[["id", "day", "session", "amount"]]


def fill_days(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    day <- day
    amount <- amount | day
    * <- day
    """
    daily = pdf.assign(day=pd.to_datetime(pdf["day"])).groupby("day")["amount"].sum()
    days = pd.date_range(daily.index.min(), daily.index.max(), freq="D")
    filled = daily.reindex(days, fill_value=0.0).rename_axis("day").reset_index(name="amount")
    filled.insert(0, "id", pdf["id"].iloc[0])
    return filled


def forecast(key: tuple[Any, ...], pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    step <-
    expected <- amount | day
    """
    pdf = pdf.sort_values("day")
    x = np.arange(len(pdf))
    y = pdf["amount"].to_numpy()
    slope = ((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum()
    level = y.mean() - slope * x.mean()
    rows = [(key[0], step, level + slope * (len(pdf) + step)) for step in range(3)]
    return pd.DataFrame(rows, columns=["id", "step", "expected"])


def fitted_trend(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    slope <- amount, quantity
    """
    slope, _ = np.polyfit(pdf["quantity"].to_numpy(), pdf["amount"].to_numpy(), 1)
    return pd.DataFrame({"id": [pdf["id"].iloc[0]], "slope": [slope]})


def keep_latest(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    name = name
    day = day
    amount = amount
    * <- day, name
    """
    latest = pdf.sort_values(["name", "day"]).drop_duplicates(subset=["name"], keep="last")
    return latest[["id", "name", "day", "amount"]]


def parse_payload(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    k <- extra
    m <- extra
    """
    payload = pdf["extra"].map(json.loads)
    pdf["k"] = payload.map(lambda fields: fields.get("k", 0))
    pdf["m"] = payload.map(lambda fields: fields["m"])
    return pdf[["id", "k", "m"]]


def haversine(lat1: Any, lon1: Any, lat2: Any, lon2: Any) -> Any:
    """Kilometres between two places."""
    lat1, lon1, lat2, lon2 = map(np.radians, (lat1, lon1, lat2, lon2))
    half = np.sin((lat2 - lat1) / 2) ** 2
    half += np.cos(lat1) * np.cos(lat2) * np.sin((lon2 - lon1) / 2) ** 2
    return 2 * RADIUS * np.arcsin(np.sqrt(half))


def travelled(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    distance <- amount, quantity | day
    * <- day
    """
    pdf = pdf.sort_values("day")
    before = pdf[["amount", "quantity"]].shift(1)
    pdf["distance"] = haversine(
        before["amount"], before["quantity"], pdf["amount"], pdf["quantity"]
    )
    return pdf[["id", "distance"]]


def moving_features(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    lag <- amount | day
    mean3 <- amount | day
    change <- amount | day
    share <- amount
    * <- day
    """
    pdf = pdf.sort_values("day").reset_index(drop=True)
    pdf["lag"] = pdf["amount"].shift(1).fillna(0.0)
    pdf["mean3"] = pdf["amount"].rolling(3, min_periods=1).mean()
    pdf["change"] = pdf["amount"].pct_change().fillna(0.0)
    pdf["share"] = pdf["amount"] / pdf["amount"].sum()
    return pdf[["id", "lag", "mean3", "change", "share"]]


def without_outliers(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    name = name
    amount = amount
    * <- amount
    """
    low, high = pdf["amount"].quantile(0.25), pdf["amount"].quantile(0.75)
    spread = high - low
    is_plain = pdf["amount"].between(low - 0.5 * spread, high + 0.5 * spread)
    return pdf.loc[is_plain, ["id", "name", "amount"]]


def summary(key: tuple[Any, ...], pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    customers <- name
    total <- amount
    large <- amount
    last <- day
    """
    row = {
        "id": key[0],
        "customers": pdf["name"].nunique(),
        "total": float(pdf["amount"].sum()),
        "large": int((pdf["amount"] > 10).sum()),
        "last": pdf["day"].max(),
    }
    return pd.DataFrame([row])


def ranked(pdf: pd.DataFrame) -> pd.DataFrame:
    """id = id
    name = name
    rank <-
    * <- amount, name
    """
    pdf = pdf.sort_values(["amount", "name"], ascending=False).reset_index(drop=True)
    pdf["rank"] = range(1, len(pdf) + 1)
    return pdf[["id", "name", "rank"]].head(4)
