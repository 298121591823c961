"""URLs without logins and without secret parameters. Pure."""

from __future__ import annotations

import re

from airflow_colgraph.openlineage.redaction.names import REDACTED, is_secret

MOST_LOGIN = 512  # characters of a URL that are searched for a login
URL_END = re.compile(r"""[\s"'<>]""")
AUTHORITY = re.compile(r"""[^/?#\s"'<>]{0,512}""")
ORACLE_LOGIN = re.compile(r"(jdbc:oracle:\w{1,32}:)[^@(\s]{0,512}@", re.IGNORECASE)
HOST = re.compile(r"(?:\[.*\]|[^:]*)(?::[0-9]*)?")
QUERY = re.compile("[?;#]")
PARAMETER = re.compile(r"([?&;,(]\s*)([\w.%-]+)=([^&;,()\s]*)")
AZURE = ("abfs://", "abfss://", "wasb://", "wasbs://")


def without_credentials(value: str) -> str:
    """A value in which URLs have no login and no secret parameter."""
    if ":" not in value or not ("//" in value or value.lower().startswith("jdbc:")):
        return value
    value = ORACLE_LOGIN.sub(r"\1@", value)
    value = _without_url_logins(value)
    return PARAMETER.sub(_parameter, value)


def without_login(url: str) -> str:
    """A URL without `user:password@`, before every one of its hosts."""
    start, slashes, rest = url.partition("//")
    if "@" not in rest:
        return url
    end = QUERY.search(rest)
    hosts, query = (rest[: end.start()], rest[end.start() :]) if end else (rest, "")
    if "@" not in hosts and not _are_hosts(hosts.partition("/")[0]):
        return start + slashes + rest.rpartition("@")[2]  # a password that has a `?` in it
    return start + slashes + without_logins(hosts) + query


def without_userinfo(url: str) -> str:
    """A URL that can be shown: no user, password, query or fragment. A plain path is kept."""
    return QUERY.split(without_login(url))[0] if "//" in url else url


def without_logins(hosts: str) -> str:
    """`user:password@host,user:password@host/path` without the logins."""
    if "@" not in hosts:
        return hosts
    before = hosts.partition("/")[0]
    if "@" not in before and ":" not in before:
        return hosts  # `host/a@b`
    plain = re.sub("(^|,)[^/,]*@", r"\1", hosts)
    if _are_hosts(plain.partition("/")[0]) and "@" not in plain and "@" in hosts.split(",")[0]:
        return plain
    return hosts.rpartition("@")[2]  # a password that has a comma or a slash in it


def _are_hosts(text: str) -> bool:
    return all(HOST.fullmatch(host) for host in text.split(","))


def _without_url_logins(text: str) -> str:
    shown: list[str] = []
    done = at = 0
    while (at := text.find("//", at)) >= 0:
        at += 2
        match = AUTHORITY.match(text, at)
        hosts = match.group(0) if match else ""
        end = at + len(hosts)
        if "@" in hosts:
            is_azure = text[max(0, at - 8) : at].lower().endswith(AZURE)
            # `container@` of an Azure location is an address, and no login has no colon.
            plain = hosts if is_azure and ":" not in hosts else without_logins(hosts)
            if hosts.endswith("@"):  # what follows is no host: the password goes on
                plain, end = "", max(end, _end_of_login(text, at))
        elif LIKE_A_PORT.fullmatch(hosts) and not _is_file_system(text, at):
            login = _end_of_word_login(text, end)
            if login <= end:
                continue
            plain, end = "", login
        elif not _are_hosts(hosts) and (login := _end_of_login(text, at)) > at:
            plain, end = "", login
        else:
            continue
        shown += [text[done:at], plain]
        done = at = end
    return "".join([*shown, text[done:]])


FILE_SYSTEMS = re.compile(r"(?:hdfs|webhdfs|viewfs|file|s3[an]?|gs|abfss?|wasbs?|dbfs):/{0,2}$")
LIKE_A_PORT = re.compile(r"[^:,@]+:[0-9]+")  # `host:80/a@b`, or `ann:12/34@host` with a password


def _is_file_system(text: str, at: int) -> bool:
    """Whether a location follows, whose folders may have an `@` in them."""
    return FILE_SYSTEMS.search(text[max(0, at - 12) : at].lower()) is not None


def _end_of_word_login(text: str, start: int) -> int:
    """After the last `@` before the word ends, if there is one."""
    match = URL_END.search(text, start, start + MOST_LOGIN)
    return text.rfind("@", start, match.start() if match else start + MOST_LOGIN) + 1


def _end_of_login(text: str, start: int) -> int:
    """The end of a login whose password has a slash, a question mark or a space in it, if any."""
    match = URL_END.search(text, start, start + MOST_LOGIN)
    end = match.start() if match else start + MOST_LOGIN
    at = text.rfind("@", start, end)
    if at < 0:
        line = text.find("\n", start, start + MOST_LOGIN)
        at = text.find("@", end, line if line >= 0 else start + MOST_LOGIN)
    return at + 1


def _parameter(match: re.Match[str]) -> str:
    before, name, value = match.groups()
    if is_secret(name) or name.lower() in ("user", "username", "uid"):
        value = REDACTED
    return f"{before}{name}={value}"
