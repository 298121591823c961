"""Limit the requests of one caller: 429 with Retry-After."""

from __future__ import annotations

import time
from collections.abc import Callable
from ipaddress import IPv6Address, IPv6Network
from math import ceil

from fastapi import HTTPException, Request

from airflow_colgraph.api.access import Access, Authorize, NotAllowed

PER_MINUTE = 6_000  # requests of one key
REFUSED_PER_MINUTE = 60  # requests of one address that are refused as such, then as too many
MINUTE = 60.0
MOST = 100_000  # callers remembered


class RateLimit:
    """So many requests a minute for each caller, in a burst or spread over the minute.

    >>> now = [0.0]
    >>> limit = RateLimit(2, lambda: now[0])
    >>> [limit.wait("me") for _ in range(3)], limit.wait("you")
    ([0.0, 0.0, 30.0], 0.0)
    >>> now[0] = 30.0
    >>> limit.wait("me")
    0.0
    """

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        """A limit of `per_minute` requests by the given clock, in seconds."""
        self._per_minute = per_minute
        self._clock = clock
        self._until: dict[str, float] = {}  # when each caller's used requests have expired

    def wait(self, who: str, count: bool = True, per_minute: int | None = None) -> float:
        """The seconds to wait; 0 if the request is allowed, and then it is counted.

        `per_minute` is the limit of this caller, if it has one of its own.
        """
        now = self._clock()
        step = MINUTE / (per_minute or self._per_minute)
        until = max(self._until.get(who, now), now) + step
        if until - now > MINUTE + 1e-6:
            return until - now - MINUTE
        if count:
            self._until.pop(who, None)
            self._until[who] = until
            if len(self._until) > MOST:
                del self._until[next(iter(self._until))]
        return 0.0


def rate_limited(
    authorize: Authorize,
    per_minute: int = PER_MINUTE,
    clock: Callable[[], float] = time.monotonic,
) -> Authorize:
    """Wrap `authorize` with rate limits.

    Args:
        authorize: Decides who may do what; see `api.access`.
        per_minute: Requests allowed per API key or login that has no limit of its own.
        clock: Seconds, monotonic.

    Returns:
        An `Authorize` that raises 429 for a caller above the limit. A caller is the key or login
        that was verified, else the client's address. Refused requests are counted separately, by
        address, so that they never lock out a valid key.
    """
    allowed, refused = RateLimit(per_minute, clock), RateLimit(REFUSED_PER_MINUTE, clock)

    def limit(request: Request, scope: str) -> Access:
        address = network(request.client.host if request.client else "")
        try:
            access = authorize(request, scope)
        except NotAllowed as problem:
            caller = named(problem.caller, address)
            _raise_if_limited(allowed.wait(caller, per_minute=problem.rate))
            raise
        except HTTPException:
            _raise_if_limited(refused.wait(address))
            raise
        caller = named(access.caller, address)
        _raise_if_limited(allowed.wait(caller, per_minute=access.limits.rate))
        return access

    return limit


def named(caller: str, address: str) -> str:
    """Who a request is counted for: the caller that was verified, else the address."""
    return f"caller {caller}" if caller else address


def network(address: str) -> str:
    """The address, or of IPv6 the network of 64 bits, whose addresses are all one client's.

    >>> network("192.0.2.1"), network("2001:db8::1"), network("2001:db8::2")
    ('192.0.2.1', '2001:db8::/64', '2001:db8::/64')
    """
    try:
        ip = IPv6Address(address)
    except ValueError:
        return address
    if ip.ipv4_mapped:
        return str(ip.ipv4_mapped)
    return str(IPv6Network((int(ip), 64), strict=False))


def _raise_if_limited(seconds: float) -> None:
    if seconds:
        raise HTTPException(
            429, "Too many requests; try again later.", {"Retry-After": str(ceil(seconds))}
        )
