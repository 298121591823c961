"""Time limits on receiving a request, which uvicorn has not.

Its settings (0.54) limit the time between two requests and at the end; an ASGI app sees a request
only when its headers are whole. So the protocol is extended, which uvicorn has no public way for.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

_LATE = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


def timed_protocol(header_seconds: float, body_seconds: float) -> type[asyncio.Protocol]:
    """Uvicorn's protocol, with a limit on the time until headers are whole, and until the body is.

    Each limit is for the whole, so that a client that sends a byte now and then gains nothing. A
    connection that exceeds it is closed, if nothing was answered yet with 408.
    """

    class TimedProtocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
        _timer: asyncio.TimerHandle | None = None
        _timed: Any = None  # the request whose body the timer is for; None: headers

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._start(None, header_seconds)

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            request = self.cycle
            if request is not None and request.more_body:
                if self._timer is None or self._timed is not request:
                    self._start(request, body_seconds)
            elif request is not None and not request.response_complete:
                self._stop()  # it is the app's turn
            elif self._timer is None:
                self._start(None, header_seconds)

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop()
            super().connection_lost(exc)

        def _start(self, request: Any, seconds: float) -> None:
            self._stop()
            self._timed = request
            self._timer = self.loop.call_later(seconds, self._close_late)

        def _stop(self) -> None:
            if self._timer is not None:
                self._timer.cancel()
            self._timer = self._timed = None

        def _close_late(self) -> None:
            self._timer = None
            if self.transport.is_closing():
                return
            if self.cycle is None or not self.cycle.response_started:
                self.transport.write(_LATE)
            self.transport.close()

    return TimedProtocol
