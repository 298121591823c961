"""The options of the `[colgraph]` section, one function each.

An option is set in `airflow.cfg` or by the environment: `AIRFLOW__COLGRAPH__SINK=/mnt/lineage`.
What each one means is written once, in `get_provider_info.OPTIONS`, for Airflow's own reference.
"""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path

from airflow_colgraph.version_compat import ConfigException, conf

SECTION = "colgraph"
MAX_INPUT_FIELDS = 20_000


def _option(name: str) -> str:
    return str(conf.get(SECTION, name, fallback="") or "").strip()


def _wrong(name: str, value: str, expected: str) -> ConfigException:
    return ConfigException(f"Option '{name}' in [{SECTION}] is '{value}'. Expected {expected}.")


@cache
def disabled() -> bool:
    """[colgraph] disabled."""
    value = _option("disabled") or "false"
    if value.lower() not in {"true", "false", "t", "f", "1", "0", "yes", "no"}:
        raise _wrong("disabled", value, "True or False")
    return value.lower() in {"true", "t", "1", "yes"}


@cache
def sink() -> str:
    """[colgraph] sink."""
    home = Path(os.environ.get("AIRFLOW_HOME") or "~/airflow").expanduser()
    return _option("sink") or str(home / "colgraph")


@cache
def store() -> str | None:
    """[colgraph] store."""
    return os.environ.get("COLGRAPH_STORE") or _option("store") or None


@cache
def max_input_fields() -> int:
    """[colgraph] max_input_fields."""
    value = _option("max_input_fields") or str(MAX_INPUT_FIELDS)
    if not value.isdecimal():
        raise _wrong("max_input_fields", value, "a whole number")
    return int(value)


@cache
def properties() -> dict[str, str]:
    """[colgraph] properties."""
    value = _option("properties") or "{}"
    expected = 'a JSON object such as {"spark.colgraph.lineageFacet": "true"}'
    try:
        given = json.loads(value)
    except ValueError:
        raise _wrong("properties", value, expected) from None
    if not isinstance(given, dict):
        raise _wrong("properties", value, expected)
    foreign = sorted(key for key in given if not key.startswith("spark.colgraph."))
    if foreign:
        raise _wrong("properties", ", ".join(foreign), "names that start with spark.colgraph.")
    return {key: str(of).lower() if isinstance(of, bool) else str(of) for key, of in given.items()}
