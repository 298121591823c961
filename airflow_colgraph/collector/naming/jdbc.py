"""Which server and database a JDBC URL means, by OpenLineage's naming rules. Pure.

location("jdbc:postgresql://me:pw@DB/shop?ssl=true", {})  ->  ("postgres://db:5432", "shop")
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Mapping
from typing import NamedTuple

from airflow_colgraph.collector.naming.options import lowered
from airflow_colgraph.openlineage.redaction import without_login

Properties = Mapping[str, str]


MOST_URL = 8192  # a longer text is no URL of a database: only its scheme is kept


class Location(NamedTuple):
    """A server, and the database that its tables are in unless they say otherwise."""

    namespace: str
    database: str = ""
    two_levels: bool = False  # database and schema are one: `db.table` is a whole name


class Server(NamedTuple):
    """How a kind of database is written."""

    scheme: str
    port: str = ""
    two_levels: bool = False


# By the beginning of what follows `jdbc:`.
SERVERS = {
    "postgres": Server("postgres", "5432"),
    "mysql": Server("mysql", "3306", two_levels=True),
    "clickhouse": Server("clickhouse", "8123", two_levels=True),
    "ch:": Server("clickhouse", "8123", two_levels=True),
    "db2": Server("db2", "6789"),
    "trino": Server("trino", "443"),
    "crate": Server("crate", "5432"),
    "oceanbase": Server("oceanbase", "2881"),
    "cassandra": Server("cassandra", "9042"),
}


def location(url: str, properties: Properties) -> Location:
    """Where the tables behind `url` are; a URL of unknown form is kept, without its secrets."""
    uri = re.sub("^jdbc:", "", url.strip(), flags=re.IGNORECASE)
    if len(uri) > MOST_URL:
        return Location(uri.partition(":")[0][:MOST_URL])
    plain = uri.lower()
    for prefix, rule in RULES.items():
        if plain.startswith(prefix):
            place = rule(uri, properties)
            break
    else:
        server = next((server for at, server in SERVERS.items() if plain.startswith(at)), None)
        place = _server(uri, server or Server(plain.partition(":")[0]))
    return place or Location(_without_credentials(uri))


HOST = r"(?:\[[^\]]*\]|[^\s\[\]/:,?;#@()=]+)(?::[0-9]*)?"
SERVER_URL = re.compile(
    rf"[\w+.:-]*?://(?P<hosts>{HOST}(?:,{HOST})*)(?:/(?P<database>[^?;#]*))?(?:[?;#].*)?$",
    re.DOTALL,
)


def _server(uri: str, server: Server) -> Location | None:
    """`scheme://[user:password@]host[:port][,host...][/database][?query]`."""
    if server.scheme == "cassandra":
        uri = uri.replace("--", ",")
    match = SERVER_URL.match(without_login(uri))
    if match is None:
        return None
    hosts = ",".join(_with_port(host, server.port) for host in match["hosts"].split(","))
    database = (match["database"] or "").strip("/")
    return Location(f"{server.scheme}://{hosts.lower()}", database, server.two_levels)


def _with_port(host: str, port: str) -> str:
    named = re.search(r":[0-9]+$", re.sub(r"^\[.*\]", "", host))
    host = host if named else host.rstrip(":")
    return host if named or not port else f"{host}:{port}"


SQL_SERVER_URL = re.compile(
    r"[\w:]+://(?P<host>\[[^\]]*\]|[\w.-]+)?(?:\\(?P<instance>\w+))?(?::(?P<port>[0-9]+))?"
    r"(?:/(?P<database>\w+))?(?P<params>;.*)?$",
    re.DOTALL,
)


def _sql_server(uri: str, properties: Properties) -> Location | None:
    """`sqlserver://[host][\\instance][:port][;name=value...]`, and jTDS with `/database`."""
    match = SQL_SERVER_URL.match(without_login(uri))
    if match is None:
        return None
    options = lowered(properties)
    options.update(_parameters(match["params"] or "", ";"))
    host = match["host"] or options.get("servername")
    if not host:
        return None
    host = f"[{host}]" if ":" in host and not host.startswith("[") else host
    port = match["port"] or options.get("portnumber")
    instance = match["instance"] or options.get("instance") or options.get("instancename")
    database = options.get("databasename") or match["database"] or options.get("database")
    namespace = f"sqlserver://{host}" + (f":{port}" if port else "")
    return Location(namespace.lower() + (f"/{instance}" if instance else ""), database or "")


def _teradata(uri: str, properties: Properties) -> Location | None:
    """`teradata://host[/NAME=value,NAME=value...]`; the port is one of the values."""
    match = re.match(rf"\w+://(?P<host>{HOST})/?(?P<params>.*)$", without_login(uri), re.DOTALL)
    if match is None:
        return None
    parameters = _parameters(match["params"], ",")
    host = _with_port(match["host"], parameters.get("dbs_port", "1025"))
    return Location(f"teradata://{host.lower()}", parameters.get("database", ""))


def _derby(uri: str, properties: Properties) -> Location | None:
    """`derby:[//host[:port]/][kind:][name][;databaseName=path]`: a folder below Derby's home.

    A database in memory, or in the class path or an archive, is no folder: `derby:memory:name`.
    """
    address, _, attributes = uri.partition(":")[2].partition(";")
    if address.startswith("//"):
        return _server(f"derby:{address}", Server("derby", "1527"))
    named = re.search("(?:^|;)databaseName=([^;]+)", attributes)
    name = named.group(1) if named else address or "metastore_db"
    if re.match("(memory|classpath|jar):", name):
        return Location(f"derby:{name}")
    home = properties.get("derby.system.home") or os.getcwd()
    path = posixpath.join(home, name.partition("directory:")[2] or name)
    return Location("file:" + posixpath.normpath(path))


def _embedded(uri: str, properties: Properties) -> Location:
    """`h2:mem:name;NAME=value`: the settings that follow a database are no part of its name."""
    place = _server(uri, Server(uri.partition(":")[0].lower()))
    return place or Location(_without_credentials(uri.partition(";")[0]))


def _oracle(uri: str, properties: Properties) -> Location | None:
    """`oracle:thin:[user/password]@` and then one of the many ways to name a service."""
    address = uri.rpartition("@")[2].partition("?")[0]
    address = re.sub("^oracle:\\w+:", "", address, flags=re.IGNORECASE).lstrip("/")
    if "(" in address:
        return _oracle_descriptor(address)
    ldap = re.search(r"ldaps?:(?://)?(\S+)", address, re.IGNORECASE)
    if ldap:
        host, *folders = ldap.group(1).split("/")
        service = folders[-1].split(",")[0] if folders else ""
        address = f"{host}/{service}"
    address = re.sub(r"^\w+://", "", address)
    host, _, sid = address.rpartition(":")
    if host and not sid.isdigit() and re.fullmatch(r"[^\]/:,]+", sid):
        address = f"{host}/{sid}"  # host:port:sid
    return _server(f"oracle://{address}", Server("oracle", "1521"))


def _oracle_descriptor(text: str) -> Location | None:
    """`(DESCRIPTION=(ADDRESS=(HOST=h)(PORT=1521))(CONNECT_DATA=(SERVICE_NAME=s)))`."""
    if not _is_balanced(text):
        return None
    addresses = re.findall(r"\(\s*ADDRESS\s*=((?:\s*\([^()]*\))*)\s*\)", text, re.IGNORECASE)
    hosts = []
    for values in map(_descriptor_values, addresses):
        if "HOST" in values:
            hosts.append(f"{values['HOST']}:{values.get('PORT', '1521')}")
    if not hosts:
        return None
    connect = re.search(r"\(\s*CONNECT_DATA\s*=((?:\s*\([^()]*\))*)", text, re.IGNORECASE)
    values = _descriptor_values(connect.group(1) if connect else "")
    names = [values[name] for name in ("SERVICE_NAME", "SID", "INSTANCE_NAME") if name in values]
    return Location(f"oracle://{','.join(hosts)}".lower(), (names or [""])[0])


def _descriptor_values(text: str) -> dict[str, str]:
    pairs = re.findall(r"\(\s*(\w+)\s*=([^()]*)\)", text)
    return {name.upper(): value.strip() for name, value in reversed(pairs)}


def _is_balanced(text: str) -> bool:
    depth = 0
    for position, letter in enumerate(text.strip()):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if depth < 0 or (depth == 0 and position < len(text.strip()) - 1):
            return False  # something follows the one group that there may be
    return depth == 0


RULES = {
    "sqlserver": _sql_server,
    "jtds:sqlserver": _sql_server,
    "teradata": _teradata,
    "derby:": _derby,
    "h2:": _embedded,
    "hsqldb:": _embedded,
    "oracle": _oracle,
}


def _parameters(text: str, separator: str) -> dict[str, str]:
    pairs = (part.split("=") for part in text.split(separator))
    return {pair[0].strip().lower(): pair[1] for pair in pairs if len(pair) == 2}


LOGIN_PARAMETER = re.compile(
    r"[,;&:]?\b(?:user|username|password|pwd|\w*secret|\w*token|\w*key)=[^,;&:()]*", re.IGNORECASE
)


def _without_credentials(uri: str) -> str:
    """What can be shown of a URL that none of the forms fits."""
    uri = uri.partition("?")[0]
    uri = LOGIN_PARAMETER.sub("", without_login(uri)).replace("()", "")
    before, at, after = uri.partition("@")  # oracle:thin:user/password@...
    return f"{before.rpartition(':')[0]}:@{after}" if at and ":" in before else at + after or uri
