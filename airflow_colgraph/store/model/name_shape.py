"""Names that differ only in what each run makes anew: a date, a number, an id. Pure."""

from __future__ import annotations

import re

UUID = "[0-9a-fA-F]{8}(?:-?[0-9a-fA-F]{4}){3}-?[0-9a-fA-F]{12}"
PARTITION = "(?<==)[^/=]+(?=/|$)"  # the value of a folder `key=value`
NUMBERS = "[0-9]+(?:[-_.:+T]?[0-9]+)*Z?"  # also a date and a time
VARYING = re.compile(f"{UUID}|{PARTITION}|{NUMBERS}")


def shape(name: str) -> str:
    """The name with `*` for each part that a job may make anew in each run.

    >>> shape("/out/report_2026-11-20T06:00:00+00:00.csv"), shape("db.orders_v2")
    ('/out/report_*.csv', 'db.orders_v*')
    """
    return VARYING.sub("*", name)
