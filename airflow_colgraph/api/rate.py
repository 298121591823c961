"""How often one caller may ask: 429 and when to come back."""

from __future__ import annotations

import time
from collections.abc import Callable
from hashlib import sha256
from math import ceil

from fastapi import HTTPException, Request

from airflow_colgraph.api.access import Access, Authorize

PER_MINUTE = 6_000  # requests of one key
REFUSED_PER_MINUTE = 60  # requests of one address that have no valid key
MINUTE = 60.0
MOST = 100_000  # callers that are remembered


class Rate:
    """So many in a minute, at once or spread over it, for each caller by itself.

    >>> now = [0.0]
    >>> rate = Rate(2, lambda: now[0])
    >>> [rate.wait("me") for _ in range(3)], rate.wait("you")
    ([0.0, 0.0, 30.0], 0.0)
    >>> now[0] = 30.0
    >>> rate.wait("me")
    0.0
    """

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        """Nobody has asked yet."""
        self._step = MINUTE / per_minute
        self._clock = clock
        self._until: dict[str, float] = {}  # when what each caller used will be given back

    def wait(self, who: str, count: bool = True) -> float:
        """The seconds for which the caller must wait; 0: may go on, which counts."""
        now = self._clock()
        until = max(self._until.get(who, now), now) + self._step
        if until - now > MINUTE + 1e-6:
            return until - now - MINUTE
        if count:
            self._until.pop(who, None)
            self._until[who] = until
            if len(self._until) > MOST:
                del self._until[next(iter(self._until))]
        return 0.0


def limited(
    authorize: Authorize,
    per_minute: int = PER_MINUTE,
    clock: Callable[[], float] = time.monotonic,
) -> Authorize:
    """The same, but no caller too often: by key or login, and refused ones by address."""
    rate, refused = Rate(per_minute, clock), Rate(REFUSED_PER_MINUTE, clock)

    def limit(request: Request, scope: str) -> Access:
        address = request.client.host if request.client else ""
        _go_on(refused.wait(address, count=False))
        try:
            access = authorize(request, scope)
        except HTTPException as problem:
            if problem.status_code == 401:
                refused.wait(address)
            raise
        _go_on(rate.wait(_caller(request) or address))
        return access

    return limit


def _caller(request: Request) -> str:
    """The key or login in a form that may be remembered."""
    said = request.headers.get("authorization") or request.headers.get("cookie")
    return sha256(said.encode()).hexdigest() if said else ""


def _go_on(seconds: float) -> None:
    if seconds:
        raise HTTPException(
            429, "Too many requests; try again later.", {"Retry-After": str(ceil(seconds))}
        )
