"""What happened to a dataset or a job as a whole: dropped, emptied, renamed, retired. Pure.

Such a change ends the lineage that any job reported of the dataset before. An edge that a later run
of its job reports again goes on, so a table that is dropped and created each day adds no rows.
"""

from __future__ import annotations

from typing import NamedTuple

from airflow_colgraph.store.model.lineage_body import Field

# `lifecycle.change`. UNSTATED: a `columnLineage` facet was deleted, which ends edges of columns.
# DECLARED: a JobEvent declared all lineage of the job, which is the subject. UNLINKED: a `symlinks`
# facet was deleted, which ends the dataset's other names. RETIRED: a person ended the job, which is
# the subject. ALTERED: the columns of a dataset changed, and nothing was written.
DROPPED, TRUNCATED, RENAMED, UNSTATED, DECLARED, UNLINKED, RETIRED, ALTERED = range(8)
CHANGES = {"DROP": DROPPED, "TRUNCATE": TRUNCATED, "RENAME": RENAMED}
STATES = {change: state for state, change in CHANGES.items()}
# The kinds of changes that these are, as `compare.KINDS` has others.
ENDS = {DROPPED: "dataset-removed", TRUNCATED: "dataset-emptied", RENAMED: "dataset-removed"}
ENDS_EDGES = (DROPPED, TRUNCATED, UNSTATED)  # and RENAMED those of the former name
ENDS_DATASET = (DROPPED, TRUNCATED, RENAMED)
REMOVES = (DROPPED, RENAMED)  # one that was emptied is still there
# What a report without any write says of its dataset, by the change that it is stored as.
WITHOUT_WRITE = {DROPPED: "dropped", TRUNCATED: "emptied", ALTERED: "altered"}


class LifecycleChange(NamedTuple):
    """A change of a dataset, as one event reports it; `previous`: its name before a RENAME.

    `is_after_write`: the same event reports what was written before.
    """

    dataset: Field
    change: int
    previous: Field | None = None
    is_after_write: bool = False


class End(NamedTuple):
    """The edges to a dataset that were reported before `at` have ended, those of columns or all.

    `is_declared`: only those that a JobEvent declared. `is_retired`: the job ended, and not the
    dataset. `is_replaced`: another dataset got its name.
    """

    at: int
    of_columns: bool = False
    is_declared: bool = False
    is_retired: bool = False
    is_replaced: bool = False

    @property
    def is_of_dataset(self) -> bool:
        """Whether the dataset itself ended, and not only what is said of it."""
        return not any(self[1:])
