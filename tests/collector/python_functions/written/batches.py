"""Functions of an iterator of batches, as `mapInPandas` and `mapInArrow` take them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc


def filtered(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """id = id
    name = name
    * <- amount
    """
    for pdf in batches:
        yield pdf[pdf.amount > 10][["id", "name"]]


def predicted(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """id = id
    prediction <- amount, quantity
    """
    weights = np.array([0.5, 2.0])
    for pdf in batches:
        features = pdf[["amount", "quantity"]].fillna(0).to_numpy()
        yield pd.DataFrame({"id": pdf["id"], "prediction": features @ weights})


def tokenised(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """id = id
    token <- note
    * <- note
    """
    for pdf in batches:
        rows = []
        for row in pdf.itertuples(index=False):
            for token in row.note.lower().split():
                rows.append((row.id, token))
        yield pd.DataFrame(rows, columns=["id", "token"])


def parsed(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """id = id
    k <- extra
    """
    for pdf in batches:
        pdf["k"] = pdf["extra"].apply(lambda text: json.loads(text)["k"])
        yield pdf[["id", "k"]]


def counted(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """n <-"""
    n = 0
    for pdf in batches:
        n += len(pdf)
    yield pd.DataFrame({"n": [n]})


def totalled(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """total <- amount"""
    total = 0.0
    for pdf in batches:
        total += pdf["amount"].sum()
    yield pd.DataFrame([{"total": total}])


def pseudonymised(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """name <- name
    amount = amount
    """
    for pdf in batches:
        pdf["name"] = [hashlib.sha256(n.encode("utf-8")).hexdigest() for n in pdf["name"]]
        yield pdf[["name", "amount"]]


def skipping_empty(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """id = id | quantity
    * <- quantity
    """
    for pdf in batches:
        kept = pdf.loc[pdf["quantity"] > 2]
        if kept.empty:
            continue
        yield kept[["id"]]


def validated(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """id = id
    error <-
    * <- amount, name
    """
    for pdf in batches:
        errors = []
        for row in pdf.to_dict(orient="records"):
            if pd.isna(row["amount"]):
                errors.append({"id": row["id"], "error": "no amount"})
            elif not row["name"]:
                errors.append({"id": row["id"], "error": "no name"})
        yield pd.DataFrame(errors, columns=["id", "error"])


def with_carry(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """id = id
    last <- name
    """
    last = ""
    for pdf in batches:
        pdf["last"] = last
        last = pdf["name"].iloc[-1]
        yield pdf[["id", "last"]]


def converted(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """id = id
    number <- note
    """

    def to_number(text: str) -> float | None:
        try:
            return float(text)
        except (TypeError, ValueError):
            return None

    for pdf in batches:
        pdf["number"] = pdf["note"].apply(to_number)
        yield pdf[["id", "number"]]


def numeric(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """id = id
    number <- note
    """
    for pdf in batches:
        number = pd.to_numeric(pdf["note"], errors="coerce")
        yield pdf[["id"]].assign(number=number)


def in_chunks(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """id = id
    amount <- amount
    """
    for pdf in batches:
        for start in range(0, len(pdf), 2):
            part = pdf.iloc[start : start + 2]
            yield pd.DataFrame({"id": part["id"], "amount": part["amount"] * 2})


def written_out(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """text <- id, name"""
    for pdf in batches:
        texts = [f"{row.id:04d}-{row.name!r}" for row in pdf.itertuples()]
        yield pd.DataFrame({"text": texts})


def as_json(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """key = id
    value <- name, amount
    """
    for pdf in batches:
        out = pd.DataFrame({"key": pdf["id"]})
        out["value"] = [
            json.dumps({"name": name, "amount": amount})
            for name, amount in zip(pdf["name"], pdf["amount"])
        ]
        yield out


def as_json_by_row(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """value <- name, amount"""
    for pdf in batches:
        part = pdf[["name", "amount"]]
        yield pd.DataFrame({"value": part.apply(lambda row: row.to_json(), axis=1)})


def vectorised(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """id = id
    kind <- | quantity
    """
    label = np.vectorize(lambda n: "many" if n > 2 else "few")
    for pdf in batches:
        pdf["kind"] = label(pdf["quantity"].values)
        yield pdf[["id", "kind"]]


def distances(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """id = id
    distance <- amount, quantity
    """
    for pdf in batches:
        x, y = np.radians(pdf["amount"]), np.radians(pdf["quantity"])
        h = np.sin(x / 2) ** 2 + np.cos(x) * np.cos(y)
        pdf["distance"] = 2 * 6371 * np.arcsin(np.sqrt(np.clip(h, 0, 1)))
        yield pdf[["id", "distance"]]


def kept_columns(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """id = id
    day = day
    """
    wanted = {"id", "day"}
    for pdf in batches:
        yield pdf[[name for name in pdf.columns if name in wanted]]


def first_batch(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """id = id
    shift <- amount
    """
    first = next(batches)
    base = first["amount"].mean()
    yield first.assign(shift=first["amount"] - base)[["id", "shift"]]
    for pdf in batches:
        yield pdf.assign(shift=pdf["amount"] - base)[["id", "shift"]]


def through_helpers(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """id = id | name
    amount <- amount | name
    * <- name
    """
    for pdf in batches:
        yield from pieces(pdf)


def pieces(pdf: pd.DataFrame) -> list[pd.DataFrame]:
    out = []
    for _, part in pdf.groupby("name"):
        out.append(pd.DataFrame({"id": part["id"], "amount": part["amount"].round(1)}))
    return out


def arrow_filter(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """id = id
    * <- quantity
    """
    for batch in batches:
        mask = pc.and_(pc.greater(batch["quantity"], 1), pc.less(batch["quantity"], 5))
        yield batch.filter(mask).select(["id"])


def arrow_columns(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """id = id
    name <- name
    """
    for batch in batches:
        names = pc.utf8_upper(batch.column("name"))
        yield pa.RecordBatch.from_arrays([batch.column("id"), names], ["id", "name"])


def arrow_dict(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """id = id
    double <- quantity
    """
    for batch in batches:
        data = batch.to_pydict()
        double = [n * 2 for n in data["quantity"]]
        yield pa.RecordBatch.from_pydict({"id": data["id"], "double": double})


def arrow_lists(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """id = id
    name <- name
    """
    for batch in batches:
        rows = [{"id": r["id"], "name": r["name"].strip()} for r in batch.to_pylist()]
        yield pa.RecordBatch.from_pylist(rows)


def arrow_pandas(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """id = id
    cents <- amount
    """
    for batch in batches:
        pdf = batch.to_pandas()
        pdf["cents"] = (pdf["amount"].fillna(0) * 100).astype(int)
        yield pa.RecordBatch.from_pandas(pdf[["id", "cents"]])


def _large(parts: Iterator[pd.DataFrame], least: float) -> Iterator[pd.DataFrame]:
    for pdf in parts:
        kept = pdf[pdf["amount"] > least]
        if pdf["quantity"].sum() > 2:
            yield kept.assign(total=kept["amount"] * 2)[["id", "total"]]


def with_an_argument(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """id = id
    total <- amount
    * <- amount, quantity
    """
    return _large(batches, 5.0)
