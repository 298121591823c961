"""Options and URLs as they can be shown: without secrets. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

REDACTED = "***"

# Parts of an option's name that alone make it a secret, wherever they stand.
SECRET_PARTS = (
    "password|passwd|passphrase|secret|token|credential|apikey|api_key|api-key|accesskey"
    "|access_key|accountkey|privatekey|private_key|sharedkey|signature|jaas|keytab|pem_"
)
SECRET_PART = re.compile(SECRET_PARTS, re.IGNORECASE)
# Words of an option's name that make it a secret: `pwd`, but not `pwdless`.
SECRET_WORDS = {"auth", "authorization", "key", "pass", "pem", "pw", "pwd", "sas", "sig"}
PLAIN_KEYS = {"cluster", "clustering", "distribution", "foreign", "merge", "partition", "primary"}
PLAIN_KEYS |= {"record", "row", "shard", "sort", "unique"}  # partitionKey, sort.key, ...
WORD = re.compile("[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

USERINFO = re.compile(r"(?<=//)[^/?#\s]*@[^/?#\s]*")
ORACLE_LOGIN = re.compile(r"(jdbc:oracle:\w+:)[^@(\s]*@", re.IGNORECASE)
HOST = re.compile(r"(?:\[.*\]|[^:]*)(?::[0-9]*)?")
QUERY = re.compile("[?;#]")
PARAMETER = re.compile(r"([?&;,(]\s*)([\w.%-]+)=([^&;,()\s]*)")

# In text: `password = x`, `"token": "x"`, and what is a secret by its own look.
PAIR = re.compile(
    r"""(?P<name>[\w.-]+)(?P<sign>["']?\s*(?:=|:(?=\s*["']))\s*)"""
    r"""(?P<value>"[^"]*"|'[^']*'|[^\s,;&()"']+)"""
)
SHAPES = re.compile(
    r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"  # AWS
    r"|\bgh[pousr]_\w{36,}|\bglpat-[\w-]{20,}|\bxox[abprs]-[\w-]{10,}"  # GitHub, GitLab, Slack
    r"|\beyJ[\w-]+\.[\w-]+\.[\w-]*"  # JSON Web Tokens
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----(?:.*?-----END [A-Z ]*PRIVATE KEY-----|.*)",
    re.DOTALL,
)


def in_text(text: str, *, quoted_only: bool = False) -> str:
    """A message, or with `quoted_only` a SQL text, without the secrets that can be recognised."""

    def pair(found: re.Match[str]) -> str:
        name, value = found["name"], found["value"]
        quote = value[0] if value[0] in "'\"" else ""
        named = SECRET_PART.search(name) or name.lower() == "pwd"
        if not named or (quoted_only and not quote):
            return found.group(0)
        return f"{name}{found['sign']}{quote}{REDACTED}{quote}"

    return SHAPES.sub(REDACTED, PAIR.sub(pair, without_credentials(text)))


MOST_LETTERS = 300  # of a failure's text


def exception_text(error: BaseException) -> str:
    """An exception's class and message without secrets; of a Java one its first line, too."""
    lines = [line.strip() for line in str(error).splitlines()[:2]]
    text = re.sub(r"\bo[0-9]+\b", "an object", " ".join(lines))  # py4j's names of objects
    return f"{type(error).__name__}: {in_text(text)}"[:MOST_LETTERS].rstrip(": ")


STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
SEALED = re.compile(r"aes_(?:en|de)crypt\(")


def without_keys(text: str) -> str:
    """A JSON text in which no name holds the key of `aes_encrypt(x, 'key')`.

    Spark names a column without an alias after its whole expression, so the key would be part of
    the name wherever the column is read or written.
    """
    if not SEALED.search(text):
        return text

    def string(found: re.Match[str]) -> str:
        literal = found.group(0)
        return json.dumps(_unkeyed(json.loads(literal))) if SEALED.search(literal) else literal

    return STRING.sub(string, text)


def _unkeyed(name: str) -> str:
    """`f(aes_encrypt(x, key, GCM))` as `f(aes_encrypt(x, ***))`: a key may hold any character."""
    found = SEALED.search(name)
    if found is None:
        return name
    depth = open_before = name[: found.end()].count("(") - name[: found.end()].count(")")
    for place in range(found.end(), len(name)):
        depth += {"(": 1, ")": -1}.get(name[place], 0)
        if depth == open_before and name[place] == ",":
            return f"{name[:place]}, {REDACTED}{')' * depth}"
        if depth < open_before:
            break
    return f"{name[: found.end()]}{REDACTED}{')' * open_before}"


def without_secrets(options: Mapping[str, str]) -> dict[str, str]:
    """The options with secrets replaced by `***`, and without credentials in their URLs."""
    return {
        name: REDACTED if is_secret(name) else without_credentials(value)
        for name, value in options.items()
    }


def is_secret(name: str) -> bool:
    """Whether an option of this name holds a secret, as far as a name can say."""
    if SECRET_PART.search(name):
        return True
    words = [word.lower() for word in WORD.findall(name)]
    return any(
        word in SECRET_WORDS and not (word == "key" and before in PLAIN_KEYS)
        for before, word in zip(["", *words], words)
    )


def without_credentials(value: str) -> str:
    """A value in which URLs have no login and no secret parameter."""
    if ":" not in value or not ("//" in value or value.lower().startswith("jdbc:")):
        return value
    value = ORACLE_LOGIN.sub(r"\1@", value)
    value = USERINFO.sub(_kept_container, value)
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


def _kept_container(found: re.Match[str]) -> str:
    """`container@` of an Azure location stays: it is an address, and no login has no colon."""
    hosts = found.group(0)
    before = found.string[: found.start()].lower()
    is_azure = before.endswith(("abfs://", "abfss://", "wasb://", "wasbs://"))
    return hosts if is_azure and ":" not in hosts else without_logins(hosts)


def _parameter(found: re.Match[str]) -> str:
    before, name, value = found.groups()
    if is_secret(name) or name.lower() in ("user", "username", "uid"):
        value = REDACTED
    return f"{before}{name}={value}"
