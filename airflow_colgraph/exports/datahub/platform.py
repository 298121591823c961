"""OpenLineage's names of a dataset in, DataHub's platform, name and environment out, and back.

The defaults follow OpenLineage's naming rules. A `Mapping` (a JSON file on the command line) says
what is different at a site:

    {"env": "PROD", "namespaces": {
        "postgres://dev-*": {"env": "DEV"},
        "hive://metastore:9083": {"platform": "hive", "instance": "lake"}}}
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from typing import Any

from airflow_colgraph.exports.datahub.urn import ENVIRONMENTS, DatasetUrn
from airflow_colgraph.exports.lineage_model import GLUE_TABLE, is_table
from airflow_colgraph.store.model.latest_lineage import Dataset


class MappingError(ValueError):
    """A mapping file that cannot be used; the text says what is wrong and where."""


@dataclass(frozen=True)
class Site:
    """What a namespace is called at a site; None leaves the default."""

    platform: str | None = None
    env: str | None = None
    instance: str | None = None
    lowercase: bool | None = None


@dataclass(frozen=True)
class Mapping:
    """The environment of all datasets and what is different for some namespaces.

    A namespace is matched exactly or, with a `*` at its end, by how it starts; the longest wins.
    With `symlinks` a location that has a name in a catalog goes by that name.
    """

    env: str = "PROD"
    namespaces: dict[str, Site] = field(default_factory=dict)
    orchestrator: str = "airflow"
    cluster: str = "prod"
    symlinks: bool = True

    def site(self, namespace: str) -> Site:
        """The entry for a namespace."""
        for pattern in sorted(self.namespaces, key=len, reverse=True):
            starts = pattern.endswith("*") and namespace.startswith(pattern[:-1])
            if pattern == namespace or starts:
                return self.namespaces[pattern]
        return Site()


# OpenLineage's scheme -> DataHub's platform, where they differ.
PLATFORMS = {
    "s3a": "s3",
    "s3n": "s3",
    "gs": "gcs",
    "abfss": "abs",
    "abfs": "abs",
    "wasbs": "abs",
    "wasb": "abs",
    "awsathena": "athena",
    "sqlserver": "mssql",
    "postgresql": "postgres",
    "azurekusto": "kusto",
}
FLAGS = ("lowercase", "symlinks")  # of a site, and of the mapping
# DataHub's sources lower-case the names and columns of these.
LOWERCASE = {"snowflake"}
UNITY = ("unity-catalog", "unitycatalog://")
BUCKETS = {"s3": "s3://", "gcs": "gs://"}


def _bucket(authority: str, name: str) -> str:
    return f"{authority.rstrip('/')}/{name.strip('/')}".rstrip("/")


def _container(authority: str, name: str) -> str:
    return _bucket(authority.partition("@")[0], name)


def _glue(authority: str, name: str) -> str:
    return name.removeprefix(GLUE_TABLE).replace("/", ".")


# How the name in DataHub is made where it is not the name in OpenLineage.
NAMES: dict[str, Callable[[str, str], str]] = {
    "s3": _bucket,
    "gcs": _bucket,
    "abs": _container,
    "glue": _glue,
}

# Of OpenLineage's namespaces: where files are, and catalogs that DataHub has not as `hive`.
FILES = {"file", "hdfs", "s3", "gcs", "abs", "dbfs", "oss", "cosn", "viewfs", "webhdfs", "adl"}
CATALOGS = {"glue", "databricks"}
HIVE = "hive"


def lowercases(namespace: str, mapping: Mapping) -> bool:
    """Whether names and fields of a namespace are written in lower case."""
    lowercase = mapping.site(namespace).lowercase
    return lowercase if lowercase is not None else _platform(namespace, mapping) in LOWERCASE


def _platform(namespace: str, mapping: Mapping) -> str:
    platform = mapping.site(namespace).platform
    if platform:
        return platform
    if namespace.startswith("arn:aws:glue:"):
        return "glue"
    if namespace.startswith(UNITY):
        return "databricks"
    scheme = namespace.partition("://")[0].lower()
    return PLATFORMS.get(scheme, scheme)


def in_catalog(dataset: Dataset, others: Iterable[Dataset], mapping: Mapping) -> Dataset | None:
    """The name in a catalog of a dataset that is a location, if it has one."""
    if not mapping.symlinks or _platform(dataset.namespace, mapping) not in FILES:
        return None
    return next((other for other in sorted(others) if is_table(other.name)), None)


def named(dataset: Dataset, others: Iterable[Dataset], mapping: Mapping) -> DatasetUrn:
    """The dataset as DataHub names it, whose other names these are.

    DataHub's own converter of OpenLineage events does the same: it has a table in a catalog, not
    where its files are (OpenLineagePlatformResolver).
    """
    table = in_catalog(dataset, others, mapping)
    if table is None:
        return to_datahub(*dataset, mapping)
    platform = _platform(table.namespace, mapping)
    is_own = platform in CATALOGS or mapping.site(table.namespace).platform is not None
    return to_datahub(*table, mapping, platform if is_own else HIVE)


def to_datahub(namespace: str, name: str, mapping: Mapping, platform: str = "") -> DatasetUrn:
    """The dataset of OpenLineage as DataHub names it; `platform` if its namespace's is another."""
    site, platform = mapping.site(namespace), platform or _platform(namespace, mapping)
    rename = NAMES.get(platform)
    dataset = rename(namespace.partition("://")[2], name) if rename else name
    if site.instance:
        dataset = f"{site.instance}.{dataset}"
    if lowercases(namespace, mapping):
        dataset = dataset.lower()
    return DatasetUrn(platform, dataset, site.env or mapping.env)


def from_datahub(urn: DatasetUrn, mapping: Mapping) -> tuple[str, str]:
    """OpenLineage's namespace and name of a dataset of DataHub.

    DataHub does not keep the host. A namespace of the mapping that leads to the same platform,
    environment and instance is taken; else the namespace is the platform's name.
    """
    for namespace, site in mapping.namespaces.items():
        if namespace.endswith("*") or urn.platform != _platform(namespace, mapping):
            continue
        prefix = f"{site.instance}." if site.instance else ""
        if urn.env == (site.env or mapping.env) and urn.name.startswith(prefix):
            name = urn.name.removeprefix(prefix)
            if to_datahub(namespace, name, mapping) == urn:
                return namespace, name
    if urn.platform in BUCKETS:
        bucket, _, name = urn.name.partition("/")
        return f"{BUCKETS[urn.platform]}{bucket}", name or "/"
    return urn.platform, urn.name


def parse_mapping(text: str | bytes) -> Mapping:
    """The mapping in a JSON text."""
    try:
        document = json.loads(text)
    except ValueError as error:
        raise MappingError(f"The mapping is not JSON: {error}.") from None
    names = [f.name for f in fields(Mapping)]
    _check(document, names, "The mapping")
    sites = document.get("namespaces", {})
    _check(sites, list(sites) if isinstance(sites, dict) else [], "'namespaces' of the mapping")
    for namespace, site in sites.items():
        _check(site, [f.name for f in fields(Site)], f"Namespace '{namespace}' of the mapping")
    return Mapping(**{**document, "namespaces": {n: Site(**site) for n, site in sites.items()}})


def _check(document: Any, keys: list[str], where: str) -> None:
    if not isinstance(document, dict):
        raise MappingError(f"{where} is not a JSON object.")
    for name, value in document.items():
        if name not in keys:
            raise MappingError(f"{where} has no '{name}'. Known: {', '.join(keys)}.")
        wanted = bool if name in FLAGS else str
        if name in (*FLAGS, "platform", "env", "instance", "orchestrator", "cluster"):
            if not isinstance(value, wanted) or value == "":
                raise MappingError(f"{where}: '{name}' is {value!r}, not a {wanted.__name__}.")
            if name == "env" and value not in ENVIRONMENTS:
                raise MappingError(
                    f"{where}: environment '{value}' is unknown. One of: {', '.join(ENVIRONMENTS)}."
                )
            if name == "platform" and re.search(r"[,()\s]", str(value)):
                raise MappingError(f"{where}: platform '{value}' has a comma, bracket or blank.")
