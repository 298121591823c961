"""The default URL: COLGRAPH_STORE, else `[colgraph] store`, else a file in the home folder."""

from __future__ import annotations

import configparser
import os
from pathlib import Path


def default_url() -> str:
    """The configured URL, else a SQLite file in the home folder.

    Airflow's own configuration file is read here without importing Airflow, which takes seconds.
    """
    for variable in ("COLGRAPH_STORE", "AIRFLOW__COLGRAPH__STORE"):
        if os.environ.get(variable):
            return os.environ[variable]
    return _from_airflow() or f"sqlite:///{Path.home() / '.colgraph' / 'colgraph.db'}"


def _from_airflow() -> str | None:
    home = Path(os.environ.get("AIRFLOW_HOME", Path.home() / "airflow"))
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read(os.environ.get("AIRFLOW_CONFIG", home / "airflow.cfg"))
    except (configparser.Error, OSError, UnicodeDecodeError):
        return None
    return parser.get("colgraph", "store", fallback="") or None
