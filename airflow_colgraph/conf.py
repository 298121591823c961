"""The options of the `[colgraph]` section, one function each.

An option is set in `airflow.cfg` or by the environment: `AIRFLOW__COLGRAPH__SINK=/mnt/lineage`.
What each one means is written once, in `get_provider_info.OPTIONS`, for Airflow's own reference.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path

from airflow_colgraph.collector.sinks.spool import default_folder
from airflow_colgraph.run_tokens import TokenError, public_key
from airflow_colgraph.store.errors import QuestionError
from airflow_colgraph.store.model.name_pattern import name_pattern
from airflow_colgraph.store.model.shown_url import passwords
from airflow_colgraph.version_compat import ConfigException, conf, mask_secret

SECTION = "colgraph"
MAX_INPUT_FIELDS = 20_000
MAX_EVENT_BYTES = 3_000_000
DEADLINE_SECONDS = 5
SINK_TOKEN_SECONDS = 86_400


def _option(name: str) -> str:
    return str(conf.get(SECTION, name, fallback="") or "").strip()


def masked(url: str) -> str:
    """The URL, whose passwords Airflow hides from now on in logs and rendered fields."""
    for password in passwords(url):
        mask_secret(password)
    return url


def _wrong(name: str, value: str, expected: str) -> ConfigException:
    return ConfigException(f"Option '{name}' in [{SECTION}] is '{value}'. Expected {expected}.")


def _flag(name: str) -> bool:
    value = _option(name) or "false"
    if value.lower() not in {"true", "false", "t", "f", "1", "0", "yes", "no"}:
        raise _wrong(name, value, "True or False")
    return value.lower() in {"true", "t", "1", "yes"}


def _whole(name: str, default: int) -> int:
    value = _option(name) or str(default)
    if not value.isdecimal():
        raise _wrong(name, value, "a whole number")
    return int(value)


@cache
def disabled() -> bool:
    """[colgraph] disabled."""
    return _flag("disabled")


@cache
def wrap_spark_submit() -> bool:
    """[colgraph] wrap_spark_submit."""
    return _flag("wrap_spark_submit")


@cache
def sql_tasks() -> bool:
    """[colgraph] sql_tasks."""
    return _flag("sql_tasks")


@cache
def deadline_seconds() -> float:
    """[colgraph] deadline_seconds."""
    return float(_whole("deadline_seconds", DEADLINE_SECONDS))


@cache
def spool() -> str:
    """[colgraph] spool."""
    return _option("spool") or default_folder()


@cache
def sink() -> str:
    """[colgraph] sink."""
    home = Path(os.environ.get("AIRFLOW_HOME") or "~/airflow").expanduser()
    return _option("sink") or str(home / "colgraph")


@cache
def sink_key() -> str:
    """[colgraph] sink_key."""
    value = _option("sink_key")
    try:
        if value:
            public_key(value)
    except TokenError as error:
        raise ConfigException(f"Option 'sink_key' in [{SECTION}]: {error}") from None
    return value


@cache
def sink_token_seconds() -> int:
    """[colgraph] sink_token_seconds."""
    return _whole("sink_token_seconds", SINK_TOKEN_SECONDS)


@cache
def collector_path() -> str:
    """[colgraph] collector_path."""
    if _option("bundle"):
        raise ConfigException(f"Option 'bundle' in [{SECTION}] is now 'collector_path'. Rename it.")
    return _option("collector_path")


@cache
def keep_events() -> bool:
    """[colgraph] keep_events."""
    return _flag("keep_events")


@cache
def forward_events() -> bool:
    """[colgraph] forward_events."""
    return _flag("forward_events")


@cache
def scratch() -> Callable[[str], bool] | None:
    """[colgraph] scratch."""
    value = _option("scratch")
    try:
        return name_pattern(value) if value else None
    except QuestionError as error:
        raise _wrong("scratch", value, f"a pattern ({error})") from None


@cache
def store() -> str | None:
    """[colgraph] store."""
    return masked(os.environ.get("COLGRAPH_STORE") or _option("store")) or None


@cache
def airflow_database() -> bool:
    """[colgraph] airflow_database."""
    return _flag("airflow_database")


@cache
def audit_reads() -> tuple[str, ...]:
    """[colgraph] audit_reads."""
    return tuple(filter(None, map(str.strip, _option("audit_reads").split(","))))


@cache
def max_input_fields() -> int:
    """[colgraph] max_input_fields."""
    return _whole("max_input_fields", MAX_INPUT_FIELDS)


@cache
def max_event_bytes() -> int:
    """[colgraph] max_event_bytes."""
    return _whole("max_event_bytes", MAX_EVENT_BYTES)


@cache
def properties() -> dict[str, str]:
    """[colgraph] properties."""
    value = _option("properties") or "{}"
    expected = 'a JSON object such as {"spark.colgraph.lineageFacet": "true"}'
    try:
        parsed = json.loads(value)
    except ValueError:
        raise _wrong("properties", value, expected) from None
    if not isinstance(parsed, dict):
        raise _wrong("properties", value, expected)
    foreign = sorted(key for key in parsed if not key.startswith("spark.colgraph."))
    if foreign:
        raise _wrong("properties", ", ".join(foreign), "names that start with spark.colgraph.")
    return {key: str(of).lower() if isinstance(of, bool) else str(of) for key, of in parsed.items()}


def check() -> None:
    """Read every option: ConfigException names the first whose value it cannot have."""
    for option in OPTIONS:
        option()


OPTIONS = (
    disabled,
    wrap_spark_submit,
    sql_tasks,
    deadline_seconds,
    spool,
    sink,
    sink_key,
    sink_token_seconds,
    keep_events,
    collector_path,
    store,
    airflow_database,
    max_input_fields,
    max_event_bytes,
    scratch,
    forward_events,
    audit_reads,
    properties,
)
