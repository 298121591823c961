"""What was pruned: about times before it, an answer would lack what held then."""

from __future__ import annotations

from sqlalchemy import func, select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.errors import QuestionError
from airflow_colgraph.store.model import clock

PRUNE = "prune-begin"  # in the audit log; the subject is `BEFORE` with the time
BEFORE = "before "


def refuse_pruned(connection: Connection, at: int | None) -> None:
    """Raise QuestionError for a time whose lineage was deleted by `retention.prune`."""
    audit = tables.audit.c
    if at is None:
        return
    subject = connection.execute(
        select(func.max(audit.subject)).where(audit.action == PRUNE)
    ).scalar()
    if subject and at < clock.parse_iso(subject.removeprefix(BEFORE)):
        raise QuestionError(
            f"Lineage from {subject} was pruned, so there is no answer about {clock.iso(at)}. "
            "Ask about a later time."
        )
