"""The default URL: COLGRAPH_STORE, else `[colgraph] store`, else a file in the home folder."""

from __future__ import annotations

import configparser
import os
from pathlib import Path


def default_url() -> str:
    """The configured URL, else a SQLite file in the home folder.

    Airflow's own configuration file is read here without importing Airflow, which takes seconds.
    """
    url = os.environ.get("COLGRAPH_STORE") or airflow_option("store")
    return url or f"sqlite:///{Path.home() / '.colgraph' / 'colgraph.db'}"


def airflow_option(name: str) -> str | None:
    """An option of `[colgraph]`, from the environment or Airflow's configuration file."""
    if value := os.environ.get(f"AIRFLOW__COLGRAPH__{name.upper()}"):
        return value
    home = Path(os.environ.get("AIRFLOW_HOME", Path.home() / "airflow"))
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read(os.environ.get("AIRFLOW_CONFIG", home / "airflow.cfg"))
    except (configparser.Error, OSError, UnicodeDecodeError):
        return None
    return parser.get("colgraph", name, fallback="") or None
