"""Statements by which tables exchange rows as a whole: swaps, renames, partitions that move. Pure.

They are read by their words, as sqlglot has classes for few of them.
"""

from __future__ import annotations

from typing import NamedTuple

from airflow_colgraph.sql.commands import (
    BOTH,
    EXCHANGES,
    FIRST,
    RENAMED_PAIR,
    RENAMES,
    SECOND,
    SWAP,
)
from airflow_colgraph.sql.database import TableName
from airflow_colgraph.sql.parse import table_name
from airflow_colgraph.sql.relation import Relation, base_table
from airflow_colgraph.sql.session import Session
from airflow_colgraph.sql.transformations import NONE, union
from airflow_colgraph.sql.writes import Write


class Move(NamedTuple):
    """The rows of one table that become those of another."""

    source: str
    target: str
    is_whole: bool = False  # the target has no other rows afterwards


ONE_WAY = ("hive", "spark", "spark2", "databricks")  # the partition leaves the second table


def exchange(text: str, session: Session) -> None:
    """Read a statement that moves whole tables or partitions."""
    renames = RENAMES.match(text)
    moves = (
        _renamed(RENAMED_PAIR.findall(renames[1]), session) if renames else _moves(text, session)
    )
    writes = [_write(move, session) for move in moves]
    for move, write in zip(moves, writes, strict=True):
        if move.is_whole and write.relation:  # the table is another one now
            columns = tuple(name for name, _ in write.relation.columns)
            session.database.script_columns[write.table] = columns
        session.add(write)


def _moves(text: str, session: Session) -> list[Move]:
    matches = ((pattern.match(text), kind) for pattern, kind in EXCHANGES.items())
    match, kind = next((match, kind) for match, kind in matches if match)
    is_one_way = kind is BOTH and session.database.place.dialect in ONE_WAY
    first = Move(match[2], match[1], kind is SWAP)
    second = Move(match[1], match[2], kind is SWAP)
    return (
        [first] if kind is FIRST or is_one_way else [second] if kind is SECOND else [first, second]
    )


def _renamed(pairs: list[tuple[str, str]], session: Session) -> list[Move]:
    """What each table has after all renames, one after the other; a new name is only that."""
    rows: dict[str, str] = {}
    for old, new in pairs:
        rows[new] = rows.pop(old, old)
    left = {old for old, _ in pairs}
    for new, old in rows.items():
        if new not in left:
            target, previous = _name(new, session), _name(old, session)
            session.database.rename(previous, target)
            session.add(Write(target, None, "RENAME", previous=previous))
    return [Move(old, new, True) for new, old in rows.items() if new in left and new != old]


def _name(text: str, session: Session) -> TableName:
    return session.database.whole(table_name(text, session.database.place.dialect))


def _write(move: Move, session: Session) -> Write:
    """The target's columns: those of the source, or its own with the source's of their names."""
    database = session.database
    source, target = _name(move.source, session), _name(move.target, session)
    database.lookup(source)
    theirs, ours = database.columns_of(source), database.columns_of(target)
    lifecycle = "OVERWRITE" if move.is_whole else "ALTER"
    names = theirs or ours if move.is_whole else ours or theirs
    if names is None:
        database.findings.unknown("TargetColumns", ".".join(target))
        return Write(target, None, lifecycle)
    moved = base_table(source, theirs or names)
    own = {} if move.is_whole else dict(base_table(target, names).columns)
    columns = tuple(
        (name, union(moved.listed(name) or NONE, own.get(name, NONE))) for name in names
    )
    return Write(target, Relation(columns), lifecycle)
