"""The helpers of scores.py."""

from pyspark.sql import functions as F


def paths(home):
    """Where the data is."""
    raw = {"orders": f"{home}/raw/orders", "customers": f"{home}/raw/customers.csv"}
    return raw | {name: f"{home}/ml/{name}" for name in ("scores", "ranks", "initials", "means")}


def cleaned(frame):
    """The frame with names in lower case and texts without blanks around them."""
    frame = frame.toDF(*[name.strip().lower() for name in frame.columns])
    texts = {name for name, type_ in frame.dtypes if type_ == "string"}
    return frame.select(
        [F.trim(name).alias(name) if name in texts else F.col(name) for name in frame.columns]
    )
