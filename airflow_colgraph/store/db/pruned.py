"""What was pruned: about times before it, an answer would lack what held then."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import func, select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import symlinks, tables
from airflow_colgraph.store.db.id_lists import rows_in
from airflow_colgraph.store.errors import QuestionError
from airflow_colgraph.store.model import clock

# In the audit log; the subject is `BEFORE` with the time, and with the namespace if it is of one.
PRUNE, PRUNE_NAMESPACE = "prune-begin", "prune-namespace-begin"
BEFORE = "before "


def refuse_pruned(
    connection: Connection, at: int | None, datasets: Iterable[tuple[str, str]] | None = None
) -> None:
    """Raise QuestionError for a time whose lineage was deleted by `retention.prune`.

    Args:
        connection: A connection to the store, in a transaction.
        at: The time; None for now.
        datasets: The namespaces and names of the datasets whose writes the answer rests on; None if
            it may rest on any.
    """
    PrunedNamespaces(connection, at).refuse(datasets)


class PrunedNamespaces:
    """The namespaces whose lineage at a time was deleted."""

    def __init__(self, connection: Connection, at: int | None) -> None:
        """Read the audit log; QuestionError if the lineage of all namespaces was deleted."""
        self._connection = connection
        self._at = clock.OPEN if at is None else at
        self._subjects: dict[str, str] = {}  # of the latest prune, by the namespace
        if at is None:
            return
        audit = tables.audit.c
        query = select(func.max(audit.subject)).where(audit.action == PRUNE)
        subject = connection.execute(query).scalar()
        if subject and at < _time(subject):
            raise _refusal(subject, at)
        later = audit.subject > f"{BEFORE}{clock.iso(at)}"
        query = select(audit.subject).where(audit.action == PRUNE_NAMESPACE, later)
        self._subjects = {
            subject.removeprefix(BEFORE).partition(" ")[2]: subject
            for subject in sorted(connection.execute(query).scalars())
            if at < _time(subject)
        }

    def refuse(self, datasets: Iterable[tuple[str, str]] | None) -> None:
        """QuestionError if the answer rests on the datasets, or on any, and one is of these."""
        if not self._subjects:
            return
        if datasets is None:
            raise _refusal(max(self._subjects.values()), self._at)
        others = _other_names(self._connection, self._subjects)
        for dataset in datasets:
            namespace = dataset[0] if dataset[0] in self._subjects else others.get(dataset)
            if namespace:
                raise _refusal(self._subjects[namespace], self._at)


def _time(subject: str) -> int:
    return clock.parse_iso(subject.removeprefix(BEFORE).partition(" ")[0])


def _refusal(subject: str, at: int) -> QuestionError:
    when, _, namespace = subject.removeprefix(BEFORE).partition(" ")
    what = f"Lineage of {namespace} from" if namespace else "Lineage from"
    return QuestionError(
        f"{what} {BEFORE}{when} was pruned, so there is no answer about {clock.iso(at)}. "
        "Ask about a later time."
    )


def _other_names(connection: Connection, namespaces: Iterable[str]) -> dict[tuple[str, str], str]:
    """The datasets that have, or had, a name in the namespaces as well: that namespace."""
    link, dataset = tables.symlink.c, tables.dataset.c
    groups = symlinks.joined(
        (alias, id) for alias, id in connection.execute(select(link.alias, link.dataset))
    )
    query = select(dataset.id, dataset.namespace, dataset.name)
    ids = set[int]().union(*groups)
    names = {
        id: (namespace, name) for id, namespace, name in rows_in(connection, query, dataset.id, ids)
    }
    return {
        names[id]: names[other][0]
        for group in groups
        for other in group
        if names[other][0] in namespaces
        for id in group
    }
