"""Reads `colgraph.toml`, or `[tool.colgraph]` in `pyproject.toml`, and checks what is in it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from airflow_colgraph.store.query.close_names import close

FILES = ("colgraph.toml", "pyproject.toml")
TABLES = ("check", "tags", "policy")


class SettingsError(ValueError):
    """The settings cannot be used; the text says where and why."""


class Settings(NamedTuple):
    """The tables of a file, below `tool.colgraph` in `pyproject.toml`, and the file."""

    root: Mapping[str, Any]
    path: Path


def read(parts: Sequence[str], file: Path | None = None, folder: Path | None = None) -> Settings:
    """Read a file of settings.

    Args:
        parts: The tables that are wanted.
        file: A TOML file. Default: the first of FILES in `folder` that has one of `parts`.
        folder: Where to look. Default: the current folder.

    Returns:
        The file's tables; none where no file has any.

    Raises:
        SettingsError: The file is not there, is no TOML, or has a table that nothing reads.
    """
    for path in [file] if file else [(folder or Path()) / name for name in FILES]:
        if file is None and not path.exists():
            continue
        try:
            whole = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise SettingsError(f"{path}: {reason}") from None
        root = whole.get("tool", {}).get("colgraph", {}) if path.name == FILES[1] else whole
        only(root, TABLES, "a table", path)
        if file or any(part in root for part in parts):
            return Settings(root, path)
    return Settings({}, Path(FILES[0]))


def table(section: Mapping[str, Any], name: str, path: Path) -> Mapping[str, Any]:
    """The table under the name; an empty one if there is none."""
    value = section.get(name, {})
    if not isinstance(value, dict):
        raise SettingsError(f"{path}: {name} is a table")
    return value


def tables(section: Mapping[str, Any], name: str, path: Path) -> list[Mapping[str, Any]]:
    """The list of tables whose whole name this is."""
    entries = section.get(name.rpartition(".")[2], [])
    if not isinstance(entries, list):
        raise SettingsError(f"{path}: write [[{name}]]: it is a list of tables")
    for entry in entries:
        if not isinstance(entry, dict):
            raise SettingsError(f"{path}: {name} is a table")
    return entries


def strings(
    section: Mapping[str, Any], name: str, default: tuple[str, ...], path: Path
) -> tuple[str, ...]:
    """The list of strings under the name."""
    texts = section.get(name, list(default))
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise SettingsError(f"{path}: {name} is a list of strings")
    return tuple(texts)


def names(
    section: Mapping[str, Any], name: str, allowed: Iterable[str], table: str, path: Path
) -> tuple[str, ...]:
    """The list under the name, of known ones; all of them if there is none."""
    allowed = tuple(allowed)
    values = strings(section, name, allowed, path)
    return tuple(one_of(value, allowed, f"{table}.{name}", path) for value in values)


def flag(section: Mapping[str, Any], name: str, default: bool, path: Path) -> bool:
    """The truth value under the name."""
    value = section.get(name, default)
    if not isinstance(value, bool):
        raise SettingsError(f"{path}: {name} is true or false")
    return value


def line(section: Mapping[str, Any], name: str, table: str, path: Path) -> str:
    """The text under the name, which must be there, in one line."""
    text = section.get(name)
    if not isinstance(text, str) or not text.strip():
        raise SettingsError(f"{path}: {table} needs {name}, a text")
    return " ".join(text.split())


def day(section: Mapping[str, Any], name: str, table: str, path: Path) -> date:
    """The day under the name, which must be there, as TOML's date or as a text."""
    value = section.get(name)
    with suppress(ValueError):
        value = date.fromisoformat(value) if isinstance(value, str) else value
    if type(value) is not date:
        raise SettingsError(f"{path}: {table} needs {name}, a day such as 2027-01-31")
    return value


def only(section: Mapping[str, Any], allowed: tuple[str, ...], name: str, path: Path) -> None:
    """Refuse keys that are not known."""
    for key in section:
        one_of(key, allowed, name, path)


def one_of(value: Any, allowed: Iterable[str], name: str, path: Path) -> str:
    """The value, which must be one of the known ones."""
    allowed = list(allowed)
    if value not in allowed:
        near = close(str(value), allowed, most=1)
        meant = f"; did you mean {near[0]!r}?" if near else ""
        raise SettingsError(f"{path}: {name} is one of {', '.join(allowed)}, not {value!r}{meant}")
    return str(value)
