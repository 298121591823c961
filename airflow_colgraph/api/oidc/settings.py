"""How to log in: the provider, and what the claims of its tokens allow; from a TOML file."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from airflow_colgraph.store.errors import QuestionError
from airflow_colgraph.store.model.grants import Grant, require_patterns

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SCOPES = ("read", "ingest", "tag", "admin")
ANY = "*"  # a role's value: whatever the claim has
HOURS = 8.0
OPTIONS = {
    "issuer": str,
    "client_id": str,
    "client_secret_file": str,
    "url": str,
    "scopes": list,
    "name_claim": str,
    "audience": str,
    "hours": (int, float),
    "roles": list,
}
REQUIRED = ("issuer", "client_id", "url", "roles")
ROLE_OPTIONS = {"claim": str, "value": str, "scopes": list, "namespaces": list}


class Role(NamedTuple):
    """What a value of a claim allows."""

    claim: str
    value: str
    grant: Grant


@dataclass(frozen=True)
class Settings:
    """The provider and this server as its client; `audience` is that of access tokens, if any."""

    issuer: str
    client_id: str
    url: str
    roles: tuple[Role, ...]
    client_secret: str = field(default="", repr=False)
    scopes: tuple[str, ...] = ("openid", "profile", "email")
    name_claim: str = "email"
    audience: str = ""
    hours: float = HOURS

    @property
    def home(self) -> str:
        """The page's address."""
        return f"{self.url.rstrip('/')}/"

    @property
    def callback(self) -> str:
        """Where the provider sends browsers back to."""
        return f"{self.home}auth/callback"

    def grants(self, claims: Mapping[str, Any]) -> tuple[Grant, ...]:
        """What the claims allow, by each role that they have."""
        return tuple(role.grant for role in self.roles if has(claims, role.claim, role.value))

    def name(self, claims: Mapping[str, Any]) -> str:
        """How logs call a user: never as a key, whose name has no such prefix."""
        name = claims.get(self.name_claim)
        text = name if isinstance(name, str) and name.isprintable() else str(claims.get("sub"))
        return f"login:{text[:200]}"


def has(claims: Mapping[str, Any], claim: str, value: str) -> bool:
    """Whether a claim is the value, or a list with it. A claim in an object has a path with dots.

    >>> has({"realm": {"roles": ["a", "b"]}}, "realm.roles", "b"), has({"realm": "a"}, "realm", "b")
    (True, False)
    """
    content = _claim(claims, claim)
    values = content if isinstance(content, list) else [content]
    return any(isinstance(each, str) and each and value in (each, ANY) for each in values)


def _claim(claims: Mapping[str, Any], claim: str) -> Any:
    if claim in claims:
        return claims[claim]
    content: Any = claims
    for name in claim.split("."):
        content = content.get(name) if isinstance(content, Mapping) else None
    return content


def read(file: Path) -> Settings:
    """The settings in a TOML file; QuestionError, in one line, if they cannot be used."""
    try:
        options = tomllib.loads(file.read_text(encoding="utf-8"))
        _check(options, OPTIONS, REQUIRED)
        if (name := options.pop("client_secret_file", None)) is not None:
            options["client_secret"] = _secret(file.parent / name)
        options["roles"] = tuple(_role(role) for role in options["roles"])
        options["scopes"] = tuple(options.get("scopes", Settings.scopes))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, ValueError) as error:
        raise QuestionError(f"{file}: {' '.join(str(error).split())}") from None
    settings = Settings(**options)
    _check_values(file, settings)
    return settings


def _secret(file: Path) -> str:
    secret = file.read_text(encoding="utf-8").strip()
    if not secret:
        raise ValueError(f"{file} is empty.")
    return secret


def _role(options: Any) -> Role:
    if not isinstance(options, dict):
        raise ValueError("A role is no table: write [[roles]].")
    _check(options, ROLE_OPTIONS, ("claim", "value", "scopes"))
    unknown = set(map(str, options["scopes"])) - set(SCOPES)
    if unknown or not options["scopes"]:
        raise ValueError(f"Expected of a role's scopes some of: {', '.join(SCOPES)}.")
    patterns = options.get("namespaces")
    namespaces = None if patterns is None else require_patterns(map(str, patterns))
    return Role(options["claim"], options["value"], Grant(frozenset(options["scopes"]), namespaces))


def _check(options: Mapping[str, Any], kinds: Mapping[str, Any], required: tuple[str, ...]) -> None:
    for name, value in options.items():
        if name not in kinds:
            raise ValueError(f"There is no option {name!r}. Expected: {', '.join(kinds)}.")
        if not isinstance(value, kinds[name]) or isinstance(value, bool):
            raise ValueError(f"{name!r} has another type of value.")
    for name in required:
        if not options.get(name):
            raise ValueError(f"{name!r} is missing.")


def _check_values(file: Path, settings: Settings) -> None:
    for name in ("issuer", "url"):
        if not is_secure(getattr(settings, name)):
            raise QuestionError(f"{file}: {name!r} is no https:// address.")
    if "openid" not in settings.scopes:
        raise QuestionError(f"{file}: 'scopes' has no 'openid'.")
    if settings.audience == settings.client_id:
        raise QuestionError(
            f"{file}: 'audience' is the client's id, which is the audience of ID tokens: these "
            "are no access tokens."
        )
    if not 0 < settings.hours <= 24 * 30:
        raise QuestionError(f"{file}: 'hours' is {settings.hours:g}. Expected at most 720.")


def is_secure(url: str) -> bool:
    """Whether an address is of https, or of this machine, without a login, query or fragment.

    >>> is_secure("https://a.org/b"), is_secure("http://a.org"), is_secure("http://127.0.0.1:80")
    (True, False, True)
    """
    parts = urlsplit(url)
    if parts.query or parts.fragment or "@" in parts.netloc or not parts.hostname:
        return False
    if parts.scheme == "https":
        return True
    return parts.scheme == "http" and _is_this_machine(parts.hostname)


def _is_this_machine(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
