"""URNs of datasets and their fields: today's `schemaField` and the RFC's `datasetField`.

    urn:li:dataset:(urn:li:dataPlatform:kafka,demo.orders,PROD)
    urn:li:schemaField:(<dataset>,header.customerId)
    urn:li:datasetField:(<dataset>,/header/customerId)

JobOutput parts are escaped; parts that are read may be escaped or not, because DataHub's own
OpenLineage converter writes them raw.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote

# DataHub's FabricType.
ENVIRONMENTS = (
    "DEV", "TEST", "QA", "UAT", "EI", "PRE", "STG", "NON_PROD", "PROD", "CORP",
    "RVW", "PRD", "TST", "SIT", "SBX", "SANDBOX", "CERT",
)  # fmt: skip
MAX_PATH = 500  # of a datasetField, by DatasetFieldUrn.pdl
MAX_URN = 807

RESERVED = re.compile("[,()\u241f]")
ESCAPED = re.compile("%(?:2[C89]|E2%90%9F)", re.IGNORECASE)
DATASET = rf"urn:li:dataset:\(urn:li:dataPlatform:([^,()]+),(.+?),({'|'.join(ENVIRONMENTS)})\)"
DATASET_URN = re.compile(DATASET, re.DOTALL)
FIELD_URN = re.compile(rf"urn:li:(datasetField|schemaField):\(({DATASET}),(.+)\)", re.DOTALL)


class UrnError(ValueError):
    """A URN that cannot be read or may not be written."""


def encode(text: str) -> str:
    """The text with `,`, `(`, `)` and the record separator sign escaped, and nothing else."""
    return RESERVED.sub(lambda match: quote(match[0]), text)


def decode(text: str) -> str:
    """The text that `encode` wrote; a name that holds `%2C` itself comes back as a comma."""
    return ESCAPED.sub(lambda match: unquote(match[0]), text)


@dataclass(frozen=True, order=True)
class DatasetUrn:
    """A dataset as DataHub names it."""

    platform: str
    name: str
    env: str = "PROD"

    def __str__(self) -> str:
        """The URN, its parts escaped."""
        if self.env not in ENVIRONMENTS:
            raise UrnError(
                f"DataHub has no environment '{self.env}'. One of: {', '.join(ENVIRONMENTS)}."
            )
        if not self.platform or not self.name:
            raise UrnError(f"A dataset needs a platform and a name: {self!r}.")
        platform = f"urn:li:dataPlatform:{encode(self.platform)}"
        return f"urn:li:dataset:({platform},{encode(self.name)},{self.env})"


@dataclass(frozen=True, order=True)
class FieldUrn:
    """A field of a dataset; `kind` is schemaField or datasetField and says which path form."""

    dataset: DatasetUrn
    path: str
    kind: str = "schemaField"

    def __str__(self) -> str:
        """The URN, its parts escaped and within the limits of a datasetField."""
        path = encode(self.path)
        if not path:
            raise UrnError(f"A field of {self.dataset} has an empty path.")
        urn = f"urn:li:{self.kind}:({self.dataset},{path})"
        if self.kind == "datasetField":
            check_length(path, MAX_PATH, "Field path")
            check_length(urn, MAX_URN, "URN")
        return urn


def check_length(text: str, limit: int, what: str) -> None:
    """A text that is too long for DataHub is an error that shows its start."""
    if len(text) > limit:
        raise UrnError(
            f"{what} '{text[:60]}...' has {len(text)} characters, more than the {limit} that "
            "DataHub allows."
        )


def parse_dataset(urn: str) -> DatasetUrn:
    """The dataset that a URN names."""
    match = DATASET_URN.fullmatch(urn)
    if not match:
        raise UrnError(
            f"'{urn[:120]}' is not a dataset URN. Expected "
            "urn:li:dataset:(urn:li:dataPlatform:<platform>,<name>,<ENV>)."
        )
    platform, name, env = match.groups()
    return DatasetUrn(decode(platform), decode(name), env)


def parse_field(urn: str) -> FieldUrn:
    """The field that a URN of either kind names."""
    # Without a bracket at its end the pattern would look for one from each comma on.
    match = FIELD_URN.fullmatch(urn) if urn.endswith(")") else None
    if not match:
        raise UrnError(
            f"'{urn[:120]}' is not a field URN. Expected urn:li:schemaField:(<dataset URN>,<path>) "
            "or urn:li:datasetField:(<dataset URN>,/<path>)."
        )
    kind, dataset, *_, path = match.groups()
    if kind == "datasetField" and not path.startswith("/"):
        raise UrnError(f"The path of '{urn[:120]}' does not start with '/'.")
    return FieldUrn(parse_dataset(dataset), decode(path), kind)
