"""The default URL: COLGRAPH_STORE, else `[colgraph] store`, else a file in the home folder."""

from __future__ import annotations

import configparser
import os
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

from airflow_colgraph.store.errors import BadStoreUrl


def default_url() -> str:
    """The configured URL, else a SQLite file in the home folder.

    Airflow's own configuration file is read here without importing Airflow, which takes seconds.
    """
    return configured_url() or f"sqlite:///{Path.home() / '.colgraph' / 'colgraph.db'}"


def configured_url() -> str | None:
    """The configured URL; None if the default is only the file in the home folder."""
    return os.environ.get("COLGRAPH_STORE") or airflow_option("store")


def airflow_option(name: str) -> str | None:
    """An option of `[colgraph]`, from the environment or Airflow's configuration file.

    As in Airflow, `store_cmd` is a command that prints `store`. `store_secret` is a name in a
    secrets backend, which only Airflow can ask: BadStoreUrl.
    """
    return _given(_in_environment, name) or _given(_in_file, name)


def _given(read: Callable[[str], str | None], name: str) -> str | None:
    if (value := read(name)) or name != "store":
        return value
    if command := read("store_cmd"):
        return _printed(command)
    if read("store_secret"):
        raise BadStoreUrl(
            "[colgraph] store_secret can be read in Airflow only. Set COLGRAPH_STORE or --store."
        )
    return None


def _printed(command: str) -> str:
    """What a command prints, which is a secret; so its output is in no message."""
    try:
        done = subprocess.run(shlex.split(command), capture_output=True, text=True, check=True)
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        code = getattr(error, "returncode", None)
        why = type(error).__name__ if code is None else f"exit code {code}"
        raise BadStoreUrl(f"The command in [colgraph] store_cmd failed: {why}.") from None
    return done.stdout.strip()


def _in_environment(name: str) -> str | None:
    return os.environ.get(f"AIRFLOW__COLGRAPH__{name.upper()}")


def _in_file(name: str) -> str | None:
    home = Path(os.environ.get("AIRFLOW_HOME", Path.home() / "airflow"))
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read(os.environ.get("AIRFLOW_CONFIG", home / "airflow.cfg"))
    except (configparser.Error, OSError, UnicodeDecodeError):
        return None
    return parser.get("colgraph", name, fallback="") or None
