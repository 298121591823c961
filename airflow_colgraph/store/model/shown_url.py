"""A URL as it can be shown: scheme, host and path, never what may be a secret. Pure."""

from __future__ import annotations

import re
from urllib.parse import unquote

HIDDEN = "***"
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,40}")
_HOSTS = re.compile(r"(?:\[[0-9A-Fa-f:.]{1,45}\]|[\w.-]{0,253})(?::\d{1,5})?(?:,[\w.:-]{1,260})*")
_TAIL = re.compile("[?#;]")
_PARAMETER = re.compile("[?#&;]")
_WORD = re.compile(r"[/:@?#&=;,\s]+")
MOST_PLAIN = 3  # letters of a part that is hidden only within quotes: else it would hide words, too


def shown_url(url: str) -> str:
    """The URL without user, password, parameters and fragment; hardly anything of one that is odd.

    >>> shown_url("postgresql://me:secret@db:5432/lineage?sslpassword=secret")
    'postgresql://db:5432/lineage'
    >>> shown_url("postgresql://me:sec/ret@db/lineage")
    'postgresql://***'
    """
    scheme, separator, rest = url.partition("://")
    if not separator or not _SCHEME.fullmatch(scheme):
        return HIDDEN
    plain = _plain(rest)
    return f"{scheme}://{HIDDEN if plain is None else plain}"


def _plain(rest: str) -> str | None:
    """Host and path; None if a password may be a part of them."""
    path = _TAIL.split(rest, maxsplit=1)[0]
    authority, slash, below = path.partition("/")
    if authority or not slash:
        if "@" in rest[len(authority) :]:
            return None
        authority = authority.rpartition("@")[2]
        if not _HOSTS.fullmatch(authority):
            return None
    return f"{authority}{slash}{below}" if below.isprintable() else None


def passwords(url: str) -> set[str]:
    """The passwords in a URL, as they are and unquoted.

    >>> sorted(passwords("postgresql://me:p%40ss@db/lineage?sslpassword=key"))
    ['key', 'p%40ss', 'p@ss']
    """
    rest = url.partition("://")[2]
    login = rest.partition("/")[0].rpartition("@")[0]
    secrets = {login.partition(":")[2]}
    for parameter in _PARAMETER.split(rest):
        name, _, value = parameter.partition("=")
        secrets |= {value} if name.lower().endswith("password") else set()
    return {text for secret in secrets if secret for text in (secret, unquote(secret))}


def without_parts(text: str, url: str) -> str:
    """A driver's message about the URL without the parts of it that are not shown."""
    for part in sorted(_hidden_parts(url), key=len, reverse=True):
        if len(part) > MOST_PLAIN:
            text = text.replace(part, HIDDEN)
        else:
            for quote in "\"'":
                text = text.replace(f"{quote}{part}{quote}", f"{quote}{HIDDEN}{quote}")
    return text


def _hidden_parts(url: str) -> set[str]:
    """What stands in the URL and not in `shown_url`, whole and in words, as it is and unquoted."""
    rest = url.partition("://")[2] if "://" in url else url
    plain = _plain(rest) if "://" in url else None
    if plain is None:
        words = {rest, *_WORD.split(rest)}
    else:
        login, tail = "", _TAIL.split(rest, maxsplit=1)[1:]
        authority = rest.partition("/")[0]
        if "@" in authority:
            login = authority.rpartition("@")[0]
        words = {login, *login.split(":"), *_WORD.split(login), *tail}
        for parameter in _PARAMETER.split("&".join(tail)):
            value = parameter.partition("=")[2] or parameter
            words |= {value, *_WORD.split(value)}
        words -= set(_WORD.split(plain))
    return {part for word in words if word for part in (word, unquote(word))}
