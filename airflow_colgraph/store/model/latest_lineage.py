"""The latest lineage of each job and dataset that it wrote: where the fields come from. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from airflow_colgraph.store.model.digests import Digests
from airflow_colgraph.store.model.runs import Job


class Dataset(NamedTuple):
    """A dataset by its OpenLineage name."""

    namespace: str
    name: str


class Input(NamedTuple):
    """One way in which an output depends on a field; the values of OpenLineage."""

    dataset: Dataset
    field: str
    type: str = "DIRECT"
    subtype: str = ""
    masking: bool = False
    description: str = ""

    @property
    def direct(self) -> bool:
        """Whether the field's values go into the output."""
        return self.type == "DIRECT"

    @property
    def identity(self) -> bool:
        """Whether the output is a plain copy of the field."""
        return self.direct and self.subtype == "IDENTITY" and not self.masking

    @property
    def operation(self) -> str:
        """What is done, in one text: `DIRECT:AGGREGATION: sum(amount)`."""
        kind = f"{self.type}:{self.subtype}" if self.subtype else self.type
        masked = f"{kind} masking" if self.masking else kind
        return f"{masked}: {self.description}" if self.description else masked


@dataclass(frozen=True)
class JobOutput:
    """What a job's latest run reported about one dataset that it wrote.

    `fields` has every output field, constants with no inputs; None says that nothing is known of
    the columns. `rows` are the inputs of all fields together: filters, joins, sorting.
    `replaces`: no row is left of those that were there before.
    """

    dataset: Dataset
    job: Job | None
    fields: Mapping[str, tuple[Input, ...]] | None
    rows: tuple[Input, ...] = ()
    inputs: tuple[Dataset, ...] = ()
    run: str = ""
    at: int = 0
    digests: Digests | None = None
    replaces: bool = field(default=False, compare=False)  # exports do not tell
