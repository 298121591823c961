"""What a dataset is called: OpenLineage's naming rules, so that our graphs join with others'. Pure.

    file_dataset("s3a://lake/raw/orders/day=2026-01-31")  ->  ("s3://lake", "raw/orders")
    jdbc_dataset("jdbc:mysql://db/shop", "orders")        ->  ("mysql://db:3306", "shop.orders")

No name ever holds a user, a password or the query of a URL.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from airflow_colgraph.collector.model import Dataset
from airflow_colgraph.collector.naming import jdbc
from airflow_colgraph.openlineage.redaction import without_userinfo

# Files ----------------------------------------------------------------------------------------

# Schemes that mean the same store, and whose names have no leading slash.
OBJECT_STORES = {
    "s3": "s3",
    "s3a": "s3",
    "s3n": "s3",
    "gs": "gs",
    "abfs": "abfss",
    "abfss": "abfss",
    "wasb": "wasbs",
    "wasbs": "wasbs",
}


class Uri(NamedTuple):
    """The parts of a location, without credentials and query."""

    scheme: str
    authority: str
    path: str


def file_dataset(uri: str) -> Dataset:
    """The dataset at a location, whichever of its partitions the location names.

    `uri` is what Hadoop's `Path.toString` prints: nothing in it is percent-encoded.
    """
    namespace, name = untrimmed_dataset(uri)
    return Dataset(namespace, trimmed(name))


def untrimmed_dataset(uri: str) -> Dataset:
    """Exactly the location; if `file_dataset` differs, only a part was read or written."""
    scheme, authority, path = _uri(uri)
    if scheme in OBJECT_STORES:
        return Dataset(f"{OBJECT_STORES[scheme]}://{authority}", path.strip("/") or "/")
    if scheme in ("", "file"):
        return Dataset("file", path.rstrip("/") or "/")
    namespace = f"{scheme}://{authority}" if authority else scheme
    return Dataset(namespace, path.rstrip("/") or "/")


def absolute(uri: str, working: str) -> str:
    """A location with its file system: without a scheme it is on that of the working folder.

    As Hadoop's `FileSystem.makeQualified` does: relative ones begin in the working folder.
    """
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", uri):
        return uri
    match = re.match(r"([^:/]*:)?(//[^/]*)?(.*)$", working, re.DOTALL)
    assert match is not None, "every part of the pattern is optional"
    scheme, authority, folder = ((match.group(i) or "") for i in (1, 2, 3))
    if uri.startswith("/"):
        return f"{scheme}{uri}" if uri.startswith("//") else f"{scheme}{authority}{uri}"
    return f"{scheme}{authority}{posixpath.normpath(posixpath.join(folder, uri))}"


def in_location(uri: str, name: str) -> Dataset:
    """A table by its name in a warehouse: `s3://b/w` and `default.t` are both kept."""
    scheme, authority, path = _uri(uri)
    path = path.rstrip("/")
    if scheme in ("", "file"):
        return Dataset(f"file:{path}" if path else "file", name.rstrip("/") or "/")
    scheme = OBJECT_STORES.get(scheme, scheme)
    if authority:
        return Dataset(f"{scheme}://{authority}{path}", name.strip("/") or "/")
    return Dataset(f"{scheme}:{path}" if path else scheme, name.strip("/") or "/")


def _uri(uri: str) -> Uri:
    # No urlsplit: a path may hold `#`, `?`, `%` and spaces that mean themselves.
    match = re.match(r"(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?://([^/]*))?(.*)$", uri, re.DOTALL)
    assert match is not None, "every part of the pattern is optional"
    scheme, authority, path = ((match.group(i) or "") for i in (1, 2, 3))
    scheme = scheme.lower()
    user, _, host = authority.rpartition("@")
    if ":" in user or OBJECT_STORES.get(scheme) in ("s3", "gs"):
        authority = host  # user:password@host; but abfss://container@account is no credential
    if authority:
        path = _without_query(path)
        authority = authority.partition("?")[0]
    return Uri(scheme, authority, path)


def _without_query(path: str) -> str:
    """A path without `?name=value`; a question mark without a value belongs to a file's name."""
    kept: list[str] = []
    for folder in path.split("/"):
        name, mark, query = folder.partition("?")
        if mark and "=" in query:
            return "/".join([*kept, name])
        kept.append(folder)
    return path


# Databases and connectors ---------------------------------------------------------------------


def jdbc_dataset(
    url: str, table: str | Sequence[str], properties: Mapping[str, str] | None = None
) -> Dataset:
    """A table behind a JDBC URL; its name is kept as it is written, after the URL's database."""
    parts = table.split(".") if isinstance(table, str) else list(table)
    location = jdbc.location(url, properties or {})
    if location.database and not (location.two_levels and len(parts) > 1):
        parts = [location.database, *parts]
    return Dataset(location.namespace, ".".join(parts))


def bigquery_dataset(project: str, dataset: str, table: str) -> Dataset:
    """A BigQuery table."""
    return Dataset("bigquery", f"{project}.{dataset}.{table}")


def snowflake_dataset(url: str, database: str, schema: str, table: str) -> Dataset:
    """A Snowflake table by the connector's options; a table may bring its own schema, database.

    The name is the one that Snowflake has: in upper case, but for parts in quotes. The quotes stay
    where all of it is in lower case, as a name without them would be taken for the upper case one.
    """
    table_parts = re.findall(r'"[^"]*"|[^.]+', table)
    parts = [*[database, schema][: max(0, 3 - len(table_parts))], *table_parts]
    name = ".".join(part[1:-1] if part.startswith('"') else part.upper() for part in parts)
    return Dataset(
        f"snowflake://{snowflake_account(url)}", ".".join(parts) if name.islower() else name
    )


def snowflake_account(url: str) -> str:
    """`organization-account`, or `locator.region.cloud` with Snowflake's defaults filled in."""
    host = re.sub(r"^\w+://", "", url).rpartition("@")[2]
    host = re.split(r"\.snowflakecomputing\.|[/:?]", host)[0]
    parts = host.split(".")
    if len(parts) == 1 and "-" in host:
        return host
    return ".".join([*parts, *["us-west-1", "aws"][len(parts) - 1 :]])


def kafka_dataset(bootstrap_servers: str, topic: str) -> Dataset:
    """A Kafka topic; of several bootstrap servers the first counts."""
    first = re.sub(r"^\w+://", "", bootstrap_servers.split(",")[0].strip())
    return Dataset(f"kafka://{first}", topic)


def kinesis_dataset(endpoint: str, stream: str) -> Dataset:
    """A Kinesis stream."""
    return Dataset("kinesis://" + re.sub(":(80|443)$", "", authority(endpoint)), stream)


def mongo_dataset(connection_uri: str, database: str, collection: str) -> Dataset:
    """A MongoDB collection; the connection's own path and query are no part of its name."""
    scheme = connection_uri.strip().partition("://")[0]
    return Dataset(f"{scheme}://{authority(connection_uri)}/{database}", collection)


def kusto_dataset(cluster: str, database: str, table: str) -> Dataset:
    """An Azure Data Explorer table; `cluster` is its name, its host or its URL."""
    host = authority(cluster)
    host = host if "." in host else f"{host}.kusto.windows.net"
    return Dataset(f"azurekusto://{host}/{database}", table)


def cosmos_dataset(endpoint: str, database: str, collection: str) -> Dataset:
    """An Azure Cosmos collection; `endpoint` is the account's name or its URL."""
    account = authority(endpoint).partition(":")[0].split(".")[0]
    namespace = f"azurecosmos://{account}.documents.azure.com/dbs/{database}"
    return Dataset(namespace, f"/colls/{collection}")


def authority(url: str) -> str:
    """The `host:port` of a URL, or the thing itself when it is no URL."""
    rest = re.sub(r"^[A-Za-z][A-Za-z0-9+.-]*://", "", without_userinfo(url.strip()))
    return re.split("[/?]", rest)[0].rpartition("@")[2]


# Calendars are not consulted, as OpenLineage does not either: the 31st of any month is a date.
DAY, MONTH = "(?:0[1-9]|[12][0-9]|3[01])", "(?:0[1-9]|1[0-2])"
YEAR = "[0-9]{4}"
DATE = re.compile(f"{YEAR}-{MONTH}-{DAY}|{DAY}[.]{MONTH}[.]{YEAR}|{YEAR}{MONTH}{DAY}")
AROUND_A_DATE = re.compile(r"[0-9\s:.-]*(?:T[0-9\s:.-]*)?(?:Z[0-9\s:.-]*)?")
YEAR_MONTH = re.compile(f"{YEAR}-?{MONTH}")
FOLDERS = (re.compile(YEAR), re.compile(MONTH), re.compile(DAY))  # /2026/01 or /2026/01/31


def trimmed(name: str) -> str:
    """`name` without its last folders that only say which part of the dataset it is.

    >>> trimmed("/data/orders/day=2026-01-31"), trimmed("/data/orders/2026/01/31")
    ('/data/orders', '/data/orders')
    """
    folders = name.split("/")
    while (kept := _without_the_last(folders)) < len(folders):
        del folders[kept:]
    return "/".join(folders)


def _without_the_last(folders: list[str]) -> int:
    """How many folders are left when the last of them that name a partition are not counted."""
    count = len(folders)
    if count == 1 or (count == 2 and not folders[0]):
        return count  # the only folder is never a partition
    last = folders[-1]
    if last.count("=") == 1 or YEAR_MONTH.fullmatch(last) or _is_date(last):
        return count - 1
    for first in (count - 3, count - 2):
        if first > 0 and folders[first - 1]:
            parts = zip(FOLDERS, folders[first:])
            if all(part.fullmatch(folder) for part, folder in parts):
                return first
    return count


def _is_date(folder: str) -> bool:
    """Whether a folder's name is a date and, besides, at most a time."""
    match = DATE.search(folder)
    if match is None:
        return False
    return AROUND_A_DATE.fullmatch(folder[: match.start()] + folder[match.end() :]) is not None
